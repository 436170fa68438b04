#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Executed instructions per frame on 64-bit Arm, plain C and NEON, counted under QEMU, as a table:
#
#     bench/arm_instructions.sh <vmaf for 64-bit Arm> <tests/support/synth of this machine> [FEATURE...]
#
# A cross build of the program, static so that QEMU finds all of it:
#
#     cmake -B build/arm -DVMAF_TRIPLET=aarch64-linux-gnu -DBUILD_SHARED_LIBS=OFF -DVMAF_BUILD_TESTS=OFF \
#         --toolchain "$PWD/cmake/toolchains/linux-gnu.cmake" && cmake --build build/arm --target vmaf_cli
set -eu
[ $# -ge 2 ] || { echo "usage: $0 VMAF SYNTH [FEATURE...]" >&2; exit 2; }
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
vmaf=$1
synth=$2
shift 2
features=${*:-vmaf_v0.6.1 vif adm motion psnr float_vif float_adm float_motion float_ssim float_ms_ssim \
    float_ansnr float_psnr float_moment psnr_hvs ciede cambi speed_chroma speed_temporal ssim ssimulacra2}
root=${ARM_ROOT:-/usr/aarch64-linux-gnu}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cc -O2 -shared -fPIC -o "$folder/count.so" "$here/qemu_instructions.c"
for clip in ref:identical dist:quant; do
    "$synth" --scene texture --distortion "${clip#*:}" --size 576x324 --depth 8 --format 420 --frames 6 \
        --output "$folder/${clip%:*}.y4m"
done

executed() { # mask, frames, feature
    case $3 in
    vmaf_*) set -- "$1" "$2" --model "version=$3" ;;
    *) set -- "$1" "$2" --no_prediction --feature "$3" ;;
    esac
    mask=$1 frames=$2
    shift 2
    qemu-aarch64 -L "$root" -plugin "$folder/count.so" "$vmaf" -r "$folder/ref.y4m" -d "$folder/dist.y4m" --quiet \
        --backend cpu --frame_cnt "$frames" --cpumask "$mask" -o "$folder/report" "$@" 2>&1 |
        tee "$folder/log" | sed -n 's/^instructions: //p' | grep . || { cat "$folder/log" >&2; exit 1; }
}
per_frame() { # mask, feature
    few=$(executed "$1" 2 "$2")
    many=$(executed "$1" 6 "$2")
    echo $(((many - few) / 4))
}
echo "| feature | plain C | NEON | ratio |"
echo "|---|---:|---:|---:|"
for feature in $features; do
    plain=$(per_frame 63 "$feature")
    neon=$(per_frame 0 "$feature")
    awk -v f="$feature" -v p="$plain" -v n="$neon" \
        'BEGIN { printf "| `%s` | %.2f | %.2f | %.2f |\n", f, p / 1e6, n / 1e6, p / n }'
done
