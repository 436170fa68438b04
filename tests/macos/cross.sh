#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Compiles and links everything for macOS with clang and LLVM's linker, and looks at the files. Nothing of
# it is run. ZIG names a Zig compiler, whose folder has the declarations of that system.
#   cross.sh <source folder> <build folder> arm64|x86_64
set -eu
source=$1
build=$2
processor=$3
skip() {
    echo "skipped: $*"
    exit 77
}
fail() {
    echo "cross.sh: $*" >&2
    exit 1
}

tools=$(find /usr/lib -maxdepth 2 -path '/usr/lib/llvm-*/bin' | sort -rV | paste -sd:)
PATH=${tools:+$tools:}$PATH
for tool in clang ld64.lld llvm-ar llvm-nm llvm-objdump llvm-install-name-tool; do
    command -v $tool >/dev/null || skip "$tool is not installed (Debian packages clang, lld, llvm)"
done
root=$build/root
if [ ! -d "$root" ]; then
    [ -n "${ZIG:-}" ] || skip "ZIG names no Zig compiler, which has the declarations of macOS"
    mkdir -p "$build"
    sh "$source/scripts/macos_root.sh" "$processor" "$root" "$build/sources" >"$build/root.log" 2>&1 || {
        tail -n 20 "$build/root.log" >&2
        fail "there are no libraries for macOS"
    }
fi

media=OFF
[ ! -e "$root/lib/libavformat.tbd" ] || media=ON

# Not optimised: it is about declarations and symbols, and takes half the time.
cmake -S "$source" -B "$build/tree" -G Ninja --toolchain "$source/cmake/toolchains/apple-macos.cmake" \
    -DVMAF_MACOS_PROCESSOR="$processor" -DVMAF_MACOS_ROOT="$root" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 \
    -DVMAF_BACKENDS=metal -DVMAF_BUILD_TESTS=ON -DVMAF_BUILD_BENCH=ON -DVMAF_BUILD_MEDIA="$media" -DVMAF_WERROR=ON \
    -DVMAF_HIP_CLANG= -DVMAF_LLVM_SPIRV= -DVMAF_GLSLANG= -DCMAKE_INSTALL_LIBDIR=lib \
    -DCMAKE_C_COMPILER_LAUNCHER="${VMAF_LAUNCHER:-}"
cmake --build "$build/tree" --parallel 2
rm -rf "$build/installed"
cmake --install "$build/tree" --prefix "$build/installed" >"$build/install.log"

sh "$source/tests/macos/files.sh" "$source" "$build/installed" "$processor" $media
