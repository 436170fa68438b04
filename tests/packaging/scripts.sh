#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The scripts for newcomers: their help, their progress, what they report as missing; and which pair
# of tools compiles the kernels.
#   scripts.sh <source folder>
set -eu
source=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "scripts.sh: $*" >&2
    exit 1
}

for script in quickstart test; do
    for option in --help -h; do
        sh "$source/scripts/$script.sh" $option >"$folder/out" 2>"$folder/err" ||
            fail "$script.sh $option fails"
        grep -q "^usage: scripts/$script.sh" "$folder/out" || fail "$script.sh $option does not help"
        [ ! -s "$folder/err" ] || fail "$script.sh $option complains"
    done
    status=0
    sh "$source/scripts/$script.sh" --nonsense >"$folder/out" 2>"$folder/err" || status=$?
    [ $status -eq 1 ] && grep -q "^usage: " "$folder/err" || fail "$script.sh takes any option"
done

# What cpack runs takes debug information out of static libraries.
mkdir -p "$folder/pack/dev/lib"
echo 'int debugged;' | cc -g -x c -c - -o "$folder/debugged.o"
ar rc "$folder/pack/dev/lib/libdebugged.a" "$folder/debugged.o"
cmake -DCPACK_STRIP_FILES=ON "-DCPACK_VMAF_STRIP=$(command -v strip)" "-DCPACK_TEMPORARY_DIRECTORY=$folder/pack" \
    -DCPACK_COMPONENTS_ALL=dev -DCPACK_GENERATOR=DEB -DCPACK_DEBIAN_DEV_PACKAGE_NAME=libdebugged-dev \
    -DCPACK_VMAF_DATA=/share -DCPACK_VMAF_INSTALLED_DOCUMENTS=/doc -P "$source/packaging/documents.cmake" \
    >"$folder/out" 2>&1 || fail "documents.cmake: $(cat "$folder/out")"
! readelf -SW "$folder/pack/dev/lib/libdebugged.a" | grep -q 'debug_info' || fail "a static library is not stripped"
[ -n "$(nm "$folder/pack/dev/lib/libdebugged.a" | grep debugged)" ] || fail "a static library has lost its symbols"

# What older and newer versions of cmocka say of their cases.
for group in "" "tests: "; do
    printf '%s\n' '<testcase name="one" status="fail">' "[  PASSED  ] 15 test(s)." \
        "[  SKIPPED ] ${group}2 test(s), listed below:" "[  SKIPPED ] a" "[  SKIPPED ] b" \
        "[  FAILED  ] ${group}3 test(s), listed below:" "[  FAILED  ] c" >"$folder/cases.xml"
    counted=$(awk -v build=ci -v reasons="$folder/reasons" -f "$source/scripts/count_tests.awk" "$folder/cases.xml")
    [ "$counted" = "15 3 2" ] || fail "cases of cmocka are counted as $counted"
done

# Warnings are errors for those alone who ask for that.
strict=$(cd "$source" && cmake --preset ci -N -B "$folder/build" | grep WERROR || true)
[ -z "$strict" ] || fail "the preset ci has $strict"
! grep -rnE -e '-Werror( |"|$)|VMAF_WERROR=ON' --include=*.sh "$source/scripts" "$source/tests" |
    grep -v -e VMAF_STRICT -e tests/packaging/scripts.sh || fail "warnings are errors there"

# From here on, PATH has this folder's programs and those that the script itself needs.
mkdir "$folder/bin"
for tool in sh sed sort seq tr tee cat rm echo uname ls dirname awk; do
    ln -s "$(command -v $tool)" "$folder/bin/$tool"
done
program() { # name, text of the script
    printf '#!/bin/sh\n%s\n' "${2:-}" >"$folder/bin/$1"
    chmod +x "$folder/bin/$1"
}
in_folder() { # text of a script that has sourced packages.sh
    PATH=$folder/bin log=$folder/log sh -c ". '$source/scripts/packages.sh'; $1"
}
expect() { # what, command, output
    found=$(in_folder "$2" | tr '\n' ' ')
    [ "${found% }" = "$3" ] || fail "$1: '${found% }', not '$3'"
}

media="libavformat-dev libavcodec-dev libavfilter-dev libavutil-dev libswscale-dev ffmpeg"
expect "media files" missing_media_packages "$media"
case $(in_folder 'missing_packages media' | tr '\n' ' ') in
"gcc "*" zlib1g-dev "*" $media ") ;;
*) fail "a build for media files: $(in_folder 'missing_packages media')" ;;
esac
case $(in_folder 'missing_packages build') in
*libav*) fail "every build needs FFmpeg" ;;
esac
# Headers of other processors are looked for where they are.
found=$(in_folder "missing_i386_packages; missing_s390x_packages" | grep -v '^libc6-dev-' | tr '\n' ' ')
[ "$found" = "gcc-i686-linux-gnu qemu-user dpkg-dev gpgv gcc-s390x-linux-gnu qemu-user " ] ||
    fail "other processors: $found"
expect "musl" missing_musl_packages "musl-tools dpkg-dev gpgv"
case $(in_folder 'missing_packages windows' | tr '\n' ' ') in
*" libjansson-dev "* | *wine*) fail "more than a build for Windows needs" ;;
"cmake ninja-build pkg-config gcc-mingw-w64-x86-64-win32 "*"dpkg-dev gpgv ") ;;
*) fail "a build for Windows: $(in_folder 'missing_packages windows')" ;;
esac
expect "other tools" missing_tool_packages "g++ python3 valgrind"
program c++
expect "other tools but one" missing_tool_packages "python3 valgrind"
expect "what users have" missing_user_packages "chromium tidy zsh fish"
expect "nothing is known of the system" missing_kernel_packages "clang-15 llvm-spirv-15 lld-15"
program apt-cache 'case $* in
"pkgnames llvm-spirv-") printf "llvm-spirv-17\nllvm-spirv-20\nllvm-spirv-19\n" ;;
"show clang-22" | "show clang-19" | "show clang-17") ;;
*) exit 100 ;;
esac'
expect "the newest pair of the system" missing_kernel_packages "clang-19 llvm-spirv-19 lld-19"
program clang-22
program ld.lld-22
program llvm-spirv-17
expect "no pair is installed" missing_kernel_packages "clang-19 llvm-spirv-19 lld-19"
program clang-17
expect "a pair is installed without linker" missing_kernel_packages "lld-17"
program ld.lld-17
expect "a pair is installed" missing_kernel_packages ""

# Headers are found with cc, which finds none here, and files of pocl where they are.
program cc 'exit 1'
found=$(in_folder missing_runtime_packages | tr '\n' ' ')
case $found in
"libze-dev ocl-icd-opencl-dev opencl-c-headers "*spirv-cross" ") ;;
*) fail "what runtimes need: $found" ;;
esac
program cc
program pkg-config
program spirv-cross
found=$(in_folder missing_runtime_packages | grep -v pocl-opencl-icd || true)
[ -z "$found" ] || fail "what runtimes need, which is there: $found"

# GPUs by what the kernel says of them: network cards, and others of these makers, are none.
device() { # ADDRESS CLASS VENDOR
    mkdir -p "$folder/pci/$1"
    echo "$2" >"$folder/pci/$1/class"
    echo "$3" >"$folder/pci/$1/vendor"
}
expect "GPUs of no machine" "gpu_backends '$folder/pci'" ""
device 0000:00:02.0 0x020000 0x8086
device 0000:00:03.0 0x040300 0x10de
device 0000:00:04.0 0x030000 0x1234
expect "no GPU" "gpu_backends '$folder/pci'" ""
device 0000:00:05.0 0x030200 0x10de
expect "a GPU of NVIDIA" "gpu_backends '$folder/pci'" "cuda"
device 0000:00:06.0 0x120000 0x1002
expect "an accelerator of AMD, too" "gpu_backends '$folder/pci'" "cuda hip vulkan"
device 0000:00:07.0 0x030000 0x8086
expect "a GPU of Intel, too" "gpu_backends '$folder/pci'" "cuda hip sycl vulkan"
expect "AMD's driver is not there" "amd_chips '$folder/kfd'" ""
for version in 0 100302 90010 100302; do
    mkdir -p "$folder/kfd/$((node = ${node:-0} + 1))"
    printf 'simd_count 8\ngfx_target_version %s\n' $version >"$folder/kfd/$node/properties"
done
expect "AMD's chips" "amd_chips '$folder/kfd'" "gfx1032 gfx90a"

# Daemons are in folders that users do not search.
program sbatch
program python3 '[ "$*" = "-c import yaml" ] || exit 2; exit 1'
expect "what many machines need" missing_scale_packages "parallel python3-yaml"
found=$(in_folder missing_slurm_packages | grep -v -e slurmctld -e slurmd -e munge | tr '\n' ' ')
[ -z "$found" ] || fail "what Slurm needs, which is there: $found"
for name in slurmctld slurmd munged parallel python3; do
    program $name
done
expect "what many machines need, which is there" missing_scale_packages ""
expect "Slurm is there" missing_slurm_packages ""

for name in clang-39 clang-31 clang++-31 llvm-spirv-31 llvm-spirv-30 clang-30; do
    program $name
done
echo "include($source/cmake/Kernels.cmake)
message(\"\${VMAF_CLANG} \${VMAF_CLANGXX} \${VMAF_LLVM_SPIRV}\")" >"$folder/pair.cmake"
cmake -D "CMAKE_PROGRAM_PATH=$folder/bin" -D "VMAF_KERNELS_DIR=$source" -P "$folder/pair.cmake" \
    >"$folder/out" 2>&1 || fail "cmake fails: $(cat "$folder/out")"
grep -qx "$folder/bin/clang-31 $folder/bin/clang++-31 $folder/bin/llvm-spirv-31" "$folder/out" ||
    fail "the kernels are compiled with $(cat "$folder/out")"

# Progress is what ninja and ctest count, and nothing else; the log has everything, and the status
# is that of the command.
program steps 'echo "-- Configuring"; echo "[1/8] Building"; echo "[5/8] Building"; echo "[7] x"
echo " 1/2 Test #7: name ...   Passed"; echo "a Test of 3/4"; echo "[8/8] Linking"; exit 3'
in_folder 'with_progress steps; echo "status $?"' >"$folder/out"
printf '   12 %%\n   62 %%\n  100 %%\nstatus 3\n' | tr -s ' ' >"$folder/expected"
tr -s ' ' <"$folder/out" | cmp -s - "$folder/expected" || fail "progress: $(cat "$folder/out")"
[ "$(wc -l <"$folder/log")" -eq 7 ] || fail "the log is not complete"
in_folder 'patiently steps' >"$folder/out" 2>&1 && fail "a failure is lost"
grep -q 'This failed: steps' "$folder/out" || fail "a failure is not told"
echo "all is well"
