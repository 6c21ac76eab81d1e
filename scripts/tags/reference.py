"""What the archives of make.py say of publication and use, by docs/SEMANTICS.md alone; plain and slow.

It parses no tags: make.py knows what each line means. compare.py compares it with the tables.
"""

import re
from datetime import timedelta

import make

DAY, HOUR = timedelta(hours=24), timedelta(hours=1)
KNOWN = {"examplebot", "ccbot", "googlebot", "foocrawler", "otherbot", "yandex"}
WIDER = {"train-genai": "train-ai", "train-ai": "tdm", "tdm": "automated", "search": "automated", "ai-input": "automated", "automated": None}
PURPOSES = {"archive": ["automated"], "index": ["search"], "train": ["train-ai", "train-genai"]}
RESTRICTS = {"archive": {"noarchive", "nocache", "unavailable_after"}}
RESTRICTS["index"] = RESTRICTS["archive"] | {"noindex", "none", "nosnippet", "noimageindex", "notranslate", "max-snippet", "max-image-preview",
                                             "max-video-preview"}
SIZES = ["none", "standard", "large"]


def same(a, b):
    return (a or "").lower() == (b or "").lower()


def is_html(e):
    return e.ctype is None or e.ctype.split(";")[0] in ("text/html", "application/xhtml+xml")


class Site:
    """All records of the archives, and what holds for each fetch."""

    def __init__(self, made, asked=(), as_of=None):
        self.made, self.as_of = made, as_of
        self.asked = {a.lower() for a in asked}

    # ---- what a page states

    def original(self, e):
        """(original or None, known)."""
        if e.type != "revisit":
            return None, True
        mine = e.warc.get("WARC-Payload-Digest")
        pool = [r for r in self.made if r.type == "response" and r.method == "GET"]
        not_modified = e.status == 304
        found = []
        if "WARC-Refers-To-Date" in e.warc:
            url, date = e.warc["WARC-Refers-To-Target-URI"], e.warc["WARC-Refers-To-Date"]
            found = [r for r in pool if r.url == url and r.t.strftime("%Y-%m-%dT%H:%M:%SZ") == date]
        elif "WARC-Refers-To" in e.warc:
            found = [r for r in pool if r.id == e.warc["WARC-Refers-To"]]
        elif not_modified:
            before = [r for r in pool if r.url == e.url and r.t < e.t and 200 <= r.status < 300]
            found = [r for r in before if r.t == max(b.t for b in before)]
        found = [r for r in found if (not_modified or r.status == e.status) and mine in (None, digest(r))]
        if not found and mine:
            before = [r for r in pool if r.url == e.url and r.t < e.t and r.status == e.status and digest(r) == mine]
            found = [r for r in before if r.t == max(b.t for b in before)]
        found = [r for r in found if (not_modified or r.status == e.status) and mine in (None, digest(r))]
        if not found or any((r.headers, r.metas) != (found[0].headers, found[0].metas) for r in found):
            return None, False
        return found[0], True

    def lines(self, e):
        """Header lines and metas that e states, with their line: (source name, line, text, meaning, from original)."""
        first, known = self.original(e)
        own = {n.lower() for n, _, _ in e.headers}
        headers = list(e.headers) + ([] if first is None else [h for h in first.headers if h[0].lower() not in own])
        origin = first is not None
        out = []
        for n, (name, text, said) in enumerate(headers, 1):
            out.append((name.lower(), n, text, said, origin and n > len(e.headers)))
        body = first or e
        if is_html(body) and body.body and (e.type != "revisit" or first):
            n = 0
            for name, text, said, place in body.metas:
                token = name.lower()
                n += 1
                if token in ("*", "msapplication-config") or token == "acme" and not same(e.agent, token) and token not in self.asked:
                    continue
                out.append(("meta", n, text, (token, said, place), origin))
        return out, ("original" if first else None if known else "unknown")

    def tags(self, e):
        """(agent, rule, value, source, line, from original) that bind."""
        out = []
        for source, n, _, said, old in self.lines(e)[0]:
            if source in ("robots-tag", "x-robots-tag"):
                out += [(a and a.lower(), r, v, source, n, old) for a, r, v in said]
            elif source == "meta" and said[0] != "tdm-reservation" and said[2] in ("head", "noscript"):
                out += [(None if said[0] == "robots" else said[0], r, v, source, n, old) for r, v in said[1]]
        return out

    def of(self, e, token):
        return [t for t in self.tags(e) if t[0] is None or token is not None and t[0] == token.lower()]

    def effective(self, e, token):
        """(set of rules as text, conflicts)."""
        mine, out, conflicts = self.of(e, token), set(), set()
        for _, r, v, _, _, _ in mine:
            if r == "all":
                out |= {"index", "follow"}
            elif r == "none":
                out |= {"noindex", "nofollow"}
            elif r not in ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"):
                out.add(r)
        for word in ("index", "follow", "archive"):
            if {word, "no" + word} <= out:
                conflicts.add(word)
                out.discard(word)
        if {"archive", "nocache"} <= out:
            conflicts.add("archive")
            out.discard("archive")
        if {"noarchive", "nocache"} <= out:
            conflicts.add("cache")
        for name in ("max-snippet", "max-video-preview", "max-image-preview", "unavailable_after"):
            values = [t[2] for t in mine if t[1] == name]
            if name == "unavailable_after" and values:
                values = [v[0] for v in values if v is not None]
                out |= {name} if not values else set()
            if len(set(values)) > 1:
                conflicts.add("values")
            if name == "max-snippet" and "nosnippet" in out and values and 0 not in values:
                conflicts.add("snippet")
            if not values or name == "max-snippet" and "nosnippet" in out and min(values, key=lambda v: (v == -1, v)) != 0:
                continue
            if name == "unavailable_after":
                out.add("unavailable_after: " + min(values).strftime("%Y-%m-%dT%H:%M:%SZ"))
            elif name == "max-image-preview":
                out.add("max-image-preview:" + min(values, key=SIZES.index))
            else:
                out.add("%s:%d" % (name, min(values, key=lambda v: (v == -1, v))))
        return out, conflicts

    def publication(self, e, token, purpose):
        """[(source, line, certainty)] of tags that restrict a purpose of publication."""
        mine = self.of(e, token)
        out, nosnippet = [], any(t[1] == "nosnippet" for t in mine) and ("max-snippet", 0) not in [t[1:3] for t in mine]
        for _, r, v, source, n, old in self.of(e, token):
            doubt = old
            if r not in RESTRICTS.get(purpose, ()):
                continue
            if r in ("max-snippet", "max-video-preview") and v == -1 or r == "max-image-preview" and v == "large" or \
                    r == "max-snippet" and v != 0 and nosnippet:
                continue
            if r == "unavailable_after":
                t = self.as_of or e.t
                if v is None or not v[0] < t:
                    continue
                doubt = doubt or t <= v[0] + v[1] * HOUR
            out.append((source, n, "probable" if doubt else "certain"))
        return out

    def noai(self, e, token):
        image = (e.ctype or "").startswith("image/")
        return [(source, n, "probable" if old else "certain") for _, r, _, source, n, old in self.of(e, token)
                if r == "noai" or r == "noimageai" and image]

    # ---- what a site states

    def origin_of(self, e):
        return e.url.split("/", 3)[2], "/" + e.url.split("/", 3)[3]

    def governing(self, e):
        mine = [r for r in self.made if r.what == "robots" and self.origin_of(r)[0] == self.origin_of(e)[0]]
        before = [r for r in mine if r.t <= e.t]
        own = [r for r in before if same(r.agent, e.agent) and e.t - r.t <= DAY]
        for pool in (own, before):
            if pool:
                return max(pool, key=lambda r: r.t)
        after = [r for r in mine if r.t - e.t <= DAY]
        return min([r for r in after if same(r.agent, e.agent)] or after, key=lambda r: r.t, default=None)

    def robots(self, e, verdict):
        """([(protocol, line, said)], capture) of the lines of robots.txt that hold for e."""
        r = self.governing(e)
        if r is None or not r.groups or e.reason in ("changed_between", "conflicting_captures"):
            return [], r
        _, path = self.origin_of(e)
        groups = [g for g in r.groups if any(same(t, e.agent) for t in g[0])] or [g for g in r.groups if "*" in g[0]]
        lines, out, number = [], [], {}
        n = 0
        for g in r.groups:
            n += len(g[0])
            for line in g[1]:
                n += 1
                if g in groups:
                    lines.append((n,) + line)
        for protocol in ("content-usage", "content-signal"):
            if protocol == "content-usage" and verdict == "disallowed":
                continue
            fits = [(len(p or ""), n, said) for n, name, p, said in lines if name == protocol and matches(p, path)]
            longest = max([f[0] for f in fits], default=0)
            out += [(protocol, n, said) for size, n, said in fits if size == longest]
        return out, r

    def tdmrep(self, e):
        before = [r for r in self.made if r.what == "tdmrep" and self.origin_of(r)[0] == self.origin_of(e)[0] and r.t <= e.t]
        if not before:
            return None
        r = max(before, key=lambda r: r.t)
        for n, entry in enumerate(r.entries, 1):
            if matches(entry["location"], self.origin_of(e)[1]):
                return n, str(entry["tdm-reservation"]), r
        return None

    def statements(self, e, verdict):
        """[(source, line, {purpose: preference}, certainty, fresh)] of usage signals that hold for e."""
        out, fields = [], {}
        tdm = {"meta": [], "header": []}
        for source, n, _, said, old in self.lines(e)[0]:
            certainty = "probable" if old else "certain"
            if source == "content-usage":
                out.append(("header", n, said, certainty, True))
            elif source == "tdm-reservation":
                tdm["header"].append(("header", n, said, certainty, True))
            elif source == "meta" and said[0] == "tdm-reservation" and said[2] in ("head", "noscript"):
                tdm["meta"].append(("meta", n, said[1], certainty, True))
        if e.what == "robots":
            return out
        entry = self.tdmrep(e)
        tdm["file"] = [("tdmrep.json", entry[0], entry[1], "probable", e.t - entry[2].t <= DAY)] if entry else []
        for level in ("meta", "header", "file"):
            valid = [(s, n, {"tdm": "restrict" if v == "1" else "allow"}, c, f) for s, n, v, c, f in tdm[level] if v in ("0", "1")]
            out += valid
            if valid:
                break
        lines, r = self.robots(e, verdict)
        out += [("robots.txt", n, said, "probable", timedelta(0) <= e.t - r.t <= DAY) for _, n, said in lines]
        return out

    def usage(self, e, verdict, purpose):
        out = []
        for source, n, said, certainty, fresh in self.statements(e, verdict):
            if fresh and any(resolve(said, p) == "restrict" for p in PURPOSES[purpose]):
                out.append((source, n, certainty))
        return out + (self.noai(e, e.agent) if purpose == "train" else [])

    # ---- the tables

    def restrictions(self, e, verdict, purposes):
        """{(kind, purpose): (set of (source, line), certainty)}."""
        out = {}
        if e.method == "HEAD" or not (200 <= e.status < 300 or e.status == 304):
            return out
        for purpose in purposes:
            for kind, found in (("publication", self.publication(e, e.agent, purpose)), ("usage", self.usage(e, verdict, purpose))):
                if found:
                    out[kind, purpose] = ({f[:2] for f in found}, "certain" if any(f[2] == "certain" for f in found) else "probable")
        return out

    def rows(self, e):
        """effective_tags: {token or None: (rules, conflicts, archive, index, train)}."""
        out = {}
        for token in sorted({t[0] for t in self.tags(e) if t[0]}) + [None]:
            rules, conflicts = self.effective(e, token)
            if rules or token:
                out[token] = (rules, conflicts, bool(self.publication(e, token, "archive")), bool(self.publication(e, token, "index")),
                              bool(self.noai(e, token)))
        return out

    def conflicts(self, e, verdict):
        rules, inside = self.effective(e, e.agent)
        out = {("tags", tuple(sorted(inside)))} if inside else set()
        if verdict == "disallowed" and any(not r.startswith("zzz") for r in rules):
            out.add(("disallowed_yet_tagged", tuple(sorted(rules))))
        said = [s for s in self.statements(e, verdict) if s[4]]
        page = [s[2] for s in said if s[0] in ("header", "meta")]
        said_of_ai = "restrict" if self.noai(e, e.agent) else None  # noimageai of a page states nothing
        page += [{"train-ai": said_of_ai, "ai-input": said_of_ai}] * any(t[1] in ("noai", "noimageai") for t in self.of(e, e.agent))
        site = [s[2] for s in said if s[0] in ("robots.txt", "tdmrep.json")]
        for p in [p for p in WIDER if any(p in s for s in page + site)]:
            def total(statements):
                found = {resolve(s, p) for s in statements} - {None}
                return "restrict" if "restrict" in found else "allow" if found else None
            if total(page) == "restrict" and total(site) == "allow":
                out.add(("page_restricts", (p,)))
            if total(page) == "allow" and total(site) == "restrict":
                out.add(("page_allows", (p,)))
        return out


def resolve(said, purpose):
    while purpose:
        if said.get(purpose):
            return said[purpose]
        purpose = WIDER[purpose]
    return None


def matches(pattern, path):
    if pattern is None:
        return True
    end = pattern.endswith("$")
    body = ".*".join(re.escape(p) for p in pattern.rstrip("$").split("*"))
    return re.match(body + ("$" if end else ""), path) is not None


def digest(r):
    return make.digest(r.body) if r.body else None
