#!/bin/sh
# Checks `robotsaudit audit` against the plain reference on five years of real
# robots.txt history and on the scenarios of history_to_warc.py, in two archives.
#
#   scripts/timeline/run.sh ROBOTSAUDIT_BINARY [MOMENTS [SEED]]
#
# Needs Python 3 with venv. $ROBOTSAUDIT_VENV names a virtual environment to use
# and keep; otherwise one is made for this run. The archives are never kept.
set -eu

if [ $# -lt 1 ]; then
	echo "usage: $0 ROBOTSAUDIT_BINARY [MOMENTS [SEED]]" >&2
	exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
binary=$1 moments=${2:-1000} seed=${3:-9309}
history=$here/../../../shared/robots/history-2020-2025.jsonl.gz
if [ ! -f "$history" ]; then
	echo "timeline: skipped: ../shared/robots/history-2020-2025.jsonl.gz is absent"
	exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export PYTHONDONTWRITEBYTECODE=1
venv=${ROBOTSAUDIT_VENV:-$work/venv}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt"
limit() { # a minute for each step, where the system can tell
	if command -v timeout >/dev/null; then timeout 60 "$@"; else "$@"; fi
}

limit "$venv/bin/python" -m pytest -q -p no:cacheprovider "$here/test_reference.py"
limit "$venv/bin/python" "$here/history_to_warc.py" "$history" "$work/archives" --moments "$moments" --seed "$seed"
limit "$venv/bin/python" "$here/reference.py" "$work"/archives/*.warc.gz >"$work/expected.jsonl"
limit "$binary" audit "$work/archives" -o "$work/tables" >/dev/null
"$venv/bin/python" "$here/compare.py" --scenarios "$work/archives.scenarios.jsonl" "$work/expected.jsonl" "$work/tables"
