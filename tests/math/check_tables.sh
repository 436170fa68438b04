#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The tables of src/metrics/common/math are what tools/math-tables computes; only line breaks differ.
#   check_tables.sh <source folder> [<emulator>] <math-tables>
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tokens() {
    tr -d ' \r\n' | sed 's/,}/}/g'
}
source=$1
shift
"$@" | tokens >"$folder/computed"
tokens <"$source/src/metrics/common/math/math_tables.c" >"$folder/committed"
[ "$(wc -c <"$folder/computed")" -ge 20000 ] || { echo "check_tables.sh: the tables are short" >&2; exit 1; }
cmp "$folder/computed" "$folder/committed"
