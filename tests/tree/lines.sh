#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Lines of documents have at most 120 characters. Rows of tables may be longer.
#   lines.sh <source folder>
set -eu
cd "$1"
# Characters, not bytes: quotations and minus signs have several.
export LC_ALL=C.UTF-8
[ "$(printf '\303\251' | wc -m)" -eq 1 ] || {
    echo "skipped: there is no locale C.UTF-8"
    exit 77
}
found=$(find . -name build -prune -o -name '.?*' -prune -o -name '*.md' -print | sort)
[ "$(echo "$found" | wc -l)" -ge 30 ] || {
    echo "lines.sh: only $(echo "$found" | wc -l) documents were found" >&2
    exit 1
}
# shellcheck disable=SC2086 # no file has a space in its name
if grep -nHE '^.{121}' $found | grep -vE '^[^:]*:[0-9]*:\|'; then
    echo "  ^ longer than 120 characters" >&2
    exit 1
fi
