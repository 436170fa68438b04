#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Files that name other files are followed only if the user's path says that they are such, only to files at or
# below their folder, and never without end.
# shellcheck source=tests/media/common.sh
. "$(dirname "$0")/common.sh"
has_encoder libx264 || skip "there is no libx264"

rm -rf list list-2 victim
mkdir -p list/parts victim
make -f lavfi -i testsrc2=size=96x64:rate=25:duration=1.92 -pix_fmt yuv420p -c:v libx264 -preset ultrafast -g 12 film.mp4
make -i film.mp4 -c copy -f hls -hls_time 0.48 -hls_list_size 0 -hls_segment_filename 'list/parts/%d.ts' hls.m3u8
make -i film.mp4 -c copy victim/secret.ts
cp -r victim list-2
cp film.mp4 list/film.mp4
cd list
ln -s ../victim link

hls() { # file, part...
    file=$1 end='#EXT-X-ENDLIST'
    shift
    [ "$file" != endless.m3u8 ] || end=
    printf '#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n' >"$file"
    printf '#EXTINF:0.48,\n%s\n' "$@" >>"$file"
    echo "$end" >>"$file"
}
master() { # file, list
    printf '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n%s\n' "$2" >"$1"
}
concat() { # file, part...
    file=$1
    shift
    echo 'ffconcat version 1.0' >"$file"
    printf 'file %s\n' "$@" >>"$file"
}
reads() { # file
    checks=$((checks + 1))
    timeout 1800 "$vmaf" probe "$1" >out.txt 2>err.txt && grep -q '^frames  *48$' out.txt || fail "$1: $(cat out.txt err.txt)"
}
refuses() { # file, what is said
    checks=$((checks + 1))
    status=0
    timeout 1800 "$vmaf" probe "$1" >out.txt 2>err.txt || status=$?
    [ $status -eq 255 ] || [ $status -eq 234 ] || fail "$1: status $status"
    grep -qE -- "$2" err.txt || fail "$1: $(cat out.txt err.txt)"
}

all="parts/0.ts parts/1.ts parts/2.ts parts/3.ts"
# shellcheck disable=SC2086 # words
{
    hls good.m3u8 $all
    hls endless.m3u8 $all
    hls film.mkv $all
    concat good.ffconcat $all
    concat list.mkv $all
}
reads good.m3u8
reads good.ffconcat
(cd .. && mkdir -p elsewhere && cd elsewhere && reads ../list/good.m3u8)
cp good.m3u8 GOOD.M3U8
reads GOOD.M3U8
master master.m3u8 good.m3u8
reads master.m3u8
# FFmpeg 7 does not take it for a list.
refuses film.mkv 'list of other files.*\.m3u8|Matroska, but FFmpeg cannot read it'
refuses list.mkv 'list of other files.*\.ffconcat'
checks=$((checks + 1))
"$vmaf" probe - <good.m3u8 >out.txt 2>&1 && fail "a list on standard input: $(cat out.txt)"

# Never without end.
refuses endless.m3u8 'without an end'
master self.m3u8 self.m3u8
refuses self.m3u8 'two levels'
master three.m3u8 master.m3u8
refuses three.m3u8 'two levels'
concat nested.ffconcat good.m3u8
refuses nested.ffconcat 'is a list as well'
concat own.ffconcat own.ffconcat
refuses own.ffconcat 'is a list as well'
mkfifo pipe.ts
hls fifo.m3u8 pipe.ts
refuses fifo.m3u8 'no regular file'
concat fifo.ffconcat pipe.ts
refuses fifo.ffconcat 'no regular file'
{ cat good.m3u8 && yes 'parts/0.ts' | head -n 100001 && echo '#EXT-X-ENDLIST'; } >many.m3u8
refuses many.m3u8 '100000'

# Nothing outside of the folder.
for place in ../victim/secret.ts ../list-2/secret.ts "$work/victim/secret.ts" "file:$work/victim/secret.ts" link/secret.ts; do
    hls out.m3u8 parts/0.ts "$place"
    refuses out.m3u8 'does not lie in its folder or below'
done
concat out.ffconcat link/secret.ts
refuses out.ffconcat 'does not lie in its folder or below'
# No protocol but that of files, of all that this FFmpeg knows: a new one has to be refused as well.
for protocol in $(ffmpeg -hide_banner -protocols 2>/dev/null | sed -n '/Input:/,/Output:/{ /:/d; p; }'); do
    [ "$protocol" != file ] || continue
    for url in "$protocol:parts/0.ts" "$protocol://127.0.0.1/parts/0.ts" "$protocol,,start,0,end,9000,,:parts/0.ts"; do
        hls protocol.m3u8 "$url"
        refuses protocol.m3u8 .
    done
done

# Parts that are missing are errors, wherever they are.
for missing in 0 1 3; do
    # shellcheck disable=SC2086 # words
    hls missing.m3u8 $(echo $all | sed "s,parts/$missing,parts/none,")
    refuses missing.m3u8 'none.ts, which it names, does not exist'
    checks=$((checks + 1))
    status=0
    "$vmaf" film.mp4 missing.m3u8 -q --csv -o scores.csv 2>err.txt || status=$?
    [ $status -ne 0 ] && [ ! -e scores.csv ] && grep -q 'none.ts' err.txt || fail "part $missing: status $status, $(cat err.txt)"
done
checks=$((checks + 1))
"$vmaf" film.mp4 missing.m3u8 --errors ignore --csv -o scores.csv 2>err.txt || fail "--errors ignore: $(cat err.txt)"
grep -q '1 errors of the distorted video were ignored' err.txt || fail "--errors ignore: $(cat err.txt)"
# shellcheck disable=SC2086 # words
concat missing.ffconcat $all none.ts
refuses missing.ffconcat 'none.ts, which it names, does not exist'

# Text is no video, and manifests of DASH are not followed.
yes 'This is a text and no film.' | head -n 40 >text.txt
refuses text.txt 'text and no video'
if make -i film.mp4 -c copy -f dash dash.mpd; then
    refuses dash.mpd 'not followed'
    cp dash.mpd dash.mp4
    refuses dash.mp4 'not followed'
fi
finish 100
