#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Intel's compiler takes the kernels, for devices that are not there.
#   ocloc.sh <folder with the SPIR-V, as strings> "<devices>" [<kernel>...]: all kernels unless some are named
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

# The bytes of a string of C, as compile.sh writes it.
bytes_of() { # STRING.inc
    printf '%b' "$(tr -d '"\n' <"$1" | sed 's/\\/\\0/g')"
}

if [ $# -eq 0 ]; then
    for array in "$folder"/*.inc; do
        name=${array##*/}
        set -- "$@" "${name%.inc}"
    done
fi
failures=0
for device in $devices; do
    for kernel in "$@"; do
        bytes_of "$folder/$kernel.inc" >"$output/module.spv"
        if ! ocloc compile -q -spirv_input -file "$output/module.spv" -device "$device" \
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
