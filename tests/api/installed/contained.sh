#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds and runs a program in a project that contains the library's source, by FetchContent, and links
# the targets that an installation has. Not optimised, so that it takes a fraction of the time.
#   contained.sh <source folder> <build folder> <generator> <C compiler> [<compiler launcher>]
set -eu
source=$1
build=$2
generator=$3
cc=$4
launcher=${5:-}
fail() {
    echo "contained.sh: $*" >&2
    [ ! -s "$build/log" ] || cat "$build/log" >&2
    exit 1
}

rm -rf "$build"
mkdir -p "$build"
cmake -S "$source/tests/api/installed" -B "$build" -G "$generator" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_C_COMPILER_LAUNCHER="$launcher" -DCMAKE_BUILD_TYPE=Debug -DVMAF_BUILD_CLI=OFF \
    "-DKINDS=shared;static" "-DLIBVMAF_SOURCE=$source" >"$build/log" 2>&1 ||
    fail "the project is not configured"
cmake --build "$build" --target shared_consumer static_consumer >"$build/log" 2>&1 ||
    fail "the project does not build"
: >"$build/log"
for kind in shared static; do
    rm -f "$build/report"
    "$build/${kind}_consumer" "$build/report" || fail "the $kind program fails"
    grep -q '<VMAF version=' "$build/report" || fail "the $kind program wrote no report"
done
readelf -d "$build/shared_consumer" | grep -q 'NEEDED.*libvmaf\.so' || fail "libvmaf::vmaf is not shared"
readelf -d "$build/static_consumer" | grep -q 'NEEDED.*libvmaf' &&
    fail "libvmaf::vmaf_static is not static"
rm -rf "$build"
