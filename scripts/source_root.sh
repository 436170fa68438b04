#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Makes the libraries that a build with another C library needs, on a Debian system, for example for musl
# with the compiler of the package musl-tools:
#
#     scripts/source_root.sh x86_64-linux-musl musl-gcc build/musl-root [WORK]
#
# Downloads the sources of Jansson, libltdl, zlib and, for the tests, cmocka from the system's own archive,
# and builds static libraries of them into the folder. Nothing is installed, no setting of the system is
# changed, and no privileges are needed. Sources that are in WORK already are not downloaded.
set -eu

[ $# -ge 3 ] && [ $# -le 4 ] || { echo "usage: $0 TRIPLET COMPILER FOLDER [WORK]" >&2; exit 2; }
host=$1
CC=$2
shift 2
here=$(cd "$(dirname -- "$0")" && pwd)
# shellcheck source=scripts/source_libraries.sh
. "$here/source_libraries.sh"
begin_root "$@"
sources='jansson libtool zlib cmocka'
CFLAGS=-fPIC # they can be part of a shared library
build_libraries -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_C_COMPILER="$CC" -DCMAKE_POSITION_INDEPENDENT_CODE=ON
copy_licences "$prefix/licences"
[ ! -e /usr/share/doc/musl-dev/copyright ] || cp /usr/share/doc/musl-dev/copyright "$prefix/licences/musl.txt"
end_root
