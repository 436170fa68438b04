#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# FFmpeg of Debian's source, built for Windows against our libvmaf-3.dll, scores a pair under Wine.
#   ffmpeg.sh <source folder> <build folder>
set -eu
. "$(dirname -- "$0")/tools.sh"
want_wine "$build/wine"
[ -e "$build/bin/libvmaf-3.dll" ] || skip "windows-platform has not built libvmaf-3.dll"
if ! ls -d "$build"/sources/ffmpeg-*/ >/dev/null 2>&1; then
    "$source/scripts/debian_source.sh" "$build/sources" ffmpeg >"$build/sources.log" 2>&1 ||
        skip "the source of FFmpeg cannot be had: $(tail -n 1 "$build/sources.log")"
fi
ffmpeg=$(ls -d "$build"/sources/ffmpeg-*/)
prefix=$build/installed
cmake --install "$build" --prefix "$prefix" >/dev/null
mkdir -p "$build/ffmpeg"
cd "$build/ffmpeg"
# Nothing but the filter, what it reads, and what it writes to.
[ -e ffbuild/config.mak ] || PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig "$ffmpeg/configure" \
    --enable-cross-compile --target-os=mingw32 --arch=x86_64 --cross-prefix=x86_64-w64-mingw32- \
    --cc="${VMAF_LAUNCHER:-} x86_64-w64-mingw32-gcc-win32" --pkg-config=pkg-config --disable-x86asm \
    --disable-everything --disable-autodetect --disable-network --disable-doc --disable-ffplay --disable-ffprobe \
    --enable-w32threads --enable-libvmaf --enable-filter=libvmaf --enable-protocol=file \
    --enable-demuxer=yuv4mpegpipe --enable-decoder=rawvideo --enable-encoder=wrapped_avframe --enable-muxer=null
make -j2 ffmpeg.exe >make.log 2>&1 || { tail -n 30 make.log; exit 1; }
cp "$prefix/bin/libvmaf-3.dll" .
"$wine" "$build/bin/synth.exe" --scene texture --size 320x180 --frames 4 --output ref.y4m
"$wine" "$build/bin/synth.exe" --scene texture --size 320x180 --frames 4 --distortion blur --output dist.y4m
"$wine" ./ffmpeg.exe -hide_banner -i dist.y4m -i ref.y4m -lavfi "libvmaf=log_fmt=json:log_path=filter.json" -f null - 2>messages ||
    { cat messages; exit 1; }
"$wine" "$build/bin/vmaf.exe" -q -r ref.y4m -d dist.y4m --json -o program.json --precision max
python3 - <<'END'
import json, re
said = float(re.search(r"VMAF score: ([0-9.]+)", open("messages").read()).group(1))
program = json.load(open("program.json"))["pooled_metrics"]["vmaf"]["mean"]
assert abs(said - program) < 1e-5, (said, program)
assert len(json.load(open("filter.json"))["frames"]) == 4
print("FFmpeg's filter says", said)
END
