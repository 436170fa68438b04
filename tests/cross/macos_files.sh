#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# What an installation for macOS has to be like, as far as its files tell.
#   macos_files.sh <source folder> <installation> arm64|x86_64 <ON if there is the module for media files>
set -eu
source=$1
processor=$3
cd "$2"
fail() {
    echo "macos_files.sh: $*" >&2
    exit 1
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

loads() { # FILE
    llvm-objdump --macho --private-headers "$1"
}
exports() { # FILE
    llvm-nm --extern-only --defined-only --format=just-symbols "$1" | sed '/^$/d' | LC_ALL=C sort
}

version=$(sed -n 's/^#define VMAF_API_VERSION_[A-Z]* //p' "$source/include/libvmaf/version.h" | paste -sd.)
library=lib/libvmaf.$version.dylib
plugin=lib/libvmaf/backends1/libvmaf-backend-metal.so
programs="bin/vmaf bin/vmaf-tune bin/vmaf-perShot libexec/libvmaf/backend-probe1"
module=
[ "$4" != ON ] || module=$(echo lib/libvmaf/media*/vmaf-media-ffmpeg.so)
for file in $library $plugin $programs $module; do
    [ -f "$file" ] || fail "there is no $file"
    case $processor in
    arm64) machine=ARM64 ;;
    *) machine=X86_64 ;;
    esac
    loads "$file" >"$folder/loads"
    grep -q "MH_MAGIC_64  *$machine" "$folder/loads" || fail "$file is not for $processor"
    # Whatever else is linked is static.
    if sed -n 's/^ *name \(.*\) (offset.*/\1/p' "$folder/loads" |
        grep -vE '^(/usr/lib/|/System/Library/Frameworks/|@rpath/libvmaf\.[0-9]+\.dylib|/usr/lib/dyld)' |
        { if [ "$file" = "$module" ]; then grep -vE '^@rpath/lib(avformat|avcodec|avfilter|avutil|swscale)\.dylib'; else cat; fi; } |
        grep .; then
        fail "$file needs other libraries"
    fi
    # Nothing of the machine that built it, and no newer system than the oldest one.
    if sed -n 's/^ *path \(.*\) (offset.*/\1/p' "$folder/loads" | grep -v '^@loader_path/'; then
        fail "$file looks for libraries in places of the build"
    fi
    grep -qE '^ *minos 11\.0$' "$folder/loads" || fail "$file is not for macOS 11"
done
[ "$(readlink "lib/libvmaf.${version%%.*}.dylib")" = "${library#lib/}" ] || fail "the library has not the name of its interface"
loads "$library" | grep -q "name @rpath/libvmaf.${version%%.*}.dylib" || fail "the library has another install name"
loads "$library" >"$folder/loads"
grep -A 5 LC_ID_DYLIB "$folder/loads" | grep -q "compatibility version ${version%%.*}.0.0" ||
    fail "the library says that it replaces other versions"
loads "$library" | grep -q "current version $version" || fail "the library says another version"

# The interface and nothing else.
sed -n 's/^[a-z].*/_&/p' "$source/tests/api/exported_symbols.txt" | LC_ALL=C sort >"$folder/expected"
exports "$library" >"$folder/found"
diff "$folder/expected" "$folder/found" || fail "exports of the library (< expected, > found)"
[ "$(exports $plugin)" = _vmaf_backend_entry ] || fail "the plugin exports more than its entry"
[ -z "$module" ] || [ "$(exports "$module")" = _vmaf_media_entry ] || fail "the module exports more than its entry"

# Programs find the library wherever the installation is.
for program in bin/vmaf bin/vmaf-tune bin/vmaf-perShot; do
    loads $program | grep -q 'path @loader_path/../lib' || fail "$program looks for its library elsewhere"
done
