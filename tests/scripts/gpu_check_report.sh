#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The report that scripts/gpu-check.sh writes: what is in it, that it is written whatever happens, and
# that it names no user, no machine and no home.
#   gpu_check_report.sh <source folder> <build folder> <folder of test plugins>
set -u
source=$1
build=$2
plugins=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset VMAF_BACKEND VMAF_TEST_HOSTILE
failures=0
fail() {
    echo "gpu_check_report.sh: $what: $*" >&2
    [ ! -e "$folder/out" ] || grep -av "^[{|]" "$folder/out" | tail -n 20 | cut -c 1-200 >&2
    failures=$((failures + 1))
}

# Somebody's account: a home, a name, a machine with a name; plugins and files below the home.
home=$folder/people/jane
mkdir -p "$home/tmp" "$home/plugins" "$folder/bin" "$folder/build/plugins/check"
printf '#!/bin/sh\necho jane\n' >"$folder/bin/id"
# shellcheck disable=SC2016 # text of the script
printf '#!/bin/sh\n[ "$1" != -n ] || { echo attic.example.org; exit; }\nexec %s "$@"\n' "$(command -v uname)" \
    >"$folder/bin/uname"
chmod +x "$folder/bin/id" "$folder/bin/uname"
cp "$plugins/example/libvmaf-backend-example.so" "$home/plugins/"
echo "no library" >"$home/plugins/libvmaf-backend-cuda.so"
for entry in cli bench backends src libexec tests; do
    [ ! -e "$build/$entry" ] || ln -s "$build/$entry" "$folder/build/$entry"
done
cat >"$folder/build/plugins/check/vmaf-backend-check" <<END
#!/bin/sh
[ "\$1" != --help ] || { echo "Groups: talkative" && exit; }
printf '  requirement 3: jane@attic "said" \\\\ \\351 in $home/x, attic.example.org\\n' >&2
exit 1
END
chmod +x "$folder/build/plugins/check/vmaf-backend-check"

run() { # status that is expected, what, arguments...
    expected=$1
    what=$2
    shift 2
    (cd "$home" && env PATH="$folder/bin:$PATH" HOME="$home" TMPDIR="$home/tmp" VMAF_BACKEND_PATH="$home/plugins" \
        sh "$source/scripts/gpu-check.sh" "$@") >"$folder/out" 2>&1 </dev/null
    status=$?
    [ "$status" -eq "$expected" ] || fail "status $status, not $expected"
}
has() { # pattern, what
    grep -q "$1" "$report" || fail "the report has no $2"
}
valid() {
    [ -s "$report" ] || fail "there is no report"
    ! grep -nE 'jane|attic|example\.org|people' "$report" || fail "the report says who has written it"
    command -v python3 >/dev/null || return 0
    python3 - "$report" >"$folder/problem" 2>&1 <<'END' || fail "the report is wrong: $(tail -n 1 "$folder/problem")"
import json, sys
report = json.load(open(sys.argv[1], encoding="utf-8"))
assert report["report"] == "gpu-check" and report["format"] == 1, report
for key, kind in (("version", str), ("status", int), ("problem", str), ("compared", int), ("different", int),
                  ("skipped", int), ("seconds", int), ("minutes", int), ("size", str), ("system", dict),
                  ("backends", list), ("unavailable", list), ("rows", list)):
    assert type(report[key]) is kind, key
for key in ("kernel", "distribution", "processor", "cores", "memory_mib"):
    assert key in report["system"], key
for backend in report["backends"]:
    assert set(backend) == {"name", "plugin", "version", "device", "number", "kind", "driver"}, backend
assert {"name": "sycl", "reason": "there is no libvmaf-backend-sycl.so in the search path"} in report["unavailable"]
if report["status"] in (0, 1):
    by = {}
    for row in report["rows"]:
        by.setdefault(row["row"], []).append(row)
        assert row["backend"] == "example" and row["device"] == "threads of the CPU" and row["driver"] == "1", row
    assert report["backends"][0]["plugin"] == "libvmaf-backend-example.so", report["backends"]
    assert report["backends"][0]["version"] == "1.0" and report["backends"][0]["driver"] == "1", report["backends"]
    assert len(by["self_test"]) == 4 and len(by["scores"]) == 23 and by["speed"], {key: len(by[key]) for key in by}
    equal = sum(row["outcome"] in ("equal", "passed") for row in by["scores"] + by["requirements"])
    wrong = sum(row["outcome"] not in ("equal", "passed") for row in by["scores"] + by["requirements"])
    assert (report["compared"], report["different"]) == (equal + 2, wrong), report
    assert len(by.get("skipped", [])) == report["skipped"], report
END
}

report=$home/gpu-check.json
run 1 "a broken rule" --build "$folder/build" --backend example --software --size 64x48 --frames 4
valid
has '"status":1' status
has '"reason":"requirement 3: (user)@(host) \\"said\\" \\\\ *in ~/x, (host)"' "reason of the broken rule"
has '"name":"cuda","reason":"~/plugins/libvmaf-backend-cuda.so: ' "reason why cuda is not usable"
has '"row":"speed"' speeds
# shellcheck disable=SC2016 # text of the script
printf '#!/bin/sh\n[ "$1" != --help ] || echo "Groups: none"\necho "none   ok"\n' \
    >"$folder/build/plugins/check/vmaf-backend-check"
run 0 "all is well" --build "$folder/build" --backend example --software --size 64x48 --frames 4 \
    --report "$folder/people/report.json" --json "$folder/people/rows"
grep -a '^{' "$folder/out" | cmp -s - "$folder/people/rows" || fail "the lines of JSON are others"
report=$folder/people/report.json
valid
has '"status":0,"problem":"",' status

rm "$report"
# A plugin that loads, and tells its version, but has no device.
cat >"$folder/list" <<'END'
cuda       unavailable, version 1.2.3: there is no GPU
           /usr/lib/libvmaf-backend-cuda.so
END
rm "$folder/build/cli"
mkdir "$folder/build/cli"
printf '#!/bin/sh\ncat "%s"\n' "$folder/list" >"$folder/build/cli/vmaf"
chmod +x "$folder/build/cli/vmaf"
run 100 "no device" --build "$folder/build" --backend cuda --report "$report"
has '"status":100,"problem":"backend cuda is not available: there is no GPU"' problem
has '{"name":"cuda","reason":"there is no GPU"}' "reason why cuda is not usable"
rm "$report" "$folder/build/cli/vmaf"
rmdir "$folder/build/cli"
ln -s "$build/cli" "$folder/build/cli"
run 100 "not usable" --build "$folder/build" --backend cuda --report "$report"
valid
has '"status":100,"problem":"backend cuda is not available: ~/plugins/libvmaf-backend-cuda.so' problem
rm "$home/plugins/libvmaf-backend-example.so" "$report"
run 2 "no device" --build "$folder/build" --report "$report"
valid
has '"status":2,"problem":"there is no device to check"' problem

# Said at once, not after ten minutes.
rm "$folder/people/report.json"
for option in --report --json; do
    run 255 "$option cannot be written" --build "$folder/build" $option "$folder/none/file"
    grep -q "$folder/none/file cannot be written" "$folder/out" || fail "nobody says so"
    [ "$(wc -l <"$folder/out")" -eq 1 ] || fail "that is not the first thing"
done
[ -z "$(ls "$home/tmp")" ] || fail "files remain"
[ "$failures" -eq 0 ] || exit 1
echo "all is well"
