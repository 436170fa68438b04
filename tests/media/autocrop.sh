#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# --autocrop finds borders that are there, and none in what is merely dark. Scores are those of the
# parts that ffmpeg cuts out.
# shellcheck source=tests/media/common.sh
. "$(dirname "$0")/common.sh"
flags=flags=bicubic+accurate_rnd+bitexact

draw() { # file, filters, further options
    file=$1 filters=$2
    shift 2
    make -f lavfi -i testsrc2=size=256x144:rate=25:duration=1 -vf "$filters" -pix_fmt yuv420p "$@" -c:v ffv1 "$file"
}
blur=unsharp=luma_amount=-1
barred=pad=256:192:0:24
draw ref.mkv "$barred"
to_y4m ref.mkv inside.y4m -vf crop=256:144:0:24

# Scores with --autocrop, given those of two files that were cut before.
same_as_cut() { # what, reference, distorted, cut reference, cut distorted, further options
    what=$1 reference=$2 distorted=$3 cut_reference=$4 cut_distorted=$5
    shift 5
    score found.csv "$reference" "$distorted" --autocrop "$@" || { fail "$what: status $?"; return; }
    score cut.csv -r "$cut_reference" -d "$cut_distorted"
    same_scores "$what" found.csv cut.csv
}
told() { # what, pattern, arguments
    what=$1 pattern=$2
    shift 2
    checks=$((checks + 1))
    "$vmaf" "$@" --autocrop --threads 1 -o told.json 2>err.txt || fail "$what: status $?"
    grep -qE "$pattern" err.txt || fail "$what: $(head -n 3 err.txt)"
    grep -qE "$pattern" told.json || fail "$what: it is not in the report"
}

# The same borders on both, also of a distorted video that is coded badly, or smaller.
draw dist.mkv "$blur,$barred"
to_y4m dist.mkv dist.y4m -vf crop=256:144:0:24
same_as_cut "the same borders" ref.mkv dist.mkv inside.y4m dist.y4m
told "the same borders" 'of the distorted video 256x144 samples at 0, 24 are scored: it has borders' ref.mkv dist.mkv
grep -q '"crop": "256:144:0:24"' told.json || fail "the part is not in the report"
make -i ref.mkv -c:v libx264 -crf 48 bad.mp4
to_y4m bad.mp4 dist.y4m -vf crop=256:144:0:24
same_as_cut "a bad encode" ref.mkv bad.mp4 inside.y4m dist.y4m
make -i ref.mkv -vf "scale=150:110:$flags" -c:v ffv1 small.mkv
to_y4m small.mkv dist.y4m -vf "scale=256:192:$flags,crop=256:144:0:24"
same_as_cut "a smaller video with the same borders" ref.mkv small.mkv inside.y4m dist.y4m
to_y4m ref.mkv whole.y4m
to_y4m dist.mkv dist-whole.y4m
to_y4m dist.mkv dist.y4m -vf crop=256:144:0:24
same_as_cut "Y4M" whole.y4m dist-whole.y4m inside.y4m dist.y4m
to_y4m ref.mkv scaled.y4m -vf "scale=320:240:$flags,crop=320:180:0:30"
to_y4m dist.mkv dist.y4m -vf "scale=320:240:$flags,crop=320:180:0:30"
same_as_cut "both scaled" ref.mkv dist.mkv scaled.y4m dist.y4m --scale 320x240
to_y4m ref.mkv scaled.y4m -vf "scale=300:230:$flags,crop=300:170:0:30" # 28.75 to 201.25
to_y4m dist.mkv dist.y4m -vf "scale=300:230:$flags,crop=300:170:0:30"
same_as_cut "both scaled, between samples" ref.mkv dist.mkv scaled.y4m dist.y4m --scale 300x230

# Other borders: each loses its own.
draw bare.mkv "$blur"
to_y4m bare.mkv dist.y4m
same_as_cut "none on the distorted video" ref.mkv bare.mkv inside.y4m dist.y4m
told "none on the distorted video" 'no borders of the distorted video' ref.mkv bare.mkv
draw none.mkv null
to_y4m none.mkv none.y4m
to_y4m dist.mkv dist.y4m -vf crop=256:144:0:24
same_as_cut "none on the reference" none.mkv dist.mkv none.y4m dist.y4m
draw other.mkv "$blur,scale=192:108:$flags,pad=272:128:40:10"
to_y4m other.mkv dist.y4m -vf "crop=192:108:40:10,scale=256:144:$flags"
same_as_cut "other borders all round" ref.mkv other.mkv inside.y4m dist.y4m
told "other borders all round" '192x108 samples at 40, 10' ref.mkv other.mkv

# Of other kinds.
make -f lavfi -i testsrc2=size=256x144:rate=10:duration=1 \
    -vf "scale=203:144,format=yuv444p,pad=256:151:40:7,format=yuv422p" -c:v ffv1 odd.mkv
told "4:2:2 with borders that end between samples of colour" '202x144 samples at 40, 7' odd.mkv odd.mkv
draw white.mkv "pad=320:144:32:0:white"
draw white-dist.mkv "$blur,pad=320:144:32:0:white"
to_y4m white.mkv left.y4m -vf crop=256:144:32:0
to_y4m white-dist.mkv dist.y4m -vf crop=256:144:32:0
same_as_cut "white at both sides" white.mkv white-dist.mkv left.y4m dist.y4m
draw odd.mkv "format=yuv444p,pad=262:151:5:7" -pix_fmt yuv420p
to_y4m odd.mkv left.y4m -vf crop=254:143:6:8:exact=1
same_as_cut "odd borders" odd.mkv odd.mkv left.y4m left.y4m
draw deep.mkv "format=yuv444p10,pad=260:151:3:7" -pix_fmt yuv444p10
to_y4m deep.mkv left.y4m -vf crop=256:144:3:7:exact=1
same_as_cut "odd borders of 4:4:4, 10 bits" deep.mkv deep.mkv left.y4m left.y4m
draw bottom.mkv "pad=256:152:0:0"
told "eight rows at the bottom" 'reference video 256x144 samples at 0, 0 are scored' bottom.mkv bottom.mkv

# What is no border.
draw dark.mkv "eq=brightness=-0.9:enable='lt(n,12)'"
told "a dark scene" 'no borders of the reference' dark.mkv dark.mkv
draw night.mkv "geq=lum='if(lt(Y,90),lum(X,Y),if(lt(hypot(X-60-4*N,Y-110),9),200,17))':cb=128:cr=128"
told "a light in a dark street" 'no borders of the reference' night.mkv night.mkv
draw vignette.mkv "geq=lum='16+lum(X,Y)*pow(max(0,1-hypot((X-128)/140,(Y-72)/80)),2)':cb=128:cr=128"
told "a vignette" 'no borders of the reference' vignette.mkv vignette.mkv
draw black.mkv "drawbox=t=fill:c=black"
told "nothing but black" 'no borders of the reference' black.mkv black.mkv
draw shapes.mkv "pad=256:192:0:24,drawbox=y=0:h=24:t=fill:c=green:enable='gt(n,12)',drawbox=y=168:h=24:t=fill:c=red:enable='gt(n,12)'"
told "borders that do not stay" 'no borders of the reference' shapes.mkv shapes.mkv
told "borders of the part that is scored" '256x144 samples at 0, 24' shapes.mkv shapes.mkv --frames 12
told "borders of seconds that are scored" '256x144 samples at 0, 24' shapes.mkv shapes.mkv --duration 0.4
told "borders where it begins later" 'no borders of the reference' shapes.mkv shapes.mkv --start 8
draw letter-dark.mkv "eq=brightness=-0.9:enable='lt(n,18)',$barred"
told "a dark film with borders" '256x144 samples at 0, 24' letter-dark.mkv letter-dark.mkv

# Several videos, each as if it were alone.
score 'several-{}.csv' -r ref.mkv -d dist.mkv -d bare.mkv -d small.mkv --autocrop
for name in dist bare small; do
    score alone.csv ref.mkv $name.mkv --autocrop
    same_scores "$name.mkv, one of several" "several-$name.csv" alone.csv
done

refused() { # status, pattern, arguments
    expected=$1 pattern=$2
    shift 2
    checks=$((checks + 1))
    status=0
    "$vmaf" "$@" --autocrop -q 2>err.txt || status=$?
    [ $status -eq "$expected" ] || fail "$*: status $status"
    grep -q -- "$pattern" err.txt || fail "$*: $(head -n 1 err.txt)"
}
refused 1 'give one of them' ref.mkv dist.mkv --crop-ref 64:64:0:0
refused 1 'give one of them' ref.mkv dist.mkv --crop-dist 64:64:0:0
refused 1 'raw video' -r ref.mkv -d dist.mkv -w 64 -h 64 -p 420 -b 8
refused 255 'it has 272x128\|it has 192x108' ref.mkv other.mkv --scale none
# shellcheck disable=SC2002 # a pipe is the point
cat dist.mkv | refused 255 'a pipe' -r ref.mkv -d -
finish 32
