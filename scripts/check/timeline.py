"""Verdicts agree with a plain reference on five years of real robots.txt history and on scenarios.

    timeline BINARY [MOMENTS [SEED [MIXED]]]

MIXED is a number of scenarios of any captures at few moments, 0 unless given. They show what nobody thought of. They
come in rounds of 600, each with archives and a seed of its own: in larger archives, more warcinfo records would stand
than the program remembers (limit_reached). No difference is expected, with no seed. One that appears is an error of the program or of the reference, or what
docs/SEMANTICS.md leaves open: it needs a sentence there, and a scenario in evaluate/scenario/testdata.

reference.py works out what is expected of the archives that scenarios.py makes, in two archives. For each WARC record
id: verdict, evidence, reason, certainty, the governing capture (by its record id), and, where the fetch was disallowed,
the notes that the rule names; of an allowed fetch those that say why it may not be meant; of a response its refusal.
The tables violations (certain, probable) and unproven (possible, contested) must hold exactly the disallowed fetches.
Bundles of the disallowed fetches must give their verdicts, classes and grounds again.
Prints how many agree by combination, and every difference. It fails on any difference, on a fetch that one side lacks,
on a record id that the table has twice, and on a reason or certainty with fewer than five cases.
"""

import collections
import random

import reference
import scenarios
from lib import TABLES, audit, bare, call, folder, shared, table, words

# Every reason and every certainty must have been put to the test.
REASONS = """rule no_matching_rule no_matching_group robots_txt_itself unavailable unreachable unreachable_stale
unreachable_over_30d too_many_redirects unresolved_redirect unresolved_revisit undefined_status undecodable truncated
challenge changed_between conflicting_captures no_capture no_time unsupported_scheme ambiguous_token""".split()
LEAST = 5
MOST = 600  # mixed scenarios of one round
ALONE = 40  # findings of a round that have a bundle of their own

FIELDS = ["verdict", "evidence", "reason", "certainty"]

# The notes that the rule names; the tool has others, which remark on the same.
NOTES = """other_crawler same_moment other_target ambiguous_token reserved_encoding unsafe_encoding lenient parse_limit documented_token
robots_txt_encoded content_usage agent_name html order_doubt other_run user_triggered documented_exempt""".split()


def compared(row, notes):
    """What is compared of a row, as text."""
    wanted = {"disallowed": NOTES, "allowed": ["unsafe_encoding", "agent_name", "named_group_forbids", "html"]}.get(row["verdict"], [])
    return " ".join(str(v) for v in [row[f] for f in FIELDS] + [n for n in wanted if n in notes])


def misplaced(out, expected):
    """The ids that a table of disallowed fetches has too many or too few of."""
    for name, classes in TABLES.items():
        want = collections.Counter(key for key, row in expected.items() if row["certainty"] in classes)
        have = collections.Counter(bare(row["warc_record_id"]) for row in table(out, name, "warc_record_id"))
        for key in sorted((want - have) + (have - want)):
            yield "%s: %d rows, expected %d: %s %s" % (name, have[key], want[key], key, expected.get(key, {}).get("url"))


def main(binary, moments: int = 1000, seed: int = 9309, mixed: int = 0):
    rounds = [min(MOST, mixed - done) for done in range(0, max(mixed, 1), MOST)]
    return any([one_round(binary, history, moments, seed + i, count)
                for history in shared("robots/history-2020-2025.jsonl.gz") for i, count in enumerate(rounds)])


def one_round(binary, history, moments, seed, mixed):
    with folder() as work:
        layers = scenarios.main(history, work / "archives", moments=moments, seed=seed, mixed=mixed)
        expected = {bare(row["warc_record_id"]): row for row in reference.expected(sorted(map(str, (work / "archives").iterdir())))}
        audit(binary, work / "tables", [work / "archives"])
        replayed(binary, work, seed)
        return compare(expected, work / "tables", {bare(i): layer for i, layer in layers.items()})


def replayed(binary, work, seed):
    """Bundles of all disallowed fetches, and of some alone, must give their verdicts, classes and grounds again."""
    ids = [row["warc_record_id"] for name in TABLES for row in table(work / "tables", name, "warc_record_id")]
    for what in [[], *([i] for i in random.Random(seed).sample(ids, ALONE))]:
        call(binary, "evidence", work / "tables", "--drop", "--to", work / "bundle.warc.gz", *what)
        call(binary, "verify", work / "bundle.warc.gz")
        (work / "bundle.warc.gz").unlink()
    print("replayed %d findings from their bundle, and %d alone" % (len(ids), ALONE))


def compare(expected, out, scenario):
    capture_ids = {row["robots_id"]: row["warc_record_id"] for row in table(out, "robots", "robots_id", "warc_record_id")}
    found, problems = {}, []
    for row in table(out, "fetches", "url", "warc_record_id", "robots_id", "notes", "refusal", *FIELDS):
        key = bare(row["warc_record_id"])
        if key in found:
            problems.append("twice in the table: %s %s" % (key, row["url"]))
        found[key] = row

    combinations, pages = collections.Counter(), 0
    for key, want in expected.items():
        if key not in found:
            problems.append("missing in the table: %s %s" % (key, want["url"]))
            continue
        have = found[key]
        pages += want["reason"] != "robots_txt_itself"
        combinations[tuple(str(want[f]) for f in FIELDS)] += 1
        governing, cited = [bare(i) for i in want["governing"]], bare(capture_ids.get(have["robots_id"]))
        want["reason"] = {bare(i): reason for i, reason in want["reasons"].items()}.get(cited, want["reason"])
        wanted, got = compared(want, want["notes"]), compared(have, words(have["notes"]) - {*want["perhaps"]})
        if cited not in (governing or [None]):
            wanted, got = "%s by %s" % (wanted, governing), "%s by %s" % (got, cited)
        if want["refusal"] not in (None, have["refusal"] or ""):
            wanted, got = "%s refusal=%s" % (wanted, want["refusal"]), "%s refusal=%s" % (got, have["refusal"])
        if wanted != got:
            problems.append("%s %s [%s]\n  expected %s\n  found    %s" % (key, want["url"], scenario.get(key, "?"), wanted, got))
    problems += ["not expected: %s %s" % (key, found[key]["url"]) for key in found.keys() - expected.keys()]
    problems += misplaced(out, expected)

    for field, names in (("reason", REASONS), ("certainty", sum(TABLES.values(), ()))):
        for name in names:
            cases = sum(row[field] == name for row in expected.values())
            if cases < LEAST:
                problems.append("%s %s has %d cases, fewer than %d" % (field, name, cases, LEAST))

    print("%7s  %-11s %-6s %-22s %s" % ("fetches", *FIELDS))
    for combination, number in sorted(combinations.items()):
        print("%7d  %-11s %-6s %-22s %s" % (number, *combination))
    print("\n".join(problems), end="\n" * bool(problems))
    print("compared %d fetches (%d pages): %d differences" % (combinations.total(), pages, len(problems)))
    return bool(problems) or not combinations
