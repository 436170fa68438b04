#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Videos that a CUDA device decodes, over an emulated driver and decoder: frames stay on the device where
# that is possible, they are fetched where it is not, and scores are those of the CPU.
#   device.sh <vmaf> <folder for files> <folder of backends> <folders of the emulated driver, decoder>
# shellcheck source=tests/media/common.sh
. "$(dirname "$0")/common.sh"
backends=$3 driver=$4 decoder=$5 rest=${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
ffmpeg -v error -hwaccels 2>/dev/null | grep -q '^cuda$' || skip "ffmpeg has no CUDA"
has_encoder libx264 || skip "there is no libx264"
unset VMAF_EMULATED_CUDA VMAF_EMULATED_CUDA_FAULTS VMAF_BACKEND
export XDG_CACHE_HOME="$work/cache" VMAF_BACKEND_PATH="$backends" VMAF_BACKEND_PROBE=inprocess

# on_device <report> <arguments>: the scores of features on the device that decodes
on_device() {
    report=$1
    shift
    rm -f "$report" log
    LD_LIBRARY_PATH=$driver:$decoder$rest VMAF_EMULATED_NVDEC=$videos VMAF_EMULATED_CUDA_LOG=$work/log \
        "$vmaf" "$@" --hwaccel cuda --threads 2 --precision max --csv -o "$report" >said 2>&1
}
on_cpu() {
    report=$1
    shift
    "$vmaf" "$@" --quiet --backend cpu --precision max --csv -o "$report"
}
says() { # what, text
    checks=$((checks + 1))
    grep -qF -- "$2" said || { fail "$1: nobody says \"$2\""; cat said >&2; }
}
# Bytes that went from the device to ordinary memory. Spot checks use page-locked memory.
fetched() {
    sed -n 's/.* device-to-pageable bytes=\([0-9]*\) .*/\1/p' log | awk '{ n += $1 } END { print n + 0 }'
}
stayed() { # what, bytes of luma of all frames of both
    says "$1" "the reference video is decoded by cuda and scored on that device"
    says "$1" "the distorted video is decoded by cuda and scored on that device"
    checks=$((checks + 1))
    [ "$(fetched)" -lt "$2" ] || fail "$1: $(fetched) bytes were fetched"
}
was_fetched() { # what, reason
    says "$1" "the reference video is decoded by cuda and fetched from the device"
    says "$1" "frames cannot be scored where they are decoded: $2"
}

source=size=192x120:rate=25:duration=1
clip -pix_fmt yuv420p -c:v libx264 -bf 2 -g 8 ref.mp4
make -i ref.mp4 -c:v libx264 -crf 40 -bf 2 -g 8 dist.mp4
videos=ref.mp4:dist.mp4
luma=$((192 * 120 * 25 * 2))

# The default model looks at luma, psnr at chroma, too. Whatever the device does first, with psnr alone: the self-test of
# what a model needs takes ten times as long.
features="--feature psnr --model version=vmaf_v0.6.1"
for order in late early 1; do
    # shellcheck disable=SC2086 # arguments
    on_cpu cpu.csv ref.mp4 dist.mp4 $features
    # shellcheck disable=SC2086 # arguments
    VMAF_EMULATED_CUDA_ORDER=$order on_device gpu.csv ref.mp4 dist.mp4 --backend cuda $features ||
        fail "$order: $(cat said)"
    same_scores "order $order" cpu.csv gpu.csv
    stayed "order $order" $luma
    features="--feature psnr -n"
done
# What looks whether the videos line up sees some rows, else nothing is fetched but the first frames,
# of which files are described.
# Nothing else waits for the decoder then.
# shellcheck disable=SC2086 # arguments
VMAF_EMULATED_CUDA_ORDER=late on_device gpu.csv ref.mp4 dist.mp4 --backend cuda --align off $features ||
    fail "--align off: $(cat said)"
same_scores "--align off" cpu.csv gpu.csv
checks=$((checks + 1))
[ "$(fetched)" -eq $((2 * 192 * 120 * 3 / 2)) ] || fail "--align off: $(fetched) bytes were fetched"
# Work of one context does not wait for that of another.
checks=$((checks + 1))
! grep -q '^cuCtxCreate' log || fail "a context besides that of the backend"

# If nobody chooses a backend, the program does.
on_cpu cpu.csv ref.mp4 dist.mp4 --feature psnr -n
on_device gpu.csv ref.mp4 dist.mp4 --feature psnr -n || fail "the default: $(cat said)"
same_scores "the default" cpu.csv gpu.csv
stayed "the default" $luma
on_device gpu.csv ref.mp4 dist.mp4 --feature psnr -n --backend auto || fail "auto: $(cat said)"
stayed "auto" $luma
for option in "--backend cpu" --no_cuda; do
    # shellcheck disable=SC2086 # arguments
    on_device gpu.csv ref.mp4 dist.mp4 --feature psnr -n $option || fail "$option: $(cat said)"
    same_scores "$option" cpu.csv gpu.csv
    says "$option" "the distorted video is decoded by cuda and fetched from the device"
    checks=$((checks + 1))
    ! grep -q "cannot be scored" said || fail "$option: a reason, although nobody asked for it"
done

# Other frames than all.
for part in "--start 9 --frames 12" "--start 0.5s --duration 0.3" "--frame_skip_ref 3 --frame_skip_dist 3" \
    "--subsample 3" "--sync time" "--align auto" "--frame_skip_dist 2 --frames 20"; do
    # shellcheck disable=SC2086 # arguments
    on_cpu cpu.csv ref.mp4 dist.mp4 --feature psnr -n $part
    # shellcheck disable=SC2086 # arguments
    on_device gpu.csv ref.mp4 dist.mp4 --backend cuda --feature psnr -n $part || fail "$part: $(cat said)"
    same_scores "$part" cpu.csv gpu.csv
    says "$part" "the distorted video is decoded by cuda and scored on that device"
done
make -i dist.mp4 -c copy dist.mkv
# A pipe is not read again, so the backend has to be named.
# shellcheck disable=SC2002 # a pipe is the point
cat dist.mkv | on_device gpu.csv ref.mp4 - --backend cuda --feature psnr -n || fail "a pipe: $(cat said)"
on_cpu cpu.csv ref.mp4 dist.mp4 --feature psnr -n
same_scores "a pipe" cpu.csv gpu.csv
stayed "a pipe" $luma
# shellcheck disable=SC2002 # a pipe is the point
cat dist.mkv | on_device gpu.csv ref.mp4 - --feature psnr -n || fail "a pipe by default: $(cat said)"
same_scores "a pipe by default" cpu.csv gpu.csv
says "a pipe by default" "the distorted video is decoded by cuda and fetched from the device"

# Videos that do not line up are noticed by the rows that are fetched, as they are in memory: nothing
# moves in others.
make -f lavfi -i "testsrc2=size=96x600:rate=25:duration=5,format=gray,geq='if(eq(mod(Y,50),8)+eq(mod(Y,50),25)+eq(mod(Y,50),41),lum(X,Y),128)'" \
    -pix_fmt yuv420p -c:v libx264 -preset ultrafast -qp 0 long.mp4
make -i long.mp4 -vf trim=start_frame=2,setpts=PTS-STARTPTS -c:v libx264 -preset ultrafast -qp 0 early.mp4
videos=long.mp4:early.mp4
"$vmaf" long.mp4 early.mp4 --backend cpu --feature psnr -n 2>&1 | grep '^alignment: ' >expected || true
on_device gpu.csv long.mp4 early.mp4 --backend cuda --feature psnr -n || fail "not in line: $(cat said)"
stayed "not in line" $((96 * 600 * 123 * 2))
says "not in line" "alignment: the distorted video is 2 frames early"
checks=$((checks + 1))
grep '^alignment: ' said | diff expected - || fail "not in line: other findings"

# 10 bits, which are the high ones of words there; three planes; a size that is no multiple of anything.
try_format() { # name, format, size
    features="--feature psnr ${5:--n}"
    # shellcheck disable=SC2086 # arguments
    make -f lavfi -i "testsrc2=size=$3:rate=25:duration=0.6" -pix_fmt "$2" -c:v libx265 -x265-params log-level=none "$1.mkv"
    make -i "$1.mkv" -pix_fmt "$2" -c:v libx265 -crf 40 -x265-params log-level=none "$1-d.mkv"
    videos=$1.mkv:$1-d.mkv
    # shellcheck disable=SC2086 # arguments
    on_cpu cpu.csv "$1.mkv" "$1-d.mkv" $features
    # shellcheck disable=SC2086 # arguments
    on_device gpu.csv "$1.mkv" "$1-d.mkv" --backend cuda $features || fail "$1: $(cat said)"
    same_scores "$1" cpu.csv gpu.csv
    stayed "$1" "$4"
}
if has_encoder libx265; then
    try_format ten yuv420p10le 176x146 $((176 * 146 * 2 * 15 * 2)) "--model version=vmaf_v0.6.1"
    try_format three yuv444p 175x143 $((175 * 143 * 15 * 2))
    # Depths that differ are converted in memory.
    videos=ref10.mkv:dist.mp4
    make -i ref.mp4 -pix_fmt yuv420p10le -c:v libx265 -x265-params log-level=none ref10.mkv
    on_cpu cpu.csv ref10.mkv dist.mp4 --feature psnr -n
    on_device gpu.csv ref10.mkv dist.mp4 --backend cuda --feature psnr -n || fail "depths: $(cat said)"
    same_scores "depths" cpu.csv gpu.csv
    was_fetched "depths" "the distorted video is raised to a higher depth"
fi

# What is done to frames is done in memory, and said once.
make -i ref.mp4 -vf scale=96x60 -c:v libx264 small.mp4
make -i ref.mp4 -c:v ffv1 lossless.mkv
make -display_rotation 180 -i ref.mp4 -c copy rotated.mp4 2>/dev/null ||
    make -i ref.mp4 -c copy -metadata:s:v rotate=180 rotated.mp4 # FFmpeg 5
videos=ref.mp4:dist.mp4:small.mp4:rotated.mp4
try_fetched() { # reason, arguments
    reason=$1
    shift
    on_cpu cpu.csv "$@" --feature psnr -n
    on_device gpu.csv "$@" --backend cuda --feature psnr -n || fail "$reason: $(cat said)"
    same_scores "$reason" cpu.csv gpu.csv
    says "$reason" "frames cannot be scored where they are decoded: $reason"
}
try_fetched "the distorted video is scaled" ref.mp4 small.mp4
try_fetched "the reference video is cropped" ref.mp4 dist.mp4 --crop-ref 96:60:8:8 --crop-dist 96:60:8:8
try_fetched "the distorted video is not decoded by a device whose frames can be scored there" ref.mp4 lossless.mkv
try_fetched "a page shows some of them" ref.mp4 dist.mp4 -o page.html
try_fetched "the reference video is rotated" rotated.mp4 rotated.mp4
on_device '{}.csv' -r ref.mp4 -d dist.mp4 -d small.mp4 --backend cuda --feature psnr -n || fail "several: $(cat said)"
was_fetched "several" "there are several distorted videos"
on_cpu cpu.csv ref.mp4 dist.mp4 --feature psnr -n
same_scores "several" cpu.csv dist.csv

# Cards: the one that scores decodes. Option --cuda_device names it for both.
videos=ref.mp4:dist.mp4
export VMAF_EMULATED_CUDA="$work/cards"
printf 'device One\nuuid %032d\ndevice Two\nuuid %032d\n' 1 2 >cards
on_device gpu.csv ref.mp4 dist.mp4 --backend cuda --cuda_device 1 --feature psnr -n || fail "two cards: $(cat said)"
same_scores "the second card" cpu.csv gpu.csv
stayed "the second card" $luma
printf 'device One\nuuid %032d\nbusy\ndevice Two\nuuid %032d\n' 1 2 >cards
on_device gpu.csv ref.mp4 dist.mp4 --backend cuda --cuda_device 1 --feature psnr -n || fail "a busy card: $(cat said)"
stayed "the card that is not busy" $luma
# Where one is too old to score, the numbers of decoders and scorers differ.
printf 'device Old\ncapability 6.1\nuuid %032d\ndevice New\nuuid %032d\n' 1 2 >cards
on_device gpu.csv ref.mp4 dist.mp4 --backend cuda --feature psnr -n || fail "an old card: $(cat said)"
same_scores "an old card" cpu.csv gpu.csv
was_fetched "an old card" "there are devices that cannot score, so it may be another one"
unset VMAF_EMULATED_CUDA

on_cpu cpu.csv ref.mp4 dist.mp4 --feature psnr -n

# A device that is lost: a backend that was named has failed; another one is given up.
for fault in "lose launch 40" "lose cuPointerGetAttribute 20" "lose cuStreamSynchronize 60"; do
    # Frames are fetched ahead, so the library may not have seen anything of the device then.
    if [ "$fault" != "lose cuStreamSynchronize 60" ]; then
        status=0
        VMAF_EMULATED_CUDA_FAULTS=$fault on_device gpu.csv ref.mp4 dist.mp4 --backend cuda --feature psnr -n || status=$?
        checks=$((checks + 1))
        [ $status -eq 100 ] || fail "$fault: status $status: $(cat said)"
    fi
    VMAF_EMULATED_CUDA_FAULTS=$fault on_device gpu.csv ref.mp4 dist.mp4 --feature psnr -n || fail "$fault: $(cat said)"
    same_scores "$fault" cpu.csv gpu.csv
    says "$fault" "vmaf: starting again without backend cuda"
    says "$fault" "vmaf: the processor decodes, not --hwaccel cuda"
    ! grep -qE "fetched from the device|no device decodes" said || fail "$fault: the device is tried again"
done

# A device that cannot be opened, and one that decodes nothing of the kind: one line each, and the
# processor decodes.
VMAF_EMULATED_CUDA_FAULTS="no-device" on_device gpu.csv ref.mp4 dist.mp4 --backend cpu --feature psnr -n ||
    fail "no device: $(cat said)"
same_scores "no device" cpu.csv gpu.csv
says "no device" "no device decodes the reference video (--hwaccel cuda): the processor does"
checks=$((checks + 1))
[ "$(grep -c . said)" -eq 2 ] || { fail "no device: more is said"; cat said >&2; }
# The driver may lack what decodes, which shows with the first frame.
LD_LIBRARY_PATH=$driver$rest "$vmaf" ref.mp4 dist.mp4 --hwaccel cuda --backend cuda --feature psnr -n --precision max \
    --csv -o gpu.csv >said 2>&1 || fail "no decoder: $(cat said)"
same_scores "no decoder" cpu.csv gpu.csv
says "no decoder" "no device decodes the distorted video (--hwaccel cuda): the processor does"
# Lines of a live report cannot be taken back, so the program does not choose for them.
on_device gpu.csv ref.mp4 dist.mp4 --feature psnr -n -o live.ndjson || fail "a live report: $(cat said)"
says "a live report" "the distorted video is decoded by cuda and fetched from the device"
finish 104
