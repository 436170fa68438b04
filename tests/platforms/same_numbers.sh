#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The program of another processor against the one of this machine: scores of every feature to the last
# digit, and files, which must be the same bytes whoever writes them.
#   same_numbers.sh [emulator and its arguments] <vmaf of the other processor>
# Variables: NATIVE_VMAF and SYNTH, programs of this machine.
set -eu
if [ -z "${NATIVE_VMAF:-}" ] || [ -z "${SYNTH:-}" ]; then
    echo "NATIVE_VMAF and SYNTH do not say what to compare with"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2016 # it is for the other program
{ printf '#!/bin/sh\nexec' && printf " '%s'" "$@" && echo ' "$@"'; } >"$work/other"
chmod +x "$work/other"
cd "$work"
checks=0

fail() {
    echo "FAILED: $*" >&2
    exit 1
}
same() { # WHAT FILE FILE
    cmp "$2" "$3" >&2 || {
        diff "$2" "$3" | head -n 4 >&2 || true
        fail "$1 differ"
    }
    checks=$((checks + 1))
}
# What takes time, and what is built in, is not compared.
scores_of() { # REPORT
    sed 's/ fps="[^"]*"//; /"fps"/d' "$1"
}
same_report() { # WHAT FORMAT
    scores_of "here.$2" >here.txt
    scores_of "other.$2" >other.txt
    same "$1" here.txt other.txt
}

features=$("$NATIVE_VMAF" --list-features | sed -n 's/^\([a-z][a-z0-9_]*\):.*/\1/p' | grep -v '^null$')
[ "$(echo "$features" | wc -l)" -gt 15 ] || fail "too few features: $features"
every=
for feature in $features; do
    every="$every --feature $feature"
done
make() { # FILE DISTORTION DEPTH
    "$SYNTH" --scene chroma --distortion "$2" --size 256x224 --frames 3 --depth "$3" --output "$1"
}
for depth in 8 10; do
    make ref.y4m identical $depth
    make dis.y4m bilinear $depth
    for who in here other; do
        program=$NATIVE_VMAF
        [ $who = here ] || program=./other
        run() { # OPTION...
            # shellcheck disable=SC2086 # a list
            "$program" -q ref.y4m dis.y4m --model version=vmaf_v0.6.1 $every --feature cambi=heatmaps_path=maps "$@" ||
                fail "$who: $depth bits, $*: status $?"
        }
        # Records are sums of integers, numbers of both precisions, and samples.
        run --shard 0/2 -o $who-0.vmafs
        run --shard 1/2 -o $who-1.vmafs
        rm -rf maps
        run --threads 2 --precision max -o $who.json -o $who.csv
        mv maps $who-maps
    done
    same_report "scores of $depth bits" json
    mv here.txt here-whole.txt
    same_report "scores of $depth bits" csv
    same "shards of $depth bits" here-0.vmafs other-0.vmafs
    same "shards of $depth bits" here-1.vmafs other-1.vmafs
    for who in here other; do
        program=$NATIVE_VMAF
        [ $who = here ] || program=./other
        # Each finishes what it has not begun.
        "$program" merge here-0.vmafs other-1.vmafs --precision max -o $who-merged.json ||
            fail "$who: merge of $depth bits: status $?"
        scores_of $who-merged.json >merged.txt
        same "scores of shards of $depth bits, merged $who," here-whole.txt merged.txt
    done
    for map in here-maps/*; do
        same "heat maps of $depth bits" "$map" "other-maps/${map##*/}"
    done
    rm -r here-maps other-maps
done

# Frames that are large enough to be mapped instead of read.
"$SYNTH" --scene texture --distortion identical --size 640x360 --frames 2 --depth 10 --output ref.y4m
"$SYNTH" --scene texture --distortion blur --size 640x360 --frames 2 --depth 10 --output dis.y4m
# Beyond what 32 bits can say: two frames in a file with a hole.
truncate -s 4300812288 large.yuv
tail -c 12288 ref.y4m | dd of=large.yuv bs=6144 seek=700000 conv=notrunc 2>/dev/null
# In 32 bits less than a frame of this one would be left.
truncate -s 4294967396 hole.yuv
for who in here other; do
    program=$NATIVE_VMAF
    [ $who = here ] || program=./other
    run() { # NAME OPTION...
        name=$1
        shift
        "$program" -q "$@" --no_prediction --feature psnr --precision max -o $who.json || fail "$who: $name: status $?"
        cp $who.json "$who-$name.json"
    }
    run mapped ref.y4m dis.y4m
    run large -r large.yuv -d large.yuv --width 64 --height 64 --pixel_format 420 --bitdepth 8 \
        --frame_skip_ref 700000 --frame_skip_dist 699999 --frame_cnt 2
    run hole -r hole.yuv -d hole.yuv --width 64 --height 64 --pixel_format 420 --bitdepth 8 --frame_cnt 2
done
for name in mapped large hole; do
    scores_of here-$name.json >here.txt
    scores_of other-$name.json >other.txt
    same "scores of $name frames" here.txt other.txt
done
echo "$checks files were equal"
