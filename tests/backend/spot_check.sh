#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The program with a backend that turns wrong after the self-test: status 100 and the error document
# if it was asked for by name; under auto a new start without it, or an error where the videos cannot
# be read again.
#   spot_check.sh <vmaf> <folder of the plugin>
set -u
vmaf=$1
VMAF_BACKEND_PATH=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
XDG_CACHE_HOME=$folder/cache
VMAF_BACKEND_SPOT_CHECK=1
VMAF_TEST_HOSTILE=record-slightly-wrong@20
export VMAF_BACKEND_PATH XDG_CACHE_HOME VMAF_BACKEND_SPOT_CHECK VMAF_TEST_HOSTILE
failures=0
fail() {
    echo "spot_check.sh: $*" >&2
    cat "$folder/log" >&2
    failures=$((failures + 1))
}

frame=$((64 * 48 * 3 / 2))
yes "12 the quick brown fox" | head -c $((frame * 8000)) >"$folder/ref.yuv"
yes "13 the quick brown fox" | head -c $((frame * 8000)) >"$folder/dist.yuv"
score() { # report, distorted video, arguments...
    report=$1
    distorted=$2
    shift 2
    rm -f "$folder/$report"
    "$vmaf" -r "$folder/ref.yuv" -d "$distorted" -w 64 -h 48 -p 420 -b 8 --threads 1 --feature psnr \
        --feature motion --no_prediction --precision max --json -o "$folder/$report" "$@" \
        >"$folder/log" 2>&1
}
scores_of() {
    grep -o -e '"frameNum": *[0-9]*' -e '"\(psnr\|integer\)[a-z0-9_]*": *[-0-9.e]*' "$folder/$1"
}
score cpu "$folder/dist.yuv" --backend cpu -o "$folder/cpu.ndjson" || fail "the CPU fails"
scores_of cpu >"$folder/cpu.scores"
[ "$(wc -l <"$folder/cpu.scores")" -gt 10000 ] || fail "there are no scores"

score named "$folder/dist.yuv" --backend hostile -o "$folder/named.ndjson"
[ $? -eq 100 ] || fail "by name: another status"
grep -q '"error": *"backend failed", *"backend_requested": *"hostile".*"frame": *20,.*spot check' \
    "$folder/named" || fail "by name: the error document is another"
grep -q 'starting again' "$folder/log" && fail "by name: it starts again"
tail -n 1 "$folder/named.ndjson" | grep -q '^{"error":"vmaf: backend hostile failed at frame 20: .*,"frame":[0-9]*}$' ||
    fail "by name: the last line is another"
VMAF_BACKEND=hostile score environment "$folder/dist.yuv"
[ $? -eq 100 ] || fail "by the environment: another status"

# The reader waits for a moment, so that the backend has joined and gets its share. On a busy
# machine it may need longer, and other runs other tries.
slowly() {
    head -c $((frame * 20)) "$folder/dist.yuv"
    sleep "$1"
    tail -c +$((frame * 20 + 1)) "$folder/dist.yuv"
}
seconds=1
status=0
while [ "$status" -eq 0 ]; do
    slowly "$seconds" | score pipe - --backend auto || status=$?
    seconds=$((seconds * 2))
done
[ "$status" -eq 234 ] || fail "on a pipe: status $status"
[ -e "$folder/pipe" ] && fail "on a pipe: there is a report"
grep -q 'backend hostile (.*record of .* is not the CPU.s' "$folder/log" || fail "on a pipe: no reason"
grep -q 'there are no scores: the videos are no files' "$folder/log" || fail "on a pipe: says nothing"
grep -q 'problem' "$folder/log" && fail "on a pipe: says too much"

# The self-test has five frames.
VMAF_TEST_HOSTILE=record-slightly-wrong@6
while :; do
    score files "$folder/dist.yuv" --backend auto -o "$folder/files.ndjson" || fail "files: status $?"
    ! grep -q 'starting again without backend hostile' "$folder/log" || break
done
[ "$(grep -c 'starting again without backend hostile' "$folder/log")" -eq 1 ] ||
    fail "files: does not start again, or not without it"
scores_of files | cmp -s - "$folder/cpu.scores" || fail "files: other scores than the CPU's"
grep -q '"backend_used": *"cpu"' "$folder/files" || fail "files: not by the CPU"
cmp -s "$folder/files.ndjson" "$folder/cpu.ndjson" || fail "files: other lines than the CPU's"

# Of several videos, one that could not be opened has lost nothing; a pipe that was rejected has.
several() { # the other video
    until grep -q 'backend hostile (.*record of .* is not the CPU.s' "$folder/log"; do
        printf cut | score several "$folder/dist.yuv" -d "$1" --backend auto
        [ $? -ge 234 ] || fail "several, $1: the other video is scored"
    done
}
: >"$folder/log"
several "$folder/none"
grep -q 'starting again without backend hostile' "$folder/log" || fail "several: does not start again"
[ "$(scores_of several)" = "$(cat "$folder/cpu.scores")" ] || fail "several: other scores than the CPU's"
: >"$folder/log"
several -
grep -q 'starting again' "$folder/log" && fail "several: starts again without what the pipe had"
grep -q 'there are no scores: the videos are no files' "$folder/log" || fail "several: says nothing"

# Lines that somebody has read cannot be taken back.
mkfifo "$folder/lines"
status=0
while [ "$status" -eq 0 ]; do
    cat "$folder/lines" >"$folder/read" &
    score sent "$folder/dist.yuv" --backend auto --ndjson -o "$folder/lines"
    status=$?
    wait
done
[ "$status" -eq 234 ] || fail "lines: status $status"
grep -q 'there are no scores: what was written of the report cannot be taken back' "$folder/log" ||
    fail "lines: says nothing"
tail -n 1 "$folder/read" | grep -q '^{"error":".*,"frame":[0-9]*}$' || fail "lines: ends otherwise"

VMAF_BACKEND_SPOT_CHECK=0 score unchecked "$folder/dist.yuv" --backend hostile || fail "no checks: $?"
scores_of unchecked | cmp -s - "$folder/cpu.scores" && fail "no checks: it is not wrong at all"
grep -q '"backend_spot_checks": {"every": 0,' "$folder/unchecked" || fail "no checks: not in the report"
[ "$failures" -eq 0 ] || exit 1
echo "all is well"
