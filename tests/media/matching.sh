#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Videos that arrive in unusual ways, or differ in their colours: scores are those of what ffmpeg's own conversions
# make of them.
# shellcheck source=tests/media/common.sh
. "$(dirname "$0")/common.sh"

rm -f -- *.png *.y4m *.mkv
source=size=96x80:rate=25:duration=0.32
clip -pix_fmt yuv420p -c:v ffv1 ref.mkv
make -i ref.mkv -vf scale=48:40,scale=96:80 -c:v ffv1 blurred.mkv

# Sequences of pictures, whatever their first number is.
make -i ref.mkv -start_number 0 a0_%04d.png
make -i ref.mkv -start_number 97 a_%d.png
make -i blurred.mkv -start_number 0 b0_%04d.png
make -i blurred.mkv -start_number 86401 b_%04d.png
score module.csv a_%d.png b_%04d.png || fail "pictures from number 97 and 86401 on: status $?"
score counted.csv a0_%04d.png b0_%04d.png
same_scores "pictures whose numbers are far from 0" module.csv counted.csv
checks=$((checks + 1))
[ "$(wc -l <module.csv)" -eq 9 ] || fail "a sequence of 8 pictures has $(wc -l <module.csv) rows"
rm b_86*.png
make -i blurred.mkv -start_number 97 b_%d.png
score module.csv a_%d.png b_%d.png --start-number 99 || fail "--start-number: status $?"
score counted.csv a0_%04d.png b0_%04d.png --frame_skip_ref 2 --frame_skip_dist 2
same_scores "--start-number" module.csv counted.csv

# A picture that is missing is named.
for number in 3 4 5; do
    make -i ref.mkv -start_number 1 gap_%04d.png
    rm gap_000$number.png
    for videos in "gap_%04d.png a0_%04d.png" "a0_%04d.png gap_%04d.png"; do
        checks=$((checks + 1))
        # shellcheck disable=SC2086 # two videos
        "$vmaf" $videos >said.txt 2>&1 && fail "$videos: status 0 without picture $number"
        grep -q "gap_%04d.png: picture $number is missing, and there are others behind it" said.txt ||
            fail "without picture $number: $(cat said.txt)"
    done
    checks=$((checks + 1))
    "$vmaf" a0_%04d.png gap_%04d.png --errors ignore >said.txt 2>&1 || true
    grep -q "warning: picture $number of the distorted video is missing" said.txt ||
        fail "--errors ignore without picture $number: $(cat said.txt)"
    checks=$((checks + 1))
    "$vmaf" gap_%04d.png gap_%04d.png --start-number $((number + 1)) >said.txt 2>&1 ||
        fail "behind picture $number: $(cat said.txt)"
done

# RGB becomes YUV by the matrix of the other video: its tag, else BT.601; that of two RGB videos is BT.709.
flags=flags=bicubic+accurate_rnd+bitexact
clip -pix_fmt rgb24 -c:v png rgb.mkv
make -i rgb.mkv -vf scale=48:40,scale=96:80 -pix_fmt gbrp -c:v ffv1 rgb-blurred.mkv
rgb_as() { # matrix, output
    to_y4m rgb.mkv "$2" -vf "scale=out_color_matrix=$1:out_range=tv:$flags,format=yuv444p" -sws_flags "${flags#*=}"
}
for matrix in bt601 bt709; do
    rgb_as $matrix "rgb-$matrix.y4m"
done
beside_rgb() { # matrix, name in notes, tags
    matrix=$1 name=$2
    shift 2
    make -i rgb-blurred.mkv -vf "scale=out_color_matrix=$matrix:out_range=tv:$flags,format=yuv444p" \
        -sws_flags "${flags#*=}" -c:v ffv1 "$@" yuv.mkv
    to_y4m yuv.mkv yuv.y4m
    score module.csv rgb.mkv yuv.mkv 2>notes.txt || fail "RGB beside YUV of $name: status $?"
    score piped.csv -r "rgb-$matrix.y4m" -d yuv.y4m
    same_scores "RGB beside YUV of $matrix ($*)" module.csv piped.csv
    same "YUV of $matrix ($*) beside RGB" yuv.mkv rgb.mkv -- -r yuv.y4m -d "rgb-$matrix.y4m"
    checks=$((checks + 1))
    "$vmaf" rgb.mkv yuv.mkv 2>notes.txt
    grep -q "reference video is .*rgb.*converted to 4:4:4 $name of limited range, the matrix of the other" notes.txt ||
        fail "RGB beside YUV of $matrix: $(cat notes.txt)"
}
beside_rgb bt601 BT.601
beside_rgb bt601 BT.601 -colorspace smpte170m
beside_rgb bt709 BT.709 -colorspace bt709
cp yuv.mkv yuv-709.mkv
same "RGB beside Y4M" -r rgb.mkv -d yuv.y4m -- -r rgb-bt601.y4m -d yuv.y4m # YUV without a tag
to_y4m rgb-blurred.mkv blurred.y4m -vf "scale=out_color_matrix=bt709:out_range=tv:$flags,format=yuv444p" \
    -sws_flags "${flags#*=}"
same "two RGB videos" rgb.mkv rgb-blurred.mkv -- -r rgb-bt709.y4m -d blurred.y4m
make -i rgb-blurred.mkv -vf scale=out_color_matrix=bt601,format=yuv444p -c:v ffv1 yuv.mkv
checks=$((checks + 1))
status=0
"$vmaf" -r rgb.mkv -d yuv-709.mkv -d yuv.mkv -o '{}.csv' -q --feature psnr 2>said.txt || status=$?
[ "$status" = 255 ] && grep -q '^yuv.mkv: the reference is RGB.*a run of its own' said.txt && [ -s yuv-709.csv ] ||
    fail "one reference of RGB for two matrices: status $status, $(cat said.txt)"

# The range that a Y4M header tells. Its samples stay as they are; those of the media file become like them.
make -i rgb.mkv -vf scale=out_range=full,format=yuv420p -color_range pc -c:v ffv1 full.mkv
make -i rgb-blurred.mkv -vf scale=out_range=full,format=yuv420p -color_range pc -c:v ffv1 full-dist.mkv
make -i rgb-blurred.mkv -vf scale=out_range=limited,format=yuv420p -color_range tv -c:v ffv1 limited.mkv
as_told() { # video, output, the range that the header tells
    to_y4m "$1" "$2"
    sed -i "1s/ XCOLORRANGE=[A-Z]*//; 1s/\$/$3/" "$2"
}
as_told full.mkv full.y4m " XCOLORRANGE=FULL"
as_told full-dist.mkv full-dist.y4m " XCOLORRANGE=FULL"
as_told full.mkv silent.y4m ""
as_told full-dist.mkv silent-dist.y4m ""
as_told limited.mkv limited.y4m " XCOLORRANGE=LIMITED"
to_y4m limited.mkv made-full.y4m -vf "scale=in_range=tv:out_range=pc:$flags,format=yuv420p"
to_y4m full-dist.mkv made-limited.y4m -vf "scale=in_range=pc:out_range=tv:$flags,format=yuv420p"
score piped.csv -r silent.y4m -d silent-dist.y4m
in_range() { # reference, distorted video
    score module.csv -r "$1" -d "$2" || fail "$1 beside $2: status $?"
    same_scores "ranges: $1 beside $2" module.csv piped.csv
}
in_range full.y4m full-dist.mkv
in_range full.mkv full-dist.y4m
in_range full.y4m full-dist.y4m
in_range full.y4m silent-dist.y4m # two of Y4M are never converted
score module.csv -r full.y4m -d limited.y4m
score counted.csv -r silent.y4m -d limited.y4m
same_scores "two Y4M files of different ranges" module.csv counted.csv
# shellcheck disable=SC2002 # a pipe is the point
cat full.y4m | score module.csv -r - -d full-dist.mkv || fail "a reference of full range by a pipe: status $?"
same_scores "a reference of full range by a pipe" module.csv piped.csv
score piped.csv -r silent.y4m -d made-full.y4m
in_range full.y4m limited.mkv
in_range full.mkv limited.y4m
score piped.csv -r limited.y4m -d made-limited.y4m
in_range limited.mkv full-dist.y4m
# shellcheck disable=SC2002 # a pipe is the point
cat full-dist.y4m | score module.csv -r limited.mkv -d - || fail "Y4M of full range by a pipe: status $?"
same_scores "Y4M of full range by a pipe" module.csv piped.csv

# Y4M with a header that is too long for FFmpeg, which has to be converted.
sed "1s/\$/ XCOMMENT=$(printf '%0300d' 0)/" full-dist.y4m >long.y4m
score piped.csv -r limited.y4m -d made-limited.y4m
in_range limited.mkv long.y4m
score piped.csv -r limited.mkv -d full-dist.y4m --frame_skip_dist 2
score module.csv -r limited.mkv -d long.y4m --frame_skip_dist 2
same_scores "a long header and skipped frames" module.csv piped.csv

# Alpha in Y4M that has to be converted.
to_y4m blurred.mkv alpha.y4m -vf scale=48:40 -pix_fmt yuva444p
to_y4m alpha.y4m opaque.y4m -pix_fmt yuv444p
score piped.csv -r ref.mkv -d opaque.y4m
score module.csv -r ref.mkv -d alpha.y4m || fail "Y4M with alpha: status $?"
same_scores "Y4M with alpha" module.csv piped.csv

# Standard input that is a file, whose end is read first where its index is there.
make -i ref.mkv -c:v mpeg4 -q:v 9 -bf 2 -g 5 named.mp4
score piped.csv ref.mkv named.mp4
score module.csv -r ref.mkv -d - <named.mp4 || fail "standard input is a file: status $?"
same_scores "standard input is a file" module.csv piped.csv
{ head -c 100 ref.mkv; cat named.mp4; } >behind.bin
{ dd bs=100 count=1 2>dd.txt >head.bin; score module.csv -r ref.mkv -d -; } <behind.bin || fail "behind 100 bytes: status $?"
same_scores "standard input stands within its file" module.csv piped.csv
score piped.csv ref.mkv named.mp4 --start 3
score module.csv -r ref.mkv -d - --start 3 <named.mp4 || fail "standard input with --start: status $?"
same_scores "standard input with --start" module.csv piped.csv
checks=$((checks + 1))
"$vmaf" probe - <named.mp4 | grep -q '^frames *8$' || fail "vmaf probe - does not count the frames of a file"

# Pairs that were hardly meant so, and others that look a little like them.
make -i ref.mkv -vf crop=96:64,setsar=1 -c:v ffv1 wide.mkv
make -i wide.mkv -vf pad=96:80:0:8,setsar=1 -c:v mpeg4 -q:v 3 bars.mp4
make -i wide.mkv -c:v mpeg4 -q:v 12 no-bars.mp4
make -i ref.mkv -vf crop=72:80,setsar=1 -c:v mpeg4 -q:v 12 no-sides.mp4
make -i ref.mkv -vf setsar=1 -c:v mpeg4 -q:v 2 -g 1 master.mp4
make -i ref.mkv -vf scale=48:40,setsar=1 -c:v mpeg4 -q:v 5 small.mp4
make -i ref.mkv -vf scale=72:80,setsar=4/3 -c:v mpeg4 -q:v 5 anamorphic.mp4
make -i ref.mkv -c:v mpeg4 -q:v 31 -g 99 low.mp4
make -i low.mp4 -c:v ffv1 low-decoded.mkv
make -i ref.mkv -vf scale=2600:128 -frames:v 1 -c:v ffv1 uhd.mkv
warned() { # what is said, or "" for nothing, arguments
    said=$1
    shift
    checks=$((checks + 1))
    "$vmaf" "$@" --frames 1 2>notes.txt || fail "$*: status $?"
    if [ -n "$said" ]; then
        grep -qF -e "$said" notes.txt || fail "$*: no '$said' in: $(cat notes.txt)"
    elif grep -E 'shapes, |swapped|--model auto' notes.txt; then
        fail "$*: false alarm"
    fi
}
warned '96x80 and 96x64: if borders were cut off, --crop-ref 96:64:0:8 leaves' bars.mp4 no-bars.mp4
warned '96x64 and 96x80: if borders were cut off, --crop-dist 96:64:0:8 leaves' wide.mkv bars.mp4
warned '96x80 and 72x80: if borders were cut off, --crop-ref 72:80:12:0 leaves' master.mp4 no-sides.mp4
warned 'the reference is smaller than the distorted video: are they swapped?' small.mp4 master.mp4
warned 'the reference has far fewer bits than the distorted video: are they swapped?' low.mp4 master.mp4
warned 'made for 1920x1080, and 2600x128 samples are scored: --model auto takes' uhd.mkv uhd.mkv
warned '' bars.mp4 no-bars.mp4 --crop-ref 96:64:0:8
warned '' bars.mp4 no-bars.mp4 --autocrop
warned '' master.mp4 small.mp4
warned '' master.mp4 anamorphic.mp4
warned '' master.mp4 low.mp4
warned '' low.mp4 low-decoded.mkv
warned '' uhd.mkv uhd.mkv -m version=vmaf_v0.6.1
warned '' uhd.mkv uhd.mkv --scale 1920x1080
finish 58
