#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Plugins under Wine that crash or hang while they are loaded do so in the helper alone, and are never
# loaded by the program.
#   plugins.sh <source folder> <build folder>
set -eu
. "$(dirname -- "$0")/tools.sh"
want_wine "$build/wine"
program=$build/bin/vmaf.exe
[ -e "$build/backends/libvmaf-backend-crashes.dll" ] || skip "windows-platform has not built the plugins"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A path with characters of no code page; the loader of modules is libltdl.
mkdir "$work/plugïns"
cp "$build"/backends/libvmaf-backend-crashes.dll "$build"/backends/libvmaf-backend-hangs.dll "$work/plugïns/"
export VMAF_BACKEND_PATH="C:\\nothing;Z:$work/plugïns"
cd "$work"
{
    printf 'YUV4MPEG2 W64 H64 F25:1 C420\nFRAME\n'
    head -c 6144 /dev/zero | tr '\0' 'x'
} >pair.y4m

"$wine" "$program" --capabilities -o capabilities.json || { echo "no capabilities"; exit 1; }
python3 - <<'END'
import json
backends = {b["name"]: b for b in json.load(open("capabilities.json"))["backends"]}
print({name: (b.get("state"), b.get("reason")) for name, b in backends.items()})
def words(name):
    return json.dumps(backends[name])
assert "SIGSEGV" in words("crashes"), words("crashes")
assert "time" in words("hangs"), words("hangs")
END

# They cost a run nothing, unless they were asked for by name.
"$wine" "$program" -q -r pair.y4m -d pair.y4m --no_prediction --feature psnr --json -o auto.json
grep -q psnr_y auto.json || { echo "there are no scores"; exit 1; }
for backend in crashes hangs absent; do
    status=0
    "$wine" "$program" -q -r pair.y4m -d pair.y4m --no_prediction --feature psnr --backend $backend \
        --json -o $backend.json 2>messages || status=$?
    [ $status -eq 100 ] || { cat messages; echo "$backend: status $status instead of 100"; exit 1; }
    [ ! -e $backend.json ] || { echo "$backend: there is a report"; exit 1; }
done
