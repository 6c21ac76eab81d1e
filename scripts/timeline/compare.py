#!/usr/bin/env python3
"""Compare the reference's verdicts with the tables of `robotsaudit audit`.

    compare.py expected.jsonl DIR [--scenarios FILE]

For each WARC record id: verdict, evidence, reason, certainty, the governing capture
(by its record id), and, where the fetch was disallowed, the notes that the rule
names; of an allowed fetch those that say why it may not be meant; of a response its
refusal. The tables violations (certain,
probable) and unproven (possible, contested) must hold exactly the disallowed
fetches. Prints how many agree by combination, and every difference. Exit status 1
on any difference, on a fetch that one side lacks, on a record id that the table
has twice, and on a reason or certainty with fewer than five cases.
"""

import argparse
import collections
import json
import os
import re
import sys

import pyarrow.parquet

# Every reason and every certainty must have been put to the test.
REASONS = """rule no_matching_rule no_matching_group robots_txt_itself unavailable unreachable unreachable_stale
unreachable_over_30d too_many_redirects unresolved_redirect unresolved_revisit undefined_status undecodable truncated
challenge changed_between conflicting_captures no_capture no_time unsupported_scheme ambiguous_token""".split()
TABLES = {"violations": ("certain", "probable"), "unproven": ("possible", "contested")}
LEAST = 5

FIELDS = ["verdict", "evidence", "reason", "certainty"]

# The notes that the rule names; the tool has others, which remark on the same.
NOTES = """other_crawler same_moment other_target ambiguous_token reserved_encoding unsafe_encoding lenient parse_limit documented_token
robots_txt_encoded content_usage agent_name html order_doubt other_run""".split()


def bare_id(record_id):
    """The record id without <> and urn:uuid:, which tables may leave out."""
    return re.sub(r"^<?(urn:uuid:)?|>$", "", record_id).lower() if record_id else None


def read_lines(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def table(folder, name, columns):
    return pyarrow.parquet.read_table(os.path.join(folder, name + ".parquet"), columns=columns).to_pylist()


def compared_notes(verdict, notes):
    wanted = {"disallowed": NOTES, "allowed": ["unsafe_encoding", "agent_name", "named_group_forbids", "html"]}.get(verdict, [])
    return [n for n in wanted if n in notes]


def compared(row, notes):
    """What is compared of a row, as text."""
    return " ".join(str(v) for v in [row[f] for f in FIELDS] + compared_notes(row["verdict"], notes))


def misplaced(folder, expected):
    """The ids that a table of disallowed fetches has too many or too few of."""
    for name, classes in TABLES.items():
        want = collections.Counter(key for key, row in expected.items() if row["certainty"] in classes)
        have = collections.Counter(bare_id(row["warc_record_id"]) for row in table(folder, name, ["warc_record_id"]))
        for key in sorted((want - have) + (have - want)):
            yield "%s: %d rows, expected %d: %s %s" % (name, have[key], want[key], key, expected.get(key, {}).get("url"))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("expected")
    arguments.add_argument("dir")
    arguments.add_argument("--scenarios", help="the list beside the archives, to name a difference's origin")
    args = arguments.parse_args()

    expected = {bare_id(row["warc_record_id"]): row for row in read_lines(args.expected)}
    scenario = {}
    if args.scenarios:
        scenario = {bare_id(row["warc_record_id"]): row["scenario"] for row in read_lines(args.scenarios)}
    capture_ids = {row["robots_id"]: row["warc_record_id"] for row in table(args.dir, "robots", ["robots_id", "warc_record_id"])}
    found, problems = {}, []
    for row in table(args.dir, "fetches", ["url", "warc_record_id", "robots_id", "notes", "refusal"] + FIELDS):
        key = bare_id(row["warc_record_id"])
        if key in found:
            problems.append("twice in the table: %s %s" % (key, row["url"]))
        found[key] = row

    combinations, count, pages = collections.Counter(), 0, 0
    for key, want in expected.items():
        if key not in found:
            problems.append("missing in the table: %s %s" % (key, want["url"]))
            continue
        have = found[key]
        count += 1
        pages += want["reason"] != "robots_txt_itself"
        combinations[tuple(str(want[f]) for f in FIELDS)] += 1
        governing, cited = [bare_id(i) for i in want["governing"]], bare_id(capture_ids.get(have["robots_id"]))
        want["reason"] = {bare_id(i): reason for i, reason in want["reasons"].items()}.get(cited, want["reason"])
        noted = [n for n in (have["notes"] or "").split(",") if n not in want["perhaps"]]
        wanted, got = compared(want, want["notes"]), compared(have, noted)
        if cited not in (governing or [None]):
            wanted, got = "%s by %s" % (wanted, governing), "%s by %s" % (got, cited)
        if want["refusal"] not in (None, have["refusal"] or ""):
            wanted, got = "%s refusal=%s" % (wanted, want["refusal"]), "%s refusal=%s" % (got, have["refusal"])
        if wanted != got:
            problems.append("%s %s [%s]\n  expected %s\n  found    %s" % (key, want["url"], scenario.get(key, "?"), wanted, got))
    for key in found.keys() - expected.keys():
        problems.append("not expected: %s %s" % (key, found[key]["url"]))
    problems += misplaced(args.dir, expected)

    for field, names in (("reason", REASONS), ("certainty", sum(TABLES.values(), ()))):
        for name in names:
            cases = sum(row[field] == name for row in expected.values())
            if cases < LEAST:
                problems.append("%s %s has %d cases, fewer than %d" % (field, name, cases, LEAST))

    print("%7s  %-11s %-6s %-22s %s" % ("fetches", *FIELDS))
    for combination, number in sorted(combinations.items()):
        print("%7d  %-11s %-6s %-22s %s" % (number, *combination))
    for problem in problems:
        print(problem)
    print("compared %d fetches (%d pages): %d differences" % (count, pages, len(problems)))
    sys.exit(1 if problems or not count else 0)


if __name__ == "__main__":
    main()
