"""The six questions of docs/recipes.sql, answered a second time from the archives.

    questions AUDIT RANKS.csv ARCHIVE...

What each capture of robots.txt came to is that of reference.py, what a line of crawl.log says is read here; whose lines
are whose is that of robots.py, and Google's own parser judges for Liu et al. The classes are written anew from their
definitions in docs/SCHEMA.md. Nothing of the audit is read but by the queries. Prints a line per question; exit code 1
if any answer differs.
"""

import collections
import csv
import datetime
import functools
import itertools
import re
import sys
from pathlib import Path

import duckdb
from jwm.robotstxt.googlebot import RobotsMatcher

import reference
import robots
import warc
from lib import ROOT

AGENT = "GPTBot"
STRATA = [(1_000, "1k"), (10_000, "10k"), (50_000, "50k"), (100_000, "100k"), (1_000_000, "1M"), (2_000_000, "2M")]
UTC = datetime.timezone.utc

# ------------------------------------------------------------------ captures


class Capture:
    """A capture of robots.txt, or a line of a log that says that it could not be had."""

    def __init__(self, origin, moment, status, outcome, body=None):
        self.origin, self.moment, self.status, self.outcome, self.body = origin, moment, status, outcome, body
        self.host = origin.split("://", 1)[1]
        self.year, self.month = moment.year, datetime.date(moment.year, moment.month, 1)


def captures_of(paths):
    archive = reference.Archive(warc.read_archives([p for p in paths if not p.endswith(".log")]))
    found = []
    for fetch in archive.fetches:
        if reference.is_robots_capture(fetch):
            outcome = archive.outcome(fetch)
            body = outcome.body if outcome.kind == "rules" else None
            found.append(Capture(fetch.origin, fetch.time.start, fetch.status, outcome.kind, body))
    for path in paths:
        if path.endswith(".log"):
            found += failures(path)
    return sorted(found, key=lambda c: (c.origin, c.moment))


def failures(path):
    """The captures that failed, as a log of Heritrix tells them. Its lines here are days apart."""
    with open(path, encoding="ascii") as log:
        for line in log:
            fields = line.split()
            if fields[1] in ("-1", "-2", "-4") and fields[3].endswith("/robots.txt"):
                begin = datetime.datetime.strptime(fields[8][:14], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
                yield Capture(fields[3].removesuffix("/robots.txt"), begin, None, "unreachable")


# ------------------------------------------------------------------- classes


def rules_of(body, token):
    rules = robots.rules_for(robots.within_parse_limit(body), [token] if token else [])
    return [(line.key, line.value) for line in rules or ()]


@functools.cache
def semantic(body, token):
    return by_probing(tuple(rules_of(body, token)))


@functools.cache
def by_probing(rules):
    """none, partial or full, by asking for many paths: two for each rule, and some that no rule is about."""
    lines = [robots.Line(0, key, value) for key, value in rules]
    paths = {b"/", b"/zqx", b"/zqx/zqx.html?zqx=1"}
    for _, value in rules:
        if robots.usable(value):
            path = value.removesuffix(b"$").replace(b"*", b"zqx")
            path = path if path.startswith(b"/") else b"/" + path
            paths |= {path, path + b"zqx", value.removesuffix(b"$").replace(b"*", b"") or b"/"}
    answers = set()
    for path in paths:
        rule = robots.deciding(lines, path) if path.startswith(b"/") and path != b"/robots.txt" else None
        if path.startswith(b"/"):
            answers.add(rule is None or rule.key == "allow")
    return "partial" if len(answers) == 2 else "none" if answers == {True} else "full"


def longpre(body, token):
    rules = [(key, value) for key, value in rules_of(body, token) if b"?" not in value]
    allow = [value for key, value in rules if key == "allow"]
    disallow = [value for key, value in rules if key == "disallow"]
    if disallow in ([], [b""]) or allow == disallow:
        return "none"
    return "all" if b"/" in disallow and not allow else "some"


@functools.cache
def liu(body, token):
    asked = {"/", "/dummy-testing-path-54321"}
    for line in body.decode("utf-8", "replace").split("\n"):
        if "allow:" in line.lower():
            words = line.split() if "allow: " in line.lower() else line.split(":")
            if len(words) > 1:
                asked.add(words[1].removesuffix("$"))
    answers = {RobotsMatcher().OneAgentAllowedByRobots(body, token.encode(), b"http://host/" + path.encode().removeprefix(b"/")) for path in asked}
    return "partial" if len(answers) == 2 else "none" if answers == {True} else "full"


def common_crawl(body, token):
    rules = robots.has_group(robots.within_parse_limit(body), token) and rules_of(body, token) or rules_of(body, None)
    if not rules:
        return None
    if rules == [("disallow", b"/")]:
        return "disallow-all"
    return "allow-all" if rules[0] in [("disallow", b"")] + [("allow", v) for v in (b"/", b"*", b"/*", b"")] and len(rules) == 1 else "allow-part"


@functools.cache
def crawl_delay(body):
    """The least Crawl-delay of the groups for everybody, in seconds, of those up to a day."""
    delays = [float(line.value) for group in robots.groups(body) for line in group.lines
              if line.key == "crawl-delay" and b"*" in group.agents[:line.named] and re.fullmatch(rb"\d+(\.\d*)?|\.\d+", line.value)]
    return min((delay for delay in delays if delay <= 86400), default=None)


# ----------------------------------------------------------------- questions


def last_of(captures, key):
    """The last capture for each key. Lines of a log, which have no status, are no captures."""
    last = {}
    for c in sorted(captures, key=lambda c: c.moment):
        if c.status is not None:
            last[key(c)] = c
    return last


def effect(c, token):
    """The class of a capture, and None where nothing is known."""
    if c.outcome == "rules":
        return semantic(c.body, token)
    return {"unavailable": "none", "unreachable": "full"}.get(c.outcome)


def share(part, whole):
    return part / whole if whole else None


def gptbot_by_month(captures, _):
    hosts = collections.defaultdict(list)
    for (month, _), c in last_of(captures, lambda c: (c.month, c.host)).items():
        known = effect(c, AGENT) if c.outcome != "unreachable" else None  # a failed server is no policy
        hosts[month].append((known, c.outcome == "rules" and robots.has_group(c.body, AGENT)))
    for month, found in sorted(hosts.items()):
        count = collections.Counter(effect for effect, _ in found)
        named = sum(named for _, named in found)
        yield (month, len(found), named, count["full"], count["partial"], count["none"], count[None],
               share(count["full"], len(found) - count[None]))


def three_definitions(captures, _):
    files = [c for c in last_of(captures, lambda c: c.host).values() if c.outcome == "rules"]
    for name, classes in (("semantic", semantic), ("longpre", longpre), ("liu", liu), ("cc", common_crawl)):
        count = collections.Counter(classes(c.body, AGENT) for c in files)
        yield (name, count["none"] + count["allow-all"], count["partial"] + count["some"] + count["allow-part"],
               count["full"] + count["all"] + count["disallow-all"], count[None])


def bias_by_stratum(captures, ranks):
    files = [c for c in last_of(captures, lambda c: c.host).values() if c.outcome == "rules"]
    counts = collections.defaultdict(lambda: [0, 0, 0])
    for c in files:
        count = counts[stratum(ranks.get(".".join(c.host.split(".")[-2:])))]
        count[0] += 1
        count[1] += common_crawl(c.body, AGENT) == "disallow-all"
        count[2] += common_crawl(c.body, "*") == "disallow-all"
    order = [name for _, name in STRATA] + ["beyond"]
    for name in sorted(counts, key=order.index):
        hosts, agent, everybody = counts[name]
        yield name, hosts, agent, everybody, share(agent, everybody)


def stratum(rank):
    return next((name for high, name in STRATA if rank and rank <= high), "beyond")


def change_rate(captures, _):
    counts = collections.defaultdict(lambda: [0, 0, datetime.timedelta()])
    for _, group in itertools.groupby([c for c in captures if c.outcome == "rules"], key=lambda c: c.origin):
        for before, after in itertools.pairwise(group):
            count = counts[after.year]
            count[0] += 1
            count[1] += before.body != after.body
            count[2] += after.moment - before.moment
    for year, (pairs, changes, time) in sorted(counts.items()):
        yield year, pairs, changes, changes / (time.total_seconds() / 86400 / 365.25)


def crawl_delays(captures, _):
    files = [c for c in last_of(captures, lambda c: c.host).values() if c.outcome == "rules"]
    count = collections.Counter(crawl_delay(c.body) for c in files)
    yield from sorted(count.items(), key=lambda item: (item[0] is None, item[0]))


def outcome_shares(captures, _):
    count = collections.Counter((c.year, c.outcome) for c in captures)
    years = collections.Counter(c.year for c in captures)
    for (year, outcome), number in sorted(count.items()):
        yield year, outcome, number, number / years[year]


QUESTIONS = [gptbot_by_month, three_definitions, bias_by_stratum, change_rate, crawl_delays, outcome_shares]


def queries_of(path):
    """The queries of the section "Policies over time", in the order of QUESTIONS."""
    text = Path(path).read_text(encoding="utf-8")
    section = re.search(r"(?ms)^-- == Policies over time.*?(?=^-- == |\Z)", text).group()
    queries = duckdb.extract_statements(section)
    if len(queries) != len(QUESTIONS):
        sys.exit(f"questions: {path} has {len(queries)} queries in that section, not {len(QUESTIONS)}")
    return [query.query for query in queries]


def alike(mine, theirs):
    return len(mine) == len(theirs) and all(
        len(a) == len(b) and all(abs(x - y) < 1e-9 if isinstance(x, float) and isinstance(y, float) else x == y for x, y in zip(a, b))
        for a, b in zip(mine, theirs))


def main(tables, ranks: Path, *archives):
    captures = captures_of(sorted(archives))
    with open(ranks, encoding="ascii", newline="") as lines:
        rank_of = {domain: int(rank) for rank, domain in csv.reader(lines)}
    failed = False
    for question, query in zip(QUESTIONS, queries_of(ROOT / "docs/recipes.sql")):
        mine = list(question(captures, rank_of))
        theirs = duckdb.sql(query.replace("'out/", f"'{tables}/").replace("'ranks.csv'", f"'{ranks}'")).fetchall()
        agree = alike(mine, theirs)
        failed = failed or not agree
        print(f"{question.__name__}: {len(mine)} rows {'agree' if agree else 'DIFFER'}")
        for a, b in () if agree else itertools.zip_longest(mine, theirs):
            if a is None or b is None or not alike([a], [b]):
                print(f"  from the archives {a}, by the query {b}")
    return failed
