#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# What a shell completes behind vmaf, asked without a terminal.
#   completion.sh bash|zsh|fish <vmaf> <folder with the installed files>
set -eu
shell=$1
vmaf=$2
stubs=$3
here=$(cd "$(dirname "$0")" && pwd)
command -v "$shell" >/dev/null || {
    echo "skipped: there is no $shell here"
    exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/home" "$folder/videos"
ln -s "$vmaf" "$folder/bin/vmaf"
PATH=$folder/bin:$PATH
export HOME="$folder/home" XDG_CONFIG_HOME="$folder/home" VMAF_BACKEND_PATH="$folder/none" PATH
cd "$folder"
touch videos/clip.y4m model.json 'p a clip.y4m'

fail() {
    echo "$*" >&2
    exit 1
}

"$vmaf" --completion "$shell" >script
"$shell" -n script || fail "$shell cannot read its script"

# Each function prints what is offered at the end of a line, one word in a line.
cat >ask.bash <<'END'
. "$1"
COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
function=$(complete -p vmaf 2>/dev/null) || exit 0
function=${function##*-F }
COMPREPLY=()
${function%% *} vmaf
[ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
END
offers_bash() {
    bash --norc --noprofile ask.bash "$stubs/vmaf.bash" "$1"
}

offers_fish() {
    fish --no-config -c '
        source $argv[1]
        complete -C $argv[2]
    ' "$stubs/vmaf.fish" "$1" | cut -f 1
}

offers_zsh() {
    zsh -f "$here/complete.zsh" "$stubs" "$1"
}

ask() { # line
    "offers_$shell" "$1" >offers.txt 2>errors.txt || fail "$shell, '$1': $(cat errors.txt)"
    [ ! -s errors.txt ] || fail "$shell, '$1': $(cat errors.txt)"
}

# offered LINE WORD...: these are among what is offered. Bash replaces only what stands behind the
# last = or :.
offered() {
    ask "$1"
    line=$1
    shift
    for word in "$@"; do
        is_offered "$word" || fail "$shell, '$line': no '$word' in: $(cat offers.txt)"
    done
}

is_offered() { # word, behind $line
    word=$1 typed=${line##* }
    known=${typed%"${typed##*[=:]}"}
    [ "$shell" != bash ] || word=${word#"$known"}
    grep -qxF -e "$word" offers.txt
}

# offered_only LINE WORD...: these and no others
offered_only() {
    offered "$@"
    shift
    [ "$(sort -u offers.txt | wc -l)" -eq $# ] || fail "$shell, '$line': more: $(cat offers.txt)"
}

never_offered() { # line, word
    ask "$1"
    line=$1
    ! is_offered "$2" || fail "$shell, '$1': '$2' is offered"
}

# Every option that help names.
# shellcheck disable=SC2046
set -- $("$vmaf" --help all | sed -n 's/^  \(-., \|    \)\(--[a-z0-9_-]*\).*/\2/p')
[ $# -gt 50 ] || fail "help names $# options"
offered 'vmaf --' "$@"
offered_only 'vmaf --scaler ' bicubic lanczos bilinear spline
offered_only 'vmaf -p ' 420 422 444
offered_only 'vmaf --align=' --align=off --align=check --align=auto --align=strict
offered_only 'vmaf a.y4m b.y4m --align st' strict
offered_only 'vmaf --backend ' auto cpu
offered 'vmaf --pool p1,' p1,median p1,p5

# Models, whatever is joined to them.
if [ "$shell" = fish ]; then
    offered 'vmaf --model ver' version=vmaf_v0.6.1 version=vmaf_b_v0.6.3
else
    offered_only 'vmaf --model ver' version=
fi
never_offered 'vmaf --model path=' version=vmaf_v0.6.1
offered 'vmaf --model version=' version=vmaf_v0.6.1 version=vmaf_b_v0.6.3
offered 'vmaf -m version=vmaf_4' version=vmaf_4k_v0.6.1 version=vmaf_4k_v0.6.1neg
never_offered 'vmaf -m version=vmaf_4' version=vmaf_v0.6.1
offered_only 'vmaf -m version=vmaf_v0.6.1:dis' version=vmaf_v0.6.1:disable_clip
offered 'vmaf --model=name=x:version=vmaf_b' --model=name=x:version=vmaf_b_v0.6.3
offered_only 'vmaf -m version=vmaf_v0.6.1:disable_clip:en' version=vmaf_v0.6.1:disable_clip:enable_transform

offered_only 'vmaf -m au' auto
never_offered 'vmaf -m version=vmaf_v0.6.1:' version=vmaf_v0.6.1:auto

# Features and their options.
offered_only 'vmaf --feature ciede' ciede
offered 'vmaf --feature ps' psnr psnr_hvs
offered 'vmaf --feature psnr=' psnr=enable_chroma=true psnr=min_sse=
offered 'vmaf --feature psnr=min_sse=1:enable_m' psnr=min_sse=1:enable_mse=false
never_offered 'vmaf --feature psnr=' psnr=adm_enhn_gain_limit=

# Files. Bash completes their names by itself where nothing is offered.
if [ "$shell" = bash ]; then
    bash --norc -c '. "$1"; complete -p vmaf' bash "$stubs/vmaf.bash" | grep -q -e '-o default' ||
        fail 'bash does not complete names of files'
    for line in 'vmaf -r ' 'vmaf -m path=' 'vmaf --output ' 'vmaf a.y4m '; do
        ask "$line"
        [ ! -s offers.txt ] || fail "bash, '$line': $(cat offers.txt)"
    done
else
    offered 'vmaf -r mo' model.json
    offered 'vmaf -m path=mo' path=model.json
    offered 'vmaf model.json mo' model.json
    never_offered 'vmaf --threads mo' model.json
fi
offered 'vmaf pro' probe
offered 'vmaf bat' batch
offered 'vmaf batch list --job' --jobs
[ "$shell" != bash ] || offered_only 'vmaf p' probe 'p a clip.y4m'
never_offered 'vmaf a.y4m pro' probe

# A program that is not there, or is older, is no reason for messages.
printf '#!/bin/sh\necho unrecognized >&2\nexit 1\n' >bin/old
chmod +x bin/old
rm bin/vmaf
mv bin/old bin/vmaf
"offers_$shell" 'vmaf --scaler ' >offers.txt 2>errors.txt || :
cat screen >>errors.txt 2>/dev/null || :
grep unrecognized errors.txt && fail "$shell shows messages of the program"
exit 0
