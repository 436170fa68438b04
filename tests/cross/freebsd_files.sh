#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# What an installation for FreeBSD has to be like, as far as its files tell.
#   freebsd_files.sh <source folder> <installation> x86_64|aarch64 <ON if there is the module for media files> [<backends>]
set -eu
source=$1
processor=$3
media=$4
backends=$5
cd "$2"
fail() {
    echo "freebsd_files.sh: $*" >&2
    exit 1
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

exports() { # FILE
    nm -D --defined-only --format=just-symbols "$1" | LC_ALL=C sort
}

version=$(sed -n 's/^#define VMAF_API_VERSION_[A-Z]* //p' "$source/include/libvmaf/version.h" | paste -sd.)
library=lib/libvmaf.so.$version
programs="bin/vmaf bin/vmaf-tune bin/vmaf-perShot libexec/libvmaf/backend-probe1"
modules=
for name in $backends; do
    modules="$modules lib/libvmaf/backends1/libvmaf-backend-$name.so"
done
[ "$media" != ON ] || modules="$modules $(echo lib/libvmaf/media*/vmaf-media-ffmpeg.so)"
for file in $library $programs $modules; do
    [ -f "$file" ] || fail "there is no $file"
    case $processor in
    aarch64) machine=AArch64 ;;
    *) machine=X86-64 ;;
    esac
    readelf -hWd "$file" >"$folder/file"
    grep -q "Machine:.*$machine" "$folder/file" || fail "$file is not for $processor"
    # What the system has, the library, and what the modules are for; whatever else is linked is static.
    if sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' "$folder/file" |
        grep -vE '^(libc|libm|libthr)\.so\.[0-9]+$|^libvmaf\.so\.3$|^lib(vulkan|avformat|avcodec|avfilter|avutil|swscale)\.so$'; then
        fail "$file needs other libraries"
    fi
    # Nothing of the machine that built it.
    if sed -n 's/.*PATH).*\[\(.*\)\]/\1/p' "$folder/file" | grep -v '^\$ORIGIN/\.\./lib$'; then
        fail "$file looks for libraries in places of the build"
    fi
done
for program in $programs; do
    readelf -lW "$program" | grep -q 'interpreter: /libexec/ld-elf.so.1' || fail "$program is not a program of FreeBSD"
done
[ "$(readlink "lib/libvmaf.so.${version%%.*}")" = "${library#lib/}" ] || fail "the library has not the name of its interface"
readelf -d "$library" >"$folder/file"
grep -q "SONAME.*\[libvmaf.so.${version%%.*}\]" "$folder/file" || fail "the library has another name"
grep -q 'NODELETE' "$folder/file" || fail "the library can be unloaded while its threads run"

# The interface and nothing else, nothing of what is linked statically.
sed -n '/^[a-z]/p' "$source/tests/api/exported_symbols.txt" | LC_ALL=C sort >"$folder/expected"
exports "$library" >"$folder/found"
diff "$folder/expected" "$folder/found" || fail "exports of the library (< expected, > found)"
for module in $modules; do
    case $module in
    *media*) entry=vmaf_media_entry ;;
    *) entry=vmaf_backend_entry ;;
    esac
    [ "$(exports "$module")" = $entry ] || fail "$module exports more than its entry"
done

# Scores are those of the functions in src/metrics/common/math, whatever those of the system are.
for name in exp exp2 pow powf log log2 log10 log2f atan2 cos sin cbrt; do
    ! nm -D --undefined-only "$library" | grep -qE " $name(@.*)?$" || fail "the library calls the system's $name"
done
