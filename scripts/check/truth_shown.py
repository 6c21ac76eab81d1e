"""The verdicts of an audit on the fetches of a world, and what in the archives speaks against them."""

import json
from statistics import median_low
from typing import NamedTuple

import warc
from lib import call, table
from truth_archives import date_of, duration_of
from truth_worlds import DAY

CLASSES = ("certain", "probable", "possible", "contested", "unknown", "allowed")


class Row(NamedTuple):
    """Row is the verdict of an audit on a fetch."""
    kind: str            # of CLASSES
    reason: str = ""
    notes: str = ""
    evidence: str = ""
    capture: str = ""    # the exchange that governs
    body: str = ""       # the exchange whose body is applied


def identity(text):
    return (text or "").removeprefix("urn:uuid:").replace("-", "")


def audit(binary, archives, output):
    """audit gives the rows of an audit of archives, by exchange. Fetches without a row are allowed."""
    call(binary, "audit", archives, "-o", output, "--quiet", "--policies", "none")
    captures = {row["robots_id"]: (identity(row["warc_record_id"]), identity(row["body_warc_record_id"])) for row in table(output, "robots")}
    rows = {}
    for mode in ("keep", "drop"):
        for line in call(binary, "export", output, mode, "--decide", "robots_unknown=drop", "--format", "jsonl").splitlines():
            row = json.loads(line)
            kind = row["reason"] if row["reason"] in CLASSES else "allowed" if mode == "keep" else "unknown"
            rows[identity(row["warc_record_id"])] = Row(kind, row["detail"] or "", "", "", *captures.get(row["robots_id"], ("", "")))
    for name in ("violations", "unproven"):
        for row in table(output, name):
            rows[identity(row["warc_record_id"])] = Row(row["certainty"], row["reason"], row["notes"] or "", row["evidence"],
                                                        identity(row["robots_warc_record_id"]), identity(row["robots_body_warc_record_id"]))
    return rows


def run_of(place):
    return warc.Run(place.run.id, {name.lower(): value for name, value in place.run.fields}, place.run.filename)


def agent_of(exchange):
    """agent_of gives the User-Agent that archives name: without request records, the warcinfo record does."""
    return exchange.agent if exchange.crawl.habits["requests"] else exchange.crawl.agent


class Archives:
    """Archives answers what the archives of a world show, by the records that they hold."""

    def __init__(self, world, places):
        self.places = places
        self.exchanges = {exchange.id: exchange for exchange in world.exchanges}
        self.copies = {}  # by URL, those that the archives hold whole
        for copy in (copy for crawl in world.crawls for copies in crawl.copies.values() for copy in copies):
            for at, first in enumerate(copy.chain):
                if (first.path != "/robots.txt" or not at) and all(part.id in places for part in copy.chain[at:]):
                    self.copies.setdefault((first.host, first.path), []).append(copy._replace(chain=copy.chain[at:]))
        self.runs, self.ordered, self.clocks = {}, set(), {}
        for identity, kept in places.items():
            for place in kept:
                self.runs.setdefault((place.file, place.run.id), []).append((place.position, self.exchanges[identity]))
        for key, found in self.runs.items():
            self.look_at_run(key, [x for _, x in sorted(found, key=lambda pair: pair[0])])

    def look_at_run(self, key, exchanges):
        """look_at_run finds whether the records of a run in a file stand in the order of their dates, mostly, and by how much its
        clock was fast."""
        dated = [(int(date_of(x)[0]) - int(x.date), x) for x in exchanges if x.date and x.age is None]
        if len(dated) >= 10 and len({x.host for _, x in dated}) >= 3 and not any(step for _, step in exchanges[0].crawl.habits["steps"]):
            self.clocks[key] = median_low(drift for drift, _ in dated)
        pages, server, far = [x for x in exchanges if not x.robots], 0, False
        gaps = [date_of(after)[0] - date_of(before)[0] for before, after in zip(pages, pages[1:])]
        for page, gap in zip(pages, [0, *gaps]):
            answered = page.age is None and page.date or 0
            far |= gap < -600 and not 0 < int(server) <= int(answered)  # else the clock was put back
            server = answered or server
        back = sum(gap < 0 for gap in gaps)
        if not (back >= 3 and back * 10 > len(gaps) or far):
            self.ordered.add(key)

    def clock_of(self, exchange):
        """clock_of gives by how much the clock was fast that dated an exchange: what all of its archives show."""
        drift = min((self.clocks.get((place.file, place.run.id), 0) for place in self.places[exchange.id]), key=abs)
        return drift if abs(drift) > 5 else 0

    def same_run(self, fetch, other):
        return any(run_of(b).is_one_with(run_of(a), agent_of(other), agent_of(fetch)) for a in self.places[fetch.id] for b in self.places[other.id])

    def against(self, fetch, row):
        """against names what speaks against a certain violation: docs/SEMANTICS.md, "Received before" and "Runs"."""
        found = []
        for other in self.used(fetch, row):
            found += self.against_order(fetch, other, other.id == row.capture)
        for copy in self.permitted(fetch):
            if copy.verdict(fetch.crawl.token, fetch.path) == "allowed":
                found.append("copy")
        return found

    def used(self, fetch, row):
        """used gives the capture that governs, and whose body is applied: of a revisit it may be anybody's."""
        def itself(x):
            own = [o for o in self.exchanges[row.capture].crawl.exchanges if (o.host, o.path, o.answer.body) == (x.host, x.path, x.answer.body) and o.sent <= fetch.sent and o.id in self.places]
            return own[-1] if own and x.id != row.capture and x.crawl is not own[-1].crawl and own[-1].crawl.habits["dedup"] else x
        return [itself(self.exchanges[name]) for name in dict.fromkeys((row.capture, row.body)) if name in self.exchanges]

    def against_order(self, fetch, other, is_capture):
        (at, unit), (date, precision) = date_of(fetch), date_of(other)
        unit, found, begun = max(unit, precision), [], date_of(fetch, True)[0]
        if cut(date, unit) > cut(begun, unit):
            found.append("date")
        together = [(a, b) for a in self.places[fetch.id] for b in self.places[other.id] if a.file == b.file and a.run.id == b.run.id]
        if cut(date, unit) == cut(at, unit) and not (fetch.crawl.token == "Wget" and any(a.position > b.position for a, b in together)):
            found.append("moment")
        ordered = [(a, b) for a, b in together if (a.file, a.run.id) in self.ordered]
        if any(a.position < b.position for a, b in ordered):
            found.append("order")
        elif cut(date, unit) < cut(at, unit) and cut(begun, unit) - cut(date, unit) < 3 - 1e-6 and duration_of(other) is None and not any(a.position > b.position for a, b in ordered):
            found.append("nothing shows the order")
        if (duration_of(other) or 0) > 0 and cut(cut(date + duration_of(other) / 1000, precision), unit) >= cut(begun, unit):
            found.append("duration")
        if is_capture and fetch.date is not None and other.date is not None and fetch.age is None and other.age is None:
            if int(other.date) > int(fetch.date) and min(abs(int(fetch.date) + fast - int(at)) for fast in (0, self.clock_of(fetch))) <= 5:
                found.append("Date")
        elif max(5, cut(at, unit) - cut(date, unit)) < self.clock_of(fetch) - self.clock_of(other):
            found.append("clock")
        if not self.same_run(fetch, other) and (fetch.crawl.kind == "software" or fetch.crawl.token == "ExampleBot" and any(
                run_of(a).contradicts(run_of(b)) for a in self.places[fetch.id] for b in self.places[other.id])):
            found.append("run")
        if agent_of(fetch) != agent_of(other) and not self.is_nameless_own(fetch, other):
            found.append("crawler")
        return found

    def is_nameless_own(self, fetch, other):
        """is_nameless_own tells whether a capture has no User-Agent, and nothing in its runs speaks against this crawler."""
        def speaks(x):
            return agent_of(x) not in ((None, agent_of(fetch)) if x.target else (None,) if x.robots else (agent_of(fetch),))
        return agent_of(other) is None and self.same_run(fetch, other) and not any(
            speaks(x) for place in self.places[other.id] for _, x in self.runs[place.file, place.run.id])

    def permitted(self, fetch):
        """permitted gives the copies of the day before the fetch, by anyone: of its robots.txt, and of what that redirected to."""
        at, unit = date_of(fetch)

        def of_the_day(url):
            return [copy for copy in self.copies.get(url, ()) if cut(at, unit) - DAY <= date_of(copy.chain[0])[0] <= at]
        own = of_the_day((fetch.host, "/robots.txt"))
        targets = dict.fromkeys((part.host, part.path) for copy in own for part in copy.chain[1:])
        return [*own, *(copy for url in targets for copy in of_the_day(url))]

    def cause(self, fetch, row):
        """cause names what misleads whoever reads the archives alone."""
        used = self.used(fetch, row)
        used += [part for url in self.copies for copy in self.copies[url] if copy.chain[0].id == row.capture for part in copy.chain[1:]]
        other = next((x for x in used if x.crawl is not fetch.crawl or x.received > fetch.sent), used[0] if used else None)
        if fetch.crawl.kind == "nameless" and fetch.crawl.token:
            return "the crawler hides its name"
        if fetch.last and any(part.id not in self.places for part in fetch.last.chain):
            return "the copy received last is lost"
        if other is None:
            return "no capture governs"
        if other.crawl.token != fetch.crawl.token:
            return "a copy of another crawler"
        if other.crawl is not fetch.crawl and not self.same_run(fetch, other):
            return "a copy of another run of this token"
        if other.crawl is not fetch.crawl:
            joined = any(a.run.id == b.run.id for a in self.places[fetch.id] for b in self.places[other.id])
            return f"a copy of another run, which the archives {'join without a warcinfo record' if joined else 'describe in the same words'}"
        if other.received > fetch.sent:
            after = any(a.file == b.file and a.run.id == b.run.id and a.position < b.position
                        for a in self.places[fetch.id] for b in self.places[other.id])
            order = "and its record stands after the fetch's" if after else "and no order of records shows it"
            return f"the answer came after the request, dated at the {fetch.crawl.habits['dated']} of the exchange, {order}"
        if not fetch.crawl.follows and any(x.answer.location for x in used):
            return "the crawler did not follow a redirect"
        if other.machine != fetch.machine and not fetch.crawl.shares:
            return "another machine of the crawler received it"
        if len(set(fetch.crawl.habits["offsets"])) > 1 or any(step for _, step in fetch.crawl.habits["steps"]):
            return "the clocks of the crawler's machines differ"
        return "other"


def cut(moment, unit):
    return int(moment / unit + 1e-6) * unit
