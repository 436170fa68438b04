#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A copy of the kernels that compute wrongly, in one way of a list at a time.

  make_kernels.py KERNELS METRICS LIST OUTPUT

Every line of the list that is not empty and no comment is

  metric | depths | file | expression | wrong expression

The copy has `(WRONG(n) ? (wrong expression) : (expression))` wherever the expression stood in the file; n
counts the lines from 1. An expression that does not occur is an error. OUTPUT/wrong_list.h has a row for
each line: WRONG_VARIANT(n, metric, depths, "what is wrong"). There are no kernels for exact binary32: the device
computes it in integers.
"""
import pathlib
import re
import shutil
import sys


def read_list(path):
    variants = []
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            variants.append([part.strip() for part in line.split(" | ")])
            if len(variants[-1]) != 5:
                sys.exit(f"{path}: not five parts: {line}")
    return variants


def main():
    kernels, metrics, list_path, output = (pathlib.Path(argument) for argument in sys.argv[1:5])
    variants = read_list(list_path)
    shutil.rmtree(output, ignore_errors=True)
    shutil.copytree(kernels, output)
    for source in metrics.glob("*/*.kernel.[ch]"):
        target = output / "metrics" / source.relative_to(metrics)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    replaced = {}
    rows = []
    for number, (metric, depths, file, right, wrong) in enumerate(variants, 1):
        replaced.setdefault((file, right), []).append(f"WRONG({number}) ? ({wrong}) : ")
        what = f"{file}: {right} -> {wrong}".replace('"', "'")
        rows.append(f'WRONG_VARIANT({number}, "{metric}", "{depths}", "{what}")\n')
    for (file, right), choices in replaced.items():
        text = (output / file).read_text()
        if right not in text:
            sys.exit(f"{file} has no '{right}'")
        (output / file).write_text(text.replace(right, "(" + "".join(choices) + f"({right}))"))
    emulator = output / "dialect/emulator.h"
    emulator.write_text(emulator.read_text().replace(
        '#include "emulator_kernel.h"\n',
        '#include "emulator_kernel.h"\nextern int vmaf_test_wrong;\n#define WRONG(n) (vmaf_test_wrong == (n))\n'))
    kernel_list = output / "kernels.cmake"
    kernel_list.write_text(kernel_list.read_text().replace("(vmaf_kernels ", "(wrong_kernels "))
    for source in output.glob("**/*.c"):
        source.write_text(re.sub(r"^( \* NATIVE|/\* NATIVE \*/)\n", "", source.read_text(), flags=re.MULTILINE))
    (output / "wrong_list.h").write_text("".join(rows))


main()
