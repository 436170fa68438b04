#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Nothing is chosen: the CPU starts, the example joins, and the report is that of the CPU but for
# the keys that say so. A short run does without it.
#   joining.sh <vmaf> <folder of the example>
set -eu
vmaf=$1
VMAF_BACKEND_PATH=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
XDG_CACHE_HOME=$folder/cache
export VMAF_BACKEND_PATH XDG_CACHE_HOME
fail() {
    echo "joining.sh: $*" >&2
    cat "$folder/log" >&2
    exit 1
}

frame=$((64 * 48 * 3 / 2))
yes "12 the quick brown fox jumps over the lazy dog" | head -c $((frame * 500)) >"$folder/ref"
yes "13 the quick brown fox jumps over the lazy dog" | head -c $((frame * 500)) >"$folder/dist"
score() { # report, arguments..., the distorted video on standard input
    report=$1
    shift
    "$vmaf" -r "$folder/ref" -d - -w 64 -h 48 -p 420 -b 8 --threads 2 --feature psnr --precision max \
        --json -o "$folder/$report" "$@" >"$folder/log" 2>&1 || fail "$report fails"
}
# Without what depends on time, and without the keys that only backends add.
plain() {
    tr -d ' \n' <"$folder/$1" |
        sed -e 's/"fps":[0-9.]*,//' -e 's/,"feature_backends":\[[^]]*\]//' -e 's/,"backend_used":"[a-z]*"//' \
        -e 's/,"backend_spot_checks":{[^}]*}//'
}

score cpu --backend cpu <"$folder/dist"
# The reader waits once enough frames have come for a backend to be brought up, on a busy machine for
# as many seconds as there are programs that want a processor.
{
    head -c $((frame * 100))
    sleep $((2 + $(sed 's/\..*//' /proc/loadavg)))
    cat
} <"$folder/dist" | score joined
[ "$(plain cpu)" = "$(plain joined)" ] || fail "the scores differ"
[ "$(plain cpu | wc -c)" -gt 100000 ] || fail "there are no scores"
for executor in example cpu; do
    tr -d ' \n' <"$folder/joined" | grep -q "\"backend\":\"$executor\"\|\"backend_used\":\"$executor\"" ||
        fail "$executor has not taken part"
done
grep -q '"backend_events"' "$folder/joined" && fail "something has happened"

head -c $((frame * 20)) "$folder/dist" | score short
grep -q 'backend' "$folder/short" && fail "a short run tells of backends"
head -c $((frame * 20)) "$folder/dist" | score short-cpu --backend cpu
[ "$(plain short)" = "$(plain short-cpu)" ] || fail "the scores of the short run differ"
echo "all is well"
