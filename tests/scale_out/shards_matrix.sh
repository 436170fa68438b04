#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The long form of tests/cli/test_cli_shards.c: 300 frames, all built-in models, many numbers of shards,
# and whoever is there to compute them.
#   shards_matrix.sh <vmaf> <synth> [folder of plugins, names of backends...]
# Parts of it by variables: COUNTS="1 2 8", MODELS="vmaf_v0.6.1"; MODELS="": features alone.
set -eu
vmaf=$1 synth=$2
shift 2
if [ $# -gt 0 ]; then
    export VMAF_BACKEND_PATH="$1" VMAF_BACKEND_PROBE=inprocess
    shift
fi
backends="cpu $*"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
counts=${COUNTS:-1 2 8 299 300 310}
checks=0

fail() {
    echo "FAILED: $*" >&2
    exit 1
}
# The models of 2160 lines halve pictures, and chroma planes have to be 80 samples high.
"$synth" --scene edges --size 352x320 --frames 300 --output ref.y4m
"$synth" --scene edges --size 352x320 --frames 300 --distortion blur --output dis.y4m

backend_of() { # number, names...: one of the names, in turn
    shift $(($1 % ($# - 1) + 1))
    echo "$1"
}
# A device takes a second to start: of many shards it gets one in 50.
backend_for() { # shard
    turn=$1
    if [ "$n" -gt 50 ]; then
        [ $(($1 % 50)) -eq 49 ] || turn=0
        [ "$turn" -eq 0 ] || turn=$(($1 / 50 + 1))
    fi
    # shellcheck disable=SC2086 # a list
    backend_of "$turn" $backends
}
same() { # format
    sed '/"fps"/d; s/ fps="[^"]*"//' "whole.$1" >whole.txt
    sed '/"fps"/d; s/ fps="[^"]*"//' "other.$1" >other.txt
    cmp -s whole.txt other.txt || {
        diff whole.txt other.txt | head -n 4 >&2
        fail "$what in $n shards: $1"
    }
    checks=$((checks + 1))
}
try() { # arguments of the run
    what=$*
    "$vmaf" ref.y4m dis.y4m "$@" -o whole.xml -o whole.json -o whole.csv -o whole.sub -o whole.ndjson
    for n in $counts; do
        rm -f part-*.vmafs
        i=0
        while [ $i -lt "$n" ]; do
            backend=$(backend_for $i)
            "$vmaf" ref.y4m dis.y4m "$@" --shard $i/"$n" -o part-$i.vmafs --threads $((i % 3)) \
                --backend "$backend" || fail "$what: shard $i/$n on $backend: status $?"
            i=$((i + 1))
        done
        "$vmaf" merge part-*.vmafs -o other.xml -o other.json -o other.csv -o other.sub -o other.ndjson ||
            fail "$what: merge of $n: status $?"
        for format in xml json csv sub ndjson; do
            same $format
        done
    done
}

for model in ${MODELS-$("$vmaf" --list-models | awk '/^vmaf_/ { print $1 }')}; do
    try -m "version=$model"
done
if [ -z "${MODELS:-}" ]; then
    try -n --feature psnr=enable_apsnr=true --feature motion=motion_five_frame_window=true:motion_max_val=5
    try -n --feature motion=motion_moving_average=true --feature float_motion --feature speed_temporal
    try -n --subsample 3 --feature speed_temporal --feature psnr=enable_apsnr=true
fi
echo "$checks reports were equal"
[ "$checks" -ge 5 ]
