#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Several distorted videos of one reference on a device: each has the scores of a run of its own on the CPU, and
# the reference of a frame is uploaded once for all of them.
#   group.sh <vmaf> <synth> <backend> "<size> <format> <depth> <frames>" [feature or model...]
set -eu
vmaf=$1
synth=$2
backend=$3
clip=$4
shift 4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "group.sh: $*" >&2
    cat "$folder/log" >&2
    exit 1
}
frames=${clip##* }
make() { # file, distortion
    # shellcheck disable=SC2086 # a list of words
    set -- "$1" "$2" $clip
    "$synth" --scene texture --distortion "$2" --size "$3" --format "$4" --depth "$5" --frames "$6" \
        --output "$folder/$1.y4m"
}
for made in ref:identical blur:blur noise:noise shift:shift; do
    make "${made%:*}" "${made#*:}"
done
score() { # report, arguments...
    report=$1
    shift
    "$vmaf" -r "$folder/ref.y4m" --precision max --json -o "$folder/$report" "$@" >"$folder/log" 2>&1 ||
        fail "$report fails"
}
# Without values that depend on time, and without keys that only backends add.
plain() {
    tr -d ' \n' <"$folder/$1" | sed -e 's/"fps":[0-9.]*,//' -e 's/,"feature_backends":\[[^]]*\]//' \
        -e 's/,"backend_used":"[a-z]*"//' -e 's/,"backend_spot_checks":{[^}]*}//'
}

for threads in 0 2; do
    VMAF_TRACE=$folder/trace score '{}.together' -d "$folder/blur.y4m" -d "$folder/noise.y4m" \
        -d "$folder/shift.y4m" --backend "$backend" --threads $threads "$@"
    for distorted in blur noise shift; do
        score $distorted.alone -d "$folder/$distorted.y4m" --backend cpu "$@"
        grep -q "\"backend\": \"$backend\"" "$folder/$distorted.together" || fail "$backend has not taken part"
        [ "$(plain $distorted.together)" = "$(plain $distorted.alone)" ] || {
            plain $distorted.together >&2
            plain $distorted.alone >&2
            fail "the scores of $distorted differ"
        }
        [ "$(plain $distorted.alone | wc -c)" -gt 500 ] || fail "there are no scores"
    done
    uploads=$(grep -c '"upload the reference"' "$folder/trace") || true
    [ "$uploads" = "$frames" ] || fail "the references of $frames frames were uploaded $uploads times"
done
echo "all is well"
