#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The module compiles against the FFmpeg of another Debian, whose headers are downloaded and unpacked.
#   headers.sh <source folder> <folder> <compiler> <suite of Debian>
set -eu
source=$1 folder=$2 cc=$3 suite=$4
skip() {
    echo "skipped: $*"
    exit 77
}

# apt with its own sources, lists, cache and record of installed packages.
apt() {
    apt-get -q -o APT::Sandbox::User= -o Dir::State="$work/state" -o Dir::State::status="$work/status" \
        -o Dir::Cache="$work/cache" -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o Acquire::Languages=none "$@"
}
get_headers() {
    for tool in apt-get dpkg-deb; do
        command -v $tool >/dev/null || skip "$tool is not there"
    done
    keys=/usr/share/keyrings/debian-archive-keyring.gpg
    [ -e $keys ] || skip "$keys is not there"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/root"
    : >"$work/status"
    # From where the system has its packages.
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -m 1 '/debian/*$' ||
        echo http://deb.debian.org/debian)
    echo "deb [signed-by=$keys] $mirror $suite main" >"$work/sources.list"
    apt update >"$work/log" 2>&1 &&
        (cd "$work" && apt download libavformat-dev libavcodec-dev libavfilter-dev libavutil-dev libswscale-dev) \
            >"$work/log" 2>&1 ||
        skip "no packages of $suite: $(tail -n 1 "$work/log")"
    for package in "$work"/*.deb; do
        dpkg-deb -x "$package" "$work/root"
    done
    mkdir -p "$folder"
    mv "$work/root/usr/include" "$folder/$suite"
}

# That of this system compiles, or there would be no module.
! grep -qx "VERSION_CODENAME=$suite" /etc/os-release || { echo "$suite: it is compiled"; exit 0; }
[ -d "$folder/$suite" ] || get_headers
include=$(dirname "$(dirname "$(find "$folder/$suite" -name avformat.h)")")
for file in "$source"/media/ffmpeg/*.c; do
    "$cc" -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Wall -Wextra ${VMAF_STRICT:+-Werror} -fsyntax-only \
        "-I$include" "-I$source" "-I$source/src" "-I$source/include" "$file"
done
sed -n 's/^#define LIB\([A-Z]*\)_VERSION_MAJOR *\([0-9]*\)$/\1 \2: it compiles/p' "$include/libavformat/version_major.h"
