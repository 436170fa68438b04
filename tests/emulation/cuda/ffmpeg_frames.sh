#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Frames that FFmpeg uploads to the emulated device and downloads again are those that it has without.
#   ffmpeg_frames.sh <folder of libcuda.so.1>
set -eu
ffmpeg=${FFMPEG:-ffmpeg}
command -v "$ffmpeg" >/dev/null || { echo "skipped: there is no $ffmpeg"; exit 77; }
"$ffmpeg" -v error -hwaccels | grep -q '^cuda$' || { echo "skipped: $ffmpeg has no CUDA"; exit 77; }
unset VMAF_EMULATED_CUDA VMAF_EMULATED_CUDA_FAULTS
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# hash <format> <filters>: of all frames
hash() {
    "$ffmpeg" -v error -nostdin -init_hw_device cuda=card -filter_hw_device card -f lavfi \
        -i testsrc=size=310x170:duration=0.2 -vf "format=$1,$2format=$1" -f md5 -
}
for format in yuv420p p010le; do
    expected=$("$ffmpeg" -v error -nostdin -f lavfi -i testsrc=size=310x170:duration=0.2 \
               -vf "format=$format" -f md5 -)
    for order in late early 1; do
        : >"$log"
        got=$(LD_LIBRARY_PATH=$1 VMAF_EMULATED_CUDA_ORDER=$order VMAF_EMULATED_CUDA_LOG=$log \
              hash "$format" hwupload_cuda,hwdownload,)
        [ "$got" = "$expected" ] || { echo "$format, $order: $got, not $expected"; exit 1; }
        grep -q '^cuMemcpy2DAsync_v2 .*-to-device' "$log" || { echo "nothing was uploaded"; exit 1; }
    done
done
