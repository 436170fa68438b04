#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Kernels compile for all chips that the usual build has code for, and code that the HIP backend renames
# for others is, byte for byte, what clang makes for them. Chips that this clang does not know are left out.
#   renamed_code.sh compile.sh rename_code FOLDER "CHIP ..." KERNEL.c ...
set -eu
compiler=$1 rename=$2 folder=$3 made=$4
shift 4
mkdir -p "$folder"
compile() { # chip, kernel
    ARCHITECTURE=$1 sh "$compiler" hip "$2" "$folder/$1"
}

printf '#define KERNEL_NAME k\n#define SAMPLE_BITS 8\n#include "%s"\n' "$CONSTANTS/metrics/psnr/psnr_sse.kernel.c" \
    >"$folder/probe.c"
compared=0 chips=
for chip in $made; do
    compile "$chip" "$folder/probe.c" 2>"$folder/log" || continue
    others=
    for other in $("$rename" "$chip"); do
        ! compile "$other" "$folder/probe.c" 2>"$folder/log" || others="$others $other"
    done
    chips="$chips$others"
    for kernel in "$@"; do
        compile "$chip" "$kernel"
        for other in $others; do
            compile "$other" "$kernel"
            "$rename" "$chip" "$folder/$chip" "$other" >"$folder/renamed"
            cmp "$folder/$other" "$folder/renamed" || {
                echo "$kernel: code for $chip is not that for $other" >&2
                exit 1
            }
            compared=$((compared + 1))
        done
    done
done
[ $compared -gt 0 ] || {
    echo "skipped: this clang makes code for none of the chips"
    exit 77
}
echo "$compared code objects of$chips are the same"
