# SPDX-License-Identifier: BSD-2-Clause-Patent
# Sourced by the tests of media files. They make small videos with ffmpeg.
#   SCRIPT <vmaf> <folder for files>
# shellcheck shell=sh
set -eu
vmaf=$1
work=$2
mkdir -p "$work"
cd "$work"
export LC_ALL=C

skip() {
    echo "skipped: $*"
    exit 77
}
command -v ffmpeg >/dev/null 2>&1 || skip "there is no ffmpeg"

failures=0
checks=0
fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}
finish() { # least number of checks
    [ "$checks" -ge "$1" ] || fail "only $checks checks were made"
    echo "$checks checks, $failures failures"
    [ "$failures" -eq 0 ]
}

make() { # arguments of ffmpeg
    ffmpeg -nostdin -v error -y "$@"
}
has_encoder() {
    ffmpeg -hide_banner -encoders 2>/dev/null | grep -q "^ V[^ ]* $1 "
}
# Frames of a video as a decoder gives them.
to_y4m() { # input, output, further options
    input=$1 output=$2
    shift 2
    make -i "$input" "$@" -fps_mode passthrough -strict -1 -f yuv4mpegpipe "$output"
}

# Every score of every frame at 17 digits.
score() { # report, arguments
    report=$1
    shift
    "$vmaf" "$@" --quiet --threads 1 --precision max --csv -o "$report" --feature psnr
}
same_scores() { # what, report, report
    checks=$((checks + 1))
    [ "$(wc -l <"$2")" -ge 2 ] || fail "$1: there are no scores"
    cmp -s "$2" "$3" || {
        fail "$1: scores differ"
        diff "$2" "$3" | head -n 4 >&2 || true
    }
}
