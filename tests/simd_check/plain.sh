#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Objects for every x86-64 processor have no instruction that came later: none of AVX, which all others here need.
#   plain.sh <list of objects>
set -eu
command -v objdump >/dev/null || { echo "skipped: no objdump" >&2; exit 77; }
n=0
while read -r object; do
    n=$((n + 1))
    if objdump -d --no-show-raw-insn "$object" | grep -m1 -E '%[yz]mm[0-9]|[[:space:]]v(mov|f?n?m(add|sub)|add|mul|sub|div)[a-z0-9]*[[:space:]]'; then
        echo "  ^ in $object, which a processor without AVX runs" >&2
        exit 1
    fi
done <"$1"
[ "$n" -gt 100 ] || { echo "only $n objects" >&2; exit 1; }
