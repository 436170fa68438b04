#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The cache of compiled kernels: it is used, and not for another text, header, variant or target.
#   kernel_cache.sh compile.sh FOLDER_OF_DEFINITION
set -eu
compiler=$1
DEFINITION=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r "$(dirname "$compiler")" "$folder/kernels"
mkdir -p "$folder/definition" "$folder/own"
cp -r "$DEFINITION/definition" "$folder"
DEFINITION=$folder
KERNEL_CACHE=$folder/cache
export DEFINITION KERNEL_CACHE

fail() {
    echo "$1" >&2
    exit 1
}

# The kernel as text for Metal, which needs a preprocessor alone.
make_kernel() { # bits, source
    printf '#define KERNEL_NAME k\n#define SAMPLE_BITS %s\n#include "%s"\n' "$1" \
        "${2:-$folder/kernels/psnr/psnr_sse.c}" >"$folder/wrapper.c"
    sh "$folder/kernels/compile.sh" metal "$folder/wrapper.c" "$folder/out"
}
entries() {
    find "$KERNEL_CACHE" -type f | wc -l
}

make_kernel 8
cp "$folder/out" "$folder/first"
[ "$(entries)" -eq 1 ] || fail "nothing was kept"
for entry in "$KERNEL_CACHE"/*; do
    echo "// kept" >>"$entry"
done
make_kernel 8
grep -q '^// kept$' "$folder/out" || fail "what was kept is not used"
make_kernel 16
! grep -q '^// kept$' "$folder/out" || fail "another variant gets what was kept"
[ "$(entries)" -eq 2 ] || fail "another variant is not kept"
cmp -s "$folder/first" "$folder/out" && fail "both variants are the same"

for file in psnr/psnr_sse.c psnr/psnr_sse_args.h dialect/kernel.h ../definition/psnr_hvs/psnr_hvs_dct.h compile.sh; do
    before=$(entries)
    case $file in
    *.sh) echo "# changed" >>"$folder/kernels/$file" ;;
    *) echo "/* changed */" >>"$folder/kernels/$file" ;;
    esac
    make_kernel 8
    [ "$(entries)" -eq $((before + 1)) ] || fail "$file was changed, and what was kept is used"
done

# A folder without headers.
cp "$folder/kernels/psnr/psnr_sse.c" "$folder/own/mine.c"
make_kernel 8 "$folder/own/mine.c"
before=$(entries)
echo "/* changed again */" >>"$folder/kernels/dialect/kernel.h"
make_kernel 8 "$folder/own/mine.c"
[ "$(entries)" -eq $((before + 1)) ] || fail "what was kept is used for a kernel of another folder"

KERNEL_CACHE=
make_kernel 8
cmp -s "$folder/first" "$folder/out" || fail "without a cache, the kernel is another one"
echo "all is well"
