#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Scores of media files are those of their frames as Y4M, at 17 digits.
# shellcheck source=tests/media/common.sh
. "$(dirname "$0")/common.sh"

source=size=176x144:rate=25:duration=0.6
clip -pix_fmt yuv420p -c:v ffv1 ref.mkv
to_y4m ref.mkv ref.y4m

compare() { # file
    to_y4m "$1" dist.y4m
    score module.csv ref.mkv "$1" || { fail "$1: status $?"; return; }
    score piped.csv -r ref.y4m -d dist.y4m || { fail "$1 as Y4M: status $?"; return; }
    same_scores "$1" module.csv piped.csv
}

encode() { # name, encoder, options
    file=$1 encoder=$2
    shift 2
    has_encoder "$encoder" || { echo "$file: no encoder $encoder"; return; }
    clip -pix_fmt yuv420p -c:v "$encoder" "$@" "$file" || { fail "$file cannot be made"; return; }
    compare "$file"
}
encode a.mp4 libx264 -crf 32 -bf 3
encode a.mkv libx264 -crf 38 -g 5 -x264-params open-gop=1
encode a.mov libx264 -crf 38 -preset ultrafast
encode a.ts libx264 -crf 36 -bf 2
encode b.mp4 libx265 -crf 34 -x265-params log-level=none
encode b.mkv libx265 -crf 34 -x265-params log-level=none:open-gop=1:keyint=6
encode b.ts libx265 -crf 34 -x265-params log-level=none
encode c.webm libvpx-vp9 -b:v 100k -deadline realtime -cpu-used 8 -auto-alt-ref 1 -lag-in-frames 5
encode d.webm libaom-av1 -crf 45 -cpu-used 8 -usage realtime
encode d.mkv libsvtav1 -crf 50 -preset 12
encode e.ts mpeg2video -q:v 12 -bf 2
encode e.mkv mpeg2video -q:v 20 -g 4
encode g.mkv ffv1

# Other formats of samples against a reference of the same.
deep() { # name, pixel format, encoder, options
    file=$1 format=$2 encoder=$3
    shift 3
    has_encoder "$encoder" || return 0
    clip -pix_fmt "$format" -c:v ffv1 "ref-$format.mkv"
    clip -pix_fmt "$format" -c:v "$encoder" "$@" "$file"
    to_y4m "ref-$format.mkv" deep-ref.y4m
    to_y4m "$file" deep-dist.y4m
    same "$file ($format)" "ref-$format.mkv" "$file" -- -r deep-ref.y4m -d deep-dist.y4m
}
deep p.mov yuv422p10le prores_ks -profile:v 3
deep q.mp4 yuv420p10le libx265 -crf 30 -x265-params log-level=none
deep r.mp4 yuv444p libx264 -crf 30
deep s.mkv yuv422p libx264 -crf 30
deep t.mkv yuv420p12le libx265 -crf 30 -x265-params log-level=none
deep u.mkv yuv444p16le ffv1

# Depths that differ: the lower one is raised by zero bits, as ffmpeg's own conversion is not.
score module.csv ref.mkv q.mp4
to_y4m q.mp4 dist10.y4m
score mixed.csv -r ref.y4m -d q.mp4
same_scores "Y4M beside a media file" module.csv mixed.csv
"$vmaf" -r ref.y4m -d dist10.y4m --aom_ctc v6.0 -n -q --threads 1 --precision max --csv -o ctc.csv 2>/dev/null || true
score plain.csv -r ref.mkv -d dist10.y4m
same_scores "a deeper Y4M file" module.csv plain.csv
noted() { # pattern, arguments
    pattern=$1
    shift
    checks=$((checks + 1))
    "$vmaf" "$@" --threads 1 2>err.txt || fail "$*: status $?"
    grep -q "$pattern" err.txt || fail "$*: no note of $pattern"
}
noted 'the reference video has 8 bits and is raised to 10' ref.mkv q.mp4
noted 'the distorted video has 8 bits and is raised to 10' ref-yuv420p10le.mkv a.mp4
noted 'is converted from 4:4:4 to 4:2:0' ref.mkv r.mp4 --feature psnr
make -i ref.mkv -vf setsar=4/3 -c:v libx264 -crf 30 wide.mp4
noted 'the shapes of samples differ and are not converted: 1:1, 4:3' a.mp4 wide.mp4

# Interlaced: Y4M would be refused, raw video is not.
clip -pix_fmt yuv420p -vf setfield=tff -c:v mpeg2video -flags +ildct+ilme -q:v 10 i.ts
make -i i.ts -fps_mode passthrough -f rawvideo i.yuv
make -i ref.mkv -fps_mode passthrough -f rawvideo ref.yuv
same "interlaced" ref.mkv i.ts -- -r ref.yuv -d i.yuv -w 176 -h 144 -p 420 -b 8

# Scaling.
flags=flags=bicubic+accurate_rnd+bitexact
clip -vf "scale=96x80:$flags" -pix_fmt yuv420p -c:v ffv1 small.mkv
to_y4m small.mkv scaled.y4m -vf "scale=176x144:$flags"
same "scaled, all planes" ref.mkv small.mkv -- -r ref.y4m -d scaled.y4m
"$vmaf" ref.mkv small.mkv -q --threads 1 --precision max --csv -o module.csv
"$vmaf" -r ref.y4m -d scaled.y4m -q --threads 1 --precision max --csv -o piped.csv
same_scores "scaled, luma alone" module.csv piped.csv
for scaler in lanczos bilinear spline; do
    to_y4m small.mkv scaled.y4m -vf "scale=176x144:flags=$scaler+accurate_rnd+bitexact"
    same "scaled by $scaler" ref.mkv small.mkv --scaler $scaler -- -r ref.y4m -d scaled.y4m
done
to_y4m ref.mkv both-ref.y4m -vf "scale=200x160:$flags"
to_y4m a.mp4 both-dist.y4m -vf "scale=200x160:$flags"
same "both scaled" ref.mkv a.mp4 --scale 200x160 -- -r both-ref.y4m -d both-dist.y4m
to_y4m ref.mkv both-ref.y4m -vf "scale=200x160:flags=lanczos+accurate_rnd+bitexact"
to_y4m a.mp4 both-dist.y4m -vf "scale=200x160:flags=lanczos+accurate_rnd+bitexact"
same "both scaled by lanczos" ref.mkv a.mp4 --scale 200x160 --scaler lanczos -- \
    -r both-ref.y4m -d both-dist.y4m
score module.csv -r ref.mkv -d small.mkv
to_y4m small.mkv small.y4m
score piped.csv -r ref.mkv -d small.y4m
same_scores "a Y4M file that has to be scaled" module.csv piped.csv

# Scaled, of each codec and of other formats.
scaled() { # file, reference without ending, its size
    to_y4m "$1" scaled.y4m -vf "scale=$3:$flags"
    same "$1, scaled" "$2.mkv" "$1" -- -r "$2.y4m" -d scaled.y4m
}
clip -vf "scale=224x192:$flags" -pix_fmt yuv420p -c:v ffv1 large.mkv
to_y4m large.mkv large.y4m
for file in a.mp4 b.mp4 c.webm d.webm e.ts; do
    [ ! -e $file ] || scaled $file large 224x192
done
for format in yuv420p10le yuv422p10le yuv444p; do
    [ -e ref-$format.mkv ] || continue
    to_y4m ref-$format.mkv ref-$format.y4m
    clip -vf "scale=96x80:$flags" -pix_fmt $format -c:v ffv1 small-$format.mkv
    scaled small-$format.mkv ref-$format 176x144
done

# Where nobody looks at chroma: the scores of ffmpeg's luma, which are those beside all planes.
vmaf_of() { # report
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "vmaf") c = i; next } { print $c }' "$1"
}
luma_alone() { # distorted video, reference, filter that makes the same of it, its pixel format
    to_y4m "$1" scaled.y4m -vf "$3" ${4:+-pix_fmt "$4"}
    "$vmaf" "$2" "$1" -q --threads 1 --precision max --csv -o module.csv || fail "$1, luma alone: status $?"
    "$vmaf" -r "$2" -d scaled.y4m -q --threads 1 --precision max --csv -o piped.csv ||
        fail "$1 as Y4M, luma alone: status $?"
    same_scores "$1 beside $2, luma alone" module.csv piped.csv
    score planes.csv "$2" "$1" || fail "$1, all planes: status $?"
    vmaf_of module.csv >module.txt
    vmaf_of planes.csv >planes.txt
    same_scores "$1 beside $2, luma alone and beside all planes" module.txt planes.txt
}
for format in yuv420p yuv444p yuv420p10le yuv444p10le yuv420p12le yuv444p12le; do
    for size in 96x80 224x192; do
        clip -vf "scale=$size:$flags" -pix_fmt $format -c:v ffv1 $format-$size.mkv
        luma_alone $format-$size.mkv ref.mkv "scale=176x144:$flags"
    done
    luma_alone $format-224x192.mkv ref-yuv420p12le.mkv "scale=176x144:$flags" "${format%p*}p12le"
done
clip -vf format=gray10le,setparams=range=tv -c:v ffv1 -color_range tv gray.mkv # which FFmpeg 7 makes full range
for size in 96x80 176x144; do
    clip -vf "scale=$size:out_range=pc:$flags" -pix_fmt yuv420p10le -color_range pc -c:v ffv1 full-$size.mkv
    luma_alone full-$size.mkv ref-yuv420p10le.mkv "scale=176x144:in_range=pc:out_range=tv:$flags"
    luma_alone full-$size.mkv gray.mkv "scale=176x144:in_range=pc:out_range=tv:$flags,format=yuv420p10le,extractplanes=y"
done

# Chroma, RGB, packed layouts.
to_y4m r.mp4 converted.y4m -vf "scale=$flags,format=yuv420p" -sws_flags bicubic+accurate_rnd+bitexact
same "4:4:4 to 4:2:0" ref.mkv r.mp4 -- -r ref.y4m -d converted.y4m
clip -pix_fmt rgb24 -c:v png rgb.mkv
to_y4m rgb.mkv rgb.y4m -vf "scale=out_color_matrix=bt709:out_range=tv:$flags,format=yuv444p" \
    -sws_flags bicubic+accurate_rnd+bitexact
same "RGB against itself" rgb.mkv rgb.mkv -- -r rgb.y4m -d rgb.y4m
make -i ref.mkv -fps_mode passthrough frame_%04d.png
score module.csv frame_%04d.png frame_%04d.png
[ "$(wc -l <module.csv)" -eq 16 ] || fail "a sequence of pictures has not 15 frames"
for format in nv12 uyvy422 yuyv422 yuv420p10be; do
    plain=yuv420p
    case $format in *422) plain=yuv422p ;; *10*) plain=yuv420p10le ;; esac
    clip -pix_fmt $plain -fps_mode passthrough -strict -1 plain.y4m
    make -i plain.y4m -pix_fmt $format -c:v rawvideo -fps_mode passthrough packed.nut
    to_y4m q.mp4 other.y4m -pix_fmt $plain
    same $format -r other.y4m -d packed.nut -- -r other.y4m -d plain.y4m
done

# Full range becomes limited range, as the reference has it.
clip -pix_fmt yuvj420p -c:v mjpeg -q:v 8 full.avi
to_y4m full.avi converted.y4m -vf "scale=in_range=pc:out_range=tv:$flags,format=yuv420p"
same "full range, all planes" ref.mkv full.avi -- -r ref.y4m -d converted.y4m
"$vmaf" ref.mkv full.avi -q --threads 1 --precision max --csv -o module.csv
"$vmaf" -r ref.y4m -d converted.y4m -q --threads 1 --precision max --csv -o piped.csv
same_scores "full range, luma alone" module.csv piped.csv

to_y4m full.avi full.y4m
to_y4m a.mp4 converted.y4m -vf "scale=in_range=tv:out_range=pc:$flags,format=yuv420p"
same "a reference of full range" full.avi a.mp4 -- -r full.y4m -d converted.y4m
to_y4m a.mp4 limited.y4m
score module.csv -r full.avi -d limited.y4m
same_scores "a reference of full range, Y4M" module.csv piped.csv

# Parts, rotation.
to_y4m ref.mkv part-ref.y4m -vf crop=128:96:16:8
to_y4m a.mp4 part-dist.y4m -vf crop=128:96:16:8
same "parts" ref.mkv a.mp4 --crop-ref 128:96:16:8 --crop-dist 128:96:16:8 -- -r part-ref.y4m -d part-dist.y4m
make -i ref.mkv -pix_fmt yuv422p -c:v ffv1 wide.mkv
to_y4m wide.mkv part-ref.y4m -vf crop=128:96:16:7:exact=1
same "parts of 4:2:2 from an odd row" wide.mkv wide.mkv --crop-ref 128:96:16:7 --crop-dist 128:96:16:7 -- \
    -r part-ref.y4m -d part-ref.y4m
for part in 128:96:49:8 128:96:64:8 128:96:0:64 128:96:48:8:9 64:64:1:0 64:64:0:3 176:145:0:0 64:64:176:0 0:0:0:0; do
    checks=$((checks + 1))
    status=0
    "$vmaf" ref.mkv a.mp4 --crop-ref $part --crop-dist 64:64:0:0 -q 2>err.txt || status=$?
    case $status in 1 | 255) ;; *) fail "--crop-ref $part: status $status" ;; esac
    status=0
    "$vmaf" ref.mkv a.mp4 --crop-dist $part -q 2>err.txt || status=$?
    case $status in 1 | 255) ;; *) fail "--crop-dist $part: status $status" ;; esac
done
for degrees in 90 180 270; do
    make -display_rotation $degrees -i a.mp4 -c copy rotated.mp4 2>/dev/null ||
        make -i a.mp4 -c copy -metadata:s:v rotate=$degrees rotated.mp4
    to_y4m rotated.mp4 rotated.y4m
    same "rotated by $degrees" -r rotated.y4m -d rotated.mp4 -- -r rotated.y4m -d rotated.y4m
done

# Paired by time: every second frame of the reference is dropped, and every frame is doubled.
make -i a.mkv -vf "select='not(mod(n\\,2))'" -fps_mode passthrough -c:v ffv1 half.mkv
to_y4m half.mkv doubled.y4m -vf fps=25 # frames 0 0 2 2 4 4 ...
score module.csv ref.mkv half.mkv --sync time
score piped.csv -r ref.y4m -d doubled.y4m --frame_cnt $(($(wc -l <module.csv) - 1))
same_scores "paired by time, a frame twice" module.csv piped.csv
[ "$(wc -l <module.csv)" -ge 15 ] || fail "paired by time: $(wc -l <module.csv) rows"
make -i ref.mkv -vf "select='not(mod(n\\,2))'" -fps_mode passthrough -c:v ffv1 half-ref.mkv
to_y4m half-ref.mkv half-ref.y4m
to_y4m half.mkv half.y4m
same "paired by time, frames left out" half-ref.mkv a.mkv --sync time -- -r half-ref.y4m -d half.y4m

# The size of the model that fits the reference as it is.
scaled_by_auto() { # file, the sizes, the model
    "$vmaf" "$1" "$1" -m auto --scale model --frames 1 2>notes.txt || fail "$1, --model auto: status $?"
    for said in "is scaled from $2" "--model auto: $3, since "; do
        checks=$((checks + 1))
        grep -qF -e "$said" notes.txt || fail "$1: no '$said' in: $(cat notes.txt)"
    done
}
clip -vf scale=2600:128 -frames:v 1 -pix_fmt yuv420p -c:v ffv1 wide.mkv
scaled_by_auto wide.mkv '2600x128 to 3840x2160' vmaf_4k_v0.6.1
scaled_by_auto ref.mkv '176x144 to 1920x1080' vmaf_v0.6.1

# A kind of device that no machine of this system has: one line, and the processor decodes.
if [ "$(uname)" != Darwin ]; then
    "$vmaf" ref.mkv b.mkv --hwaccel videotoolbox --threads 1 --precision max --csv -o module.csv --feature psnr \
        2>notes.txt || fail "--hwaccel: status $?"
    score piped.csv ref.mkv b.mkv
    same_scores "--hwaccel without a device" module.csv piped.csv
    checks=$((checks + 1))
    said="note: no device decodes the distorted video (--hwaccel videotoolbox): the processor does"
    [ "$(grep -cxF "$said" notes.txt):$(grep -c hwaccel notes.txt)" = 1:2 ] ||
        fail "--hwaccel without a device: $(cat notes.txt)"
fi

# Through a pipe.
# shellcheck disable=SC2002 # a pipe is the point
cat b.mkv | score module.csv -r ref.mkv -d -
score piped.csv ref.mkv b.mkv
same_scores "standard input" module.csv piped.csv
finish 116
