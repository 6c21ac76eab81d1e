#!/bin/sh
# Checks that results do not depend on workers, interruptions or the order of work,
# and that memory stays below a bound. A line a check; exit code 1 where
# one fails.
#
#     scripts/durability/run.sh BINARY [ARCHIVE...]
#
# Without archives: testdata/warc and, where it is there, ../shared/warc/real. The
# largest ARCHIVE is the one copied for the kills and for memory. Needs Python 3, a
# gigabyte in $TMPDIR and some minutes. $SEED picks other moments for the kills,
# $COPIES another number of copies for memory than 200, $BOMB_GIGABYTES another size
# than 1 for the bombs (memory.py).
set -eu

if [ $# -lt 1 ]; then
	echo "usage: $0 BINARY [ARCHIVE...]" >&2
	exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
binary=$1
shift
if [ $# -eq 0 ]; then
	set -- "$here"/../../testdata/warc/*.warc*
	real=$here/../../../shared/warc/real
	if [ -d "$real" ]; then
		set -- "$@" "$real"/*.warc.gz
	else
		echo "../shared/warc/real is not here: testdata/warc alone is copied"
	fi
fi
export PYTHONDONTWRITEBYTECODE=1
failed=0
python3 "$here/durability.py" "$binary" "$@" || failed=1
python3 "$here/memory.py" "$binary" --gigabytes "${BOMB_GIGABYTES:-1}" || failed=1
exit $failed
