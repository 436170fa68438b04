#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Gets the libraries that a build for another processor needs, on a Debian system of any:
#
#     scripts/platform_root.sh s390x-linux-gnu build/s390x-root
#
# Downloads their packages from the system's own sources, and unpacks them into the folder; builds static
# libraries of Debian's sources where there are no packages. Nothing is installed, no setting of the
# system is changed, and no privileges are needed.
set -eu

[ $# -eq 2 ] || { echo "usage: $0 TRIPLET FOLDER" >&2; exit 2; }
case $1 in # what Debian calls the processor
aarch64-linux-gnu) architecture=arm64 ;;
arm-linux-gnueabihf) architecture=armhf ;;
i686-linux-gnu) architecture=i386 ;;
powerpc64le-linux-gnu) architecture=ppc64el ;;
riscv64-linux-gnu) architecture=riscv64 ;;
s390x-linux-gnu) architecture=s390x ;;
*) echo "$0: $1 is not known" >&2; exit 2 ;;
esac
[ ! -e "$2" ] || { echo "$2 exists" >&2; exit 2; }
mkdir -p "$(dirname -- "$2")"
work=$(cd "$(dirname -- "$2")" && mktemp -d "$PWD/platform-root.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/root"
: >"$work/status"

# apt with its own lists, cache and record of installed packages, for that architecture.
apt() {
    apt-get -q -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o APT::Sandbox::User= \
        -o Dir::State="$work/state" -o Dir::State::status="$work/status" \
        -o Dir::Cache="$work/cache" -o Acquire::Retries=1 -o Acquire::http::Timeout=20 "$@"
}

# Static libraries of Debian's sources, in $prefix.
build_from_source() { # PACKAGE...
    here=$(cd "$(dirname -- "$0")" && pwd)
    host=$triplet CC=$triplet-gcc prefix=$work/static sources=$*
    # shellcheck source=scripts/source_libraries.sh
    . "$here/source_libraries.sh"
    build_libraries -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_C_COMPILER="$CC"
}

triplet=$1
libraries=$work/root/usr/lib/$(echo "$triplet" | sed 's/^i686/i386/')
apt update || true # sources without packages for it do not matter
if (cd "$work" && apt download libjansson-dev libjansson4 libltdl-dev libltdl7 libcmocka-dev libcmocka0 \
    libvulkan-dev libvulkan1); then
    for package in "$work"/*.deb; do
        dpkg-deb -x "$package" "$work/root"
    done
    # Programs for 32-bit x86 are linked statically, as far as that goes, so that qemu-i386 can run them;
    # of cmocka Debian has no static library.
    if [ "$architecture" = i386 ]; then
        build_from_source cmocka
        rm "$libraries"/*.so*
        cp "$prefix/lib/libcmocka.a" "$libraries/"
    fi
else # Debian 12 knows no riscv64
    build_from_source jansson libtool cmocka
    mkdir -p "$libraries"
    cp -R "$prefix/include" "$work/root/usr/"
    cp -R "$prefix"/lib/*.a "$prefix/lib/pkgconfig" "$libraries/"
    sed -i "s|^prefix=.*|prefix=/usr|; s|^libdir=.*|libdir=/usr/lib/$triplet|; s|$prefix|/usr|g" \
        "$libraries"/pkgconfig/*.pc
fi
mv "$work/root" "$2"
