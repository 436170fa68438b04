#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Videos that arrive in unusual ways, or differ in their colours: scores are those of what ffmpeg's own conversions
# make of them.
# shellcheck source=tests/media/common.sh
. "$(dirname "$0")/common.sh"

rm -f -- *.png *.y4m *.mkv
source="-f lavfi -i testsrc2=size=96x80:rate=25:duration=0.32"
# shellcheck disable=SC2086 # arguments
make $source -pix_fmt yuv420p -c:v ffv1 ref.mkv
make -i ref.mkv -vf scale=48:40,scale=96:80 -c:v ffv1 blurred.mkv

# Sequences of pictures, whatever their first number is.
make -i ref.mkv -start_number 0 a0_%04d.png
make -i ref.mkv -start_number 97 a_%d.png
make -i blurred.mkv -start_number 0 b0_%04d.png
make -i blurred.mkv -start_number 86401 b_%04d.png
score module.csv a_%d.png b_%04d.png || fail "pictures from number 97 and 86401 on: status $?"
score counted.csv a0_%04d.png b0_%04d.png
same_scores "pictures whose numbers are far from 0" module.csv counted.csv
checks=$((checks + 1))
[ "$(wc -l <module.csv)" -eq 9 ] || fail "a sequence of 8 pictures has $(wc -l <module.csv) rows"
make -i blurred.mkv -start_number 97 b_%d.png
score module.csv a_%d.png b_%d.png --start-number 99 || fail "--start-number: status $?"
score counted.csv a0_%04d.png b0_%04d.png --frame_skip_ref 2 --frame_skip_dist 2
same_scores "--start-number" module.csv counted.csv
finish 3
