#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The plugins for CUDA and Vulkan are built for Windows as well. Under Wine, which has no driver of NVIDIA's
# and whose Vulkan makes no instance without a display, they are unavailable, and say why.
#   drivers.sh <source folder> <build folder>
set -eu
. "$(dirname -- "$0")/tools.sh"
want_wine "$build/wine"

# In the folder of the other builds, which leave out what has kernels.
cmake -S "$source" -B "$build" -DVMAF_BACKENDS=auto -UVMAF_CLANG -UVMAF_GLSLANG \
    -DVMAF_KERNEL_CACHE="${VMAF_KERNEL_CACHE:-}" >"$build/drivers.log"
backends=$(cd "$build" && cmake --build . --target help | sed -n 's/^backend_\(cuda\|vulkan\): phony$/\1/p')
[ -n "$backends" ] || skip "there are no compilers of kernels"
# shellcheck disable=SC2046 # a list of words
cmake --build "$build" --parallel 2 --target vmaf_cli vmaf_backend_probe $(printf 'backend_%s ' $backends)

work=$(windows_folder)
trap 'rm -rf "$work"' EXIT
mkdir "$work/plugïns"
export VMAF_BACKEND_PATH="C:/${work##*/}/plugïns"
for backend in $backends; do
    cp "$build/backends/libvmaf-backend-$backend.dll" "$work/plugïns/"
done
cd "$work"
{
    printf 'YUV4MPEG2 W64 H64 F25:1 C420\nFRAME\n'
    head -c 6144 /dev/zero | tr '\0' 'x'
} >pair.y4m
"$wine" "$build/bin/vmaf.exe" --capabilities >capabilities.json || { echo "no capabilities"; exit 1; }
for backend in $backends; do
    why=vkCreateInstance
    [ $backend != cuda ] || why=nvcuda.dll
    python3 - $backend $why <<'END'
import json, sys
name, why = sys.argv[1:]
(backend,) = (b for b in json.load(open("capabilities.json"))["backends"] if b["name"] == name)
print(name, backend["reason"], backend["reason_text"])
assert backend["reason"] != "usable" and why in backend["reason_text"], backend
END
    status=0
    "$wine" "$build/bin/vmaf.exe" -q -r pair.y4m -d pair.y4m --no_prediction --feature psnr --backend $backend \
        --json -o $backend.json 2>messages || status=$?
    [ $status -eq 100 ] || { cat messages; echo "$backend: status $status instead of 100"; exit 1; }
done
