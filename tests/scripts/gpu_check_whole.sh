#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# scripts/gpu-check.sh with all that it compares and measures, which takes minutes in software.
#   gpu_check_whole.sh <source folder> <build folder> <parity plugins>
set -u
source=$1
build=$2
parity=$3
# shellcheck source=tests/scripts/gpu_check_helpers.sh
. "$source/tests/scripts/gpu_check_helpers.sh"
small="--size 64x48 --frames 4"
VMAF_BACKEND_PATH=$parity
export VMAF_BACKEND_PATH

# -- a backend that is right --

# shellcheck disable=SC2086
run 0 "the emulator" --build "$build" --software --backend emulator $small --minutes 60
says '^passed +emulator, self-test, 10 bits'
# All comparisons, none left out.
{
    for subject in vmaf_v0.6.1 features vmaf_v0.6.1neg vmaf_4k_v0.6.1 vmaf_b_v0.6.3 psnr all float; do
        echo "$subject, 64x48, 8 bits, 420"
        echo "$subject, 65x47, 10 bits, 420"
    done
    for subject in all vmaf_v0.6.1 psnr features; do
        echo "$subject, 65x49, 8 bits, 444"
    done
    echo "all, 64x48, 10 bits, 444"
    echo "psnr, 64x48, 10 bits, 444"
    echo "all, 64x48, 8 bits, 422"
    echo "all, 64x48, 8 bits, 420, auto"
    echo "all, 64x48, 10 bits, 420, auto"
} | sort >"$folder/expected"
sed -n 's/^equal  *emulator, //p' "$folder/out" | sort | diff "$folder/expected" - >"$folder/differ" ||
    fail "$what: other comparisons: $(cat "$folder/differ")"
for group in $("$build/plugins/check/vmaf-backend-check" --help | sed -n 's/^Groups: *//p'); do
    says "^passed +emulator, requirements, $group\$"
done
says_not '^DIFFERENT'
says '^\| emulator \| psnr \| 64x48, 10 bits \| backend alone, pictures of the device \| [0-9.]+ \| [0-9.]+ \| 4 \|'
says '^\| emulator \| vmaf_v0.6.1 \| 64x48, 8 bits \| `vif_scale_0_8` \| 1.0 \| [0-9.]+ \| [0-9]+ % \| [0-9.]+ \| [0-9.]+ \| [0-9]+ % \| [0-9]+ \|'
says '^\| emulator \| 64x48, 8 bits \| warm \| [0-9]+\.[0-9]{3} \|'
says '^\| emulator \| vmaf_v0.6.1 \| 64x48, 8 bits \| [0-9]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \|$'
says '^\| emulator \| (within|to|from) \| [0-9.]+ \|$'
grep '^{' "$folder/out" | cmp -s - "$folder/rows" || fail "the file has other lines"

keys self_test 8 width height depth feature outcome reason
keys requirements 14 group outcome reason
keys scores 25 width height depth format subject mode outcome reason
keys speed 50 width height depth path source offered subject chosen on_backend
keys stage 40 subject source stage runs_per_frame ms_per_frame share mb_per_frame gb_per_s of_bandwidth gop_per_s of_issue_rate
keys bandwidth 12 copy gb_per_s
keys opening 2 state opened_s first_record_s
keys auto 2 subject threads fps_auto fps_cpu ratio
keys summary 1 status compared different skipped seconds version system processor cores
keys skipped 1 what reason
if command -v python3 >/dev/null; then
    python3 - "$folder/rows" <<'END' || fail "lines of JSON are wrong"
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
speeds = [row for row in rows if row["row"] == "speed" and row["offered"]]
for row in speeds:
    assert row["fps"] > 0 and row["frames"] == 4 and row["host_cores_per_1000_fps"] > 0, row
    assert abs(row["fps"] * row["ms_per_frame"] - 1000) < 1, row
    if row["path"] == "backend":
        assert 0 < row["latency_p50_ms"] <= row["latency_p90_ms"] <= row["latency_p99_ms"] <= row["latency_max_ms"], row
    if row["path"] == "library" and row["chosen"] == "emulator":
        assert row["on_backend"] and not row["on_cpu"], row
    if row["chosen"] == "cpu":
        assert row["on_cpu"] and not row["on_backend"], row
seen = {(row["subject"], row["depth"]) for row in speeds if row["path"] == "library"}
both = "vmaf_v0.6.1 + vmaf_v0.6.1neg"
assert seen == {(name, depth) for name in ("vmaf_v0.6.1", both, "vmaf_4k_v0.6.1", "vmaf_b_v0.6.3", "psnr")
                for depth in (8, 10)}, seen
for subject, depth in seen:
    shares = [row["share"] for row in rows if row["row"] == "stage" and row["subject"] == subject and row["depth"] == depth]
    assert abs(sum(shares) / (len(shares) and round(sum(shares))) - 1) < 0.01, (subject, depth, shares)
summary = rows[-1]
assert summary["row"] == "summary" and summary["status"] == 0 and summary["different"] == 0, summary
assert summary["compared"] == 2 + sum(row["row"] in ("scores", "requirements") for row in rows), summary
features = [row["feature"] for row in rows if row["row"] == "self_test" and row["depth"] == 8]
assert {"adm", "motion", "psnr", "vif"} <= set(features) and len(set(features)) == len(features), features
END
fi

# -- what the CPU computes in the place of the backend --

make_fake_build
# Scores are equal, and the report admits that psnr is the CPU's.
cat >"$fake/cli/vmaf" <<END
#!/bin/sh
"$build/cli/vmaf" "\$@" || exit
while [ \$# -gt 1 ]; do
    [ "\$1" != --output ] || sed -i 's/{"extractor": "psnr_emulator", "backend": "emulator"}/{"extractor": "psnr", "backend": "cpu"}/' "\$2"
    shift
done
END
# Nothing is measured here.
printf '#!/bin/sh\ncase $* in\n*selftest*) exec "%s" "$@" ;;\nesac\n' "$build/bench/vmaf-backend-bench" \
    >"$fake/bench/vmaf-backend-bench"
chmod +x "$fake/cli/vmaf" "$fake/bench/vmaf-backend-bench"

# A rule for plugins that is broken, as vmaf-backend-check says.
cat >"$fake/plugins/check/vmaf-backend-check" <<'END'
#!/bin/sh
[ "$1" != --help ] || { echo "Groups: one two three" && exit; }
case $* in
*"--device 0 --only one "*) echo "one          ok" && exit ;;
*"--device 0 --only two "*) echo "two          BROKEN" && echo "  requirement 7: nonsense" >&2 && exit 1 ;;
esac
END
chmod +x "$fake/plugins/check/vmaf-backend-check"
# shellcheck disable=SC2086
run 1 "the CPU helps, and a rule is broken" --build "$fake" --software --backend emulator --minutes 60 $small
says '^equal +emulator, vmaf_v0.6.1, 64x48, 8 bits, 420$'
says '^DIFFERENT +emulator, psnr, 64x48, 8 bits, 420: the CPU has computed psnr'
says '^DIFFERENT +emulator, features, 65x47, 10 bits, 420: the CPU has computed psnr'
says '^equal +emulator, all, 64x48, 8 bits, 420, auto$' # where it may help
says '^passed +emulator, requirements, one$'
says '^DIFFERENT +emulator, requirements, two: status 1: *requirement 7: nonsense'
says '^DIFFERENT +emulator, requirements, three: status 0'
grep -q '"row":"requirements".*"group":"two","outcome":"failed","reason":".*requirement 7' "$folder/rows" ||
    fail "$what: no line"

[ "$failures" -eq 0 ] || exit 1
echo "all is well"
