"""Turn a history of robots.txt observations into web archives with page fetches.

    scenarios HISTORY.jsonl.gz DIR [--moments N] [--seed S] [--mixed N] [--only-history]

Three layers, all drawn from one seed, so the archives are the same byte for byte:

1. History. Each observation becomes a GET of /robots.txt at a moment of its day.
   - body: 200 with that body (sometimes chunked or gzip-encoded);
   - html_response_error: that status; the history holds no body for it, so a small
     HTML page without anything like a rule stands in;
   - request_error: nothing. A WARC records exchanges; for a connection that failed
     there is none to record, and a made-up 5xx would testify to an answer that no
     server gave. The capture before it goes stale, as it would in a real archive.
2. Moments. N page fetches at random moments between five days before a host's first
   observation and 120 days after its last one; paths are drawn from the host's own
   rules and mutated. The history lists changes of about weekly observations, so most
   moments would find stale evidence only. Unchanged re-observations are therefore
   added before (minutes to 20 h, or days) or after some moments: as plain responses,
   as revisits (identical-payload-digest, server-not-modified) and as 304. Before and
   after some moments an event that the history lacks is thrown in (EVENTS).
3. Scenarios. For each branch of the semantics a small timeline of its own, on a port
   of its own of a real host, so that nothing else reaches it (scenarios.txt, and the
   functions behind Scenario). Bodies there are ours, or drawn of lines that are read in
   many ways.

There are two archives, DIR/1.warc.gz and DIR/2.warc.gz, and copies in DIR/0.warc.gz. Each exchange is in one of the two by chance, and records are
written in shuffled order, a request within some thousand records of its response: between moments time decides, not the
order. A scenario that is about order says which archive holds what, and in which order. One that is about runs stands
as a whole in each archive, with warcinfo records of its own. What main returns names the layer or scenario of every
fetch.
"""

import base64
import copy
import gzip
import json
import os
import random
import re
from datetime import datetime, timedelta, timezone
from pathlib import Path

from lib import IDENTICAL, NOT_MODIFIED, message, random_id, record, sha1
from warc import HOLE

EXAMPLE = "ExampleBot/1.0 (+http://example.com/bot)"
GOOGLE = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
ARCHIVE = "Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)"
GPT = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.1; +https://openai.com/gptbot)"
CC = "CCBot/2.0 (https://commoncrawl.org/faq/)"
TWO = "ExampleBot/1.0 (compatible; OtherBot/2.1; +http://o.example/)"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0"
SUFFIX = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0 Safari/537.36 Scoop/0.6.59 (+http://example.org/)"
SOGOU = "Sogou web spider/4.0 (+http://www.sogou.com/docs/help/webmasters.htm#07)"
HTTRACK = "Mozilla/4.5 (compatible; HTTrack 3.0x; Windows 98)"
TWO_NAMES = "ExampleBot/1.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
HERITRIX = "Mozilla/5.0 (compatible; heritrix/3.4.0 +http://example.org/crawl)"
WGET, CURL = "Wget/1.21.3 (linux-gnu)", "curl/8.5.0"
CRAWLERS = [EXAMPLE] * 6 + [GOOGLE] * 2 + [ARCHIVE] * 2 + [GPT, CC, BROWSER, None]

ANUBIS = b'<!doctype html><html><head><title>One moment</title><script id="anubis_version" type="application/json">"v1"</script>' \
    b'<script id="anubis_challenge" type="application/json">{}</script></head><body></body></html>\n'
HTML = b"<!DOCTYPE html>\n<html><head><title>Not here</title></head><body><p>Not here.</p></body></html>\n"
FIRST_DAY = datetime(2020, 8, 1, tzinfo=timezone.utc)

MINUTE, HOUR_, DAY_ = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
SECOND = timedelta(seconds=1)


def stamp(moment, precision="second"):
    form = {"month": "%Y-%m", "day": "%Y-%m-%d", "minute": "%Y-%m-%dT%H:%MZ", "second": "%Y-%m-%dT%H:%M:%SZ",
            "tenth": "%Y-%m-%dT%H:%M:%S.{0}Z", "micro": "%Y-%m-%dT%H:%M:%S.%fZ"}[precision]
    return moment.strftime(form).format(moment.microsecond // 100000)


def http_date(moment):
    return [("Date", moment.strftime("%a, %d %b %Y %H:%M:%S GMT"))]


class Exchange:
    """One request and what the archive holds of its response."""

    def __init__(self, rng, layer, url, when, status=200, body=b"", ua=EXAMPLE, headers=(), **more):
        self.id, self.request_id, self.metadata_id = random_id(rng), random_id(rng), random_id(rng)
        self.layer, self.url, self.when, self.status, self.body, self.ua = layer, url, when, status, body, ua
        self.headers = list(headers)
        own = {"precision": "second", "method": "GET", "type": "response", "protocol": "HTTP/1.1",
               "warc": {},  # further WARC header fields
               "warcinfo": 0, "run": None,  # a Run; without it, what warcinfo says
               "names_run": True,  # by WARC-Warcinfo-ID
               "interim": b"",  # heads before that of the answer
               "duration": None,  # fetchTimeMs of its metadata record
               "lead": 0,  # seconds by which its request is dated earlier
               "digest": None,  # of what the record held before it was altered
               "request_headers": [], "join": None, "archive": None,
               "ordered": None,  # a scenario whose records stand in the order of their making
               "block": None,  # a scenario whose records stand together, too
               "copied": False} | more  # into the other archive
        self.own_digest = own.pop("digest")
        vars(self).update(own)
        self.join = self.join or rng.choice(["request", "request", "response", "adjacent"])
        self.archive = self.archive or rng.choice([1, 2])

    @property
    def date(self):
        return stamp(self.when, self.precision)

    @property
    def digest(self):
        return self.own_digest or sha1(self.body)


class Run:
    """A run of a crawler, as a warcinfo record tells of it."""

    def __init__(self, rng, filename="crawl-00000.warc.gz", **fields):
        self.id, self.filename, self.fields = random_id(rng), filename, fields

    def like(self, rng, filename=None, **fields):
        """Another run, of which other fields are known; None: not that one."""
        return Run(rng, filename or self.filename, **{k: v for k, v in {**self.fields, **fields}.items() if v is not None})


class Maker:
    def __init__(self, rng, layer):
        self.rng, self.layer, self.made = rng, layer, []

    def add(self, url, when, *args, **more):
        e = Exchange(self.rng, self.layer, url, when, *args, **more)
        self.made.append(e)
        return e

    def revisit(self, original, when, refers=True, status="same", **more):
        """A revisit of original with profile identical-payload-digest."""
        warc = {"WARC-Profile": IDENTICAL, "WARC-Payload-Digest": original.digest}
        if refers:
            warc["WARC-Refers-To-Target-URI"] = original.url
            warc["WARC-Refers-To-Date"] = original.date
        return self.add(more.pop("url", original.url), when,
                        original.status if status == "same" else status, type="revisit",
                        headers=more.pop("headers", original.headers), warc=warc, **more)

    def not_modified(self, original, when, **more):
        """A revisit of original with profile server-not-modified."""
        warc = {"WARC-Profile": NOT_MODIFIED, "WARC-Refers-To-Target-URI": original.url, "WARC-Refers-To-Date": original.date}
        return self.add(original.url, when, 304, type="revisit", warc=warc, **more)


# ---------------------------------------------------------------- history


def read_history(path):
    hosts = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            o = json.loads(line)
            hosts.setdefault(o["host"], []).append(o)
    return hosts


def encoded(rng, body):
    """(body as served, headers): now and then chunked or gzip-encoded."""
    headers = [("Content-Type", "text/plain")]
    draw = rng.random()
    if draw < 0.03:
        return gzip.compress(body, mtime=0), headers + [("Content-Encoding", "gzip")]
    if draw < 0.06 and body:
        middle = rng.randrange(len(body))
        parts = [p for p in (body[:middle], body[middle:]) if p]
        return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in parts) + b"0\r\n\r\n", \
            headers + [("Transfer-Encoding", "chunked")]
    return body, headers


class Host:
    """A host's observations as exchanges, and re-observations of the state they left."""

    def __init__(self, rng, name, observations):
        self.rng, self.name = rng, name
        self.origin = rng.choice(["http", "http", "https"]) + "://" + name
        self.url = self.origin + "/robots.txt"
        self.observer = rng.choice(CRAWLERS)
        self.maker = Maker(rng, "history")
        self.timeline = []  # (time, exchange or None for a request error)
        previous = None
        for o in sorted(observations, key=lambda o: o["observed"]):  # stable: file order within a day
            when = datetime.fromisoformat(o["observed"]).replace(tzinfo=timezone.utc)
            when += timedelta(seconds=rng.randrange(86400 // 4))
            if previous is not None and when <= previous:
                when = previous + timedelta(seconds=rng.randrange(600, 3600))
            previous = when
            self.timeline.append((when, self.observe(o, when)))
        self.bodies = [e.body for _, e in self.timeline if e is not None and e.status == 200
                       and not any(k == "Content-Encoding" for k, _ in e.headers)]

    def observe(self, o, when):
        if o["outcome"] == "request_error":
            return None
        if o["outcome"] == "html_response_error":
            return self.maker.add(self.url, when, o["http_status"], HTML, self.observer, [("Content-Type", "text/html")])
        body = base64.b64decode(o["body_b64"])
        body, headers = encoded(self.rng, body)
        return self.maker.add(self.url, when, 200, body, self.observer, headers)

    def state(self, when):
        """The last observation at or before a moment, or None."""
        seen = [e for t, e in self.timeline if t <= when]
        return seen[-1] if seen else None

    def reobserve(self, when, ua):
        """The same answer again, in one of the forms in which archives hold it."""
        state = self.state(when)
        if state is None:
            return
        m = self.maker
        form = self.rng.choice(["plain", "plain", "revisit", "revisit", "digest only", "not modified", "304"])
        if state.status != 200 or form == "plain":
            m.add(self.url, when, state.status, state.body, ua, state.headers)
        elif form in ("revisit", "digest only"):
            m.revisit(state, when, refers=form == "revisit", ua=ua)
        elif form == "not modified":
            m.not_modified(state, when, ua=ua)
        else:
            m.add(self.url, when, 304, b"", ua)


def path_near(rng, body):
    """A path drawn from the rules of a robots.txt and mutated, fit for a URL."""
    rules = re.findall(rb"(?im)^[ \t]*(?:dis)?allow[ \t]*:[ \t]*([^\s#]+)", body)
    if not rules or rng.random() < 0.1:
        return rng.choice(["", "/", "/index.html", "/about?id=%d" % rng.randrange(99), "/%7Euser/", "/a//b/../c"])
    path = "".join(chr(b) if 0x21 <= b < 0x7F and b not in b'"<>\\^`{|}' else "%%%02X" % b for b in rng.choice(rules))
    path = re.sub(r"\*", lambda _: rng.choice(["", "x", "a/b", "index"]), path.rstrip("$"))
    if not path.startswith("/"):
        path = "/" + path
    mutation = rng.randrange(8)
    if mutation == 1:
        path += rng.choice(["page.html", "/", "?a=b", "x/y?z=1", "*", "$"])
    elif mutation == 2:
        path = path[:-1] or "/"
    elif mutation == 3:
        path = path.swapcase()
    elif mutation == 4:  # percent-encode one byte, in either case of hex
        i = rng.randrange(len(path))
        if path[i] != "/" and "%" not in path[max(0, i - 2):i + 1]:
            path = path[:i] + rng.choice(["%%%02x", "%%%02X"]) % ord(path[i]) + path[i + 1:]
    elif mutation == 5:
        path = "/prefix" + path
    elif mutation == 6:
        path += "?" + path.lstrip("/").replace("?", "&")
    return path


DENY_ALL = b"User-agent: *\nDisallow: /\n"


def event(host, when, ua):
    """EVENTS: what the history lacks, near a sampled moment."""
    rng, m = host.rng, host.maker
    kind = rng.choice(["503", "503", "999", "302", "404", "deny", "same moment", "unresolved", "undecodable"])
    if kind.isdigit():
        m.add(host.url, when, int(kind), b"", ua)
    elif kind == "deny":
        m.add(host.url, when, 200, DENY_ALL, ua)
    elif kind == "undecodable":
        m.add(host.url, when, 200, gzip.compress(DENY_ALL, mtime=0), ua)
    elif kind == "same moment":
        m.add(host.url, when, 200, DENY_ALL, ua)
        m.add(host.url, when, 200, DENY_ALL + b"Disallow: /x\n", ua)
    else:
        gone = Exchange(rng, "history", host.url, when - DAY_, 200, b"User-agent: *\nDisallow: /gone\n")
        m.revisit(gone, when, ua=ua)


def sample(host, moments_end):
    """One page fetch at a random moment, with the evidence around it."""
    rng = host.rng
    start = host.timeline[0][0] - 5 * DAY_
    end = min(host.timeline[-1][0] + 120 * DAY_, moments_end)
    if rng.random() < 0.07:  # in the days around the first observation: later, none
        start, end = host.timeline[0][0] - 2 * DAY_, host.timeline[0][0]
    t = start + timedelta(seconds=rng.randrange(int((end - start).total_seconds())))
    ua = host.observer if rng.random() < 0.6 else rng.choice(CRAWLERS)

    def crawler():
        return ua if rng.random() < 0.7 else rng.choice(CRAWLERS)

    def before(low, high):
        return t - timedelta(seconds=rng.randrange(int(low.total_seconds()), int(high.total_seconds())))

    if rng.random() < 0.4:
        host.reobserve(before(MINUTE, 20 * HOUR_), crawler())
    if rng.random() < 0.2:
        host.reobserve(before(DAY_, 35 * DAY_), crawler())
    if rng.random() < 0.15:
        host.reobserve(t + timedelta(seconds=rng.randrange(60, 100000)), crawler())
    if rng.random() < 0.12:
        event(host, before(MINUTE, 40 * HOUR_), crawler())
    if rng.random() < 0.04:
        event(host, t + timedelta(seconds=rng.randrange(60, 90000)), crawler())
    page = host.maker.add(host.origin + path_near(rng, rng.choice(host.bodies or [b""])), t, rng.choice([200, 200, 301, 404]), b"page", ua)
    page.layer = "moment"

# --------------------------------------------------------------- scenarios

A = b"User-agent: *\nDisallow: /private/\n"
A2 = b"# another edition\nUser-agent: *\nDisallow: /private/\nDisallow: /attic/\n"
B = b"User-agent: *\nDisallow: /attic/\n"
D = b"User-agent: GPTBot, ExampleBot\nAllow: /\n\n" + A
C = A + b"\nUser-agent: OtherBot\nAllow: /\n"
ZIP, CHUNK = gzip.compress(A, mtime=0), b"%x\r\n%s\r\n" % (len(A), A)
AT_THE_LIMIT = (A + b"Disallow: /deep/\n").ljust(512000 - 13, b"#") + b"\nDisallow: /cut/\nAllow: /private/x\nDisallow: /late/\n"  # it falls into /cut/
WAYS = b"User-agent: *\nDisallow: /\nAllow: /a:b\nAllow: /c,d\nAllow: /e%2Ff\nAllow: /g?h&i\nAllow: /j|k\nAllow: /l%20m\nAllow /colon\n"
BODIES = {"A": A, "A2": A2, "B": B, "C": C, "D": D, "-": b"", "cut": A + b"Disallow: /public", "none": b"\xef\xbb\xbf# nothing\n", "page": HTML, "moved": b"moved",
          "html": b"<!DOCTYPE html>\n<html><body><pre>\n" + A + b"</pre></body></html>\n", "limit": AT_THE_LIMIT, "zip": ZIP, "zip-": ZIP[:-8],
          "broken": b"\0\0" + ZIP[2:], "chunk": CHUNK, "chunks": CHUNK + b"0\r\n\r\n", "utf16": A.decode().encode("utf-16-le"),
          "ways": WAYS, "zstd": b"\x28\xb5\x2f\xfd" + bytes(range(99)), "bytes": bytes(range(128, 255)), "anubis": ANUBIS, "anubis+": ANUBIS + A}
DATED = "Tue, 04 Aug 2020 10:00:00 GMT"
HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
SPAN = {"s": SECOND, "m": MINUTE, "h": HOUR_, "d": DAY_}
AGENTS = {"E": EXAMPLE, "G": GOOGLE, "R": ARCHIVE, "M": BROWSER, "N": None, "U": "EXAMPLEBOT/0.9", "H": HERITRIX, "none": ""}
# Further words of a step: fields of its header, and what else an exchange has.
HEADERS = {"gz": ("Content-Encoding", "gzip"), "mystery": ("Content-Encoding", "mystery"), "chunked": ("Transfer-Encoding", "chunked"),
           "long": ("Content-Length", str(len(A) + 500)), "etag1": ("ETag", '"one"'), "etag2": ("ETag", '"two"'), "dated": ("Last-Modified", DATED),
           "part": ("Content-Range", "bytes 0-%d/%d" % (len(A) - 1, len(A) + 100)), "whole": ("Content-Range", "bytes 0-%d/%d" % (len(A) - 1, len(A))),
           "cf": ("CF-Mitigated", "challenge"), "aws": ("X-Amzn-WAF-Action", "captcha")}
MORE = {"truncated": {"warc": {"WARC-Truncated": "length"}}, "HEAD": {"method": "HEAD"}, "POST": {"method": "POST"}, "info": {"warcinfo": 1},
        "resource": {"type": "resource"}, "if1": {"request_headers": [("If-None-Match", 'W/"one"')]},
        "since": {"request_headers": [("If-Modified-Since", DATED)]}, "altered": {"digest": sha1(A)}, "hint": {"interim": HINTS}, "hints": {"interim": HINTS * 2},
        **{name: {"protocol": name} for name in ("SPDY/3", "ICY", "HTTQ/1.1")}, "space": {"protocol": " HTTP/1.1"}}


class Scenario(Maker):
    """A timeline of its own around t, on a port of its own of a real host."""

    def __init__(self, rng, layer, host, number):
        super().__init__(rng, layer)
        self.host, self.number = host, number
        self.origin = "http://%s:%d" % (host, 10000 + number)
        self.t = FIRST_DAY + timedelta(seconds=rng.randrange(86400 * 1500))

    def in_order(self):
        """Each archive holds this scenario's records in the order of their making."""
        for e in self.made:
            e.ordered = self.number

    def joined(self, runs=(None,), named=True):
        """Each archive holds this scenario's records together, in the order of their making."""
        self.in_order()
        for e in self.made:
            e.block, e.run, e.names_run = self.number, e.run or runs[0], named

    def other(self, n):
        """Another origin nobody else uses."""
        return "http://%s:%d" % (self.host, 40000 + self.number * 8 + n)

    def named(self, word):
        """The origin of a word of a step."""
        return {"own": self.origin, "tls": self.origin.replace("http:", "https:")}.get(word) or self.other(int(word[1:]))

    def robots(self, when, body=A, status=200, ua=EXAMPLE, origin=None, **more):
        return self.add((origin or self.origin) + "/robots.txt", when, status, body, ua, **more)

    def pages(self, ua=EXAMPLE, t=None, **more):
        for path in ("/private/x", "/public/y"):
            self.page(path, ua, t, **more)

    def page(self, path, ua=EXAMPLE, t=None, **more):
        return self.add(self.origin + path, t or self.t, 200, b"page", ua, **more)

    def step(self, words):
        """Performs a step of a line of scenarios.txt."""
        if words[0] in ("odd", "even"):
            return self.step(words[1:]) if self.number % 2 == (words[0] == "odd") else None
        if words == ["in", "order"]:
            return self.in_order()
        when, what, status, path, more = self.t, None, None, None, {}
        for word in words:
            word = self.rng.choice(word[1:-1].split("|")) if word[0] == "{" else word
            if spans := re.findall(r"([+-]\d+)([smhd])", word):
                when += sum((int(n) * SPAN[unit] for n, unit in spans), SECOND * 0)
            elif word in BODIES or word in ("pages", "revisit", "again", "digest", "unmodified", "gone"):
                what = [*(what or []), word]
            elif word in AGENTS:
                more["ua"] = AGENTS[word]
            elif word in HEADERS:
                more["headers"] = more.get("headers", []) + [HEADERS[word]]
            elif word in MORE:
                more |= MORE[word]
            elif word.isdigit():
                status = int(word) or None
            elif word[0] in "@~":
                more |= {"archive": int(word[1:])} if word[0] == "@" else {"precision": word[1:]}
            elif word[0] == ">":
                origin, to = re.fullmatch(r">(\w*)(/.*)?", word).groups()
                more["headers"] = [("Location", (self.named(origin) if origin else "") + (to or "/robots.txt"))]
            elif word[0] == "/":
                path = word
            else:
                more["origin"] = self.named(word)
        self.perform(what or [None], when, status, path, more)

    def perform(self, what, when, status, path, more):
        body = BODIES.get(what[0], b"page" if path else b"")
        if what == ["pages"]:
            self.pages(t=when, **more)
        elif what == ["unmodified"]:
            self.not_modified(self.made[0], when, **more)
        elif what[0] in ("revisit", "again", "digest"):
            original = self.made[0] if "again" not in what else self.last
            if origin := more.pop("origin", None):
                more["url"] = origin + "/robots.txt"
            self.revisit(original, when, refers="digest" not in what, status=status or "same", **more)
        elif path:
            self.add(self.origin + path, when, status or 200, body, more.pop("ua", EXAMPLE), **more)
        else:
            self.robots(when, body, status or 200, **more)
        self.last = self.made[-1]
        if "gone" in what:  # no archive holds it
            self.made.pop()


# What lines of robots.txt are drawn from: names, and values of rules. Paths are drawn near the values.
NAMES = ["*"] * 4 + """ExampleBot|examplebot/2.0|ExampleBot*|GPTBot, ExampleBot|"examplebot" (ours)|ExampleBots|Mozilla/5.0 (compatible; ExampleBot/1.0)|\
Example\u2010Bot/2 ExampleBot|Sogou web spider|sogou WEB spider/4.0|Sogou|HTTrack|Scoop|MyCrawler|Googlebot|Googlebot|Googlebot|Googlebot-News|GPTBot|archive.org_bot|Foo Bar""".split("|")
VALUES = ["", "/a b"] + """/private/ /private/x /public/ / /go? /go?to=http://ok /p/a:b /c,d /e%2Ff /g?h&i /j /j|k /l%20m *.gif$ /*/ok.gif /file-%2a.html /foo-%24
/mid$dle /%62az/ /caf\u00e9 /%2Fslash /tie /l*ng /lon *.pdf relative /con\x01trol /robots //robots.txt /robots.txt?x /b/*?*| /%7B /100% /"q\"""".split()
KEYS = ["Disallow: "] * 6 + ["Allow: "] * 4 + ["disallow :", "Disalow: ", "Dissallow: ", "Allow ", "Allow:", "Content-Usage: train-ai=y #", "Crawl-delay: 1 #", "Sitemap: "]
READERS = [EXAMPLE, EXAMPLE, GOOGLE, "Googlebot-Image/1.0", "Googlebot-News", SOGOU, SOGOU.replace("Sogou", "Mozilla/5.0 (compatible; Sogou").replace(" (+", "; +"),
           HTTRACK, SUFFIX, "+MyCrawler, info@example.org", TWO_NAMES, ARCHIVE, GPT, BROWSER, None, "Foo/1.0"]


def drawn_body(rng):
    """A robots.txt of lines that are read in many ways."""
    lines = [rng.choice(KEYS) + rng.choice(VALUES)] * (rng.random() < 0.1)
    for _ in range(rng.randint(1, 4)):
        for _ in range(rng.choice([1, 1, 2])):
            lines.append(rng.choice(["User-agent: "] * 6 + ["user-AGENT :", "User agent: "]) + rng.choice(NAMES))
            lines += [rng.choice(["Content-Usage: train-ai=y", "Crawl-delay: 1", "Allow:"])] * (rng.random() < 0.1)
        lines += [rng.choice(KEYS) + rng.choice(VALUES) for _ in range(rng.randint(0, 6))] + [""] * rng.randrange(2)
    text = rng.choice(["", "", "", "\ufeff", "<html>\n"]) + rng.choice(["\n", "\n", "\r\n", "\r"]).join(lines)
    return text.encode("utf-16" if rng.random() < 0.03 else "utf-8")


def bodies(s):
    body = drawn_body(s.rng)
    s.robots(s.t - HOUR_, body, ua=s.rng.choice(READERS))
    for _ in range(12):
        s.page(s.rng.choice([path_near(s.rng, body)] * 15 + ["/%72obots.txt", "/%72obots.txt?x", "/a%zz.gif", "?q", "#f"]), s.rng.choice(READERS))


def origin_forms(s):
    """Case of the host, userinfo, fragment: the same origin; another scheme is not.
    (warcio finds no HTTP head under a scheme in upper case.)"""
    host, port = s.origin[len("http://"):].rsplit(":", 1)
    s.add("http://%s:%s/robots.txt" % (host.upper(), port), s.t - HOUR_, 200, A)
    s.pages()
    s.add("http://u:p@%s:%s/private/x#f" % (host.title(), port), s.t, 200, b"page")
    s.add("https://%s:%s/private/x" % (host, port), s.t, 200, b"page")
    for scheme, default in (("http", 80), ("https", 443)):
        s.add("%s://%s:%d/robots.txt" % (scheme, host, default), s.t - HOUR_, 200, A)
        s.add("%s://%s/private/x" % (scheme, host), s.t, 200, b"page")


def no_time_or_scheme(s):
    s.robots(s.t - HOUR_, A)
    s.page("/private/x", warc={"WARC-Date": ["2021-02-30T10:00:00Z", "2021-13-01T10:00:00Z", "yesterday"][s.number % 3]})
    s.add("gopher://%s/0/private/x" % s.host, s.t, 200, b"page", None)


def scenarios():
    """(name, function, how often) of each."""
    _, lines = Path(__file__).with_suffix(".txt").read_text("utf-8").split("\n\n")
    for line in lines.splitlines():
        name, times, steps = re.match(r"(\w+) (\d+): ([^#]*)", line).groups()
        yield name, lambda s, steps=steps: [s.step(step.split()) for step in steps.split(";")], int(times)
    yield from ((function.__name__, function, times) for function, times in ((bodies, 200), (origin_forms, 6), (no_time_or_scheme, 6)))


def drawn_runs(rng):
    """Runs of which some may be parts of one."""
    fields = {"hostname": "crawl1", "operator": "Archive <a@b.example>", "isPartOf": "spring", "wget-arguments": '"-r" "--warc-file=x"',
              "description": "a crawl", "created": "2020-08-01", "robots": "classic"}
    first = Run(rng, software=rng.choice(["Wget/1.21.3 (linux-gnu)", "Wget/1.25.0", "Heritrix/3.4", "warcprox"]),
                **{k: v for k, v in fields.items() if rng.random() < 0.5})
    runs = [first]
    for _ in range(rng.choice([0, 1, 1, 2])):
        name = rng.choice(["crawl-00001.warc.gz", "crawl-00001.warc.gz", "crawl-1.warc.gz", "crawl-00000.warc.gz", "crawl-00001.warc2.gz", "other-00001.warc.gz"])
        field = rng.choice([*fields] * 2 + ["software"])
        change = rng.choice([{}, {}, {field: None}, {field: "another"}, {field: fields.get(field, "Wget/1.21.3 (linux-gnu)")},
                             {field: None, field.upper(): "  %s " % first.fields.get(field, "x")}])
        runs.append(first.like(rng, name, **change))
    return runs

# What nobody thought of.

SPANS = [SECOND * 0, SECOND * 0, SECOND, 2 * SECOND, 30 * MINUTE, HOUR_, HOUR_ + SECOND, 5 * HOUR_, DAY_ - SECOND, DAY_,
         DAY_ + SECOND, 3 * DAY_, 29 * DAY_, 30 * DAY_, 31 * DAY_, 60 * DAY_]
DELAYS = [b""] * 4 + [b"Crawl-delay: 10\n", b"Crawl-delay: 7200\n"]
FRACTIONS = [0.2 * SECOND, 0.25 * SECOND, SECOND / 1000] * 3
FINE, COARSE = ["second", "second", "tenth", "micro"], ["minute", "day", "month"]
SHORT = [SECOND * n for n in (0, 0, 1, 1, 2, 3, 5, 30, 300, 599, 600, 601)]


def any_captures(s):
    """Captures and pages of any kind at few moments, so that many are of one moment or at a bound. --mixed asks for it."""
    rng = s.rng
    spans, precisions = rng.choice([(SPANS, ["second"])] * 8 + [(SPANS + FRACTIONS, FINE), (SPANS, FINE + COARSE)] + [(SHORT, ["second"])] * 4 + [(SHORT, FINE)])
    moments = [s.t]
    while len(moments) < 5:
        moments.append(rng.choice(moments) + rng.choice([-1, -1, 1]) * rng.choice(spans))
    agents = rng.choice([[EXAMPLE], [EXAMPLE, GOOGLE], [EXAMPLE, EXAMPLE, None], [EXAMPLE, GOOGLE, BROWSER], [EXAMPLE, TWO, TWO],
                         [WGET], [WGET, CURL], [WGET, HERITRIX, None], [WGET, WGET, BROWSER]])
    origins = [s.origin] * 3 + [s.other(0), s.other(1)]
    archives = rng.choice([[1], [2], [1, 2]])
    locations = [o + "/robots.txt" for o in set(origins)] + [s.origin + "/private/robots", s.other(0) + "/private/robots", s.origin + "/private/ròbots"]
    locations.sort()
    odds = rng.choice([[8, 2, 2, 2, 2], [4, 8, 1, 1, 2], [4, 1, 8, 1, 2], [4, 1, 1, 8, 2]])
    bodies = []  # captures that others may refer to
    for _ in range(rng.randint(2, 9)):
        origin, when = rng.choice(origins), rng.choice(moments)
        more = {"ua": rng.choice(agents), "archive": rng.choice(archives), "precision": rng.choice(precisions)}
        kind = rng.choices(["rules", "failure", "redirect", "again", "page"], odds)[0]
        if kind == "again" and bodies:
            original, how = rng.choice(bodies), rng.randrange(4)
            if how < 2:
                s.revisit(original, when, refers=how == 0, **more)
            elif how == 2 and original.when < when:
                s.not_modified(original, when, **more)
            else:
                s.robots(when, b"", 304, origin=origin, **more)
        elif kind == "failure":
            s.robots(when, b"", rng.choice([404, 503, 503, 503, 100, 401, 403, 429]), origin=origin, **more)
            if rng.random() < 0.1:
                s.made[-1].status, s.made[-1].body = 202, ANUBIS
        elif kind == "redirect":
            s.robots(when, b"", 302, origin=origin, headers=[("Location", rng.choice(locations))], **more)
        elif kind == "page":
            page = s.page("/private/" + rng.choice(["robots", "robots", "robots", "r%C3%B2bots", "ròbots"]), t=when, **more)
            page.body = rng.choice([A, B])
        else:
            bodies.append(s.robots(when, rng.choice([A, A, A2, B, C, D]) + rng.choice(DELAYS), origin=origin, **more))
    for _ in range(3):
        s.pages(rng.choice(agents), rng.choice(moments), precision=rng.choice(precisions), archive=rng.choice(archives))
    clocks(s)
    arrange(s, agents)


def clocks(s):
    """Durations and Date headers, many of which reach the date of a page, or pass it."""
    rng = s.rng
    if rng.random() < 0.4:
        return
    pages = [e for e in s.made if not e.url.endswith("/robots.txt")]
    for e in s.made:
        gap = rng.choice([p.when for p in pages]) - e.when
        if rng.random() < 0.3:
            e.duration = rng.choice([gap // (SECOND / 1000) + rng.choice([-1000, -1, 0, 1, 1000]), rng.choice([0, 1200000, 1200001, 10**8, 10**12, -4000, "soon"])])
        if rng.random() < 0.3:
            e.lead = rng.choice([1, 2, 4, 5, 10, 60, 1200, 1201, -3])
        if rng.random() < 0.5 and e.precision not in COARSE:
            skew = rng.choice([0, 0, 0, 1, -1, -5, -6, 5, 6, 600, 601]) * SECOND
            e.headers = e.headers + http_date(e.when + skew + gap * (rng.random() < 0.5 and e not in pages)) + [("Age", "0")] * (rng.random() < 0.1)


def arrange(s, agents):
    """The order of records: as they were made, by date, by date but for some, or any; their runs."""
    rng = s.rng
    kind = rng.randrange(4)
    if kind == 3:
        rng.shuffle(s.made)
    elif kind:
        s.made.sort(key=lambda e: e.when)
        for e in rng.sample(s.made, (kind - 1) * rng.choice([1, 1, 2])):
            s.made.remove(e)
            s.made.insert(rng.randrange(len(s.made) + 1), e)
    if rng.random() < 0.5:
        runs, whose = drawn_runs(rng), rng.choice(["all", "archive", "agent", "any"])
        for e in s.made:
            e.run = runs[{"all": 0, "archive": e.archive, "agent": e.ua in agents and agents.index(e.ua), "any": rng.randrange(9)}[whose] % len(runs)]
        s.joined(named=rng.random() < 0.8)
    elif rng.random() < 0.7:
        s.in_order()

# ----------------------------------------------------------------- writing


# Exchanges by which a request and its response may end up apart: a User-Agent is looked for
# within 4,096 records, and a metadata record within 64 (package ingest).
APART = 1000


# The order of records tells only in the first: Wget makes one fetch after the other.
SOFTWARE = {1: "Wget/1.25.0", 2: "history_to_warc"}


def write_copies(out, rng, exchanges):
    """Copies of exchanges that other archives hold, some of them worse proven: cut, behind damage, or without a request."""
    copies = [copy.copy(e) for e in exchanges if rng.random() < 0.1]
    for e in copies:
        if rng.random() < 0.3:
            e.ua = None
        elif rng.random() < 0.5 and e.type == "response" and e.body and "WARC-Truncated" not in e.warc:
            e.own_digest, e.body, e.warc = e.digest, e.body[:len(e.body) // 2], {**e.warc, "WARC-Truncated": "length"}
    return write_archive(out, rng, "copies", copies, hole=True)


def write_archive(out, rng, software, exchanges, agents=(None, HERITRIX), hole=False):
    """Returns the User-Agents of the warcinfo records. With a hole, the second half stands behind damage."""
    infos = [Run(rng, **{"software": software, "http-header-user-agent": agent}) for agent in agents]
    written, placed = [], [(-1, map(info_record, infos))]  # place, records
    blocks = {}  # where the next record of a scenario stands
    for place, e in enumerate(shuffled(rng, exchanges)):
        if e.block:
            place = blocks[e.block] = blocks.get(e.block, rng.uniform(0, len(exchanges))) + 1e-6
        run = e.run or (infos[e.warcinfo] if infos else None)
        if run and run not in infos + written:
            written.append(run)
            placed.append((place - 1e-7, [info_record(run)]))
        name = {"WARC-Warcinfo-ID": run.id} if run and e.names_run else {}
        parts = [response_record(name, e)]
        if e.ua is not None:
            parts.append(request_record(name, e))
        if e.ua is not None and e.join == "adjacent":
            parts = [parts if rng.random() < 0.5 else parts[::-1]]
        else:
            parts = [[part] for part in parts]
        apart, near = (1e-5, 1e-6) if e.block else (APART, 1)
        placed += [(place if e.ordered and n == 0 else place + rng.uniform(0, apart), unit) for n, unit in enumerate(parts)]
        if e.duration is not None:
            block, concurrent = b"fetchTimeMs: %s\r\n" % str(e.duration).encode(), {"WARC-Concurrent-To": e.id, "Content-Type": "application/warc-fields"}
            placed.append((placed[-len(parts)][0] + rng.uniform(-near, near), [record_of(e, "metadata", e.metadata_id, block, {**concurrent, **name})]))
    for n, (_, unit) in enumerate(sorted(placed, key=lambda p: p[0])):
        out.write(HOLE * (hole and n == len(placed) // 2))
        out.writelines(gzip.compress(one, 6, mtime=0) for one in unit)
    return [run.fields.get("http-header-user-agent") for run in infos + written]


def info_record(run):
    block = "".join("%s: %s\r\n" % (k, v) for k, v in run.fields.items() if v is not None).encode()
    return record("warcinfo", block, {"WARC-Record-ID": run.id, "WARC-Date": stamp(FIRST_DAY), "WARC-Filename": run.filename,
                                      "Content-Type": "application/warc-fields"})


def record_of(e, kind, ident, block, fields):
    return record(kind, block, {"WARC-Record-ID": ident, "WARC-Date": e.date, "WARC-Target-URI": e.url, "WARC-Block-Digest": sha1(block), **fields})


def shuffled(rng, exchanges):
    """The exchanges in a random order, in which those of an ordered scenario keep theirs."""
    mixed = list(exchanges)
    rng.shuffle(mixed)
    places = {}
    for place, e in enumerate(mixed):
        if e.ordered:
            places.setdefault(e.ordered, []).append(place)
    for e in exchanges:  # in the order of their making
        if e.ordered:
            mixed[places[e.ordered].pop(0)] = e
    return mixed


def response_record(name, e):
    fields = {"Content-Type": "application/http; msgtype=response", **name, **e.warc}
    if e.ua is not None and e.join == "response":
        fields["WARC-Concurrent-To"] = e.request_id
    if e.type == "resource":
        return record_of(e, "resource", e.id, e.body, {**fields, "Content-Type": "text/html"})
    head = message("%s %d Said" % (e.protocol, e.status), e.headers)
    if e.type == "revisit":
        return record_of(e, "revisit", e.id, head, fields)
    return record_of(e, "response", e.id, e.interim + head + e.body, {**fields, "WARC-Payload-Digest": e.digest})


def request_record(name, e):
    m = re.match(r"[a-zA-Z]+://([^/?#]*)([^#]*)", e.url)
    fields = [("Host", m.group(1).rsplit("@")[-1])] + ([("User-Agent", e.ua)] if e.ua else []) + e.request_headers
    return record_of(e, "request", e.request_id, message("%s %s HTTP/1.1" % (e.method, m.group(2) or "/"), fields), {
        "Content-Type": "application/http; msgtype=request", "WARC-Concurrent-To": e.id if e.join == "request" else None,
        "WARC-Date": stamp(e.when - e.lead * SECOND, e.precision), **name})


def main(history, out, *, moments: int = 1000, seed: int = 9309, mixed: int = 0, only_history: bool = False):
    rng = random.Random(seed)
    moments, layers = (0, []) if only_history else (moments, [*scenarios(), ("any_captures", any_captures, mixed)])
    hosts = [Host(rng, name, o) for name, o in sorted(read_history(history).items())]
    last = max(h.timeline[-1][0] for h in hosts) + 30 * DAY_
    for _ in range(moments):
        sample(rng.choice(hosts), last)
    exchanges = [e for h in hosts for e in h.maker.made]
    number = 1
    for name, function, times in layers:
        for _ in range(times):
            s = Scenario(rng, name, rng.choice(hosts).name, number)
            function(s)
            exchanges += s.made
            number += 1
    os.makedirs(out)
    write_archives(rng, out, exchanges)
    return {e.id: e.layer for e in exchanges}


def write_archives(rng, folder, exchanges, agents=(None, HERITRIX)):
    """Writes archives 1 and 2, and returns their paths."""
    paths = [os.path.join(folder, "0.warc.gz")]
    with open(paths[0], "wb") as out:
        write_copies(out, rng, exchanges)
    for number, software in SOFTWARE.items():
        paths.append(os.path.join(folder, "%d.warc.gz" % number))
        with open(paths[-1], "wb") as out:
            write_archive(out, rng, software, [e for e in exchanges if e.archive == number or e.copied], agents)
    return paths
