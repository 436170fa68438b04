#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Gets sources of Debian from the archive that the system's packages are from, and unpacks them:
#
#     scripts/debian_source.sh FOLDER PACKAGE...
#
# Nothing is installed, no setting of the system is changed, and no privileges are needed. A package
# whose sources are there already is left alone.
set -eu

[ $# -ge 2 ] || { echo "usage: $0 FOLDER PACKAGE..." >&2; exit 2; }
folder=$1
shift
missing=
for package in "$@"; do
    found=
    for source in "$folder/$package"-*/; do
        [ ! -d "$source" ] || found=1
    done
    [ -n "$found" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

mkdir -p "$folder"
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/sources"
# The lines of the system, for sources instead of packages.
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -f "$list" ] || sed -n 's/^deb /deb-src /p' "$list"
done >"$state/sources/system.list"
for list in /etc/apt/sources.list.d/*.sources; do
    [ ! -f "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" >"$state/sources/$(basename "$list")"
done
apt() {
    apt-get -q -o APT::Sandbox::User= -o Dir::State::Lists="$state/lists" -o Dir::Cache="$state/cache" \
        -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$state/sources" \
        -o Acquire::Retries=1 -o Acquire::http::Timeout=20 "$@"
}
apt update
# shellcheck disable=SC2086 # a list of words
(cd "$folder" && apt source $missing)
