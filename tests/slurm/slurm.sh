#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Runs of tools/slurm on a real Slurm, which cluster.sh has started: one with a task that is killed and queued again,
# one with a shard that fails for ever, one with wrong options; and the run that makes up for a lost shard.
#   cluster.sh sh slurm.sh <source folder> <vmaf> <synth>
#   cluster.sh sh slurm.sh <source folder> <vmaf> <synth> <frames> <shards>...     only that, with a task that is killed
set -u
source=$1
REAL=$2
synth=$3
export REAL
frames=${4:-60}
shift $(($# < 4 ? 3 : 4))
folder=$(mktemp -d "$CLUSTER/test.XXXXXX")
submit=$source/tools/slurm/vmaf-slurm
failures=0
fail() {
    echo "slurm.sh: $what: $*" >&2
    failures=$((failures + 1))
}

# What is between tasks and the program: it notes attempts, gives shards other numbers of threads, and does to one what
# the test wants.
VMAF="$folder/a vmaf"
export VMAF
cat >"$VMAF" <<'END'
#!/bin/sh
shard=
previous=
for word; do
    [ "$previous" != --shard ] || shard=${word%/*}
    previous=$word
done
[ -z "$shard" ] || echo "$shard ${SLURM_RESTART_COUNT:-0} ${CUDA_VISIBLE_DEVICES:-none}" >>"$ATTEMPTS"
case $SABOTAGE:$shard:${SLURM_RESTART_COUNT:-0} in
"kill $shard:$shard:0")
    "$REAL" "$@" --cpumask 63 --threads 1 &
    # In the middle, if there are many frames: it computes for half a second, and is killed after a tenth of one. It
    # cannot clean up.
    while IFS=" " read -r _ _ state _ _ _ _ _ _ _ _ _ _ ticks _ </proc/$!/stat; do
        [ "$state" != Z ] && [ "$ticks" -lt 10 ] || break
        sleep 0.01
    done 2>/dev/null
    kill -9 $!
    wait $!
    exit 137
    ;;
"fail $shard:$shard:"*) exit 255 ;;
*) exec "$REAL" "$@" ${shard:+--threads $((shard % 4))} ;;
esac
END
chmod +x "$VMAF"
export SABOTAGE='' ATTEMPTS="$folder/attempts"

# Slurm waits for two minutes before it starts a task again. Some seconds have to pass: the permission to run, which it
# takes back when a task is queued again, would not be given anew in the same second, and the task would be lost.
hurry() {
    squeue --noheader --array --states=PENDING --format='%i %r %S' | while read -r job reason start; do
        [ "$reason" != BeginTime ] || [ $(($(date -d "$start" +%s) - $(date +%s))) -lt 20 ] ||
            scontrol update "JobId=$job" StartTime=now+5
    done
}
run() { # arguments of vmaf-slurm: $status, $folder/out; ends with the last job
    : >"$ATTEMPTS"
    "$submit" --wait "$@" >"$folder/out" 2>&1 &
    submitted=$!
    patience=9000
    told=no
    while kill -0 $submitted 2>/dev/null; do
        hurry >/dev/null 2>&1
        grep -q '^merge: job [0-9]' "$folder/out" && told=yes
        sleep 0.2
        patience=$((patience - 1))
        if [ $patience -eq 0 ]; then
            fail "it does not end: $(squeue)"
            kill $submitted
        fi
    done
    status=0
    wait $submitted || status=$?
    merge=$(sed -n 's/^merge: job //p' "$folder/out")
    array=$(sed -n 's/^shards: job \([0-9]*\),.*/\1/p' "$folder/out")
}
attempts_of() { # shard
    grep -c "^$1 " "$ATTEMPTS"
}
expect_attempts() { # number for each shard, from 0
    shard=0
    for expected; do
        [ "$(attempts_of $shard)" -eq "$expected" ] ||
            fail "shard $shard was tried $(attempts_of $shard) times, not $expected"
        shard=$((shard + 1))
    done
}
no_fps() { # report
    sed 's/"fps": [^,]*//; s/ fps="[^"]*"//' "$1"
}
same() { # report, the one of a single run
    [ -s "$1" ] || { fail "there is no $1"; return; }
    no_fps "$2" >"$folder/expected"
    no_fps "$1" | cmp - "$folder/expected" || fail "$1 is another report than that of a single run"
}
finish() {
    [ $failures -eq 0 ] && echo "all is well"
    exit $((failures > 0))
}
diagnose() {
    [ $failures -eq "$1" ] || cat "$folder/out" "$parts"/*.log >&2
}

cd "$folder" || exit 1
for side in identical blur; do
    "$synth" --scene texture --distortion $side --size 640x480 --frames "$frames" --output "it's 100% $side.y4m" || exit 1
done
reference="it's 100% identical.y4m"
distorted="it's 100% blur.y4m"
"$REAL" -r "$reference" -d "$distorted" --feature ciede -o single.json -o single.xml -o single.csv || exit 1

for shards; do
    what="$frames frames in $shards shards"
    before=$failures
    parts="$folder/$shards"
    SABOTAGE="kill $((shards / 2))"
    run --shards "$shards" -o "$shards.json" -o "$shards.xml" --parts "$parts" \
        -- -r "$reference" -d "$distorted" --feature ciede
    [ $status -eq 0 ] || fail "status $status"
    same "$shards.json" single.json
    same "$shards.xml" single.xml
    [ "$(wc -l <"$ATTEMPTS")" -eq $((shards + 1)) ] || fail "$(wc -l <"$ATTEMPTS") attempts"
    diagnose $before
done
[ $# -eq 0 ] || finish

what="a task is killed in the middle"
before=$failures
parts="$folder/it's 50%t of \$HOME"
SABOTAGE="kill 3" # the task that has the number of the array, too
run --shards 4 -o "report one.json" -o "report.xml" -o report.csv --parts "it's 50%t of \$HOME" --gres=gpu:1 \
    --comment="two words" -- -r "$reference" -d "$distorted" --feature ciede
[ $status -eq 0 ] || fail "status $status"
same "report one.json" single.json
same report.xml single.xml
same report.csv single.csv
expect_attempts 1 1 1 2
[ $told = yes ] || fail "the jobs are told when they are over"
grep -q "shard-3-of-4: status 137 on .*; it is queued again, restart 1 of 3" "$parts/shard-3.log" ||
    fail "the log of shard 3 does not say what happened"
[ "$(find "$parts" -name '*.vmafs' | wc -l)" -eq 4 ] || fail "left: $(ls -A "$parts")"
grep -q '^3 . 0$' "$ATTEMPTS" || fail "the tasks have no device: $(cat "$ATTEMPTS")"
scontrol show job "${array}_0" | grep -q 'gpu:1' || fail "the tasks have not asked for a device"
scontrol show job "$merge" | grep -q 'gpu:1' && fail "the merge has asked for a device"
for job in "${array}_0" "$merge"; do
    scontrol show job "$job" | grep -q 'Comment=two words' || fail "job $job lacks an option of sbatch"
done
diagnose $before

what="parts are there already"
run --shards 4 -o again.json --parts "$parts" -- -r "$reference" -d "$distorted"
[ $status -eq 1 ] || fail "status $status"
[ -z "$array$merge" ] || fail "jobs were submitted: $(cat "$folder/out")"

what="a shard fails for ever"
before=$failures
parts="$folder/lost.json.parts"
SABOTAGE="fail 1"
run --shards 3%2 -o lost.json -- -r "$reference" -d "$distorted" --feature ciede
[ $status -ne 0 ] || fail "status 0"
[ ! -e lost.json ] || fail "there is a report"
expect_attempts 1 4 1
scontrol show job "$merge" | grep -q 'JobState=FAILED' || fail "the merge did not fail"
grep -q '^vmaf-slurm: there is no report; shards without a part: 1; logs are in ' "$folder/out" ||
    fail "this does not say which shard: $(cat "$folder/out")"
grep -q 'shard-1-of-3: status 255 after 3 restarts; given up, and there will be no report' "$parts/shard-1.log" ||
    fail "the log does not say so"
diagnose $before

what="a lost shard is made up for"
before=$failures
SABOTAGE=
run --shards 3 -o lost.json --missing -- -r "$reference" -d "$distorted" --feature ciede
[ $status -eq 0 ] || fail "status $status"
expect_attempts 0 1 0
same lost.json single.json
diagnose $before

what="nothing is missing"
run --shards 3 -o merged.json --parts "$parts" --missing -- -r "$reference" -d "$distorted" --feature ciede
[ $status -eq 0 ] || fail "status $status"
[ -z "$array" ] || fail "tasks were submitted"
same merged.json single.json

what="wrong options"
before=$failures
parts="$folder/wrong.json.parts"
run --shards 2 -o wrong.json -- -r "$reference" -d "$distorted" --nonsense
[ $status -ne 0 ] || fail "status 0"
expect_attempts 1 1
[ ! -e wrong.json ] || fail "there is a report"
scontrol show job "$merge" | grep -q 'JobState=FAILED' || fail "the merge did not fail"
grep -q 'the options are wrong' "$parts/shard-0.log" || fail "the log does not say so"
diagnose $before

what="a shard is no part of the others"
before=$failures
parts="$folder/foreign.json.parts"
mkdir "$parts"
cp "$folder/lost.json.parts/shard-1-of-3.vmafs" "$parts/shard-1-of-3.vmafs"
run --shards 3 -o foreign.json --missing -- -r "$reference" -d "$distorted" --feature float_ssim
[ $status -ne 0 ] || fail "status 0"
[ ! -e foreign.json ] || fail "there is a report"
scontrol show job "$merge" | grep -q 'JobState=FAILED' || fail "the merge did not fail"
diagnose $before

finish
