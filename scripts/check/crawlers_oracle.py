"""The verdict on each fetch by the server's log alone: docs/SEMANTICS.md in plain Python, slow and without cleverness.

The log leaves no doubt of order, of who asked and of what was sent. So its verdict is the truth, and its
certainty is the most that may be claimed; an archive may show less.
"""

import base64
import json
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

import robots

DAY, HOUR = 24 * 3600, 3600
HOPS = 5


class Line(NamedTuple):
    number: int
    time: float
    crawl: str
    crawler: str
    token: str
    method: str
    host: str
    target: str
    referer: str
    status: int
    location: str
    body: bytes
    html: bool


class Verdict(NamedTuple):
    verdict: str
    certainty: str = ""
    why: str = ""


class Outcome(NamedTuple):
    """Outcome is what one capture of robots.txt says: rules, unavailable, unreachable, unresolved or undefined."""
    kind: str
    body: bytes = b""
    html: bool = False
    number: int = 0     # of the answer whose content is applied
    others: bool = False  # some answer on the way was another crawler's


def read(path, tokens, web):
    """read gives the lines of the log that belong to the crawlers of tokens."""
    lines = []
    for text in open(path):
        line = json.loads(text)
        crawler, _, mode = line["crawl"].partition("/")
        if crawler in tokens:
            lines.append(Line(line["number"], line["time"], line["crawl"], crawler, web.SUFFIX_TOKEN if mode == "suffix" else tokens[crawler],
                              line["method"], line["host"], line["target"], line["referer"] or "", line["status"], line["location"],
                              base64.b64decode(line.get("body", "")), line.get("html", False)))
    return lines


# robots.txt


def permits(body, token, path, lenient=False, equal=b""):
    """permits tells whether the rules for token allow path."""
    return robots.judge_by_rules(body, (token,), path, equal, lenient=lenient)[0] == "allowed"


def open_reading(outcome, token, path):
    """open_reading names a reading left open by the specifications that allows what the plain one disallows."""
    body = outcome.body
    if outcome.html:
        return "html"
    if permits(robots.within_parse_limit(body), token, path, equal=robots.RESERVED):
        return "reserved_encoding"
    if permits(robots.within_parse_limit(body), token, path, equal=robots.UNSAFE):
        return "unsafe_encoding"
    if permits(robots.within_parse_limit(body), token, path, lenient=True):
        return "lenient"
    return "parse_limit" if len(body) > robots.PARSE_LIMIT and permits(body, token, path) else ""


class Oracle:
    """Oracle knows the lines of log. Of bodies, where given, it knows those of these numbers, and what equals them."""

    def __init__(self, log, bodies=None):
        self.known = None if bodies is None else {line.body for line in log if line.number in bodies}
        self.lines = {line.number: line for line in log}
        self.by_url = {}
        for line in log:
            if line.method == "GET":
                self.by_url.setdefault((line.host, line.target), []).append(line)
        self.led_to = self.follow(log)
        self.robots = set(self.led_to.values())
        self.outcomes = {line.number: self.resolve(line) for line in log if self.is_capture(line)}

    @staticmethod
    def is_capture(line):
        return line.method == "GET" and line.target == "/robots.txt"

    @staticmethod
    def is_redirect(line):
        return line.method == "GET" and 300 <= line.status < 400 and line.location

    def target(self, line):
        """target gives the host and path that the line redirects to, None where that is no http URL."""
        url = urlsplit(urljoin(f"http://{line.host}{line.target}", line.location))
        return (url.netloc.removesuffix(":80"), url.path + ("?" + url.query if url.query else "")) if url.scheme == "http" else None

    def next_hop(self, line, token, at):
        """next_hop is the nearest answer for the target within an hour after, else the latest in the day before: own first."""
        answers = self.by_url.get(self.target(line), [])
        for own in (True, False):
            mine = [answer for answer in answers if (answer.token == token) == own]
            after = [answer for answer in mine if answer.number > at and answer.time - line.time <= HOUR]
            before = [answer for answer in mine if answer.number < at and line.time - answer.time <= DAY]
            if after or before:
                return after[0] if after else before[-1]
        return None

    def resolve(self, capture):
        """resolve gives the outcome of a capture, through its redirects."""
        line, others = capture, False
        for hop in range(HOPS + 1):
            others = others or line.token != capture.token
            if 200 <= line.status < 300 or line.status == 304:
                if self.known is not None and line.body not in self.known:
                    return Outcome("unresolved")
                return Outcome("rules", line.body, line.html, line.number, others)
            if 400 <= line.status < 500:
                return Outcome("unavailable", number=line.number, others=others)
            if 500 <= line.status < 600:
                return Outcome("unreachable", number=line.number, others=others)
            if not self.is_redirect(line):
                return Outcome("undefined")
            if hop == HOPS:
                break
            following = self.told(line) or self.next_hop(line, capture.token, line.number)
            if following is None:
                return Outcome("unresolved")
            line = following
        return Outcome("unavailable", number=capture.number)  # a sixth hop, or a loop

    def follow(self, log):
        """follow gives of each redirect on the way of a robots.txt the answer that its crawler got by it, if any, within an hour.

        What has a Referer was got by that page. Without one, each answer was got by one redirect, in their order: a page
        that a crawler without Referer got for itself is taken for that.
        """
        led_to, got = {}, set()
        for line in log:
            if not (self.is_redirect(line) and (self.is_capture(line) or line.number in got)):
                continue
            url = f"http://{line.host}{line.target}"
            answers = [answer for answer in self.by_url.get(self.target(line), []) if answer.number not in got
                       and answer.crawl == line.crawl and answer.number > line.number and answer.time - line.time <= HOUR]
            answers = [answer for answer in answers if answer.referer == url] or [answer for answer in answers if not answer.referer]
            if answers:
                led_to[line.number] = answers[0].number
                got.add(answers[0].number)
        return led_to

    def told(self, line):
        """told is the first answer after a redirect that said what the one said which the redirect led to; None where it led to none."""
        target = self.lines.get(self.led_to.get(line.number))
        if target is None:
            return None
        return next(answer for answer in self.by_url[target.host, target.target] if answer.crawl == line.crawl and answer.number > line.number
                    and (answer.status, answer.location, answer.body) == (target.status, target.location, target.body))

    def answer(self, outcome, line):
        """answer is what one outcome says of the fetch: allowed, disallowed or unknown."""
        if outcome.kind == "rules":
            return "allowed" if permits(robots.within_parse_limit(outcome.body), line.token, line.target) else "disallowed"
        return {"unavailable": "allowed", "unreachable": "disallowed"}.get(outcome.kind, "unknown")

    def governing(self, line):
        """governing gives the capture that governs the fetch, and how it does: own, others', later."""
        captures = self.by_url.get((line.host, "/robots.txt"), [])
        before = [capture for capture in captures if capture.number < line.number and line.time - capture.time <= DAY]
        own = [capture for capture in before if capture.token == line.token]
        if own:
            return own[-1], "own"
        if before:
            return before[-1], "others'"
        after = [capture for capture in captures if capture.number > line.number
                 and self.outcomes[capture.number].kind in ("rules", "unavailable")]
        after.sort(key=lambda capture: (capture.token != line.token, capture.number))
        return (after[0], "later") if after else (None, "")

    def verdict(self, number):
        line = self.lines[number]
        if self.is_capture(line) or number in self.robots:
            return Verdict("allowed", why="robots.txt itself")
        capture, how = self.governing(line)
        if capture is None:
            return Verdict("unknown", why="no capture")
        outcome = self.outcomes[capture.number]
        answer = self.answer(outcome, line)
        if answer != "disallowed":
            return Verdict(answer, why=f"{how}: {outcome.kind}")
        return Verdict(answer, *self.certainty(line, outcome, how))

    def certainty(self, line, outcome, how):
        """certainty is the most that may be claimed of a disallowed fetch, and why no more."""
        reading = outcome.kind == "rules" and open_reading(outcome, line.token, line.target)
        if reading:
            return "contested", reading
        copies = [self.outcomes[copy.number] for copy in self.by_url[line.host, "/robots.txt"]
                  if copy.number < line.number and line.time - copy.time <= DAY]
        copies = [copy for copy in copies if copy.number < line.number]
        if any(copy.kind in ("rules", "unavailable") and self.answer(copy, line) == "allowed" for copy in copies):
            return "contested", "a permitted copy allows"
        if how == "later" or outcome.number > line.number:
            return "possible", "later"
        if how == "others'" or outcome.others:
            return "probable", "another crawler's"
        if any(copy.kind in ("undefined", "unresolved") for copy in copies):
            return "probable", "an unreadable copy"
        return "certain", f"own: {outcome.kind}"
