#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The program reads large frames into memory that the device knows, and maps them where none does.
#   frame_memory.sh <vmaf> <folder with membuf as "cuda">
set -eu
vmaf=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Frames of 1 MiB and more are used in the mapped file if nobody objects.
head -c 18662400 /dev/urandom >"$folder/ref.yuv"
head -c 18662400 /dev/urandom >"$folder/dis.yuv"
export VMAF_BACKEND_PATH="$2" VMAF_BACKEND_PROBE=inprocess VMAF_BACKEND_SPOT_CHECK=0
score() {
    VMAF_TEST_MEMBUF_COUNTS="$folder/$1.counts" "$vmaf" -r "$folder/ref.yuv" -d "$folder/dis.yuv" \
        -w 1920 -h 1080 -p 420 -b 8 --backend "$1" --feature psnr --no_prediction -q --csv \
        --precision max -o "$folder/$1.csv"
}
score cpu
score cuda
cmp "$folder/cpu.csv" "$folder/cuda.csv"
read -r _ registrations _ elsewhere _ left <"$folder/cuda.counts"
[ "$left" -eq 0 ] || { echo "memory was still known to a closed device" >&2; exit 1; }
VMAF_TEST_MEMBUF_COUNTS="$folder/self.counts" "$vmaf" -r "$folder/ref.yuv" -d "$folder/dis.yuv" \
    -w 1920 -h 1080 -p 420 -b 8 --backend cuda --feature psnr --no_prediction -q --frame_cnt 1 \
    --csv -o "$folder/one.csv"
# The self-test has pictures in both kinds of memory, and so many of each in every run.
read -r _ self_registrations _ self_elsewhere _ _ <"$folder/self.counts"
[ "$registrations" -gt "$self_registrations" ] || { echo "no frame was announced" >&2; exit 1; }
[ "$elsewhere" -eq "$self_elsewhere" ] || {
    echo "$elsewhere pictures were elsewhere, $self_elsewhere of them in the self-test" >&2
    exit 1
}
echo "all is well"
