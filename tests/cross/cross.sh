#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Compiles and links everything for a system whose programs cannot be run here, and looks at the files. ZIG
# names a Zig compiler of version 0.15 or later: its folder has the declarations of macOS, for which Clang and
# LLVM's linker are used, and it is a compiler for FreeBSD.
#   cross.sh <source folder> <build folder> macos arm64|x86_64 [<build folder with compiled kernels>]
#   cross.sh <source folder> <build folder> freebsd x86_64|aarch64 [<build folder with compiled kernels>]
set -eu
source=$1
build=$2
system=$3
processor=$4
kernels=${5:-}
skip() {
    echo "skipped: $*"
    exit 77
}
fail() {
    echo "cross.sh: $*" >&2
    exit 1
}

case $system in
macos)
    tools=$(find /usr/lib -maxdepth 2 -path '/usr/lib/llvm-*/bin' | sort -rV | paste -sd:)
    PATH=${tools:+$tools:}$PATH
    for tool in clang ld64.lld llvm-ar llvm-nm llvm-objdump llvm-install-name-tool; do
        command -v $tool >/dev/null || skip "$tool is not installed (Debian packages clang, lld, llvm)"
    done
    ;;
freebsd)
    for tool in readelf nm; do
        command -v $tool >/dev/null || skip "$tool is not installed"
    done
    ;;
*) fail "no system is called $system" ;;
esac
root=$build/root
if [ ! -d "$root" ]; then
    [ -n "${ZIG:-}" ] || skip "ZIG names no Zig compiler, which has the declarations of $system"
    mkdir -p "$build"
    sh "$source/scripts/${system}_root.sh" "$processor" "$root" "$build/sources" >"$build/root.log" 2>&1 || {
        tail -n 20 "$build/root.log" >&2
        fail "there are no libraries for $system"
    }
fi
has() { # LIBRARY, of which this system has lent the names
    [ -n "$(find "$root/lib" -name "lib$1.so" -o -name "lib$1.tbd")" ] && echo ON || echo OFF
}
case $system in
macos)
    backends=metal
    set -- --toolchain "$source/cmake/toolchains/apple-macos.cmake" -DVMAF_MACOS_PROCESSOR="$processor" \
        -DVMAF_MACOS_ROOT="$root"
    ;;
freebsd)
    backends=
    [ "$(has vulkan)" = OFF ] || [ -z "$kernels" ] || backends=vulkan
    set -- --toolchain "$source/cmake/toolchains/freebsd.cmake" -DVMAF_FREEBSD_PROCESSOR="$processor" \
        -DVMAF_FREEBSD_ROOT="$root"
    ;;
esac

# Not optimised: it is about declarations and symbols, and takes half the time.
cmake -S "$source" -B "$build/tree" -G Ninja "$@" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 \
    -DVMAF_BACKENDS="$backends" -DVMAF_BUILD_MEDIA="$(has avformat)" -DVMAF_BUILD_TESTS=ON -DVMAF_BUILD_BENCH=ON \
    -DVMAF_WERROR="${VMAF_STRICT:-OFF}" -DVMAF_COMPILED_KERNELS="$kernels" -DVMAF_HIP_CLANG= -DVMAF_LLVM_SPIRV= -DCMAKE_INSTALL_LIBDIR=lib \
    -DCMAKE_C_COMPILER_LAUNCHER="${VMAF_LAUNCHER:-}"
cmake --build "$build/tree" --parallel 2
rm -rf "$build/installed"
cmake --install "$build/tree" --prefix "$build/installed" >"$build/install.log"

sh "$source/tests/cross/${system}_files.sh" "$source" "$build/installed" "$processor" "$(has avformat)" "$backends"
