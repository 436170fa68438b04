#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Records of one run, answered again in another by a backend that looks at no pixel: equal scores
# prove that everything after the record is done by the core.
#   record_replay.sh <vmaf> <folder of the plugins>
set -eu
vmaf=$1
VMAF_BACKEND_PATH=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
VMAF_TEST_RECORDS=$folder/records
XDG_CACHE_HOME=$folder/cache
VMAF_BACKEND_SPOT_CHECK=0 # what is answered is not what the pictures have
export VMAF_BACKEND_PATH VMAF_TEST_RECORDS XDG_CACHE_HOME VMAF_BACKEND_SPOT_CHECK
fail() {
    echo "record_replay.sh: $*" >&2
    cat "$folder/log" >&2
    exit 1
}

clip() { # file, seed
    yes "$2$2 the quick brown fox jumps over the lazy dog $2" | head -c $((64 * 48 * 3 / 2 * 30)) \
        >"$folder/$1"
}
clip ref.yuv 12
clip dist.yuv 13
score() { # report, backend, distorted file
    "$vmaf" -r "$folder/ref.yuv" -d "$folder/$3" -w 64 -h 48 -p 420 -b 8 --backend "$2" \
        --feature psnr=enable_apsnr=true --feature motion --no_prediction --precision max \
        --feature motion=motion_five_frame_window=true --csv -o "$folder/$1" >"$folder/log" 2>&1
}
score cpu cpu dist.yuv || fail "the CPU fails"
score recorder recorder dist.yuv || fail "the recorder fails"
cmp "$folder/cpu" "$folder/recorder" || fail "the recorder has other scores"
[ "$(wc -l <"$folder/records")" -gt 90 ] || fail "it has not recorded 3 requests of 30 frames"

# The replayer is given other pictures, which cannot change anything.
score replayer replayer ref.yuv || fail "the replayer fails"
cmp "$folder/cpu" "$folder/replayer" || fail "the replayer has other scores"

# And what it answers does matter: a recorded sum is changed in a frame of the run (the last one).
sed '$!b
s/: ../: 7f/' "$folder/records" >"$folder/changed"
cmp -s "$folder/records" "$folder/changed" && fail "the records were not changed"
VMAF_TEST_RECORDS=$folder/changed
score changed replayer ref.yuv || fail "the replayer fails with changed records"
cmp -s "$folder/cpu" "$folder/changed" && fail "a changed record changes no score"
[ "$(wc -l <"$folder/cpu")" -eq "$(wc -l <"$folder/replayer")" ] || fail "frames are missing"
echo "all is well"
