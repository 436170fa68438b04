#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# A backend by somebody else, from start to end: the example is copied away, built against an
# installed libvmaf, installed, found, chosen, compared with the CPU, and removed.
#   installed_example.sh <source folder> <build folder> <prefix> <libdir> <bindir> <C compiler> <flags>
set -eu
source=$1
build=$2
prefix=$3
libdir=$4
bindir=$5
cc=$6
flags=${7:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
stage=$folder/stage
backends=$stage$prefix/$libdir/libvmaf/backends1
unset VMAF_BACKEND VMAF_BACKEND_PATH VMAF_BACKEND_PROBE || true
LD_LIBRARY_PATH=$stage$prefix/$libdir
XDG_CACHE_HOME=$folder/cache
export LD_LIBRARY_PATH XDG_CACHE_HOME

say() {
    echo "== $*"
}
fail() {
    echo "installed_example.sh: $*" >&2
    [ ! -f "$folder/log" ] || cat "$folder/log" >&2
    exit 1
}

say "libvmaf is installed"
for component in core dev cli; do # no backends
    DESTDIR=$stage cmake --install "$build" --component $component >"$folder/log" ||
        fail "libvmaf does not install"
done
vmaf=$stage$prefix/$bindir/vmaf

say "the example is built outside of the tree"
cp -R "$source/plugins/example" "$folder/example"
generator=$(sed -n "s/^CMAKE_GENERATOR:INTERNAL=//p" "$build/CMakeCache.txt")
cmake -S "$folder/example" -B "$folder/build" -G "$generator" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$stage$prefix" \
    -DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic -Wshadow ${VMAF_STRICT:+-Werror} $flags" >"$folder/log" 2>&1 &&
    cmake --build "$folder/build" >>"$folder/log" 2>&1 || fail "the example does not build"
plugin=$folder/build/libvmaf-backend-example.so
readelf -d "$plugin" | grep -q 'NEEDED.*libvmaf' && fail "the example is linked with libvmaf"
exported=$(nm -D --defined-only "$plugin" | awk '{ print $3 }' | grep -v -e '^_' -e '^asan' || true)
[ "$exported" = vmaf_backend_entry ] || fail "the example exports $exported"

say "vmaf-backend-check finds nothing"
"$stage$prefix/$bindir/vmaf-backend-check" "$plugin" >"$folder/log" 2>&1 || fail "it does"

# Two frames of grey with a moving edge, and the same less exact.
clip() { # file, shift
    awk -v shift="$2" 'BEGIN {
        printf "YUV4MPEG2 W48 H32 F25:1 Ip C420jpeg\n"
        for (f = 0; f < 24; f++) {
            printf "FRAME\n"
            for (i = 0; i < 48 * 32 * 3 / 2; i++)
                printf "%c", 33 + (i * 7 + int(i / 48) * 3 + f * 5 + (i % 11 == f % 11) * shift) % 90
        }
    }' >"$folder/$1"
}
clip ref.y4m 0
clip dist.y4m 3
score() { # report, arguments...
    report=$1
    shift
    "$vmaf" -r "$folder/ref.y4m" -d "$folder/dist.y4m" --feature psnr --feature motion --feature vif \
        --no_prediction --json --precision max -o "$folder/$report" "$@" >"$folder/log" 2>&1
}
# What does not depend on who computed, nor on how fast.
scores_of() {
    grep -v -e '"fps"' -e '"backend_used"' -e '"backend_spot_checks"' -e '"feature_backends"' -e '"extractor"' "$folder/$1" |
        tr -d ' \n],}' | sed 's/"aggregate_metrics".*//'
}
same_scores() {
    [ "$(scores_of "$1")" = "$(scores_of "$2")" ] || fail "$1 and $2 have other scores"
    [ "$(scores_of "$1" | wc -c)" -gt 1000 ] || fail "$1 has no scores"
}

say "not installed: not there"
score before.json --backend example && fail "a backend that is not installed is accepted"
score before.json --backend example || [ $? -eq 1 ] || fail "the exit status is not 1"
grep -q "installed here: cpu$" "$folder/log" || fail "it does not say what is installed"
score before.json --backend auto || fail "auto does not work without backends"
score cpu.json --backend cpu || fail "the CPU does not work"
same_scores cpu.json before.json

say "installed: found"
cmake --install "$folder/build" --prefix "$stage$prefix" >"$folder/log" || fail "it does not install"
[ -f "$backends/libvmaf-backend-example.so" ] || fail "it is installed elsewhere"
"$vmaf" --list-backends >"$folder/log" 2>&1 || fail "--list-backends fails"
grep -q '^ *example .*usable' "$folder/log" || fail "--list-backends does not have it"
"$vmaf" --capabilities >"$folder/log" 2>&1 || fail "--capabilities fails"
grep -q '"name": *"example"' "$folder/log" || fail "--capabilities does not have it"

score before.json --backend exampel && fail "a name that is misspelt is accepted"
grep -q "installed here: cpu, example$" "$folder/log" || fail "it does not say what is installed"

say "chosen: the same scores"
score example.json --backend example || fail "scoring with it fails"
same_scores cpu.json example.json
grep -q '"backend_used": *"example"' "$folder/example.json" || fail "it was not used"
tr -d ' \n' <"$folder/example.json" | grep -q '{"extractor":"motion[_a-z]*","backend":"example"}' ||
    fail "motion was computed elsewhere"
tr -d ' \n' <"$folder/example.json" | grep -q '{"extractor":"vif","backend":"cpu"}' ||
    fail "vif was not computed by the CPU"
score auto.json --backend auto || fail "auto fails"
same_scores cpu.json auto.json
"$vmaf" -r "$folder/ref.y4m" -d "$folder/dist.y4m" --backend example --no_prediction --json \
    --feature example_mean_abs_difference=plane=0 -o "$folder/own.json" >"$folder/log" 2>&1 ||
    fail "its own feature does not work"
grep -q '"example_mean_abs_difference' "$folder/own.json" || fail "its own feature is not reported"

say "removed: not there"
rm "$backends/libvmaf-backend-example.so"
status=0
score after.json --backend example || status=$?
[ "$status" -eq 1 ] || fail "the exit status is $status, not 1"
score after.json --backend auto || fail "auto does not work any more"
same_scores cpu.json after.json
say "all is well"
