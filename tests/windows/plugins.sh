#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Plugins under Wine: the emulated device computes what the processor does, and those that crash or hang
# do so in the helper alone.
#   plugins.sh <source folder> <build folder>
set -eu
. "$(dirname -- "$0")/tools.sh"
program=$build/bin/vmaf.exe
[ -e "$build/backends/libvmaf-backend-emulator.dll" ] || skip "windows-all has not built the plugins"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A path with characters of no code page; the loader of modules is libltdl.
mkdir "$work/plugïns"
cp "$build"/backends/*.dll "$work/plugïns/"
export VMAF_BACKEND_PATH="Z:$work/plugïns"
cd "$work"
"$wine" "$build/bin/synth.exe" --scene texture --size 320x180 --frames 4 --output ref.y4m
"$wine" "$build/bin/synth.exe" --scene texture --size 320x180 --frames 4 --distortion blur --output dist.y4m

"$wine" "$program" --capabilities -o capabilities.json || { echo "no capabilities"; exit 1; }
python3 - <<'END'
import json
backends = {b["name"]: b for b in json.load(open("capabilities.json"))["backends"]}
print({name: (b.get("state"), b.get("reason")) for name, b in backends.items()})
def words(name):
    return json.dumps(backends[name])
assert "usable" in words("emulator"), words("emulator")
assert "SIGSEGV" in words("crashes"), words("crashes")
assert "time" in words("hangs"), words("hangs")
END
for backend in cpu emulator; do
    "$wine" "$program" -q -r ref.y4m -d dist.y4m --backend $backend --json -o $backend.json --precision max \
        --feature psnr --feature float_ssim
done
python3 - <<'END'
import json
cpu, device = (json.load(open(name + ".json")) for name in ("cpu", "emulator"))
assert cpu["frames"] == device["frames"]
assert "emulator" in json.dumps(device.get("placement", device)), "the device has done nothing"
END
