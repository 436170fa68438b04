#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The plugin needs the machine's driver, finds it nowhere but where the system looks, and binds all
# of it when it is loaded.
#   linkage.sh <plugin>
set -eu
command -v readelf >/dev/null || { echo "readelf is not installed"; exit 77; }
head=$(LC_ALL=C readelf -d "$1")
fail() {
    printf '%s: %s\n%s\n' "$1" "$2" "$head" >&2
    exit 1
}
case $head in *"[libcuda.so.1]"*) ;; *) fail "$1" "does not need the driver" ;; esac
case $head in *RPATH* | *RUNPATH*) fail "$1" "has a search path of its own" ;; esac
case $head in *NOW*) ;; *) fail "$1" "binds symbols at first use" ;; esac
