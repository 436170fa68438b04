#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The shared library exports the functions of the public headers and nothing else.
#   exported_symbols.sh <libvmaf.so> <list of symbols> <include folder>
set -eu
library=$1
list=$2
include=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C

grep -v '^#' "$list" | sort >"$folder/expected"

nm -D --defined-only "$library" | awk '{ print $NF }' | sort >"$folder/exported"
diff -u "$folder/expected" "$folder/exported" ||
    { echo "exported symbols (+) differ from the list (-)" >&2; exit 1; }

# A function is declared as "type vmaf_name("; those for other systems only are left out.
sed -n -e '/^#ifdef _WIN32/,/^#endif/d' -e 's/^[a-z][a-z ]*[ *]\(vmaf_[a-z0-9_]*\)(.*/\1/p' "$include"/libvmaf/*.h |
    sort >"$folder/declared"
diff -u "$folder/expected" "$folder/declared" ||
    { echo "functions declared in headers (+) differ from the list (-)" >&2; exit 1; }

dynamic=$(readelf -dW "$library")
expect() {
    echo "$dynamic" | grep -q "$1" || { echo "no $2 in $library" >&2; exit 1; }
}
expect 'SONAME.*\[libvmaf\.so\.3\]' 'soname libvmaf.so.3'
expect 'FLAGS_1.*NODELETE' 'mark against unloading'
if echo "$dynamic" | grep -q TEXTREL; then
    echo "$library has text relocations" >&2
    exit 1
fi
echo "$(wc -l <"$folder/exported") functions are exported"
