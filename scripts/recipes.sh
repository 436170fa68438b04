#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Writes the recipes with which package managers build a release:
#
#     scripts/recipes.sh FOLDER [ADDRESS]
#
# FOLDER receives the archive libvmaf-VERSION.tar.gz of what is committed here, and
#     arch/PKGBUILD, alpine/APKBUILD, homebrew/libvmaf.rb, conan/conanfile.py,
#     vcpkg/vcpkg.json and vcpkg/portfile.cmake
# for that version and that archive, which they download from ADDRESS (a folder on a server), or take from
# FOLDER if there is none. VMAF_HOMEPAGE and VMAF_PACKAGE_MAINTAINER ("Name <address>") are said in them.
set -eu

[ $# -ge 1 ] && [ $# -le 2 ] || { echo "usage: $0 FOLDER [ADDRESS]" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname -- "$0")/.."
version=$(sed -n 's/^#define VMAF_API_VERSION_[A-Z]* //p' include/libvmaf/version.h | paste -sd.)
archive=libvmaf-$version.tar.gz
git archive --format=tar --prefix="libvmaf-$version/" HEAD | gzip -n >"$folder/$archive"
[ -s "$folder/$archive" ]
sha256=$(sha256sum <"$folder/$archive" | cut -d ' ' -f 1)
sha512=$(sha512sum <"$folder/$archive" | cut -d ' ' -f 1)
address=${2:-file://$folder}/$archive

for recipe in arch/PKGBUILD alpine/APKBUILD homebrew/libvmaf.rb conan/conanfile.py vcpkg/vcpkg.json \
    vcpkg/portfile.cmake; do
    mkdir -p "$folder/${recipe%/*}"
    sed "s|@VERSION@|$version|g; s|@ARCHIVE@|$address|g; s|@SHA256@|$sha256|g; s|@SHA512@|$sha512|g
        s|@HOMEPAGE@|${VMAF_HOMEPAGE:-https://libvmaf.invalid}|g
        s|@MAINTAINER@|${VMAF_PACKAGE_MAINTAINER:-The libvmaf authors <packages@libvmaf.invalid>}|g" \
        "packaging/$recipe.in" >"$folder/$recipe"
done
