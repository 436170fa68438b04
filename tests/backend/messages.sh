#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# What the program says of a backend that cannot be used, and what it does then: status 100 and the
# error document if the backend was asked for by name; the CPU under auto.
#   messages.sh <vmaf> <folder of hostile plugins>
set -u
vmaf=$1
hostile=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() {
    echo "messages.sh: $*" >&2
    cat "$folder/log" >&2
    failures=$((failures + 1))
}
head -c 9216 /dev/zero >"$folder/a.yuv"
export XDG_CACHE_HOME="$folder"
score() {
    "$vmaf" -r "$folder/a.yuv" -d "$folder/a.yuv" -w 64 -h 48 -p 420 -b 8 --feature psnr \
        --no_prediction --json -o "$folder/report.json" "$@" >"$folder/log" 2>&1
}
expect() { # plugin, what is said
    mkdir -p "$folder/$1"
    cp "$hostile/libvmaf-backend-$1.so" "$folder/$1"
    VMAF_BACKEND_PATH=$folder/$1
    export VMAF_BACKEND_PATH
    rm -f "$folder/report.json"
    score --backend "$1"
    [ $? -eq 100 ] || fail "$1: another status than 100"
    grep -q "$2" "$folder/log" || fail "$1: does not say '$2'"
    grep -q '"exit_code": 100' "$folder/report.json" || fail "$1: there is no error document"
    grep -q "$2" "$folder/report.json" || fail "$1: the error document does not say '$2'"
    score --backend auto || fail "$1: auto does not do without it"
    grep -q '"psnr_y"' "$folder/report.json" || fail "$1: auto has no scores"
    # Devices are opened by a probe, which is not repeated while the cache remembers one.
    XDG_CACHE_HOME="$folder/$1" "$vmaf" --list-backends >"$folder/log" 2>&1
    grep -q "$1 *unavailable.*$2" "$folder/log" || fail "$1: the list does not say '$2'"
}
expect nodriver 'the driver is not loaded'
expect nodevice 'nothing is plugged in'
expect onlyold 'driver 8; old card 0: it needs driver 9? or later'
expect openfails 'the device is on fire'
expect busy 'another process uses it exclusively'
[ "$failures" -eq 0 ] || exit 1
echo "all is well"
