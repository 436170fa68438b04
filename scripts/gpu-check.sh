#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# What a GPU computes and how fast it is: `scripts/gpu-check.sh --help`.
# shellcheck disable=SC2317 # functions are called by name
set -u

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# shellcheck source=scripts/gpu_check_build.sh
. "$here/gpu_check_build.sh"
# shellcheck source=scripts/gpu_check_scores.sh
. "$here/gpu_check_scores.sh"
# shellcheck source=scripts/gpu_check_requirements.sh
. "$here/gpu_check_requirements.sh"
# shellcheck source=scripts/gpu_check_report.sh
. "$here/gpu_check_report.sh"
# shellcheck source=scripts/gpu_check_speed.sh
. "$here/gpu_check_speed.sh"

usage="usage: gpu-check.sh [options]

Compares what the GPUs of this machine compute with the CPU, to the last digit, tries their backends
against the rules for plugins, and measures how fast they are. Installs nothing, and writes one report
that can be sent to others: it names no user, no machine and no home.

  --build FOLDER    a build of this tree that exists (default: builds in build/gpu-check; if this script
                    is installed, what is installed with it)
  --backend NAME    check this one; repeatable (default: all that have a hardware device)
  --device N        of these backends (default: the first of a kind that is checked)
  --software        software devices are checked, too
  --feature NAME    this feature alone, without models, and not the rules for plugins; repeatable
  --minutes N       what fits into so many minutes (default 10)
  --size WxH        instead of 1920x1080 and 3840x2160
  --frames N        for each figure, at most (default 1000)
  --report FILE     the report, a JSON document (default gpu-check.json)
  --json FILE       append the lines of JSON of which the report is made
  --prepare FOLDER  check nothing: make a folder with all that is needed, for a machine that has a
                    driver and nothing else; there, start gpu-check.sh in it

Exit status: 0 everything is equal, 1 something differs or fails, 2 there is nothing to check or
nothing was compared, 100 a backend that was asked for is not available, 255 it cannot run.
"

say() {
    printf '%s\n' "$*"
}
die() { # status, message
    status=$1
    shift
    printf 'gpu-check.sh: %s\n' "$*" >&2
    exit "$status"
}
wrong_usage() {
    printf '%s\n' "$1" "$usage" >&2
    exit 255
}

build='' asked='' only='' device='' software=no minutes=10 size='' frames=1000 json='' prepare='' document=gpu-check.json
is_number() { # text, least, most
    case $1 in
    '' | *[!0-9]* | ???????*) return 1 ;;
    esac
    [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]
}
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        printf '%s' "$usage"
        exit 0
        ;;
    --software)
        software=yes
        shift
        continue
        ;;
    --build | --backend | --feature | --device | --minutes | --size | --frames | --json | --report | --prepare)
        [ $# -gt 1 ] || wrong_usage "$1 needs a value"
        ;;
    *) wrong_usage "$1: there is no such option" ;;
    esac
    case $1 in
    --build) build=$2 ;;
    --backend) asked="$asked $2" ;;
    --feature)
        case $2 in
        '' | *[!a-z0-9_]*) wrong_usage "--feature $2" ;;
        esac
        only="$only $2"
        ;;
    --device)
        is_number "$2" 0 63 || wrong_usage "--device $2"
        device=$2
        ;;
    --minutes)
        is_number "$2" 1 1440 || wrong_usage "--minutes $2"
        minutes=$2
        ;;
    --size)
        case $2 in
        *x*) ;;
        *) wrong_usage "--size $2" ;;
        esac
        is_number "${2%%x*}" 32 32766 || wrong_usage "--size $2"
        is_number "${2#*x}" 32 32766 || wrong_usage "--size $2"
        size=$2
        ;;
    --frames)
        is_number "$2" 1 100000 || wrong_usage "--frames $2"
        frames=$2
        ;;
    --json) json=$2 ;;
    --report) document=$2 ;;
    --prepare) prepare=$2 ;;
    esac
    shift 2
done

started=$(date +%s)
total=$((minutes * 60))
work=$(mktemp -d "${TMPDIR:-/tmp}/gpu-check.XXXXXX") || die 255 "there is no room for files in ${TMPDIR:-/tmp}"
trap 'rm -rf "$work"' EXIT
trap 'exit 255' INT TERM HUP
mkdir "$work/clips" "$work/reports" || die 255 "$work cannot be written to"
: >"$work/rows"

if [ -n "$prepare" ]; then
    prepare_folder
    exit 0
fi
find_programs # sets vmaf, bench, checker, synth, tests, plugins, operations
prepare_report
[ -z "$json" ] || (: >>"$json") 2>/dev/null || die 255 "$json cannot be written"

caller_home=${HOME:-}
# Nothing of the user's is changed, and drivers begin with what this run has compiled.
XDG_CACHE_HOME=$work/cache
CUDA_CACHE_PATH=$work/cache/cuda
MESA_SHADER_CACHE_DIR=$work/cache/mesa
__GL_SHADER_DISK_CACHE_PATH=$work/cache/gl
if [ -n "${VMAF_BACKEND_PATH:=$plugins}" ]; then
    export VMAF_BACKEND_PATH
else
    unset VMAF_BACKEND_PATH # the installed ones
fi
TMPDIR=$work
VMAF_BACKEND_SPOT_CHECK=0 # every frame is compared here
LC_ALL=C
export XDG_CACHE_HOME CUDA_CACHE_PATH MESA_SHADER_CACHE_DIR __GL_SHADER_DISK_CACHE_PATH
export VMAF_BACKEND_SPOT_CHECK LC_ALL TMPDIR
unset VMAF_BACKEND VMAF_BACKEND_PROBE
mkdir -p "$work/cache/gl" "$work/cache/mesa" "$work/cache/cuda"

# -- time --

now() {
    date +%s
}
# The phase that begins may last until this share of the time, in percent.
until_percent() {
    phase_end=$((started + total * $1 / 100))
}
left() { # seconds of the phase
    echo $((phase_end - $(now)))
}
# Runs a command for as long as the phase lasts; 124 if it did not finish, or has no time at all.
limited() {
    left_now=$(left)
    [ "$left_now" -gt 0 ] || return 124
    timeout -k 5 "$left_now" "$@"
}

# -- lines of JSON --

quoted() { # text
    printf '"%s"' "$(printf '%s' "$1" | tr -d '\000-\037' | sed 's/[\\"]/\\&/g')"
}
row() { # kind, then members as JSON; about the backend that is being checked
    printf '{"row":"%s","backend":%s,"device":%s,"driver":%s,%s}\n' "$1" "$(quoted "$backend")" \
        "$(quoted "$device_name")" "$(quoted "$driver")" "$2" >>"$work/rows"
}
compared=0 different=0 skipped=0
note_skipped() { # what, why
    say "skipped    $1: $2"
    row skipped "\"what\":$(quoted "$1"),\"reason\":$(quoted "$2")"
    skipped=$((skipped + 1))
}
note_different() { # what, why
    say "DIFFERENT  $1: $2"
    different=$((different + 1))
}

# -- backends --

# From the list that the program prints, a line for each device: name, plugin, number, kind, device,
# version of the plugin, between tabs; for backends that cannot be used: name, "-", and why.
list_devices() {
    awk -v OFS='\t' '
        /^[a-z]/ {
            name = $1
            plugin = ""
            version = $0
            if (!sub(/^.* version /, "", version))
                version = ""
            if ($2 !~ /^usable/) {
                sub(/^[^ ]* *(unavailable(, version [^ :]*)?: )?/, "")
                print name, "-", $0
            }
            next
        }
        /^ +\// { sub(/^ +/, ""); plugin = $0; next }
        /^ +[0-9]+: / && plugin != "" {
            number = $1
            sub(/:$/, "", number)
            sub(/^ +[0-9]+: /, "")
            kind = $0
            sub(/.*\(/, "", kind)
            sub(/[,)].*/, "", kind)
            sub(/ \([^(]*\)$/, "")
            print name, plugin, number, kind, $0, version
        }' "$work/list"
}

# The device of a backend that is checked: a line of list_devices.
choose_device() { # name
    awk -F '\t' -v name="$1" -v wanted="$device" -v software="$software" '
        $1 != name || $2 == "-" { next }
        wanted != "" && $3 != wanted { next }
        $4 == "software" { if (software == "yes" && other == "") other = $0; next }
        { print; found = 1; exit }
        END { if (!found && other != "") print other }' "$work/devices"
}

why_none() { # name
    reason=$(awk -F '\t' -v name="$1" '$1 == name && $2 == "-" { print $3; exit }' "$work/devices")
    if [ -n "$reason" ]; then
        say "$reason"
    elif grep -q "^$1	[^-]" "$work/devices"; then
        say "it has only devices that are not asked for (--software admits those of software)"
    else
        say "there is no such backend"
    fi
}

# The end without any comparison: the report says why.
nothing_to_check() { # status, why
    write_report "$1" "$2"
    die "$1" "$2"
}

vmaf_version=$("$vmaf" --version 2>&1 | head -n 1)
cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
processor=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1)
limit_list=$((total < 120 ? total : 120))
timeout -k 5 "$limit_list" "$vmaf" --list-backends >"$work/list" 2>"$work/log" || {
    cat "$work/log" >&2
    die 255 "the program $vmaf does not work here"
}
list_devices >"$work/devices"
: >"$work/chosen"
if [ -n "$asked" ]; then
    for name in $asked; do
        line=$(choose_device "$name")
        [ -n "$line" ] || nothing_to_check 100 "backend $name is not available: $(why_none "$name")"
        printf '%s\n' "$line" >>"$work/chosen"
    done
else
    cut -f 1 "$work/devices" | awk '!seen[$0]++ && $0 != "cpu"' | while read -r name; do
        line=$(choose_device "$name")
        [ -z "$line" ] || printf '%s\n' "$line" >>"$work/chosen"
    done
    [ -s "$work/chosen" ] || {
        cat "$work/list"
        nothing_to_check 2 "there is no device to check"
    }
fi

# For programs that take features.
wanted_features='' wanted_models=''
for name in $only; do
    wanted_features="$wanted_features --feature $name"
    wanted_models="$wanted_models --model $name"
done

# Runs a function for each backend that is checked, with $backend, $plugin, $number, $device_name.
each_backend() { # function, arguments...
    n_backends=$(wc -l <"$work/chosen")
    place=0
    while [ $place -lt "$n_backends" ]; do
        place=$((place + 1))
        line=$(sed -n "${place}p" "$work/chosen")
        backend=$(printf '%s' "$line" | cut -f 1)
        plugin=$(printf '%s' "$line" | cut -f 2)
        number=$(printf '%s' "$line" | cut -f 3)
        device_name=$(printf '%s' "$line" | cut -f 5)
        driver=$(driver_of)
        "$@"
    done
}
# As the plugin says, found by the first thing that was measured.
driver_of() {
    sed -n "s/^{\"row\":\"[a-z_]*\",\"backend\":\"$backend\",.*\"driver\":\"\([^\"]*\)\",.*/\1/p" \
        "$work/rows" | grep -m 1 .
}

say "$(uname -sm), $cores cores${processor:+ of $processor}; $minutes minutes"
introduce() {
    say "backend $backend, device $number: $device_name"
}
each_backend introduce

# Most important first. What does not fit is skipped with a line that says so.
until_percent 20
each_backend check_self_test
until_percent 40
each_backend check_scores first
until_percent 50
[ -n "$only" ] || each_backend check_requirements
until_percent 65
each_backend measure_speed first
until_percent 77
each_backend check_kernels
until_percent 85
each_backend check_scores rest
until_percent 100
each_backend measure_speed rest

# -- the end --

result=0
[ "$compared" -gt 0 ] || result=2
[ "$different" -eq 0 ] || result=1
# shellcheck disable=SC2034 # of row
backend='' device_name='' driver=''
row summary "\"status\":$result,\"compared\":$compared,\"different\":$different,\"skipped\":$skipped,\"seconds\":$(($(now) - started)),\"version\":$(quoted "$vmaf_version"),\"system\":$(quoted "$(uname -srm)"),\"processor\":$(quoted "$processor"),\"cores\":$cores"
awk -f "$here/gpu_check_tables.awk" "$work/rows"
say ""
cat "$work/rows"
if [ -n "$json" ]; then
    cat "$work/rows" >>"$json" || die 255 "$json cannot be written"
fi
say ""
write_report "$result" ""
case $result in
0) say "All that was compared is equal: $compared comparisons, $skipped skipped." ;;
1) say "$different of $((compared + different)) comparisons differ or failed; $skipped were skipped." ;;
2) say "Nothing was compared; $skipped comparisons were skipped." ;;
esac
exit "$result"
