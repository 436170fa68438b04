#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# What cutting a run costs, in processor time, for docs/scale-out.md: of shards beyond that of the run at once (start of
# the process, lead-in, the file); how unequal shards are; what a shard of a media file decodes before it begins; the
# merge.
#   shards.sh <vmaf> <synth> [reference distorted]
# With a pair of videos of your own, those are cut instead of a clip of 1920x1080; the merge has a clip of its own.
set -eu
vmaf=$1
synth=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
n_shards=12
frames=96
if [ $# -eq 4 ]; then
    reference=$3
    distorted=$4
else
    reference=$folder/ref.y4m
    distorted=$folder/dis.y4m
    "$synth" --scene texture --size 1920x1080 --frames $frames --output "$reference"
    "$synth" --scene texture --distortion blur --size 1920x1080 --frames $frames --output "$distorted"
fi

# Milliseconds of processor time, of the user and the system, with one thread.
cost() { # command
    (
        "$@" >/dev/null 2>"$folder/err" || { cat "$folder/err" >&2; exit 1; }
        times
    ) | awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); ms += 60000 * part[1] + 1000 * part[2] } }
        END { if (NR < 2) exit 1; printf "%d\n", ms }'
}
run_costs() { # name, reference, distorted, options
    name=$1
    reference=$2
    distorted=$3
    shift 3
    rm -rf "$folder/parts" && mkdir "$folder/parts"
    whole=$(cost "$vmaf" -r "$reference" -d "$distorted" "$@" --threads 1 -o "$folder/whole.json")
    shard=0
    while [ $shard -lt $n_shards ]; do
        cost "$vmaf" -r "$reference" -d "$distorted" "$@" --threads 1 --shard $shard/$n_shards \
            -o "$folder/parts/$shard.vmafs"
        shard=$((shard + 1))
    done >"$folder/costs"
    pairs=$(grep -c '"frameNum"' "$folder/whole.json")
    sort -n "$folder/costs" | awk -v name="$name" -v whole="$whole" -v pairs="$pairs" '
        { sum += $1; value[NR] = $1 }
        END {
            frame = whole / pairs
            printf "| %s | %.1f | %.1f | %.1f | %.2f | %.2f |\n", name, frame, (sum - whole) / NR,
                (sum - whole) / NR / frame, value[1] * NR / sum, value[NR] * NR / sum
        }'
}
echo "| run | ms per frame | ms beyond it per shard | in frames | smallest shard / mean | largest / mean |"
echo "|---|---:|---:|---:|---:|---:|"
run_costs "default model" "$reference" "$distorted"
run_costs "\`float_motion\`" "$reference" "$distorted" -n --feature float_motion
run_costs "\`speed_temporal\`" "$reference" "$distorted" -n --feature speed_temporal
run_costs "\`psnr\`" "$reference" "$distorted" -n --feature psnr
if command -v ffmpeg >/dev/null && [ $# -ne 4 ]; then
    for side in ref dis; do
        ffmpeg -v error -i "$folder/$side.y4m" -c:v libx264 -preset veryfast -crf 18 -g 24 "$folder/$side.mkv"
        ffmpeg -v error -i "$folder/$side.mkv" -c copy "$folder/$side.ts"
    done
    if "$vmaf" probe "$folder/ref.mkv" >"$folder/err" 2>&1; then
        run_costs "default model, H.264 in Matroska" "$folder/ref.mkv" "$folder/dis.mkv"
        run_costs "default model, H.264 in a transport stream" "$folder/ref.ts" "$folder/dis.ts"
    fi
fi

# The merge does not look at pictures, so small ones will do.
frames=20000
for side in identical blur; do
    "$synth" --scene texture --distortion $side --size 96x64 --format 400 --frames $frames --output "$folder/$side.y4m"
done
for n_shards in 10 100; do
    run_costs "small" "$folder/identical.y4m" "$folder/blur.y4m" >/dev/null
    bytes=$(cat "$folder"/parts/*.vmafs | wc -c)
    for format in json csv; do
        merge=$(cost "$vmaf" merge "$folder"/parts/*.vmafs -o "$folder/merged.$format")
        awk -v ms="$merge" -v frames=$frames -v shards=$n_shards -v format=$format -v bytes="$bytes" 'BEGIN {
            printf "merge of %d shards to %s: %.1f s of processor time per million frames; %d bytes of parts per frame\n",
                shards, format, ms / 1000 * 1e6 / frames, bytes / frames }'
    done
done
