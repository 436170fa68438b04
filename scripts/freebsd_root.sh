#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Makes what a build for FreeBSD needs, on a Debian system, with a Zig compiler of version 0.15 or later,
# which brings the declarations of that system and Clang:
#
#     ZIG=/path/to/zig scripts/freebsd_root.sh x86_64|aarch64 build/freebsd-root-x86_64 [WORK]
#
# FOLDER/tools/cc is a compiler for that system. FOLDER/include and FOLDER/lib receive Jansson, libltdl, zlib
# and, for the tests, cmocka, as static libraries built from Debian's sources. Nothing is installed, no
# setting of the system is changed, and no privileges are needed. Sources that are in WORK already are not
# downloaded. For the module that reads media files and the Vulkan backend there are headers and names of
# functions, those of this system's libraries, if it has them; there is nothing behind them.
set -eu

usage="usage: ZIG=/path/to/zig $0 x86_64|aarch64 FOLDER [WORK]"
[ $# -ge 2 ] && [ $# -le 3 ] || { echo "$usage" >&2; exit 2; }
processor=$1
case $processor in
x86_64 | aarch64) ;;
*) echo "$usage" >&2; exit 2 ;;
esac
shift
[ -n "${ZIG:-}" ] && [ -x "$ZIG" ] || { echo "$usage" >&2; exit 2; }
zig=$(cd "$(dirname -- "$ZIG")" && pwd)/$(basename -- "$ZIG")

here=$(cd "$(dirname -- "$0")" && pwd)
host=$processor-unknown-freebsd
# shellcheck source=scripts/source_libraries.sh
. "$here/source_libraries.sh"
begin_root "$@"

# Zig's compiler and archiver as programs of their own. It says what is undefined by ending programs where
# they do it; nothing else that is built here asks for that.
mkdir -p "$prefix/tools"
printf '%s\n' '#!/bin/sh' "exec '$zig' cc -target $processor-freebsd -fno-sanitize=undefined \"\$@\"" >"$prefix/tools/cc"
for tool in ar ranlib; do
    printf '%s\n' '#!/bin/sh' "exec '$zig' $tool \"\$@\"" >"$prefix/tools/$tool"
done
chmod +x "$prefix/tools/cc" "$prefix/tools/ar" "$prefix/tools/ranlib"
echo 'int main(void) { return 0; }' >"$work/probe.c"
"$prefix/tools/cc" "$work/probe.c" -o "$work/probe" || { echo "$ZIG brings no FreeBSD" >&2; exit 1; }

sources='jansson libtool zlib cmocka'
CC=$prefix/tools/cc AR=$prefix/tools/ar RANLIB=$prefix/tools/ranlib CFLAGS=-fPIC
export AR RANLIB
build_libraries -DCMAKE_SYSTEM_NAME=FreeBSD -DCMAKE_SYSTEM_PROCESSOR="$processor" -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_AR="$AR" -DCMAKE_RANLIB="$RANLIB" -DCMAKE_POSITION_INDEPENDENT_CODE=ON
link_library() { # NAME FILE_OF_NAMES
    sed 's/.*/void &(void) {}/' "$2" >"$2.c"
    "$CC" -w -shared "-Wl,-soname,lib$1.so" "$2.c" -o "$prefix/lib/lib$1.so"
}
borrow_library vulkan vulkan vk_video
borrow_ffmpeg
copy_licences "$prefix/licences"
end_root
