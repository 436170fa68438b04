#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# An installation that was moved as a whole finds its helper program and its plugins, and nothing of
# it knows where it was built.
#   relocated.sh <build folder> <prefix> <libdir> <bindir> <plugin> <its name>
set -eu
build=$1
prefix=$2
libdir=$3
bindir=$4
plugin=$5
name=$6
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset VMAF_BACKEND_PATH VMAF_BACKEND_PROBE
export XDG_CACHE_HOME="$folder/cache"

for component in core cli; do
    DESTDIR="$folder/staged" cmake --install "$build" --component $component >/dev/null
done
mv "$folder/staged$prefix" "$folder/moved"
cd "$folder/moved"

plugins=$libdir/libvmaf/backends1
mkdir -p "$plugins"
install -m 644 "$plugin" "$plugins/"

fail() {
    echo "relocated.sh: $*" >&2
    exit 1
}
# The system's own libraries are found by the system.
[ "$prefix" = /usr ] || "$bindir/vmaf" --version 2>"$folder/log" || fail "$(cat "$folder/log")"
# Called in three ways, since a program does not always know its own path.
export LD_LIBRARY_PATH="$PWD/$libdir"
PATH=$PWD/$bindir:$PATH vmaf --list-backends >"$folder/by-name"
"$bindir/vmaf" --list-backends >"$folder/by-path"
ln -s "$PWD/$bindir/vmaf" "$folder/link"
"$folder/link" --list-backends >"$folder/by-link"
for way in by-name by-path by-link; do
    grep -q "^$name  *usable" "$folder/$way" || fail "$way: $(cat "$folder/$way")"
done

rm "$plugins/libvmaf-backend-$name.so"
"$bindir/vmaf" --list-backends >"$folder/removed"
if grep -q "^$name " "$folder/removed"; then
    fail "still listed: $(cat "$folder/removed")"
fi

for file in $(find . -type f); do
    if grep -qaF "$build" "$file"; then
        fail "$file contains the path of the build"
    fi
done
