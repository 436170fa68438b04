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
shift
[ -n "${ZIG:-}" ] && [ -e "$ZIG" ] || { echo "$usage" >&2; exit 2; }
zig=$(cd "$(dirname -- "$ZIG")" && pwd)
libc=
for folder in "$zig/lib/libc" "$zig/../lib/zig/libc" "$zig/../../lib/libc"; do # as unpacked, installed, of npm
    [ ! -e "$folder/darwin/libSystem.tbd" ] || libc=$folder
done
[ -n "$libc" ] || { echo "$ZIG brings no declarations of macOS" >&2; exit 1; }

here=$(cd "$(dirname -- "$0")" && pwd)
case $processor in
arm64) host=aarch64-apple-darwin20 ;;
*) host=x86_64-apple-darwin20 ;;
esac
# shellcheck source=scripts/source_libraries.sh
. "$here/source_libraries.sh"
begin_root "$@"

mkdir -p "$prefix/sdk/usr/lib" "$prefix/sdk/usr/include"
# One folder for all processors; older ones have another name, and one for each processor beside it.
for folder in any-darwin-any any-macos-any "$processor-macos-any" "$processor-macos.11-any"; do
    [ ! -d "$libc/include/$folder" ] || cp -R "$libc/include/$folder/." "$prefix/sdk/usr/include/"
done
rm -f "$prefix/sdk/usr/include/zlib.h" "$prefix/sdk/usr/include/zconf.h" # of a library that is not there
# Newer ones name the variant of arm64 that only the system's own programs are compiled for.
sed '/arm64-macos/!s/arm64e-macos/arm64-macos, &/' "$libc/darwin/libSystem.tbd" >"$prefix/sdk/usr/lib/libSystem.tbd"
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

tools=$(find /usr/lib -maxdepth 2 -path '/usr/lib/llvm-*/bin' | sort -rV | paste -sd:)
PATH=${tools:+$tools:}$PATH # the newest: older ones know not all that Apple's headers use
CC="clang --target=$processor-apple-macos11.0 -isysroot $prefix/sdk -fuse-ld=lld"
AR=llvm-ar RANLIB=llvm-ranlib NM=llvm-nm
export AR RANLIB NM
sources='jansson libtool zlib cmocka'
build_libraries --toolchain "$here/../cmake/toolchains/apple-macos.cmake" -DVMAF_MACOS_PROCESSOR="$processor" \
    -DVMAF_MACOS_ROOT="$prefix"
link_library() { # NAME FILE_OF_NAMES
    # shellcheck disable=SC2046 # a list of words
    stub "../lib/lib$1.tbd" "@rpath/lib$1.dylib" $(sed 's/^/_/' "$2")
}
borrow_ffmpeg
copy_licences "$prefix/licences"
end_root
