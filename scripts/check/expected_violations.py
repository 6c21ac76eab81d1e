#!/usr/bin/env python3
"""Work out the violations in archives with another program, and compare.

    expected_violations.py ARCHIVE...                 print what is expected
    expected_violations.py ARCHIVE... --tables DIR    compare with DIR/violations.parquet and DIR/contested.parquet

The archives are read with warcio, robots.txt is matched with Protego (see
robotstxt.py), the rest is worked out in verdicts.py. A violation is compared by
URL, WARC record id and certainty; not one may be missing or too many. The verdict
and evidence of every other fetch in DIR/fetches.parquet are compared as well.
"""

import argparse
import sys
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

import pyarrow.parquet as parquet

import archive
import verdicts


def judge(paths):
    """judge gives the timeline of the archives, and each fetch with its verdict."""
    timeline = verdicts.Timeline(archive.read_all(archive.archives(paths)))
    return timeline, [(fetch, timeline.verdict(fetch)) for fetch in timeline.fetches]


def tabled(folder, name, *columns):
    """tabled reads URL, record id and columns of a table of the audit."""
    table = parquet.read_table(folder / f"{name}.parquet", columns=["url", "warc_record_id", *columns],
                               filters=None if name == "fetches" else [("kind", "=", "fetch")])
    return Counter((r["url"], archive.bare(r["warc_record_id"]), *(r[c] for c in columns)) for r in table.to_pylist())


def show(timeline, judged):
    for capture, outcome in timeline.outcomes.items():
        hops = " -> ".join(hop.url for hop in outcome.hops)
        print(f"robots  {stamp(capture)} {capture.token or '-':10} {capture.status} {outcome.kind} "
              f"{outcome.reason} {capture.url}" + (f" -> {hops}" if hops else ""))
    for fetch, verdict in judged:
        if verdict.verdict == verdicts.DISALLOWED:
            print(f"disallowed  {stamp(fetch)} {fetch.token or '-':10} {verdict.certainty or 'too old':9} "
                  f"{verdict.evidence} {verdict.reason} {fetch.url}")
    print("verdicts: " + ", ".join(f"{n} {v} {r}" for (v, r), n in sorted(
        Counter((v.verdict, v.reason) for _, v in judged).items())))


def stamp(fetch):
    return datetime.fromtimestamp(fetch.time // verdicts.SECOND, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def compare(want, have):
    for sign, rows in (("missing ", want - have), ("too many", have - want)):
        for url, record_id, *values in sorted(rows.elements(), key=str):
            print(f"{sign}  {' '.join(map(str, values)):16}  {url}  {record_id}")
    return want == have


def tally(rows):
    kinds = Counter(certainty for _, _, certainty in rows.elements())
    return ", ".join(f"{kinds[kind]} {kind}" for kind in ("certain", "probable", "contested"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="+", type=Path, metavar="ARCHIVE", help="archive, or folder of archives")
    parser.add_argument("--tables", type=Path, metavar="DIR", help="result folder of an audit of the same archives")
    parser.add_argument("--expect-none", action="store_true", help="fail unless no violation is expected")
    options = parser.parse_args()

    timeline, judged = judge(options.archives)
    want = Counter((f.url, f.record_id, v.certainty) for f, v in judged if v.certainty)
    unexpected = options.expect_none and bool(want)
    if not options.tables:
        show(timeline, judged)
        print(f"expected_violations: {len(judged)} fetches: {tally(want)}")
        return 1 if unexpected else 0
    have = sum((tabled(options.tables, name, "certainty") for name in ("violations", "contested")), Counter())
    same = compare(want, have)
    same &= compare(Counter((f.url, f.record_id, v.verdict, v.evidence) for f, v in judged),
                    tabled(options.tables, "fetches", "verdict", "evidence"))
    print(f"expected_violations: {'equal' if same else 'DIFFERENT'}: expected {tally(want)} among {len(judged)} fetches; "
          f"tables hold {tally(have)}")
    return 0 if same and not unexpected else 1


if __name__ == "__main__":
    sys.exit(main())
