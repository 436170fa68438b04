#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Gets the libraries that a build for 64-bit Arm needs, on a Debian system of any architecture:
#
#     scripts/aarch64_root.sh build/aarch64-root
#
# Downloads their packages from the system's own sources, and unpacks them into the folder. Nothing
# is installed, no setting of the system is changed, and no privileges are needed.
set -eu

[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
[ ! -e "$1" ] || { echo "$1 exists" >&2; exit 2; }
mkdir -p "$(dirname -- "$1")"
work=$(cd "$(dirname -- "$1")" && mktemp -d "$PWD/aarch64-root.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/root"
: >"$work/status"

# apt with its own lists, cache and record of installed packages, for another architecture.
apt() {
    apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User= \
        -o Dir::State="$work/state" -o Dir::State::status="$work/status" \
        -o Dir::Cache="$work/cache" -o Acquire::Retries=1 -o Acquire::http::Timeout=20 "$@"
}

apt update || true # sources without packages for 64-bit Arm do not matter
(cd "$work" && apt download libjansson-dev libjansson4 libltdl-dev libltdl7 libcmocka-dev libcmocka0 \
    libvulkan-dev libvulkan1)
for package in "$work"/*.deb; do
    dpkg-deb -x "$package" "$work/root"
done
mv "$work/root" "$1"
