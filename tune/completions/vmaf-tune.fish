# SPDX-License-Identifier: BSD-2-Clause-Patent
# Completion of vmaf-tune for fish. The program says what it has: each option once, with its commands.
command vmaf-tune --options 2>/dev/null | awk -F '\t' '
    function quoted(text) {
        gsub(/\\\\/, "\\\\\\\\", text)
        gsub(/\047/, "\\\\\047", text)
        return "\047" text "\047"
    }
    $2 == "" {
        n = split($1 ($4 == "" ? "" : "|" $4), name, "|")
        for (i = 1; i <= n; i++)
            print "complete -c vmaf-tune -n __fish_is_first_token -f -a " name[i] " -d " quoted($7)
        command = $1 ($4 == "" ? "" : " " $4)
        gsub(/\|/, " ", command)
    }
    $2 != "" {
        split($4, name, "|")
        words = $5
        gsub(/\|/, " ", words)
        takes = $5 == "" ? "" : $6 == "words" ? " -x -a " quoted(words) : \
            $6 == "file" || $5 ~ /^(FILE|FOLDER|PROGRAM)$/ ? " -r -F" : " -x"
        row = ($3 == "" ? "" : " -s " $3) " -l " name[1] takes " -d " quoted($7)
        commands[row] = commands[row] " " command
    }
    END {
        for (row in commands)
            print "complete -c vmaf-tune -n " quoted("__fish_seen_subcommand_from" commands[row]) row
        print "complete -c vmaf-tune -l help -x -a \047all search source scoring work encoding\047 -d \047options\047"
    }' | source
