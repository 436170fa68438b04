#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Times of frames in NDJSON reports and on pages are those that the reference states, since its first
# frame.
# shellcheck source=tests/media/common.sh
. "$(dirname "$0")/common.sh"

command -v ffprobe >/dev/null || skip "there is no ffprobe"

# Frames that are shown for longer and longer, from some time on that is not 0.
has_encoder libx264 || skip "there is no libx264"
make -f lavfi -i testsrc2=size=96x64:rate=25:duration=0.8 -vf "settb=1/90000,setpts=(N*N+3)*1800" -fps_mode passthrough \
    -enc_time_base 1:90000 -video_track_timescale 90000 -pix_fmt yuv420p -c:v libx264 -bf 2 a.mkv
make -i a.mkv -c copy a.ts

stated() { # file
    ffprobe -v error -select_streams v:0 -show_entries frame=pts_time -of csv=p=0 "$1" | tr -d ',' |
        awk 'NF { if (!n++) first = $1; printf "%.6f\n", $1 - first }'
}
seen() { # report
    sed -n 's/.*"time":\([0-9.]*\),.*/\1/p' "$1"
}
compare() { # what, expected, seen
    checks=$((checks + 1))
    [ -s "$2" ] || { fail "$1: ffprobe states no times"; return; }
    [ "$(wc -l <"$2")" -eq "$(wc -l <"$3")" ] || { fail "$1: $(wc -l <"$3") times"; return; }
    paste "$2" "$3" | awk -v what="$1" '$1 - $2 > 2e-6 || $2 - $1 > 2e-6 {
        print what ": " $2 " instead of " $1; bad = 1 } END { exit bad }' || fail "$1: other times"
}

for file in a.mkv a.ts; do
    stated "$file" >all
    "$vmaf" "$file" "$file" -o all.ndjson -o page.html >said 2>&1 || fail "$file: $(cat said)"
    seen all.ndjson >times
    compare "$file" all times
    # The time of the last frame, which is shown long after what the mean rate says.
    grep -q '"times":\[' page.html || fail "$file: the page has no times"

    tail -n +8 all | head -n 5 >some
    "$vmaf" "$file" "$file" --start 7 --frames 5 -o some.ndjson >said 2>&1 || fail "$file: $(cat said)"
    seen some.ndjson >times
    compare "$file from frame 7" some times

    "$vmaf" "$file" "$file" --frame_skip_ref 7 --frames 5 -o some.ndjson >said 2>&1
    seen some.ndjson >times
    compare "$file after 7 frames" some times

    awk 'NR % 4 == 1' all >some
    "$vmaf" "$file" "$file" --subsample 4 -o some.ndjson >said 2>&1
    seen some.ndjson >times
    compare "every fourth frame of $file" some times
done

# Several videos have one reference.
cp a.mkv b.mkv
"$vmaf" -r a.mkv -d a.mkv -d b.mkv -o 'of-{}.ndjson' >said 2>&1 || fail "several: $(cat said)"
stated a.mkv >stated
for name in a b; do
    seen of-$name.ndjson >times
    compare "$name of several" stated times
done

# Matroska rounds times to milliseconds, that of the first frame as well: frames seem to come a little
# sooner or later than in MP4.
paired() { # reference, distorted, frames of it that are used again, pairs, frames that are not used
    checks=$((checks + 1))
    "$vmaf" "$1" "$2" --sync time -o paired.json >said 2>&1 || fail "--sync time: $(cat said)"
    grep -q "paired by their time: $3 of the distorted video were used again, ${5:-0} not at all" paired.json ||
        fail "$1 and $2 by time, at $rate: $(grep -o 'frames are paired[^"]*' paired.json)"
    [ "$(grep -c '"frameNum"' paired.json)" -eq "$4" ] || fail "$1 and $2 by time: $(grep -c '"frameNum"' paired.json) pairs"
}
for rate in 24 24000/1001 30000/1001 50 60000/1001 30; do
    make -f lavfi -i testsrc2=size=96x64:rate=$rate -frames:v 40 -pix_fmt yuv420p -c:v libx264 -preset ultrafast c.mp4
    make -i c.mp4 -c copy c.mkv
    make -i c.mp4 -c copy -output_ts_offset 0.0204 late.mkv
    paired c.mp4 c.mkv 0 40
    paired c.mkv c.mp4 0 40
    paired c.mp4 late.mkv 0 40
    paired late.mkv c.mp4 0 40
    paired c.mkv late.mkv 0 40
done
# Where a tick is as long as a frame nothing is rounded.
make -f lavfi -i testsrc2=size=96x64:rate=25 -frames:v 20 -c:v mpeg4 -q:v 2 c.avi
make -i c.avi -vf fps=50 -frames:v 40 -c:v libx264 -preset ultrafast twice.mp4
rate=25
paired twice.mp4 c.avi 20 40
paired c.avi twice.mp4 0 20 19
paired c.avi c.avi 0 20
rate=30
# The last frame is shown as long as the one before, so it has two frames of the reference as well.
make -i c.mp4 -vf "select='not(mod(n\\,2))'" -fps_mode passthrough -c:v ffv1 half.mkv
paired c.mp4 half.mkv 20 40

# The last line tells what was compared.
tail -n 1 all.ndjson | grep -q '^{"pooled_metrics":{.*"aggregate_metrics":{}, *"input": {.*}$' ||
    fail "the last line has no input: $(tail -n 1 all.ndjson | cut -c1-200)"
[ "$(wc -l <all.ndjson)" -eq "$(($(wc -l <all) + 1))" ] || fail "a line is not one line"
# Rates are those of the times, whatever the header says: a clock's 1000, or another film's.
film() { # rate
    rate=$1
    make -f lavfi -i testsrc2=size=96x64:rate=$rate -frames:v 40 -pix_fmt yuv420p -c:v libx264 -preset ultrafast -bf 2 true.mkv
}
film 50/1
make -i true.mkv -c copy true.flv
# File, where the rate begins behind a mark, its bytes, how the container counts them.
lie() {
    cp "true.${1##*.}" "$1"
    at=$(grep -obUaP "$2" "$1" | head -n 1 | cut -d: -f1)
    # shellcheck disable=SC2059 # escapes
    printf "$4" | dd of="$1" bs=1 seek=$((at + $3)) conv=notrunc 2>/dev/null
    checks=$((checks + 1))
    ffprobe -v error -select_streams v -show_entries stream=avg_frame_rate -of csv=p=0 "$1" | grep -q "^$5/1" ||
        fail "$1 does not lie: $(ffprobe -v error -show_entries stream=avg_frame_rate -of csv=p=0 "$1")"
    "$vmaf" probe "$1" | grep -q "^rate  *$rate " || fail "$1: $("$vmaf" probe "$1" | grep '^rate')"
    "$vmaf" true.mkv "$1" >said 2>&1 || fail "$1: $(cat said)"
    ! grep -q 'frame rates differ' said || fail "$1: $(cat said)"
}
lie clock.mkv '\x23\xe3\x83\x84' 4 '\000\017\102\100' 1000 # DefaultDuration, nanoseconds
lie slow.mkv '\x23\xe3\x83\x84' 4 '\002\142\132\000' 25
lie clock.flv '\x00\x09framerate\x00' 12 '\100\217\100\000\000\000\000\000' 1000
film 30000/1001 # of which Matroska rounds the times
lie ntsc.mkv '\x23\xe3\x83\x84' 4 '\002\142\132\000' 25
checks=$((checks + 1))
"$vmaf" probe a.mkv | grep -q '^rate' || fail "times that vary have no rate"
finish 48
