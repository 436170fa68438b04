#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# scripts/gpu-check.sh on plugins that are right, wrong or missing: what it compares, its lines of
# JSON, its exit status.
#   gpu_check.sh <source folder> <build folder> <folder of test plugins> <parity plugins>
set -u
source=$1
build=$2
plugins=$3
parity=$4
# shellcheck source=tests/scripts/gpu_check_helpers.sh
. "$source/tests/scripts/gpu_check_helpers.sh"
small="--size 64x48 --frames 4"

# -- usage, and what there is to check --

if command -v shellcheck >/dev/null; then
    (cd "$source" && shellcheck -x scripts/gpu-check.sh) >"$folder/out" || fail "shellcheck complains"
fi
run 0 help --help
says '^usage: gpu-check.sh'
for wrong in --nonsense "--minutes 0" "--size 64" "--size 64x" "--frames x" --build "--feature a;b"; do
    # shellcheck disable=SC2086
    run 255 "$wrong" $wrong
    says '^usage: '
done
run 255 "no build" --build "$folder/none"
mkdir "$folder/empty"
VMAF_BACKEND_PATH=$folder/empty
export VMAF_BACKEND_PATH
run 2 "no plugin" --build "$build"
says 'no device'
[ ! -s "$folder/rows" ] || fail "no plugin: there are lines"
run 100 "a backend that nobody knows" --build "$build" --backend nonsense
says 'no such backend'
run 100 "a backend without plugin" --build "$build" --software --backend cuda
says 'there is no libvmaf-backend-cuda.so'
VMAF_BACKEND_PATH=$parity
run 2 "a software device alone" --build "$build"
run 100 "a software device by name" --build "$build" --backend emulator
says '\-\-software'
run 100 "a device that is not there" --build "$build" --software --backend emulator --device 7

# -- a backend that is right, in part --

# shellcheck disable=SC2086
run 0 "some features" --build "$build" --software --backend emulator --feature psnr --feature motion $small --minutes 20
{
    echo "features, 64x48, 8 bits, 420"
    echo "features, 65x47, 10 bits, 420"
    echo "features, 65x49, 8 bits, 444"
} >"$folder/expected"
sed -n 's/^equal  *emulator, //p' "$folder/out" | diff "$folder/expected" - >"$folder/differ" ||
    fail "$what: other comparisons: $(cat "$folder/differ")"
says_not 'requirements'
keys self_test 4 feature outcome
keys speed 6 subject on_backend
! grep '"row":"self_test"' "$folder/rows" | grep -qvE '"feature":"(psnr|motion)"' || fail "$what: others are tested"
# shellcheck disable=SC2086
run 1 "a feature that is not there" --build "$build" --software --backend emulator --feature nonsense $small
says "self-test, 8 bits: .*none of these features"

# -- backends that are wrong --

VMAF_BACKEND_PATH=$build/tests/parity/wrong/backends
export VMAF_TEST_WRONG=1
# In integers this device is slow for most features.
# shellcheck disable=SC2086
run 1 "a wrong kernel" --build "$build" --software --feature psnr --feature motion $small --minutes 20
says '^DIFFERENT +wrongdevice, self-test, 8 bits: self-test of psnr +refused: its record'
says '^equal +wrongdevice, features, 64x48, 8 bits, 420'
says '^[0-9]+ of [0-9]+ comparisons differ'
grep -q '"row":"self_test".*"feature":"psnr","outcome":"refused"' "$folder/rows" || fail "$what: no line"
unset VMAF_TEST_WRONG

VMAF_BACKEND_PATH=$plugins/hostile
export VMAF_TEST_HOSTILE=record-slightly-wrong@8
# shellcheck disable=SC2086
run 1 "wrong after the self-test" --build "$build" --software --backend hostile --size 64x48 --frames 10 --minutes 10
says '^passed +hostile, self-test, 8 bits'
says '^DIFFERENT +hostile, psnr, 64x48, 8 bits, 420: line [0-9]+ of the report is'
grep -q '"row":"scores".*"subject":"psnr".*"outcome":"different"' "$folder/rows" || fail "$what: no line"
VMAF_TEST_HOSTILE=submit-fails@8
# shellcheck disable=SC2086
run 1 "fails after the self-test" --build "$build" --software --backend hostile --size 64x48 --frames 10 --minutes 10
says '^DIFFERENT +hostile, psnr, 64x48, 8 bits, 420: status 100'
grep -q '"row":"scores".*"subject":"psnr".*"outcome":"failed"' "$folder/rows" || fail "$what: no line"
unset VMAF_TEST_HOSTILE

# -- tests of kernels, and pictures on the device --

# A build with programs of its own in the place of the tests. The backend has a device that is no
# software, and buffers on it.
make_fake_build
ln -s "$build/bench/vmaf-backend-bench" "$fake/bench/vmaf-backend-bench"
ln -s "$build/cli/vmaf" "$fake/cli/vmaf"
program() { # name, status
    printf '#!/bin/sh\necho "[  ERROR   ] --- this is \\"%s\\" with $*"\nexit %s\n' "$1" "$2" >"$fake/tests/kernels/test_$1"
    chmod +x "$fake/tests/kernels/test_$1"
}
program good 0
program bad 3
program absent 77
list() { # test, program, arguments...: as CMake writes it for ctest, with the script that notes times
    printf 'add_test([=[%s]=] "sh" "/elsewhere/timed.sh" "%s"' "$1" "$1" >>"$fake/tests/kernels/CTestTestfile.cmake"
    shift
    printf ' "%s"' "$@" >>"$fake/tests/kernels/CTestTestfile.cmake"
    echo ')' >>"$fake/tests/kernels/CTestTestfile.cmake"
}
list good_emulator /elsewhere/test_bad emulator
list compile_cuda /bin/sh cuda
list good_cuda /elsewhere/test_good cuda more
list absent_cuda /elsewhere/test_absent cuda
list missing_cuda /elsewhere/test_missing cuda
list other_vulkan /elsewhere/test_bad vulkan
VMAF_BACKEND_PATH=$plugins/membuf
# shellcheck disable=SC2086
run 0 "hardware" --build "$fake" $small --minutes 60
says '^backend cuda, device 0: threads of the CPU'
says '^\| cuda \| psnr \| 64x48, 8 bits \| backend alone, pictures of the device \| [0-9.]+ \|'
says '^passed +cuda, good_cuda$'
says '^skipped +cuda, absent_cuda'
says '^skipped +cuda, missing_cuda: test_missing was not built'
says_not 'good_emulator|compile_cuda|other_vulkan'
list bad_cuda /elsewhere/test_bad cuda
# shellcheck disable=SC2086
run 1 "a failing test" --build "$fake" $small --minutes 60 --backend cuda
says '^DIFFERENT +cuda, bad_cuda: status 3: .*this is "bad" with cuda'
grep -q '"row":"kernels".*"test":"bad_cuda","outcome":"failed","reason":".*this is \\"bad\\" with cuda"' "$folder/rows" ||
    fail "$what: no line"

# A test that hangs ends with its share of the time, and what does not fit is skipped.
printf '#!/bin/sh\nsleep 1000\n' >"$fake/tests/kernels/test_bad"
# shellcheck disable=SC2086
run 0 "a test that hangs" --build "$fake" $small --minutes 1 --backend cuda
says '^skipped +cuda, bad_cuda: there is no time left'

ls -d "$folder"/gpu-check.* "$folder"/vmaf-backend-bench-* >"$folder/out" 2>/dev/null &&
    fail "folders remain"
[ "$failures" -eq 0 ] || exit 1
echo "all is well"
