#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# What a shell completes behind vmaf-tune, asked without a terminal.
#   completion.sh bash|zsh|fish <vmaf-tune> <folder with the installed files> <complete.zsh>
set -eu
shell=$1
vmaf=$2
stubs=$3
ask_zsh=$4
command -v "$shell" >/dev/null || {
    echo "skipped: there is no $shell here"
    exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/home" "$folder/videos"
ln -s "$vmaf" "$folder/bin/vmaf-tune"
PATH=$folder/bin:$PATH
export HOME="$folder/home" XDG_CONFIG_HOME="$folder/home" VMAF_BACKEND_PATH="$folder/none" PATH
cd "$folder"
touch videos/clip.y4m model.json

fail() {
    echo "$*" >&2
    exit 1
}

# Each function prints what is offered at the end of a line, one word in a line.
cat >ask.bash <<'END'
. "$1"
line=${2//=/ = }
read -r -a COMP_WORDS <<<"$line"
[[ $line != *' ' ]] || COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
COMPREPLY=()
_vmaf_tune
[ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
END
offers_bash() {
    bash --norc --noprofile ask.bash "$stubs/vmaf-tune.bash" "$1"
}

offers_fish() {
    fish --no-config -c '
        source $argv[1]
        complete -C $argv[2]
    ' "$stubs/vmaf-tune.fish" "$1" | cut -f 1
}

offers_zsh() {
    zsh -f "$ask_zsh" "$stubs" "$1"
}

ask() { # line
    "offers_$shell" "$1" >offers.txt 2>errors.txt || fail "$shell, '$1': $(cat errors.txt)"
    [ ! -s errors.txt ] || fail "$shell, '$1': $(cat errors.txt)"
}

offered() { # line, word...
    ask "$1"
    line=$1
    shift
    for word in "$@"; do
        grep -qxF -e "$word" offers.txt || fail "$shell, '$line': no '$word' in: $(cat offers.txt)"
    done
}

never_offered() { # line, word
    ask "$1"
    ! grep -qxF -e "$2" offers.txt || fail "$shell, '$1': '$2' is offered"
}

# shellcheck disable=SC2046
set -- $("$vmaf" --options | awk -F '\t' '$2 == "" { print $1 }')
[ $# -gt 15 ] || fail "there are $# commands"
offered 'vmaf-tune ' "$@"
offered 'vmaf-tune sho' shots

# Every option of a command that its help shows, and none of others.
for command in encode bisect bd-rate; do
    # shellcheck disable=SC2046
    set -- $("$vmaf" $command --help all | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z0-9_-]*\).*/\2/p')
    [ $# -gt 10 ] || fail "$command has $# options"
    offered "vmaf-tune $command --" "$@"
done
never_offered 'vmaf-tune encode --' --resolutions
never_offered 'vmaf-tune encode --quality ' model.json
offered 'vmaf-tune encode film.mkv --errors ' stop ignore
if [ "$shell" = bash ]; then
    ask 'vmaf-tune encode --output '
    [ ! -s offers.txt ] || fail "bash, files: $(cat offers.txt)"
    offered 'vmaf-tune encode --errors=' stop ignore
else
    offered 'vmaf-tune encode --output mo' model.json
    offered 'vmaf-tune encode mo' model.json
fi
