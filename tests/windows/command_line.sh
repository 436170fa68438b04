#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The program for Windows, under Wine, against the one of this system.
#   command_line.sh <source folder> <build folder> <vmaf of this system> <synth of this system>
set -eu
. "$(dirname -- "$0")/tools.sh"
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

# Integer features are equal to the last digit; scores that a C library's exp, log or pow is part of
# are equal to 1 part in 10^12.
compare() { # JSON of this system, JSON of Windows
    python3 - "$1" "$2" <<'END'
import json, math, sys
a, b = (json.load(open(path)) for path in sys.argv[1:])
worst = 0.0
def walk(x, y, path):
    global worst
    assert type(x) is type(y), path
    if isinstance(x, dict):
        assert list(x) == list(y), path
        for key in x:
            if key not in ("fps",):
                walk(x[key], y[key], path + [key])
    elif isinstance(x, list):
        assert len(x) == len(y), path
        for i, (p, q) in enumerate(zip(x, y)):
            walk(p, q, path + [i])
    elif isinstance(x, float):
        error = abs(x - y) / max(abs(x), 1e-300)
        worst = max(worst, error)
        assert error <= 1e-12, (path, x, y)
    elif isinstance(x, (int, bool)):
        assert x == y, (path, x, y)
walk(a["frames"], b["frames"], [])
walk(a["pooled_metrics"], b["pooled_metrics"], [])
print("largest relative difference:", worst)
END
}

score() { # PROGRAM OUTPUT
    "$1" -q -r ref.y4m -d 'dïst 漢.y4m' --json -o "$2" --precision max --threads 2 \
        --feature psnr --feature float_ssim --feature float_ms_ssim --feature cambi --feature ciede --feature psnr_hvs
}
score "$native" native.json >/dev/null 2>&1
expect "a run succeeds" score vmaf windows.json
expect "scores are those of this system" compare native.json windows.json

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
[ "$failures" -eq 0 ]
