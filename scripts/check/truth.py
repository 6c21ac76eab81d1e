"""Certain violations of random crawls are violations: what each crawler had received before each fetch is known.

    truth BINARY [FETCHES [SEED]]                 20000 fetches, seed 1
    truth BINARY FETCHES SEED --before OLD        what becomes of the true, certain rows of another binary
    truth BINARY 100000 --document                whether docs/SEMANTICS.md has the same figures
    truth BINARY --world SEED/N --keep DIR        one world, its archives and its audit; --list lists every fetch that is counted

The truth of a fetch is what its crawler had: the robots.txt that it received last before it sent the
request, at most a day old, forbids the path, or it does not. truth_worlds.py makes sites and crawlers,
truth_archives.py writes what archives would hold of them, truth_shown.py reads the audit. The run ends with 1
if a certain violation is false although something in the archives speaks against it or no limit of docs/SEMANTICS.md,
"What a class is worth", excuses it; if fewer than 93 of 100 true, certain violations by operators' crawlers stay
certain; or if the document has other figures.
"""

from collections import Counter
from pathlib import Path

import truth_archives as archives
import truth_shown as compare
import truth_worlds as simulate
from lib import ROOT, folder, words
from truth_archives import uuid


# Of a false, certain violation the limit of docs/SEMANTICS.md that excuses it, by how its cause begins.
LIMITS = {"a copy of another run": 1, "the copy received last is lost": 2, "the crawler did not follow a redirect": 2,
          "another machine": 3, "the answer came after the request": 4, "the clocks": 5}


def limit(cause):
    return next((number for begins, number in LIMITS.items() if cause.startswith(begins)), None)


class Tally:
    """Tally counts the fetches of all worlds."""

    def __init__(self):
        self.classes, self.apart, self.against, self.cleared, self.lost = (Counter() for _ in range(5))
        self.kept, self.fetches, self.accused, self.listed = 0, 0, [], []

    def add(self, label, world, places, rows, before):
        shown = compare.Archives(world, places)
        for fetch in world.exchanges:
            if fetch.robots or fetch.target or fetch.id not in places:
                continue
            self.fetches += 1
            row = rows.get(fetch.id, compare.Row("allowed"))
            for what, counts in (("all", True), ("forbidden", fetch.forbidden), ("in force", fetch.in_force)):
                self.classes[fetch.crawl.kind, row.kind, what] += counts
            if row.kind == "certain" and not fetch.forbidden:
                against = shown.against(fetch, row)
                if against:
                    what = f"{', '.join(dict.fromkeys(against))}: {shown.cause(fetch, row)}"
                    self.accused.append(f"{label} urn:uuid:{uuid(fetch.id)} {what}")
                    self.against[what] += 1
                else:
                    self.count(self.apart, label, fetch, shown.cause(fetch, row))
            if row.kind == "allowed" and fetch.forbidden:
                self.count(self.cleared, label, fetch,
                           f"{fetch.crawl.kind}, {row.reason or 'no reason known'}: {shown.cause(fetch, row)}")
            old = before.get(fetch.id)
            if old and old.kind == "certain" and fetch.forbidden and fetch.crawl.kind == "operator":
                self.kept += row.kind == "certain"
                if row.kind != "certain":
                    self.count(self.lost, label, fetch, "now " +
                               ", ".join(filter(None, (row.kind, row.reason, *sorted(words(row.notes)), row.evidence))))

    def count(self, counter, label, fetch, what):
        counter[what] += 1
        self.listed.append(f"{label} urn:uuid:{uuid(fetch.id)} {what}")


def audit_world(binary, old, label, work, tally):
    world = simulate.World(label)
    (work / "archives").mkdir(parents=True)
    places = archives.write(world, work / "archives")
    rows = compare.audit(binary, work / "archives", work / "audit")
    before = compare.audit(old, work / "archives", work / "before") if old else {}
    tally.add(label, world, places, rows, before)


def outdated(tally):
    """What docs/SEMANTICS.md should have of the figures, and has not."""
    lines = [f"result for {tally.fetches:,} fetches", f"{tally.apart.total()} *certain* fetches were not violations",
             f"forbade {tally.cleared.total()} of the *allowed* fetches"]
    for name in compare.CLASSES:
        all_of, *parts = (sum(tally.classes[kind, name, what] for kind in ("operator", "software", "nameless"))
                          for what in ("all", "forbidden", "in force"))
        lines.append(" | ".join([f"| {name}", f"{all_of:,}", *(f"{100 * part / all_of:.1f} %" for part in parts)]) + " |")
    text = " ".join((ROOT / "docs" / "SEMANTICS.md").read_text().split())  # lines break anywhere
    return [line for line in lines if line not in text]


def show(tally, compares, listed):
    kinds = {"operators": ("operator",), "software": ("software",), "nameless": ("nameless",),
             "all": ("operator", "software", "nameless")}
    print(f"{tally.fetches} fetches; of each class the number, the share that the crawler's copy forbade, and the share that the site forbade\n")
    print(f"{'class':10}" + "".join(f"{kind:>26}" for kind in kinds))
    for name in compare.CLASSES:
        cells = []
        for members in kinds.values():
            all_of, forbidden, in_force = (sum(tally.classes[kind, name, what] for kind in members)
                                           for what in ("all", "forbidden", "in force"))
            cells.append(f"{all_of}  {forbidden / all_of:6.1%}  {in_force / all_of:6.1%}" if all_of else "0")
        print(f"{name:10}" + "".join(f"{cell:>26}" for cell in cells))
    print("\nforbidden, yet allowed:")
    for why, count in tally.cleared.most_common():
        print(f"{count:8}  {why}")
    print("\nfalse and certain, and nothing in the archives speaks against it:")
    for why, count in tally.apart.most_common():
        print(f"{count:8}  {why} ({f'limit {limit(why)}' if limit(why) else 'no limit excuses it'})")
    print(f"\nfalse and certain, though something speaks against it: {len(tally.accused)}")
    for what, count in tally.against.most_common():
        print(f"{count:8}  {what}")
    for line in tally.accused if listed else tally.accused[:10]:
        print("  " + line)
    if listed:
        print("\nof those counted:", *tally.listed, sep="\n  ")
    stays = True
    if compares:
        all_before = tally.kept + sum(tally.lost.values())
        stays = tally.kept >= 0.93 * all_before
        print(f"\ntrue and certain before, by operators' crawlers: {all_before}; still certain: {tally.kept}")
        for what, count in tally.lost.most_common():
            print(f"{count:8}  {what}")
    return not tally.accused and stays and all(map(limit, tally.apart))


def main(binary, fetches: int = 20000, seed="1", *, before: Path = None, world=None, keep: Path = None,
         list: bool = False, document: bool = False):
    tally, number = Tally(), 0
    if world and keep:
        audit_world(binary, before, world, keep, tally)
    while not world and tally.fetches < fetches:
        with folder() as work:
            audit_world(binary, before, f"{seed}/{number}", work, tally)
        number += 1
    right, missing = show(tally, before, list), outdated(tally) if document else []
    if missing:
        print("\ndocs/SEMANTICS.md should have:", *missing, sep="\n  ")
    return missing or not right
