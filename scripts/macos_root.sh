#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Makes what a build for macOS needs, on a Debian system with clang, lld and llvm:
#
#     ZIG=/path/to/zig scripts/macos_root.sh arm64|x86_64 build/macos-root-arm64 [WORK]
#
# FOLDER/sdk receives the declarations of the system, which come from the folder of a Zig compiler: it
# carries Apple's headers of the C library and the names in libSystem. The compiler itself is not run.
# FOLDER/include and FOLDER/lib receive Jansson, libltdl, zlib and, for the tests, cmocka, as static
# libraries built from Debian's sources. Nothing is installed, no setting of the system is changed, and
# no privileges are needed. Sources that are in WORK already are not downloaded.
set -eu

usage="usage: ZIG=/path/to/zig $0 arm64|x86_64 FOLDER [WORK]"
[ $# -ge 2 ] && [ $# -le 3 ] || { echo "$usage" >&2; exit 2; }
processor=$1
case $processor in
arm64 | x86_64) ;;
*) echo "$usage" >&2; exit 2 ;;
esac
[ ! -e "$2" ] || { echo "$2 exists" >&2; exit 2; }
[ -n "${ZIG:-}" ] && [ -e "$ZIG" ] || { echo "$usage" >&2; exit 2; }
zig=$(cd "$(dirname -- "$ZIG")" && pwd)
libc=
for folder in "$zig/lib/libc" "$zig/../lib/zig/libc"; do # the second where it is installed
    [ ! -e "$folder/darwin/libSystem.tbd" ] || libc=$folder
done
[ -n "$libc" ] || { echo "$ZIG brings no declarations of macOS" >&2; exit 1; }

mkdir -p "$(dirname -- "$2")"
target=$(cd "$(dirname -- "$2")" && pwd)/$(basename -- "$2")
here=$(cd "$(dirname -- "$0")" && pwd)
if [ $# -eq 3 ]; then
    mkdir -p "$3"
    work=$(cd "$3" && pwd)
else
    work=$(mktemp -d "$target.XXXXXX")
    trap 'rm -rf "$work"' EXIT
fi
"$here/debian_source.sh" "$work" jansson libtool zlib cmocka

prefix=$work/root-$processor
rm -rf "$prefix"
mkdir -p "$prefix/sdk/usr/lib" "$prefix/sdk/usr/include"
# One folder for all processors; older ones have another name, and one for each processor beside it.
for folder in any-darwin-any any-macos-any "$processor-macos-any" "$processor-macos.11-any"; do
    [ ! -d "$libc/include/$folder" ] || cp -R "$libc/include/$folder/." "$prefix/sdk/usr/include/"
done
rm -f "$prefix/sdk/usr/include/zlib.h" "$prefix/sdk/usr/include/zconf.h" # of a library that is not there
cp "$libc/darwin/libSystem.tbd" "$prefix/sdk/usr/lib/"
for part in c dl m pthread; do # of which it consists, under the names that programs link
    ln -s libSystem.tbd "$prefix/sdk/usr/lib/lib$part.tbd"
done
# Zig has nothing of Metal. The names that plugins/metal calls, so that it can be linked; whether Apple's
# libraries have them only a Mac can say.
stub() { # FILE INSTALL_NAME SYMBOL...
    file=$prefix/sdk/$1
    mkdir -p "${file%/*}"
    { printf '%s\n' '--- !tapi-tbd' 'tbd-version: 4' 'targets: [ x86_64-macos, arm64-macos ]' "install-name: '$2'" \
        'exports:' '  - targets: [ x86_64-macos, arm64-macos ]' && shift 2 &&
        printf '    symbols: [ %s ]\n...\n' "$(echo "$*" | sed 's/ /, /g')"; } >"$file"
}
frameworks=System/Library/Frameworks
stub usr/lib/libobjc.tbd /usr/lib/libobjc.A.dylib \
    _objc_getClass _sel_registerName _objc_msgSend _objc_autoreleasePoolPush _objc_autoreleasePoolPop
stub $frameworks/Metal.framework/Metal.tbd /$frameworks/Metal.framework/Versions/A/Metal \
    _MTLCopyAllDevices _MTLCreateSystemDefaultDevice
stub $frameworks/IOSurface.framework/IOSurface.tbd /$frameworks/IOSurface.framework/Versions/A/IOSurface \
    _IOSurfaceGetPlaneCount _IOSurfaceGetWidthOfPlane _IOSurfaceGetHeightOfPlane _IOSurfaceGetBytesPerElementOfPlane
stub $frameworks/Foundation.framework/Foundation.tbd /$frameworks/Foundation.framework/Versions/C/Foundation _NSLog
stub $frameworks/CoreGraphics.framework/CoreGraphics.tbd \
    /$frameworks/CoreGraphics.framework/Versions/A/CoreGraphics _CGMainDisplayID

toolchain=$here/../cmake/toolchains/apple-macos.cmake
flags="--target=$processor-apple-macos11.0 -isysroot $prefix/sdk -O2"
tools=$(find /usr/lib -maxdepth 2 -path '/usr/lib/llvm-*/bin' | sort -rV | paste -sd:)
PATH=$PATH${tools:+:$tools}
by_cmake() { # OPTION...
    build=build-macos-$processor
    rm -rf "$build"
    cmake -S . -B "$build" -G Ninja --toolchain "$toolchain" -DVMAF_MACOS_PROCESSOR="$processor" \
        -DVMAF_MACOS_ROOT="$prefix" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
        -DCMAKE_INSTALL_PREFIX="$prefix" "$@"
    cmake --build "$build" --target install
}
(cd "$work"/jansson-*/ && by_cmake -DJANSSON_EXAMPLES=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_BUILD_DOCS=OFF)
by_configure() { # FOLDER COMMAND...
    rm -rf "$1"
    mkdir "$1"
    (cd "$1" && shift && "$@" && make -j2 install)
}
case $processor in
arm64) host=aarch64-apple-darwin20 ;;
*) host=x86_64-apple-darwin20 ;;
esac
export CC="clang $flags -fuse-ld=lld" AR=llvm-ar RANLIB=llvm-ranlib NM=llvm-nm
# Of libtool only the library that it loads modules with. Debian's patches leave files that look older than
# what they are made of; make would make them anew, and ask all questions twice.
(cd "$work"/libtool-*/libltdl && touch aclocal.m4 && sleep 1 && touch configure config-h.in Makefile.in &&
    by_configure "build-macos-$processor" sh ../configure --host=$host \
    --disable-shared --enable-ltdl-install --prefix="$prefix")
(cd "$work"/zlib-*/ && rm -rf "build-macos-$processor" && mkdir "build-macos-$processor" &&
    for name in adler32 compress crc32 deflate infback inffast inflate inftrees trees uncompr zutil; do
        $CC -DHAVE_UNISTD_H -c "$name.c" -o "build-macos-$processor/$name.o"
    done &&
    llvm-ar rcs "$prefix/lib/libz.a" "build-macos-$processor"/*.o && cp zlib.h zconf.h "$prefix/include/")
# Of one file; its own build asks the compiler sixty questions first.
(cd "$work"/cmocka-*/ && rm -rf "build-macos-$processor" && mkdir "build-macos-$processor" &&
    $CC -DHAVE_SIGNAL_H -DHAVE_STRSIGNAL -DHAVE_SIGLONGJMP -DHAVE_STRUCT_TIMESPEC -DHAVE_CLOCK_REALTIME \
        -DHAVE_GCC_THREAD_LOCAL_STORAGE -Iinclude -c src/cmocka.c -o "build-macos-$processor/cmocka.o" &&
    llvm-ar rcs "$prefix/lib/libcmocka.a" "build-macos-$processor/cmocka.o" && cp include/cmocka.h "$prefix/include/" &&
    printf '%s\n' "prefix=$prefix" 'Name: cmocka' 'Description: unit tests' "Version: $(basename "$PWD" | sed 's/.*-//')" \
        'Libs: -L${prefix}/lib -lcmocka' 'Cflags: -I${prefix}/include' >"$prefix/lib/pkgconfig/cmocka.pc")
mv "$prefix" "$target"
# What pkg-config says must be true where the folder lies now.
sed -i "s|^prefix=.*|prefix=$target|; s|$prefix|$target|g" "$target"/lib/pkgconfig/*.pc
