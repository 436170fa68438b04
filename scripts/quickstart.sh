#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# From a fresh checkout to a score, in one command:
#
#     scripts/quickstart.sh [REFERENCE DISTORTED]
#
# Installs what is missing (Debian), builds the vmaf program in build/release, with the module that
# reads media files, and scores the two videos, or a sample pair that it makes itself.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=scripts/packages.sh
. "$root/scripts/packages.sh"

usage="usage: scripts/quickstart.sh [REFERENCE DISTORTED]"
case ${1:-} in
-h | --help)
    say "$usage

Builds the program vmaf in build/release and scores DISTORTED against REFERENCE, two video files of
any kind (film.mkv encode.mp4), or a sample pair that it makes. What the build needs is installed
first, on Debian, as root or with sudo; the program itself stays in the tree. Without FFmpeg's
libraries it reads Y4M files only.

The tests are another command: scripts/test.sh"
    exit 0
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

configure() { # whether the module that reads media files is built
    (cd "$root" &&
        quietly cmake --preset release -DVMAF_BUILD_TESTS=OFF -DVMAF_BUILD_BENCH=ON "-DVMAF_BUILD_MEDIA=$1")
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
say "Building in build/release ..."
configure AUTO
if ! grep -q '^VMAF_FFMPEG_FOUND:[A-Z]*=1$' "$build/CMakeCache.txt"; then
    go_without_media "the libraries of FFmpeg (5.0 or newer) were not found"
elif ! cmake --build "$build" --target vmaf_media_ffmpeg >"$build/media.log" 2>&1; then
    go_without_media "the module for them does not compile with this FFmpeg ($build/media.log)"
fi
patiently cmake --build "$build"

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
say "Next steps:"
say "  scripts/quickstart.sh REFERENCE DISTORTED    score your own videos"
say "  $vmaf --help    everything that the program can do"
say "  cmake --install $build --prefix ~/.local    install it"
say "  scripts/test.sh    run the tests"
