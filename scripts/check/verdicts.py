"""Verdicts on fetches, worked out plainly and slowly from docs/SEMANTICS.md.

Nothing here is shared with the audit, and nothing is clever: every fetch looks
through every robots.txt capture of its origin. Section numbers are those of RFC 9309.
"""

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from urllib.parse import urljoin

import robotstxt

SECOND = 1_000_000
HOUR = 3600 * SECOND
DAY = 24 * HOUR
MAX_HOPS = 5

ALLOWED, DISALLOWED, UNKNOWN = "allowed", "disallowed", "unknown"
RULES, UNAVAILABLE, UNREACHABLE, UNKNOWN_OUTCOME = "rules", "unavailable", "unreachable", "unknown"


@dataclass(eq=False)
class Outcome:
    """What one robots.txt capture says: kind, the body applied, and why where it is no plain answer."""

    kind: str
    reason: str = ""
    body: bytes = b""
    partial: bool = False
    status: int | None = None
    hops: list = field(default_factory=list)


@dataclass
class Verdict:
    verdict: str
    reason: str
    evidence: str = "none"
    certainty: str | None = None
    governing: object = None


class Timeline:
    """All fetches of an audit, and what every robots.txt capture among them comes to."""

    def __init__(self, fetches):
        self.fetches = fetches
        self.by_url = defaultdict(list)
        for fetch in fetches:
            if fetch.time is not None and fetch.method == "GET":
                self.by_url[fetch.url].append(fetch)
        for found in self.by_url.values():
            found.sort(key=lambda f: f.time)
        self.captures = defaultdict(list)
        self.outcomes = {}
        self.led_to = set()
        for fetch in fetches:
            if fetch.is_robots and fetch.time is not None:
                self.captures[fetch.origin].append(fetch)
                outcome = self.outcomes[fetch] = self._resolve(fetch)
                self.led_to.update(outcome.hops)

    # What one capture says.

    def _resolve(self, capture):
        hops, at = [], capture
        while True:
            status, body_of = self._original(at)
            if status is None and body_of is None:
                return Outcome(UNKNOWN_OUTCOME, "unresolved_revisit", status=at.status, hops=hops)
            if not (status and 300 <= status < 400 and status != 304 and at.location):
                return self._final(at, status, body_of, hops)
            target = urljoin(at.url, at.location).partition("#")[0]
            following = self._nearest(target, at.time)
            if following in (capture, *hops) or len(hops) == MAX_HOPS:
                if following and following not in (capture, *hops):
                    hops.append(following)
                return Outcome(UNAVAILABLE, "too_many_redirects", status=status, hops=hops)
            if following is None:
                return Outcome(UNKNOWN_OUTCOME, "unresolved_redirect", status=status, hops=hops)
            hops.append(following)
            at = following

    def _original(self, fetch):
        """_original gives the status that counts and the record that holds the body, (None, None) if lost."""
        if fetch.record_type == "revisit" and "server-not-modified" not in fetch.profile:
            status = fetch.status
            if status and (status >= 400 or (300 <= status < 400 and fetch.location)):
                return status, fetch
            body_of = self._same_payload(fetch)
            return (status or body_of.status, body_of) if body_of else (None, None)
        if fetch.record_type == "revisit" or fetch.status == 304:
            body_of = self._refers_to(fetch) or self._latest_success(fetch)
            return (body_of.status, body_of) if body_of else (None, None)
        return fetch.status or 0, fetch

    def _refers_to(self, fetch):
        url, when = fetch.refers_to
        return next((f for f in self.by_url.get(url, ()) if f.time == when and f.record_type != "revisit"), None)

    def _same_payload(self, fetch):
        return self._refers_to(fetch) or next(
            (f for f in self.by_url[fetch.url]
             if f.record_type != "revisit" and f.digest and f.digest == fetch.digest
             and (fetch.status is None or f.status == fetch.status)), None)

    def _latest_success(self, fetch):
        before = [f for f in self.by_url[fetch.url]
                  if f.time < fetch.time and f.record_type != "revisit" and 200 <= (f.status or 0) < 300]
        return before[-1] if before else None

    def _nearest(self, url, when):
        """_nearest is the capture of a redirect's target: within an hour after, else within a day before."""
        found = self.by_url.get(url, [])
        split = bisect_right(found, when - 1, key=lambda f: f.time)
        if split < len(found) and found[split].time <= when + HOUR:
            return found[split]
        if split and found[split - 1].time >= when - DAY:
            return found[split - 1]
        return None

    @staticmethod
    def _final(at, status, body_of, hops):
        if 200 <= status < 300:
            partial = status == 206 or (body_of.truncated is not None and body_of.record_type != "revisit")
            return Outcome(RULES, body=body_of.body(), partial=partial, status=status, hops=hops)
        if 400 <= status < 500:
            return Outcome(UNAVAILABLE, status=status, hops=hops)
        if 500 <= status < 600:
            return Outcome(UNREACHABLE, status=status, hops=hops)
        return Outcome(UNKNOWN_OUTCOME, "undefined_status", status=status, hops=hops)

    # Which capture governs, and what follows.

    def verdict(self, fetch):
        if fetch.is_robots or fetch in self.led_to:
            return Verdict(ALLOWED, "robots_txt_itself")
        if fetch.time is None:
            return Verdict(UNKNOWN, "no_time")
        captures = self.captures[fetch.origin]
        own = [c for c in captures if fetch.token and c.token == fetch.token]
        for pool in (own, captures):
            before = [c for c in pool if c.time <= fetch.time]
            if before:
                return self._by_evidence_before(fetch, pool, before, pool is own)
        for pool in (own, captures):
            after = self._after(fetch, pool)
            if after:
                return self._by_evidence_after(fetch, after)
        return Verdict(UNKNOWN, "no_capture")

    @staticmethod
    def _after(fetch, pool):
        return [c for c in pool if fetch.time < c.time <= fetch.time + DAY]

    def _by_evidence_after(self, fetch, after):
        first = min(c.time for c in after)
        said = self._said_at(fetch, [c for c in after if c.time == first])
        said.evidence = "later"
        if said.verdict == DISALLOWED:
            said.certainty = "contested" if self._other_reading_allows(fetch, said.governing) else "probable"
        return said

    def _by_evidence_before(self, fetch, pool, before, is_own):
        last = max(c.time for c in before)
        age = fetch.time - last
        said = self._said_at(fetch, [c for c in before if c.time == last])
        said.evidence = "fresh" if age <= DAY else "stale"
        if said.governing is None:
            return said
        governing = self.outcomes[said.governing]
        if governing.kind == UNREACHABLE and age > DAY:
            said.verdict, said.reason = UNKNOWN, "unreachable_stale"
        elif governing.kind == UNREACHABLE and self._down_for_a_month(fetch, before):
            said.verdict, said.reason = ALLOWED, "unreachable_over_30d"
        elif age > DAY and said.verdict != UNKNOWN:
            after = self._after(fetch, pool) or self._after(fetch, self.captures[fetch.origin])
            if any(self._said(fetch, c).verdict not in (said.verdict, UNKNOWN) for c in after):
                said.verdict, said.reason = UNKNOWN, "changed_between"
        if said.verdict == DISALLOWED:
            said.certainty = self._certainty(fetch, before, said, age, is_own)
        return said

    def _certainty(self, fetch, before, said, age, is_own):
        if age > 30 * DAY:
            return None
        if self._other_reading_allows(fetch, said.governing) or self._copy_allows(fetch, before, said.governing):
            return "contested"
        governing = self.outcomes[said.governing]
        return "certain" if age <= DAY and is_own and not governing.partial else "probable"

    def _copy_allows(self, fetch, before, governing):
        """_copy_allows: a copy that §2.4 and §2.3.1.4 let the crawler use instead permits the fetch."""
        copies = [c for c in self.captures[fetch.origin] if fetch.time - DAY <= c.time <= fetch.time
                  and self.outcomes[c].kind in (RULES, UNAVAILABLE)]
        if self.outcomes[governing].kind == UNREACHABLE:
            successes = [c for c in before if self.outcomes[c].kind == RULES]
            copies += [c for c in successes if c.time == max(s.time for s in successes)]
        return any(self._said(fetch, c).verdict == ALLOWED for c in copies)

    def _down_for_a_month(self, fetch, before):
        run = []
        for capture in sorted(before, key=lambda c: c.time, reverse=True):
            kind = self.outcomes[capture].kind
            if kind == UNREACHABLE:
                run.append(capture)
            elif kind != UNKNOWN_OUTCOME:
                break
        return len(run) >= 2 and fetch.time - run[-1].time > 30 * DAY

    def _said_at(self, fetch, together):
        """_said_at: captures of one moment count if they agree; the order of the files never decides."""
        verdicts = [self._said(fetch, c) for c in together]
        if len({v.verdict for v in verdicts}) > 1:
            return Verdict(UNKNOWN, "conflicting_captures")
        return verdicts[0]

    def _said(self, fetch, capture):
        outcome = self.outcomes[capture]
        if outcome.kind == UNAVAILABLE:
            return Verdict(ALLOWED, outcome.reason or "unavailable", governing=capture)
        if outcome.kind == UNREACHABLE:
            return Verdict(DISALLOWED, "unreachable", governing=capture)
        if outcome.kind == UNKNOWN_OUTCOME:
            return Verdict(UNKNOWN, outcome.reason, governing=capture)
        if not robotstxt.allows(robotstxt.within_limit(outcome.body), fetch.token, fetch.path):
            return Verdict(DISALLOWED, "rule", governing=capture)
        if outcome.partial:
            return Verdict(UNKNOWN, "truncated", governing=capture)
        return Verdict(ALLOWED, "rule or none", governing=capture)

    def _other_reading_allows(self, fetch, capture):
        """_other_reading_allows: what lies beyond the parse limit, or §2.2.2's encoded delimiters, would allow it."""
        outcome = self.outcomes[capture]
        if outcome.kind != RULES:
            return False
        inside = robotstxt.within_limit(outcome.body)
        return (len(inside) < len(outcome.body) and robotstxt.allows(outcome.body, fetch.token, fetch.path)) or (
            robotstxt.allows(inside, fetch.token, fetch.path, robotstxt.with_delimiters_encoded))
