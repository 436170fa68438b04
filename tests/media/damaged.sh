#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Damaged and strange files end with scores of all frames, or with one clear line; never in a crash,
# nor with fewer frames than the file has and nothing said of it.
#   damaged.sh <vmaf> <folder> [number of damaged files of each kind]
# shellcheck source=tests/media/common.sh
. "$(dirname "$0")/common.sh"
rounds=${3:-13}

source=size=176x144:rate=25:duration=0.8
n_frames=20
clip -pix_fmt yuv420p -c:v ffv1 ref.mkv
clip -pix_fmt yuv420p -c:v libx264 -crf 30 a.mp4
clip -pix_fmt yuv420p -c:v libx264 -crf 30 -movflags faststart f.mp4
clip -pix_fmt yuv420p -c:v libx264 -crf 30 a.mkv
clip -pix_fmt yuv420p -c:v libx264 -crf 30 a.ts
clip -pix_fmt yuv420p -c:v libx265 -x265-params log-level=none -crf 30 b.mp4
clip -pix_fmt yuv420p -c:v libvpx-vp9 -deadline realtime -cpu-used 8 c.webm
clip -pix_fmt yuv420p -c:v mpeg2video e.ts

n_scored=0
n_refused=0
try() { # file [status that is expected [options]]
    checks=$((checks + 1))
    status=0
    # shellcheck disable=SC2086 # options
    timeout 1800 "$vmaf" ref.mkv "$1" --threads 1 --csv -o damaged.csv ${3:-} 2>err.txt >/dev/null || status=$?
    case $status in
    0)
        n_scored=$((n_scored + 1))
        rows=$(($(wc -l <damaged.csv) - 1))
        [ $rows -eq $n_frames ] || grep -qE 'ended before|has [0-9]+ frames' err.txt ||
            fail "$1: $rows frames are scored, and nothing is said"
        ;;
    234 | 255)
        n_refused=$((n_refused + 1))
        [ -s err.txt ] || fail "$1: status $status without a word"
        [ ! -e damaged.csv ] || fail "$1: a report in spite of status $status"
        ;;
    *) fail "$1: status $status" ;;
    esac
    [ -z "${2:-}" ] || [ $status -eq "$2" ] || fail "$1: status $status, not $2: $(head -n 2 err.txt)"
    rm -f damaged.csv
}

random=12345
next_random() { # bound
    random=$(((random * 1103515245 + 12345) % 2147483648))
    drawn=$((random / 65536 % $1 + random % 3))
}
poke() { # file, offset, bytes for printf
    # shellcheck disable=SC2059 # escapes
    printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
offset_of() { # pattern, file
    grep -obUaP "$1" "$2" | head -n 1 | cut -d: -f1
}
for file in a.mp4 f.mp4 a.mkv a.ts b.mp4 c.webm e.ts; do
    try $file 0
    size=$(wc -c <$file)
    round=0
    while [ $round -lt "$rounds" ]; do
        round=$((round + 1))
        # Cut.
        head -c $((size * round / (rounds + 1))) $file >"cut.${file##*.}"
        try "cut.${file##*.}"
        # Eight bytes are others.
        cp $file "flip.${file##*.}"
        next_random $((size / 9 + 1))
        poke "flip.${file##*.}" $((drawn * 9 % size)) '\252\125\377\000\001\302\013\177'
        try "flip.${file##*.}"
        [ $((round % 4)) -ne 1 ] || try "flip.${file##*.}" '' --autocrop # reads here and there
    done
done

# Strange files.
: >empty.mp4
try empty.mp4 255
head -c 4000 /dev/urandom >noise.mkv
try noise.mkv 255
make -f lavfi -i sine=duration=1 -c:a aac sound.mp4
clip -frames:v 1 cover.png
make -i sound.mp4 -i cover.png -map 0 -map 1 -c copy -disposition:v:0 attached_pic cover.mp4
clip -vf scale=2:2 -pix_fmt yuv444p -c:v ffv1 tiny.mkv
clip -t 0.4 -pix_fmt yuv420p -c:v mpeg2video one.ts
clip -t 0.4 -vf scale=128:96 -pix_fmt yuv420p -c:v mpeg2video two.ts
try sound.mp4 255
grep -q 'no video stream' err.txt || fail "sound alone is not named"
try cover.mp4 255
grep -q 'attached' err.txt || fail "an attached picture is not named"
try tiny.mkv 0
cat one.ts two.ts >changes.ts
try changes.ts 234
grep -qE 'frame [0-9]+, at [0-9.]+ s' err.txt || fail "the change of size has no place"
clip -t 0.4 -pix_fmt yuv420p -c:v libx264 -bsf:v h264_mp4toannexb one.h264
clip -t 0.4 -vf scale=128:96 -pix_fmt yuv420p -c:v libx264 -bsf:v h264_mp4toannexb two.h264
clip -t 0.4 -pix_fmt yuv420p10 -c:v libx264 -bsf:v h264_mp4toannexb three.h264
for other in two three; do
    cat one.h264 $other.h264 >changes.h264
    try changes.h264 234
    grep -qE 'those before 176x144 yuv420p' err.txt || fail "h264, then $other.h264: $(head -n 1 err.txt)"
done

# Sizes: the smallest, the largest, larger ones.
clip -vf scale=1:1 -pix_fmt yuv444p -c:v ffv1 point.mkv
clip -vf scale=1:1 -pix_fmt gray -c:v ffv1 gray.mkv
make -f lavfi -i color=size=16384x8192:rate=25 -frames:v 1 -pix_fmt gray -c:v mjpeg -q:v 31 large.avi
clip -frames:v 1 -pix_fmt gray -c:v png -f image2 large.png
try point.mkv 0
try gray.mkv 0
try large.avi 0
for size in '\0\0\100\0\0\0\100\0' '\0\0\300\0\0\0\300\0'; do # 16384, 49152
    poke large.png 16 "$size"
    try large.png
    [ $status -ne 0 ] || fail "a picture of 104 bytes has how many samples?"
    grep -qE '16384x16384|49152x49152|size' err.txt || fail "large.png: $(head -n 1 err.txt)"
done
checks=$((checks + 1))
status=0
"$vmaf" point.mkv point.mkv -q 2>err.txt || status=$?
[ $status -eq 255 ] || [ $status -eq 234 ] || fail "1x1 with itself: status $status"
[ -s err.txt ] || fail "1x1 with itself: not a word"

# Headers that lie: about the size, in the container and in the stream; about the number of frames.
for size in '\0\1\0\1' '\0\340\0\20' '\177\377\177\377' '\0\0\0\0'; do
    cp a.mp4 lie.mp4
    poke lie.mp4 $(($(offset_of avc1 a.mp4 || true) + 28)) "$size"
    try lie.mp4
    cp b.mp4 lie.mp4
    poke lie.mp4 $(($(offset_of 'hev1|hvc1' b.mp4) + 28)) "$size"
    try lie.mp4
done
clip -pix_fmt yuv420p -c:v ffv1 ffv1.avi
for size in '\020\0\0\0\020\0\0\0' '\377\377\0\0\377\377\0\0' '\0\40\0\0\0\40\0\0'; do
    cp ffv1.avi lie.avi
    poke lie.avi $(($(offset_of strf ffv1.avi) + 12)) "$size"
    try lie.avi
    [ $status -ne 0 ] || grep -q 'is scaled from' err.txt || fail "the size of FFV1 is not said"
done
for count in '\0\0\0\1' '\0\0\0\0' '\377\377\377\377' '\0\0\1\0'; do
    cp a.mp4 lie.mp4
    poke lie.mp4 $(($(offset_of stsz a.mp4) + 12)) "$count"
    try lie.mp4
done

# Cut off between two frames, far behind the key frame where decoding begins.
make -f lavfi -i testsrc2=size=96x64:rate=25:duration=3.4 -pix_fmt yuv420p -c:v libx264 -preset ultrafast -g 20 \
    -movflags faststart long.mp4
end=$(ffprobe -v error -select_streams v -show_entries packet=pos,size -of csv=p=0 long.mp4 |
    awk -F, 'NR == 70 { print $1 + $2 }')
head -c "$end" long.mp4 >even.mp4
for start in 0 45; do
    checks=$((checks + 1))
    status=0
    "$vmaf" even.mp4 even.mp4 --start $start -q -o damaged.csv 2>err.txt || status=$?
    [ $status -eq 234 ] && [ ! -e damaged.csv ] || fail "cut off, from frame $start: status $status"
    grep -q 'the file is cut off: it has 70 frames of 85' err.txt || fail "cut off, from frame $start: $(cat err.txt)"
done
checks=$((checks + 1))
"$vmaf" even.mp4 even.mp4 --start 45 --frames 20 -q --csv -o damaged.csv || fail "cut off behind what is scored"
[ "$(wc -l <damaged.csv)" -eq 21 ] || fail "cut off behind what is scored: $(wc -l <damaged.csv) lines"
rm -f damaged.csv

# Nothing to decode.
clip -t 0 -pix_fmt yuv420p -c:v libx264 none.mp4 2>/dev/null || true
clip -t 0 -pix_fmt yuv420p -c:v libx264 none.mkv 2>/dev/null || true
clip -pix_fmt yuv420p -c:v libx264 -encryption_scheme cenc-aes-ctr \
    -encryption_key 00112233445566778899aabbccddeeff -encryption_kid 00112233445566778899aabbccddeeff secret.mp4
for file in none.mp4 none.mkv; do
    try $file
    [ $status -ne 0 ] || fail "$file: there are scores of no frames"
done
try secret.mp4 255
grep -q 'encrypted' err.txt || fail "encryption is not named: $(head -n 1 err.txt)"

# Turned and cropped: scored as they are shown.
make -display_rotation 90 -i a.mp4 -c copy turned.mp4 2>/dev/null ||
    make -i a.mp4 -c copy -metadata:s:v rotate=90 turned.mp4
try turned.mp4 0
grep -q 'is rotated by' err.txt || fail "rotation is not noted"
grep -q 'from 144x176 to 176x144' err.txt || fail "a turned video is not scaled: $(cat err.txt)"
make -i a.mp4 -c copy -bsf:v h264_metadata=crop_right=16:crop_bottom=32 cropped.mp4
try cropped.mp4 0
grep -q 'from 160x112 to 176x144' err.txt || fail "a cropped video is not: $(cat err.txt)"
status=0
"$vmaf" ref.mkv two.ts --scale none -q 2>err.txt || status=$?
[ $status -eq 255 ] || fail "--scale none: status $status"

# Damage can be ignored, and is counted.
cp e.ts flip.ts
printf '\252\125\377\000\001\302\013\177' | dd of=flip.ts bs=1 seek=$(($(wc -c <e.ts) / 2)) conv=notrunc 2>/dev/null
try flip.ts 234
grep -qE 'frame [0-9]+, (at|after) [0-9.]+ s' err.txt || fail "the damaged frame is not named"
"$vmaf" ref.mkv flip.ts --errors ignore --threads 1 2>err.txt || fail "--errors ignore: status $?"
grep -q 'errors of the distorted video were ignored' err.txt || fail "ignored errors are not counted"

# Shorter, and of another rate.
make -i ref.mkv -frames:v 12 -c:v ffv1 short.mkv
try short.mkv 0
grep -q 'the reference has 20 frames, the distorted video 12' err.txt || fail "counts are not said"
make -r 30 -i ref.mkv -c:v ffv1 rate.mkv
try rate.mkv 0
grep -q 'frame rates differ' err.txt || fail "rates are not said"

# Without the module: one line with its package and the command.
status=0
VMAF_MEDIA_PATH=$work/none "$vmaf" ref.mkv a.mp4 2>err.txt || status=$?
[ $status -eq 255 ] || fail "without the module: status $status"
[ "$(wc -l <err.txt)" -eq 1 ] || fail "without the module: more than a line"
grep -q 'vmaf-media-ffmpeg.*ffmpeg -i ref.mkv -fps_mode passthrough -strict -1' err.txt ||
    fail "the package or the command is not named"
hidden() { # what, arguments
    what=$1
    shift
    checks=$((checks + 1))
    VMAF_MEDIA_PATH=$work/none "$vmaf" "$@" --threads 1 --csv -o hidden.csv 2>err.txt || fail "$what without the module: $(cat err.txt)"
    [ "$(wc -l <hidden.csv)" -eq $((n_frames + 1)) ] || fail "$what without the module: no scores"
}
to_y4m ref.mkv ref.y4m
make -i ref.mkv -fps_mode passthrough -f rawvideo ref.yuv
hidden Y4M -r ref.y4m -d ref.y4m
hidden "raw video" -r ref.yuv -d ref.yuv -w 176 -h 144 -p 420 -b 8
hidden "a part of Y4M" -r ref.y4m -d ref.y4m --start 0 --frames 20
checks=$((checks + 1))
status=0
VMAF_MEDIA_PATH=$work/none "$vmaf" ref.y4m ref.y4m --autocrop -q 2>err.txt || status=$?
[ $status -eq 255 ] && grep -q vmaf-media-ffmpeg err.txt || fail "--autocrop without the module: $status, $(cat err.txt)"

# Words that are not two files.
for words in "ref.mkv" "ref.mkv a.mp4 a.ts" "-r ref.mkv a.mp4" "ref.mkv a.mp4 -d a.ts"; do
    status=0
    # shellcheck disable=SC2086 # arguments
    "$vmaf" $words 2>/dev/null || status=$?
    [ $status -eq 1 ] || fail "$words: status $status"
done

# What a file is.
"$vmaf" probe a.mp4 | grep -q '^frames  *20$' || fail "probe does not count"
"$vmaf" probe --json a.mp4 >probe.json
grep -q '"codec": "h264"' probe.json || fail "probe --json names no codec"
"$vmaf" ref.mkv q.mkv 2>/dev/null && fail "a file that is not there"
"$vmaf" ref.mkv tiny.mkv --quiet -o notes.json
grep -q '"notes": \[.*is scaled from 2x2 to 176x144 (bicubic, libswscale' notes.json || fail "no note in the report"
echo "$n_scored scored, $n_refused refused"
finish $((7 * (1 + 2 * rounds) + 14))
