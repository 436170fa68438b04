#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Parts of scripts/gpu-check.sh on their own: which differences of two reports count, and what is taken
# out of the report that is sent.
#   gpu_check_parts.sh <source folder>
# shellcheck disable=SC2034 # variables of the parts
set -u
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
    echo "gpu_check_parts.sh: $*" >&2
    failures=$((failures + 1))
}
# shellcheck source=scripts/gpu_check_scores.sh
. "$source/scripts/gpu_check_scores.sh"

# -- differences --

# Lines that may differ have a mark, which is taken off.
cat >"$work/marked" <<'END'
{
  "version": "3.2",
  "fps": 12.3, #
  "frames": [
    {
      "frameNum": 0,
      "metrics": {
        "psnr_y": 31.5,
        "vmaf": 70.25
      }
    },
    {
      "frameNum": 1,
      "metrics": {
        "psnr_y": 32.5,
        "vmaf": 71.5
      }
    }
  ],
  "pooled_metrics": {
    "psnr_y": {
      "min": 31.5,
      "mean": 32
    }
  },
  "aggregate_metrics": {
  },
  "feature_backends": [ #
    {"extractor": "psnr", "backend": "mine"}, #
    {"extractor": "vif", "backend": "cpu"} #
  ], #
  "backend_events": [], #
  "backend_spot_checks": {"every": 0, "frames": 0, "downloads": 0}, #
  "backend_used": "mine" #
}
END
sed 's/ #$//' "$work/marked" >"$work/report"
scores_of "$work/report" >"$work/said"
[ -z "$(difference "$work/said" "$work/report")" ] || fail "a report differs from itself"
lines=$(wc -l <"$work/report")
tried=0
line=0
while [ $line -lt "$lines" ]; do
    line=$((line + 1))
    for change in 's/\([0-9}{"]\)\(,\{0,1\}\)$/x\1\2/' 's/[0-9]/7/g' d; do
        # The first and the last line of a list belong to how it is found.
        case $(sed -n "${line}p" "$work/marked") in
        *'feature_backends": [ #' | '  ], #') continue ;;
        esac
        sed "$line $change" "$work/report" >"$work/changed"
        ! cmp -s "$work/report" "$work/changed" || continue
        tried=$((tried + 1))
        found=$(difference "$work/said" "$work/changed")
        case $(sed -n "${line}p" "$work/marked"):$found in
        *'#:') ;;
        *'#:'*) fail "line $line counts after $change: $found" ;;
        *:) fail "line $line does not count after $change: $(sed -n "${line}p" "$work/report")" ;;
        esac
    done
done
[ $tried -ge 60 ] || fail "only $tried changes were tried"
# With events, which are a list as well, and without any of that.
sed 's/"backend_events": \[\],/"backend_events": [\n    {"backend": "mine", "frame": 1, "reason": "lost"}\n  ],/' \
    "$work/report" >"$work/changed"
[ -z "$(difference "$work/said" "$work/changed")" ] || fail "events count"
sed -n 's/ #$//;t;p' "$work/marked" | scores_of /dev/stdin | cmp -s - "$work/said" ||
    fail "a report without backends has other scores"
: >"$work/none"
[ "$(difference "$work/none" "$work/none")" = "the CPU has scored no frame" ] || fail "two empty reports are equal"

# -- who has computed --

backend=mine depth=8
cat >"$work/rows" <<'END'
{"row":"self_test","backend":"mine","device":"d","driver":"1","width":64,"height":48,"depth":8,"feature":"vif","outcome":"passed","reason":""}
{"row":"self_test","backend":"mine","device":"d","driver":"1","width":64,"height":48,"depth":8,"feature":"adm","outcome":"declined","reason":""}
{"row":"self_test","backend":"mine","device":"d","driver":"1","width":64,"height":48,"depth":10,"feature":"psnr","outcome":"passed","reason":""}
{"row":"self_test","backend":"other","device":"d","driver":"1","width":64,"height":48,"depth":8,"feature":"motion","outcome":"passed","reason":""}
END
[ "$(features_of mine)" = vif ] || fail "features: $(features_of mine)"
[ "$(on_cpu "$work/report")" = vif ] || fail "the CPU has computed: $(on_cpu "$work/report")"
depth=10
[ -z "$(on_cpu "$work/report")" ] || fail "the CPU has computed: $(on_cpu "$work/report")"
clip=tiny
mkdir -p "$work/taken"
echo 0 >"$work/taken/tiny.psnr"
[ "$(arguments_of features | tr -s ' ')" = "--no_prediction --feature psnr " ] ||
    fail "arguments: $(arguments_of features)"
depth=8 # a picture that is too small for it
echo 139 >"$work/taken/tiny.vif"
[ "$(arguments_of features | tr -s ' ')" = "--no_prediction --feature vif " ] || fail "a crash counts as refusal"
echo 234 >"$work/taken/tiny.vif"
[ "$(arguments_of features | tr -s ' ')" = "--no_prediction " ] || fail "arguments: $(arguments_of features)"

# -- what is not sent --

cleaned() { # JSON
    printf '%s\n' "$1" | USER_NAME=jane USER_HOME=/srv/people/jane/ HOST_NAME=attic.example.org \
        WORK_FOLDER=/tmp/gpu-check.AbCdEf awk -f "$source/scripts/gpu_check_anonymous.awk"
}
becomes() { # JSON, expected
    [ "$(cleaned "$1")" = "$2" ] || fail "$1 becomes $(cleaned "$1")"
}
becomes '{"reason":"/srv/people/jane/x.so: bad"}' '{"reason":"~/x.so: bad"}'
becomes '{"reason":"/home/john/x.so: bad","a":["/Users/joan/y z"]}' '{"reason":"~/x.so: bad","a":["~/y z"]}'
becomes '{"reason":"in /tmp/gpu-check.AbCdEf/log, twice: /tmp/gpu-check.AbCdEf"}' '{"reason":"in TMP/log, twice: TMP"}'
becomes '{"reason":"jane@attic.example.org and attic: jane."}' '{"reason":"(user)@(host) and (host): (user)."}'
becomes '{"reason":"attics of janet, my_jane"}' '{"reason":"attics of janet, my_jane"}'
becomes '{"jane":"jane","attic":[1,"attic"],"x":null}' '{"jane":"jane","attic":[1,"attic"],"x":null}'
becomes '{"reason":"he said \"jane was here\" \\ jane","n":1.5}' '{"reason":"he said \"(user) was here\" \\ (user)","n":1.5}'
becomes '{"is jane":"is jane"}' '{"is jane":"is (user)"}'
becomes '{"a":"","b":"x"},' '{"a":"","b":"x"},'
USER_NAME=root
[ "$(echo '{"a":"the square root of it"}' | USER_NAME=root HOST_NAME=localhost USER_HOME=/ WORK_FOLDER='' \
    awk -f "$source/scripts/gpu_check_anonymous.awk")" = '{"a":"the square root of it"}' ] || fail "root is no name"

[ $failures -eq 0 ] || exit 1
echo "all is well"
