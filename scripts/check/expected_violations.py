#!/usr/bin/env python3
"""Work out the violations in archives with another program, and compare.

    expected_violations.py ARCHIVE...                 print what is expected
    expected_violations.py ARCHIVE... --tables DIR    compare with DIR/violations.parquet and DIR/contested.parquet

The archives are read with warcio, robots.txt is matched with Protego (see
robotstxt.py), the rest is worked out in verdicts.py. A violation is compared by
URL, WARC record id and certainty; not one may be missing or too many.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

import archive
import verdicts


def expected(paths):
    """expected gives (url, record id, certainty) of every violation and contested fetch."""
    timeline = verdicts.Timeline(archive.read_all(archive.archives(paths)))
    judged = [(fetch, timeline.verdict(fetch)) for fetch in timeline.fetches]
    return timeline, judged


def row(fetch, verdict):
    return fetch.url, fetch.record_id, verdict.certainty


def tabled(folder):
    """tabled reads the same from the audit's tables."""
    import pyarrow.parquet as parquet

    rows = []
    for name in ("violations", "contested"):
        table = parquet.read_table(folder / f"{name}.parquet", columns=["url", "warc_record_id", "certainty"])
        rows += [(r["url"], archive.bare(r["warc_record_id"]), r["certainty"]) for r in table.to_pylist()]
    return rows


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
    from datetime import datetime, timezone

    return datetime.fromtimestamp(fetch.time // verdicts.SECOND, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def tally(rows):
    kinds = Counter(certainty for _, _, certainty in rows)
    return ", ".join(f"{kinds[kind]} {kind}" for kind in ("certain", "probable", "contested"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="+", type=Path, metavar="ARCHIVE", help="archive, or folder of archives")
    parser.add_argument("--tables", type=Path, metavar="DIR", help="result folder of an audit of the same archives")
    parser.add_argument("--expect-none", action="store_true", help="fail unless no violation is expected")
    options = parser.parse_args()

    timeline, judged = expected(options.archives)
    want = Counter(row(f, v) for f, v in judged if v.certainty)
    if not options.tables:
        show(timeline, judged)
        print(f"expected_violations: {len(judged)} fetches: {tally(want.elements())}")
        return 1 if options.expect_none and want else 0
    have = Counter(tabled(options.tables))
    for sign, rows in (("missing ", want - have), ("too many", have - want)):
        for url, record_id, certainty in sorted(rows.elements(), key=str):
            print(f"{sign}  {certainty:9}  {url}  {record_id}")
    same = want == have
    print(f"expected_violations: {'equal' if same else 'DIFFERENT'}: expected {tally(want.elements())}; "
          f"tables hold {tally(have.elements())}")
    return 0 if same and not (options.expect_none and want) else 1


if __name__ == "__main__":
    sys.exit(main())
