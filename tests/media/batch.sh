#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# vmaf batch with media files, some pairs at a time, which share the module that decodes them: each
# has the report of a run of its own, notes included. One that is damaged harms no other.
# shellcheck source=tests/media/common.sh
. "$(dirname "$0")/common.sh"

source=size=176x144:rate=25:duration=0.8
clip -pix_fmt yuv420p -c:v ffv1 ref.mkv
clip -pix_fmt yuv420p -c:v libx264 -crf 30 a.mp4
clip -pix_fmt yuv420p -vf scale=96x80 -c:v libx264 -crf 20 b.mkv
clip -pix_fmt yuv420p -vf scale=352x288 -c:v mpeg2video -q:v 6 c.ts
to_y4m ref.mkv ref.y4m
head -c 4000 /dev/zero >nothing.mp4

line() { # report, reference, distorted
    printf '{"reference": "%s", "distorted": "%s", "output": "%s"}\n' "$2" "$3" "$1"
}
{
    line 1.json ref.mkv a.mp4
    line 2.json ref.mkv b.mkv
    line 3.json ref.mkv nothing.mp4
    line 4.json ref.y4m c.ts
    line 5.json ref.mkv c.ts
    line 6.json ref.y4m a.mp4
} >list.ndjson
without_rate() {
    grep -v '"fps"' "$1"
}
alone() { # report of the batch, reference, distorted
    "$vmaf" "$2" "$3" --feature psnr -o alone.json 2>/dev/null || fail "$2 $3: status $?"
    checks=$((checks + 1))
    without_rate alone.json >alone.txt
    without_rate "$1" >mine.txt || fail "jobs $jobs: there is no $1"
    cmp -s alone.txt mine.txt || fail "jobs $jobs: $1 is different"
}
for jobs in 1 2 6; do
    rm -f ./?.json
    status=0
    "$vmaf" batch list.ndjson --jobs $jobs --feature psnr >results.ndjson 2>err.txt || status=$?
    [ $status -eq 255 ] || fail "jobs $jobs: status $status"
    [ "$(grep -c '"status":0,' results.ndjson)" -eq 5 ] || fail "jobs $jobs: $(cat results.ndjson)"
    grep -q '"line":3,"status":255,.*nothing.mp4' results.ndjson || fail "jobs $jobs: nothing.mp4 is scored"
    grep -q '^line 2: note: .*scaled from 96x80 to 176x144' err.txt || fail "jobs $jobs: $(cat err.txt)"
    alone 1.json ref.mkv a.mp4
    alone 2.json ref.mkv b.mkv
    alone 4.json ref.y4m c.ts
    alone 5.json ref.mkv c.ts
    alone 6.json ref.y4m a.mp4
    [ ! -e 3.json ] || fail "nothing.mp4 has a report"
done
finish 15
