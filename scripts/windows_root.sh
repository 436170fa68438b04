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
link_library() { # NAME FILE_OF_NAMES
    { printf 'LIBRARY %s-1.dll\nEXPORTS\n' "$1" && cat "$2"; } >"$work/$1.def"
    $host-dlltool -d "$work/$1.def" -l "$prefix/lib/lib$1.dll.a"
}
borrow_library vulkan vulkan vk_video
copy_licences "$prefix/licences"
end_root
