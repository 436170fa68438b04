#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The example in the documentation does what it says: example.sh <program>
set -eu
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    cat "$folder/out" >&2
    echo "example.sh: $*" >&2
    exit 1
}

"$program" >"$folder/out" || fail "fails with its own clip"
[ "$(grep -c '^frame [0-4]: VMAF [0-9.]*, luma PSNR 42\.[0-9]* dB$' "$folder/out")" -eq 5 ] ||
    fail "does not print five frames"
grep -q '^mean of 5 frames: VMAF 99\.' "$folder/out" || fail "prints no mean"

# Three frames of 64x48 and a part of a fourth one, equal in both files.
frame=$((64 * 48 * 3 / 2))
yes 0123456 | head -c $((3 * frame + 100)) >"$folder/a.yuv"
cp "$folder/a.yuv" "$folder/b.yuv"
"$program" "$folder/a.yuv" "$folder/b.yuv" 64 48 >"$folder/out" || fail "fails with files"
[ "$(grep -c 'luma PSNR 60\.000000 dB$' "$folder/out")" -eq 3 ] || fail "misreads the files"

: >"$folder/b.yuv"
if "$program" "$folder/a.yuv" "$folder/b.yuv" 64 48 >"$folder/out" 2>&1; then
    fail "accepts a file without frames"
fi
grep -q 'there are no frames' "$folder/out" || fail "does not say that there are no frames"
if "$program" "$folder/a.yuv" "$folder/c.yuv" 64 48 >"$folder/out" 2>&1; then
    fail "accepts a file that does not exist"
fi
