#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Makes the libraries that a build for another system or processor needs, where Debian has no packages
# of them, for example for musl:
#
#     scripts/source_root.sh x86_64-linux-musl musl-gcc build/musl-root [WORK]
#
# Downloads the sources of Jansson, libltdl and, for the tests, cmocka from the system's own archive,
# and builds static libraries of them into the folder. Nothing is installed, no setting of the system
# is changed, and no privileges are needed. Sources that are in WORK already are not downloaded.
set -eu

[ $# -ge 3 ] && [ $# -le 4 ] || { echo "usage: $0 TRIPLET COMPILER FOLDER [WORK]" >&2; exit 2; }
triplet=$1
compiler=$2
[ ! -e "$3" ] || { echo "$3 exists" >&2; exit 2; }
mkdir -p "$(dirname -- "$3")"
target=$(cd "$(dirname -- "$3")" && pwd)/$(basename -- "$3")
here=$(cd "$(dirname -- "$0")" && pwd)
if [ $# -eq 4 ]; then
    mkdir -p "$4"
    work=$(cd "$4" && pwd)
else
    work=$(mktemp -d "$target.XXXXXX")
    trap 'rm -rf "$work"' EXIT
fi
"$here/debian_source.sh" "$work" jansson libtool cmocka

prefix=$work/root/usr
rm -rf "$work/root"
by_cmake() { # OPTION...
    cmake -S . -B "build-$triplet" -G Ninja -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_C_COMPILER="$compiler" \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF \
        -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib "$@"
    cmake --build "build-$triplet" --target install
}
(cd "$work"/jansson-*/ && by_cmake -DJANSSON_EXAMPLES=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_BUILD_DOCS=OFF)
(cd "$work"/libtool-*/ && {
    # Of libtool only the library that it loads modules with.
    cd libltdl
    mkdir -p "build-$triplet" && cd "build-$triplet"
    sh ../configure --host="$triplet" CC="$compiler" CFLAGS='-O2 -fPIC' --disable-shared --enable-ltdl-install \
        --prefix="$prefix"
    make -j2 install
})
(cd "$work"/cmocka-*/ && by_cmake -DWITH_STATIC_LIB=ON -DWITH_EXAMPLES=OFF -DUNIT_TESTING=OFF)
[ ! -e "$prefix/lib/libcmocka-static.a" ] || mv "$prefix/lib/libcmocka-static.a" "$prefix/lib/libcmocka.a"
rm -f "$prefix"/lib/libcmocka.so*
# What pkg-config says must be true where the folder lies now, whether it is told of the folder or not.
sed -i 's|^prefix=.*|prefix=/usr|; s|'"$prefix"'|/usr|g' "$prefix"/lib/pkgconfig/*.pc
mkdir -p "$target"
mv "$prefix" "$target/usr"
