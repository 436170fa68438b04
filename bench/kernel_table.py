#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What kernels cost, from compiled code: the table of docs/kernels.md.

  kernel_table.py BUILD [--before FILE] [--json FILE] [--size WIDTHxHEIGHT]

BUILD is a build folder with the target kernel_operations. Needs clang for PTX and AMD, and ptxas for
registers and SASS (CLANG and PTXAS in the environment, or as found). --json keeps the results, and
--before shows those of an earlier file beside them.

Operations are PTX instructions per sample of the picture at the kernel's scale, as the interpreter
counts them (kernel_operations): all lanes, idle ones too. Bytes are what a dispatch binds, each
counted once. SASS is the length of the code, loops and rare paths once.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SM = "sm_90"
AMD = ("gfx1100", "gfx90a")
PTX_LINE = re.compile(r"^\s+(@!?%p\d+\s+)?[a-z][a-z0-9_.]*\s.*;")
SLOW = re.compile(r"v_(mul_lo|mul_hi|mad_[iu]64)")  # a quarter of the rate of other operations
NOP = 0x918


def find_ptxas():
    for candidate in (os.environ.get("PTXAS"), "ptxas", "/usr/local/cuda/bin/ptxas"):
        if candidate and shutil.which(candidate):
            return shutil.which(candidate)
    sys.exit("no ptxas")


def sass_size(cubin):
    """The number of instructions in the kernel's section; the padding after the last is none."""
    data = cubin.read_bytes()
    table, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    for name, _, _, _, offset, length in sections:
        start = sections[names][4] + name
        if data[start:].startswith(b".text."):
            opcodes = [struct.unpack_from("<H", data, offset + i)[0] & 0xFFF
                       for i in range(0, length, 16)]
            while opcodes and opcodes[-1] == NOP:
                opcodes.pop()
            return len(opcodes)
    sys.exit(f"{cubin} has no code")


def number(pattern, text):
    found = re.search(pattern, text)
    return int(found.group(1)) if found else 0


def occupancy(lanes, registers, shared):
    """Lanes that a processor of compute capability 9.0 holds, of 2048."""
    warps = lanes // 32
    by_registers = 65536 // (-(-registers // 8) * 8 * 32) // warps
    by_shared = 233472 // (shared + 1024) if shared else 32
    return min(by_registers, by_shared, 2048 // lanes, 32) * lanes


def compile_kernel(target, wrapper, output, **environment):
    subprocess.run(["sh", ROOT / "plugins/kernels/compile.sh", target, wrapper, output], check=True,
                   env={**os.environ, "CONSTANTS": str(ROOT / "src"), "CC": "cc", "PTXAS": "",
                        "CLANG": os.environ.get("CLANG", shutil.which("clang-15") or "clang"),
                        **environment})


def static_results(wrapper, lanes, folder):
    ptx, cubin, amd = folder / "kernel.ptx", folder / "kernel.cubin", folder / "kernel.s"
    compile_kernel("ptx", wrapper, ptx)
    log = subprocess.run([find_ptxas(), "-v", f"-arch={SM}", ptx, "-o", cubin], check=True,
                         capture_output=True, text=True).stderr
    results = {
        "ptx": sum(bool(PTX_LINE.match(line)) for line in ptx.read_text().splitlines()),
        "sass": sass_size(cubin),
        "registers": number(r"Used (\d+) registers", log),
        "shared": number(r"(\d+) bytes smem", log),
        "stack": number(r"(\d+) bytes stack frame", log),
        "spills": number(r"(\d+) bytes spill stores", log),
    }
    results["resident"] = occupancy(lanes, results["registers"], results["shared"])
    for arch in AMD:
        compile_kernel("hip", wrapper, amd, HIP_ARCH=arch)
        text = amd.read_text()
        vector = re.findall(r"^\s+(v_\w+)", text, re.M)
        results[arch] = {
            "vector": len(vector),
            "slow": sum(bool(SLOW.match(op)) for op in vector),
            "registers": number(r"; NumVgprs: (\d+)", text),
            "scratch": number(r"; ScratchSize: (\d+)", text),
            "waves": number(r"; Occupancy: (\d+)", text),
        }
    return results


def measure(build, size):
    program = build / "tests/kernels/kernel_operations"
    lines = subprocess.run([program, *size.split("x")], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    kernels = {}
    with tempfile.TemporaryDirectory() as folder:
        for line in lines:
            name, lanes, _, samples, instructions, size_bytes = line.split()
            if float(samples) == 0:
                continue  # no metric runs it
            wrapper = build / "plugins/kernels/vmaf_kernels" / f"{name}.c"
            results = static_results(wrapper, int(lanes), pathlib.Path(folder))
            kernels[name] = {
                **results, "lanes": int(lanes),
                "executed": int(instructions) / float(samples),
                "bytes": int(size_bytes) / float(samples),
            }
    return kernels


def cell(now, before, form="{}"):
    texts = [form.format(value) for value in (before, now) if value is not None]
    return texts[0] if len(set(texts)) == 1 else " → ".join(texts)


COLUMNS = (
    ("executed", "operations", "{:.0f}"), ("bytes", "bytes", "{:.1f}"), ("sass", "SASS", "{}"),
    ("registers", "reg.", "{}"), ("shared", "group memory", "{}"), ("stack", "local", "{}"),
    ("resident", "lanes of 2048", "{}"),
)
AMD_COLUMNS = (("vector", "vector"), ("slow", "slow"), ("registers", "VGPR"),
               ("scratch", "scratch"), ("waves", "waves"))


def print_table(header, rows):
    print("| " + " | ".join(header) + " |")
    print("|---|" + "--:|" * (len(header) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--before", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--size", default="960x540")
    arguments = parser.parse_args()
    kernels = measure(arguments.build.resolve(), arguments.size)
    before = json.loads(arguments.before.read_text()) if arguments.before else {}
    if arguments.json:
        arguments.json.write_text(json.dumps(kernels, indent=1) + "\n")

    def values(name, key, arch=None):
        old = before.get(name)
        old = old[arch] if old and arch else old
        now = kernels[name][arch] if arch else kernels[name]
        return now[key], old[key] if old else None

    print_table(["kernel"] + [title for _, title, _ in COLUMNS],
                [[f"`{name}`"] + [cell(*values(name, key), form) for key, _, form in COLUMNS]
                 for name in kernels])
    for arch in AMD:
        print()
        print_table([arch] + [title for _, title in AMD_COLUMNS],
                    [[f"`{name}`"] + [cell(*values(name, key, arch)) for key, _ in AMD_COLUMNS]
                     for name in kernels])


main()
