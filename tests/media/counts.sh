#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Frames are counted and not packets: VP8 and VP9 have packets that are never shown. A part of such a film,
# and its shards, have the scores of a run from the beginning.
# shellcheck source=tests/media/common.sh
. "$(dirname "$0")/common.sh"
command -v ffprobe >/dev/null || skip "there is no ffprobe"

make -f lavfi -i mandelbrot=s=320x240:start_scale=0.01:rate=25 -frames:v 1 still.png
make -loop 1 -i still.png -vf "crop=160:120:x='mod(n*2,160)':y=n,noise=alls=4:allf=t:all_seed=5,format=yuv420p" -frames:v 60 \
    -c:v ffv1 ref.mkv
to_y4m ref.mkv ref.y4m

number() { # frames or packets, file
    ffprobe -v error -select_streams v -count_"$1" -show_entries stream=nb_read_"$1" -of csv=p=0 "$2" | tr -d ','
}
try() { # file
    checks=$((checks + 1))
    shown=$(number frames "$1")
    [ "$(number packets "$1")" -gt "$shown" ] || { echo "$1 has no hidden packets here"; return 0; }
    "$vmaf" probe "$1" --json | grep -q "^{\"frames\": $shown," || fail "$1: $("$vmaf" probe "$1" | grep '^frames'), not $shown"
    "$vmaf" probe "$1" | grep -q "^frames  *$shown\$" || fail "$1: the table has another number"
    # Packets of unequal numbers of frames are found by their place in what is shown.
    to_y4m "$1" dist.y4m
    score piped.csv -r ref.y4m -d dist.y4m --frame_skip_ref 45 --frame_skip_dist 45
    score module.csv ref.mkv "$1" --start 45
    same_scores "$1 from frame 45" module.csv piped.csv
    rm -f part-*.vmafs
    score whole.csv ref.mkv "$1"
    for i in 0 1 2; do
        "$vmaf" ref.mkv "$1" -q --feature psnr --shard $i/3 -o part-$i.vmafs || fail "$1: shard $i has status $?"
    done
    "$vmaf" merge part-*.vmafs -q --precision max -o merged.csv || fail "$1: the merge has status $?"
    same_scores "$1 in shards" merged.csv whole.csv
}
n_tried=0
for codec in libvpx libvpx-vp9; do
    has_encoder $codec || continue
    n_tried=$((n_tried + 1))
    for pass in 1 2; do
        output=$codec.webm
        [ $pass -eq 2 ] || output="-f null -"
        # shellcheck disable=SC2086 # words
        make -i ref.mkv -c:v $codec -b:v 200k -auto-alt-ref 1 -lag-in-frames 16 -arnr-maxframes 5 -cpu-used 5 -pass $pass \
            -passlogfile $codec $output
    done
done
[ $n_tried -gt 0 ] || skip "ffmpeg has no encoder of VP8 or VP9"
if [ -e libvpx.webm ]; then
    try libvpx.webm
    score whole.csv libvpx.webm ref.mkv
    score times.csv libvpx.webm ref.mkv --sync time
    same_scores "libvpx.webm by time" times.csv whole.csv
fi
if [ -e libvpx-vp9.webm ]; then
    # Muxers join a hidden frame of VP9 and the next one in a packet.
    make -i libvpx-vp9.webm -c copy -bsf:v vp9_superframe_split -f nut apart.nut
    try apart.nut
    checks=$((checks + 1))
    "$vmaf" probe libvpx-vp9.webm | grep -q '^frames  *60$' || fail "joined: $("$vmaf" probe libvpx-vp9.webm | grep '^frames')"
    # Profile 3 has a bit more in the headers of its frames.
    if make -i ref.mkv -frames:v 8 -pix_fmt yuv444p10le -c:v libvpx-vp9 -g 4 -deadline realtime -cpu-used 8 profile-3.webm; then
        checks=$((checks + 1))
        "$vmaf" probe profile-3.webm | grep -q '^frames  *8$' || fail "profile 3: $("$vmaf" probe profile-3.webm | grep '^frames')"
    fi
fi

# A pipe is read once.
make -i ref.mkv -frames:v 5 -c:v ffv1 five.mkv
to_y4m five.mkv five.y4m
for file in five.mkv five.y4m; do
    checks=$((checks + 2))
    # shellcheck disable=SC2002 # a pipe is the point
    cat $file | "$vmaf" probe - --json | grep -q '^{"frames": null,' || fail "a pipe of $file has a number of frames"
    # shellcheck disable=SC2002 # a pipe is the point
    cat $file | "$vmaf" probe - | grep -q '^frames  *unknown$' || fail "a pipe of $file: the table has a number of frames"
done
finish 5
