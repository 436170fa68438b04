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
clip() { # arguments of ffmpeg: a test pattern of what $source says of size, rate and duration
    # shellcheck disable=SC2154 # the script that sources this has it
    make -f lavfi -i "testsrc2=$source" "$@"
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
# The scores of two runs, module.csv and piped.csv, are the same.
same() { # what, arguments of the one, --, arguments of the other
    compared=$1 n_words=0
    shift
    for word; do
        [ "$word" != -- ] || break
        n_words=$((n_words + 1))
    done
    ( # arguments before -- go behind the others, which are left out then
        others=$(($# - n_words)) moved=0
        while [ $moved -lt $n_words ]; do
            set -- "$@" "$1"
            shift
            moved=$((moved + 1))
        done
        shift $others
        score module.csv "$@"
    ) || { fail "$compared: status $?"; return 0; }
    shift $((n_words + 1))
    score piped.csv "$@" || fail "$compared: status $?, of what it is compared with"
    same_scores "$compared" module.csv piped.csv
}
