#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds libvmaf for Windows x64, on a Debian system with mingw-w64:
#
#     scripts/build-windows.sh [--with-ffmpeg]
#
# build/windows/ receives
#     bin/       vmaf.exe, vmaf-tune.exe and vmaf-perShot.exe, which are one file each, and libvmaf-3.dll
#     include/, lib/  what programs such as FFmpeg are built against: headers, the import library
#                libvmaf.dll.a, libvmaf-3.def, the static library libvmaf.a, files for pkg-config and CMake
#     libexec/, lib/libvmaf/  the helper that probes plugins; plugins
#     libvmaf-VERSION-win64.zip  all of it
# The folder can be moved. Jansson and libltdl are built from Debian's sources and linked statically.
# Nothing is installed but CMake, Ninja, pkg-config and the packages of the compiler, if they are missing.
#
# --with-ffmpeg also builds FFmpeg's libraries from Debian's source, for ten minutes more, and the module
# that reads media files with them.
set -eu
cd "$(dirname -- "$0")/.."
mkdir -p build
log=$PWD/build/build-windows.log
. scripts/packages.sh

usage="usage: scripts/build-windows.sh [--with-ffmpeg]"
media=OFF
case ${1:-} in
--with-ffmpeg) media=ON ;;
-h | --help)
    say "$usage"
    exit 0
    ;;
?*) die "$usage" ;;
esac

need_packages windows
root=$PWD/build/windows-root
[ -d "$root" ] || { say "Building Jansson, libltdl and cmocka"; quietly scripts/windows_root.sh "$root"; }
[ $media = OFF ] || [ -e "$root/lib/pkgconfig/libavformat.pc" ] ||
    { say "Building FFmpeg's libraries"; quietly scripts/windows_ffmpeg.sh "$root"; }

say "Building for Windows"
tree=$PWD/build/windows-tree
launcher=
! has ccache || launcher=-DCMAKE_C_COMPILER_LAUNCHER=ccache
kernels=${XDG_CACHE_HOME:-${HOME:-$PWD/build}/.cache}/libvmaf-build/kernels
mkdir -p "$kernels"
# The other plugins look for their drivers by names that these have on Linux.
quietly cmake -S . -B "$tree" -G Ninja -DCMAKE_BUILD_TYPE=Release -DVMAF_BUILD_TESTS=OFF -DVMAF_HIP_CLANG= -DVMAF_LLVM_SPIRV= \
    -DVMAF_BUILD_BENCH=OFF -DVMAF_BUILD_MEDIA=$media -DVMAF_KERNEL_CACHE="$kernels" $launcher \
    --toolchain cmake/toolchains/x86_64-w64-mingw32.cmake
patiently cmake --build "$tree" --parallel "$(nproc)"

rm -rf build/windows
quietly cmake --install "$tree" --prefix "$PWD/build/windows" --strip
cp "$root/lib/libjansson.a" "$root/lib/libltdl.a" build/windows/lib/ # what lib/libvmaf.a needs
cp build/windows/share/doc/libvmaf/LICENSE build/windows/share/doc/libvmaf/NOTICE build/windows/
# The licence of libltdl wants its source to be had, and objects to link with another libltdl: both are
# Debian's and those of lib/libvmaf.a.
mkdir build/windows/licences
cp "$root/licences/jansson.txt" "$root/licences/libltdl.txt" build/windows/licences/
cp /usr/share/doc/libz-mingw-w64-dev/copyright build/windows/licences/zlib.txt
if [ $media = ON ]; then
    cp "$root"/bin/av*.dll "$root"/bin/sw*.dll build/windows/bin/
    cp "$root/licences/ffmpeg.txt" build/windows/licences/
fi
version=$(sed -n 's/^#define VMAF_API_VERSION_[A-Z]* //p' include/libvmaf/version.h | paste -sd.)
archive=libvmaf-$version-win64.zip
(cd build/windows &&
    cmake -E tar cf "$archive" --format=zip bin include lib libexec share licences LICENSE NOTICE)
say "build/windows/bin/vmaf.exe and build/windows/$archive are there."
