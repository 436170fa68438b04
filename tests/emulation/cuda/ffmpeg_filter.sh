#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# FFmpeg 7 with hwupload_cuda and libvmaf_cuda, unchanged, on this library and the emulated driver:
# its scores are those of this library on the CPU. FFMPEG7 names the program.
#   ffmpeg_filter.sh <vmaf> <synth> <folder of libvmaf.so.3> <folder of backends> <folder of libcuda.so.1>
set -eu
vmaf=$1 synth=$2 library=$3 backends=$4 driver=$5
[ -n "${FFMPEG7:-}" ] || { echo "skipped: FFMPEG7 names no FFmpeg with libvmaf_cuda"; exit 77; }
"$FFMPEG7" -v error -filters | grep -q ' libvmaf_cuda ' || { echo "skipped: $FFMPEG7 has no libvmaf_cuda"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$synth" --scene texture --size 176x144 --format 420 --frames 5 --distortion identical --output "$folder/ref.y4m"
"$synth" --scene texture --size 176x144 --format 420 --frames 5 --distortion blur --output "$folder/dist.y4m"
"$vmaf" -r "$folder/ref.y4m" -d "$folder/dist.y4m" --backend cpu --json -o "$folder/cpu.json" -q
LD_LIBRARY_PATH=$library:$driver VMAF_BACKEND_PATH=$backends XDG_CACHE_HOME=$folder "$FFMPEG7" -v error -nostdin \
    -init_hw_device cuda=card -filter_hw_device card -i "$folder/dist.y4m" -i "$folder/ref.y4m" -lavfi \
    "[0:v]format=yuv420p,hwupload_cuda[d];[1:v]format=yuv420p,hwupload_cuda[r];\
[d][r]libvmaf_cuda=log_fmt=json:log_path=$folder/gpu.json" -f null -
scores() { tr -d ' \n' <"$1" | grep -o '"vmaf":[0-9.]*'; }
scores "$folder/cpu.json" >"$folder/cpu.scores"
scores "$folder/gpu.json" >"$folder/gpu.scores"
[ "$(wc -l <"$folder/cpu.scores")" -ge 5 ] || { echo "there are no scores"; exit 1; }
diff "$folder/cpu.scores" "$folder/gpu.scores"
