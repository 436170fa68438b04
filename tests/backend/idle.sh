#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# A backend that is asked for by name and computes nothing of what was asked ends the run with status
# 100 and the error document, in each way in which that comes about; a feature that it leaves to the
# CPU is named.
#   idle.sh <vmaf> <folder of the hostile backend>
set -u
vmaf=$1
export VMAF_BACKEND_PATH="$2"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export XDG_CACHE_HOME="$folder"
failures=0
fail() {
    echo "idle.sh: $*" >&2
    cat log >&2
    failures=$((failures + 1))
}
# Noise, in which nothing can be still.
LC_ALL=C awk 'BEGIN { for (i = 0; i < 23040 * 2; i++) printf "%c", 33 + int(rand() * 90) }' >a.yuv
cp a.yuv b.yuv
score() { # behaviour OPTION...
    rm -f ./*.json ./*.ndjson
    export VMAF_TEST_HOSTILE="$1"
    shift
    "$vmaf" -r a.yuv -d a.yuv -w 160 -h 96 -p 420 -b 8 -o report.json -o lines.ndjson "$@" >log 2>&1
}
expect_idle() { # what is said, behaviour OPTION...
    says=$1
    shift
    score "$@"
    [ $? -eq 100 ] || fail "$*: another status than 100"
    grep -q "computes nothing of what was asked.*$says" log || fail "$*: does not say '$says'"
    for file in report.json lines.ndjson; do
        grep -q '^{"error": "backend computes nothing.*"exit_code": 100.*'"$says" "$file" ||
            fail "$*: $file is no error document"
        [ "$(wc -l <$file)" -eq 1 ] || fail "$*: $file has more than the document"
    done
}
expect_part() { # what is said of the rest, behaviour OPTION...
    says=$1
    shift
    score "$@" || fail "$*: it fails"
    grep -q "warning: $says.*computing it on the CPU" log || fail "$*: does not say '$says'"
    grep -q '"backend_used": "hostile"' report.json || fail "$*: the backend computes nothing"
}
named="--no_prediction --backend hostile"
# shellcheck disable=SC2086 # lists
{
    score harmless $named --feature psnr || fail "the backend does not work"
    grep -q warning log && fail "a warning without a reason"
    expect_idle 'not in the mood' plan-declines $named --feature psnr
    expect_idle 'not in the mood' plan-declines --backend hostile --feature psnr
    expect_idle 'not in the mood' plan-declines $named --feature psnr --threads 0
    expect_idle 'another kind than it declares' plan-lies-about-size $named --feature psnr
    expect_idle 'self-test' record-slightly-wrong $named --feature psnr
    expect_idle 'no twin' harmless $named --feature ciede
    VMAF_TEST_HOSTILE=plan-declines "$vmaf" -r a.yuv -d a.yuv -w 160 -h 96 -p 420 -b 8 $named \
        --feature psnr --shard 0/1 -o part.vmafs >log 2>&1
    [ $? -eq 100 ] || fail "a shard: another status than 100"
    [ ! -e part.vmafs ] || fail "a shard: there is a file"
    expect_part '--feature ciede: ' harmless $named --feature psnr --feature ciede
    expect_part 'vif: ' harmless --backend hostile --feature psnr
    # What was not to be computed there is missed by nobody.
    score plan-declines $named --feature psnr --gpumask 1 || fail "gpumask: it fails"
    score plan-declines --no_prediction --feature psnr --backend auto || fail "auto: it fails"
    VMAF_BACKEND=hostile score plan-declines --no_prediction --feature psnr
    [ $? -eq 100 ] || fail "VMAF_BACKEND: another status than 100"
    rm -f ./*.json
    VMAF_TEST_HOSTILE=plan-declines "$vmaf" -r a.yuv -d a.yuv -d b.yuv -w 160 -h 96 -p 420 -b 8 \
        $named --feature psnr -o '{}.json' >log 2>&1
    [ $? -eq 100 ] || fail "two videos: another status than 100"
    grep -q '"exit_code": 100' a.json && grep -q '"exit_code": 100' b.json ||
        fail "two videos: there is no error document of each"
}
[ "$failures" -eq 0 ] || exit 1
echo "all is well"
