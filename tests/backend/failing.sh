#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The program with backends that fail while frames are scored: status 100 and the error document if
# they were asked for by name, the report of a CPU run under auto.
#   failing.sh <vmaf> <folder of the plugin>
set -u
vmaf=$1
VMAF_BACKEND_PATH=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
XDG_CACHE_HOME=$folder/cache
export VMAF_BACKEND_PATH XDG_CACHE_HOME
failures=0
fail() {
    echo "failing.sh: $*" >&2
    cat "$folder/log" >&2
    failures=$((failures + 1))
}

size=$((64 * 48 * 3 / 2))
yes "12 the quick brown fox" | head -c $((size * 200)) >"$folder/ref.yuv"
yes "13 the quick brown fox" | head -c $((size * 200)) >"$folder/dist.yuv"
score() { # report, backend
    "$vmaf" -r "$folder/ref.yuv" -d "$folder/dist.yuv" -w 64 -h 48 -p 420 -b 8 --backend "$2" \
        --feature psnr --feature motion --no_prediction --precision max --json \
        -o "$folder/$1" >"$folder/log" 2>&1
}
scores_of() {
    grep -o -e '"frameNum": *[0-9]*' -e '"\(psnr\|integer\)[a-z0-9_]*": *[-0-9.e]*' "$folder/$1"
}
score cpu cpu || fail "the CPU fails"
scores_of cpu >"$folder/cpu.scores"
[ "$(wc -l <"$folder/cpu.scores")" -gt 1000 ] || fail "there are no scores"

check() { # behaviour, status if asked for by name, part of the error document
    VMAF_TEST_HOSTILE=$1
    export VMAF_TEST_HOSTILE
    rm -f "$folder/named" "$folder/auto"
    score named hostile
    status=$?
    [ "$status" -eq "$2" ] || fail "$1: status $status instead of $2"
    if [ "$2" -eq 100 ]; then
        grep -q '"backend_requested": *"hostile"' "$folder/named" &&
            grep -q "$3" "$folder/named" || {
            fail "$1: the error document is another"
            cat "$folder/named" >&2
        }
        grep -q 'refusing to silently fall back to CPU' "$folder/log" || fail "$1: says nothing"
    else
        scores_of named | cmp -s - "$folder/cpu.scores" || fail "$1: has other scores"
        grep -q "\"backend_used\": *\"$3\"" "$folder/named" || fail "$1: not by $3"
    fi
    score auto auto || fail "$1: auto ends with status $?"
    scores_of auto | cmp -s - "$folder/cpu.scores" || fail "$1: auto has other scores"
}
check harmless 0 hostile
check plan-fails 100 '"error": *"vmaf_hostile_state_init failed"\|"error": *"backend failed"'
check open-fails 100 '"error"'
check plan-declines 100 '"error": *"backend computes nothing of what was asked"'
check record-slightly-wrong 100 '"error": *"backend computes nothing of what was asked"'
check submit-fails@20 100 '"error": *"backend failed".*"frame": *[0-9]'
check collect-loses-device@20 100 '"error": *"backend failed".*"frame": *[0-9]'
check collect-swaps-frames@20 100 '"error": *"backend failed"'
check collect-answers-twice@20 100 '"error": *"backend failed"'
check record-out-of-bounds@20 100 '"error": *"backend failed"'
check collect-overruns-record@20 100 '"error": *"backend failed"'
check rounds-upward 0 hostile
# A driver that is still starting, or hangs, when the program ends, must not see it.
VMAF_TEST_HOSTILE=plan-hangs VMAF_TEST_HOSTILE_EXIT=1
export VMAF_TEST_HOSTILE VMAF_TEST_HOSTILE_EXIT
score auto auto || fail "plan-hangs: auto ends with status $?"
scores_of auto | cmp -s - "$folder/cpu.scores" || fail "plan-hangs: auto has other scores"
unset VMAF_TEST_HOSTILE_EXIT
# What it leaks is its own.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
check close-leaks 0 hostile
[ "$failures" -eq 0 ] || exit 1
echo "all is well"
