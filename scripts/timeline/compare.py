#!/usr/bin/env python3
"""Compare the reference's verdicts with the fetches table of `robotsaudit audit`.

    compare.py expected.jsonl DIR [--scenarios FILE]

Compares verdict, evidence, reason and certainty for each WARC record id, prints how
many agree by combination, and every difference. Exit status 1 on any difference,
on a fetch that one side lacks, on a record id that the table has twice, and
on a reason with fewer than five cases.
"""

import argparse
import collections
import json
import os
import re
import sys

import pyarrow.parquet

# Every reason must have been put to the test.
REASONS = """rule no_matching_rule no_matching_group robots_txt_itself unavailable unreachable unreachable_stale
unreachable_over_30d too_many_redirects unresolved_redirect unresolved_revisit undefined_status truncated
changed_between conflicting_captures no_capture no_time unsupported_scheme""".split()
LEAST = 5

FIELDS = ["verdict", "evidence", "reason", "certainty"]


def bare_id(record_id):
    """The record id without <> and urn:uuid:, which tables may leave out."""
    return re.sub(r"^<?(urn:uuid:)?|>$", "", record_id).lower()


def read_lines(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("expected")
    arguments.add_argument("dir")
    arguments.add_argument("--scenarios", help="the list beside the archive, to name a difference's origin")
    args = arguments.parse_args()

    expected = {bare_id(row["warc_record_id"]): row for row in read_lines(args.expected)}
    scenario = {}
    if args.scenarios:
        scenario = {bare_id(row["warc_record_id"]): row["scenario"] for row in read_lines(args.scenarios)}
    table = pyarrow.parquet.read_table(os.path.join(args.dir, "fetches.parquet"),
                                       columns=["url", "warc_record_id"] + FIELDS).to_pylist()
    found, problems = {}, []
    for row in table:
        key = bare_id(row["warc_record_id"] or "")
        if key in found:
            problems.append("twice in the table: %s %s" % (key, row["url"]))
        found[key] = row

    combinations, compared, pages = collections.Counter(), 0, 0
    for key, want in expected.items():
        if key not in found:
            problems.append("missing in the table: %s %s" % (key, want["url"]))
            continue
        compared += 1
        pages += want["reason"] != "robots_txt_itself"
        wanted, got = [want[f] for f in FIELDS], [found[key][f] for f in FIELDS]
        combinations[tuple(map(str, wanted))] += 1
        if wanted != got:
            problems.append("%s %s [%s]\n  expected %s\n  found    %s"
                            % (key, want["url"], scenario.get(key, "?"), " ".join(map(str, wanted)), " ".join(map(str, got))))
    for key in found.keys() - expected.keys():
        problems.append("not expected: %s %s" % (key, found[key]["url"]))

    for reason in REASONS:
        cases = sum(row["reason"] == reason for row in expected.values())
        if cases < LEAST:
            problems.append("reason %s has %d cases, fewer than %d" % (reason, cases, LEAST))

    print("%7s  %-11s %-6s %-22s %s" % ("fetches", *FIELDS))
    for combination, count in sorted(combinations.items()):
        print("%7d  %-11s %-6s %-22s %s" % (count, *combination))
    for problem in problems:
        print(problem)
    print("compared %d fetches (%d pages): %d differences" % (compared, pages, len(problems)))
    sys.exit(1 if problems or not compared else 0)


if __name__ == "__main__":
    main()
