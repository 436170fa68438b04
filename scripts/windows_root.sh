#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Makes the libraries that a build for Windows needs, on a Debian system with mingw-w64:
#
#     scripts/windows_root.sh build/windows-root [WORK]
#
# Downloads the sources of Jansson, libltdl and, for the tests, cmocka from the system's own archive,
# and builds static libraries of them into the folder. Nothing is installed, no setting of the system
# is changed, and no privileges are needed. Sources that are in WORK already are not downloaded.
# Vulkan's headers and the names of its functions are those of the system's loader, if it is there.
set -eu

[ $# -ge 1 ] && [ $# -le 2 ] || { echo "usage: $0 FOLDER [WORK]" >&2; exit 2; }
host=x86_64-w64-mingw32
CC=$host-gcc-win32 # threads are those of Windows, and so is everything that compilers bring
here=$(cd "$(dirname -- "$0")" && pwd)
# shellcheck source=scripts/source_libraries.sh
. "$here/source_libraries.sh"
begin_root "$@"
sources='jansson libtool cmocka' # zlib is a package
build_libraries -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER=$CC
if pkg-config --exists vulkan; then
    headers=$(pkg-config --variable=includedir vulkan)
    cp -R "$headers/vulkan" "$headers/vk_video" "$prefix/include/"
    { echo "LIBRARY vulkan-1.dll" && echo EXPORTS &&
        nm -D --defined-only "$(pkg-config --variable=libdir vulkan)/libvulkan.so" |
        sed -n 's/.* T \(vk[A-Z][A-Za-z0-9]*\)$/\1/p; s/.* T \(vk[A-Z][A-Za-z0-9]*\)@.*/\1/p'; } >"$work/vulkan.def"
    $host-dlltool -d "$work/vulkan.def" -l "$prefix/lib/libvulkan-1.dll.a"
    printf '%s\n' "prefix=$prefix" 'Name: Vulkan-Loader' 'Description: import library of vulkan-1.dll' \
        "Version: $(pkg-config --modversion vulkan)" 'Libs: -L${prefix}/lib -lvulkan-1' \
        'Cflags: -I${prefix}/include' >"$prefix/lib/pkgconfig/vulkan.pc"
fi
copy_licences "$prefix/licences"
end_root
