#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The program for Windows, under Wine, against the one of this system.
#   command_line.sh <source folder> <build folder> <vmaf of this system> <synth of this system>
set -eu
. "$(dirname -- "$0")/tools.sh"
want_wine "$build/wine"
native=$3
synth=$4
program=$build/bin/vmaf.exe
[ -e "$program" ] || skip "windows-platform has not built vmaf.exe"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0

expect() { # WHAT COMMAND...
    what=$1
    shift
    if "$@"; then
        echo "ok: $what"
    else
        echo "FAILED: $what"
        failures=$((failures + 1))
    fi
}
vmaf() {
    "$wine" "$program" "$@"
}
make() { # FILE DISTORTION
    "$synth" --scene texture --distortion "$2" --size 320x180 --frames 4 --output "$1"
}
make ref.y4m identical
make 'dïst 漢.y4m' blur

# Every feature and the default model, to the last digit.
features=$("$native" --list-features | sed -n 's/^\([a-z][a-z0-9_]*\):.*/\1/p' | grep -v '^null$')
[ "$(echo "$features" | wc -l)" -gt 15 ] || { echo "too few features: $features"; exit 1; }
score() { # PROGRAM OUTPUT
    program_of_run=$1
    output=$2
    set --
    for feature in $features; do
        set -- "$@" --feature "$feature"
    done
    "$program_of_run" -q -r ref.y4m -d 'dïst 漢.y4m' --model version=vmaf_v0.6.1 --json -o "$output" \
        --precision max --threads 2 "$@"
}
same() { # JSON of this system, JSON of Windows
    python3 - "$1" "$2" <<'END'
import json, sys
a, b = (json.load(open(path)) for path in sys.argv[1:])
for part in ("frames", "pooled_metrics", "aggregate_metrics"):
    if a[part] != b[part]:
        sys.exit("%s differ:\n%s\n%s" % (part, a[part], b[part]))
print(len(a["frames"]), "frames of", len(a["frames"][0]["metrics"]), "metrics are equal")
END
}
expect "a run succeeds" score vmaf windows.json
score "$native" native.json >/dev/null 2>&1
expect "scores are those of this system" same native.json windows.json

# Beyond what 32 bits can say: two frames in a file with a hole.
truncate -s 4300812288 large.yuv
tail -c 12288 ref.y4m | dd of=large.yuv bs=6144 seek=700000 conv=notrunc 2>/dev/null
large() { # PROGRAM OUTPUT
    "$1" -q -r large.yuv -d large.yuv --width 64 --height 64 --pixel_format 420 --bitdepth 8 --frame_skip_ref 700000 \
        --frame_skip_dist 699999 --frame_cnt 2 --no_prediction --feature psnr --json -o "$2" --precision max
}
large "$native" native.json >/dev/null 2>&1
expect "a large file is read" large vmaf windows.json
expect "at the same place" same native.json windows.json
rm large.yuv

expect "standard input is binary" sh -c '"$1" "$2" -q -r - -d "dïst 漢.y4m" --json -o piped.json --precision max <ref.y4m' \
    sh "$wine" "$program"
expect "a pipe is read" sh -c 'cat ref.y4m | "$1" "$2" -q -r - -d "dïst 漢.y4m" --json -o "ünder 漢.json" --precision max' \
    sh "$wine" "$program"
expect "the report has its name" test -s "ünder 漢.json"
vmaf -q -r ref.y4m -d 'dïst 漢.y4m' --json -o - >stdout.json 2>/dev/null || true
expect "standard output is a report without other line ends" \
    sh -c 'python3 -m json.tool <stdout.json >/dev/null && ! grep -q "$(printf "\r")" stdout.json'
expect "a missing file is told" sh -c '! "$1" "$2" -r nothing.y4m -d ref.y4m 2>err && grep -q "No such file" err' \
    sh "$wine" "$program"
expect "a folder is told" sh -c '! "$1" "$2" -r . -d ref.y4m 2>err && grep -qi "directory" err' sh "$wine" "$program"
# The drive of this system's files is Z:.
expect "paths of drives are options of models" sh -c '! "$1" "$2" -r ref.y4m -d ref.y4m -m "path=Z:/nothing/x.json:name=x" 2>err &&
    grep -q "Z:/nothing/x.json" err' sh "$wine" "$program"
expect "an output on a drive" vmaf -q -r "Z:$work/ref.y4m" -d "Z:\\$(echo "$work" | tr / '\\' | cut -c2-)\\ref.y4m" --no_prediction \
    --feature psnr --json -o "Z:$work/drive.json"
expect "which is there" test -s drive.json

# Ctrl-C, which is what Wine makes of the signal, ends a batch that waits for its list.
mkfifo list
"$wine" "$program" batch - --no_prediction --feature psnr <list >batch 2>&1 &
batch=$!
exec 3>list
echo '{"reference": "ref.y4m", "distorted": "ref.y4m", "output": "batch.xml"}' >&3
while kill -0 $batch && ! grep -q batch.xml batch; do
    sleep 0.1
done
expect "a batch scores a pair while its list is written" test -s batch.xml
kill -INT $batch
status=0
wait $batch || status=$?
exec 3>&-
expect "Ctrl-C ends it, with status 130" test $status -eq 130
[ "$failures" -eq 0 ]
