#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The pages of docs/metrics against the program: one for each feature, with an option table that has
# the same names, ranges and defaults. Usage: docs_options.sh VMAF FOLDER
set -eu
vmaf=$1
pages=$2

"$vmaf" --list-features | awk -v pages="$pages" '
# Pages that describe several extractors.
function page_of(extractor) {
    if (extractor ~ /^speed_/)
        return pages "/speed.md"
    return pages "/" extractor ".md"
}

# Rows of the table whose header begins with "option", by the names in their first cell.
function read_page(file,    line, cell, n, i, names, in_table, at) {
    if (file in read)
        return
    read[file] = 1
    while ((getline line < file) > 0) {
        n = split(line, cell, /[ ]*\|[ ]*/)
        if (cell[2] == "option") {
            in_table = 1
            for (i in cell)
                if (cell[i] == "values" || cell[i] == "default")
                    at[cell[i]] = i
        } else if (line !~ /^\|/) {
            in_table = 0
        } else if (in_table && line !~ /^\|---/) {
            names = split(cell[2], name, /[`, .]+/)
            for (i = 2; i < names; i++) {
                values[file, name[i]] = cell[at["values"]]
                defaults[file, name[i]] = cell[at["default"]]
                alone[file, name[i]] = names == 3
                documented[file, name[i]] = 1
            }
        }
    }
}

function complain(text) {
    print text
    bad = 1
}

/^[a-z]/ && /: / && !/^Under/ {
    extractor = substr($1, 1, length($1) - 1)
    if (extractor != "null" && (getline heading < page_of(extractor)) < 0)
        complain("no page " page_of(extractor))
}

/^    / {
    file = page_of(extractor)
    read_page(file)
    option = $1
    seen[file, option] = 1
    if (!((file, option) in documented)) {
        complain(file ": no row for option " option)
        next
    }
    options++
    if ($2 == "bool" && values[file, option] != "true, false")
        complain(file ": values of " option " are true and false")
    if ($2 == "bool" && index(defaults[file, option], $3) == 0)
        complain(file ": default of " option " is " $3)
    if (($2 == "int" || $2 == "number") && values[file, option] ~ /^-?[0-9.]+ to [0-9.]+$/) {
        range = $0
        sub(/.*\(/, "", range)
        sub(/\)$/, "", range)
        if (range != values[file, option])
            complain(file ": range of " option " is " range)
        if (defaults[file, option] ~ /^[0-9.-]+$/ && defaults[file, option] != $3)
            complain(file ": default of " option " is " $3)
    }
}

END {
    for (row in documented)
        if (!(row in seen)) {
            split(row, part, SUBSEP)
            complain(part[1] ": there is no option " part[2])
        }
    if (options < 50)
        complain("only " options + 0 " options were compared")
    exit bad
}'
