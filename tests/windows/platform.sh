#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds for Windows and runs tests under Wine.
#   platform.sh <source folder> <build folder> <set: few or all>
set -eu
. "$(dirname -- "$0")/tools.sh"
want_wine "$build/wine"

cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DVMAF_WERROR="${VMAF_STRICT:-OFF}" -DVMAF_BUILD_BENCH=OFF \
    -DCMAKE_C_COMPILER_LAUNCHER="${VMAF_LAUNCHER:-}" -DVMAF_BACKENDS= -DVMAF_CLANG= -DVMAF_HIP_CLANG= \
    -DVMAF_GLSLANG= -DVMAF_LLVM_SPIRV= -DVMAF_TEST_KINDS= --toolchain "$source/cmake/toolchains/x86_64-w64-mingw32.cmake"
case $3 in
few)
    cmake --build "$build" --parallel 2 --target vmaf vmaf_cli vmaf_backend_probe backend_crashes backend_hangs \
        test_windows_files test_windows_processes test_golden simd_check
    tests='test_windows_.*|golden-(features-hbd|models-2|temporal)-threads-(0|7)|simd_check-.*'
    ;;
all)
    cmake --build "$build" --parallel 2
    tests=".*"
    ;;
esac
ctest --test-dir "$build" --parallel 2 --tests-regex "^($tests)\$" --no-tests=error --output-on-failure
