#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# --start, --frames and --duration find the frames that decoding from the beginning finds.
# shellcheck source=tests/media/common.sh
. "$(dirname "$0")/common.sh"

source=size=176x144:rate=25:duration=6
clip -pix_fmt yuv420p -c:v ffv1 -g 1 ref.mkv
to_y4m ref.mkv ref.y4m

try() { # file, frame
    to_y4m "$1" dist.y4m
    same "$1 from frame $2" ref.mkv "$1" --start "$2" --frames 6 -- \
        -r ref.y4m -d dist.y4m --frame_skip_ref "$2" --frame_skip_dist "$2" --frame_cnt 6
}
encode() { # name, encoder, options
    file=$1 encoder=$2
    shift 2
    has_encoder "$encoder" || return 0
    clip -pix_fmt yuv420p -c:v "$encoder" "$@" "$file"
    for frame in 0 1 33 ${frames:-47 71 100 143}; do
        try "$file" "$frame"
    done
}
encode a.mp4 libx264 -crf 36 -g 20 -bf 3 -preset veryfast
encode a.mkv libx264 -crf 36 -preset veryfast -x264-params open-gop=1:keyint=20:bframes=3
encode b.mkv libx265 -crf 40 -preset ultrafast -x265-params log-level=none:open-gop=1:keyint=20:bframes=3
frames="60 120"
encode a.ts libx264 -crf 36 -g 20 -bf 2 -preset veryfast
encode r.mp4 libx264 -crf 36 -preset veryfast -x264-params intra-refresh=1:keyint=20
encode c.webm libvpx-vp9 -b:v 100k -g 20 -deadline realtime -cpu-used 8
encode e.ts mpeg2video -q:v 20 -g 12 -bf 2
encode h.264 libx264 -crf 36 -g 20 -preset veryfast

# An edit list that leaves out the beginning.
make -ss 1.3 -i a.mp4 -c copy edited.mp4
try edited.mp4 50
# A first frame that is not at 0, and times that are not regular.
make -i a.mp4 -c copy -output_ts_offset 7.5 late.mkv
try late.mkv 90
make -i a.mp4 -vf "select='not(mod(n\\,3))+lt(n\\,40)'" -fps_mode passthrough -c:v libx264 -g 15 vfr.mkv
try vfr.mkv 60

# Containers that call frames key frames that are none: all, where MP4 has no list of them, or some. Decoders of MPEG-4
# and HEVC begin anywhere, at some places without a word.
patch() { # file, box, offset behind its name, bytes for printf
    at=$(grep -obUaP "$2" "$1" | head -n 1 | cut -d: -f1)
    # shellcheck disable=SC2059 # escapes
    printf "$4" | dd of="$1" bs=1 seek=$((at + $3)) conv=notrunc 2>/dev/null
}
lie() { # name, encoder, options
    has_encoder "$2" || return 0
    name=$1 encoder=$2
    shift 2
    clip -pix_fmt yuv420p -c:v "$encoder" "$@" "$name.mp4"
    cp "$name.mp4" "$name-all.mp4"
    patch "$name-all.mp4" stss 0 free
    cp "$name.mp4" "$name-some.mp4"
    patch "$name-some.mp4" stss 19 '\052' # the second key frame is frame 42, not 51
    patch "$name-some.mp4" stss 23 '\137' # and the third 95, not 101
    for frame in 45 71 97 120; do
        try "$name-all.mp4" $frame
        try "$name-some.mp4" $frame
    done
    score whole.csv ref.mkv "$name-all.mp4"
    rm -f part-*.vmafs
    for i in 0 1 2 3; do
        "$vmaf" ref.mkv "$name-all.mp4" -q --feature psnr --shard $i/4 -o part-$i.vmafs || fail "$name: shard $i: status $?"
    done
    "$vmaf" merge part-*.vmafs -q --precision max -o merged.csv || fail "$name: the merge has status $?"
    same_scores "$name in shards" merged.csv whole.csv
}
lie m mpeg4 -q:v 12 -g 50
lie n libx264 -crf 36 -g 50 -preset ultrafast
lie o libx265 -crf 40 -preset ultrafast -x265-params log-level=none:keyint=50:min-keyint=50

# Times: 100 frames are 4 s.
score module.csv ref.mkv a.mp4 --start 4s --duration 0.2
score again.csv ref.mkv a.mp4 --start 100 --frames 5
same_scores "4s for 0.2 s" module.csv again.csv
score module.csv ref.mkv a.mp4 --start 0:00:03.99 --frames 5
same_scores "the first frame at or after 3.99 s" module.csv again.csv
score module.csv -r ref.y4m -d a.mp4 --start 0:04.0 --frames 5
same_scores "a time in Y4M" module.csv again.csv
score module.csv -r ref.y4m -d a.mp4 --start 100 --frames 5
same_scores "a frame in Y4M" module.csv again.csv
status=0
"$vmaf" ref.mkv a.mp4 --start 5000 -q 2>/dev/null || status=$?
[ $status -eq 234 ] || fail "behind the end: status $status"
finish 31
