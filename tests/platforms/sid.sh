#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds vmaf-tune in Debian unstable, whose compiler, FFmpeg and encoders are newer, and runs tests of what these have
# and those of this system may not: quarters of the CRF of SVT-AV1, since 4.0.
#   sid.sh <source folder> <folder>
# It takes root, debootstrap and the net. The root and the build stay in the folder from one run to the next.
set -eu
source=$1
folder=$2
root=$folder/root

skip() {
    echo "skipped: $*"
    exit 77
}
[ "$(id -u)" = 0 ] || skip "only root can make a root"
for tool in debootstrap unshare chroot; do
    command -v $tool >/dev/null || skip "$tool is not there"
done
unshare --mount true 2>/dev/null || skip "nothing can be mounted here"
mkdir -p "$folder"

# In a namespace of its own, so that no mount outlives it.
in_root() { # command...
    # shellcheck disable=SC2016 # variables of the inner shell
    unshare --mount --propagation private sh -euc '
        root=$1 source=$2
        shift 2
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mkdir -p "$root/source" "$root/build"
        mount --bind "$source" "$root/source"
        exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin LC_ALL=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive "$@"
    ' sh "$root" "$source" "$@"
}
install_packages() {
    # shellcheck disable=SC2016 # a format of apt
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -m 1 '/debian/*$' ||
        echo http://deb.debian.org/debian)
    rm -rf --one-file-system "$root"
    mkdir -p "$root/etc/dpkg/dpkg.cfg.d"
    # A temporary root need not survive a power cut.
    printf 'force-unsafe-io\npath-exclude=/usr/share/doc/*\npath-exclude=/usr/share/locale/*\n' \
        >"$root/etc/dpkg/dpkg.cfg.d/test"
    timeout 3000 debootstrap --variant=minbase sid "$root" "$mirror" || return 1
    cp /etc/resolv.conf "$root/etc/"
    in_root apt-get install -q -y --no-install-recommends ffmpeg gcc cmake ninja-build pkg-config python3 libjansson-dev \
        libltdl-dev libcmocka-dev zlib1g-dev libavformat-dev libavcodec-dev libavfilter-dev libavutil-dev libswscale-dev
}
if [ ! -e "$folder/made" ]; then
    install_packages >"$folder/log" 2>&1 || skip "there is no root of sid: $(tail -n 1 "$folder/log")"
    : >"$folder/made"
fi

# shellcheck disable=SC2016 # variables of the inner shell
in_root sh -euc '
    cmake -S /source -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release "-DVMAF_WERROR=${VMAF_STRICT:-OFF}" \
        -DVMAF_BACKENDS= "-DVMAF_TEST_KINDS=support;tune" -DVMAF_BUILD_BENCH=OFF
    cmake --build /build --target vmaf_cli vmaf_tune vmaf_media_ffmpeg test_tune_encoders_ffmpeg
    ffmpeg -version | head -n 1
    cd /source/tests/tune
    export PYTHONDONTWRITEBYTECODE=1
    /build/tests/tune/test_tune_encoders_ffmpeg
    for subject in steps deliver; do
        python3 check_encode.py $subject /build/tune/vmaf-tune /build/cli/vmaf
    done
'
