"""Compare audits of WATs of random archives, and of some of their records, with a reference and with audits of the whole.

The archives are those of indexes.py. WATs tell of all their records. Other archives hold the
captures of robots.txt, what these redirect to, and some pages; of most seeds, some are missing there.
The verdicts must be what reference.py makes of that, and the other columns those of the
whole archives. Where nothing is missing, no verdict may be surer than that of the whole archives.

What WATs of random pages with tags say of their use must be what the archives say: see wat_tagged.py.
"""

import collections
import random

import indexes
import reference as ref
import scenarios as h
import warc
import wat as compare
import wat_tagged as tagged
import whole
from lib import audit_list as audited, bare, seeded

SURE = {"certain": 2, "probable": 1}
# Columns that the reference tells of, and what a WAT does not tell.
OTHER = ["notes", "robots_id", "agent", "agent_source", "prior_verdict", "rule_line", "group_line", "warc_filename", "warc_record_offset", "warc_record_length",
         "record_type", "trust", "tags_from", "claim", "fetch_duration_ms"]


class Crawls:
    """Two archives of scenarios, their WATs, and copies that lack what is not held."""

    def __init__(self, rng, folder, scenarios):
        self.archives, self.parts = [], []
        made = []
        for number in range(1, scenarios + 1):
            s = h.Scenario(rng, "wat", "a%d.example" % (number % 7), number)
            indexes.scenario(s)
            made += s.made
        odds = {kind: rng.choice([1, 1, 1, 0.9, 0.5]) for kind in ("robots", "target")}
        odds["page"] = rng.choice([0, 0, 0.05, 0.3])
        held, self.asked = set(), {e.id: e.ua for e in made}
        for e in made:
            kind = "robots" if e.url.endswith("/robots.txt") else "target" if e.url.endswith("robots") else "page"
            if rng.random() < odds[kind]:
                held |= {e.id, e.request_id}
                if e.join == "adjacent":  # in the copy, other records would stand beside it
                    e.join = "request"
        self.complete = odds["robots"] == odds["target"] == 1
        informed = rng.choice([None, None, h.EXAMPLE, h.GOOGLE])
        for n in (1, 2):
            path = folder / ("%d.warc.gz" % n)
            with open(path, "wb") as out:
                h.write_archive(out, rng, h.SOFTWARE[n], [e for e in made if e.archive == n], rng.choice([(None,), (informed,), (None, h.HERITRIX)]))
            self.archives.append(path)
            part = folder / rng.choice(["part", "%d.warc.gz", "robots"]).replace("%d", "robots/%d" % n)
            part = part if part.name.endswith("gz") else folder / ("%s-%d.warc.gz" % (part.name, n))
            part.parent.mkdir(exist_ok=True)
            copy(path, part, held)
            self.parts.append(part)

    def expected(self, wats):
        """expected are the fetches that parts hold or WATs tell of, and the times of robots.txt among the latter."""
        told, agents = set(), {}
        for record in (r["Envelope"] for wat in wats for r in compare.described(wat).values()):
            record_id = record["WARC-Header-Metadata"]["WARC-Record-ID"]
            told.add(record_id)  # makers may leave out the last field of a warcinfo record, or all of it
            agents[record_id] = record["Payload-Metadata"].get("WARC-Info-Metadata", {}).get("http-header-user-agent")
        fetches = warc.read_archives(map(str, self.parts))
        kept = {f.id for f in fetches}
        for f in warc.read_archives(map(str, self.archives)):
            if f.id not in kept and f.id in told:
                if f.user_agent != self.asked[f.id]:
                    f.user_agent = agents.get(f.warcinfo)
                    f.token, f.other_token = (warc.tokens_of_user_agent(f.user_agent) + [None, None])[:2]
                f.told, f.type, f.archive, f.place, f.serial = True, "indexed", ("told of " + f.id, ""), 0, False
                f.location, f.validators, f.request_validators, f.stored, f.profile = None, {}, {}, None, ""
                f.refers_to = f.refers_uri = f.refers_date = None
                fetches.append(f)
        unread = collections.defaultdict(list)
        for f in fetches:
            if f.told and f.path == "/robots.txt" and f.method == "GET":  # its ID differs from those of all captures
                unread[f.origin].append(f.time)
        return ref.Archive(fetches, unread=unread)


def copy(archive, part, held):
    """copy copies the warcinfo records and those that are held."""
    data = archive.read_bytes()
    with open(part, "wb") as out:
        for record_id, (offset, length, _) in indexes.places_of(archive).items():
            if record_id in held or b"WARC-Type: warcinfo" in h.gzip.decompress(data[offset:offset + length])[:200]:
                out.write(data[offset:offset + length])


def audit(binary, out, inputs, *options):
    audited(binary, out, inputs, *options)
    return {bare(row["warc_record_id"]): row for row in whole.table(out, "fetches")}


def crawls(binary, rng, library, tmp, scenarios, totals):
    """crawls yields what differs of archives of scenarios."""
    c = Crawls(rng, tmp, scenarios)
    told = list(compare.wats(library, c.archives, tmp).values())
    options = rng.choice([(), (), ("--crawler", "ExampleBot")])
    got = audit(binary, tmp / "told", c.parts + told, *options)
    all_ = audit(binary, tmp / "whole", c.archives, *options)
    cited = {row["robots_id"]: bare(row["warc_record_id"]) for row in whole.table(tmp / "told", "robots")}
    archive = c.expected(told)
    if options:
        for f in archive.fetches:
            f.token, f.other_token, f.by_option = "ExampleBot", None, True
        archive = ref.Archive(archive.fetches, unread=archive.unread)
    want = {bare(f.id): f for f in archive.fetches}
    for key in want.keys() ^ got.keys():
        yield f"{key}: {'lost' if key in want else 'invented'}: {want[key].url if key in want else got[key]['url']}"
    for key in want.keys() & got.keys():
        f, row = want[key], got[key]
        d = ref.decide(archive, f)
        totals[d.reason] += 1
        totals["fetches"] += 1
        totals["told"] += f.told
        by = cited.get(row["robots_id"])
        a, b = indexes.expectation(f, d, {by}), indexes.said_by(row, by)
        if a != b:
            yield f"{key} {f.url} {f.time and f.time.start}{' told' if f.told else ''}\n   expected {a}\n   found    {b}\n   whole    {indexes.said_by(all_[key], '')}"
        if c.complete:
            yield from surer(f, all_[key], row)
        for column in {*row} - {*indexes.COMPARED, *OTHER}:
            if row[column] != all_[key][column]:
                yield f"{key} {f.url}: {column}: {all_[key][column]!r}, by the WAT {row[column]!r}"


def surer(f, before, after):
    """surer yields a verdict that is surer than that of the whole archive.

    In which order the records of a second came, a WAT does not tell: what came before a redirect may count as its target.
    """
    was, now = (row["certainty"] or row["verdict"] for row in (before, after))
    is_untold = after["reason"] == "robots_txt_itself" or "same_moment" in (after["notes"] or "")
    if SURE.get(now, 0) > SURE.get(was, 0) or now == "allowed" != was and not is_untold:
        yield f"{f.id} {f.url}: {was} ({before['reason']}), by the WAT {now} ({after['reason']})"


def compare_seed(binary, seed, folder, scenarios, totals):
    rng = random.Random(seed)
    library = rng.choice(list(compare.libraries()))
    yield from crawls(binary, rng, library, folder, scenarios, totals)
    yield from tagged.pages(binary, seed, library, folder / "tagged", totals)


def main(binary, archives, seed, scenarios, keep):
    return seeded(compare_seed, "archives", binary, archives, seed, scenarios, keep,
                  "compared {archives} archives: {fetches} fetches, {told} of them told by WATs, and {pages} pages: {problems} differences")
