#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# With which optimisation the sources are compiled, whatever the build type and the flags that a
# distribution sets; nothing is built.
#   optimisation.sh <source folder> <build folder> <generator> <compiler> [all]
# All build types take a quarter of a minute; otherwise a distribution's and that of a project around it.
set -eu
source=$1
build=$2
generator=$3
compiler=$4
rm -rf "$build"
mkdir -p "$build"
failed=0

fail() {
    echo "$name: $*" >&2
    failed=1
}

configure() { # source folder, arguments...
    folder=$1
    shift
    # One chip is enough: to find out which the compiler knows takes long.
    cmake -S "$folder" -B "$build/$name" -G "$generator" -DCMAKE_C_COMPILER="$compiler" \
        -DVMAF_HIP_ARCHITECTURES=gfx1030 \
        -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@" >"$build/$name.log" 2>&1 || {
        cat "$build/$name.log" >&2
        exit 1
    }
    grep '"command":' "$build/$name/compile_commands.json" >"$build/$name.commands"
}

# The last of several levels is the one that counts.
count_levels() {
    awk '{
        level = "none"
        for (i = 1; i <= NF; i++)
            if ($i ~ /^-O/)
                level = $i
        print level
    }' "$build/$name.commands" | sort | uniq -c | awk '{print $2 ":" $1}' | tr '\n' ' '
}

# Configures the project, and compares the level of all of its sources.
try() { # name, level, arguments...
    name=$1
    level=$2
    shift 2
    configure "$source" -DVMAF_BUILD_TESTS=OFF -DVMAF_BUILD_BENCH=OFF "$@"
    n=$(wc -l <"$build/$name.commands")
    [ "$n" -gt 200 ] || fail "only $n sources"
    levels=$(count_levels)
    [ "$levels" = "$level:$n " ] || fail "not all of $n sources have $level: $levels"
}

distribution='-g -O2 -fstack-protector-strong -Wformat -Werror=format-security'
try debian -O3 -DCMAKE_BUILD_TYPE=None "-DCMAKE_C_FLAGS=$distribution -D_FORTIFY_SOURCE=2"
kept=$(grep -c -- "$distribution -D_FORTIFY_SOURCE=2" "$build/debian.commands" || true)
[ "$kept" = "$n" ] || fail "flags of the distribution are in $kept of $n commands"
if [ "${5:-}" = all ]; then
    try empty -O3 -DCMAKE_BUILD_TYPE=
    try minsizerel -O3 -DCMAKE_BUILD_TYPE=MinSizeRel

    # Those who want to see the code as it was written do.
    try debug none -DCMAKE_BUILD_TYPE=Debug
    try noopt -O0 -DCMAKE_BUILD_TYPE=None '-DCMAKE_C_FLAGS=-g -O2 -O0'
    try sanitized -O2 -DCMAKE_BUILD_TYPE=RelWithDebInfo -DVMAF_SANITIZE=address
fi

# A project that contains this one keeps its own settings.
name=parent
mkdir -p "$build/project"
cat >"$build/project/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(player LANGUAGES C)
add_subdirectory("$source" libvmaf)
if(CMAKE_BUILD_TYPE)
  message(FATAL_ERROR "The build type became \${CMAKE_BUILD_TYPE}")
endif()
file(WRITE "\${CMAKE_BINARY_DIR}/player.c" "int main(void) { return 0; }\n")
add_executable(player "\${CMAKE_BINARY_DIR}/player.c")
target_link_libraries(player PRIVATE vmaf_static)
EOF
configure "$build/project"
n=$(wc -l <"$build/$name.commands")
[ "$(count_levels)" = "-O3:$((n - 1)) none:1 " ] || fail "levels are $(count_levels)"
exit $failed
