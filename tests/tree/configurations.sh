#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Settings that packagers use, in a folder with a space in its name; nothing is built.
#   configurations.sh <source folder> <build folder> <generator> <compiler>
set -eu
source=$1 build=$2 generator=$3 compiler=$4
rm -rf "$build"
mkdir -p "$build/temporary"
failed=0
fail() {
    echo "$*" >&2
    failed=1
}
configure() { # folder, arguments...
    folder=$build/$1
    shift
    # The first configuration looped once.
    TMPDIR=$build/temporary timeout 1800 cmake -S "$source" -B "$folder" -G "$generator" \
        -DCMAKE_C_COMPILER="$compiler" -DVMAF_BUILD_TESTS=OFF -DVMAF_BUILD_BENCH=OFF \
        -DVMAF_HIP_ARCHITECTURES=gfx1030 -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@" >"$build/log" 2>&1
}
count() { # text, which the commands that compile contain
    grep '"command":' "$folder/compile_commands.json" | grep -c -e "$1" || true
}

configure "a space" -DVMAF_BUILD_CLI=OFF -DVMAF_STATIC=OFF -DCMAKE_UNITY_BUILD=ON || {
    tail -n 30 "$build/log" >&2
    fail "without the program and the static library it cannot be configured"
}
[ "$(count unity_)" -eq 0 ] || fail "files are compiled together"
[ -z "$(ls -A "$build/temporary")" ] || fail "left in TMPDIR: $(ls -A "$build/temporary")"
cmake --build "$folder" --target help >"$build/targets"
! grep -q 'vmaf_static' "$build/targets" || fail "there is a static library"
if grep -q '^\(\.\.\. \)\?backend_cuda\b' "$build/targets"; then
    case $generator in
    Ninja) ninja -C "$folder" -t commands backend_cuda | tail -n 1 | sed 's/&& :$//; s/^: &&//' >"$build/link" ;;
    *) cat "$folder/plugins/cuda/CMakeFiles/backend_cuda.dir/link.txt" >"$build/link" ;;
    esac
    eval "printf '%s\n' $(cat "$build/link")" >"$build/words"
    grep -qxF -e "-L$folder/plugins/cuda/import" "$build/words" || fail "a space breaks the folder that is linked with"
fi

! configure neither -DBUILD_SHARED_LIBS=OFF -DVMAF_STATIC=OFF || fail "there is no library at all"
grep -q "Neither a shared nor a static library" "$build/log" || fail "why there is no library is not said"

CFLAGS=-DPACKAGER LDFLAGS=-Wl,-s configure package --preset package || {
    tail -n 30 "$build/log" >&2
    fail "the preset package cannot be configured"
}
sources=$(count '"command":')
for flag in -fstack-protector-strong -D_FORTIFY_SOURCE=2 -DPACKAGER; do
    [ "$(count "$flag")" -eq "$sources" ] || fail "of $sources sources of packages $(count "$flag") have $flag"
done
for kind in EXE MODULE SHARED; do
    grep -q "^CMAKE_${kind}_LINKER_FLAGS:.*-Wl,-z,relro -Wl,-z,now -Wl,-s" "$folder/CMakeCache.txt" ||
        fail "not all symbols of packages are bound at the start: $kind"
done
exit $failed
