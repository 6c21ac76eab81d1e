"""Fetches and verdicts on random archives with indexes and lists of URLs are those of a plain reference, index_reference.py.

    indexes BINARY [AUDITS [SEED]] [--scenarios N] [--keep DIR]
"""

import collections
import gzip
import json
import os
import random
import uuid
from datetime import timedelta, timezone

import pyarrow
import pyarrow.parquet
from warcio.archiveiterator import ArchiveIterator

import index_reference as joins
import reference as ref
import scenarios as h
import warc
from lib import audit, bare, iso, seeded, table, words

COMPARED = ["verdict", "evidence", "reason", "certainty"]
LONG = random.Random(1).randbytes(30000).hex().encode()  # a page that no buffer holds whole
NOTES = ["other_crawler", "same_moment", "other_target", "ambiguous_token", "unread_capture", "no_status", "redirect_target"]


def scenario(s):
    """Fetches as in mixed; of each it is drawn which archives hold it, and which rows tell of it."""
    rng = s.rng
    h.any_captures(s)
    dates = {e.warc.get("WARC-Refers-To-Date") for e in s.made}
    asked = [e for e in s.made if e.url.endswith("/robots.txt") and e.date not in dates]
    for e in rng.sample(asked, min(len(asked), rng.choice([0, 0, 1]))):
        e.method = rng.choice(["HEAD", "POST"])
    for e in s.made:
        if not e.url.endswith("/robots.txt") and e.type == "response":
            e.body = e.body + rng.choice([b"", b"\n#" + LONG]) if e.url.endswith("robots") else rng.choice([b"page"] * 5 + [b"another"] * 2 + [LONG])
            if rng.random() < 0.1:
                e.type, e.ua = "resource", None
            e.url += rng.choice([""] * 12 + ["#f", "?q=%7E", "?q=a|b", "%"])
        if rng.random() < 0.04 and not e.url.endswith("robots") and not e.url.endswith("/robots.txt"):
            e.precision = rng.choice(["day", "minute"])
    rows, copies = rng.choice([0.1, 0.5, 0.9]), rng.choice([0, 0.2, 0.6])
    for e in s.made:
        again = [o for o in s.made if o is not e and o.url == e.url and o.when == e.when]  # of which a 304 may mean one
        e.hidden = not again and rng.random() < (0.15 if e.url.endswith("/robots.txt") else 0.5)
        e.copied = not e.hidden and "/private/robots" not in e.url and rng.random() < copies  # else which archive's crawler got it is open
        e.rows = rng.choice([1, 1, 1, 2, 3]) if e.hidden or rng.random() < rows else 0
    for e in [e for e in s.made if e.url.endswith("/robots.txt")]:
        if rng.random() < 0.15:  # another answer in its second, of which rows alone tell
            other = s.robots(e.when, rng.choice([e.body, h.A, h.B]), rng.choice([e.status, 200]), origin=e.url.removesuffix("/robots.txt"),
                             ua=e.ua, headers=e.headers, precision=e.precision, archive=e.archive)
            other.hidden, other.copied, other.rows = True, False, rng.choice([1, 1, 2])


def log_lines(s, odds):
    """[(moment, status, URL)]: what a crawl.log says of robots.txt that could not be had, and else."""
    rng, lines = s.rng, []
    while rng.random() < odds:
        e = rng.choice(s.made)
        when = e.when + rng.choice([1, -1]) * rng.choice(h.SPANS + [40 * h.MINUTE] * 3)
        url = rng.choice([e.url.split("/private")[0].split("/public")[0], s.origin]).removesuffix("/robots.txt")
        status, path = rng.choice([(-1, "/robots.txt"), (-2, "/robots.txt"), (-8, "/robots.txt"), (-61, "/private/x"), (-61, "/robots.txt"), (-5, "/robots.txt"),
                                   (-404, "/robots.txt"), (-2, "/private/x"), (200, "/robots.txt"), (503, "/robots.txt"), (-9998, "/private/x")])
        lines += [(when.replace(microsecond=0), status, url + path)] * rng.choice([1, 1, 2])
    return lines


def failures(lines, captures, crawler):
    """The captures that lines of a log stand for: of those less than an hour after another, with no capture between, the first."""
    found = {}
    for when, status, url in sorted(set(lines)):
        origin, path = warc.split_url(url)
        if status == -61 or path == "/robots.txt" and status in (-1, -2, -3, -4, -6, -8):
            last = found.setdefault(origin, [])
            if last and when - last[-1].time.start < h.HOUR_ and not any(last[-1].time.start < c.time.start <= when for c in captures.get(origin, [])):
                continue
            f = warc.Fetch()
            f.url, f.origin, f.path, f.token = origin + "/robots.txt", origin, "/robots.txt", crawler
            f.time = moment({"time": when})["time"]
            f.id = f.record_id = "log %s %s" % (f.url, when)
            f.type, f.status, f.location, f.profile = "log", 503, None, ""
            f.user_agent, f.by_option = None, crawler is not None
            f.stand(warc.Spot((f.id, ""), 0, warc.Crawl(warc.Run(f.id))))
            last.append(f)
    return found


def write_log(path, lines):
    with open(path, "w", encoding="ascii") as out:
        for when, status, url in lines:
            print(iso(when), status, "-", url, "P - text/plain #001 - - - -", file=out)


def store(path):
    """Has long records lie in their members as they are, so that damage changes a byte of them and no more."""
    data = open(path, "rb").read()
    ends = [0, *(end for _, end in warc.members(data))]
    with open(path, "wb") as out:
        for begin, end in zip(ends, ends[1:]):
            content = gzip.decompress(data[begin:end])
            out.write(gzip.compress(content, 0) if len(content) > len(LONG) else data[begin:end])


def places_of(path):
    """{record id: (offset, length, media type)}"""
    found = {}
    with open(path, "rb") as stream:
        records = ArchiveIterator(stream)
        for r in records:
            r.content_stream().read()
            offset, length = records.get_record_offset(), records.get_record_length()
            kind = (r.http_headers and r.http_headers.get_header("Content-Type")) or ("text/html" if r.rec_type == "resource" else None)
            found[r.rec_headers.get_header("WARC-Record-ID")] = offset, length, kind
    return found


def row_of(rng, e, held, faults=1):
    """What a row says of an exchange: the values by name; the time is a datetime."""
    name = rng.choice(sorted(n for n, places in held.items() if e.id in places))
    offset, length, mime = held[name][e.id]
    said = {"url": e.url, "time": warc.Moment(e.date).start.replace(microsecond=0), "status": None if e.type == "resource" else e.status, "mime": mime, "file": name, "offset": offset,
            "length": length, "digest": None if e.type == "revisit" and "server-not" in e.warc["WARC-Profile"] else e.digest.removeprefix("sha1:")}
    if e.type == "revisit":
        said["mime"] = "warc/revisit"
    if rng.random() < 0.2:
        said["id"] = e.id
    if e.method != "GET" and rng.random() < 0.5:
        said["method"] = e.method
    for field in ("status", "digest", "offset", "file", "mime", "length"):
        if rng.random() < 0.07 * faults:
            said[field] = None
    kind = rng.random() if faults else 1
    if kind < 0.05:
        said["file"], said["offset"] = "moved.warc.gz", rng.randrange(10**6)  # another archive that has it, too
    elif kind < 0.1:
        said["file"] = said["file"] and "crawl/" + said["file"]
    elif kind < 0.13:
        said["digest"] = h.sha1(b"%d" % rng.randrange(9))[5:]
    elif kind < 0.16:
        said["status"], said["mime"] = None, rng.choice([*joins.NO_FETCHES, "warc/request", None])
    elif kind < 0.2:
        said["url"] = said["url"].replace("%7E", "~").replace("|", "%7C").replace("http://", "http://u:p@").split("#")[0]
    if said["status"] is not None and rng.random() < 0.02 * faults:
        said["status"] = 200 if said["status"] != 200 else 404
    return said


def faulty(rng, said):
    """A row that may be wrong in where the record lies, or what it is."""
    if rng.random() > 0.005:
        return said
    name = rng.choice(["offset", "length", "length", "time", "url"])
    by = {"time": timedelta(seconds=1), "url": "x"}.get(name, rng.choice([-1000, -9, 9, 1000]))
    return {**said, name: said[name] + by if name in ("time", "url") else max(1, said[name] + by)}


def write(path, rows, first, text, line, listed=False, finish=bytes):
    """Writes a line for each row behind a text, and returns the rows as they are read, which are numbered from first."""
    made, name = [], os.path.basename(path)
    for n, said in enumerate(rows, first):
        made.append(joins.Row(name, n, listed, (name, len(text)), **moment(said)))
        text += line(n, said)
    open(path, "wb").write(finish(text))
    return made


def digits(said):
    return said["time"].strftime("%Y%m%d%H%M%S")


def write_cdxj(path, rows):
    names = {"url": "url", "mime": "mime", "status": "status", "digest": "digest", "length": "length", "offset": "offset",
             "file": "filename", "id": "recordid", "method": "method"}

    def line(n, said):
        fields = {to: str(said[name]) for name, to in names.items() if said.get(name) is not None}
        if said.get("status") is None and n % 2:
            fields["status"] = "-"
        return f"key {digits(said)} {json.dumps(fields)}\n".encode()
    return write(path, rows, 1, b"", line)


def write_cdx(path, rows):
    def line(n, said):
        first, last = (["-" if said[x] is None else str(said[x]) for x in some] for some in (
            ("url", "mime", "status", "digest"), ("length", "offset", "file")))
        return " ".join(["key", digits(said), *first, "-", "-", *last]).encode() + b"\n"
    return write(path, [{**said, "id": None, "method": None} for said in rows], 2, b" CDX N b a m s k r M S V g\n", line)


def write_server(path, rows):
    """An answer of a CDX server, as its name says: arrays behind one of their names, an array of objects, or lines of objects."""
    names = {"url": "original", "mime": "mimetype", "status": "statuscode", "digest": "digest", "length": "length", "offset": "offset",
             "file": "filename", "id": "recordid", "method": "method"}
    form = os.path.basename(path).split(".")[1]
    begin, between, end = (b"", b"\n", b"\n") if form == "lines" else (b"[", b",\n ", b"]\n")
    if form == "lists":
        begin += json.dumps(["urlkey", "timestamp", *names.values()]).encode() + between

    def line(n, said):
        values = {"urlkey": "key", "timestamp": digits(said), **{to: said.get(name) for name, to in names.items()}}
        if n % 2:  # some servers write numbers as text
            values = {name: "-" if v is None else str(v) for name, v in values.items()}
        return json.dumps(list(values.values()) if form == "lists" else values).encode() + between
    rest = b'[], ["a key to the rest"]' if form == "lists" else b""
    return write(path, rows, 2 if form == "lists" else 1, begin, line, finish=lambda text: (text + rest).removesuffix(between) + end)


def write_parquet(path, rows):
    columns = {"url": ("url", pyarrow.string()), "time": ("fetch_time", pyarrow.timestamp("ms", "UTC")), "status": ("fetch_status", pyarrow.int16()),
               "digest": ("content_digest", pyarrow.string()), "mime": ("content_mime_type", pyarrow.string()), "file": ("warc_filename", pyarrow.string()),
               "offset": ("warc_record_offset", pyarrow.int32()), "length": ("warc_record_length", pyarrow.int32())}
    table = {to: pyarrow.array([said[name] for said in rows], kind) for name, (to, kind) in columns.items()}
    ids = [said.get("id") and uuid.UUID(said["id"].strip("<>")).bytes for said in rows]
    pyarrow.parquet.write_table(pyarrow.table({**table, "warc_record_id": pyarrow.array(ids, pyarrow.binary())}), path)
    name = os.path.basename(path)
    return [joins.Row(name, n, False, (name, n), **moment({**said, "method": None})) for n, said in enumerate(rows, 1)]


def write_list(path, rows):
    rows = [{name: said[name] for name in ("url", "time", "agent")} for said in rows]
    return write(path, rows, 2, b"url,warc_date,user_agent\n",
                 lambda _, said: f"{said['url']},{iso(said['time'])},{said['agent'] or ''}\n".encode(), listed=True)


def moment(said):
    return {**said, "time": warc.Moment(iso(said["time"]))}


WRITERS = {"a.cdxj": write_cdxj, "b.cdx": write_cdx, "c.parquet": write_parquet, "d.cdxj": write_cdxj, "e.csv": write_list,
           "f.lists.json": write_server, "g.objects.json": write_server, "h.lines.json": write_server}


class Audit:
    """Archives and indexes of one seed."""

    def __init__(self, seed, folder, scenarios):
        rng = self.rng = random.Random(seed)
        self.folder = folder
        self.crawler = "ExampleBot" if rng.random() < 0.3 else None
        self.profile = rng.choice(["rfc9309", "rfc9309", "rep-08", "google"])
        single = rng.random() < 0.6
        informed = rng.choice([None, None, h.EXAMPLE, h.EXAMPLE if single else h.GOOGLE])
        exchanges, lines, odds = [], [], rng.choice([0, 0, 0.3, 0.6])
        for number in range(1, scenarios + 1):
            s = h.Scenario(rng, "index", "a%d.example" % (number % 7), number)
            scenario(s)
            for e in s.made:
                if single and e.ua is not None:
                    e.ua = h.EXAMPLE
            exchanges += s.made
            lines += log_lines(s, odds)
        os.mkdir(os.path.join(folder, "in"))
        os.mkdir(os.path.join(folder, "away"))
        self.logs, self.lines = [], lines
        if lines:
            self.logs.append(os.path.join(folder, "in", "crawl.log"))
            write_log(self.logs[0], lines)
        self.archives, held, self.agents_of = [], {}, {}
        for n in (1, 2, 3):
            name = "%d.warc.gz" % n
            path = os.path.join(folder, "in" if n < 3 else "away", name)
            agents = rng.choice([(None,), (informed,), (informed, informed), ()])
            with open(path, "wb") as out:
                agents = h.write_archive(out, rng, h.SOFTWARE[1 if n == 1 else 2], [
                    e for e in exchanges if (3 if e.hidden else e.archive) == n or e.copied and n < 3], agents)
            store(path)
            held[name] = places_of(path)
            if n < 3:
                self.archives.append(path)
                self.agents_of[path] = agents
        self.archives.insert(0, os.path.join(folder, "in", "0.warc.gz"))
        with open(self.archives[0], "wb") as out:
            self.agents_of[self.archives[0]] = h.write_copies(out, rng, [e for e in exchanges if not e.hidden and "/private/robots" not in e.url])
        own = [row_of(rng, e, {n: held[n] for n in ("1.warc.gz", "2.warc.gz")}, 0) for e in exchanges if not e.hidden]
        form = rng.choice([name for name in WRITERS if name != "e.csv"])
        self.own, self.faulty = (os.path.join(folder, kind, form) for kind in ("right", "wrong"))
        rng.shuffle(own)
        for path, rows in (self.own, own), (self.faulty, [faulty(rng, said) for said in own]):
            os.mkdir(os.path.dirname(path))
            WRITERS[form](path, rows)
        told = {name: [] for name in WRITERS}
        listed = (lambda e: e.ua) if not single else lambda e: rng.choice([h.EXAMPLE, None])
        for e in exchanges:
            for _ in range(e.rows):
                said = row_of(rng, e, held)
                name = rng.choice(["a.cdxj", "a.cdxj", *WRITERS])
                said["agent"] = listed(e) if name == "e.csv" else None
                told[name].append(said)
        self.indexes = []
        self.rows = []
        for name in WRITERS:
            path = os.path.join(folder, "in", name)
            rng.shuffle(told[name])
            if told[name]:
                self.indexes.append(path)
                self.rows += [(path, r) for r in WRITERS[name](path, told[name])]
        fetches = warc.read_archives(self.archives)
        self.places = collections.defaultdict(list)
        for path in self.archives:
            for record_id, (offset, _, _) in held.get(os.path.basename(path), {}).items():
                self.places[record_id].append((os.path.basename(path), offset))
        self.fetches = fetches

    def run(self, binary, out, indexes, *options):
        inputs = self.archives + self.logs + [p for p in indexes if not p.endswith(".csv")]
        lists = [x for p in indexes if p.endswith(".csv") for x in ("--urls", p)]
        crawler = ["--crawler", self.crawler] if self.crawler else []
        audit(binary, out, inputs, *lists, *crawler, "--profile", self.profile, *options)
        return {n: table(out, n) for n in ("fetches", "robots")}

    def compare_own(self, binary):
        """An index of the archives themselves changes nothing."""
        tables = []
        for indexes in [], [self.own]:
            out = os.path.join(self.folder, "own%d" % len(indexes))
            self.run(binary, out, indexes, "--agents", "GPTBot")
            tables.append({n: table(out, n.removesuffix(".parquet")) for n in sorted(os.listdir(out)) if n.endswith(".parquet")})
        for name, rows in tables[0].items():
            if rows != tables[1][name]:
                yield "%s differs with an index of the archives themselves: %s" % (name, [
                    pair for pair in zip(rows, tables[1][name]) if pair[0] != pair[1]][:1] or (len(rows), len(tables[1][name])))

    def expect(self, indexes):
        rows = [r for p, r in self.rows if p in indexes]
        return joins.join(warc.read_archives(self.archives), self.places, rows, self.agents_of, self.crawler)


def place_of(row):
    return row["warc_filename"], row["warc_record_offset"]


def key_of(row):
    """Rows of one URL and second share a key: to which of two that are alike a redirect led, nothing tells."""
    if row["record_type"] != "indexed":
        return bare(row["warc_record_id"])
    return row["url"], row["fetch_time"] and row["fetch_time"].replace(tzinfo=timezone.utc)


def said_by(row, cited):
    notes = [n for n in NOTES if n in words(row["notes"])] if row["verdict"] == "disallowed" else []
    return " ".join(map(str, [*(row[c] for c in COMPARED), row["agent"] or None, row["fetch_method"], *notes, "by", cited]))


def expectation(f, d, ids):
    """What is expected, by the capture that is cited: of captures of one moment any may be."""
    notes = [n for n in NOTES if n in d.notes] if d.verdict == "disallowed" else []
    by = {bare(c.id): d.reasons.get(c.id, d.reason) for c in d.moment}
    cited = next((i for i in sorted(ids, key=str) if i in by), min(by, default=None))
    return " ".join(map(str, [d.verdict, d.evidence, by.get(cited, d.reason), d.certainty, f.token, f.method, *notes, "by", cited]))


def compare(binary, seed, folder, scenarios, totals):
    a = Audit(seed, str(folder), scenarios)
    got = a.run(binary, folder / "out", a.indexes)
    yield from a.compare_own(binary)
    fetches, unread = a.expect(a.indexes)
    archive = ref.Archive(fetches, unread=unread, profile=a.profile)
    for origin, captures in failures(a.lines, archive.robots_of, a.crawler).items():
        archive.robots_of.setdefault(origin, []).extend(captures)
    cited = {r["robots_id"]: bare(r["warc_record_id"]) or "log %s %s" % (r["url"], r["fetch_time"]) for r in got["robots"]}
    found, expected = collections.defaultdict(list), collections.defaultdict(list)
    for row in got["fetches"]:
        found[key_of(row)].append(row)
    for f in archive.fetches:
        d = ref.decide(archive, f)
        expected[(f.url, f.time.start) if f.told else bare(f.record_id)].append((f, d))
        totals[d.reason] += 1
    for key in expected.keys() | found.keys():
        have = sorted(said_by(r, cited.get(r["robots_id"])) for r in found[key])
        ids = {cited.get(r["robots_id"]) for r in found[key]}
        want = sorted(expectation(f, d, ids) for f, d in expected[key])
        places = [sorted(f.row.place() for f, _ in expected[key] if f.told),
                  sorted(place_of(r) for r in found[key] if r["record_type"] == "indexed")]
        if want != have or places[0] != places[1]:
            yield "%s\n   expected %s %s\n   found    %s %s" % (key, want, places[0], have, places[1])
    totals.update(fetches=len(fetches), rows=len(a.rows), told=sum(f.told for f in fetches))


def main(binary, audits: int = 8, seed: int = 1, *, scenarios: int = 60, keep=None):
    return seeded(compare, "audits", binary, audits, seed, scenarios, keep,
                  "compared in {audits} audits: {fetches} fetches, {told} of them told by {rows} rows: {problems} differences")
