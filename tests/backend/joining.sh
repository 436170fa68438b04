#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Nothing is chosen: the CPU starts, the example joins, and the report is that of the CPU but for
# the keys that say so. A short run, with less than a second to score, does without it.
#   joining.sh <vmaf> <folder of the example> [<frames>]
set -eu
vmaf=$1
VMAF_BACKEND_PATH=$2
frames=${3:-900}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
XDG_CACHE_HOME=$folder/cache
export VMAF_BACKEND_PATH XDG_CACHE_HOME
fail() {
    echo "joining.sh: $*" >&2
    cat "$folder/log" >&2
    exit 1
}

frame=$((176 * 144 * 3 / 2))
yes "12 the quick brown fox jumps over the lazy dog" | head -c $((frame * frames)) >"$folder/ref"
yes "13 the quick brown fox jumps over the lazy dog" | head -c $((frame * frames)) >"$folder/dist"
# Slow features, in plain C: more than two seconds for all frames.
slow="--feature ssimulacra2 --feature float_vif --feature float_ssim --feature ciede"
score() { # report, arguments..., the distorted video on standard input
    report=$1
    shift
    # shellcheck disable=SC2086 # a list of words
    "$vmaf" -r "$folder/ref" -d - -w 176 -h 144 -p 420 -b 8 --threads 1 --cpumask 63 --no_prediction \
        --feature psnr $slow \
        --precision max --json -o "$folder/$report" "$@" >"$folder/log" 2>&1 || fail "$report fails"
}
# Without what depends on time, and without the keys that only backends add.
plain() {
    tr -d ' \n' <"$folder/$1" |
        sed -e 's/"fps":[0-9.]*,//' -e 's/,"feature_backends":\[[^]]*\]//' -e 's/,"backend_used":"[a-z]*"//' \
        -e 's/,"backend_spot_checks":{[^}]*}//'
}

has_taken_part() { # executor
    tr -d ' \n' <"$folder/joined" | grep -q "\"backend\":\"$1\"\|\"backend_used\":\"$1\""
}

score cpu --backend cpu <"$folder/dist"
[ "$(plain cpu | wc -c)" -gt $((frames * 110)) ] || fail "there are no scores"
# The reader waits once enough scoring was done for a backend to be brought up; again for longer, if
# that takes longer on a busy machine.
pause=1
while :; do
    {
        head -c $((frame * (frames * 8 / 9)))
        sleep $pause
        cat
    } <"$folder/dist" | score joined
    [ "$(plain cpu)" = "$(plain joined)" ] || fail "the scores differ"
    ! has_taken_part example || break
    pause=$((pause * 2))
done
has_taken_part cpu || fail "the CPU has not taken part"
grep -q '"backend_events"' "$folder/joined" && fail "something has happened"

slow= # far less than a second for 60 frames, sanitized as well; a busy machine may need another try
while :; do
    head -c $((frame * 60)) "$folder/dist" | score short
    grep -q 'backend' "$folder/short" || break
done
head -c $((frame * 60)) "$folder/dist" | score short-cpu --backend cpu
[ "$(plain short)" = "$(plain short-cpu)" ] || fail "the scores of the short run differ"
echo "all is well"
