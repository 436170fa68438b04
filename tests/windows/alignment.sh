#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Windows aligns the stack to 16 bytes, and gcc keeps vectors of 32 and 64 bytes there as if it were
# aligned to their size. Looks at the code that was made: no move of such a vector may need an
# aligned address on the stack.
#   alignment.sh <source folder> <build folder>
set -eu
. "$(dirname -- "$0")/tools.sh"
objdump=x86_64-w64-mingw32-objdump
library=$build/bin/libvmaf-3.dll
[ -e "$library" ] || skip "windows-platform has not built libvmaf-3.dll"

# Moves of ymm or zmm between registers and memory that must be aligned, wherever that is: addresses on
# the stack are in all registers. AT&T syntax.
aligned() {
    $objdump -d --no-show-raw-insn "$1" |
        grep -E 'vmov(aps|apd|dqa|dqa32|dqa64)[[:space:]].*%[yz]mm' | grep -F '(' || true
}

# That this finds what it looks for, and that the guard is one.
sample=$build/sample
printf '%s\n' 'vmovapd %ymm0, 32(%rsp)' 'vmovdqa64 (%rbx), %zmm1' >"$sample.s"
x86_64-w64-mingw32-gcc-win32 -c -o "$sample.o" "$sample.s"
[ "$(aligned "$sample.o" | wc -l)" -eq 2 ] || { echo "aligned moves are not found: this test is blind" >&2; exit 1; }
x86_64-w64-mingw32-gcc-win32 -Wa,-muse-unaligned-vector-move -c -o "$sample.o" "$sample.s"
[ -z "$(aligned "$sample.o")" ] || { echo "the assembler keeps aligned moves" >&2; exit 1; }

vectors=$($objdump -d --no-show-raw-insn "$library" | grep -cE '%[yz]mm' || true)
[ "$vectors" -gt 10000 ] || { echo "only $vectors instructions of vectors in $library" >&2; exit 1; }
for file in "$library" "$build"/bin/*.exe "$build"/backends/*.dll; do
    [ -e "$file" ] || continue
    found=$(aligned "$file")
    [ -z "$found" ] || { echo "$file relies on the alignment of memory:"; echo "$found" | head; exit 1; }
done
