#!/usr/bin/env python3
"""Work out the violations in archives with another program, and compare.

    expected_violations.py ARCHIVE...                 print what is expected
    expected_violations.py ARCHIVE... --tables DIR    compare with DIR/violations.parquet and DIR/unproven.parquet

The archives are read with warcio, robots.txt is matched with Protego (see
robotstxt.py), the rest is the reference of scripts/timeline (see verdicts.py). A
disallowed fetch is compared by URL, WARC record id and certainty, in the table
where it belongs; not one may be missing or too many. The verdict and evidence of
every other fetch in DIR/fetches.parquet are compared as well.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

import pyarrow.parquet as parquet

import archive
import verdicts

TABLES = {"violations": ("certain", "probable"), "unproven": ("possible", "contested")}


def tabled(folder, name, *columns):
    """tabled reads URL, record id and columns of a table of the audit."""
    rows = parquet.read_table(folder / f"{name}.parquet", columns=["url", "warc_record_id", *columns]).to_pylist()
    return Counter((r["url"], archive.bare(r["warc_record_id"]), *(r[c] for c in columns)) for r in rows)


def expected(judged, *columns):
    """expected counts the findings as tabled does the rows."""
    return Counter((f.url, archive.bare(f.record_id), *(getattr(found, c) for c in columns)) for f, found in judged)


def show(archives, judged):
    for captures in archives.robots_of.values():
        for capture in captures:
            outcome = archives.outcome(capture)
            way = " -> ".join(hop.url for hop in outcome.followed)
            print(f"robots  {stamp(capture)} {capture.token or '-':10} {capture.status} {outcome.kind} {outcome.reason or ''} {way}")
    for fetch, found in judged:
        if found.verdict == "disallowed":
            print(f"disallowed  {stamp(fetch)} {fetch.token or '-':10} {found.certainty:9} {found.evidence} {found.reason} "
                  f"{','.join(sorted(found.notes))} {fetch.url}")
    print("verdicts: " + ", ".join(f"{n} {v} {r}" for (v, r), n in sorted(
        Counter((found.verdict, found.reason) for _, found in judged).items())))


def stamp(fetch):
    return fetch.time.start.strftime("%Y-%m-%dT%H:%M:%SZ")


def compare(want, have):
    for sign, rows in (("missing ", want - have), ("too many", have - want)):
        for url, record_id, *values in sorted(rows.elements(), key=str):
            print(f"{sign}  {' '.join(map(str, values)):16}  {url}  {record_id}")
    return want == have


def tally(rows):
    classes = Counter(certainty for *_, certainty in rows.elements())
    return ", ".join(f"{classes[c]} {c}" for c in sum(TABLES.values(), ()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="+", type=Path, metavar="ARCHIVE", help="archive, or folder of archives")
    parser.add_argument("--tables", type=Path, metavar="DIR", help="result folder of an audit of the same archives")
    parser.add_argument("--expect-none", action="store_true", help="fail unless no fetch is disallowed")
    options = parser.parse_args()

    archives, judged = verdicts.judge(archive.archives(options.archives))
    disallowed = [(fetch, found) for fetch, found in judged if found.certainty]
    want = expected(disallowed, "certainty")
    unexpected = options.expect_none and bool(want)
    if not options.tables:
        show(archives, judged)
        print(f"expected_violations: {len(judged)} fetches: {tally(want)}")
        return 1 if unexpected else 0
    have, same = Counter(), True
    for name, classes in TABLES.items():
        rows = tabled(options.tables, name, "certainty")
        same &= compare(expected([(f, found) for f, found in disallowed if found.certainty in classes], "certainty"), rows)
        have += rows
    same &= compare(expected(judged, "verdict", "evidence"), tabled(options.tables, "fetches", "verdict", "evidence"))
    print(f"expected_violations: {'equal' if same else 'DIFFERENT'}: expected {tally(want)} among {len(judged)} fetches; "
          f"tables hold {tally(have)}")
    return 0 if same and not unexpected else 1


if __name__ == "__main__":
    sys.exit(main())
