#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# What is said of files that cannot be read, and of what is not known about others.
# shellcheck source=tests/media/common.sh
. "$(dirname "$0")/common.sh"

rm -f -- *.mp4 *.m4s
make -f lavfi -i testsrc2=size=96x80:rate=25:duration=0.32 -pix_fmt yuv420p -c:v ffv1 ref.mkv
make -i ref.mkv -c:v mpeg4 -video_track_timescale 12800 named.mp4
make -i named.mp4 -c copy -movflags +frag_keyframe+empty_moov+default_base_moof fragments.mp4

said() { # status, pattern, what is not said or "", arguments
    wanted=$1 pattern=$2 never=$3
    shift 3
    checks=$((checks + 1))
    status=0
    "$vmaf" "$@" >out.txt 2>&1 || status=$?
    [ "$status" = "$wanted" ] || fail "$*: status $status, not $wanted: $(cat out.txt)"
    grep -q -e "$pattern" out.txt || fail "$*: no '$pattern' in: $(cat out.txt)"
    [ -z "$never" ] || ! grep -e "$never" out.txt || fail "$*: '$never' is said"
}

# Boxes of MP4: their size, their type, and what is in them.
box() { # size in octal of one byte, type, content
    printf "\\000\\000\\000\\$1$2$3"
}
{ box 034 ftyp 'heic\000\000\000\000mif1heic'; head -c 400 /dev/zero; } >still.heic
{ box 034 ftyp 'avif\000\000\000\000mif1avif'; head -c 400 /dev/zero; } >still.avif
moof=$(grep -abo moof fragments.mp4 | head -n 1 | cut -d: -f1)
tail -c +$((moof - 3)) fragments.mp4 >part.m4s
{ box 030 styp 'msdh\000\000\000\000msdhmsix'; cat part.m4s; } >styled.m4s
{ box 034 ftyp 'isom\000\000\000\000isomiso2'; head -c 400 /dev/zero; } >empty.mp4
head -c 3000 /dev/zero >nothing.bin
raw='raw video has to be described'
said 255 'cannot read it.*a picture of HEIC: convert it' "$raw" ref.mkv still.heic
said 255 'cannot read it.*a picture of AVIF: convert it' "$raw" ref.mkv still.avif
said 255 'cannot read it.*a segment of MP4 without its beginning: ' "$raw" ref.mkv part.m4s
said 255 'cannot read it.*a segment of MP4 without its beginning: ' "$raw" ref.mkv styled.m4s
said 255 'it seems to be MP4 or MOV, but FFmpeg cannot read it' "$raw" ref.mkv empty.mp4
said 255 "$raw" "" ref.mkv nothing.bin

# Beginning behind the end.
said 234 'no frames to score: both videos need some at --start and behind it' flushing ref.mkv named.mp4 --start 60s
said 234 'no frames to score: both videos need some at --start and behind it' flushing ref.mkv named.mp4 --start 60

# What a file does not say.
said 0 'codec *ffv1, profile [^,]*$' 'level' probe ref.mkv
said 0 'rate *25/1 = 25 frames' '-99' probe ref.mkv
if command -v python3 >/dev/null 2>&1; then
    # The duration of "mdhd" is behind two times, and what is before them.
    python3 - <<'P' || fail "python3 could not change the duration"
film = bytearray(open("fragments.mp4", "rb").read())
place = film.index(b"mdhd") + 20
film[place:place + 4] = b"\xff\xff\xff\xff"
open("endless.mp4", "wb").write(film)
P
    # FFmpeg 7 adds up the fragments: 0.320 s.
    said 0 'frames *8$' '^duration *[1-9]' probe endless.mp4
fi
finish 10
