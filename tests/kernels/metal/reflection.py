#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Compares the text of kernels for Metal with what spirv-cross makes of their SPIR-V.

reflection.py <spirv-cross> <folder of texts> <folder of SPIR-V> [<two folders> ...]

Both are read from the strings (.inc) that the plugins contain. Each text has one kernel. Equal have to be: its buffers, their types and which of them are written;
the size of the arguments; the lanes; the memory of a work-group. No text has binary64, binary32 or
64-bit atomics, which not all devices have or compute exactly.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

SIZES = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8}
FORBIDDEN = re.compile(r"\b(double|float|half|atomic_(u?long|fetch_\w+_64)\w*)\b")


def number(text):
    """The value of a constant expression of integers, as C has it."""
    def inner(match):
        return str(number(match.group(1)))
    while "(" in text:
        text = re.sub(r"\(([^()]*)\)", inner, text)
    choice = re.fullmatch(r"(.*?)\?(.*?):(.*)", text)
    if choice:
        return number(choice.group(2) if number(choice.group(1)) else choice.group(3))
    if not re.fullmatch(r"(0x[0-9a-f]+|[0-9u+\-*/<>=!&| ])+", text):
        raise ValueError(f"not a number: {text}")
    return int(eval(text.replace("u", "").replace("/", "//").replace("&&", " and ").replace("||", " or ")))


class Text:
    """What a text of either origin says of its kernel."""

    def __init__(self, text):
        self.text = text
        self.types = {name: kind for kind, name in re.findall(r"typedef (\w+) (\w+);", text)}
        self.structs = dict(re.findall(r"struct (\w+)\s*\{([^{}]*)\};?", text))
        self.head, self.body = re.search(
            r"kernel void \w+\((.*?)\)\s*\{(.*)", text, re.DOTALL).groups()

    def size(self, name):
        """Bytes, and the alignment."""
        name = self.types.get(name, name)
        if name in SIZES:
            return SIZES[name], SIZES[name]
        total, largest = 0, 1
        for kind, members in re.findall(r"(\w+) ([^;]*);", self.structs[name]):
            size, alignment = self.size(kind)
            largest = max(largest, alignment)
            for member in members.split(","):
                count = re.search(r"\[(.*)\]", member)
                total = -(-total // alignment) * alignment
                total += size * (number(count.group(1)) if count else 1)
        return -(-total // largest) * largest, largest

    def scalar(self, name):
        """The type of the elements of a buffer."""
        name = self.types.get(name, name)
        while name in self.structs:
            members = re.findall(r"(\w+) \w+\[1\];", self.structs[name])
            if len(members) != 1:
                return f"{self.size(name)[0]} bytes"
            name = members[0]
        return name

    def buffers(self):
        """Those that are used: translations have no others."""
        found = {}
        for declaration in self.head.split(","):
            match = re.search(r"(const )?device (const )?(\w+)\s*[*&]\s*(?:__restrict )?(\w+) "
                              r"\[\[buffer\((\d+)\)\]\]", declaration)
            if match and re.search(rf"\b{match.group(4)}\b", self.body):
                before, after, kind, _, slot = match.groups()
                found[int(slot)] = (self.scalar(kind), "read" if before or after else "written")
        return found

    def arguments(self):
        kind = re.search(r"constant (\w+)\s*& ?\w+ \[\[buffer\(\d+\)\]\]", self.head)
        return self.size(kind.group(1))[0] if kind else 0

    def group_memory(self):
        total = 0
        for kind, count in re.findall(
                r"^\s*threadgroup (\w+) \w+\[([^\]]*)\];", self.body, re.M):
            total += self.size(kind)[0] * number(count)
        for kind, count in re.findall(r"threadgroup spvUnsafeArray<(\w+), (\d+)> ", self.body):
            total += self.size(kind)[0] * number(count)
        return total

    def lanes(self):
        own = re.search(r"\[\[max_total_threads_per_threadgroup\(([^\]]*)\)\]\]", self.text)
        if own:
            return number(own.group(1))
        sides = re.search(r"gl_WorkGroupSize \[\[maybe_unused\]\] = uint3\(([^)]*)\)", self.text)
        product = 1
        for side in sides.group(1).split(","):
            product *= number(side.strip())
        return product

    def facts(self):
        return {"buffers": self.buffers(), "bytes of arguments": self.arguments(),
                "lanes": self.lanes(), "bytes of a work-group": self.group_memory()}


def code(path):
    """The bytes of a string of C, as compile.sh writes it."""
    quoted = b"".join(line[1:-1] for line in path.read_bytes().replace(b'""', b"").splitlines())
    return re.sub(rb"\\([0-7]{1,3}|.)", lambda escape: b"\n" if escape[1] == b"n" else bytes([int(escape[1], 8)])
                  if escape[1].isdigit() else escape[1], quoted)


def compare(spirv_cross, ours, spirv):
    """What is wrong, as lines."""
    text = code(ours).rstrip(b"\0").decode()
    wrong = [f"has {word.group(0)}" for word in FORBIDDEN.finditer(text)]
    with tempfile.NamedTemporaryFile(suffix=".spv") as module:
        module.write(code(spirv))
        module.flush()
        translated = subprocess.run(
            [spirv_cross, module.name, "--msl", "--msl-version", "20300",
             "--msl-decoration-binding"], check=True, capture_output=True, text=True).stdout
    mine, theirs = Text(text).facts(), Text(translated).facts()
    for what, value in mine.items():
        if value != theirs[what]:
            wrong.append(f"{what}: {value}, but {theirs[what]} in the translation")
    if not mine["buffers"] or not mine["lanes"]:
        wrong.append("has no buffers or lanes")
    return wrong


def main():
    spirv_cross, folders = sys.argv[1], [pathlib.Path(name) for name in sys.argv[2:]]
    count = failures = 0
    for texts, modules in zip(folders[::2], folders[1::2]):
        kernels = sorted(texts.glob("*.inc"))
        if not kernels:
            print(f"there is nothing in {texts}")
            failures += 1
        for kernel in kernels:
            count += 1
            for line in compare(spirv_cross, kernel, modules / kernel.name):
                print(f"{kernel.stem}: {line}")
                failures += 1
    print(f"{count} kernels, {failures} differences")
    return 1 if failures else 0


sys.exit(main())
