#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Installs the library into a staging folder, as packagers do, and builds and runs a program against
# it: with pkg-config and with CMake, shared and static.
#   installed.sh <source folder> <build folder> <prefix> <libdir> <libexec folder> <C compiler> <flags>
set -eu
source=$1
build=$2
prefix=$3
libdir=$4
libexec=$5
cc=$6
flags=${7:-}
here=$source/tests/api/installed
version=$(sed -n 's/^#define VMAF_API_VERSION_.* //p' "$source/include/libvmaf/version.h" | paste -s -d .)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
stage=$folder/stage

say() {
    echo "== $*"
}
fail() {
    echo "installed.sh: $*" >&2
    exit 1
}

say "components and their files"
check_component() { # component, and the expected files on standard input
    DESTDIR="$folder/$1" cmake --install "$build" --component "$1" >"$folder/log" ||
        { cat "$folder/log" >&2; fail "component $1 does not install"; }
    (cd "$folder/$1$prefix" && find . ! -type d | sed 's,^\./,,' | LC_ALL=C sort) >"$folder/found"
    LC_ALL=C sort >"$folder/expected"
    diff -u "$folder/expected" "$folder/found" || fail "component $1 has other files (+)"
    cp -a "$folder/$1/." "$stage/"
}
mkdir "$stage"
check_component core <<EOF
$libdir/libvmaf.so.${version%%.*}
$libdir/libvmaf.so.$version
$libexec/backend-probe1
share/doc/libvmaf/LICENSE
share/doc/libvmaf/NOTICE
EOF
headers=$(cd "$source/include" && ls libvmaf/*.h | sed 's,^,include/,')
sdk=$(cd "$source/plugins/sdk" && ls *.h streams/*.h | sed 's,^,include/libvmaf/sdk/,'
    cd "$source/src" && ls metrics/framework/metric_list.h metrics/framework/option.h metrics/*/*_kernel.h platform/*.h | sed 's,^,include/libvmaf/sdk/,')
kernels=$(cd "$source/plugins/kernels" && find . -type f ! -name CMakeLists.txt ! -name .clang-format ! -path ./dialect/emulator.h |
    sed 's,^\.,share/libvmaf/kernels,'
    cd "$source/src" && find metrics -name '*.kernel.[ch]' |
    sed 's,^,share/libvmaf/kernels/,')
targets=$(cd "$build" && ls CMakeFiles/Export/*/libvmaf-*targets-*.cmake |
    sed "s,.*/,$libdir/cmake/libvmaf/,")
documents=$(cd "$source/docs" && find . -type f ! -name '*.1' | sed 's,^\.,share/doc/libvmaf,')
example=$(cd "$source/plugins" && find example -type f | sed 's,^,share/libvmaf/,')
check_component dev <<EOF
share/libvmaf/parity.py
$documents
$example
$headers
$sdk
$kernels
$targets
$libdir/cmake/libvmaf/Kernels.cmake
$libdir/cmake/libvmaf/libvmaf-config-version.cmake
$libdir/cmake/libvmaf/libvmaf-config.cmake
$libdir/cmake/libvmaf/libvmaf-sdk-targets.cmake
$libdir/cmake/libvmaf/libvmaf-static-targets.cmake
$libdir/cmake/libvmaf/libvmaf-targets.cmake
$libdir/libvmaf.a
$libdir/libvmaf.so
$libdir/libvmaf/sdk/libvmaf_backend_sdk.a
$libdir/pkgconfig/libvmaf.pc
EOF
# Links between pages work, and lead to installed files only.
cd "$folder/dev$prefix/share/doc/libvmaf"
find . -name '*.md' | while read -r page; do
    grep -o '](\([^):]*\))' "$page" | sed 's/^](//; s/)$//; s/#.*//; /^$/d' | while read -r link; do
        [ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
    done
done >"$folder/dangling"
[ ! -s "$folder/dangling" ] || fail "links to nowhere: $(cat "$folder/dangling")"
cd /

say "pkg-config"
# The file finds the others relative to itself, wherever it was moved.
PKG_CONFIG_PATH=$stage$prefix/$libdir/pkgconfig
PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
export PKG_CONFIG_PATH PKG_CONFIG_ALLOW_SYSTEM_CFLAGS PKG_CONFIG_ALLOW_SYSTEM_LIBS
[ "$(pkg-config --modversion libvmaf)" = "$version" ] || fail "pkg-config has another version"
pkg-config --atleast-version=2.0.0 libvmaf || fail "the version does not compare"

library_path=$stage$prefix/$libdir
run() { # program, environment...
    program=$1
    shift
    rm -f "$folder/report"
    env "$@" "$program" "$folder/report" || fail "$program failed"
    grep -q '<VMAF version=' "$folder/report" || fail "$program wrote no report"
}

say "shared, pkg-config"
# shellcheck disable=SC2046,SC2086 # lists of flags
$cc -std=c99 -Wall -Wextra ${VMAF_STRICT:+-Werror} $flags $(pkg-config --cflags libvmaf) "$here/ffmpeg_style.c" \
    -o "$folder/shared" $(pkg-config --libs libvmaf) -lm
readelf -d "$folder/shared" | grep -q 'NEEDED.*libvmaf\.so\.3' || fail "not linked with libvmaf.so.3"
run "$folder/shared" "LD_LIBRARY_PATH=$library_path"

say "static, symbols"
# A program may have functions of the names that the library uses inside.
if [ -z "$flags" ] && ! grep -q '^CMAKE_C_FLAGS:.*-flto' "$build/CMakeCache.txt"; then
    nm -g --defined-only "$library_path/libvmaf.a" | awk 'NF == 3 { print $3 }' | LC_ALL=C sort >"$folder/found"
    grep '^[a-z]' "$source/tests/api/exported_symbols.txt" | LC_ALL=C sort >"$folder/expected"
    diff -u "$folder/expected" "$folder/found" || fail "libvmaf.a has other global symbols (+)"
fi

say "static, pkg-config"
mkdir "$folder/hidden"
mv "$library_path"/libvmaf.so* "$folder/hidden/"
# shellcheck disable=SC2046,SC2086
$cc -std=c99 $flags $(pkg-config --cflags libvmaf) "$here/ffmpeg_style.c" -o "$folder/static" \
    $(pkg-config --static --libs libvmaf)
mv "$folder/hidden"/libvmaf.so* "$library_path/"
readelf -d "$folder/static" | grep -q 'NEEDED.*libvmaf' && fail "not linked statically"
run "$folder/static" "LD_LIBRARY_PATH="

say "find_package"
unset PKG_CONFIG_PATH
generator=$(sed -n "s/^CMAKE_GENERATOR:INTERNAL=//p" "$build/CMakeCache.txt")
build_consumers() { # kinds, folder
    cmake -S "$here" -B "$folder/$2" -G "$generator" -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$flags" \
        "-DKINDS=$1" -DCMAKE_PREFIX_PATH="$stage$prefix" >"$folder/log" 2>&1 &&
        cmake --build "$folder/$2" >>"$folder/log" 2>&1 ||
        { cat "$folder/log" >&2; fail "the CMake project does not build"; }
}
build_consumers "shared;static" consumer
run "$folder/consumer/shared_consumer" "LD_LIBRARY_PATH="
run "$folder/consumer/static_consumer" "LD_LIBRARY_PATH="
readelf -d "$folder/consumer/static_consumer" | grep -q 'NEEDED.*libvmaf' &&
    fail "libvmaf::vmaf_static is not static"
rm "$library_path/libvmaf.a" # as distributions do
build_consumers shared without_static
run "$folder/without_static/shared_consumer" "LD_LIBRARY_PATH="
say "all is well"
