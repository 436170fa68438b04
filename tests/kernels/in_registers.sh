#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The state of a lane is in registers: clang puts arrays into memory if it sees too late that their
# indices are constant.
#   in_registers.sh LIBRARY_WITH_PTX
set -eu
[ "$(grep -a -c '^\.visible \.entry ' "$1")" -gt 100 ] || {
    echo "$1 holds no PTX of the kernels"
    exit 1
}
depots=$(grep -a -o '__local_depot[0-9]*' "$1" | sort -u | wc -l)
[ "$depots" -eq 0 ] || {
    grep -a -e '^\.visible \.entry ' -e '\.local .*__local_depot' "$1" | grep -a -B 1 '__local_depot'
    echo "kernels keep the state of a lane in memory"
    exit 1
}
