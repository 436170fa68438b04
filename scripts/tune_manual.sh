#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Prints docs/vmaf-tune.1 anew: its text, with commands and options as the program has them now.
#   scripts/tune_manual.sh build/ci/tune/vmaf-tune docs/vmaf-tune.1 >new.1 && mv new.1 docs/vmaf-tune.1
set -eu
program=$1
page=$2

# Options are explained once, with the commands that have them.
sections() {
    "$program" --options | awk -F '\t' '
    # Backslashes, and what would be a request or a macro.
    function text(words) {
        gsub(/\\/, "\\e", words)
        return words (words ~ /[?]$/ ? "" : ".")
    }
    function flags(letter, names, n, name, i, line) {
        n = split(names, name, "|")
        line = letter == "" ? "" : "Fl " letter " , "
        for (i = 1; i <= n; i++)
            line = line (i > 1 ? " , " : "") "Fl Fl " name[i]
        return line
    }
    function argument(words, kind) {
        if (words == "")
            return ""
        if (kind == "words")
            gsub(/\|/, " | ", words)
        return " Ar " words
    }
    $2 == "" {
        command = $1
        gsub(/\|/, " , ", $4)
        named[++n_commands] = ".It Cm " $1 ($4 == "" ? "" : " , " $4) "\n" text($7)
    }
    $2 != "" {
        row = ".It " flags($3, $4) argument($5, $6) "\n" text($7)
        if (!((row, command) in has))
            owners[row] = owners[row] (owners[row] == "" ? "" : ", ") command
        has[row, command] = 1
        if (owners[row] == command) {
            rows[++n_rows] = row
            group[row] = $2
        }
        count[row]++
    }
    END {
        print ".Sh COMMANDS\n.Bl -tag -width Ds"
        for (i = 1; i <= n_commands; i++)
            print named[i]
        print ".El\n.Sh OPTIONS\nThose of one or a few commands name them.\n.Bl -tag -width Ds"
        for (i = 1; i <= n_rows; i++)
            print rows[i] (count[rows[i]] > n_commands / 2 ? "" : "\n.Pq " owners[rows[i]])
        print ".El"
    }'
}

awk '/^\.\\" Options begin/ { print; exit } { print }' "$page"
sections
awk '/^\.\\" Options end/ { on = 1 } on' "$page"
