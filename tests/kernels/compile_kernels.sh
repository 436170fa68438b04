#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Compiles kernels for one target, and prints which ones failed.
#   compile_kernels.sh compile.sh TARGET FOLDER KERNEL.c ...
set -u
compiler=$1 target=$2 folder=$3
shift 3
mkdir -p "$folder"
status=0
for kernel in "$@"; do
    sh "$compiler" "$target" "$kernel" "$folder/$(basename "$kernel" .c).$target" || {
        echo "$kernel does not compile for $target"
        status=1
    }
done
exit $status
