#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Several distorted videos beside one reference: media files, Y4M files and both; of several sizes,
# codecs and lengths; one that is damaged. Each has the scores that it has alone.
# shellcheck source=tests/media/common.sh
. "$(dirname "$0")/common.sh"

source=size=176x144:rate=25:duration=0.8
clip -pix_fmt yuv420p -c:v ffv1 ref.mkv
clip -pix_fmt yuv420p -c:v libx264 -crf 30 a.mp4
clip -pix_fmt yuv420p -vf scale=96x80 -c:v libx264 -crf 20 b.mkv
clip -pix_fmt yuv420p -vf scale=352x288 -c:v mpeg2video -q:v 6 c.ts
clip -pix_fmt yuv420p -frames:v 12 -c:v libx264 -crf 30 short.mp4
clip -pix_fmt yuv420p10le -c:v libx265 -x265-params log-level=none -crf 30 deep.mp4
clip -pix_fmt yuv444p -c:v libx264 -crf 30 full.mp4
clip -pix_fmt yuv420p10le -c:v ffv1 deep-ref.mkv
to_y4m ref.mkv ref.y4m
to_y4m a.mp4 d.y4m

# several <what> <reference> <distorted>...: together as alone
together() {
    what=$1 reference=$2
    shift 2
    options=
    for file in "$@"; do options="$options -d $file"; done
    rm -f together-*.csv
    # shellcheck disable=SC2086 # arguments
    score 'together-{}.csv' -r "$reference" $options 2>err.txt || { fail "$what: status $?"; return; }
    for file in "$@"; do
        score alone.csv -r "$reference" -d "$file" 2>alone.txt
        name=${file##*/}
        same_scores "$what: $file" "together-${name%.*}.csv" alone.csv
    done
}
together "three sizes" ref.mkv a.mp4 b.mkv c.ts
together "a reference in Y4M" ref.y4m a.mp4 b.mkv c.ts
together "some in Y4M" ref.mkv d.y4m a.mp4 b.mkv
together "all kinds" ref.y4m d.y4m c.ts a.mp4 full.mp4
together "a shorter one" ref.mkv a.mp4 short.mp4 d.y4m
together "a deep reference" deep-ref.mkv a.mp4 deep.mp4 d.y4m
together "one file twice, by two names" ref.mkv a.mp4 ./b.mkv

said() { # what, pattern
    checks=$((checks + 1))
    grep -qE "$2" err.txt || fail "$1: $(cat err.txt)"
}
# Notes tell of which video they are.
"$vmaf" -r ref.y4m -d a.mp4 -d b.mkv -d short.mp4 -o all.json --threads 1 2>err.txt || fail "notes: status $?"
said "the size" 'scaled from 96x80 to 176x144'
said "the length" 'ended before'
checks=$((checks + 1))
for file in a.mp4 b.mkv short.mp4; do
    grep -q "\"$file\"" all.json || fail "$file is not in the report"
done

# One that is damaged, or none at all, does not harm the others.
cp c.ts damaged.ts
printf '\252\125\377\000\001\302\013\177\252\125\377\000\001' |
    dd of=damaged.ts bs=1 seek=$(($(wc -c <c.ts) / 2)) conv=notrunc 2>/dev/null
head -c 4000 /dev/zero >nothing.mp4
status=0
rm -f together-*.csv
score 'together-{}.csv' -r ref.mkv -d a.mp4 -d damaged.ts -d nothing.mp4 -d b.mkv 2>err.txt || status=$?
[ $status -eq 255 ] || fail "a damaged one and nothing: status $status"
said "a damaged one" 'is damaged|cannot be read'
said "nothing" 'nothing.mp4'
for file in damaged nothing; do
    [ ! -e together-$file.csv ] || fail "$file has scores"
done
for file in a.mp4 b.mkv; do
    score alone.csv -r ref.mkv -d $file
    same_scores "$file beside damage" "together-${file%.*}.csv" alone.csv
done

# Depths that need the reference at two depths at once are refused, and say so.
status=0
"$vmaf" -r ref.mkv -d a.mp4 -d deep.mp4 -q -o two.json 2>err.txt || status=$?
[ $status -eq 255 ] || fail "two depths: status $status"
said "two depths" 'that takes a run of its own'

# A pipe among files.
# shellcheck disable=SC2002 # a pipe is the point
cat b.mkv | score 'together-{}.csv' -r ref.mkv -d - -d a.mp4 2>err.txt || fail "a pipe: status $?"
score alone.csv ref.mkv a.mp4
same_scores "a file beside a pipe" together-a.csv alone.csv

# With options that concern all of them.
score 'part-{}.csv' -r ref.mkv -d a.mp4 -d c.ts --start 5 --frames 8 2>err.txt || fail "a part: status $?"
for file in a.mp4 c.ts; do
    score alone.csv -r ref.mkv -d $file --start 5 --frames 8
    same_scores "a part of $file" "part-${file%.*}.csv" alone.csv
done
score 'scaled-{}.csv' -r ref.y4m -d a.mp4 -d b.mkv -d d.y4m --scale 128x96 2>err.txt || fail "--scale: status $?"
for file in a.mp4 b.mkv d.y4m; do
    score alone.csv -r ref.mkv -d $file --scale 128x96
    same_scores "$file, scaled" "scaled-${file%.*}.csv" alone.csv
done
finish 35
