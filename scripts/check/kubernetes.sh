#!/bin/bash
# make/kubernetes/audit.yaml in Kubernetes itself gives the audit of one process: a cluster of one node on loopback.
#
#     kubernetes BINARY
#
# It has namespaces of its own for mounts, network and processes. A pod of ingest is deleted and one of decide
# is killed, amid their work. Results must be those of an audit in one process, and what other pods
# had done must be kept. Then an archive is cut short, and a setting is wrong.
#
# Needs root, Go and Debian on amd64. What 'programs' makes is kept where scripts/run.py keeps its
# environments: the first run takes 10 minutes, any other 3, mostly waiting. Nothing is installed.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
export ROBOTSAUDIT_VENVS="${ROBOTSAUDIT_VENVS:-${XDG_CACHE_HOME:-$HOME/.cache}/robotsaudit/venvs}"
kept=$ROBOTSAUDIT_VENVS/kubernetes-v1.34.4
PATH=$kept/bin:$kept/debian/usr/bin:$kept/debian/usr/sbin:$PATH

# Outside: builds what is missing, starts this again in the namespaces, and removes what is left.
if [ "${1:-}" != --inside ]; then
	binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
	[ -z "$(find /sys/fs/cgroup -maxdepth 2 -name 'kubepods*')" ] || { echo "this is a node of a cluster already" >&2; exit 1; }
	work=$(mktemp -d)
	inside=
	# shellcheck disable=SC2329 # it is called at the end
	finish() {
		[ -z "$inside" ] || kill -KILL "$inside" 2>/dev/null || true
		wait
		for _ in $(seq 50); do # until the last process is gone
			find /sys/fs/cgroup -depth -type d -path '*/kubepods*' -exec rmdir {} + 2>/dev/null || true
			[ -n "$(find /sys/fs/cgroup -maxdepth 2 -name 'kubepods*')" ] || break
			sleep 0.2
		done
		rm -rf "$work"
	}
	trap finish EXIT
	trap 'exit 130' INT TERM

	"$here/kubernetes/programs" "$kept"
	"$here/run" same --help >/dev/null # there is no network inside
	(cd "$here/kubernetes" && CGO_ENABLED=0 go build -o "$work/first" .)
	unshare --mount --net --pid --fork --mount-proc --kill-child bash "$0" --inside "$binary" "$work" &
	inside=$!
	wait $inside
	exit
fi

binary=$2 work=$3
cd "$work"
# shellcheck source=scripts/check/kubernetes/node
. "$here/kubernetes/node"

# The claims, in a namespace that refuses pods that may do more than they need.
mkdir shared archives
chown 65532:65532 shared
"$here/../make/run" copies 25 archives "$here"/../../testdata/warc/*.warc*
kubectl create namespace audits >/dev/null
kubectl label namespace audits pod-security.kubernetes.io/enforce=restricted >/dev/null
for claim in shared archives; do
	kubectl apply -f - >/dev/null <<END_OF_FILE
apiVersion: v1
kind: PersistentVolume
metadata: {name: $claim}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteMany], hostPath: {path: $work/$claim}, claimRef: {namespace: audits, name: $claim}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: $claim}
spec: {accessModes: [ReadWriteMany], storageClassName: "", volumeName: $claim, resources: {requests: {storage: 1Gi}}}
END_OF_FILE
done
until_true 60 "the namespace has its account" kubectl get serviceaccount default

# What the head of audit.yaml states, for a small machine. In one process, in the image's place.
sed -n '/^#     for stage/,/^#     done/s/^#     //p' "$here/../make/kubernetes/audit.yaml" >loop
sed 's/50/3/; s/128/5/; s/cpu: "."/cpu: 10m/; s/memory: .Gi/memory: 16Mi/' "$here/../make/kubernetes/audit.yaml" >mine.yaml
loop() {
	rm -f loop.done
	(bash loop >loop.log 2>&1 && touch loop.done) &
}
mkdir robotsaudit/archives
mount --bind archives robotsaudit/archives
one() { chroot robotsaudit /program audit /archives -o "/$1" --agents ai --quiet; }
same() { "$here/run" same "robotsaudit/$1" "$2" || fail "the results differ"; }

begun=$SECONDS
one one
loop
until_true 120 "shard 1 stands still" test -d shared/was-ingest/still
until_true 60 "the other shards are read" test -e shared/facts/shards/00000.json -a -e shared/facts/shards/00002.json
[ ! -e shared/facts/shards/00001.json ] || fail "the shard that stands still is done"
done_shards=$(stat -c '%i %Y' shared/facts/shards/0000[02].json)
kubectl delete pod --force --grace-period=0 -l stage=ingest,batch.kubernetes.io/job-completion-index=1 >/dev/null 2>&1
until_true 120 "range 2 stands still" test -d shared/was-decide/still
kill -KILL "$(pgrep -f '^/robotsaudit decide --buckets 2/')"
until_true 300 "the loop ends" test -e loop.done
[ "$(kubectl get job robotsaudit-finish -o 'jsonpath={.status.succeeded}')" = 1 ] || fail "$(cat loop.log)"
[ "$done_shards" = "$(stat -c '%i %Y' shared/facts/shards/0000[02].json)" ] || fail "what was finished was done again"
failed=$(kubectl get jobs -o 'jsonpath={.items[*].status.failed}')
[ "$failed" = "1 1" ] || fail "pods that failed, by stage: $failed"
same one shared/out
echo "ok    Kubernetes ${kept##*-} gives the audit of one process: 200 archives, 3 shards, 5 ranges, a pod deleted, one killed; $((SECONDS - begun)) s"

# What was not read to its end is told by the Job of finish, at once and with all results.
begun=$SECONDS
kubectl delete -f mine.yaml >/dev/null
head -c 40000 "$here/../../testdata/warc/crawl-c-1.warc.gz" >archives/cut.warc.gz
one two || [ $? = 3 ]
sed -i 's|/shared/|/shared/again/|g' mine.yaml
loop
until_true 300 "the loop ends" test -e loop.done
[ "$(kubectl get job robotsaudit-finish -o 'jsonpath={.status.failed} {.status.conditions[?(@.type=="Failed")].reason}')" = "1 PodFailurePolicy" ] || fail "$(cat loop.log)"
same two shared/again/out
echo "ok    an archive that is cut short: finish fails once, with code 3, and all results; $((SECONDS - begun)) s"

# A mistake is not tried again.
kubectl delete -f mine.yaml >/dev/null
sed -i 's|--agents, ai|--agents, nonsense|' mine.yaml
loop
until_true 60 "the loop ends" test -e loop.done
[ "$(kubectl get jobs -o 'jsonpath={.items[*].metadata.name} {.items[*].status.failed}')" = "robotsaudit-plan 1" ] || fail "$(cat loop.log)"
echo "ok    a setting that plan refuses: its Job fails at once"
