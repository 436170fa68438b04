#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Every constant of version 1.0 has its value in the header of the tree, but for the minor version.
#   constants.sh <folder of the frozen headers> <folder of the headers of the tree>
set -eu
defines() {
    sed -n 's|/\*.*||; s/^#define \(VMAF_[A-Z0-9_]*\)[[:space:]]\{1,\}\(.*[^[:space:]]\)[[:space:]]*$/\1 \2/p' "$1" |
        grep -v '^VMAF_BACKEND_ABI_MINOR '
}
status=0
for name in backend.h backend_records.h; do
    defines "$2/$name" | sort >"now.$$"
    defines "$1/$name" | sort >"then.$$"
    [ "$(wc -l <"then.$$")" -ge 10 ] || status=1
    comm -23 "then.$$" "now.$$" >"gone.$$"
    if [ -s "gone.$$" ]; then
        echo "$name no longer has:" >&2
        cat "gone.$$" >&2
        status=1
    fi
    rm -f "now.$$" "then.$$" "gone.$$"
done
exit $status
