#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# A compiler that computes with more precision than the types have is refused.
#   assumptions.sh <source folder> <C compiler>
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
compile() {
    "$cc" -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I "$root/src" -fsyntax-only "$@" "$source" 2>"$folder/log"
}
cc=$2
root=$1
source=$root/src/platform/posix/machine.c
compile || { cat "$folder/log" >&2; exit 1; }
# The x87 unit does; clang does not build for it on 64-bit machines.
"$cc" -mfpmath=387 -std=c11 -dM -E -xc /dev/null 2>/dev/null |
    grep -qE '__FLT_EVAL_METHOD__ (2|-1)' || { echo "no such compiler here"; exit 77; }
! compile -mfpmath=387 || { echo "x87 arithmetic is accepted" >&2; exit 1; }
grep -q 'round to the type' "$folder/log"
