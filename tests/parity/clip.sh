#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# One synthetic clip, scored by the CPU and a backend: all features of the backend, and some models.
#   clip.sh <vmaf> <synth> <parity.py> <backend> "<scene> <distortion> <size> <format> <depth> <frames>" [argument of parity.py...]
set -eu
vmaf=$1
synth=$2
parity=$3
backend=$4
clip=$5
shift 5
command -v python3 >/dev/null || {
    echo "skipped: there is no python3"
    exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

make() { # file, distortion
    distortion=$2
    file=$1
    # shellcheck disable=SC2086
    set -- $clip
    "$synth" --scene "$1" --distortion "$distortion" --size "$3" --format "$4" --depth "$5" --frames "$6" \
        --output "$folder/$file"
}
make ref.y4m identical
# shellcheck disable=SC2086
make dist.y4m "$(set -- $clip && echo "$2")"
python3 "$parity" --vmaf-binary "$vmaf" --reference "$folder/ref.y4m" --distorted "$folder/dist.y4m" \
    --backends cpu "$backend" --md-out "$folder/report.md" --json-out "$folder/report.json" "$@" || {
    status=$?
    cat "$folder/report.md"
    exit "$status"
}
