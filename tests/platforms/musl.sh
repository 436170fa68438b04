#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds the programs with the C library musl, each as one file, and runs them against those of this
# system, with unit tests and scores of libvmaf 3.2.
#   musl.sh <source folder> <build folder> <set: few or all>
# Variables: LAUNCHER of the compiler, NATIVE_VMAF and SYNTH, programs of this system.
set -eu
source=$1
build=$2
set=$3
root=$source/build/musl-root
here=$source/tests/platforms

skip() {
    echo "$*"
    exit 77
}
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
command -v musl-gcc >/dev/null || skip "musl-tools is not installed"
[ -d "$root" ] ||
    skip "$root is missing: scripts/source_root.sh $(uname -m)-linux-musl musl-gcc build/musl-root has not been run, or failed"

# What a C library could change: functions, threads, files, processes, numbers as text.
targets='vmaf_cli vmaf_tune vmaf_per_shot math_hashes test_golden test_platform test_platform_files
    test_platform_process'
tests='math_hashes|test_platform.*'
case $set in
few) tests="$tests|golden-(options-(motion|psnr)|temporal|errors)-threads-[02]" ;;
all)
    targets=all
    tests="$tests|test_.*|api-.*|example-score|golden-[a-z0-9_-]*-threads-[02]|golden-coverage|simd_check-[a-z0-9_]+"
    ;;
esac
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DVMAF_WERROR="${VMAF_STRICT:-OFF}" \
    -DVMAF_BACKENDS= -DVMAF_HIP_ARCHITECTURES=gfx1030 \
    "-DVMAF_TEST_KINDS=support;unit;math;simd_check;api;golden" -DVMAF_BUILD_BENCH=OFF \
    -DCMAKE_C_COMPILER_LAUNCHER="${LAUNCHER:-}" --toolchain "$source/cmake/toolchains/linux-musl.cmake"
# shellcheck disable=SC2086 # a list
cmake --build "$build" --parallel 2 --target $targets
vmaf=$build/cli/vmaf

# Nothing is needed to start them.
for program in "$vmaf" "$build/tune/vmaf-tune" "$build/tune/vmaf-perShot"; do
    LC_ALL=C readelf -lW "$program" >"$build/segments"
    grep -q '^  LOAD ' "$build/segments" || fail "readelf shows no segments of $program"
    ! grep -E 'INTERP|DYNAMIC' "$build/segments" || fail "$program is not linked statically"
    "$program" --help >/dev/null || fail "$program --help: status $?"
done
# Scores go through no function of <math.h> that C libraries round differently.
nm -A -u "$build/src/core/libvmaf_internals.a" >"$build/functions"
grep -qE ' U (malloc|calloc)$' "$build/functions" || fail "nm shows no functions of the C library"
! grep -E ' U (a?cosh?|a?sinh?|a?tanh?|atan2|cbrt|erfc?|exp|exp10|exp2|expm1|hypot|lgamma|log|log10|log1p|log2|pow|sincos|tgamma)[fl]?$' \
    "$build/functions" || fail "these are functions of the C library"

ctest --test-dir "$build" --parallel 2 --tests-regex "^($tests)\$" --no-tests=error --output-on-failure
sh "$here/same_numbers.sh" "$vmaf" || fail "same_numbers.sh: status $?"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$SYNTH" --scene texture --distortion identical --size 320x180 --frames 3 --output ref.y4m
"$SYNTH" --scene texture --distortion blur --size 320x180 --frames 3 --output dis.y4m

# The same kernels for this processor.
instruction_sets() { # VMAF
    "$1" --capabilities | tr -d ' \n' | grep -o '"isa_[a-z]*":\[[^]]*\]' | sort
}
instruction_sets "$NATIVE_VMAF" >here.txt
instruction_sets "$vmaf" >other.txt
grep -q isa_active here.txt || fail "--capabilities tells no instruction sets"
cmp here.txt other.txt || fail "instruction sets differ: $(cat here.txt) and $(cat other.txt)"

# It loads nothing, and says so.
words='a program that is linked statically loads no plugins'
refused() { # BACKEND
    status=0
    "$vmaf" ref.y4m dis.y4m --backend "$1" -o scores.json >log 2>&1 || status=$?
    [ $status -eq 100 ] || fail "--backend $1: status $status: $(cat log)"
    tr -s ' \n' ' ' <log >line
    grep -q "$words" line || fail "--backend $1: $(cat log)"
    ! grep -q pooled_metrics scores.json || fail "--backend $1: there are scores"
}
refused vulkan
mkdir plugins
echo 'no plugin' >plugins/libvmaf-backend-other.so
export VMAF_BACKEND_PATH="$work/plugins"
refused other
"$vmaf" --list-backends >log 2>&1 || fail "--list-backends: status $?"
[ "$(grep -c "$words" log)" -ge 2 ] || fail "--list-backends: $(cat log)"
printf '\000\000\000\030ftypmp42\000\000\000\000mp42isom' >video.mp4
! "$vmaf" video.mp4 dis.y4m >log 2>&1 || fail "an MP4 file has been read"
tr -s ' \n' ' ' <log >line
grep -q 'decode it first' line || fail "of media files it says: $(cat log)"
! grep -q 'install the package' line || fail "of media files it says: $(cat log)"

# It needs no other file: where nothing else is, without /proc and /dev.
scores() { # REPORT
    sed 's/ fps="[^"]*"//; /"fps"/d' "$1"
}
report='-q ref.y4m dis.y4m --threads 2 --precision max --feature ciede --feature cambi'
# shellcheck disable=SC2086 # a list
"$NATIVE_VMAF" $report -o here.json
scores here.json >here.txt
mkdir alone
cp "$vmaf" ref.y4m dis.y4m alone/
if [ "$(id -u)" -eq 0 ] && chroot alone /vmaf --version >/dev/null 2>&1; then
    # shellcheck disable=SC2086 # a list
    chroot alone /vmaf $report -o /other.json || fail "where nothing else is: status $?"
    scores alone/other.json >other.txt
    cmp here.txt other.txt || fail "scores differ where nothing else is"
    echo "chroot: scores are the same where nothing else is"
elif [ "$(id -u)" -eq 0 ]; then
    # Whether it is the program that does not start there, or nothing may change its root.
    printf 'int main(void) { return 0; }\n' >true.c
    musl-gcc -static true.c -o alone/true
    ! chroot alone /true 2>/dev/null || fail "the program does not start where nothing else is"
    echo "chroot: left out, it is not permitted here"
else
    echo "chroot: left out, only root may"
fi
