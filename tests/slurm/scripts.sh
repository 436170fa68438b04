#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# tools/slurm without Slurm: sbatch, scontrol, scancel, sleep and vmaf are programs that note how they are called. What
# they do together is tested on a real Slurm (slurm.sh); here is what cannot be provoked there, or takes long.
#   scripts.sh <source folder>
set -u
source=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() {
    echo "scripts.sh: $what: $*" >&2
    failures=$((failures + 1))
}
submit=$source/tools/slurm/vmaf-slurm
task=$source/tools/slurm/vmaf.sbatch
mkdir "$folder/bin" "$folder/work"
cd "$folder/work" || exit 1
PATH=$folder/bin:$PATH
CALLS=$folder/calls
export CALLS
# A line for each call, its words in brackets; status and output are in files.
for name in sbatch scontrol scancel sleep vmaf; do
    cat >"$folder/bin/$name" <<'END'
#!/bin/sh
{ printf %s "${0##*/}" && printf ' [%s]' "$@" && echo; } >>"$CALLS"
previous=
for word; do
    case $previous:$word in
    -o:*.vmafs) echo "a part" >"$word" ;;
    esac
    previous=$word
done
answer=$CALLS.${0##*/}.$(grep -c "^${0##*/} " "$CALLS")
[ ! -e "$answer.out" ] || cat "$answer.out"
[ ! -e "$answer.status" ] || exit "$(cat "$answer.status")"
END
    chmod +x "$folder/bin/$name"
done
answer() { # program, which call, status [output]
    echo "$3" >"$CALLS.$1.$2.status"
    [ $# -lt 4 ] || echo "$4" >"$CALLS.$1.$2.out"
}
try() { # command: $status; calls, and what was said
    : >"$CALLS"
    status=0
    "$@" >"$folder/out" 2>"$folder/err" </dev/null || status=$?
    rm -f "$CALLS".*
}
expect() { # status, calls
    [ $status -eq "$1" ] || fail "status $status, not $1: $(cat "$folder/err")"
    printf %s "${2:+$2
}" | cmp -s - "$CALLS" || fail "calls are
$(cat "$CALLS"), not
$2"
}
says() { # text
    grep -qF -- "$1" "$folder/out" "$folder/err" || fail "it does not say: $1, but $(cat "$folder/out" "$folder/err")"
}
merge_of() { # folder, shards: the words for the parts
    shard=0
    while [ $shard -lt "$2" ]; do
        printf ' [%s/shard-%d-of-%d.vmafs]' "$1" $shard "$2"
        shard=$((shard + 1))
    done
}

# -- a task --
shard() { # task, restarts, words
    i=$1
    restarts=$2
    shift 2
    # Numbers of the job and of the array differ for all tasks but one.
    try env SLURM_JOB_ID=99 SLURM_ARRAY_JOB_ID=42 SLURM_ARRAY_TASK_ID="$i" ${restarts:+SLURM_RESTART_COUNT=$restarts} \
        sh "$task" shard "$@"
}
call_of() { # shard, shards, restarts
    echo "vmaf [-r] [a b] [--feature] [it's \$x *] [--shard] [$1/$2] [-o] [p/.shard-$1-of-$2.42.$3.vmafs]"
}
mkdir p
set -- -r "a b" --feature "it's \$x *"

what="a task succeeds"
shard 7 '' 10 p "$@"
expect 0 "$(call_of 7 10 0)"
[ "$(ls -A p)" = shard-7-of-10.vmafs ] || fail "left: $(ls -A p)"

what="it replaces a part"
echo old >p/shard-7-of-10.vmafs
shard 7 2 10 p "$@"
expect 0 "$(call_of 7 10 2)"
[ "$(cat p/shard-7-of-10.vmafs)" = "a part" ] || fail "it is the old one"

for failure in 3 100 127 137 234 255; do
    for restarts in '' 1 2; do
        what="status $failure, restarts: ${restarts:-0}"
        rm -f p/*
        answer vmaf 1 $failure
        shard 0 "$restarts" 10 p "$@"
        expect $failure "$(call_of 0 10 "${restarts:-0}")
scontrol [requeue] [42_0]
sleep [300]"
        says "shard-0-of-10: status $failure on $(hostname); it is queued again, restart $((${restarts:-0} + 1)) of 3"
        [ -z "$(ls -A p)" ] || fail "left: $(ls -A p)"
    done
    what="status $failure for the last time"
    answer vmaf 1 $failure
    shard 0 3 10 p "$@"
    expect $failure "$(call_of 0 10 3)"
    says "shard-0-of-10: status $failure after 3 restarts; given up, and there will be no merge"
done

what="wrong options"
answer vmaf 1 1
shard 0 '' 10 p "$@"
expect 1 "$(call_of 0 10 0)"
says "shard-0-of-10: the options are wrong"

what="Slurm does not queue it again"
answer vmaf 1 255
answer scontrol 1 1
shard 0 '' 10 p "$@"
expect 255 "$(call_of 0 10 0)
scontrol [requeue] [42_0]"
says "it cannot be queued again, and there will be no merge"

what="the part cannot take its name"
mkdir -p p/shard-0-of-10.vmafs/.shard-0-of-10.42.0.vmafs/x
shard 0 '' 10 p "$@"
expect 1 "$(call_of 0 10 0)"
rm -rf p/*

what="not a task of an array"
try sh "$task" shard 10 p -r a
expect 1 ""
says "it is a task of a job array"
what="something else"
try env SLURM_ARRAY_TASK_ID=1 sh "$task" split 10 p -r a
expect 1 ""
what="too few words"
try env SLURM_ARRAY_TASK_ID=1 sh "$task" shard 10 p
expect 1 ""
says "usage: "

# -- the merge --
what="a merge"
mkdir "q r"
touch "q r/.shard-0-of-3.42.0.vmafs" "q r/.shard-0-of-13.42.0.vmafs" "q r/shard-0-of-3.vmafs"
try sh "$task" merge 3 "q r" -o "a b.json" -o c.xml
expect 0 "vmaf [merge] [-o] [a b.json] [-o] [c.xml]$(merge_of "q r" 3)"
left=$(cd "q r" && echo .sh* *)
[ "$left" = ".shard-0-of-13.42.0.vmafs shard-0-of-3.vmafs" ] || fail "left: $left"
what="a merge fails"
touch "q r/.shard-0-of-3.42.0.vmafs"
answer vmaf 1 234
try sh "$task" merge 3 "q r" -o c.xml
expect 234 "vmaf [merge] [-o] [c.xml]$(merge_of "q r" 3)"
[ -e "q r/.shard-0-of-3.42.0.vmafs" ] || fail "what was left is gone"
what="another program"
try env VMAF=scancel sh "$task" merge 1 p -o c.xml
expect 0 "scancel [merge] [-o] [c.xml]$(merge_of p 1)"

# -- vmaf-slurm --
here=$folder/work
real=$(readlink -f "$task")
array_of() { # folder as logs have it, folder, options of sbatch, list, shards
    echo "sbatch [--parsable] [--output=$1/shard-%a.log]$3 [--array=$4] [$real] [shard] [$5] [$2] [-r] [a b] [--feature]\
 [it's \$x *]"
}
merge_call() { # folder as logs have it, folder, options, shards, reports
    echo "sbatch [--parsable] [--job-name=vmaf-merge] [--output=$1/merge.log]$3 [$real] [merge] [$4] [$2]$5"
}
state="scontrol [--oneliner] [show] [job] [13]"
after=" [--dependency=afterok:12] [--kill-on-invalid-dep=yes]"

what="a run"
answer sbatch 1 0 12
answer sbatch 2 0 13
try "$submit" --shards 3 -o s.json -- "$@"
expect 0 "$(array_of "$here/s.json.parts" "$here/s.json.parts" "" 0,1,2 3)
$(merge_call "$here/s.json.parts" "$here/s.json.parts" "$after" 3 " [-o] [$here/s.json]")"
printf '%s\n' "shards: job 12, 3 tasks, logs in $here/s.json.parts" "merge: job 13" | cmp -s - "$folder/out" ||
    fail "it says $(cat "$folder/out")"

what="options of sbatch, several reports, a folder, a cluster with a name"
ln -s "$submit" "$folder/bin/vmaf-slurm"
answer sbatch 1 0 "12;north"
answer sbatch 2 0 "13;north"
answer scontrol 1 0 "JobId=13 JobName=vmaf-merge JobState=COMPLETED Requeue=1 ExitCode=0:0 RunTime=00:00:02"
try vmaf-slurm --gres=gpu:a100:1 --partition="x y" --gpus-per-task=1 -G1 --mem-per-gpu=1G --shards 2%1 --exclusive \
    --account="\$y" --wait --parts "it's 5%" -o "/a b.json" --merge --precision=max -o c.csv \
    --merge "--require=x y" -- "$@"
both=" [--partition=x y] [--exclusive] [--account=\$y]"
tasks=" [--gres=gpu:a100:1] [--gpus-per-task=1] [-G1] [--mem-per-gpu=1G]"
expect 0 "$(array_of "$here/it's 5%%" "$here/it's 5%" "$both$tasks" 0,1%1 2)
$(merge_call "$here/it's 5%%" "$here/it's 5%" "$both$after [--wait]" 2 " [-o] [/a b.json] [-o] [$here/c.csv] [--precision=max] [--require=x y]")
$state"

what="one shard"
answer sbatch 1 0 12
answer sbatch 2 0 13
try "$submit" --shards 1 --parts one -o /s.json -- "$@"
expect 0 "$(array_of "$here/one" "$here/one" "" 0 1)
$(merge_call "$here/one" "$here/one" "$after" 1 " [-o] [/s.json]")"

what="the first job is refused"
answer sbatch 1 5
try "$submit" --shards 3 -o s.json -- "$@"
expect 5 "$(array_of "$here/s.json.parts" "$here/s.json.parts" "" 0,1,2 3)"

what="the second job is refused"
answer sbatch 1 0 12
answer sbatch 2 5
try "$submit" --shards 3 -o s.json -- "$@"
expect 1 "$(array_of "$here/s.json.parts" "$here/s.json.parts" "" 0,1,2 3)
$(merge_call "$here/s.json.parts" "$here/s.json.parts" "$after" 3 " [-o] [$here/s.json]")
scancel [12]"
says "vmaf-slurm: there is no report; shards without a part: 0,1,2; logs are in $here/s.json.parts"

ends() { # expected status, what Slurm says of the end, and what of the status
    what="the merge ends as \"$2\", $3, while somebody waits"
    answer sbatch 1 0 12
    answer sbatch 2 0 13
    answer scontrol 1 0 "JobId=13 JobName=vmaf-merge JobState=$2 Reason=x Requeue=1 ExitCode=$3 RunTime=00:00:02"
    try "$submit" --shards 3 --wait -o s.json -- -r "a b" --feature "it's \$x *"
    expect "$1" "$(array_of "$here/s.json.parts" "$here/s.json.parts" "" 0,1,2 3)
$(merge_call "$here/s.json.parts" "$here/s.json.parts" "$after [--wait]" 3 " [-o] [$here/s.json]")
$state"
}
for end in "FAILED 234:0" "FAILED 30:0" "CANCELLED 0:0" "TIMEOUT 0:15" "COMPLETED 3:0"; do
    ends 1 "${end% *}" "${end#* }"
    says "vmaf-slurm: there is no report; shards without a part: 0,1,2; logs are in $here/s.json.parts"
done
ends 3 FAILED 3:0
says "vmaf-slurm: a score is not as --require demands: $here/s.json.parts/merge.log"

what="parts are there already"
touch s.json.parts/shard-1-of-3.vmafs
try "$submit" --shards 3 -o s.json -- "$@"
expect 1 ""
says "$here/s.json.parts has parts already: --missing computes the others"

what="some are missing"
answer sbatch 1 0 12
answer sbatch 2 0 13
try "$submit" --shards 3 --missing -o s.json -- "$@"
expect 0 "$(array_of "$here/s.json.parts" "$here/s.json.parts" "" 0,2 3)
$(merge_call "$here/s.json.parts" "$here/s.json.parts" "$after" 3 " [-o] [$here/s.json]")"
says "shards: job 12, 2 tasks"

what="none is missing"
answer sbatch 1 0 13
touch s.json.parts/shard-0-of-3.vmafs s.json.parts/shard-2-of-3.vmafs
try "$submit" --shards 3 --missing -o s.json -- "$@"
expect 0 "$(merge_call "$here/s.json.parts" "$here/s.json.parts" "" 3 " [-o] [$here/s.json]")"
what="none is missing, and the merge is refused"
answer sbatch 1 5
try "$submit" --shards 3 --missing -o s.json -- "$@"
expect 1 "$(merge_call "$here/s.json.parts" "$here/s.json.parts" "" 3 " [-o] [$here/s.json]")"
says "vmaf-slurm: there is no report; logs are in"

what="parts of another number of shards do not matter"
answer sbatch 1 0 12
answer sbatch 2 0 13
try "$submit" --shards 2 -o s.json -- "$@"
expect 0 "$(array_of "$here/s.json.parts" "$here/s.json.parts" "" 0,1 2)
$(merge_call "$here/s.json.parts" "$here/s.json.parts" "$after" 2 " [-o] [$here/s.json]")"

refused() { # message, words
    message=$1
    shift
    what="vmaf-slurm $*"
    try "$submit" "$@"
    expect 1 ""
    says "$message"
}
there=$(find . | sort)
for number in '' 0 03 -1 x 3x 1,2 3%x 3%2%1; do
    refused "$([ -n "$number" ] && echo "--shards: how many?" || echo "--shards needs a value")" \
        --shards "$number" -o s.json -- -r a
done
refused "usage: vmaf-slurm"
refused "usage: vmaf-slurm" --shards 3 -o s.json
refused "usage: vmaf-slurm" --shards 3 -o s.json --
refused "usage: vmaf-slurm" --shards 3 -- -r a
refused "--shards: how many?" -o s.json -- -r a
refused "-o needs a value" --shards 3 -o
refused "--parts needs a value" --shards 3 -o s.json --parts "" -- -r a
refused "--merge needs a value" --shards 3 -o s.json --merge
refused "usage: vmaf-slurm" --shards 3 --parts p --merge --quiet -- -r a
refused "x: options of sbatch are written --name=value" --shards 3 -o s.json -p x -- -r a
refused "--array=0-5: --shards N%M says what the array is" --shards 3 -o s.json --array=0-5 -- -r a
[ "$(find . | sort)" = "$there" ] || fail "something was made: $(find .), not $there"

what="help"
try "$submit" --help
expect 0 ""
says "usage: vmaf-slurm"
what="no Slurm"
rm "$folder/bin/sbatch"
mkdir "$folder/few"
for tool in sh dirname readlink sed; do
    ln -s "$(command -v $tool)" "$folder/few/$tool"
done
try env PATH="$folder/few" sh "$submit" --shards 2 -o n.json -- -r a
expect 1 ""
says "sbatch is not installed"

what="the tree"
for script in vmaf-slurm vmaf.sbatch; do
    [ "$(wc -l <"$source/tools/slurm/$script")" -lt 100 ] || fail "$script is longer than 99 lines"
    [ -x "$source/tools/slurm/$script" ] || fail "$script is no program"
    sh -n "$source/tools/slurm/$script" || fail "$script is no script"
done
if command -v shellcheck >/dev/null; then
    for script in "$source"/tools/slurm/* "$source"/tests/slurm/*.sh; do
        shellcheck -x "$script" || fail "shellcheck complains of $script"
    done
fi
[ $failures -eq 0 ] && echo "all is well"
exit $((failures > 0))
