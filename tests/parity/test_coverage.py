#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What --capabilities says that a backend computes is what the table of docs/backends.md says.

    test_coverage.py VMAF BACKEND docs/backends.md
"""
import json
import subprocess
import sys


def table(path):
    """Feature -> whether backends compute it."""
    with open(path, encoding="utf-8") as file:
        rows = file.read().split("<!-- coverage -->\n")[1].split("<!-- end of coverage -->")[0]
    cells = [[c.strip() for c in row.split("|")] for row in rows.splitlines()[2:]]
    return {row[1].strip("`"): row[2] for row in cells}


def main():
    program, backend, path = sys.argv[1:]
    answer = subprocess.run([program, "--capabilities"], check=True, capture_output=True)
    document = json.loads(answer.stdout)
    said = {row["feature"]: row["backends"][backend] for row in document["coverage"]}
    wanted = {name: {"exactly": "exact", "no": "cpu"}[cell] for name, cell in table(path).items()}
    if said != wanted:
        sys.exit(f"the document says {said}, the table {wanted}")
    ours = next(b for b in document["backends"] if b["name"] == backend)
    listed = {feature["name"] for feature in ours["features"]}
    if listed != {name for name, how in said.items() if how == "exact"}:
        sys.exit(f"{backend} lists {sorted(listed)}")


main()
