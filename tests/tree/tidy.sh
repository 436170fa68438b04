#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The checks of .clang-tidy hold in src, cli, plugins/sdk and tune. With a list of files only in those.
#   tidy.sh <source folder> <build folder> <generator> <compiler> [<file>...]
set -eu
source=$1
build=$2
generator=$3
compiler=$4
shift 4
skip() {
    echo "skipped: $*"
    exit 77
}

# Other versions have other checks, and other opinions on the same.
version=14
tidy=$(command -v clang-tidy-$version || command -v clang-tidy) ||
    skip "clang-tidy is not installed (Debian: clang-tidy)"
"$tidy" --version | grep -q "version $version\." || skip "$tidy is not of version $version"

# Of the library, its program and its plugins as they are built, and with nothing built.
cmake -S "$source" -B "$build" -G "$generator" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DVMAF_BUILD_TESTS=OFF -DVMAF_BUILD_BENCH=OFF >"$build.log" 2>&1 || {
    cat "$build.log" >&2
    exit 1
}
if [ $# -eq 0 ]; then
    # Tables of coefficients hold no code. A source that is compiled for several instruction sets is
    # listed once.
    # shellcheck disable=SC2046 # no file has a space in its name
    set -- $(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" |
        grep -E "^$source/(src|common|cli|plugins/sdk|tune)/" | grep -v /builtin/ | sort -u)
    [ $# -gt 200 ] || {
        echo "tidy.sh: only $# sources" >&2
        exit 1
    }
fi
printf '%s\n' "$@" | xargs -n 4 -P "$(nproc)" "$tidy" -p "$build" --quiet 2>"$build.log" || {
    grep -v ' warnings\{0,1\} ' "$build.log" >&2
    exit 1
}
