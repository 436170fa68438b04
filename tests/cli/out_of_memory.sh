#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The program, and the helper that it starts, when an allocation fails: for every number n the n-th
# of each process, or with a step above 1 for every so many numbers. A run ends as if nothing had been, or with a status that is documented and a
# message that says what was wrong; it never crashes, hangs, or leaves half a report.
#   out_of_memory.sh <vmaf> <synth> <failing_malloc_preload> <folder of the example backend> <mode> [step]
set -u
vmaf=$1
synth=$2
preload=$3
backends=$4
mode=$5
step=${6:-1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
VMAF_BACKEND_PATH=$backends
XDG_CACHE_HOME=$folder/cache
export VMAF_BACKEND_PATH XDG_CACHE_HOME
"$synth" --scene texture --distortion identical --size 64x48 --format 420 --depth 8 --frames 3 --output ref.y4m &&
    "$synth" --scene texture --distortion blur --size 64x48 --format 420 --depth 8 --frames 3 --output dist.y4m ||
    exit 1
case $mode in
model) set -- -r ref.y4m -d dist.y4m -q --csv -o report ;;
backend) set -- -r ref.y4m -d dist.y4m -q --csv -o report --backend example -n --feature psnr ;;
auto) set -- -r ref.y4m -d dist.y4m -q --csv -o report -n --feature psnr ;;
live) set -- -r ref.y4m -d dist.y4m -q --ndjson -o report --require psnr_y.mean'>'1 --feature psnr ;;
list) set -- --list-backends ;;
esac

# Words of the dynamic linker, of libltdl and of pthread_create for the same thing count as well.
words='memory|cannot open shared object file|cannot create shared object descriptor|invalid loader'
words="$words|Resource temporarily unavailable|probe ended early"
bad() {
    echo "allocation $n: $1 (status $status)"
    cat out err
    failures=$((failures + 1))
}

"$vmaf" "$@" >expected_out 2>err || exit 1
[ ! -e report ] || mv report expected_report
n=1
failures=0
while [ "$n" -lt 5000 ]; do
    rm -rf report failed cache
    VMAF_TEST_FAILED=$folder/failed VMAF_TEST_FAIL_AT=$n LD_PRELOAD=$preload \
        timeout 1800 "$vmaf" "$@" >out 2>err
    status=$?
    [ -e failed ] || break
    case $status in
    0)
        if [ -e expected_report ]; then
            cmp -s report expected_report || bad "another report"
        elif ! cmp -s out expected_out; then
            grep -Eq "$words" out err || bad "another output, and nothing says why"
        fi
        ;;
    1 | 100 | 234 | 255)
        grep -Eq "$words" err || bad "it does not say why"
        # A report that is written while frames are scored says that it is not complete. Scores are
        # judged after it.
        if [ "$mode" = live ]; then
            grep -q pooled_metrics report 2>/dev/null && ! grep -q '^--require' err &&
                bad "the report looks complete"
        elif [ -e report ]; then
            bad "there is a report"
        fi
        ;;
    *) bad "it does not end as it should" ;;
    esac
    n=$((n + step))
done
echo "$mode: about $((n - step)) allocations, $failures failures"
[ "$n" -gt 50 ] && [ "$failures" -eq 0 ]
