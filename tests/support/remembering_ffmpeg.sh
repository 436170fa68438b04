#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# ffmpeg and ffprobe for tests that start them many times, each of which links 200 libraries: what the real ones have
# made of the same arguments and the same files, during one run of tests, is given again. What depends on more,
# they do themselves.
#   REAL_FFMPEG: the program; FFMPEG_ANSWERS: a folder for its answers
called=${0##*/}
real=${REAL_FFMPEG%/*}/$called
made= # the only output, which is the last word, unless that is the standard output
case $called:" $* " in
ffmpeg:*" -i "*)
    for made; do :; done
    made=${made#file:}
    [ "$made" != - ] || made=
    ;;
esac

# A name of the answer; nothing if it depends on more than the arguments and the files that are read.
name_of() { # ARGUMENT...
    case $made in *%* | *.m3u8 | *.mpd) return ;; esac
    [ -z "$made" ] || [ -f "$made" ] || [ ! -e "$made" ] || return
    count=$# left=$# before='' format='' words="$called
"
    for word; do
        left=$((left - 1))
        [ "$called:$left" != ffprobe:0 ] || before=-i
        case $before:$word in
        -i:*)
            path=${word#file:}
            if [ "$format" != lavfi ]; then
                case $format:$path in concat:* | *.m3u8 | *.mpd | *.ffconcat) return ;; esac
                [ -f "$path" ] || return
                set -- "$@" "$path"
                word=
            fi
            format=
            ;;
        -f:hls | -f:dash | -f:segment | *:-pass | *:-attach | *:-hls* | *:-n) return ;;
        -f:*) format=$word ;;
        *) [ -z "$made" ] || [ $left != 0 ] || word=${made##*.} ;;
        esac
        before=$word
        words="$words$word
"
    done
    shift $count
    printf '%s' "$words" | cksum - "$@" | while read -r sum size _; do printf '%s-%s-' "$sum" "$size"; done
}

name=$(name_of "$@")
[ "$name" ] || exec "$real" "$@"
answer=$FFMPEG_ANSWERS/$name
if [ -e "$answer" ]; then
    if [ "$made" ] && ! cp "$answer.made" "$made" 2>/dev/null; then # a disk that is full, perhaps
        rm -f "$made"
        exec "$real" "$@"
    fi
else
    mkdir -p "$FFMPEG_ANSWERS"
    own=$answer.$$
    status=0
    "$real" "$@" >"$own.out" 2>"$own.err" || status=$?
    if [ "$made" ] && { [ $status != 0 ] || ! cp "$made" "$own.made"; } || [ $status -ge 128 ]; then
        cat "$own.out"
        cat "$own.err" >&2
        rm -f "$own".*
        exit $status
    fi
    echo $status >"$own"
    for part in out err made; do [ ! -e "$own.$part" ] || mv "$own.$part" "$answer.$part"; done
    mv "$own" "$answer" # the last one: who sees it sees the others
fi
cat "$answer.out"
[ ! -s "$answer.err" ] || cat "$answer.err" >&2
read -r status <"$answer"
exit "$status"
