#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Adds the libraries of FFmpeg that the module for media files needs to what a build for Windows needs:
#
#     scripts/windows_ffmpeg.sh build/windows-root [WORK]
#
# They are built from Debian's source as DLLs, under the LGPL: what reads files and decodes them, and
# nothing that FFmpeg takes from other libraries. That takes ten minutes on two processors.
set -eu

[ $# -ge 1 ] && [ $# -le 2 ] || { echo "usage: $0 FOLDER [WORK]" >&2; exit 2; }
target=$(cd "$1" && pwd)
here=$(cd "$(dirname -- "$0")" && pwd)
if [ $# -eq 2 ]; then
    mkdir -p "$2"
    work=$(cd "$2" && pwd)
else
    work=$(mktemp -d "$target.XXXXXX")
    trap 'rm -rf "$work"' EXIT
fi
"$here/debian_source.sh" "$work" ffmpeg
host=x86_64-w64-mingw32
compiler=$host-gcc-win32
! command -v ccache >/dev/null || compiler="ccache $compiler"
source=$(echo "$work"/ffmpeg-*/)
mkdir -p "$work/ffmpeg-build"
cd "$work/ffmpeg-build"
# The assembler must not rely on aligned stacks either: cmake/WindowsSettings.cmake says why.
"$source/configure" --prefix="$target" --enable-cross-compile --target-os=mingw32 --arch=x86_64 \
    --cross-prefix=$host- --cc="$compiler" --extra-cflags=-Wa,-muse-unaligned-vector-move \
    --extra-ldflags=-static-libgcc --pkg-config=false --disable-x86asm --disable-autodetect --disable-network \
    --disable-programs --disable-doc --disable-debug --disable-avdevice --disable-swresample \
    --disable-encoders --disable-muxers --disable-hwaccels --disable-bsfs --enable-bsf='*_mp4toannexb' \
    --enable-w32threads --enable-shared --disable-static
make -j2
make install
mkdir -p "$target/licences"
cp "$source/COPYING.LGPLv2.1" "$target/licences/ffmpeg.txt"
