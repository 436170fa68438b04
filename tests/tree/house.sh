#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# How the tree is cut gets no worse: what tools/house-count counts is at most what house.txt says.
#   house.sh <source folder>
set -eu
cd "$1"
git rev-parse --show-toplevel >/dev/null 2>&1 || {
    echo "skipped: these sources are in no git repository"
    exit 77
}
tools/house-count | awk '
    NR == FNR { if (!/^#/) { n = $1; sub(/^ *[0-9]+ /, ""); most[$0] = n } next }
    { n = $1; sub(/^ *[0-9]+ /, ""); seen += $0 in most }
    $0 in most && n > most[$0] { print n " " $0 ", which is more than " most[$0] ": tools/house-count --list says which"; bad = 1 }
    END { exit bad || seen != 5 }' tests/tree/house.txt - >&2
