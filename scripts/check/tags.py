"""Tables and lists state the use of random pages (tags, usage signals, revisits) as a plain reference does, row by row.

    tags BINARY [ARCHIVES [SEED [PAGES]]]

tags_archives.py makes the archives, tags_reference.py knows what their lines mean. Each archive is audited for all purposes, then decided twice more with other options. A bundle of
evidence proves each row of the lists to drop. The recipe of docs/recipes.sql that keeps pages gives what
`export OUT keep` gives. Of so many PAGES, the metas in the head are those of Chromium (Debian's). Exit code 1 where anything differs.
"""

import collections
import json
import os
import random
from datetime import timedelta

import duckdb
import evidence
import tags_archives as make
import tags_heads
import tags_reference as reference
from lib import ROOT, call, folder, table, words

PURPOSES = ["archive", "index", "train"]
TAG_COLUMNS = "source line agent rule word value raw parse_mode in_head in_noscript binds restricts restricts_from defined_by tags_from".split()
SIGNAL_COLUMNS = "protocol source line group_line scope path purpose preference label value raw draft parse_mode in_head binds".split()
SHOWN = 3  # differences of a kind that are printed


class Comparison:
    """Comparison counts what was compared, and prints what differs."""

    def __init__(self, program):
        self.program = program
        self.compared, self.different = collections.Counter(), collections.Counter()

    def run(self, *args):
        return call(self.program, *args, codes=(0,))

    def differ(self, kind, e, ours, theirs):
        self.compared[kind.split()[0]] += 1
        if ours == theirs:
            return
        self.different[kind] += 1
        if self.different[kind] <= SHOWN:
            print("%s: %s %s %s of %s, %s, by %s at %s (seed %d)" % (kind, e.id, e.type, e.status, e.url, e.ctype, e.agent, e.t, self.seed))
            print("  reference %s\n  program   %s" % (ours, theirs))

    def archive(self, seed, work):
        self.seed = seed
        os.mkdir(work + "/in")
        made, rng, out = make.make(seed, work + "/in"), random.Random(seed), work + "/out"
        self.run("audit", work + "/in", "-o", out, "--quiet", *repeated("--purpose", PURPOSES))
        self.check(made, out, PURPOSES, None, ())
        self.recipe(out)
        for _ in range(2):
            purposes, asked = rng.sample(PURPOSES, rng.randint(1, 2)), rng.choice([(), ("Acme",), ("acme", "GPTBot"), ("BingBot",)])
            as_of = rng.choice([None, make.START + timedelta(seconds=rng.randrange(10**7))])
            more = repeated("--purpose", purposes) + repeated("--agents", asked) + (["--as-of", make.iso(as_of)] if as_of else [])
            self.run("evaluate", out, "--quiet", *more)
            self.check(made, out, purposes, as_of, asked)
            if not as_of:
                self.prove(out, repeated("--purpose", purposes), ())
                self.prove(out, repeated("--purpose", purposes), asked)

    def prove(self, out, purposes, asked):
        """prove compares the list to drop with the findings of a bundle. All must be proven."""
        options = [*purposes, *repeated("--agents", asked)]
        dropped = map(json.loads, self.run("export", out, "drop", "--format", "jsonl", *options).splitlines())
        bundle = out + ".bundle.warc.gz"
        said = self.run("evidence", out, "--to", bundle, "--drop", *options)
        findings = evidence.read(bundle)[1]
        proven = {v["finding"]["warc_record_id"] for _, part, v in evidence.elements(findings) if part == "violations[]"}
        self.compared["proofs"] += len(proven)
        if proven != {r["warc_record_id"] for r in dropped}:
            self.different["proofs"] += 1
            print("proofs: the bundle has other fetches than the list (seed %d): %s" % (self.seed, said))

    def recipe(self, out):
        """recipe compares the pages that the recipe keeps with the list to keep."""
        statements = duckdb.extract_statements((ROOT / "docs/recipes.sql").read_text())
        keep, = (s.query for s in statements if "'keep.parquet'" in s.query)
        duckdb.sql(keep.replace("'out/", f"'{out}/").replace("'keep.parquet'", f"'{out}.keep.parquet'"))
        kept = duckdb.sql(f"SELECT warc_filename, warc_record_offset, url FROM '{out}.keep.parquet'").fetchall()
        ours = self.list(out, "keep", ["train"]).values()
        self.compared["recipe"] += len(kept)
        if sorted(kept) != sorted((*place(r), r["url"]) for r in ours):
            self.different["recipe"] += 1
            print("recipe: %d pages, the list to keep has %d others (seed %d)" % (len(kept), len(ours), self.seed))

    def check(self, made, out, purposes, as_of, asked):
        """check compares all tables of an audit."""
        site = reference.Site(made, asked, as_of)
        fetches = {r["warc_record_id"]: r for r in table(out, "fetches")}
        ids = {e.place: e.id[1:-1] for e in made}
        restrictions, effective, conflicts, tags, signals = (
            by_fetch(out, name, ids) for name in ("restrictions", "effective_tags", "tag_conflicts", "page_tags",
                                                  "usage_signals"))
        captures = {r["robots_id"]: place(r) for r in table(out, "robots")}
        lists = {way: self.list(out, way, purposes) for way in ("keep", "undecided", "drop")}
        for e in made:
            i = e.id[1:-1]
            f = fetches[i]
            verdict, e.reason, e.cited = f["verdict"], f["reason"], captures.get(f["robots_id"])
            if e.method != "HEAD":
                self.differ("tags_from", e, site.tags_from(e, verdict), f["tags_from"])
            self.differ("hints", e, site.hints(e, verdict), words(f["hints"], ","))
            self.differ("tags", e, site.effective(e, e.agent)[0], words(f["tags"], ", "))
            self.each("restrictions", e, {k: ({(s, str(n)) for s, n in v[0]}, v[1]) for k,
                                          v in site.restrictions(e, verdict, purposes).items()},
                      {(r["kind"], r["purpose"]): ({tuple(s.split(": ", 1)[0].rsplit(" ", 1))
                                                    for s in r["statements"]}, r["certainty"])
                       for r in restrictions[i]})
            self.each("effective_tags", e, site.rows(e),
                      {r["agent"]: (words(r["rules"], ", "), words(r["conflicts"], ","), r["restricts_archive"],
                                    r["restricts_index"],
                                    r["restricts_train"]) for r in effective[i]})
            self.each("tag_conflicts", e, {c: True for c in site.conflicts(e, verdict)},
                      {(r["kind"], tuple(sorted(words((r["detail"] or "").replace(", ", ","))))): True
                       for r in conflicts[i]})
            if e.what != "robots":
                self.differ("lists", e, listed(e, f, site.restrictions(e, verdict, purposes), site.hints(e, verdict),
                                               purposes),
                            [(way, rows[i]["reason"]) for way, rows in lists.items() if i in rows])

            for r in tags[i] + signals[i]:
                self.differ("url", e, (e.url, e.t), (r["url"], r["fetch_time"]))
            self.rows("page_tags", e, site.page_tags(e, verdict), [tuple(r[c] for c in TAG_COLUMNS) + (noted(r),) for r in tags[i]])
            self.rows("usage_signals", e, site.usage_signals(e, verdict),
                      [tuple(r[c] for c in SIGNAL_COLUMNS) + (
                          captures.get(r["robots_id"]), r["file_warc_filename"] and place(r, "file_"), noted(r)) for r in signals[i]])

    def rows(self, kind, e, ours, theirs):
        """rows compares rows that have no key: as often as one is there."""
        ours, theirs = collections.Counter(ours), collections.Counter(theirs)
        self.compared[kind] += (ours & theirs).total()
        for row in sorted((ours - theirs) | (theirs - ours), key=str):
            self.differ(kind, e, (ours - theirs).get(row) and row, (theirs - ours).get(row) and row)

    def each(self, kind, e, ours, theirs):
        for key in sorted(set(ours) | set(theirs), key=str):
            self.differ("%s %s" % (kind, key), e, ours.get(key), theirs.get(key))

    def list(self, out, way, purposes):
        lines = self.run("export", out, way, "--format", "jsonl", *repeated("--purpose", purposes)).splitlines()
        return {r["warc_record_id"]: r for r in map(json.loads, lines)}


def listed(e, fetch, restrictions, hints, purposes):
    """listed returns the list that a fetch is in, with its reason."""
    if fetch["verdict"] == "disallowed":
        return [("drop", "disallowed")]
    if restrictions:
        return [("drop", "restricted")]
    if fetch["fetch_method"] == "HEAD" or not 200 <= e.status < 300:
        return [("undecided", "not_a_page")]
    if fetch["verdict"] == "unknown":
        return [("undecided", "robots_unknown")]
    if "named_group_forbids" in fetch["notes"]:
        return [("undecided", "unnamed_crawler")]
    if purposes and fetch["tags_from"] == "unknown":
        return [("undecided", "tags_unknown")]
    if hints & set(purposes):
        return [("undecided", "hint")]
    return [("keep", "allowed")]


def repeated(flag, values):
    return [word for value in values for word in (flag, value)]


def place(row, of=""):
    return row[of + "warc_filename"], row[of + "warc_record_offset"]


def noted(row):
    return frozenset(words(row["notes"], ","))


def by_fetch(out, name, ids):
    rows = collections.defaultdict(list)
    for r in table(out, name):
        rows[ids[place(r)]].append(r)
    return rows


def main(binary, archives: int = 8, seed: int = 1, pages: int = 0):
    comparison = Comparison(binary)
    for number in range(seed, seed + archives):
        with folder() as work:
            comparison.archive(number, str(work))
    print("compared in %d archives: %s" % (archives, ", ".join("%d %s" % (n, kind) for kind, n in comparison.compared.items())))
    print("%d differences" % comparison.different.total())
    return comparison.different.total() + (tags_heads.compare(binary, pages, seed) if pages else 0)
