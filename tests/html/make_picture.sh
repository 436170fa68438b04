#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Makes the picture of a report that the README shows: a made-up video, whose middle is coded coarsely.
#   make_picture.sh VMAF SYNTH OUTPUT.png        needs Chromium, and pngquant makes the file smaller if it is there
set -eu
vmaf=$1 synth=$2 output=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
clip() { # distortion, strength, file
    "$synth" --scene texture --distortion "$1" --strength "$2" --size 640x360 --frames 150 --output "$folder/$3"
}
clip identical 1 original.y4m
clip hadamard 2 good.y4m
clip hadamard 6 coarse.y4m
# Frames 50 to 84 of one in the other.
bytes=$((640 * 360 * 3 / 2 + 6))
header=$(head -n 1 "$folder/good.y4m" | wc -c)
part() { # file, first frame, frames
    tail -c +$((header + bytes * $2 + 1)) "$folder/$1" | head -c $((bytes * $3))
}
{
    head -n 1 "$folder/good.y4m"
    part good.y4m 0 50
    part coarse.y4m 50 35
    part good.y4m 85 65
} >"$folder/encode.y4m"
(cd "$folder" && "$vmaf" -q -r original.y4m -d encode.y4m --feature psnr -o report.html)
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --blink-settings=preferredColorScheme=1 \
    --screenshot="$folder/report.png" --window-size=1160,1720 "file://$folder/report.html" 2>"$folder/log"
if command -v pngquant >/dev/null; then
    pngquant --force --output "$output" 64 "$folder/report.png"
elif command -v ffmpeg >/dev/null; then
    ffmpeg -v error -y -i "$folder/report.png" -vf "split[a][b];[a]palettegen=128[p];[b][p]paletteuse=dither=none" \
        -frames:v 1 "$output"
else
    cp "$folder/report.png" "$output"
fi
