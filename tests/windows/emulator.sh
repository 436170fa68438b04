#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The emulated device, as a plugin under Wine, computes what the processor does.
#   emulator.sh <source folder> <build folder>
set -eu
. "$(dirname -- "$0")/tools.sh"
want_wine "$build/wine"
program=$build/bin/vmaf.exe
[ -e "$build/backends/libvmaf-backend-emulator.dll" ] || skip "windows-all has not built the plugins"
work=$(windows_folder)
trap 'rm -rf "$work"' EXIT
mkdir "$work/plugïns"
cp "$build/backends/libvmaf-backend-emulator.dll" "$work/plugïns/"
export VMAF_BACKEND_PATH="C:/${work##*/}/plugïns"
cd "$work"
"$wine" "$build/bin/synth.exe" --scene texture --size 320x180 --frames 4 --output ref.y4m
"$wine" "$build/bin/synth.exe" --scene texture --size 320x180 --frames 4 --distortion blur --output dist.y4m

for backend in cpu emulator; do
    "$wine" "$program" -q -r ref.y4m -d dist.y4m --backend $backend --json -o $backend.json --precision max \
        --feature psnr --feature float_ssim --feature ciede
done
python3 - <<'END'
import json
cpu, device = (json.load(open(name + ".json")) for name in ("cpu", "emulator"))
assert cpu["frames"] == device["frames"]
assert "emulator" in json.dumps(device.get("placement", device)), "the device has done nothing"
END
