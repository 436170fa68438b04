#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The version has one source, include/libvmaf/version.h: the build and the program have it from there,
# and nobody else writes it down, except the list of changes, whose first entry is about it.
#   version.sh <source folder> <version of the build> [<program>]
set -eu
cd "$1"
build=$2
program=${3:-}
status=0
fail() {
    echo "version.sh: $*" >&2
    status=1
}

version=$(sed -n 's/^#define VMAF_API_VERSION_.* //p' include/libvmaf/version.h | paste -s -d .)
echo "$version" | grep -qxE '[0-9]+\.[0-9]+\.[0-9]+' || fail "version.h says '$version'"
[ "$build" = "$version" ] || fail "the build is version $build, version.h says $version"
[ -z "$program" ] || [ "$("$program" --version 2>&1)" = "$version" ] ||
    fail "the program is version $("$program" --version 2>&1)"
newest=$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)
[ "$newest" = "$version" ] || fail "the first entry of CHANGELOG.md is about '$newest'"

# Copies that nobody would think of; tests/unit/test_report.c has an example of a report.
pattern=$(echo "$version" | sed 's/\./\\./g')
if grep -rnE "(^|[^0-9.])$pattern([^0-9.]|$)" --include='*.[ch]' --include='*.txt' --include='*.cmake' \
    --include='*.in' --include='*.sh' --include='*.md' --include='*.py' --include='*.yml' \
    CMakeLists.txt README.md bench cli cmake docs include packaging plugins scripts src tests tools |
    grep -v '^tests/unit/test_report\.c:'; then
    fail "copies of the version"
fi
exit $status
