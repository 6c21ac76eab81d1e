#!/bin/sh
# What make/slurm/audit submits gives the audit of one process; without Slurm.
#
#     slurm BINARY
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# In place of sbatch: runs the tasks of an array one after the other, and prints a job's number.
cat >"$work/sbatch" <<'END'
#!/bin/sh
set -eu
first=0 last=0
while [ "${1#--}" != "$1" ]; do
	case $1 in
	--array=*)
		range=${1#--array=}
		range=${range%\%*}
		first=${range%-*} last=${range#*-}
		;;
	esac
	shift
done
n=$first
while [ "$n" -le "$last" ]; do
	SLURM_ARRAY_TASK_ID=$n "$@" >&2
	n=$((n + 1))
done
echo "1$n;cluster"
END
chmod +x "$work/sbatch"
archives=$here/../../testdata/warc
"$1" audit "$archives" -o "$work/one" --agents GPTBot --quiet
ROBOTSAUDIT=$1 SBATCH=$work/sbatch "$here/../make/slurm/audit" 3 4 "$work/facts" "$work/out" "$archives" -- --agents GPTBot
cmp "$work/one/audit.json" "$work/out/audit.json"
cmp "$work/one/report.html" "$work/out/report.html"
# A task that is stopped says so.
SHARDS=1 FACTS=$work/none ROBOTSAUDIT=$1 "$here/../make/slurm/task" ingest 2>/dev/null && exit 1
echo "ok    the stages that Slurm runs give the audit of one process"
