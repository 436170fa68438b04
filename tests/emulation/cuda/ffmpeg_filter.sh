#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# FFmpeg 7 with libvmaf_cuda, unchanged, on this library and the emulated driver: its scores are those
# of this library on the CPU, and features that need chroma, which it does not hand over, are refused.
# FFMPEG7 names the program.
#   ffmpeg_filter.sh <vmaf> <synth> <folder of libvmaf.so.3> <folder of backends> <folder of libcuda.so.1>
set -eu
vmaf=$1 synth=$2 library=$3 backends=$4 driver=$5
[ -n "${FFMPEG7:-}" ] || { echo "skipped: FFMPEG7 names no FFmpeg with libvmaf_cuda"; exit 77; }
LD_LIBRARY_PATH=$library "$FFMPEG7" -v error -filters | grep -q ' libvmaf_cuda ' ||
    { echo "skipped: $FFMPEG7 has no libvmaf_cuda"; exit 77; }
unset VMAF_EMULATED_CUDA VMAF_EMULATED_CUDA_FAULTS
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for clip in ref:identical dist:blur; do
    "$synth" --scene texture --size 176x144 --format 420 --frames 5 --distortion "${clip#*:}" \
        --output "$folder/${clip%:*}.y4m"
done
"$vmaf" -r "$folder/ref.y4m" -d "$folder/dist.y4m" --backend cpu --json -o "$folder/cpu.json" -q

# filter <order of the driver> <filter that uploads> <options of libvmaf_cuda>
filter() {
    rm -f "$folder/gpu.json"
    LD_LIBRARY_PATH=$library:$driver VMAF_BACKEND_PATH=$backends XDG_CACHE_HOME=$folder \
        VMAF_EMULATED_CUDA_ORDER=$1 "$FFMPEG7" -v error -nostdin -init_hw_device cuda=card \
        -filter_hw_device card -i "$folder/dist.y4m" -i "$folder/ref.y4m" -lavfi \
        "[0:v]format=yuv420p,$2[d];[1:v]format=yuv420p,$2[r];[d][r]libvmaf_cuda=log_fmt=json:\
log_path=$folder/gpu.json$3" -f null - 2>"$folder/errors"
}
scores() { tr -d ' \n' <"$1" | grep -o '"vmaf":[0-9.]*'; }
scores "$folder/cpu.json" >"$folder/cpu.scores"
[ "$(wc -l <"$folder/cpu.scores")" -ge 5 ] || { echo "there are no scores"; exit 1; }

# hwupload_cuda makes a context of its own for each input, and nothing waits for what it uploads to
# that of the other one: on a driver that starts copies as late as it may, FFmpeg reads too early.
for run in late:hwupload 1:hwupload early:hwupload_cuda; do
    filter "${run%:*}" "${run#*:}" "" || { cat "$folder/errors"; echo "$run fails"; exit 1; }
    grep -q '"extractor": "vif_cuda", "backend": "cuda"' "$folder/gpu.json" || { echo "$run: not on the device"; exit 1; }
    scores "$folder/gpu.json" | diff "$folder/cpu.scores" - || { echo "$run: other scores"; exit 1; }
done
if filter late hwupload ":feature=name=psnr"; then
    echo "psnr of chroma that was not handed over"
    exit 1
fi
grep -q 'luma only' "$folder/errors" || { cat "$folder/errors"; echo "the reason is missing"; exit 1; }
