#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Makes the libraries that a build for Windows needs, on a Debian system with mingw-w64:
#
#     scripts/windows_root.sh build/windows-root [WORK]
#
# Downloads the sources of Jansson, libltdl and, for the tests, cmocka from the system's own archive,
# and builds static libraries of them into the folder. Nothing is installed, no setting of the system
# is changed, and no privileges are needed. Sources that are in WORK already are not downloaded.
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
mv "$prefix/lib/libcmocka-static.a" "$prefix/lib/libcmocka.a"
rm -rf "$prefix/bin" "$prefix/lib/libcmocka.dll.a"
mv "$prefix" "$target"
# What pkg-config says must be true where the folder lies now.
sed -i "s|^prefix=.*|prefix=$target|; s|$prefix|$target|g" "$target"/lib/pkgconfig/*.pc
