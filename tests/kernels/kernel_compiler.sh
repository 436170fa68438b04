#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The compiler of kernels leaves nothing behind, makes the same code wherever the build is, and takes
# warnings for errors only if it is told to.
#   kernel_compiler.sh compile.sh TARGET
set -eu
compiler=$1 target=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "$target: $1" >&2
    exit 1
}

export TMPDIR="$folder/temporary"
mkdir "$TMPDIR" "$folder/here" "$folder/there"
compile() { # name of the kernel
    sh "$compiler" "$target" "$folder/$1.c" "$folder/$1.out" 2>"$folder/log"
}
kernel=$CONSTANTS/metrics/psnr/psnr_sse.kernel.c
for place in here there; do
    printf '#define KERNEL_NAME k\n#define SAMPLE_BITS 8\n#include "%s"\n' "$kernel" >"$folder/$place/kernel.c"
    compile $place/kernel || fail "it does not compile: $(cat "$folder/log")"
    ls -A "$folder/$place" | sort >"$folder/files-$place"
done
[ -z "$(ls -A "$TMPDIR")" ] || fail "left in TMPDIR: $(ls -A "$TMPDIR")"
! grep -q 'tmp$' "$folder/files-here" || fail "left beside the output: $(cat "$folder/files-here")"
cmp "$folder/here/kernel.out" "$folder/there/kernel.out" || fail "another folder, another code"

{ echo '#warning "a newer compiler complains"' && cat "$folder/here/kernel.c"; } >"$folder/warned.c"
compile warned || fail "a warning is an error: $(cat "$folder/log")"
! KERNEL_WERROR=ON compile warned || fail "a warning is no error where it should be"
echo "all is well"
