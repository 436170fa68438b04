#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# vmaf-backend-check finds nothing in good backends, and in bad ones the requirement that they break.
#   check.sh <vmaf-backend-check> <folder of test backends> <folder of backends that are hard to load> <good backend>...
set -u
check=$1
plugins=$2
hostile=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() {
    echo "check.sh: $*" >&2
    cat "$folder/log" >&2
    failures=$((failures + 1))
}

for good; do
    "$check" "$good" >"$folder/log" 2>&1 || fail "finds fault with $good"
    [ "$(grep -c ' ok$' "$folder/log")" -eq 14 ] || fail "has not run every group with $good"
done

bad() { # behaviour, group, what is said
    case $1 in
    *-hangs* | *-never-*) limit=2 ;;
    *) limit=600 ;; # it is to be another thing than slow
    esac
    VMAF_TEST_HOSTILE=$1 "$check" --time-limit $limit --only "$2" \
        "$plugins/hostile/libvmaf-backend-hostile.so" >"$folder/log" 2>&1
    [ $? -eq 1 ] && grep -q "^$2 *BROKEN" "$folder/log" || fail "does not notice $1"
    grep -q "$3" "$folder/log" || fail "does not say '$3' of $1"
}
bad plan-fails plan 'requirement 16: .*no plan can be made today'
bad plan-hangs plan 'not finished after 2 seconds'
bad plan-declines plan 'requirement 16: psnr is listed, but always declined'
bad plan-lies-about-size order 'requirement 18'
bad plan-lies-about-count order 'requirement 18'
bad plan-has-no-slots order 'requirement 17'
bad plan-has-billions-of-slots order 'requirement 17'
bad plan-reads-unknown-planes order 'requirement 17'
bad open-fails order 'requirement 19: .*no session can be opened today'
bad open-runs-out-of-memory order 'requirement 19: .*the device is full'
bad open-gives-null order 'requirement 19'
bad open-hangs order 'not finished'
bad submit-fails@3 order 'requirement 20'
bad submit-is-invalid@3 order 'requirement 20'
bad submit-hangs@3 order 'not finished'
bad collect-fails@3 order 'requirement 24'
bad collect-hangs@3 order 'not finished'
bad collect-never-answers@3 order 'not finished'
bad collect-has-nothing order 'requirement 24: collect fails'
bad collect-returns-nonsense@3 order 'requirement 24'
bad collect-swaps-frames order 'requirement 24: frame 0 was to be collected, not 1'
bad collect-answers-twice@3 order 'requirement 24: frame 4 was to be collected, not 3'
bad collect-states-failure@3 order 'requirement 24: status of request'
bad collect-leaves-status@3 order 'requirement 24: status of request'
bad collect-overruns-record order 'requirement 24: .*writes beyond its record'
bad record-slightly-wrong@7 context 'requirement 23'
bad score-not-finite order 'requirement 25: .*not finite'
bad flush-fails order 'requirement 26'
bad cancel-hangs cancel 'not finished'
bad close-hangs close 'not finished'
bad close-leaks close 'BROKEN'
bad rounds-upward order 'requirement 33: .*how numbers are rounded'
bad changes-errno order 'requirement 33: submit changes errno'
bad error-is-not-text device 'requirement 32'

ends_badly() { # plugin, what is said
    "$check" --time-limit 5 --only ending "$hostile/libvmaf-backend-$1.so" >"$folder/log" 2>&1
    [ $? -eq 1 ] && grep -q "^ending *BROKEN" "$folder/log" || fail "does not notice the end of $1"
    grep -q "requirement 3: $2" "$folder/log" || fail "does not say '$2' of $1"
}
ends_badly crashdest 'the process crashes, in a destructor'
ends_badly crashatex 'the process crashes'
ends_badly loopdest 'the process does not end'
ends_badly loopatex 'the process does not end'
ends_badly quitdest 'the process ends early'
ends_badly printdest 'something is printed'

changes() { # plugin, group, what is said
    "$check" --only "$2" "$hostile/libvmaf-backend-$1.so" >"$folder/log" 2>&1
    [ $? -eq 1 ] && grep -q "requirement 33: $3" "$folder/log" || fail "does not say '$3' of $1"
}
changes umaskcons descriptor 'loading changes the file mode mask'
changes umaskprob probe 'probe changes the file mode mask'
changes limitcons descriptor 'loading changes RLIMIT_NOFILE'
changes limitclos device 'device_close changes RLIMIT_NOFILE'

# A file that is no plugin, and one under a name that is not its own.
echo text >"$folder/libvmaf-backend-text.so"
"$check" --only descriptor "$folder/libvmaf-backend-text.so" >"$folder/log" 2>&1 &&
    fail "takes a text for a plugin"
grep -q 'requirement 2: it cannot be loaded' "$folder/log" || fail "does not say why"
cp "$plugins/example/libvmaf-backend-example.so" "$folder/libvmaf-backend-other.so"
"$check" --only descriptor "$folder/libvmaf-backend-other.so" >"$folder/log" 2>&1 &&
    fail "takes any file name"
grep -q 'requirement 1: the file should be called libvmaf-backend-example.so' "$folder/log" ||
    fail "does not know how the file should be called"

for wrong in "" "--only nonsense $plugins/example/libvmaf-backend-example.so" "--frames 3 x" \
    "$folder/missing.so"; do
    # shellcheck disable=SC2086 # a list
    "$check" $wrong >"$folder/log" 2>&1
    [ $? -eq 2 ] || fail "accepts the command line '$wrong'"
done
[ "$failures" -eq 0 ] || exit 1
echo "all is well"
