#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The manual page of vmaf-tune is the one that its options make, and has them all: manual.sh VMAF_TUNE SOURCE
set -eu
program=$1
page=$2/docs/vmaf-tune.1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sh "$2/scripts/tune_manual.sh" "$program" "$page" >"$folder/page"
cmp "$folder/page" "$page" || {
    echo "scripts/tune_manual.sh makes another page: run it" >&2
    exit 1
}

# Another way: each name that help prints stands on the page.
for command in $("$program" --options | awk -F '\t' '$2 == "" { print $1 }'); do
    "$program" "$command" --help all
done | sed -n 's/^  \(-., \)\{0,1\}--\([a-z0-9_-]*\).*/\2/p' | sort -u >"$folder/names"
[ "$(wc -l <"$folder/names")" -gt 60 ]
while read -r name; do
    grep -q "Fl Fl $name\\( \\|\$\\)" "$page" || {
        echo "the page has no --$name" >&2
        exit 1
    }
done <"$folder/names"
