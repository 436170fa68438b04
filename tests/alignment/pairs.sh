#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Pairs of videos that line up, and of videos that do not, made by ffmpeg: what vmaf says of them.
# The scenes are synthetic: a pan and a zoom over a fractal, cuts between places of it, a clock.
#   pairs.sh VMAF small|large
set -eu
vmaf=$1
set=$2
if ! command -v ffmpeg >/dev/null 2>&1; then
    echo "skipped: there is no ffmpeg"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
pairs=0
wrong=0

encoder_is_there() { ffmpeg -hide_banner -encoders 2>/dev/null | grep -q "^ V[^ ]* $1 "; }
y4m() { # output, input and filters
    output=$1
    shift
    ffmpeg -v error -y "$@" -f yuv4mpegpipe -pix_fmt yuv420p -fps_mode passthrough -strict -1 "$output"
}

# The reference.
make() { # name, frames, source, filters
    y4m "$1.y4m" -f lavfi -i "$3" -vf "$4,format=yuv420p" -frames:v "$2"
}
# An encode of it, decoded: encoder with its options, filters before it
encode() { # scene, encoder, filters
    # shellcheck disable=SC2086 # options
    ffmpeg -v error -y -i "$1.y4m" -vf "${3:-null}" -c:v $2 -fps_mode passthrough -an encode.mkv 2>log ||
        { cat log >&2; exit 1; }
    y4m distorted.y4m -i encode.mkv
}
# What vmaf says of the last encode: a pattern, or "none"
expect() { # scene, expectation, what it is called
    pairs=$((pairs + 1))
    "$vmaf" -r "$1.y4m" -d distorted.y4m -n --feature psnr=enable_chroma=false --align check >log 2>&1 || {
        cat log >&2
        exit 1
    }
    said=$(grep '^alignment: ' log || true)
    case $2 in
    none) [ -z "$said" ] || verdict=false ;;
    *) echo "$said" | grep -qE "$2" || verdict=missed ;;
    esac
    [ -z "$verdict" ] || {
        echo "$verdict: $3: expected $2, said \"$said\"" >&2
        wrong=$((wrong + 1))
    }
    verdict=
}
verdict=

shifts() { # scene, encoder, frames...
    scene=$1 encoder=$2
    shift 2
    for by in "$@"; do
        encode "$scene" "$encoder" "select=gte(n\\,$by)"
        expect "$scene" "is $by frames? early" "$scene, $encoder, $by early"
        encode "$scene" "$encoder" "tpad=start=$by:start_mode=clone"
        expect "$scene" "is $by frames? late" "$scene, $encoder, $by late"
    done
}

x264="libx264 -preset ultrafast -crf"
encoder_is_there libx264 || {
    echo "skipped: this ffmpeg has no libx264"
    exit 77
}
# Windows that move over a picture of a fractal, which takes long to compute.
ffmpeg -v error -y -f lavfi -i "mandelbrot=size=1280x720:rate=25:maxiter=500:start_scale=0.02:end_scale=0.01:end_pts=2000" \
    -vf trim=start_frame=30 -frames:v 1 fractal.png
window() { # name, where its left upper corner is
    y4m "$1.y4m" -i fractal.png -vf "loop=loop=-1:size=1,setpts=N/25/TB,crop=320:180:$2,format=yuv420p" -frames:v 150
}
window pan "4*n:2*n"
window cuts "mod(floor(n/40)*311\\,600)+2*n:mod(floor(n/40)*157\\,500)"
make still 120 "testsrc2=size=320x180:rate=25" "trim=end_frame=1,loop=loop=-1:size=1,setpts=N/25/TB"
make grain 120 "testsrc2=size=320x180:rate=25" \
    "trim=end_frame=1,loop=loop=-1:size=1,setpts=N/25/TB,noise=alls=40:allf=t"
make zoom 150 "mandelbrot=size=320x180:rate=25:maxiter=500:start_scale=1:end_scale=0.2:end_pts=200" "null"

# In line: whatever the quality, of which the small set has the worst.
qualities=51 frames="1 7"
[ "$set" = small ] || qualities="20 38 51" frames="1 2 7"
for scene in pan cuts zoom still grain; do
    for quality in $qualities; do
        encode "$scene" "$x264 $quality"
        expect "$scene" none "$scene, quality $quality"
    done
    cp "$scene.y4m" distorted.y4m
    expect "$scene" none "$scene, identical"
done
encode pan "$x264 30" "scale=160:90,scale=320:180"
expect pan none "pan, scaled down and up"
encode pan "$x264 30" "scale=in_range=limited:out_range=full"
expect pan none "pan, full range"
encode pan "$x264 30" "fade=out:100:50"
expect pan none "pan, faded out"

# A shift.
for scene in pan cuts zoom; do
    # shellcheck disable=SC2086 # numbers
    shifts $scene "$x264 30" $frames
done
encode pan "$x264 45" "select=gte(n\\,1)"
expect pan "is 1 frame early" "pan, 1 early, quality 45"
encode pan "$x264 30" "scale=in_range=limited:out_range=full,select=gte(n\\,3)"
expect pan "is 3 frames early" "pan, 3 early, full range"
encode pan "$x264 30" "select=gte(n\\,40)"
expect pan none "pan, 40 early, which is out of reach"
encode still "$x264 30" "select=gte(n\\,3)"
expect still none "still, shifted, which cannot be seen"
encode grain "$x264 48" "select=gte(n\\,3)"
expect grain none "grain, shifted, and coded away"

# A frame that is dropped or repeated.
for scene in pan cuts zoom; do
    encode $scene "$x264 30" "select=not(eq(n\\,70))"
    expect $scene "from frame (69|7[0-2]) on .* 1 frame early" "$scene, frame 70 dropped"
    encode $scene "$x264 30" "loop=loop=1:size=1:start=70,setpts=N/25/TB"
    expect $scene "from frame (69|7[0-2]) on .* 1 frame late" "$scene, frame 70 repeated"
done

# Other faults.
encode pan "$x264 30" "drawbox=y=0:h=24:color=black:t=fill,drawbox=y=156:h=24:color=black:t=fill"
expect pan "black borders" "pan, letterbox"
encode pan "$x264 30" "trim=end_frame=60,tpad=stop=90:stop_mode=clone"
expect pan "stands still from frame (59|6[0-9]) on" "pan, frozen"
encode pan "$x264 30" "drawbox=color=black:t=fill:enable=gte(n\\,80)"
expect pan "black from frame 80 on" "pan, black"

# auto brings them in line; strict fails without a report.
encode pan "$x264 30" "select=gte(n\\,2)"
y4m moved.y4m -i pan.y4m -vf "select=gte(n\\,2)"
"$vmaf" -r moved.y4m -d distorted.y4m -n --feature psnr --csv -o moved.csv 2>/dev/null
"$vmaf" -r pan.y4m -d distorted.y4m -n --feature psnr --csv -o auto.csv --align auto 2>log
said='^alignment: the distorted video is 2 frames early: the first 2 of the reference are passed over'
if ! grep -q "$said" log || ! cmp -s moved.csv auto.csv; then
    echo "auto: not the scores of videos that line up" >&2
    wrong=$((wrong + 1))
fi
status=0
"$vmaf" -r pan.y4m -d distorted.y4m -n --feature psnr --csv -o strict.csv --align strict 2>log || status=$?
if [ $status -ne 234 ] || [ -e strict.csv ] || ! grep -q '^alignment: .* 2 frames early' log; then
    echo "strict: status $status" >&2
    wrong=$((wrong + 1))
fi
"$vmaf" -r pan.y4m -d distorted.y4m -n --feature psnr 2>log
! grep -q alignment log || {
    echo "without a terminal nothing is said unless it was asked for" >&2
    wrong=$((wrong + 1))
}
pairs=$((pairs + 3))
# The same with files of the module, which have to be read twice.
ffmpeg -v error -y -i pan.y4m -c:v ffv1 -fps_mode passthrough pan.mkv
if "$vmaf" probe pan.mkv >/dev/null 2>&1; then
    pairs=$((pairs + 1))
    "$vmaf" pan.mkv encode.mkv -n --feature psnr --csv -o media.csv --align auto 2>log
    cmp -s moved.csv media.csv || {
        cat log >&2
        echo "auto: not the scores of media files that line up" >&2
        wrong=$((wrong + 1))
    }
fi

# More encoders, and rates.
if [ "$set" = large ]; then
    for encoder in "libx265 -preset ultrafast -crf 51" "libx265 -preset ultrafast -crf 28" "libsvtav1 -preset 12 -crf 63" \
        "libvpx-vp9 -cpu-used 8 -deadline realtime -crf 63 -b:v 0" "mpeg2video -q:v 31" "mpeg2video -q:v 4"; do
        encoder_is_there "${encoder%% *}" || continue
        for scene in pan cuts zoom still grain; do
            encode $scene "$encoder"
            expect $scene none "$scene, $encoder"
        done
        for scene in pan cuts zoom; do
            shifts $scene "$encoder" 1 3
        done
    done
    make long 2000 "mandelbrot=size=320x180:rate=24:maxiter=500:start_scale=1:end_scale=0.002:end_pts=3000" "null"
    encode long "$x264 30" "select=mod(n+1\\,1001)"
    expect long "from frame (999|100[0-2]) on .* 1 frame early" "24 made 23.976 by dropping"
    encode long "$x264 30"
    expect long none "a long zoom"
fi
echo "$pairs pairs, $wrong wrong"
[ $wrong -eq 0 ]
