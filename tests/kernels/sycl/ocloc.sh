#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Intel's compiler takes the kernels, for devices that are not there.
#   ocloc.sh <folder with the SPIR-V> "<devices>" [<kernel>...]: all kernels unless some are named
set -eu
folder=$1
devices=$2
shift 2
command -v ocloc >/dev/null || {
    echo "skipped: there is no ocloc (package intel-opencl-icd, or intel-ocloc)"
    exit 77
}
output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT
if [ $# -eq 0 ]; then
    for code in "$folder"/*.code; do
        name=${code##*/}
        set -- "$@" "${name%.code}"
    done
fi
failures=0
for device in $devices; do
    for kernel in "$@"; do
        if ! ocloc compile -q -spirv_input -file "$folder/$kernel.code" -device "$device" \
            -options "-cl-fp32-correctly-rounded-divide-sqrt" -out_dir "$output" -output "$kernel" \
            >"$output/log" 2>&1 || ! ls "$output/$kernel"*.bin >/dev/null 2>&1; then
            echo "$kernel for $device:" >&2
            cat "$output/log" >&2
            failures=$((failures + 1))
        fi
        rm -f "$output/$kernel"*
    done
done
echo "$# kernels, devices $devices: $failures failures"
[ "$failures" -eq 0 ]
