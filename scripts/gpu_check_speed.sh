# SPDX-License-Identifier: BSD-2-Clause-Patent
# Sourced by gpu-check.sh: how fast a backend is. vmaf-backend-bench writes the lines of JSON.
# shellcheck shell=sh
# shellcheck disable=SC2154 # from gpu-check.sh

# The highest clock of the compute units, in MHz, where a tool of the driver or the system tells.
clock_of() {
    case $device_name in
    *NVIDIA*) nvidia-smi --query-gpu=clocks.max.sm --format=csv,noheader,nounits -i "$number" 2>/dev/null ;;
    esac | sed -n '1s/^ *\([0-9][0-9]*\).*/\1/p'
}

# Figures of one size: what to print if it fails, and then arguments of the program.
measure() { # size, depth, what, arguments...
    at="$1, $2 bits"
    figure_size=$1 figure_depth=$2
    what="$backend, $3 at $at"
    shift 3
    set -- "$bench" --plugin "$plugin" --device "$number" --size "$figure_size" \
        --depth "$figure_depth" --frames "$frames" --limit "$minutes" --json "$work/rows" "$@"
    clock=$(clock_of)
    [ -z "$clock" ] || set -- "$@" --clock "$clock"
    [ ! -s "$operations" ] || set -- "$@" --operations "$operations"
    limited "$@" >"$work/out" 2>"$work/log"
    status=$?
    if [ $status -eq 0 ]; then
        say "measured   $what"
    elif [ "$(left)" -le 0 ]; then
        note_skipped "$what" "there is no time left (figures that were ready are in the tables)"
    else
        reason="status $status: $(tail -n 1 "$work/log")"
        note_different "$what" "$reason"
        row failed "\"what\":$(quoted "$what"),\"reason\":$(quoted "$reason")"
    fi
}

# The same for subjects, as far as the backend computes something of them.
measure_subjects() { # size, depth, what, subjects, arguments...
    depth=$2 # of features_of
    chosen=
    for subject in $4; do
        case $subject in
        psnr) needed=psnr ;;
        *) needed='adm|motion|vif' ;;
        esac
        ! features_of "$backend" | grep -qxE "$needed" || chosen="$chosen --subject $subject"
    done
    if [ -z "$chosen" ]; then
        note_skipped "$backend, $3 at $1, $2 bits" "the backend computes none of it"
        return
    fi
    figure_size=$1 what=$3
    shift 4
    # shellcheck disable=SC2086 # several arguments
    measure "$figure_size" "$depth" "$what" $chosen "$@"
}

measure_speed() { # first or rest
    small=${size:-1920x1080} large=${size:-3840x2160}
    models='vmaf_v0.6.1neg vmaf_4k_v0.6.1 vmaf_b_v0.6.3 psnr'
    tables='--table library --table backend --table stages'
    # shellcheck disable=SC2086 # several arguments
    if [ -n "$only" ]; then
        [ "$1" = first ] || return 0
        measure "$small" 8 "the features" $wanted_features $wanted_models --source both $tables
        measure "$large" 10 "the features" $wanted_features $wanted_models --source both $tables
    elif [ "$1" = first ]; then
        measure_subjects "$small" 8 "the default model, starts" vmaf_v0.6.1 --source both \
            --table opening $tables
        measure_subjects "$large" 10 "the default model" vmaf_v0.6.1 --source both $tables
    else
        measure "$small" 8 "auto and the CPU" --subject vmaf_v0.6.1 --table auto --threads "$cores"
        measure_subjects "$small" 8 "other models" "$models" --source both $tables
        measure_subjects "$large" 10 "other models" "$models" --source both $tables
        measure_subjects "$small" 10 "all models" "vmaf_v0.6.1 $models" --source both $tables
        measure_subjects "$large" 8 "all models" "vmaf_v0.6.1 $models" --source both $tables
        measure "$large" 10 "auto and the CPU" --subject vmaf_v0.6.1 --table auto --threads "$cores"
    fi
}
