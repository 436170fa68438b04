#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds the library, the program and some tests for another processor and runs them, under emulation
# where it is needed: the functions that scores go through, scores of libvmaf 3.2, and same_numbers.sh.
#   platform.sh <source folder> <build folder> <triplet of the compiler> <set>
# The set is few or many, or, for 64-bit Arm, vectors, every NEON kernel against plain C, or widths, which
# has every width, too, and builds the backends as far as there are the tools and libraries; an emulated
# processor is too slow for an emulated GPU. Variables: LAUNCHER of the compiler, COMPILED_KERNELS, and those
# of same_numbers.sh.
set -eu
source=$1
build=$2
triplet=$3
set=$4
processor=${triplet%%-*}
root=$source/build/$processor-root

skip() {
    echo "$*"
    exit 77
}
has() {
    command -v "$1" >/dev/null
}
# What Debian calls the processor, and qemu.
case $processor in
aarch64) debian=arm64 qemu=aarch64 ;;
arm) debian=armhf qemu=arm ;;
i686) debian=i386 qemu=i386 ;;
powerpc64le) debian=ppc64el qemu=ppc64le ;;
*) debian=$processor qemu=$processor ;;
esac
has "$triplet-gcc" || skip "gcc-$triplet is not installed"
link=
if ! { [ "$processor" = i686 ] && "/usr/$triplet/lib/ld-linux.so.2" --version >/dev/null 2>&1; }; then
    has "qemu-$qemu" || has "qemu-$qemu-static" || skip "qemu-user is not installed"
    # Under qemu-i386 7.2 programs that are linked otherwise hang when they start a thread.
    [ "$processor" != i686 ] || link=-static
fi
echo '#include <stdio.h>' | "$triplet-gcc" -E - >/dev/null 2>&1 ||
    skip "libc6-dev-$debian-cross is not installed"
[ -d "$root" ] || skip "$root is missing: scripts/platform_root.sh $triplet build/$processor-root has not been run, or failed"

backends=-DVMAF_BACKENDS=
kinds='support;math;golden;platforms'
targets='vmaf_cli math_hashes test_golden'
tests='math_hashes|same_numbers'
case $set in
few)
    tests="$tests|golden-(options-(motion|psnr)|errors)-threads-2"
    ;;
many)
    kinds="$kinds;unit;simd_check"
    unit='test_cambi test_cpu test_math_functions test_model_libsvm test_ordered_sum test_platform_files
        test_psnr test_record_bounds test_ssim'
    targets="$targets $unit simd_check test_widths"
    tests="$tests|simd_check-[a-z0-9_]+|widths-(adm|float_ssim|motion|psnr|psnr_hvs|vif)"
    for test in $unit; do
        tests="$tests|$test"
    done
    tests="$tests|golden-(features-.*|models-2|options-.*|sizes-2|temporal|errors|ssimulacra2)-threads-[02]"
    ;;
vectors | widths)
    kinds='support;unit;math;simd_check;golden'
    targets='simd_check test_cpu test_vif_kernels test_math_functions math_hashes test_golden'
    tests='simd_check-[a-z0-9_]+|test_cpu|test_vif_kernels|test_math_functions|math_hashes'
    if [ "$set" = vectors ]; then
        tests="$tests|golden-options-(motion|psnr|vif)-threads-2|golden-sizes-2-threads-2"
    else
        backends=-DVMAF_BACKENDS=auto
        targets="$targets test_widths"
        tests="$tests|widths-(adm|float_ssim|motion|psnr|psnr_hvs|vif)"
        tests="$tests|golden-options-(adm|motion|psnr|vif)-threads-[02]|golden-sizes-2-threads-[02]"
    fi
    ;;
esac

# As docs/building.md describes it, all of it can be configured.
cmake -S "$source" -B "$build-whole" -G Ninja --toolchain "$source/cmake/toolchains/linux-gnu.cmake" \
    -DVMAF_TRIPLET="$triplet" -DVMAF_CROSS_ROOT="$root" -DVMAF_HIP_ARCHITECTURES=gfx1030 >"$build-whole.log" 2>&1 ||
    { cat "$build-whole.log" >&2; exit 1; }
# What is not built need not be configured, and AMD's chips not be tried one by one.
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DVMAF_WERROR="${VMAF_STRICT:-OFF}" "$backends" -DVMAF_HIP_ARCHITECTURES=gfx1030 \
    -DVMAF_COMPILED_KERNELS="${COMPILED_KERNELS:-}" -DBUILD_SHARED_LIBS=OFF -DVMAF_BUILD_BENCH=OFF \
    -DVMAF_BUILD_TUNE=OFF -DCMAKE_EXE_LINKER_FLAGS="$link" -DVMAF_TEST_KINDS="$kinds" \
    -DCMAKE_C_COMPILER_LAUNCHER="${LAUNCHER:-}" -DVMAF_TRIPLET="$triplet" -DVMAF_CROSS_ROOT="$root" \
    --toolchain "$source/cmake/toolchains/linux-gnu.cmake"
# shellcheck disable=SC2086 # a list
cmake --build "$build" --parallel 2 --target $targets
if [ "$set" = widths ]; then
    for backend in cuda vulkan; do
        cmake --build "$build" --target help | grep -q "^backend_$backend: " || continue
        cmake --build "$build" --parallel 2 --target "backend_$backend"
        LC_ALL=C "$triplet-readelf" -hd "$build/backends/libvmaf-backend-$backend.so" >"$build/head"
        for words in 'Machine: *AArch64' "NEEDED.*lib$backend.so.1"; do
            grep -q "$words" "$build/head" || { echo "$backend: no $words" >&2; exit 1; }
        done
    done
fi
ctest --test-dir "$build" --parallel 2 --tests-regex "^($tests)\$" --no-tests=error --output-on-failure
