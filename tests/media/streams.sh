#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Of several video streams the one is scored that ffmpeg itself chooses.
# shellcheck source=tests/media/common.sh
. "$(dirname "$0")/common.sh"
has_encoder libx264 || skip "there is no libx264"

film() { # name, size, source
    make -f lavfi -i "$3=size=$2:rate=25:duration=0.4" -pix_fmt yuv420p -c:v libx264 -preset ultrafast "$1.mkv"
}
film small 96x64 testsrc
film large 160x96 testsrc2
film other 160x96 testsrc
join() { # file, options; of small, large, other
    file=$1
    shift
    make -i small.mkv -i large.mkv -i other.mkv "$@" "$file"
}
try() { # file
    checks=$((checks + 1))
    to_y4m "$1" chosen.y4m
    "$vmaf" chosen.y4m "$1" -q -n --feature psnr --precision max --csv -o module.csv 2>err.txt || fail "$1: $(cat err.txt)"
    "$vmaf" -r chosen.y4m -d chosen.y4m -q -n --feature psnr --precision max --csv -o itself.csv
    same_scores "$1" module.csv itself.csv
}
copy="-c copy"
# shellcheck disable=SC2086 # words
{
    join first.mkv -map 0:v -map 1:v $copy
    join second.mkv -map 0:v -map 1:v $copy -disposition:v:0 0 -disposition:v:1 default
    join neither.mkv -map 0:v -map 1:v -map 2:v $copy -disposition:v 0
    join smaller.mkv -map 1:v -map 0:v $copy -disposition:v:0 0 -disposition:v:1 default
    join twins.mkv -map 1:v -map 2:v $copy -disposition:v:0 0 -disposition:v:1 default
    join film.mp4 -map 0:v -map 1:v -map 2:v $copy
    join programs.ts -map 0:v -map 1:v $copy -program title=small:st=0 -program title=large:st=1
    join film.nut -map 2:v -map 1:v -map 0:v $copy
    # A stream may be recommended and have no packets.
    join empty.mkv -map 0:v -map 1:v $copy -bsf:v:1 noise=drop=1 -disposition:v:0 0 -disposition:v:1 default
}
for file in first.mkv second.mkv neither.mkv smaller.mkv twins.mkv film.mp4 programs.ts film.nut empty.mkv; do
    try $file
done
# A stream of each file.
score alone.csv -r large.mkv -d other.mkv
score module.csv -r twins.mkv -d twins.mkv --stream-ref 0 --stream-dist 1
same_scores "two streams of one file" module.csv alone.csv
score module.csv -r twins.mkv -d twins.mkv --stream 0 --stream-dist 1
same_scores "a stream of both files, and another of one" module.csv alone.csv
score module.csv -r large.mkv -d twins.mkv --stream-dist 1
same_scores "a stream of the distorted file" module.csv alone.csv
finish 21
