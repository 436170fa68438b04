# SPDX-License-Identifier: BSD-2-Clause-Patent
# Sourced by gpu-check.sh: whether a plugin keeps the rules of docs/backend-authors.md, which
# vmaf-backend-check knows, a group of them at a time.
# shellcheck shell=sh
# shellcheck disable=SC2154 # from gpu-check.sh

check_requirements() {
    if [ ! -x "$checker" ]; then
        note_skipped "$backend, requirements" "there is no $checker"
        return
    fi
    for group in $("$checker" --help | sed -n 's/^Groups: *//p'); do
        what="$backend, requirements, $group"
        # A group that hangs is ended; devices of software may need all the time that there is.
        time_limit=300
        [ "$software" = no ] || time_limit=$(($(left) + 60))
        limited "$checker" --time-limit "$time_limit" --device "$number" --only "$group" "$plugin" >"$work/out" 2>"$work/log" </dev/null
        status=$?
        if [ $status -eq 124 ] && [ "$(left)" -le 0 ]; then
            note_skipped "$what" "there is no time left"
            continue
        fi
        outcome=failed
        reason=$({ grep -a -m 1 'requirement' "$work/log" || tail -n 1 "$work/log"; } | sed 's/^ *//')
        if [ $status -eq 0 ] && grep -q "^$group  *ok" "$work/out"; then
            outcome=passed reason=
            say "passed     $what"
            compared=$((compared + 1))
        else
            note_different "$what" "status $status: $reason"
        fi
        row requirements "\"group\":\"$group\",\"outcome\":\"$outcome\",\"reason\":$(quoted "$reason")"
    done
}
