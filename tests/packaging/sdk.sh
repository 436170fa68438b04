#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The installed SDK of backends: its headers compile on their own, and a backend built with nothing
# else is loaded.
#   sdk.sh <settings> <C compiler>
# shellcheck disable=SC2154 # the settings
set -eu
# shellcheck disable=SC1090
. "$1"
cc=$2
script=sdk.sh
here=$(dirname "$0")
# shellcheck source=tests/packaging/common.sh
. "$here/common.sh"
folder=$(mktemp -d "$work/sdk.XXXXXX")
trap 'rm -rf "$folder"' EXIT
for component in dev core; do
    DESTDIR="$folder/stage" cmake --install "$build" --component $component >"$folder/log" ||
        fail "$component does not install"
done
stage=$folder/stage$prefix

say "headers"
include=$(find "$stage" -name backend.h -exec dirname {} \;)
kernels=$stage/$datadir/libvmaf/kernels
for header in $(cd "$include/sdk" && find . -name '*.h'; cd "$kernels" && find . -name '*_args.h'); do
    # Arguments of kernels use the types of the dialect; threads need POSIX.
    printf '#include "dialect/types.h"\n#include "%s"\n' "$header" >"$folder/header.c"
    "$cc" -std=gnu11 -Wall -Wextra -Wpedantic ${VMAF_STRICT:+-Werror} -fsyntax-only "-I$include/.." "-I$include/sdk" \
        "-I$kernels" "$folder/header.c" 2>"$folder/log" || fail "$header does not compile on its own"
done

say "a backend"
cp -R "$here/sdk" "$folder/backend"
generator=$(sed -n "s/^CMAKE_GENERATOR:INTERNAL=//p" "$build/CMakeCache.txt")
cmake -S "$folder/backend" -B "$folder/backend/build" -G "$generator" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_C_FLAGS="-Wall -Wextra ${VMAF_STRICT:+-Werror}" -DCMAKE_PREFIX_PATH="$stage" >"$folder/log" 2>&1 &&
    cmake --build "$folder/backend/build" >>"$folder/log" 2>&1 || fail "it does not build"
plugin=$folder/backend/build/libvmaf-backend-nothing.so
exported=$(nm -D --defined-only "$plugin" | awk '{ print $3 }')
[ "$exported" = vmaf_backend_entry ] || fail "it exports $exported"
VMAF_BACKEND_PATH=$folder/backend/build XDG_CACHE_HOME=$folder/cache "$vmaf" --list-backends \
    >"$folder/log" 2>&1 || fail "--list-backends fails"
grep -q '^nothing  *unavailable, version .*: nothing is plugged in' "$folder/log" || fail "it is not listed"
say "all is well"
