# SPDX-License-Identifier: BSD-2-Clause-Patent
# Sourced by gpu-check.sh: the report, one JSON document that can be sent to others. It holds no name
# of a user or of the machine, no path below a home, and no unique number of a device.
# shellcheck shell=sh
# shellcheck disable=SC2154 # from gpu-check.sh

# A report that cannot be written is no surprise after ten minutes.
prepare_report() {
    (: >>"$document") 2>/dev/null || die 255 "$document cannot be written (--report names another file)"
    document=$(CDPATH='' cd -- "$(dirname -- "$document")" && pwd)/${document##*/}
}

# Lines to members of an array.
listed() { # file
    sed '$!s/$/,/' "$1"
}

describe_backend() {
    version=$(printf '%s' "$line" | cut -f 6)
    kind=$(printf '%s' "$line" | cut -f 4)
    printf '{"name":%s,"plugin":%s,"version":%s,"device":%s,"number":%s,"kind":%s,"driver":%s}\n' \
        "$(quoted "$backend")" "$(quoted "${plugin##*/}")" "$(quoted "$version")" \
        "$(quoted "$device_name")" "$number" "$(quoted "$kind")" "$(quoted "$driver")"
}

list_unavailable() {
    awk -F '\t' -v OFS='\t' '$2 == "-" { print $1, $3 }' "$work/devices" |
        while IFS='	' read -r name reason; do
            printf '{"name":%s,"reason":%s}\n' "$(quoted "$name")" "$(quoted "$reason")"
        done
}

# The system: its kind and version, never its name.
describe_system() {
    distribution=$(sed -n 's/^PRETTY_NAME=//p' /etc/os-release 2>/dev/null | tr -d '"' | head -n 1)
    memory=$(awk '/^MemTotal:/ { printf "%d", $2 / 1024 }' /proc/meminfo 2>/dev/null)
    printf '{"kernel":%s,"distribution":%s,"processor":%s,"cores":%s,"memory_mib":%s}' \
        "$(quoted "$(uname -srm)")" "$(quoted "$distribution")" "$(quoted "$processor")" "$cores" \
        "${memory:-null}"
}

anonymous() {
    USER_NAME=$(id -un 2>/dev/null) USER_HOME=$caller_home HOST_NAME=$(uname -n) WORK_FOLDER=$work \
        awk -f "$here/gpu_check_anonymous.awk"
}

# Bytes that are no text in UTF-8 would make the document unreadable.
only_utf8() {
    if command -v iconv >/dev/null; then
        iconv -c -f UTF-8 -t UTF-8
    else
        cat
    fi
}

write_report() { # status, what was the matter if nothing was checked
    : >"$work/about"
    [ ! -s "$work/chosen" ] || each_backend describe_backend >"$work/about"
    list_unavailable >"$work/unavailable"
    {
        printf '{"report":"gpu-check","format":1,"version":%s,"status":%s,"problem":%s,\n' \
            "$(quoted "$vmaf_version")" "$1" "$(quoted "$2")"
        printf '"compared":%s,"different":%s,"skipped":%s,"seconds":%s,"minutes":%s,"size":%s,\n' \
            "$compared" "$different" "$skipped" "$(($(now) - started))" "$minutes" "$(quoted "$size")"
        printf '"system":%s,\n"backends":[\n' "$(describe_system)"
        listed "$work/about"
        printf '],\n"unavailable":[\n'
        listed "$work/unavailable"
        printf '],\n"rows":[\n'
        grep -v '^{"row":"summary"' "$work/rows" >"$work/sent"
        listed "$work/sent"
        printf ']}\n'
    } | only_utf8 | anonymous >"$work/report"
    cp "$work/report" "$document" || die 255 "$document cannot be written"
    say "Report to send: $document"
}
