"""Work out the violations in archives with another program, and compare.

    expected DIR ARCHIVE...

The archives are read by reference.py, which asks Protego in place of its own matcher.
A disallowed fetch is compared by URL, WARC record id and certainty, in the table where it belongs; not one
may be missing or too many. The verdict and evidence of every other fetch are compared as well.
"""

from collections import Counter
from pathlib import Path

import reference
import robots
import warc
from lib import TABLES, bare, table


def protego(body, tokens, path, equal=b"", **reading):
    """protego answers as reference.judge_by_rules does."""
    token = next((token for token in tokens if robots.has_group(body, token, **reading)), None)
    allowed = robots.by_protego(body, token, equal, **reading)(path.encode("utf-8"))
    return ("allowed", "rule or none") if allowed else ("disallowed", "rule")


def tabled(folder, name, *columns):
    """tabled reads URL, record id and columns of a table of the audit."""
    rows = table(folder, name, "url", "warc_record_id", *columns)
    return Counter((r["url"], bare(r["warc_record_id"]), *(r[c] for c in columns)) for r in rows)


def expected(judged, *columns):
    """expected counts the findings as tabled does the rows."""
    return Counter((f.url, bare(f.record_id), *(getattr(found, c) for c in columns)) for f, found in judged)


def compare(want, have):
    for sign, rows in (("missing ", want - have), ("too many", have - want)):
        for url, record_id, *values in sorted(rows.elements(), key=str):
            print(f"{sign}  {' '.join(map(str, values)):16}  {url}  {record_id}")
    return want == have


def tally(rows):
    classes = Counter(certainty for *_, certainty in rows.elements())
    return ", ".join(f"{classes[c]} {c}" for c in sum(TABLES.values(), ()))


def main(tables: Path, *archives: Path, expect_none: bool = False):
    archive = reference.Archive(warc.read_archives([path for root in archives for _, path in warc.archives_in(root)]), protego)
    judged = [(fetch, reference.decide(archive, fetch)) for fetch in archive.fetches]
    disallowed = [(fetch, found) for fetch, found in judged if found.certainty]
    want = expected(disallowed, "certainty")
    have, same = Counter(), True
    for name, classes in TABLES.items():
        rows = tabled(tables, name, "certainty")
        same &= compare(expected([(f, found) for f, found in disallowed if found.certainty in classes], "certainty"), rows)
        have += rows
    same &= compare(expected(judged, "verdict", "evidence"), tabled(tables, "fetches", "verdict", "evidence"))
    print(f"expected: {'equal' if same else 'DIFFERENT'}: expected {tally(want)} among {len(judged)} fetches; "
          f"tables hold {tally(have)}")
    return not same or expect_none and bool(want)
