#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The installed gpu-check.sh with a backend of this tree on the emulated runtime of its vendor. Nothing
# but installed files is used, from a folder to which they were moved, with few programs in the path.
#   gpu_check.sh <settings> <backend> <folder of the emulated runtime> [variable=value...]
# shellcheck disable=SC2154 # the settings
set -eu
# shellcheck disable=SC1090
. "$1"
backend=$2
runtime=$3
shift 3
script=gpu_check.sh
here=$(dirname "$0")
# shellcheck source=tests/packaging/common.sh
. "$here/common.sh"
folder=$(mktemp -d "$work/gpu-check.XXXXXX")
trap 'rm -rf "$folder"' EXIT
for component in core cli "backend-$backend"; do
    DESTDIR="$folder/stage" cmake --install "$build" --component "$component" >"$folder/log" ||
        fail "$component does not install"
done
mv "$folder/stage$prefix" "$folder/moved here"
moved="$folder/moved here"

# What the script may use: what every system has, no Python, no compiler.
mkdir "$folder/bin" "$folder/home"
for tool in sh awk sed grep tr cut sort head tail wc cat cp rm mv mkdir mktemp ls cmp date timeout uname id getconf \
    dirname sleep env iconv; do
    ln -s "$(command -v $tool)" "$folder/bin/$tool"
done
cd "$folder/home"
status=0
env -i PATH="$folder/bin" HOME="$folder/home" LD_LIBRARY_PATH="$moved/$libdir:$runtime" "$@" \
    "$moved/$datadir/libvmaf/gpu-check/gpu-check.sh" --backend "$backend" --size 64x48 --frames 4 \
    --minutes 20 >"$folder/log" 2>&1 </dev/null || status=$?
grep -avE '^[{|#]' "$folder/log" | cut -c 1-150
[ $status -eq 0 ] || fail "status $status"
report=$folder/home/gpu-check.json
grep -q '"status":0,"problem":""' "$report" || fail "the report says something else"
grep -q "^{\"name\":\"$backend\",\"plugin\":\"libvmaf-backend-$backend.so\"," "$report" || fail "no backend is reported"
for pattern in "passed  *$backend, self-test, 8 bits" "equal  *$backend, vmaf_v0.6.1, 64x48, 8 bits, 420" \
    "equal  *$backend, features, 64x48, 8 bits, 420" "passed  *$backend, requirements, descriptor"; do
    grep -q "^$pattern\$" "$folder/log" || fail "nobody says $pattern"
done
! grep -qF "$folder" "$report" || fail "the report tells where it was made"
say "all is well"
