#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# From a fresh checkout to a score, in one command:
#
#     scripts/quickstart.sh [--all] [REFERENCE DISTORTED]
#
# Installs what is missing (Debian), builds in build/release what scores the two videos (the vmaf program,
# the module that reads media files, the backends for the machine's GPUs), and scores them, or a sample
# pair that it makes itself. With --all it builds the rest, too.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=scripts/packages.sh
. "$root/scripts/packages.sh"

usage="usage: scripts/quickstart.sh [--all] [REFERENCE DISTORTED]"
all=
case ${1:-} in
-h | --help)
    say "$usage

Builds the program vmaf in build/release and scores DISTORTED against REFERENCE, two video files of
any kind (film.mkv encode.mp4), or a sample pair that it makes. What the build needs is installed
first, on Debian, as root or with sudo; the program itself stays in the tree. Without FFmpeg's
libraries it reads Y4M files only. If the machine has a GPU of NVIDIA, AMD or Intel, the backends for
it are built, too, and the end says how to use them.

--all builds the rest: vmaf-tune, the backends for all GPUs, the static library, the benchmarks. That
takes several times as long.

The tests are another command: scripts/test.sh"
    exit 0
    ;;
--all)
    all=1
    shift
    ;;
-?*) die "$usage" ;;
esac
case $# in
0 | 2) ;;
*) die "$usage" ;;
esac
is_y4m() { # file
    [ "$(head -c 9 "$1" | tr -d '\000')" = YUV4MPEG2 ]
}
foreign= # a video that is not Y4M
for video in "$@"; do
    [ -r "$video" ] || die "$video: there is no such file"
    is_y4m "$video" || foreign=$video
done

build=$root/build/release
mkdir -p "$build"
# shellcheck disable=SC2034 # for packages.sh
log=$build/quickstart.log

# Of AMD's code only that for the chips that are here; without the driver, which knows them, none.
backends=$(gpu_backends /sys/bus/pci/devices | tr '\n' ' ')
chips=$(amd_chips /sys/class/kfd/kfd/topology/nodes | tr '\n' ';')
chips=${chips%;}
[ -n "$chips" ] || backends=$(echo "$backends" | sed 's/hip//')
wanted=$backends
if [ -n "$all" ]; then
    wanted="cuda hip sycl vulkan"
    chips=auto
fi

configure() { # whether the module that reads media files is built
    (cd "$root" &&
        quietly cmake --preset release -DVMAF_BUILD_TESTS=OFF -DVMAF_BUILD_BENCH=ON "-DVMAF_BUILD_MEDIA=$1" \
            "-DVMAF_HIP_ARCHITECTURES=${chips:-auto}")
    buildable=$(sed -n 's/^-- Backends: //p' "$log" | tr -d ,)
}
go_without_media() { # reason
    [ -z "$foreign" ] || die "$foreign cannot be read: $1"
    say "Going on without media files: $1"
    configure OFF
}

if [ -n "$foreign" ]; then
    need_packages media
else
    need_packages build
    want_packages media
fi
case $wanted in
*cuda* | *hip* | *sycl*) want_packages kernel ;;
esac
case $wanted in
*sycl*) want_packages level_zero ;;
esac
case $wanted in
*vulkan*) want_packages vulkan_build ;;
esac
say "Building in build/release ..."
configure AUTO
if ! grep -q '^VMAF_FFMPEG_FOUND:[A-Z]*=1$' "$build/CMakeCache.txt"; then
    go_without_media "the libraries of FFmpeg (5.0 or newer) were not found"
elif ! cmake --build "$build" --target vmaf_media_ffmpeg >"$build/media.log" 2>&1; then
    go_without_media "the module for them does not compile with this FFmpeg ($build/media.log)"
fi
targets="vmaf_cli vmaf_backend_probe"
[ $# -ne 0 ] || targets="$targets synth"
rest=
for backend in $buildable; do
    case " $backends metal " in
    *" $backend "*) targets="$targets backend_$backend" ;;
    esac
done
for backend in cuda hip sycl vulkan; do
    case " $targets " in
    *" backend_$backend "*) ;;
    *) rest="$rest $backend" ;;
    esac
done
# shellcheck disable=SC2086 # a list of words
patiently cmake --build "$build" --target $targets

if [ $# -eq 0 ]; then
    say "Making a sample pair: moving texture, and the same after coarse coding ..."
    set -- "$build/sample_ref.y4m" "$build/sample_dis.y4m"
    for side in identical hadamard; do
        [ $side = identical ] && output=$1 || output=$2
        quietly "$build/tests/support/synth" --scene texture --distortion $side --strength 3 \
            --size 576x324 --frames 24 --output "$output"
    done
fi

vmaf=$build/cli/vmaf
report=$build/report.json
page=$build/report.html
say ""
say "\$ $vmaf --reference $1 --distorted $2 --output $report --output $page"
# What it notes matters: whether the videos line up, and what was done to make them fit.
"$vmaf" --reference "$1" --distorted "$2" --output "$report" --output "$page"

# The mean of the model's scores is in the "vmaf" block after "pooled_metrics".
score=$(awk '/"pooled_metrics"/ { pooled = 1 }
    pooled && /"vmaf":/ { model = 1 }
    model && /"mean":/ { gsub(/[^0-9.]/, ""); print; exit }' "$report")
[ -n "$score" ] || die "The report $report holds no VMAF score."
say ""
say "VMAF score: $score      (0 is bad, 100 is as good as the reference)"
say "All scores, frame by frame: $report"
say "Plots and pictures of the worst frames: $page"
say ""
if [ -n "$all" ]; then
    say "Building the rest ..."
    patiently cmake --build "$build"
    say ""
fi
say "Next steps:"
say "  scripts/quickstart.sh REFERENCE DISTORTED    score your own videos"
say "  $vmaf --help    everything that the program can do"
case $targets in
*backend_*)
    say "  VMAF_BACKEND_PATH=$build/backends $vmaf --backend auto -r REFERENCE -d DISTORTED"
    say "      score on the GPU; --list-backends instead says which can be used"
    ;;
esac
if [ -n "$all" ]; then
    say "  cmake --install $build --prefix ~/.local    install it"
else
    say "  scripts/quickstart.sh --all    build the rest, too, so that it can be installed: vmaf-tune,"
    say "      the static library, benchmarks, backends for other GPUs (${rest# })"
fi
say "  scripts/test.sh    run the tests"
