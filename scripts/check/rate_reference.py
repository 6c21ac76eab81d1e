"""A plain, slow reference for the table crawl_delays of `robotsaudit audit --rate`.

From docs/SEMANTICS.md, "Rate", alone. What each capture says and which one governs is that of
reference.py. Where the text is silent, the reading here is the one that accuses less:

 R1  A capture that stands behind the fetch, and is not dated after it, counts as a copy: where it
     allows, it gives a verdict the note same_moment or order_doubt.
 R2  A line that asks for nothing (invalid_delay) leaves the others of its group as they are.
"""

import re
from datetime import timedelta

import reference as ref
import robots
import warc

SECOND = warc.PRECISIONS.index("second")
UNIT = {0: 366 * 86400, 1: 31 * 86400, 2: 86400, 3: 3600, 4: 60, 5: 1}
NUMBER = re.compile(r"\d+(\.\d*)?|\.\d+")


def asks(key, value):
    """Milliseconds that a line asks for, or None."""
    if key == "crawl-delay":
        seconds = float(value) if NUMBER.fullmatch(value) else None
    else:
        m = re.fullmatch(r"1\s*/\s*(\d+)\s*([smh]?)", value)
        seconds = int(m.group(1)) * {"": 1, "s": 1, "m": 60, "h": 3600}[m.group(2)] if m else None
    return None if seconds is None or seconds > 86400 else int(seconds * 1000)


def least(body, token):
    """(ms, lines) that a file asks of a token at least; (0, []) if nothing. A line is for the agents that stand above it."""
    name = token if robots.has_group(body, token) else None
    lines = [line for group in robots.groups(body) for line in group.lines
             if line.key in ("crawl-delay", "request-rate") and any(robots.names(agent, name) for agent in group.agents[:line.named])]
    delays = [(ms, line.number) for line in lines if (ms := asks(line.key, line.value.decode("utf-8", "replace"))) is not None]
    ms = min(delays, default=(0, 0))[0]
    return ms, [number for value, number in delays if value == ms]


def copy_asks(outcome, tokens):
    if outcome.kind != "rules" or warc.is_html(outcome.body) or outcome.mismatched or outcome.other_target:
        return 0, []
    return min((least(outcome.body, t) for t in tokens), key=lambda a: a[0])


def asked(archive, fetch):
    """(ms, {capture id: lines}) of the copies that ask for the least at a fetch, or None."""
    captures = archive.robots_of.get(fetch.origin, [])
    before = [c for c in captures if ref.at_or_before(c, fetch)]
    if not before:
        return None
    moment = ref.governing_moment(archive, before, fetch)
    governing = ref.weakest(archive, moment, fetch)
    if any(c.time.precision < SECOND for m in moment for c in [m, fetch] + archive.outcome(m).way):
        return None
    if any(warc.NOTHING <= warc.difference(fetch.time, u) <= warc.DAY for u in archive.unread.get(fetch.origin, [])):
        return None
    if ref.content_is_later(archive, governing, fetch) or ref.age_of(archive, governing, fetch) > warc.DAY:
        return None
    applied = [governing] + [c for m in moment for c in archive.outcome(m).way if c is not m]
    if any(ref.may_be_after(c, fetch, c is governing) or ref.doubted(c, fetch, c is governing) for c in applied):
        return None
    if any(archive.outcome(c).kind != "rules" for c in moment):
        return None
    said = ("rules", "unavailable")
    copies = moment + [c for c in before if warc.difference(fetch.time, c.time) <= warc.DAY and archive.outcome(c).kind in said]
    copies += [c for c in before if warc.same_moment(c, governing) and not ref.same_crawler(c, governing) and archive.outcome(c).kind in said]
    behind = [c for c in captures if warc.same_moment(c, fetch) or ref.after(c, fetch) and warc.difference(c.time, fetch.time) <= warc.NOTHING]  # R1
    copies += [c for c in behind if archive.outcome(c).kind in said]
    if not ref.same_crawler(governing, fetch):
        copies += [c for c in ref.latest_saying(archive, ref.own_of(before, fetch))]
    tokens = [fetch.token] + ([fetch.other_token] if fetch.other_token else [])
    tokens += [ref.DOCUMENTED[t.lower()] for t in tokens if t.lower() in ref.DOCUMENTED]
    unreadable = [c for c in captures if ref.kind_of(archive, c, fetch) in ("partial", "unresolved", "undefined")]
    copies += [c for c in unreadable if c in behind or c in before and warc.difference(fetch.time, c.time) <= warc.DAY]
    outcomes = [archive.outcome(c) for c in copies]
    outcomes += (o for _, o in archive.copies_of_targets(moment + [c for c in before if warc.difference(fetch.time, c.time) <= warc.DAY], fetch) if o.kind != "unreachable")
    ms = min(copy_asks(o, tokens)[0] for o in outcomes)
    if {"same_moment", "order_doubt"} & ref.decide(archive, fetch).notes:  # of a fetch that is disallowed, for what stands behind it
        return None
    return (ms, {c.id: copy_asks(archive.outcome(c), tokens)[1] for c in moment}) if ms else None


def findings(archive, order):
    """{fetch id: {gap, delay, previous, captures}}. order: the places of ids in the table of fetches."""
    crawls = {}
    for f in archive.fetches:
        if not (f.origin is None or f.time is None or not f.token or f.itself or f.path == "/robots.txt" or f.no_status or
                archive.may_be_led_to(f)):
            crawls.setdefault((f.origin, f.token.lower()), []).append(f)
    found, considered = {}, 0
    for fetches in crawls.values():
        fetches.sort(key=lambda f: order[f.id])
        assert all(a.time.start.replace(microsecond=0) <= b.time.start for a, b in zip(fetches, fetches[1:]))  # rows stand behind the records of their second
        last = fetches[0]
        for f in fetches[1:]:
            if f.url == last.url and f.time.start == last.time.start:
                continue
            considered += 1
            gap = max((f.time.start - last.time.start) / timedelta(milliseconds=1), 0)
            unit = UNIT[min(f.time.precision, last.time.precision, SECOND)] * 1000
            needs = asked(archive, f)
            if needs and gap + unit <= needs[0]:
                found[f.id] = {"gap": int(gap), "delay": needs[0], "previous": [last.id], "captures": needs[1]}
            last = f
    return found, considered
