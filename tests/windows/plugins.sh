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
work=$(windows_folder)
trap 'rm -rf "$work"' EXIT
cd "$work"
{
    printf 'YUV4MPEG2 W64 H64 F25:1 C420\nFRAME\n'
    head -c 6144 /dev/zero | tr '\0' 'x'
} >pair.y4m

# On a machine that is too busy a helper is late rather than crashed: Wine does not tell what other processes
# consume, so that waiting for them does not end later. What has been found out is remembered for a path.
for attempt in 1 2 3; do
    # With characters of no code page; the loader of modules is libltdl.
    mkdir "plugïns $attempt"
    cp "$build"/backends/libvmaf-backend-crashes.dll "$build"/backends/libvmaf-backend-hangs.dll "plugïns $attempt/"
    export VMAF_BACKEND_PATH="C:\\nothing;C:/${work##*/}/plugïns $attempt"
    "$wine" "$program" --capabilities >capabilities.json || { echo "no capabilities"; exit 1; }
    ! grep -q SIGSEGV capabilities.json || break
done
python3 - <<'END'
import json
document = json.load(open("capabilities.json"))
backends = {b["name"]: b for b in document["backends"]}
print({name: (b.get("state"), b.get("reason")) for name, b in backends.items()})
def words(name):
    return json.dumps(backends[name])
assert document["build"]["os"] == "windows", document["build"]
assert "libvmaf-backend-cuda.dll" in words("cuda"), words("cuda")
assert "SIGSEGV" in words("crashes"), words("crashes")
assert "time" in words("hangs"), words("hangs")
END

# They cost a run nothing, unless they were asked for by name.
"$wine" "$program" -q -r pair.y4m -d pair.y4m --no_prediction --feature psnr --json -o auto.json
grep -q psnr_y auto.json || { echo "there are no scores"; exit 1; }
for backend in crashes hangs cuda; do
    status=0
    "$wine" "$program" -q -r pair.y4m -d pair.y4m --no_prediction --feature psnr --backend $backend \
        --json -o $backend.json 2>messages || status=$?
    [ $status -eq 100 ] || { cat messages; echo "$backend: status $status instead of 100"; exit 1; }
    grep -q '"exit_code": 100' $backend.json || { cat $backend.json; echo "$backend: another document"; exit 1; }
done
