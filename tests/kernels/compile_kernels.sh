#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Compiles kernels for one target, and prints which ones failed. As PTX, the state of a lane has to
# be in registers: clang puts arrays into memory if it sees too late that their indices are constant.
#   compile_kernels.sh compile.sh TARGET FOLDER KERNEL.c ...
set -u
compiler=$1 target=$2 folder=$3
shift 3
mkdir -p "$folder"
status=0
for kernel in "$@"; do
    output=$folder/$(basename "$kernel" .c).$target
    sh "$compiler" "$target" "$kernel" "$output" || {
        echo "$kernel does not compile for $target"
        status=1
        continue
    }
    if [ "$target" = ptx ] && grep -q __local_depot "$output"; then
        echo "$kernel keeps the state of a lane in memory"
        status=1
    fi
done
exit $status
