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
[ ! -e "$1" ] || { echo "$1 exists" >&2; exit 2; }
host=x86_64-w64-mingw32
mkdir -p "$(dirname -- "$1")"
target=$(cd "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
here=$(cd "$(dirname -- "$0")" && pwd)
if [ $# -eq 2 ]; then
    mkdir -p "$2"
    work=$(cd "$2" && pwd)
else
    work=$(mktemp -d "$target.XXXXXX")
    trap 'rm -rf "$work"' EXIT
fi
"$here/debian_source.sh" "$work" jansson libtool cmocka

# Threads are those of Windows, and so is everything that compilers bring.
cc=$host-gcc-win32
prefix=$work/root
rm -rf "$prefix"
by_cmake() { # OPTION...
    cmake -S . -B build-windows -G Ninja -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER=$cc \
        -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX="$prefix" "$@"
    cmake --build build-windows --target install
}
(cd "$work"/jansson-*/ && by_cmake -DJANSSON_EXAMPLES=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_BUILD_DOCS=OFF)
(cd "$work"/libtool-*/ && {
    # Of libtool only the library that it loads modules with.
    cd libltdl
    mkdir -p build && cd build
    sh ../configure --host=$host CC=$cc CFLAGS=-O2 --disable-shared --enable-ltdl-install --prefix="$prefix"
    make -j2 install
})
(cd "$work"/cmocka-*/ && by_cmake -DWITH_STATIC_LIB=ON -DWITH_EXAMPLES=OFF -DUNIT_TESTING=OFF)
[ ! -e "$prefix/lib/libcmocka-static.a" ] || mv "$prefix/lib/libcmocka-static.a" "$prefix/lib/libcmocka.a"
rm -rf "$prefix/bin" "$prefix/lib/libcmocka.dll.a"
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
# Their licences go along with what is linked with them.
mkdir -p "$prefix/licences"
cp "$work"/jansson-*/LICENSE "$prefix/licences/jansson.txt"
cp "$work"/libtool-*/libltdl/COPYING.LIB "$prefix/licences/libltdl.txt"
mv "$prefix" "$target"
# What pkg-config says must be true where the folder lies now.
sed -i "s|^prefix=.*|prefix=$target|; s|$prefix|$target|g" "$target"/lib/pkgconfig/*.pc
