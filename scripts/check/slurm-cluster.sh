#!/bin/bash
# make/slurm/audit in Slurm itself gives the audit of one process: a cluster of one node on loopback.
#
#     slurm-cluster BINARY
#
# It lies in a temporary folder. One task is slowed until it reaches its time limit, and one is killed. Results must be those of an
# audit in one process, and what other tasks had done must be kept. Needs root and Debian, whose
# packages it installs where they are missing. Takes two minutes, mostly waiting.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
if ! command -v slurmctld slurmd munged sbatch >/dev/null; then
	apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends slurmctld slurmd slurm-client munge
fi

work=$(mktemp -d)
chmod 755 "$work"
daemons=
finish() {
	for pid in $daemons; do
		kill "$pid" 2>/dev/null || true
	done
	wait
	rm -rf "$work"
}
trap finish EXIT
start() { # NAME COMMAND...
	local name=$1
	shift
	"$@" >"$work/$name.log" 2>&1 &
	daemons="$! $daemons"
}
fail() {
	echo "FAIL  $*" >&2
	tail -n 40 "$work"/*.log "$work"/slurm-*.out >&2
	exit 1
}

# The cluster.
port=$(python3 -c 'import socket; s = [socket.socket() for _ in "12"]; [x.bind(("127.0.0.1", 0)) for x in s]; print(*[x.getsockname()[1] for x in s])')
host=$(hostname -s)
mkdir -m 700 "$work/munge" "$work/state" "$work/spool"
chmod 755 "$work/munge"
head -c 1024 /dev/urandom >"$work/munge/key"
chmod 400 "$work/munge/key"
export SLURM_CONF=$work/slurm.conf
cat >"$SLURM_CONF" <<END
ClusterName=try
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${port% *}
SlurmdPort=${port#* }
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
# A task that is put in the queue again waits until the credential of its last attempt is void.
AuthInfo=socket=$work/munge/socket,cred_expire=5
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=bf_interval=2,sched_interval=2,defer
KillWait=5
# More than the machine has: the tasks are small.
SlurmdParameters=config_overrides
NodeName=node NodeHostname=$host NodeAddr=127.0.0.1 CPUs=8 RealMemory=8000
PartitionName=all Nodes=node Default=YES MaxTime=INFINITE
END
start munged munged --foreground --force --socket="$work/munge/socket" --key-file="$work/munge/key" \
	--log-file="$work/munge/log" --pid-file="$work/munge/pid" --seed-file="$work/munge/seed"
for _ in $(seq 50); do
	[ -S "$work/munge/socket" ] && break
	sleep 0.1
done
start slurmctld slurmctld -D -c
start slurmd slurmd -D -c -N node
for n in $(seq 100); do
	[ "$(sinfo -h -o %T 2>/dev/null)" = idle ] && break
	[ "$n" -lt 100 ] || fail "the cluster does not start"
	sleep 0.2
done

# The program: its first attempt at shard 1 stands still, and its first at range 2 is killed.
cat >"$work/robotsaudit" <<END
#!/bin/sh
once() { mkdir "$work/was-\$1" 2>/dev/null; }
case "\$*" in
*"--shard 1/"*)
	if once slow; then
		"$binary" "\$@" &
		trap 'kill -TERM \$!; kill -CONT \$!' TERM
		until [ -n "\$(ls -d "$work"/facts/shards/00001-* 2>/dev/null)" ]; do :; done # it is at work
		kill -STOP \$!
		wait \$! # until the signal
		wait \$!
		echo \$? >"$work/was-slow/code"
		exit "\$(cat "$work/was-slow/code")"
	fi ;;
*"--buckets 2/"*) once killed && kill -KILL \$\$ ;;
esac
exec "$binary" "\$@"
END
chmod +x "$work/robotsaudit"

archives=("$here/../../testdata/warc")
real=$here/../../../shared/warc/real
if [ -d "$real" ]; then
	archives+=("$real")
else
	echo "../shared/warc/real is not here: testdata/warc alone is audited"
fi
settings=(--agents GPTBot --purpose train)
"$binary" audit "${archives[@]}" -o "$work/one" "${settings[@]}" --quiet || [ $? = 3 ] # some were cut short
cd "$work"
"$here/../make/slurm/audit" 4 1024 "$work/facts" "$work/out" "${archives[@]}" 2>refused && fail "an array that is too large is not refused"
grep -q MaxArraySize refused || fail "$(cat refused)"
begun=$SECONDS
ROBOTSAUDIT=$work/robotsaudit SBATCH_OPTIONS=--time=2 "$here/../make/slurm/audit" 4 6 "$work/facts" "$work/out" "${archives[@]}" -- "${settings[@]}" | tee submitted
job=$(sed -n 's/.*ingest \([0-9]*\),.*/\1/p' submitted)

kept= # of the shards that are read, while one waits
while [ -n "$(squeue -h -o %i)" ]; do
	if [ -z "$kept" ] && [ "$(ls facts/shards/0000[023].json 2>/dev/null | wc -l)" = 3 ]; then
		[ ! -e facts/shards/00001.json ] || fail "the task that stands still is done"
		kept=$(cat facts/shards/0000[023].json)
	fi
	if squeue -h -o %r | grep -q -e Dependency -e NeverSatisfied && [ $((SECONDS - begun)) -gt 400 ]; then
		squeue >&2
		fail "tasks wait for ever"
	fi
	restarts=$(scontrol show job "${job}_1" 2>/dev/null | grep -o 'Restarts=[0-9]*' || true)
	[ "$restarts" != Restarts=1 ] || again=yes
	sleep 1
done
[ -e out/audit.json ] || fail "nothing is finished"
[ "${again:-}" = yes ] || fail "the task that reached its time limit was not put in the queue again"
[ "$(cat was-slow/code)" = 130 ] || fail "the program ended with code $(cat was-slow/code) before the time limit, not 130"
[ -d was-killed ] || fail "no task was killed"
[ "$kept" = "$(cat facts/shards/0000[023].json)" ] || fail "what was finished was done again"
"$here/run" same one out || fail "the results differ"
echo "ok    Slurm $(sbatch --version | cut -d ' ' -f 2) gives the audit of one process: 4 shards, 6 ranges, a task at its time limit, one killed; $((SECONDS - begun)) s"
