#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# An author of a backend who has the packages and no source: follows docs/backend-authors.md as
# installed.
#   author.sh <settings> <C compiler> <synth>
# shellcheck disable=SC2154 # the settings
set -eu
# shellcheck disable=SC1090
. "$1"
cc=$2 synth=$3
script=author.sh
here=$(dirname "$0")
# shellcheck source=tests/packaging/common.sh
. "$here/common.sh"
has python3 || skip "there is no python3"
has pkg-config || skip "there is no pkg-config"
folder=$(mktemp -d "$work/author.XXXXXX")
trap 'rm -rf "$folder"' EXIT
stage=$folder/stage$prefix
for component in core dev cli; do
    DESTDIR="$folder/stage" cmake --install "$build" --component $component >"$folder/log" ||
        fail "$component does not install"
done

# Paths that programs would find by themselves in /usr; nothing of the tree.
mkdir "$folder/bin" "$folder/author"
ln -s "$(command -v "$cc")" "$folder/bin/cc"
for side in identical noise; do
    "$synth" --scene cut --distortion $side --size 98x66 --format 420 --depth 8 --frames 12 \
        --output "$folder/author/$side.y4m"
done
cd "$folder/author"
mv identical.y4m ref.y4m
mv noise.y4m dist.y4m
unset VMAF_BACKEND VMAF_BACKEND_PATH VMAF_BACKEND_PROBE CMAKE_BUILD_TYPE CMAKE_GENERATOR || true
PATH=$folder/bin:$stage/$bindir:$PATH
LD_LIBRARY_PATH=$stage/$libdir
CMAKE_PREFIX_PATH=$stage
PKG_CONFIG_PATH=$stage/$libdir/pkgconfig
XDG_CACHE_HOME=$folder/cache
CC=cc
export PATH LD_LIBRARY_PATH CMAKE_PREFIX_PATH PKG_CONFIG_PATH XDG_CACHE_HOME CC
generator=$(sed -n "s/^CMAKE_GENERATOR:INTERNAL=//p" "$build/CMakeCache.txt")
export CMAKE_GENERATOR="$generator"

guide=$stage/$docdir/backend-authors.md
for named in $(grep -o '](\([a-z/]*[a-z-]*\.md\|metrics\))' "$guide" | tr -d ']()' | sort -u) metrics/adm.md; do
    [ -e "$(dirname "$guide")/$named" ] || fail "the guide names $named, which is not there"
done
# The commands of the walk: lines of code that begin with one.
awk '/^## / { on = /From nothing/ }
    on && (more || /^    (\$ )?(cp|cmake|cc|export|python3|vmaf|vmaf-backend-check) /) {
        sub(/^    (\$ )?/, "")
        print
        more = /\\$/
    }' "$guide" | sed "s,/usr/share/libvmaf,$stage/$datadir/libvmaf,g" >"$folder/commands"
[ "$(grep -c . "$folder/commands")" -ge 10 ] || fail "the walk is gone: $(cat "$folder/commands")"
say "the walk"
(set -ex && . "$folder/commands") >"$folder/log" 2>&1 || fail "the walk fails"
grep -q '^mine  *usable' "$folder/log" || fail "--list-backends does not have it"
grep -q '"backend_used": *"mine"' report.json || fail "it was not used"
[ -f libvmaf-backend-mine.so ] || fail "the compile line makes nothing"
grep -q '^CMAKE_BUILD_TYPE:STRING=Release$' mine/build/CMakeCache.txt || fail "it is not optimised"
[ "$(VMAF_BACKEND_PATH=$PWD vmaf --list-backends | grep -c '^mine  *usable')" -eq 1 ] ||
    fail "what the compile line makes is not usable"

say "auto, without hardware"
VMAF_BACKEND_PATH=$PWD/mine/build vmaf -r ref.y4m -d dist.y4m --backend auto --feature psnr \
    --no_prediction --json -o auto.json >"$folder/log" 2>&1 || fail "auto fails"
grep -q '"backend_used"' auto.json || fail "auto does not say who has computed"

say "installed where the library looks"
cmake --install mine/build >"$folder/log" 2>&1 || fail "it does not install"
# pkg-config may leave dots in what it prints.
[ -f "$(pkg-config --variable=backendsdir libvmaf)/libvmaf-backend-mine.so" ] || fail "it is installed elsewhere"
vmaf --list-backends >"$folder/log" 2>&1
grep -q '^mine  *usable' "$folder/log" || fail "the library does not look there"

say "measured"
vmaf-backend-bench --plugin mine/build/libvmaf-backend-mine.so --size 64x48 --frames 6 \
    --feature psnr >"$folder/log" 2>&1 || fail "the benchmark fails"
grep -q "^features of the backend .* frames/s" "$folder/log" || fail "the benchmark says nothing of the backend"

say "one that computes psnr and nothing else"
cp -R mine single
sed -i 's/\.n_features = N_METRICS/.n_features = 1/; s/m < N_METRICS/m < 1/; s/index >= N_METRICS/index >= 1/' single/backend.c
cmake -S single -B single/only -DBACKEND_NAME=single >"$folder/log" 2>&1 &&
    cmake --build single/only >>"$folder/log" 2>&1 || fail "it is not built"
export VMAF_BACKEND_PATH=$PWD/single/only
# The line of the guide.
awk '/--backends cpu mine/ { print last; print; exit } { last = $0 }' "$folder/commands" | sed 's/ mine / single /' \
    >"$folder/line"
grep -q "backends cpu single" "$folder/line" || fail "the line with parity.py is gone"
(. "$folder/line") >"$folder/log" 2>&1 || fail "parity.py finds fault with it"
[ "$(grep -c '^OK    psnr:' "$folder/log") $(grep -c '^SKIP' "$folder/log")" = "1 2" ] || fail "parity.py says something else"
sh "$stage/$datadir/libvmaf/gpu-check/gpu-check.sh" --backend single --software --minutes 1 --size 98x66 --frames 8 --report "$folder/checked.json" \
    >"$folder/log" 2>&1 || fail "gpu-check.sh finds fault with it"
say "all is well"
