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
check=$source/scripts/gpu-check.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset VMAF_BACKEND VMAF_BACKEND_PATH VMAF_TEST_HOSTILE VMAF_TEST_WRONG
TMPDIR=$folder
export TMPDIR
failures=0
fail() {
    echo "gpu_check.sh: $*" >&2
    grep -v '^[{|]' "$folder/out" | tail -n 30 | cut -c 1-200 >&2
    failures=$((failures + 1))
}
run() { # status that is expected, what, arguments...
    expected=$1
    what=$2
    shift 2
    rm -f "$folder/rows" "$folder/report.json"
    sh "$check" --json "$folder/rows" --report "$folder/report.json" "$@" >"$folder/out" 2>"$folder/err" </dev/null
    status=$?
    cat "$folder/err" >>"$folder/out"
    [ "$status" -eq "$expected" ] || fail "$what: status $status, not $expected"
}
says() { # regular expression
    grep -qE "$1" "$folder/out" || fail "$what: nobody says $1"
}
says_not() {
    ! grep -qE "$1" "$folder/out" || fail "$what: says $1"
}
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

# -- a backend that is right --

# shellcheck disable=SC2086
run 0 "the emulator" --build "$build" --software --backend emulator $small --minutes 60
says '^passed +emulator, self-test, 10 bits'
# All comparisons, none left out.
{
    for subject in vmaf_v0.6.1 features vmaf_v0.6.1neg vmaf_4k_v0.6.1 vmaf_b_v0.6.3 psnr all float; do
        echo "$subject, 64x48, 8 bits, 420"
        echo "$subject, 65x47, 10 bits, 420"
    done
    for subject in all vmaf_v0.6.1 psnr features; do
        echo "$subject, 65x49, 8 bits, 444"
    done
    echo "all, 64x48, 10 bits, 444"
    echo "psnr, 64x48, 10 bits, 444"
    echo "all, 64x48, 8 bits, 422"
    echo "all, 64x48, 8 bits, 420, auto"
    echo "all, 64x48, 10 bits, 420, auto"
} | sort >"$folder/expected"
sed -n 's/^equal  *emulator, //p' "$folder/out" | sort | diff "$folder/expected" - >"$folder/differ" ||
    fail "$what: other comparisons: $(cat "$folder/differ")"
for group in $("$build/plugins/check/vmaf-backend-check" --help | sed -n 's/^Groups: *//p'); do
    says "^passed +emulator, requirements, $group\$"
done
says_not '^DIFFERENT'
says '^\| emulator \| psnr \| 64x48, 10 bits \| backend alone, pictures of the device \| [0-9.]+ \| [0-9.]+ \| 4 \|'
says '^\| emulator \| vmaf_v0.6.1 \| 64x48, 8 bits \| `vif_scale_0_8` \| 1.0 \| [0-9.]+ \| [0-9]+ % \| [0-9.]+ \| [0-9.]+ \| [0-9]+ % \| [0-9]+ \|'
says '^\| emulator \| 64x48, 8 bits \| warm \| [0-9]+\.[0-9]{3} \|'
says '^\| emulator \| vmaf_v0.6.1 \| 64x48, 8 bits \| [0-9]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \|$'
says '^\| emulator \| (within|to|from) \| [0-9.]+ \|$'
grep '^{' "$folder/out" | cmp -s - "$folder/rows" || fail "the file has other lines"

# Lines of JSON, each with its keys.
keys() { # kind, how many at least, keys...
    kind=$1
    least=$2
    shift 2
    n=$(grep -c "^{\"row\":\"$kind\"" "$folder/rows")
    [ "$n" -ge "$least" ] || fail "$n lines of $kind"
    for key in backend device driver "$@"; do
        [ "$(grep "^{\"row\":\"$kind\"" "$folder/rows" | grep -c "[{,]\"$key\":")" -eq "$n" ] ||
            fail "a line of $kind lacks $key"
    done
}
keys self_test 8 width height depth feature outcome reason
keys requirements 14 group outcome reason
keys scores 25 width height depth format subject mode outcome reason
keys speed 50 width height depth path source offered subject chosen on_backend
keys stage 40 subject source stage runs_per_frame ms_per_frame share mb_per_frame gb_per_s of_bandwidth gop_per_s of_issue_rate
keys bandwidth 12 copy gb_per_s
keys opening 2 state opened_s first_record_s
keys auto 2 subject threads fps_auto fps_cpu ratio
keys summary 1 status compared different skipped seconds version system processor cores
keys skipped 1 what reason
if command -v python3 >/dev/null; then
    python3 - "$folder/rows" <<'END' || fail "lines of JSON are wrong"
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
speeds = [row for row in rows if row["row"] == "speed" and row["offered"]]
for row in speeds:
    assert row["fps"] > 0 and row["frames"] == 4 and row["host_cores_per_1000_fps"] > 0, row
    assert abs(row["fps"] * row["ms_per_frame"] - 1000) < 1, row
    if row["path"] == "backend":
        assert 0 < row["latency_p50_ms"] <= row["latency_p90_ms"] <= row["latency_p99_ms"] <= row["latency_max_ms"], row
    if row["path"] == "library" and row["chosen"] == "emulator":
        assert row["on_backend"] and not row["on_cpu"], row
    if row["chosen"] == "cpu":
        assert row["on_cpu"] and not row["on_backend"], row
seen = {(row["subject"], row["depth"]) for row in speeds if row["path"] == "library"}
both = "vmaf_v0.6.1 + vmaf_v0.6.1neg"
assert seen == {(name, depth) for name in ("vmaf_v0.6.1", both, "vmaf_4k_v0.6.1", "vmaf_b_v0.6.3", "psnr")
                for depth in (8, 10)}, seen
for subject, depth in seen:
    shares = [row["share"] for row in rows if row["row"] == "stage" and row["subject"] == subject and row["depth"] == depth]
    assert abs(sum(shares) / (len(shares) and round(sum(shares))) - 1) < 0.01, (subject, depth, shares)
summary = rows[-1]
assert summary["row"] == "summary" and summary["status"] == 0 and summary["different"] == 0, summary
assert summary["compared"] == 2 + sum(row["row"] in ("scores", "requirements") for row in rows), summary
features = [row["feature"] for row in rows if row["row"] == "self_test" and row["depth"] == 8]
assert {"adm", "motion", "psnr", "vif"} <= set(features) and len(set(features)) == len(features), features
END
fi

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

# -- what the CPU computes in the place of the backend --

# Programs of the build in a folder with others of the test's own.
fake=$folder/build
mkdir -p "$fake/tests/kernels" "$fake/cli" "$fake/bench" "$fake/plugins/check"
for entry in backends src libexec; do
    [ ! -e "$build/$entry" ] || ln -s "$build/$entry" "$fake/$entry"
done
ln -s "$build/tests/support" "$fake/tests/support"
# Scores are equal, and the report admits that psnr is the CPU's.
cat >"$fake/cli/vmaf" <<END
#!/bin/sh
"$build/cli/vmaf" "\$@" || exit
while [ \$# -gt 1 ]; do
    [ "\$1" != --output ] || sed -i 's/{"extractor": "psnr_emulator", "backend": "emulator"}/{"extractor": "psnr", "backend": "cpu"}/' "\$2"
    shift
done
END
# Nothing is measured here.
printf '#!/bin/sh\ncase $* in\n*selftest*) exec "%s" "$@" ;;\nesac\n' "$build/bench/vmaf-backend-bench" \
    >"$fake/bench/vmaf-backend-bench"
chmod +x "$fake/cli/vmaf" "$fake/bench/vmaf-backend-bench"
VMAF_BACKEND_PATH=$parity

# A rule for plugins that is broken, as vmaf-backend-check says.
cat >"$fake/plugins/check/vmaf-backend-check" <<'END'
#!/bin/sh
[ "$1" != --help ] || { echo "Groups: one two three" && exit; }
case $* in
*"--device 0 --only one "*) echo "one          ok" && exit ;;
*"--device 0 --only two "*) echo "two          BROKEN" && echo "  requirement 7: nonsense" >&2 && exit 1 ;;
esac
END
chmod +x "$fake/plugins/check/vmaf-backend-check"
# shellcheck disable=SC2086
run 1 "the CPU helps, and a rule is broken" --build "$fake" --software --backend emulator --minutes 60 $small
says '^equal +emulator, vmaf_v0.6.1, 64x48, 8 bits, 420$'
says '^DIFFERENT +emulator, psnr, 64x48, 8 bits, 420: the CPU has computed psnr'
says '^DIFFERENT +emulator, features, 65x47, 10 bits, 420: the CPU has computed psnr'
says '^equal +emulator, all, 64x48, 8 bits, 420, auto$' # where it may help
says '^passed +emulator, requirements, one$'
says '^DIFFERENT +emulator, requirements, two: status 1: *requirement 7: nonsense'
says '^DIFFERENT +emulator, requirements, three: status 0'
grep -q '"row":"requirements".*"group":"two","outcome":"failed","reason":".*requirement 7' "$folder/rows" ||
    fail "$what: no line"

# -- tests of kernels, and pictures on the device --

# A build with programs of its own in the place of the tests. The backend has a device that is no
# software, and buffers on it.
rm "$fake/plugins/check/vmaf-backend-check" "$fake/cli/vmaf" "$fake/bench/vmaf-backend-bench"
ln -s "$build/bench/vmaf-backend-bench" "$fake/bench/vmaf-backend-bench"
ln -s "$build/cli/vmaf" "$fake/cli/vmaf"
program() { # name, status
    printf '#!/bin/sh\necho "[  ERROR   ] --- this is \\"%s\\" with $*"\nexit %s\n' "$1" "$2" >"$fake/tests/kernels/test_$1"
    chmod +x "$fake/tests/kernels/test_$1"
}
program good 0
program bad 3
program absent 77
cat >"$fake/tests/kernels/CTestTestfile.cmake" <<'END'
add_test([=[good_emulator]=] "/elsewhere/test_bad" "emulator")
add_test([=[compile_cuda]=] "/bin/sh" "cuda")
add_test([=[good_cuda]=] "/elsewhere/test_good" "cuda" "more")
add_test([=[absent_cuda]=] "/elsewhere/test_absent" "cuda")
add_test([=[missing_cuda]=] "/elsewhere/test_missing" "cuda")
add_test([=[other_vulkan]=] "/elsewhere/test_bad" "vulkan")
END
VMAF_BACKEND_PATH=$plugins/membuf
# shellcheck disable=SC2086
run 0 "hardware" --build "$fake" $small --minutes 60
says '^backend cuda, device 0: threads of the CPU'
says '^\| cuda \| psnr \| 64x48, 8 bits \| backend alone, pictures of the device \| [0-9.]+ \|'
says '^passed +cuda, good_cuda$'
says '^skipped +cuda, absent_cuda'
says '^skipped +cuda, missing_cuda: test_missing was not built'
says_not 'good_emulator|compile_cuda|other_vulkan'
echo 'add_test([=[bad_cuda]=] "/elsewhere/test_bad" "cuda")' >>"$fake/tests/kernels/CTestTestfile.cmake"
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
