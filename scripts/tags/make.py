"""Makes random archives whose pages and sites state tags and usage signals.

What each line means is known here because it is drawn first and written down after it.
A meaning is a list of (agent or None, rule, value); a date's value is (moment, hours of doubt).
"""
import base64
import hashlib
import json
import random
import uuid
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace as NS

HOUR = timedelta(hours=1)
START = datetime(2024, 3, 1, 12, tzinfo=timezone.utc)
AGENTS = {"ExampleBot": "ExampleBot/1.0 (+http://example.com/bot)", "CCBot": "CCBot/2.0 (https://commoncrawl.org/faq/)",
          "Acme": "Acme/1.0", None: "Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0"}
PLAIN = ["noindex", "noindex", "noarchive", "noarchive", "nosnippet", "none", "all", "index", "follow", "nofollow", "archive",
         "nocache", "noimageindex", "notranslate", "indexifembedded", "noai", "noai", "noimageai", "noodp", "noydir", "noyaca"]
VALUED = ["max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"]
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
IDENTICAL = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"


def stamp(t):
    return t.strftime("%Y-%m-%dT%H:%M:%SZ")


def recase(rng, word):
    return rng.choice([word, word, word, word.upper(), word.title()])


def date(rng, near):
    """(text, (moment, hours of doubt)) or (text, None): it cannot be read."""
    if rng.random() < 0.08:
        return rng.choice(["soon", "never", "31 Feb 2024 25:00:00 GMT", "2024-13-01"]), None
    t = near + rng.choice([-1, 1]) * rng.choice([timedelta(0), timedelta(seconds=1), 3 * HOUR, 11 * HOUR, 13 * HOUR, 20 * HOUR,
                                                 30 * HOUR, 40 * HOUR, 9000 * HOUR])
    month, form = MONTHS[t.month - 1], rng.randrange(9)
    midnight = t.replace(hour=0, minute=0, second=0)
    if form == 0:
        return stamp(t), (t, 0)
    if form == 1:
        return t.strftime("%a, %d ") + month + t.strftime(" %Y %H:%M:%S GMT"), (t, 0)
    if form == 2:
        return t.strftime("%A, %d-") + month + t.strftime("-%y %H:%M:%S GMT"), (t, 0)
    if form == 3:
        west = t - 8 * HOUR
        return west.strftime("%d ") + MONTHS[west.month - 1] + west.strftime(" %Y %H:%M:%S PST"), (t, 0)
    if form == 4:
        return (t + 2 * HOUR).strftime("%Y-%m-%dT%H:%M:%S+02:00"), (t, 0)
    if form == 5:
        return t.strftime("%Y-%m-%d %H:%M:%S"), (t, 12)
    if form == 6:
        return t.strftime("%d ") + month + t.strftime(" %Y %H:%M:%S XYZ"), (t, 12)
    if form == 7:
        return t.strftime("%Y-%m-%d"), (midnight, 36)
    return t.strftime("%d ") + month + t.strftime(" %Y"), (midnight, 36)


def rule(rng, near, unknown=True):
    """(rule, value as written or None, meaning of the value)."""
    draw = rng.random()
    if draw < 0.68:
        return rng.choice(PLAIN), None, None
    if draw < 0.94:
        name = rng.choice(VALUED)
        if name == "unavailable_after":
            text, meaning = date(rng, near)
            return name, text, meaning
        if name == "max-image-preview":
            v = rng.choice(["none", "standard", "large"])
            return name, v, v
        v = rng.choice([0, 20, 20, 50, -1])
        return name, str(v), v
    return ("zzz" + rng.choice("abc") if unknown else "noindex"), None, None


def listed(rng, rules):
    return rng.choice([", ", ",", " , "]).join(recase(rng, r) + (rng.choice([":", ": "]) + v if v is not None else "") for r, v, _ in rules)


def header(rng, near, tokens):
    """A header line: (name, text, tags)."""
    parts = []
    for _ in range(rng.randint(1, 2)):
        agent = rng.choice([None, None] + tokens)
        parts.append((agent, [rule(rng, near) for _ in range(rng.randint(1, 3))]))
    tags = [(a, r, m) for a, rs in parts for r, _, m in rs]
    if rng.random() < 0.6:
        parts.sort(key=lambda p: p[0] is not None)  # everybody's before the first prefix
        text = ", ".join((recase(rng, a) + ": " if a else "") + listed(rng, rs) for a, rs in parts)
        return recase(rng, "x-robots-tag"), text, tags
    def member(a, rs):
        seen, out = set(), [a or "*"]
        for r, v, _ in rs:
            out.append(r + ("" if v is None else "=" + (v if v.lstrip("-").isalnum() and "-" not in v[1:] and r != "unavailable_after" else '"%s"' % v)))
        return ";".join(out)
    kept = []
    for a, rs in parts:  # a parameter is there once
        once = {r: (r, v, m) for r, v, m in rs}
        kept.append((a, list(once.values())))
    return recase(rng, "robots-tag"), ", ".join(member(a, rs) for a, rs in kept), [(a, r, m) for a, rs in kept for r, _, m in rs]


USAGE = {"train-ai": "train-ai", "search": "search", "tdm": "tdm", "genai": "train-genai", "bots": "automated"}
SIGNAL = {"search": "search", "ai-input": "ai-input", "ai-train": "train-ai"}


def usage(rng):
    """(protocol, text, {purpose: allow/restrict})."""
    if rng.random() < 0.5:
        keys = rng.sample(sorted(USAGE), rng.randint(1, 3))
        values = [rng.choice(["y", "n", "n", "x"]) for _ in keys]
        said, table = dict(zip(keys, values)), USAGE
        name, text = "content-usage", ", ".join("%s=%s" % p for p in said.items())
    else:
        keys = rng.sample(sorted(SIGNAL), rng.randint(1, 3))
        values = [rng.choice(["yes", "no", "no", "x"]) for _ in keys]
        said, table = dict(zip(keys, values)), SIGNAL
        name, text = "content-signal", ",".join("%s=%s" % p for p in said.items())
    return name, text, {table[k]: {"y": "allow", "n": "restrict", "x": None}[v[0]] for k, v in said.items()}


def robots(rng):
    """A robots.txt: (text, groups), each group (tokens, [lines]); a line is (name, path, said)."""
    groups, out = [], []
    for tokens in rng.choice([[["*"]], [["*"], ["ExampleBot"]], [["CCBot", "Acme"]], [["*"], ["CCBot"], ["ccbot"]]]):
        lines = []
        out += ["User-agent: " + t for t in tokens] + ["Disallow: /zz"]
        lines.append(("disallow", "/zz", None))
        for _ in range(rng.randint(0, 3)):
            if rng.random() < 0.3:
                path = rng.choice(["/a", "/a/", "/b", "/zz"])
                lines.append(("disallow", path, None))
                out.append("Disallow: " + path)
            else:
                name, text, said = usage(rng)
                path = rng.choice([None, None, "/", "/a", "/a/*x", "/b/"])
                if name == "content-signal" and rng.random() < 0.7:
                    path = None
                lines.append((name, path, said))
                out.append("%s: %s%s" % (name.title(), path + " " if path else "", text))
        groups.append((tokens, lines))
    return "\n".join(out) + "\n", groups


class Maker:
    def __init__(self, seed):
        self.rng, self.made, self.n = random.Random(seed), [], 0

    def add(self, url, t, **more):
        rng = self.rng
        e = NS(url=url, t=t, status=200, body=b"", headers=[], metas=[], type="response", agent="ExampleBot", method="GET", warc={},
               ctype="text/html", archive=rng.choice([1, 2]), what="page", groups=None, entries=None)
        e.__dict__.update(more)
        e.id = "<urn:uuid:%s>" % uuid.UUID(int=rng.getrandbits(128), version=4)
        self.made.append(e)
        return e

    def tokens(self):
        return ["ExampleBot", "examplebot", "CCBot", "googlebot", "Acme", "FooCrawler", "otherbot"]

    def page(self, origin, t, path=None, **more):
        rng = self.rng
        self.n += 1
        url = origin + (path or "%sp%d%s" % (rng.choice(["/a/", "/b/", "/c/"]), self.n, rng.choice(["", "x"])))
        headers, metas = [], []
        for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
            headers.append(header(rng, t, self.tokens()))
        if rng.random() < 0.15:  # lines of one field are one statement; a key in two of them counts as in the last
            _, text, said = next(u for u in iter(lambda: usage(rng), 0) if u[0] == "content-usage")
            headers.append(("Content-Usage", text, said))
        if rng.random() < 0.15:
            v = rng.choice(["0", "1", "1", "2"])
            headers.append((recase(rng, "tdm-reservation"), v, v))
        rng.shuffle(headers)
        for _ in range(rng.choice([0, 0, 1, 2, 3])):
            name = rng.choice(["robots", "robots", "ROBOTS", "tdm-reservation", "*", "msapplication-config", "yandex"] + self.tokens())
            place = rng.choice(["head"] * 5 + ["noscript", "body", "template"])
            if name == "tdm-reservation":
                v = rng.choice(["0", "1", "x"])
                metas.append((name, v, v, place))
            else:
                rs = [rule(rng, t, unknown=n > 0) for n in range(rng.randint(1, 3))]
                metas.append((recase(rng, name), listed(rng, rs), [(r, m) for r, _, m in rs], place))
        ctype = rng.choice(["text/html"] * 8 + ["text/html; charset=utf-8", "application/xhtml+xml", "image/png", "text/plain", None])
        e = self.add(url, t, headers=headers, metas=metas, ctype=ctype, agent=rng.choice(list(AGENTS)),
                     status=rng.choice([200] * 12 + [404, 301, 503, 206, 203]), method="HEAD" if rng.random() < 0.03 else "GET", **more)
        def put(where):
            order = [m for m in e.metas if m[3] == where]
            return "".join("<meta name='%s' content='%s'>\n" % (n, c) for n, c, _, _ in order)
        e.metas.sort(key=lambda m: ["head", "noscript", "template", "body"].index(m[3]))
        e.body = ("<!DOCTYPE html><html><head><title>%d</title>\n%s<noscript>%s</noscript><template>%s</template></head><body>%s</body></html>\n" % (
            self.n, put("head"), put("noscript"), put("template"), put("body"))).encode()
        if e.method == "HEAD":
            e.body = b""
        return e

    def revisit(self, e):
        rng = self.rng
        how = rng.choice(["refers", "refers", "digest", "id", "304", "304 refers", "gone"])
        own = [header(rng, e.t, self.tokens()) for _ in range(rng.choice([0, 0, 0, 1, 2]))]
        if rng.random() < 0.2:
            own.append(("Tdm-Reservation", "0", "0"))
        warc = {"WARC-Profile": IDENTICAL, "WARC-Payload-Digest": digest(e.body)}
        status = e.status
        if how in ("refers", "304 refers"):
            warc.update({"WARC-Refers-To-Target-URI": e.url, "WARC-Refers-To-Date": stamp(e.t)})
        if how == "id":
            warc["WARC-Refers-To"] = e.id
        if how.startswith("304"):
            warc["WARC-Profile"], status = NOT_MODIFIED, 304
            del warc["WARC-Payload-Digest"]
        if how == "gone":
            warc.update({"WARC-Refers-To-Target-URI": e.url, "WARC-Refers-To-Date": stamp(e.t - 9 * HOUR)})
            if rng.random() < 0.5:
                warc["WARC-Payload-Digest"] = digest(b"gone")
        url = e.url if how != "refers" or rng.random() < 0.7 else e.url + "-elsewhere"
        r = self.add(url, e.t + rng.randrange(1, 90) * HOUR + timedelta(seconds=rng.randrange(3600)), type="revisit", status=status, headers=own, warc=warc,
                     ctype=e.ctype, agent=rng.choice(list(AGENTS)))
        return r


def digest(content):
    return "sha1:" + base64.b32encode(hashlib.sha1(content).digest()).decode()


def make(seed, out, origins=25):
    """make writes two archives, 1.warc and 2.warc, to the folder out. It returns what they hold."""
    m = Maker(seed)
    rng = m.rng
    for n in range(origins):
        origin = "http://h%d-%d.example" % (seed, n)
        t = START + timedelta(seconds=rng.randrange(10**7))
        for back in rng.choice([[], [], [3], [3], [30], [60, 2], [-2], [5, 4]]):
            text, groups = robots(rng)
            status = rng.choice([200] * 9 + [404])
            m.add(origin + "/robots.txt", t - back * HOUR, what="robots", body=text.encode(), groups=groups if status == 200 else [], status=status,
                  ctype="text/plain", agent=rng.choice(list(AGENTS)))
        for back in rng.choice([[], [], [5], [30], [30, 4], [-1]]):
            entries = [{"location": rng.choice(["/a/*", "/b/", "/", "/*x$"]), "tdm-reservation": rng.choice([0, 1, 1, 7])} for _ in range(rng.randint(1, 3))]
            m.add(origin + "/.well-known/tdmrep.json", t - back * HOUR - timedelta(seconds=7), what="tdmrep", body=json.dumps(entries).encode(), entries=entries,
                  ctype="application/json", agent="ExampleBot")
        pages = []
        for _ in range(rng.randint(4, 14)):
            pages.append(m.page(origin, t + timedelta(seconds=rng.randrange(1, 7000))))
        for e in pages:
            if rng.random() < 0.1 and e.method == "GET":  # another answer with the same body
                twin = m.page(origin, e.t + rng.choice([timedelta(0), HOUR]))
                twin.url, twin.body, twin.metas, twin.status, twin.ctype = e.url, e.body, e.metas, e.status, e.ctype
            if rng.random() < 0.4 and e.method == "GET":
                m.revisit(e)
    rng.shuffle(m.made)
    for archive in (1, 2):
        with open("%s/%d.warc" % (out, archive), "wb") as f:
            for e in m.made:
                if e.archive == archive:
                    write(f, rng, e)
    return m.made


def record(kind, e, ident, block, more):
    head = "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: %s\r\nWARC-Date: %s\r\nWARC-Target-URI: %s\r\n" % (kind, ident, stamp(e.t), e.url)
    head += "".join("%s: %s\r\n" % p for p in more.items())
    return (head + "Content-Type: application/http; msgtype=%s\r\nContent-Length: %d\r\n\r\n" % (
        "request" if kind == "request" else "response", len(block))).encode() + block + b"\r\n\r\n"


def write(f, rng, e):
    head = "HTTP/1.1 %d Said\r\n" % e.status
    if e.ctype:
        head += "Content-Type: %s\r\n" % e.ctype
    head += "".join("%s: %s\r\n" % (n, v) for n, v, _ in e.headers) + "\r\n"
    more = dict(e.warc)
    if e.type == "response" and e.body:
        more["WARC-Payload-Digest"] = digest(e.body)
    f.write(record(e.type, e, e.id, head.encode() + (e.body if e.type == "response" else b""), more))
    path = "/" + e.url.split("/", 3)[3]
    request = "%s %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\n\r\n" % (e.method, path, e.url.split("/")[2], AGENTS[e.agent])
    ident = "<urn:uuid:%s>" % uuid.UUID(int=rng.getrandbits(128), version=4)
    f.write(record("request", e, ident, request.encode(), {"WARC-Concurrent-To": e.id}))
