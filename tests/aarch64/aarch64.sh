#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds the library and some tests for 64-bit Arm, and runs them under emulation: every NEON kernel
# against plain C, the functions that scores go through, every width, and scores of libvmaf 3.2. Builds
# the backends, as far as there are the tools and libraries; an emulated processor is too slow for an
# emulated GPU.
#   aarch64.sh <source folder> <build folder> <compiler launcher, or nothing>
set -eu
source=$1
build=$2
launcher=$3
root=$source/build/aarch64-root
tests='simd_check-[a-z0-9_]+|test_cpu|test_vif_kernels|test_math_functions|math_hashes|widths-(adm|float_ssim|motion|psnr|psnr_hvs|vif)'
tests="$tests|golden-options-(adm|motion|psnr|vif)-threads-[02]|golden-sizes-2-threads-[02]"

skip() {
    echo "$*"
    exit 77
}
command -v aarch64-linux-gnu-gcc >/dev/null || skip "gcc-aarch64-linux-gnu is not installed"
command -v qemu-aarch64 >/dev/null || command -v qemu-aarch64-static >/dev/null ||
    skip "qemu-user is not installed"
echo '#include <stdio.h>' | aarch64-linux-gnu-gcc -E - >/dev/null 2>&1 ||
    skip "libc6-dev-arm64-cross is not installed"
[ -d "$root" ] || skip "scripts/aarch64_root.sh build/aarch64-root has not been run, or failed"

cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DVMAF_WERROR=ON \
    -DVMAF_HIP_ARCHITECTURES=gfx1030 -DVMAF_COMPILED_KERNELS="${COMPILED_KERNELS:-}" \
    -DBUILD_SHARED_LIBS=OFF -DVMAF_BUILD_BENCH=OFF -DCMAKE_C_COMPILER_LAUNCHER="$launcher" \
    --toolchain "$source/cmake/toolchains/aarch64-linux-gnu.cmake"
cmake --build "$build" --parallel 2 \
    --target simd_check test_cpu test_vif_kernels test_math_functions math_hashes test_widths test_golden
for backend in cuda vulkan; do
    cmake --build "$build" --target help | grep -q "^backend_$backend: " || continue
    cmake --build "$build" --parallel 2 --target "backend_$backend"
    LC_ALL=C aarch64-linux-gnu-readelf -hd "$build/backends/libvmaf-backend-$backend.so" >"$build/head"
    for words in 'Machine: *AArch64' "NEEDED.*lib$backend.so.1"; do
        grep -q "$words" "$build/head" || { echo "$backend: no $words" >&2; exit 1; }
    done
done
ctest --test-dir "$build" --parallel 2 --tests-regex "^($tests)\$" --no-tests=error \
    --output-on-failure
