"""A plain, slow reference for what indexes and lists of URLs add to archives.

From docs/FORMATS.md, "Indexes and lists", alone. It makes fetches of rows, and leaves out those that tell of a fetch
which something else tells of better. The verdicts are those of reference.py. Where the text is silent, it is read so:

 I1  A row is compared with all fetches that count, not with rows that were left out.
"""

import re

import reference as ref
import warc

UNSAFE = re.compile(r"[^!-~]")
NO_FETCHES = ("application/warc-fields", "text/anvl", "application/http;msgtype=request", "text/x-ftp-control-conversation")


class Row:
    """A line of an index or a list, as far as it says something."""

    def __init__(self, index, number, listed, place, **said):
        self.index, self.number, self.listed = index, number, listed
        self.own_place = place  # where the row itself is
        for name in ("url", "time", "status", "mime", "digest", "file", "offset", "id", "method", "agent"):
            setattr(self, name, said.get(name))

    def placed(self):
        return self.file is not None and self.offset is not None

    def place(self):
        return (self.file, self.offset) if self.placed() else self.own_place

    def is_fetch(self):
        if self.status is not None or self.mime == "warc/revisit":
            return True
        if self.mime is None:  # of a request, by cdxj-indexer
            return not (self.digest and self.placed() and self.index.endswith((".cdx", ".cdxj")))
        return not self.mime.startswith("warc/") and self.mime not in NO_FETCHES

    def is_unsure(self):
        return self.status is None and self.mime != "warc/revisit" and not self.listed


class Sighting:
    """What is compared of a record or a row."""

    def __init__(self, fetch, places, source, status, method, digest, record_id):
        self.fetch, self.places, self.source = fetch, places, source
        self.status, self.method, self.digest, self.id = status, method, digest, record_id


def row_sighting(f, row):
    where = [(row.file.rsplit("/")[-1], row.offset)] if row.placed() else []
    return Sighting(f, where, row.index, row.status, row.method, row.digest and labelled(row.digest), row.id)


def letters(url):
    """A URL without what may be written in several ways."""
    path = warc.split_url(url)[1]
    path = re.sub(r"%([0-9A-Fa-f]{2})", lambda m: chr(int(m.group(1), 16)), path)
    return re.sub(r"[^!-~]|%", "", path)


def safe(url):
    path = warc.split_url(url)[1]
    return UNSAFE.sub(lambda m: "".join("%%%02X" % b for b in m.group(0).encode()), path)


def second(time):
    return time.start.replace(microsecond=0) if time else None


def is_same(a, b):
    """Whether row b tells of the fetch that a tells of."""
    if letters(a.fetch.url) != letters(b.fetch.url):
        return False
    if a.id and b.id:
        return a.id == b.id
    if set(a.places) & set(b.places):
        return True
    if a.status is not None and b.status is not None and a.status != b.status or a.method and b.method and a.method != b.method:
        return False
    if safe(a.fetch.url) != safe(b.fetch.url):
        return False
    placed = bool(a.places and b.places)
    if placed and a.source == b.source:
        return False
    if a.digest and b.digest:
        return ref.digest_key(labelled(a.digest)) == ref.digest_key(labelled(b.digest))
    return not placed


def labelled(digest):
    return digest if ":" in digest else "sha1:" + digest


def fetch_of(row):
    f = warc.Fetch()
    f.told, f.no_status, f.row = True, row.is_unsure(), row
    f.url, f.time, f.status = row.url, row.time, row.status
    f.origin, f.path = warc.split_url(row.url)
    f.id = "row %s %d" % (row.index, row.number)
    f.stand(warc.Spot((f.id, ""), 0, warc.Crawl(warc.Run(f.id))))  # no order is known, and no run
    f.method = "" if row.method in (None, "GET") else row.method
    f.type, f.location, f.validators, f.stored, f.digest = "indexed", None, {}, None, row.digest and labelled(row.digest)
    f.profile = f.refers_to = f.refers_uri = f.refers_date = None
    return f


def agent_of(row, agents_of, only):
    """The User-Agent of a row. agents_of: by archive, (its path, those that its warcinfo records name)."""
    if row.agent:
        return row.agent
    named = set()
    for path, agents in agents_of.items():
        if row.placed() and ("/" + path).endswith("/" + row.file):
            named |= set(agents) if len(set(agents)) == 1 else {None}
    if len(named) == 1 and None not in named:
        return named.pop()
    return only


def only_agent(fetches, rows, agents_of):
    """The User-Agent of all captures of robots.txt, if nothing in the inputs is of another."""
    captures = {f.user_agent for f in fetches if ref.is_robots_capture(f)}
    others = {f.user_agent for f in fetches} | {a for agents in agents_of.values() for a in agents} | {r.agent for r in rows}
    return captures.pop() if len(captures) == 1 and others - {None} == captures else None


def join(records, places, rows, agents_of, crawler=None):
    """(fetches, unread): those of the records and of the rows that tell of others. places: of records, by id."""
    fetches, seen = list(records), {}
    for f in records:
        s = Sighting(f, places[f.id], "archives", None if f.type == "resource" else f.status, f.method, f.digest, f.record_id)
        seen.setdefault((f.origin, second(f.time)), []).append(s)
    only = only_agent(records, rows, agents_of)
    rows = [r for r in rows if r.is_fetch()]
    for row in sorted(rows, key=lambda r: (r.listed, r.is_unsure(), r.url, r.id or "", r.index, r.place()[1])):  # else in the order given
        f = fetch_of(row)
        s = row_sighting(f, row)
        beside = seen.setdefault((f.origin, second(f.time)), [])
        if any(is_same(other, s) for other in beside):
            continue
        beside.append(s)
        f.user_agent = agent_of(row, agents_of, only)
        f.token, f.other_token = (warc.tokens_of_user_agent(f.user_agent) + [None, None])[:2]
        fetches.append(f)
    if crawler:
        for f in fetches:
            f.token, f.other_token, f.by_option = crawler, None, True
    return fetches, unread(records, [fetch_of(r) for r in rows], places)


def unread(records, told, places):
    """By origin, the times of captures that rows alone tell of."""
    held, none, times = {}, {}, {}
    for f in records:
        if f.path == "/robots.txt":
            s = Sighting(f, places[f.id], "archives", None if f.type == "resource" else f.status, f.method, f.digest, f.record_id)
            (held if ref.is_robots_capture(f) else none).setdefault((f.origin, second(f.time)), []).append(s)
    told = [(f, row_sighting(f, f.row)) for f in told if f.path == "/robots.txt"]
    for f, s in told:
        if f.method and f.row.placed():
            none.setdefault((f.origin, second(f.time)), []).append(s)
    for f, s in told:
        here = f.origin, second(f.time)
        if f.method or not all(is_other(c, s) for c in held.get(here, [])):
            continue
        if not any(f.row.placed() and f.row.offset in [offset for _, offset in c.places] and not is_other(c, s) for c in none.get(here, [])):
            times.setdefault(f.origin, []).append(f.time)
    return times


def is_other(a, b):
    """Whether something shows that row b tells of another robots.txt of the second of a, which may say something else."""
    if a.id and b.id:
        return a.id != b.id
    if set(a.places) & set(b.places):
        return False
    return a.status is not None and b.status is not None and a.status != b.status or ref.digests_contradict(a.digest, b.digest)
