# SPDX-License-Identifier: BSD-2-Clause-Patent
# Sourced by gpu-check.sh: finds the programs, builds them, and makes a folder that can be carried.
# shellcheck shell=sh
# shellcheck disable=SC2154 # from gpu-check.sh

# A prepared folder has this script in it, next to the programs; a source tree has it in scripts/.
is_prepared() {
    [ -x "$here/bin/vmaf" ] && [ -x "$here/bin/vmaf-backend-bench" ]
}
# Where it was installed, a file says from where the programs can be found.
is_installed() {
    [ -r "$here/installed.sh" ]
}

build_or_die() { # command...
    "$@" >"$work/build.log" 2>&1 || {
        tail -n 30 "$work/build.log" >&2
        die 255 "the build fails: $*"
    }
}

build_tree() { # build folder, settings for CMake...
    folder=$1
    shift
    command -v cmake >/dev/null || die 255 "there is no CMake: use a folder made with --prepare"
    source=$(CDPATH='' cd -- "$here/.." && pwd)
    say "Building in $folder ..."
    mkdir -p "$folder" || die 255 "$folder cannot be made"
    with_tests=OFF
    ! pkg-config --exists cmocka 2>/dev/null || with_tests=ON
    build_or_die cmake -S "$source" -B "$folder" -DCMAKE_BUILD_TYPE=Release \
        -DVMAF_BUILD_TESTS=$with_tests -DVMAF_BUILD_BENCH=ON \
        ${VMAF_KERNEL_CACHE:+"-DVMAF_KERNEL_CACHE=$VMAF_KERNEL_CACHE"} "$@"
    jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
    targets='vmaf_cli vmaf_backend_probe vmaf_backend_bench vmaf_backend_check synth'
    targets="$targets $(cmake --build "$folder" --target help 2>/dev/null |
        sed -nE 's/^(\.\.\. )?((backend|layer)_[a-z0-9]*)(: phony)?$/\2/p' |
        while read -r target; do
            [ ! -e "$source/plugins/${target#*_}/plugin.c" ] || echo "$target"
        done | sort -u | tr '\n' ' ')"
    if [ $with_tests = ON ]; then
        targets="$targets $(kernel_programs "$folder" | tr '\n' ' ')"
    fi
    # shellcheck disable=SC2086 # several
    build_or_die cmake --build "$folder" -j "$jobs" --target $targets
}

# The tests of kernels that take a device, from what CMake has written for ctest: a name that ends in
# the backend's, the program, its arguments. A script notes the time that each takes.
list_kernel_tests() { # build folder
    sed -n 's/^add_test(\[=*\[\([a-z0-9_]*\)\]=*\] .*\/timed\.sh" "[^"]*" "\([^"]*\)"\(.*\))$/\1|\2|\3/p' \
        "$1/tests/kernels/CTestTestfile.cmake" 2>/dev/null | tr -d '"' |
        awk -F '|' '{
            program = $2
            sub(/.*\//, "", program)
            arguments = $3
            gsub(/^ +/, "", arguments)
            split(arguments, words, " ")
            end = "_" words[1]
            if (program ~ /^test_/ && words[1] != "" && words[1] != "emulator" &&
                substr($1, length($1) - length(end) + 1) == end)
                print $1, program, arguments
        }'
}
kernel_programs() { # build folder
    list_kernel_tests "$1" | cut -d ' ' -f 2 | sort -u
}

# What kernels execute for a sample, from the table of the documentation.
list_operations() { # source folder
    awk -f "$1/bench/kernel_operations.awk" "$1/docs/kernels.md" 2>/dev/null
}

use_build() { # folder
    build=$(CDPATH='' cd -- "$1" 2>/dev/null && pwd) || die 255 "there is no folder $1"
    vmaf=$build/cli/vmaf
    bench=$build/bench/vmaf-backend-bench
    checker=$build/plugins/check/vmaf-backend-check
    synth=$build/tests/support/synth
    tests=$build/tests/kernels
    plugins=$build/backends
    operations=$work/operations
    list_operations "$here/.." >"$operations"
    list_kernel_tests "$build" >"$work/kernel_tests"
}

# The plugins are those that the library finds; the tests of kernels belong to a source tree.
use_installation() {
    programs='' helpers=''
    # shellcheck source=/dev/null
    . "$here/installed.sh"
    vmaf=$programs/vmaf
    bench=$programs/vmaf-backend-bench
    checker=$programs/vmaf-backend-check
    synth=$helpers/synth
    tests=''
    plugins=''
    operations=$here/kernel_operations.txt
    : >"$work/kernel_tests"
}

# Sets vmaf, bench, checker, synth, tests, plugins, operations; lists the tests in $work/kernel_tests.
find_programs() {
    if [ -n "$build" ]; then
        use_build "$build"
    elif is_prepared; then
        vmaf=$here/bin/vmaf
        bench=$here/bin/vmaf-backend-bench
        checker=$here/bin/vmaf-backend-check
        synth=$here/bin/synth
        tests=$here/tests
        plugins=$here/lib/libvmaf/backends1
        operations=$here/kernel_operations.txt
        cp "$here/kernel_tests" "$work/kernel_tests"
        use_own_loaders
    elif is_installed; then
        use_installation
    else
        build_tree "$here/../build/gpu-check"
        use_build "$here/../build/gpu-check"
    fi
    for program in "$vmaf" "$bench" "$synth"; do
        [ -x "$program" ] || die 255 "there is no $program"
    done
}

# Libraries of the kind that a system has and a driver does not bring, such as Vulkan's loader, are in
# the folder, too. They are used only where the system has none.
use_own_loaders() {
    for file in "$here"/loaders/*; do
        [ -e "$file" ] || continue
        mkdir -p "$work/loaders"
        name=${file##*/}
        for plugin in "$plugins"/*.so; do
            if LC_ALL=C ldd "$plugin" 2>/dev/null | grep -q "^[[:space:]]*$name => not found"; then
                cp "$file" "$work/loaders/"
                say "using $name of the folder: the system has none"
                break
            fi
        done
    done
    if [ -d "$work/loaders" ] && [ -n "$(ls "$work/loaders")" ]; then
        LD_LIBRARY_PATH=$work/loaders${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        export LD_LIBRARY_PATH
    fi
}

# -- a folder to carry --

# What every system has, and what belongs to a driver.
is_of_the_system() { # library
    case $1 in
    libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | libgcc_s.so.* | ld-linux*) ;;
    libcuda.so.* | libamdhip64.so.*) ;;
    *) return 1 ;;
    esac
}
needed_by() { # file
    LC_ALL=C objdump -p "$1" 2>/dev/null | sed -n 's/^ *NEEDED *//p'
}

path_of() { # file, library that it needs
    LC_ALL=C ldd "$1" 2>/dev/null | sed -n "s,^[[:space:]]*$2 => \(/[^ ]*\) .*,\1,p"
}

# Takes along each library that is linked and that a bare system may lack: loaders, and libraries of
# the tests, into folders of their own. Others are an error, since nothing would find them.
take_libraries() { # folder
    find "$1" -type f -perm -100 >"$work/files"
    find "$1" -name '*.so' >>"$work/files"
    while read -r file; do
        needed_by "$file" >"$work/needed"
        while read -r library; do
            case $library:$file in
            libvulkan.so.*:* | libze_loader.so.*:*) to=$1/loaders ;;
            *:"$1"/tests/*) to=$1/tests/lib ;;
            *) to= ;;
            esac
            ! is_of_the_system "$library" || continue
            if [ -z "$to" ]; then
                echo "gpu-check.sh: ${file##*/} needs $library, and there is no static library of it" >&2
                return 1
            fi
            path=$(path_of "$file" "$library")
            cp -L "$path" "$to/$library" || return 1
        done <"$work/needed"
    done <"$work/files"
}

prepare_folder() {
    ! is_prepared && ! is_installed || die 255 "a folder is prepared in a source tree"
    [ ! -e "$prepare" ] || [ -z "$(ls -A "$prepare")" ] || die 255 "$prepare is not empty"
    mkdir -p "$prepare" || die 255 "$prepare cannot be made"
    prepare=$(CDPATH='' cd -- "$prepare" && pwd)
    source=$(CDPATH='' cd -- "$here/.." && pwd)
    static=${build:-$source/build/gpu-check-static}
    # Static libraries where the system has them.
    mkdir -p "$static" || die 255 "$static cannot be made"
    echo 'set(CMAKE_FIND_LIBRARY_SUFFIXES ".a;.so")' >"$static/static.cmake"
    build_tree "$static" -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX=/usr/local \
        -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_LIBEXECDIR=libexec -DCMAKE_INSTALL_BINDIR=bin \
        -DCMAKE_PROJECT_libvmaf_INCLUDE="$static/static.cmake"
    build_or_die cmake --install "$static" --prefix "$work/staged" --component core
    build_or_die cmake --install "$static" --prefix "$work/staged" --component cli
    for plugin in "$static"/backends/*.so; do
        [ -e "$plugin" ] || die 255 "no backend can be built here"
        name=${plugin##*/libvmaf-backend-}
        build_or_die cmake --install "$static" --prefix "$work/staged" --component "backend-${name%.so}"
    done
    mkdir -p "$prepare/tests/lib" "$prepare/loaders"
    cp -R "$work/staged/bin" "$work/staged/lib" "$work/staged/libexec" "$prepare/"
    cp "$static/bench/vmaf-backend-bench" "$static/plugins/check/vmaf-backend-check" \
        "$static/tests/support/synth" "$prepare/bin/"
    for program in $(kernel_programs "$static"); do
        cp "$static/tests/kernels/$program" "$prepare/tests/"
    done
    # What the programs load at run time, for backends that are there.
    for module in "$static"/tests/kernels/*layer_*.so; do
        name=${module##*layer_}
        [ ! -e "$static/backends/libvmaf-backend-$name" ] || cp "$module" "$prepare/tests/"
    done
    list_kernel_tests "$static" >"$prepare/kernel_tests"
    cp "$here"/gpu-check.sh "$here"/gpu_check_*.sh "$here"/gpu_check_*.awk "$prepare/"
    cp "$source/LICENSE" "$source/NOTICE" "$prepare/"
    list_operations "$source" >"$prepare/kernel_operations.txt"
    take_libraries "$prepare" || die 255 "the folder would not run on a bare machine"
    find "$prepare/bin" "$prepare/tests" "$prepare/lib" "$prepare/libexec" -type f -exec strip -g {} + 2>/dev/null
    say "$prepare is complete ($(du -sk "$prepare" | cut -f 1) KiB). On the other machine, which needs"
    say "glibc $(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d ' ' -f 2) or later: gpu-check.sh in it."
}
