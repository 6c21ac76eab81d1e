"""The verdict on each fetch by the server's log alone: reference.py, of records that the log has.

The log leaves no doubt of order, of who asked and of what was sent, and which answer a redirect led to. So its verdict is
the truth, and its certainty is the most that may be claimed; an archive may show less.
"""

import base64
import json
from datetime import datetime, timezone
from typing import NamedTuple
from urllib.parse import urljoin

import reference
import warc

HOUR = 3600


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
    body: bytes  # of a 304: what it renews
    agent: str

    @property
    def url(self):
        return f"http://{self.host}{self.target}"


class Verdict(NamedTuple):
    verdict: str
    certainty: str = ""
    why: str = ""


def read(path, tokens, web):
    """read gives the lines of the log that belong to the crawlers of tokens."""
    lines = []
    for text in open(path):
        line = json.loads(text)
        crawler, _, mode = line["crawl"].partition("/")
        if crawler in tokens:
            lines.append(Line(line["number"], line["time"], line["crawl"], crawler, web.SUFFIX_TOKEN if mode == "suffix" else tokens[crawler],
                              line["method"], line["host"], line["target"], line["referer"] or "", line["status"], line["location"],
                              base64.b64decode(line.get("body", "")), line["agent"]))
    return lines


def fetch_of(line, crawl, known):
    """fetch_of is a line as a record. A body that is not known is one that a revisit names, and no archive holds."""
    f = warc.Fetch()
    f.id = f.record_id = str(line.number)
    f.type = "revisit" if known is not None and line.body not in known else "response"
    f.url, f.method, f.token = line.url, line.method, line.token
    f.origin, f.path = warc.split_url(f.url)
    f.time = warc.Moment(datetime.fromtimestamp(line.time, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ"))
    f.status, f.location, f.stored = 200 if line.status == 304 else line.status, line.location, line.body
    f.chunked = f.truncated = False
    f.encoding = f.profile = ""
    f.content_length = f.content_range = f.digest = f.refers_to = f.refers_uri = f.refers_date = None
    f.user_agent = line.agent
    f.stand(warc.Spot(("log", ""), line.number, crawl))
    crawl.fetches.append(f)
    return f


class Oracle(reference.Archive):
    """Oracle knows the lines of log. Of bodies, where given, it knows those of these numbers, and what equals them."""

    def __init__(self, log, bodies=None):
        crawl = warc.Crawl(warc.Run("log", {"software": "Wget/1"}))  # order proves what came before
        known = None if bodies is None else {line.body for line in log if line.number in bodies}
        self.lines = {line.number: line for line in log}
        self.of_line = {line.number: fetch_of(line, crawl, known) for line in log}
        self.answers = {}
        for line in log:
            if line.method == "GET":
                self.answers.setdefault(line.url.removesuffix(":80"), []).append(line)
        self.led_to = self.leads(log)
        super().__init__(list(self.of_line.values()))
        for number in self.led_to.values():
            self.of_line[number].itself = True

    @staticmethod
    def mark_as_allowed(followed):
        """mark_as_allowed leaves that to led_to, which has them all."""

    def may_be_led_to(self, fetch):
        return False

    @staticmethod
    def is_capture(line):
        return line.method == "GET" and line.target == "/robots.txt"

    def leads(self, log):
        """leads gives of each redirect on the way of a robots.txt the answer that its crawler got by it, if any, within an hour.

        What has a Referer was got by that page. Without one, each answer was got by one redirect, in their order: a page
        that a crawler without Referer got for itself is taken for that.
        """
        led_to, got = {}, set()
        for line in log:
            if line.method != "GET" or not reference.is_redirect(line.status, line.location) or not (self.is_capture(line) or line.number in got):
                continue
            answers = [answer for answer in self.answers.get(urljoin(line.url, line.location), []) if answer.number not in got
                       and answer.crawl == line.crawl and answer.number > line.number and answer.time - line.time <= HOUR]
            answers = [answer for answer in answers if answer.referer == line.url] or [answer for answer in answers if not answer.referer]
            if answers:
                led_to[line.number] = answers[0].number
                got.add(answers[0].number)
        return led_to

    def hop_targets(self, hop, url, capture, chain):
        """hop_targets is the first answer after a redirect that said what the one said which the redirect led to."""
        line, target = self.lines[hop.place], self.lines.get(self.led_to.get(hop.place))
        if target is None:
            return super().hop_targets(hop, url, capture, chain)
        return [next(self.of_line[answer.number] for answer in self.answers[target.url] if answer.crawl == line.crawl and answer.number > line.number
                     and (answer.status, answer.location, answer.body) == (target.status, target.location, target.body))]

    def verdict(self, number):
        found = reference.decide(self, self.of_line[number])
        return Verdict(found.verdict, found.certainty or "", f"{found.evidence}: {found.reason}")
