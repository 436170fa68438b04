#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""How far the kernels of VIF, ADM and motion are from the limit of the busiest port, as tables.

    bench/port_limits.py build/release/bench/vmaf-loop-counts [--size 576x324] [--kernels AVX2]

What is measured: how often each instruction is executed for a frame, and how much time passes in
each function (vmaf-loop-counts, which says how). What is a model: what llvm-mca knows of ports. The
instructions of a loop that most passes execute are handed to it as one block; it says how many
cycles the busiest port, or the front end, needs for them if nothing else holds them up (the limit),
and how many with the dependencies between them and from pass to pass, with all loads from the first
cache (the simulation). Instructions outside of loops count with the width of the front end alone.
Everything is in cycles of the core per pixel of the picture.

--counts FILE, for one of --kernels, reads what vmaf-loop-counts has printed before: of "count" and
"sample".
"""

import argparse
import bisect
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys

# Masks of the command line, and models of ports that know these instructions.
KERNELS = {
    "AVX-512": (0, ("icelake-server",)),
    "AVX2": (112, ("icelake-server", "znver3")),
}
METRICS = ("vif", "adm", "motion")
HOT = 0.5  # of the passes of a loop: instructions that are executed less often are left out
# No work of ports, or not of this function.
OUTSIDE = ("nop", "call", "ret", "endbr", "data16", "cs", "rep")
LEAST = 0.01  # of the time of a metric: less goes to "the rest"

Function = collections.namedtuple("Function", "name metric begin end")
Loop = collections.namedtuple("Loop", "begin end")


def run(command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


# ---- the program -------------------------------------------------------------------------------


def read_functions(program):
    """Functions of the metrics, by address. Their names say nothing of the metric, their files do."""
    functions, source = [], ""
    for line in run(["readelf", "-sW", program]).splitlines():
        words = line.split()
        if len(words) < 8 or not words[0].endswith(":"):
            continue
        if words[3] == "FILE":
            source = words[7]
        elif words[3] == "FUNC" and words[6].isdigit() and int(words[2], 0):
            name, begin = words[7], int(words[1], 16)
            of = source if words[4] == "LOCAL" and source.endswith(".c") else name
            metric = next((m for m in METRICS if of.startswith(m + "_")), None)
            metric = metric or next((m for m in METRICS if name.startswith(m + "_")), None)
            if metric:
                functions.append(Function(name, metric, begin, begin + int(words[2], 0)))
    return sorted(set(functions), key=lambda f: f.begin)


def read_instructions(program):
    """Address and text of all instructions."""
    instructions = []
    for line in run(["objdump", "-d", "--no-show-raw-insn", program]).splitlines():
        match = re.match(r"\s+([0-9a-f]+):\t(.+)$", line)
        if match:
            instructions.append((int(match.group(1), 16), match.group(2).strip()))
    return instructions


def jump_target(text):
    match = re.match(r"(?:bnd |notrack )*j\w+\s+([0-9a-f]+) <", text)
    return int(match.group(1), 16) if match else None


def find_loops(body):
    """Ranges from a target of a jump backwards to the last such jump."""
    ends = {}
    first = body[0][0]
    for address, text in body:
        target = jump_target(text)
        if target is not None and first <= target <= address:
            ends[target] = max(ends.get(target, 0), address)
    return [Loop(begin, end) for begin, end in ends.items()]


def innermost(loops, address):
    inside = [loop for loop in loops if loop.begin <= address <= loop.end]
    return min(inside, key=lambda loop: loop.end - loop.begin) if inside else None


# ---- the model ---------------------------------------------------------------------------------


def assembly(text):
    """An instruction as llvm-mca reads it; None for what costs nothing or goes elsewhere."""
    text = re.sub(r"\s*#.*$", "", text)
    text = re.sub(r"^(?:bnd|notrack) ", "", text)
    name = text.split()[0]
    if "nop" in text.split()[:2][-1] or name.startswith(OUTSIDE):
        return None
    if name.startswith("j"):
        return f"{name} .Lend" if "*" not in text else None
    return re.sub(r"\s*<[^>]*>", "", text)


def ask_model(llvm_mca, processor, blocks):
    """Cycles for each block: limit, and simulation."""
    lines = []
    for number, block in enumerate(blocks):
        lines += [f"# LLVM-MCA-BEGIN b{number}", *block, f"# LLVM-MCA-END b{number}"]
    lines.append(".Lend:")
    command = [llvm_mca, f"-mcpu={processor}", "-mattr=+avxvnni", "-iterations=100", "-json",
               "-instruction-info=false", "-resource-pressure=false", "-timeline=false", "-"]
    answer = json.loads(run(command, "\n".join(lines) + "\n"))
    costs = {}
    for region in answer["CodeRegions"]:
        summary = region["SummaryView"]
        costs[int(region["Name"][1:])] = (
            summary["BlockRThroughput"], summary["TotalCycles"] / summary["Iterations"],
            summary["DispatchWidth"])
    return [costs[number] for number in range(len(blocks))]


# ---- counts ------------------------------------------------------------------------------------


class Counts:
    def __init__(self, text):
        self.executed, self.sampled, numbers = {}, {}, {}
        for line in text.splitlines():
            words = line.split()
            if words[0] in ("executed", "sampled"):
                getattr(self, words[0])[int(words[1], 16)] = int(words[2])
            else:
                numbers[words[0]] = float(words[1])
        self.clock, self.milliseconds = numbers["clock"], numbers["cpu"]
        self.samples = int(numbers["samples"])

    def cycles(self, samples):
        return samples / self.samples * self.milliseconds * 1e6 * self.clock


Row = collections.namedtuple("Row", "function instructions parts outside measured")


def gather(functions, instructions, counts):
    """For each function that was executed: its loops as blocks, with how often they are passed."""
    addresses = [address for address, _ in instructions]
    rows, blocks = [], []
    for function in functions:
        first = bisect.bisect_left(addresses, function.begin)
        last = bisect.bisect_left(addresses, function.end)
        body = instructions[first:last]
        executed = sum(counts.executed.get(address, 0) for address, _ in body)
        if not executed:
            continue
        loops = find_loops(body)
        inside = collections.defaultdict(list)
        for address, text in body:
            inside[innermost(loops, address)].append((address, text))
        parts, outside = [], 0
        for loop, members in inside.items():
            total = sum(counts.executed.get(address, 0) for address, _ in members)
            passes = max((counts.executed.get(address, 0) for address, _ in members), default=0)
            hot = [(a, t) for a, t in members if counts.executed.get(a, 0) >= HOT * passes]
            block = [line for line in (assembly(t) for _, t in hot) if line]
            if loop is None or not block:
                outside += total
            elif total:
                parts.append((len(blocks), total / len(hot)))
                blocks.append(block)
        samples = sum(counts.sampled.get(address, 0) for address, _ in body)
        rows.append(Row(function, executed, parts, outside, counts.cycles(samples)))
    return rows, blocks


# ---- tables ------------------------------------------------------------------------------------


def total_costs(row, costs):
    limit = sum(passes * costs[block][0] for block, passes in row.parts)
    simulated = sum(passes * costs[block][1] for block, passes in row.parts)
    outside = row.outside / costs[0][2]
    return limit + outside, simulated + outside


def cells(name, pixels, instructions, models, measured):
    limits = " | ".join(f"{limit / pixels:.2f} | {simulated / pixels:.2f}"
                        for limit, simulated in models)
    ratio = f"{measured / models[0][0]:.2f}" if models[0][0] else ""
    print(f"| {name} | {instructions / pixels:.2f} | {limits} | {measured / pixels:.2f} | {ratio} |")


def add(rows, costs):
    models = []
    for of_model in costs:
        each = [total_costs(row, of_model) for row in rows]
        models.append((sum(c[0] for c in each), sum(c[1] for c in each)))
    return sum(row.instructions for row in rows), models, sum(row.measured for row in rows)


def print_table(kernels, rows, costs, pixels, counts):
    processors = KERNELS[kernels][1]
    print(f"\n{kernels}, {counts.milliseconds:.3f} ms per frame, {counts.clock:.2f} GHz, "
          f"{counts.samples} samples:\n")
    heads = " | ".join(f"{p}: limit | simulated" for p in processors)
    print(f"| function | instructions | {heads} | measured | measured ÷ limit |")
    print("|---|" + "---:|" * (2 * len(processors) + 3))
    for metric in METRICS:
        of_metric = [row for row in rows if row.function.metric == metric]
        if not of_metric:
            continue
        whole = sum(row.measured for row in of_metric)
        large = [row for row in of_metric if row.measured >= LEAST * whole]
        rest = [row for row in of_metric if row.measured < LEAST * whole]
        for row in sorted(large, key=lambda row: -row.measured):
            cells(f"`{row.function.name}`", pixels, *add([row], costs))
        if rest:
            cells(f"the rest of `{metric}`", pixels, *add(rest, costs))
        cells(f"**{metric}**", pixels, *add(of_metric, costs))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="vmaf-loop-counts")
    parser.add_argument("--subject", default="vmaf_v0.6.1")
    parser.add_argument("--size", default="576x324")
    parser.add_argument("--frames", default="200", help="of a round of samples")
    parser.add_argument("--rounds", default="40")
    parser.add_argument("--kernels", action="append", choices=sorted(KERNELS))
    parser.add_argument("--counts", action="append", default=[])
    parser.add_argument("--llvm-mca", default=shutil.which("llvm-mca-15") or "llvm-mca")
    options = parser.parse_args()
    width, height = options.size.split("x")
    functions = read_functions(options.program)
    instructions = read_instructions(options.program)
    for kernels in options.kernels or KERNELS:
        mask, processors = KERNELS[kernels]
        of_frame = [options.subject, str(mask), width, height]
        if options.counts:
            text = "".join(pathlib.Path(name).read_text(encoding="utf-8") for name in options.counts)
        else:
            text = run([options.program, "count", *of_frame])
            text += run([options.program, "sample", *of_frame, options.frames, options.rounds])
        counts = Counts(text)
        rows, blocks = gather(functions, instructions, counts)
        costs = [ask_model(options.llvm_mca, processor, blocks) for processor in processors]
        print_table(kernels, rows, costs, int(width) * int(height), counts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
