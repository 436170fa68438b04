#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# ffmpeg for tests that start vmaf-tune many times: what vmaf-tune asks ffmpeg before it encodes is
# asked of the real one once, since each start of it links 200 libraries. All else it does itself.
#   REAL_FFMPEG: the program; FFMPEG_ANSWERS: a folder for its answers
case "$*" in
-version | "-hide_banner -encoders" | "-hide_banner -h encoder="* | *" -i color=c=gray:"*" -frames:v 1 "*" -f null -") ;;
*) exec "$REAL_FFMPEG" "$@" ;;
esac
answer=$FFMPEG_ANSWERS/$(echo "$*" | cksum | tr ' ' -)
if [ ! -e "$answer" ]; then
    mkdir -p "$FFMPEG_ANSWERS"
    own=$answer.$$
    status=0
    "$REAL_FFMPEG" "$@" >"$own.out" 2>"$own.err" || status=$?
    [ $status -lt 128 ] || exit $status
    echo "$status" >"$own"
    mv "$own.out" "$answer.out"
    mv "$own.err" "$answer.err"
    mv "$own" "$answer" # the last one: who sees it sees the others
fi
cat "$answer.out"
cat "$answer.err" >&2
read -r status <"$answer"
exit "$status"
