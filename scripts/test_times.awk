# SPDX-License-Identifier: BSD-2-Clause-Patent
# Prints the processor time of a build, of each test and of each label, for build/test-times.tsv:
#
#     awk -v build=NAME -f test_times.awk LABELS TIMES...
#
# LABELS is what CTest's own files say. A file of times is named after its test, "configuring" or "building"; its
# second line is what the shell's `times` prints of a command: user and system time. Columns: build, what, name,
# seconds of processor time, labels.

function seconds(time) { # 1m2.5s
    split(time, parts, /[ms]/)
    return parts[1] * 60 + parts[2]
}

FILENAME == ARGV[1] {
    if (match($0, /^set_tests_properties\(\[=\[.*\]=\] /) && / LABELS "/) {
        name = substr($0, 25, RLENGTH - 28)
        sub(/.* LABELS "/, "")
        sub(/".*/, "")
        labels[name] = $0
    }
    next
}

FNR == 2 {
    name = FILENAME
    sub(/.*\//, "", name)
    spent = seconds($1) + seconds($2)
    printf "%s\t%s\t%s\t%.2f\t%s\n", build, name ~ /^(configur|build)ing$/ ? "build" : "test", name, spent, labels[name]
    count = split(labels[name], each, ";")
    for (i = 1; i <= count; i++)
        total[each[i]] += spent
}

END {
    for (label in total)
        printf "%s\tlabel\t%s\t%.2f\t\n", build, label, total[label]
}
