# SPDX-License-Identifier: BSD-2-Clause-Patent
# Completion of vmaf-tune for bash. The program says what it has.

# What stands behind an option $2 of the command $1: words, or "file" or "any"; nothing behind flags.
_vmaf_tune_value()
{
    command vmaf-tune --options "$1" 2>/dev/null | awk -F '\t' -v option="$2" '
        function has(names, i, n, name) {
            n = split(names, name, "|")
            for (i = 1; i <= n; i++)
                if ("--" name[i] == option)
                    return 1
            return 0
        }
        $2 != "" && $5 != "" && ("-" $3 == option || has($4)) {
            gsub(/\|/, " ", $5)
            print $6 == "words" ? $5 : $6 == "file" || $5 ~ /^(FILE|FOLDER|PROGRAM)$/ ? "file" : "any"
            exit
        }'
}

_vmaf_tune_names()
{
    if [[ $1 ]]; then
        command vmaf-tune --options "$1" 2>/dev/null | awk -F '\t' '
            $2 != "" { split($4, name, "|"); print "--" name[1] }
            $3 != "" { print "-" $3 }
            END { print "--help" }'
    else
        command vmaf-tune --options 2>/dev/null | awk -F '\t' '
            $2 == "" { gsub(/\|/, "\n", $4); print $1; if ($4 != "") print $4 }
            END { print "--help\n--version" }'
    fi
}

_vmaf_tune()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words
    if [[ $current == = ]]; then
        current=
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        words=$(_vmaf_tune_names '')
    elif [[ $previous == --help ]]; then
        words='all search source scoring work encoding'
    elif [[ $previous == -* ]] && words=$(_vmaf_tune_value "${COMP_WORDS[1]}" "$previous") && [[ $words ]]; then
        [[ $words == any || $words == file ]] && words=
    elif [[ $current == -* ]]; then
        words=$(_vmaf_tune_names "${COMP_WORDS[1]}")
    fi
    [[ $words ]] || return 0
    compopt +o default +o bashdefault 2>/dev/null
    local IFS=$' \t\n'
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o bashdefault -o default -F _vmaf_tune vmaf-tune
