#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Shards of media files: their merge is the run at once, with what is said of the videos.
# shellcheck source=tests/media/common.sh
. "$(dirname "$0")/common.sh"

source=size=176x144:rate=25:duration=4
clip -pix_fmt yuv420p -c:v ffv1 -g 1 ref.mkv
to_y4m ref.mkv ref.y4m

same() { # what, whole, other
    checks=$((checks + 1))
    sed '/"fps"/d; s/ fps="[^"]*"//' "$2" >whole.txt
    sed '/"fps"/d; s/ fps="[^"]*"//' "$3" >other.txt
    cmp -s whole.txt other.txt || {
        fail "$1 differs"
        diff whole.txt other.txt | head -n 4 >&2 || true
    }
}
# what, number of shards, arguments of the run
try() {
    what=$1 n=$2
    shift 2
    rm -f part-*.vmafs
    "$vmaf" "$@" -q -o whole.json -o whole.ndjson -o whole.csv -o whole.xml || {
        fail "$what: the run has status $?"
        return
    }
    i=0
    while [ $i -lt "$n" ]; do
        "$vmaf" "$@" -q --shard $i/"$n" -o part-$i.vmafs --threads $((i % 3)) ||
            fail "$what: shard $i has status $?"
        i=$((i + 1))
    done
    "$vmaf" merge part-*.vmafs -q -o other.json -o other.ndjson -o other.csv -o other.xml ||
        fail "$what: the merge has status $?"
    for format in json ndjson csv xml; do
        same "$what: $format" whole.$format other.$format
    done
}
encode() { # name, encoder, options
    file=$1 encoder=$2
    shift 2
    has_encoder "$encoder" || return 0
    clip -pix_fmt yuv420p -c:v "$encoder" "$@" "$file"
    try "$file" 4 ref.mkv "$file"
}
encode a.mp4 libx264 -crf 36 -g 20 -bf 3 -preset veryfast
encode a.mkv libx264 -crf 36 -preset veryfast -x264-params open-gop=1:keyint=20:bframes=3
encode a.ts libx264 -crf 36 -g 20 -bf 2 -preset veryfast
encode c.webm libvpx-vp9 -b:v 100k -g 20 -deadline realtime -cpu-used 8
encode h.264 libx264 -crf 36 -g 20 -preset veryfast
make -ss 1.3 -i a.mp4 -c copy edited.mp4
try "an edit list" 3 ref.mkv edited.mp4
make -i a.mp4 -vf "select='not(mod(n\\,3))+lt(n\\,40)'" -fps_mode passthrough -c:v libx264 -g 15 vfr.mkv
try "irregular times" 3 vfr.mkv vfr.mkv
make -i a.mp4 -vf scale=88:72 -c:v libx264 -g 20 small.mp4
try "another size" 3 ref.mkv small.mp4 -m auto
try "a start" 3 ref.mkv a.mp4 --start 33 --frames 40
try "a time" 3 ref.mkv a.mp4 --start 1.2s --duration 0.9s
try "Y4M and a media file" 3 ref.y4m a.mp4 --frame_skip_ref 2
try "more shards than frames" 7 ref.mkv a.mp4 --frames 5

# What is said at the end of the videos.
make -i a.mp4 -frames:v 47 -c:v libx264 -crf 30 -preset ultrafast short.mp4
try "a shorter video" 3 ref.mkv short.mp4
grep -q 'the reference has 100 frames, the distorted video 47' other.json ||
    fail "the merge does not say that one is shorter"

# What frames look like lets the merge tell that they do not line up.
make -i a.mp4 -vf "select='gte(n\\,4)'" -fps_mode passthrough -c:v libx264 -crf 30 early.mp4
try "frames that do not line up" 3 ref.mkv early.mp4
grep -q "alignment" other.json || fail "the merge says nothing of frames that do not line up"
status=0
for i in 0 1; do
    "$vmaf" ref.mkv early.mp4 -q --align strict --shard $i/2 -o strict-$i.vmafs || fail "shard $i: status $?"
done
"$vmaf" merge strict-0.vmafs strict-1.vmafs -q -o strict.json 2>said.txt || status=$?
[ $status -eq 234 ] || fail "--align strict: status $status"
[ ! -e strict.json ] || fail "--align strict: there is a report"

# Parts of runs that scale in other ways.
"$vmaf" ref.mkv small.mp4 -q --scaler bicubic --shard 0/2 -o bicubic.vmafs || fail "bicubic: status $?"
"$vmaf" ref.mkv small.mp4 -q --scaler lanczos --shard 1/2 -o lanczos.vmafs || fail "lanczos: status $?"
status=0
"$vmaf" merge bicubic.vmafs lanczos.vmafs -q -o scaled.json 2>said.txt || status=$?
[ $status -eq 234 ] && grep -q "other reading" said.txt || fail "parts of two scalers: status $status: $(cat said.txt)"

# What is kept of a run, interrupted.
"$vmaf" ref.mkv a.mp4 -q --keep-records run.vmafs -o whole.json -o whole.ndjson
"$vmaf" merge run.vmafs -q -o other.json -o other.ndjson
same "records" whole.json other.json
same "records, lines" whole.ndjson other.ndjson
size=$(wc -c <run.vmafs)
head -c $((size * 2 / 3)) run.vmafs >cut.vmafs
"$vmaf" ref.mkv a.mp4 -q --resume cut.vmafs -o other.json -o other.ndjson || fail "resume: status $?"
same "a resumed run" whole.json other.json
same "a resumed run, lines" whole.ndjson other.ndjson
cmp -s run.vmafs cut.vmafs || fail "the resumed file differs"
"$vmaf" ref.mkv a.mp4 -q -m version=vmaf_v0.6.1:enable_transform -o whole.json
"$vmaf" rescore run.vmafs -q -m version=vmaf_v0.6.1:enable_transform -o other.json
same "a rescore" whole.json other.json
finish 45
