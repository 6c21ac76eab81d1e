#!/bin/sh
# Audits testdata/warc with BINARY, and ../shared/warc where it is there, and checks
# the results with other programs.
#
#     scripts/check/run.sh BINARY [VENV]
#
# VENV is the Python environment to use; it is made where it does not exist, and
# made again where requirements.txt has changed (default: one that is removed
# afterwards).
set -eu

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
	echo "usage: $0 BINARY [VENV]" >&2
	exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
archives=$here/../../testdata/warc
shared=$here/../../../shared/warc
real=$shared/real
roots=$archives
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
venv=${2:-$work/venv}
if ! cmp -s "$here/requirements.txt" "$venv/requirements.txt"; then
	python3 -m venv "$venv"
	"$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
	cp "$here/requirements.txt" "$venv/requirements.txt"
fi
export PYTHONDONTWRITEBYTECODE=1

failed=0
check() {
	"$venv/bin/python" "$here/$@" || failed=1
}

# audited NAME OPTION... -- ARCHIVE...: audits the archives and runs every check.
audited() {
	name=$1
	shift
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	echo "== $name"
	# shellcheck disable=SC2086 # the options are words without spaces
	"$binary" audit "$@" -o "$work/$name" $options >"$work/$name.out" 2>"$work/$name.err" || {
		cat "$work/$name.err" >&2
		failed=1
		return
	}
	expect=
	[ "$name" = a ] && expect=--expect-none
	check expected_violations.py "$@" --tables "$work/$name" $expect
	check recompute.py "$work/$name" "$roots"
	check readers.py "$work/$name" --schema "$work/schema.json"
	check pages.py "$@" --tables "$work/$name"
}

binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
"$binary" schema --format json >"$work/schema.json"
for letter in a b c; do
	audited $letter -- "$archives"/crawl-$letter-*
done
for archive in "$archives"/crawl-*.warc*; do
	audited "$(basename "$archive")" -- "$archive"
done
audited all --agent GPTBot --agent CCBot --agent Wget -- "$archives"
if [ -d "$real" ]; then
	for archive in "$real"/*.warc.gz; do
		roots=$real
		audited "$(basename "$archive")" -- "$archive"
	done
	echo "== what pages say, in all of them, ARC and WACZ too"
	"$binary" audit "$real" -o "$work/real" >"$work/real.out" 2>"$work/real.err" || failed=1
	check pages.py "$real" --tables "$work/real"
	echo "== other readers, on testdata/warc and ../shared/warc"
	check oracles.py "$binary" "$archives" "$shared"
else
	echo "skipped: the real archives of ../shared are not here"
	echo "== other readers, on testdata/warc"
	check oracles.py "$binary" "$archives"
fi
[ $failed -eq 0 ] && echo "all checks hold" || echo "some checks FAILED"
exit $failed
