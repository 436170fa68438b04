#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds libvmaf for Windows x64, on a Debian system with mingw-w64:
#
#     scripts/build-windows.sh
#
# build/windows/ receives
#     bin/       vmaf.exe, vmaf-tune.exe and every DLL that they need
#     include/, lib/  what programs such as FFmpeg are built against: headers, the import library
#                libvmaf.dll.a, the static library libvmaf.a, files for pkg-config and CMake
#     libexec/, lib/libvmaf/  the helper that probes plugins; plugins
#     libvmaf-VERSION-win64.zip  all of it
# The folder can be moved. Jansson and libltdl are built from Debian's sources and linked statically.
# Nothing is installed but the packages of the compiler, if they are missing.
set -eu
cd "$(dirname -- "$0")/.."
mkdir -p build
log=$PWD/build/build-windows.log
. scripts/packages.sh

want_packages windows
root=$PWD/build/windows-root
[ -d "$root" ] || { say "Building Jansson, libltdl and cmocka"; quietly scripts/windows_root.sh "$root"; }

say "Building for Windows"
tree=$PWD/build/windows-tree
launcher=
! has ccache || launcher=-DCMAKE_C_COMPILER_LAUNCHER=ccache
quietly cmake -S . -B "$tree" -G Ninja -DCMAKE_BUILD_TYPE=Release -DVMAF_BUILD_TESTS=OFF \
    -DVMAF_BUILD_BENCH=OFF $launcher --toolchain cmake/toolchains/x86_64-w64-mingw32.cmake
patiently cmake --build "$tree" --parallel "$(nproc)"

rm -rf build/windows
quietly cmake --install "$tree" --prefix "$PWD/build/windows" --strip
cp "$root/lib/libjansson.a" "$root/lib/libltdl.a" build/windows/lib/ # what lib/libvmaf.a needs
cp build/windows/share/doc/libvmaf/LICENSE build/windows/share/doc/libvmaf/NOTICE build/windows/
# The licence of libltdl wants its source to be had, and objects to link with another libltdl: both are
# Debian's and those of lib/libvmaf.a.
version=$(sed -n 's/^#define VMAF_API_VERSION_[A-Z]* //p' include/libvmaf/version.h | paste -sd.)
(cd build/windows && rm -f ./*.zip &&
    cmake -E tar cf "libvmaf-$version-win64.zip" --format=zip bin include lib libexec share LICENSE NOTICE)
say "build/windows/bin/vmaf.exe and build/windows/libvmaf-$version-win64.zip are there."
