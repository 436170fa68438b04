#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# What is run when something has changed, and by name. Every file fits a row of the table before the last one. In a
# build with all tests, every row selects some, and every test but those of the night is selected by a row.
#   components.sh <source folder> [<folder of the build for tests/tree>]
set -eu
cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
git ls-files >"$scratch/files" 2>/dev/null || { echo "skipped: this is no checkout of git"; exit 77; }
awk -f scripts/components.awk tests/components.txt >"$scratch/script"
sed -E -f "$scratch/script" "$scratch/files" >"$scratch/patterns"
unknown=$(echo unknown | sed -E -f "$scratch/script")
paste "$scratch/files" "$scratch/patterns" | awk -F '\t' -v unknown="$unknown" '
    $2 == unknown { print $1 ": add a row to tests/components.txt"; bad = 1 }
    END { exit bad }' >&2
grep -E '^[^ #]' tests/components.txt | while IFS= read -r pattern; do
    grep -qxE -e "$pattern" "$scratch/files" || echo "tests/components.txt: no file fits $pattern"
done >"$scratch/stale"
cat "$scratch/stale" >&2
[ ! -s "$scratch/stale" ] || exit 1
if grep -rn 'cmocka_run_group_tests' tests --include='*.c' | grep -v '^tests/support/cases.c'; then
    echo "  ^ write CASE, which makes a name of the command line of each case" >&2
    exit 1
fi
[ $# -gt 1 ] || exit 0

ctest --test-dir "$2/../.." --show-only | sed -nE 's/^ *Test +#[0-9]+: ([^ ]+).*/\1/p' >"$scratch/tests"
ctest --test-dir "$2/../.." --show-only --label-exclude '^(nightly|tidy)$' |
    sed -nE 's/^ *Test +#[0-9]+: ([^ ]+).*/\1/p' | grep -v '^tree-' >"$scratch/daily"
sort -u "$scratch/patterns" | while IFS= read -r pattern; do
    grep -qxE -e "$pattern" "$scratch/tests" || echo "tests/components.txt: no test is called $pattern"
done >"$scratch/bad"
grep -vxE -f "$scratch/patterns" "$scratch/daily" | sed 's/$/: no row of tests\/components.txt selects it/' >>"$scratch/bad" || true
cat "$scratch/bad" >&2
[ ! -s "$scratch/bad" ]
