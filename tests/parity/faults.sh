#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# A device that is lost, has no memory or does not answer, from the first submission or buffer to the last:
# status 100 and the error document if it was asked for by name; under auto the report of a CPU run.
#   faults.sh <vmaf> <synth> <backend> <step> <what>: lose, memory or hang; every step-th submission or buffer
set -u
vmaf=$1
synth=$2
backend=$3
step=$4
what=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() {
    echo "faults.sh: $*" >&2
    cat "$folder/log" >&2
    failures=$((failures + 1))
}

for clip in ref:identical dist:blur; do
    "$synth" --scene texture --size 50x38 --format 420 --frames 100 --distortion "${clip#*:}" --raw \
        --output "$folder/${clip%:*}"
done
frame=$((50 * 38 * 3 / 2))
score() { # report, faults, arguments..., the distorted video on standard input
    report=$1
    VMAF_TEST_FAULTS=$2
    export VMAF_TEST_FAULTS
    shift 2
    rm -f "$folder/$report"
    timeout 1800 "$vmaf" -r "$folder/ref" -d - -w 50 -h 38 -p 420 -b 8 --threads 1 --feature psnr --precision max \
        --json -o "$folder/$report" "$@" >"$folder/log" 2>&1
    scored=$?
    ! grep -q 'Validation' "$folder/log" || fail "$VMAF_TEST_FAULTS: the API was used wrongly"
    return "$scored"
}
# Without values that depend on time, and without keys that only backends add.
plain() {
    tr -d ' \n' <"$folder/$1" | sed -e 's/"fps":[0-9.]*,//' -e 's/,"feature_backends":\[[^]]*\]//' \
        -e 's/,"backend_events":\[[^]]*\]//' -e 's/,"backend_used":"[a-z]*"//' \
        -e 's/,"backend_spot_checks":{[^}]*}//'
}
score cpu none --backend cpu <"$folder/dist" || fail "the CPU fails"
plain cpu >"$folder/cpu.plain"
[ "$(wc -c <"$folder/cpu.plain")" -gt 5000 ] || fail "there are no scores"

check_named() { # faults; whether the run completed
    score named "$1" --backend "$backend" <"$folder/dist"
    status=$?
    if [ "$status" -eq 0 ]; then
        plain named | cmp -s - "$folder/cpu.plain" || fail "$1: has other scores"
        return 0
    fi
    [ "$status" -eq 100 ] || fail "$1: status $status"
    grep -q '"error": *"' "$folder/named" && grep -q "\"backend_requested\": *\"$backend\"" "$folder/named" &&
        grep -q '"exit_code": *100' "$folder/named" || fail "$1: the error document is another"
    return 1
}
is_frame() { # whether it was the error document of a frame
    grep -q '"error": *"backend failed"' "$folder/named"
}
# The CPU gets only as many frames as it needs to begin until the backend has had time to join.
check_auto() { # faults
    {
        head -c $((frame * 4))
        sleep "$pause"
        cat
    } <"$folder/dist" | score auto "$1" --backend auto --backend-device "$backend:0" ||
        fail "$1: auto ends with status $?"
    plain auto | cmp -s - "$folder/cpu.plain" || fail "$1: auto has other scores"
}
has_event() {
    grep -q '"backend_events"' "$folder/auto" && grep -q "\"backend\": *\"$backend\"" "$folder/auto"
}

# The report names the event, provided that the backend had time to join, which takes a while on a
# busy machine.
check_event() { # faults
    pause=1
    check_auto "$1"
    until has_event; do
        pause=$((pause * 2))
        check_auto "$1"
    done
}

if [ "$what" = hang ]; then # waits as long as the time limit: only there
    check_named "hang=$step" && fail "hang=$step: was not noticed"
    check_event "hang=$step"
else
    n=1
    before=0 # the last that fails before a frame is scored
    first=0  # that fails when a frame is scored
    while ! check_named "$what=$n"; do
        if ! is_frame; then
            before=$n
        elif [ "$first" -eq 0 ]; then
            first=$n
        fi
        pause=0.1
        check_auto "$what=$n"
        n=$((n + step))
        if [ "$n" -gt 1000 ]; then
            fail "the run never gets through"
            break
        fi
    done
    [ "$n" -gt 1 ] || fail "nothing has failed"
    echo "$what: the run gets through from $n on"
    if [ "$what" = lose ]; then
        [ "$first" -gt 0 ] || fail "no frame has failed"
        while [ $((first - before)) -gt 1 ]; do
            middle=$(((first + before) / 2))
            check_named "lose=$middle"
            if is_frame; then
                first=$middle
            else
                before=$middle
            fi
        done
        echo "submission $first is the first of a frame"
        check_event "lose=$first"
    fi
fi
[ "$failures" -eq 0 ] || exit 1
echo "all is well"
