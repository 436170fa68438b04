#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The cache of compiled kernels: it is used, and not for another text, header, variant or target.
#   kernel_cache.sh compile.sh FOLDER_OF_METRICS
set -eu
compiler=$1
metrics=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r "$(dirname "$compiler")" "$folder/kernels"
mkdir "$folder/own"
cp -r "$metrics" "$folder/metrics"
CONSTANTS=$folder
KERNEL_CACHE=$folder/cache
export CONSTANTS KERNEL_CACHE

fail() {
    echo "$1" >&2
    exit 1
}

# The kernel as text for Metal, which needs a preprocessor alone.
make_kernel() { # bits, source, output
    printf '#define KERNEL_NAME k\n#define SAMPLE_BITS %s\n#include "%s"\n' "$1" \
        "${2:-$folder/metrics/psnr/psnr_sse.kernel.c}" >"$folder/wrapper.c"
    sh "$folder/kernels/compile.sh" metal "$folder/wrapper.c" "$folder/${3:-out}"
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

for file in metrics/psnr/psnr_sse.kernel.c metrics/psnr/psnr_kernel.h metrics/psnr/rounded_square.kernel.h kernels/dialect/kernel.h \
    metrics/psnr_hvs/psnr_hvs_kernel.h kernels/compile.sh; do
    before=$(entries)
    case $file in
    *.sh) echo "# changed" >>"$folder/$file" ;;
    *) echo "/* changed */" >>"$folder/$file" ;;
    esac
    make_kernel 8
    [ "$(entries)" -eq $((before + 1)) ] || fail "$file was changed, and what was kept is used"
done

# A folder without headers.
cp "$folder/metrics/psnr/psnr_sse.kernel.c" "$folder/own/mine.c"
make_kernel 8 "$folder/own/mine.c"
before=$(entries)
echo "/* changed again */" >>"$folder/kernels/dialect/kernel.h"
make_kernel 8 "$folder/own/mine.c"
[ "$(entries)" -eq $((before + 1)) ] || fail "what was kept is used for a kernel of another folder"

# As a string of C: another output, with the text and a zero, that is kept too.
source=$folder/metrics/psnr/psnr_sse.kernel.c
make_kernel 8
before=$(entries)
make_kernel 8 "$source" out.inc
[ "$(entries)" -eq $((before + 1)) ] || fail "a string is not kept, or is the text"
printf '#include <stdio.h>\nstatic const char text[] =\n#include "out.inc"\n;\n%s\n' \
    'int main(void) { return fwrite(text, sizeof(text) - 1, 1, stdout) != 1; }' >"$folder/print.c"
"${CC:-cc}" "$folder/print.c" -o "$folder/print"
{ cat "$folder/out.code" && printf '\0'; } >"$folder/wanted"
"$folder/print" | cmp - "$folder/wanted" || fail "the string is not the text and a zero"
rm "$folder/out.code"
cp "$folder/out.inc" "$folder/first.inc"
make_kernel 8 "$source" out.inc
[ ! -e "$folder/out.code" ] || fail "an array that was kept is made again"
cmp -s "$folder/first.inc" "$folder/out.inc" || fail "an array that was kept is another one"

# What all kernels have in common, written down once: the same key, until it is written down anew.
COMMON_KEY=$folder/common
export COMMON_KEY
write_common() {
    sh "$folder/kernels/compile.sh" common-key metal "$COMMON_KEY"
}
write_common
before=$(entries)
make_kernel 8
[ "$(entries)" -eq "$before" ] || fail "the common part makes another key"
echo "/* changed once more */" >>"$folder/kernels/dialect/kernel.h"
write_common
make_kernel 8
[ "$(entries)" -eq $((before + 1)) ] || fail "a header was changed and written down, and what was kept is used"
unset COMMON_KEY
make_kernel 8
[ "$(entries)" -eq $((before + 1)) ] || fail "without the common part there is another key"

KERNEL_CACHE=
make_kernel 8
cmp -s "$folder/first" "$folder/out" || fail "without a cache, the kernel is another one"
echo "all is well"
