#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Runs a command beside a Slurm of its own: one node of two processors, in a temporary folder, with ports and keys
# that nothing else uses. The Slurm of the system is neither used nor touched. Ends with the status of the command;
# the daemons end with it, whatever happens. Status 77, and the reason, where there is no Slurm or it does not start.
#   cluster.sh command [arguments]
# shellcheck disable=SC2317 # functions that traps and wait_until call
# The command has SLURM_CONF, and CLUSTER, the folder with the logs.
set -eu
say() {
    printf 'cluster.sh: %s\n' "$*"
}
skip() {
    say "skipped: $*"
    exit 77
}
[ "$(id -u)" -eq 0 ] || skip "only root starts the daemons of Slurm"
PATH=$PATH:/usr/sbin:/sbin
for tool in munged:munge slurmctld:slurmctld slurmd:slurmd sbatch:slurm-client; do
    command -v "${tool%:*}" >/dev/null || skip "${tool%:*} is not installed (Debian package ${tool#*:})"
done

# Not below a deep folder: the name of a socket has at most 107 characters.
CLUSTER=$(mktemp -d /tmp/vmaf-slurm.XXXXXX)
export CLUSTER
daemons=
command=
stop() {
    status=$?
    trap '' INT TERM HUP
    [ -z "$command" ] || kill "$command" 2>/dev/null || true
    for daemon in $daemons; do
        kill "$daemon" 2>/dev/null || true
    done
    for daemon in $daemons; do
        wait_until 300 not_there "$daemon" || kill -9 "$daemon" 2>/dev/null || true
    done
    # Daemons that end leave jobs running. All of those have this configuration in their environment.
    env -u SLURM_CONF grep -alsF "SLURM_CONF=$CLUSTER/slurm.conf" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do
        kill -9 "$pid" 2>/dev/null || true
    done
    if [ -n "${CLUSTER_KEEP:-}" ]; then
        say "kept: $CLUSTER"
    else
        rm -rf "$CLUSTER"
    fi
    exit "$status"
}
not_there() { # process: it has ended, whether or not this shell has noticed
    case $(sed -n 's/^State:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null) in
    '' | [ZX]*) ;;
    *) return 1 ;;
    esac
}
wait_until() { # tenths of a second, command: whether it succeeds before they are over
    left=$1
    shift
    while ! "$@" >/dev/null 2>&1; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || return 1
        sleep 0.1
    done
}
trap stop EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

is_free() { # port: nobody listens there
    ! cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk -v port=":$(printf %04X "$1")" '
        substr($2, length($2) - 4) == port { found = 1 } END { exit !found }'
}
free_port() { # the first free one from there on
    port=$1
    while ! is_free "$port"; do
        port=$((port + 1))
    done
    echo "$port"
}

mkdir -m 755 "$CLUSTER/munge" "$CLUSTER/state" "$CLUSTER/spool"
(umask 077 && head -c 1024 /dev/urandom >"$CLUSTER/munge/key")
node=$(hostname -s)
start() { # name, command: a daemon in the foreground of its own, with its output in a log
    name=$1
    shift
    "$@" >"$CLUSTER/$name.log" 2>&1 &
    daemons="$! $daemons"
    daemon=$!
}
ended_or() { # command: it succeeds, or the daemon has ended
    not_there "$daemon" || "$@"
}
up() { # what to wait for: whether the daemon that was started last gets that far
    until ended_or "$@" >/dev/null 2>&1; do
        sleep 0.1
    done
    ! not_there "$daemon"
}

start munged munged --foreground --force --num-threads=2 --key-file="$CLUSTER/munge/key" \
    --socket="$CLUSTER/munge/socket" --pid-file="$CLUSTER/munge/pid" --log-file="$CLUSTER/munged.txt" \
    --seed-file="$CLUSTER/munge/seed"
authentic() {
    munge --no-input --socket="$CLUSTER/munge/socket" | unmunge --socket="$CLUSTER/munge/socket"
}
up authentic || skip "munged does not start: $(tail -n 1 "$CLUSTER/munged.log")"

export SLURM_CONF="$CLUSTER/slurm.conf"
configure() { # ports
    cat >"$SLURM_CONF" <<END
ClusterName=vmaf-test
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$1
SlurmdPort=$2
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$CLUSTER/munge/socket
CredType=cred/munge
StateSaveLocation=$CLUSTER/state
SlurmdSpoolDir=$CLUSTER/spool
SlurmctldPidFile=$CLUSTER/slurmctld.pid
SlurmdPidFile=$CLUSTER/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=3600
SlurmctldTimeout=3600
MessageTimeout=90
BatchStartTimeout=600
KillWait=5
JobRequeue=0
MinJobAge=86400
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=0,sched_interval=5,bf_interval=5
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
NodeName=$node NodeAddr=127.0.0.1 CPUs=2 Gres=gpu:1 State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE OverSubscribe=NO State=UP
END
}
# A device for jobs to ask for. Nothing opens it.
echo 'Name=gpu File=/dev/null' >"$CLUSTER/gres.conf"
answers() {
    scontrol ping | grep -q 'is UP'
}
idle() {
    sinfo --noheader --format=%T | grep -qx idle
}
# Somebody may take a port between the question and the start: then others.
base=$((16001 + $$ % 8000 * 2))
for attempt in 1 2 3; do
    controller=$(free_port $((base + attempt * 500)))
    configure "$controller" "$(free_port $((controller + 1)))"
    start slurmctld slurmctld -D -f "$SLURM_CONF"
    up answers && break
    kill "$daemon" 2>/dev/null || true
    [ "$attempt" != 3 ] || skip "slurmctld does not start: $(grep -i error "$CLUSTER/slurmctld.log" | tail -n 1)"
done
start slurmd slurmd -D -f "$SLURM_CONF"
up idle || skip "slurmd does not start: $(grep -i error "$CLUSTER/slurmd.log" | tail -n 1)"
say "Slurm $(sinfo --version | sed 's/.* //') on $node, port $controller"

"$@" &
command=$!
status=0
wait $command || status=$?
command=
exit $status
