#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# A GPU backend that is built out of the tree, from a device layer and the installed SDK and kernels,
# scores like the CPU.
#   sdk_kernels.sh <settings> <C compiler> <synth>
# shellcheck disable=SC2154 # the settings
set -eu
# shellcheck disable=SC1090
. "$1"
cc=$2 synth=$3
script=sdk_kernels.sh
here=$(dirname "$0")
# shellcheck source=tests/packaging/common.sh
. "$here/common.sh"
case " $backends " in
*" vulkan "*) ;;
*) skip "the Vulkan backend is not built here" ;;
esac
folder=$(mktemp -d "$work/kernels.XXXXXX")
trap 'rm -rf "$folder"' EXIT
for component in dev core; do
    DESTDIR="$folder/stage" cmake --install "$build" --component $component >"$folder/log" ||
        fail "$component does not install"
done

say "a backend"
generator=$(sed -n "s/^CMAKE_GENERATOR:INTERNAL=//p" "$build/CMakeCache.txt")
cmake -S "$here/sdk_kernels" -B "$folder/build" -G "$generator" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_BUILD_TYPE=Release -DLAYER="$source/plugins/vulkan" \
    -DCMAKE_PREFIX_PATH="$folder/stage$prefix" >"$folder/log" 2>&1 &&
    cmake --build "$folder/build" >>"$folder/log" 2>&1 || fail "it does not build"
export VMAF_BACKEND_PATH="$folder/build" XDG_CACHE_HOME="$folder/cache"
"$vmaf" --list-backends >"$folder/log" 2>&1 || fail "--list-backends fails"
grep -q '^elsewhere  *usable' "$folder/log" || skip "no Vulkan device: $(grep '^elsewhere' "$folder/log")"

say "scores"
for distortion in identical noise; do
    "$synth" --scene cut --distortion $distortion --size 98x66 --format 420 --depth 8 --frames 3 \
        --output "$folder/$distortion.y4m"
done
for backend in cpu elsewhere; do
    "$vmaf" -r "$folder/identical.y4m" -d "$folder/noise.y4m" --backend $backend --no_prediction \
        --feature psnr --feature motion --json --precision max -o "$folder/$backend.json" \
        >"$folder/log" 2>&1 || fail "--backend $backend fails"
    grep -E '^ *"(psnr|integer_motion)[a-z0-9_]*": [0-9]' "$folder/$backend.json" >"$folder/$backend.scores"
done
grep -q '"backend_used": "elsewhere"' "$folder/elsewhere.json" || fail "the backend was not used"
[ -s "$folder/cpu.scores" ] && diff "$folder/cpu.scores" "$folder/elsewhere.scores" || fail "scores differ"
say "all is well"
