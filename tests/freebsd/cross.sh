#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Compiles and links everything for FreeBSD, and looks at the files. Nothing of it is run. ZIG names a Zig
# compiler of version 0.15 or later, which is one for that system.
#   cross.sh <source folder> <build folder> x86_64|aarch64 [<build folder with compiled kernels>]
set -eu
source=$1
build=$2
processor=$3
kernels=${4:-}
skip() {
    echo "skipped: $*"
    exit 77
}
fail() {
    echo "cross.sh: $*" >&2
    exit 1
}

for tool in readelf nm; do
    command -v $tool >/dev/null || skip "$tool is not installed"
done
root=$build/root
if [ ! -d "$root" ]; then
    [ -n "${ZIG:-}" ] || skip "ZIG names no Zig compiler, which has the declarations of FreeBSD"
    mkdir -p "$build"
    sh "$source/scripts/freebsd_root.sh" "$processor" "$root" "$build/sources" >"$build/root.log" 2>&1 || {
        tail -n 20 "$build/root.log" >&2
        fail "there are no libraries for FreeBSD"
    }
fi
has() { # LIBRARY
    [ -e "$root/lib/lib$1.so" ] && echo ON || echo OFF
}
backends=
[ "$(has vulkan)" = OFF ] || [ -z "$kernels" ] || backends=vulkan

# Not optimised: it is about declarations and symbols, and takes half the time.
cmake -S "$source" -B "$build/tree" -G Ninja --toolchain "$source/cmake/toolchains/freebsd.cmake" \
    -DVMAF_FREEBSD_PROCESSOR="$processor" -DVMAF_FREEBSD_ROOT="$root" -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_C_FLAGS_DEBUG=-O0 -DVMAF_BACKENDS="$backends" -DVMAF_BUILD_MEDIA="$(has avformat)" -DVMAF_BUILD_TESTS=ON \
    -DVMAF_BUILD_BENCH=ON -DVMAF_WERROR=ON -DVMAF_COMPILED_KERNELS="$kernels" -DVMAF_HIP_CLANG= -DVMAF_LLVM_SPIRV= \
    -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_C_COMPILER_LAUNCHER="${VMAF_LAUNCHER:-}"
cmake --build "$build/tree" --parallel 2
rm -rf "$build/installed"
cmake --install "$build/tree" --prefix "$build/installed" >"$build/install.log"

sh "$source/tests/freebsd/files.sh" "$source" "$build/installed" "$processor" "$backends" "$(has avformat)"
