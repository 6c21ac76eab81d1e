"""What the archives of tags_archives.py say of publication and use, by docs/SIGNALS.md alone.

It parses no tags: tags_archives.py knows what each line means. tags.py compares it with the tables.
"""

import json
import re
from datetime import timedelta
from types import SimpleNamespace as NS

import tags_archives as make

DAY, HOUR = timedelta(hours=24), timedelta(hours=1)
NESTED = ["automated", "tdm", "ai", "train-ai", "train-genai", "ai-input", "ai-index", "search", "reuse"]  # parts stand behind what they are part of
NEAREST = {"archive": "automated", "index": "search", "train": "train-ai"}
BINDING = {"archive": {"automated"}, "index": {"automated", "search"}, "train": {"automated", "tdm", "ai", "train-ai", "train-genai"}}
RESTRICTS = {"archive": {"noarchive", "nocache", "unavailable_after"}}
RESTRICTS["index"] = RESTRICTS["archive"] | {"noindex", "none", "nosnippet", "noimageindex", "notranslate", "max-snippet", "max-image-preview",
                                             "max-video-preview"}
PUBLICATION = RESTRICTS["index"] - {"unavailable_after"} | {"noarchive", "nocache", "unavailable_after"}
DRAFT, POLICY = "draft-illyes-repext-03", ("tdm-reservation", "tdm-policy")
DEFINED_BY = {"noindex": DRAFT, "nosnippet": DRAFT, "nocache": "bing", "noyaca": "yandex", "index": "yandex", "follow": "yandex", "archive": "yandex",
              "noydir": "yahoo", "noai": "deviantart", "noimageai": "deviantart", "noml": "noml.info", "disallowaitraining": "draft-canel-robots-ai-control-00",
              "allowaitraining": "draft-canel-robots-ai-control-00", "unknown": None}  # all others: google
OF_AI = {"train-ai", "ai-input", "ai-index"}
RSL = {"all": ("automated", OF_AI | {"ai", "search"}), "ai-all": ("ai", OF_AI), "ai-train": ("train-ai", set()), "ai-input": ("ai-input", set()),
       "ai-index": ("ai-index", set()), "search": ("search", set())}
BEFORE = {"train-ai": ("train-ai", set()), "train-genai": ("train-genai", set()), "ai-use": ("ai-input", set()), "ai-summarize": ("ai-input", set())}
OF_USE = ("noai", "noimageai", "disallowaitraining", "noml")
FAMILY = {"yandexbot": "yandex", "bingbot": "msnbot"}
BLANK = {"named": None, "path": None, "group_line": None, "in_head": None, "robots": None, "file": None, "old": False}  # of a row of usage_signals
VALUED = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")
BINDS = (None, "head", "noscript")  # None: a header field
SIZES = ["none", "standard", "large"]


def same(a, b):
    return (a or "").lower() == (b or "").lower()


def is_own(r, e):
    """The crawler of e got the capture r. Each archive names several: one without a token is by nobody known."""
    return same(r.agent, e.agent)


def is_html(e):
    return e.ctype is None or e.ctype.split(";")[0] in ("text/html", "application/xhtml+xml")


def once(f):
    """Keeps what a method of Site returns of a fetch."""
    def kept(self, e, *more):
        key = f.__name__, e.id, more
        if key not in self.found:
            self.found[key] = f(self, e, *more)
        return self.found[key]
    return kept


class Site:
    """All records of the archives, and what holds for each fetch."""

    def __init__(self, made, asked=(), as_of=None):
        self.made, self.as_of = made, as_of
        self.asked = {a.lower() for a in asked}
        self.found = {}

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
            found = [r for r in pool if r.url == url and make.iso(r.t) == date]
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

    @once
    def lines(self, e):
        """Header lines and metas of e: (source name, line, text, meaning, from original)."""
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
                n += 1
                if len(name.replace(",", " ").split()) > 1:  # a list of names
                    said = [NS(**{**t.__dict__, "notes": t.notes | {"separator"}}) for t in said]
                out += [("meta", n, text, (token, said, place), origin) for token in self.names(e, name)]
        return out, ("original" if first else None if known else "unknown")

    def names(self, e, name):
        """The tokens that the name of a meta names."""
        names = name.lower().replace(",", " ").split()
        return [t for t in names if t not in ("*", "msapplication-config") and (t != "acme" or same(e.agent, t) or t in self.asked)]

    def stated(self, e):
        """All tags: (agent, tag, source, line, place in the page or None, from original)."""
        out = []
        for source, n, _, said, old in self.lines(e)[0]:
            if source in ("robots-tag", "x-robots-tag"):
                out += [(t.agent, t, source, n, None, old) for t in said]
            elif source == "meta" and said[0] not in POLICY + ("link", "script"):
                out += [(None if said[0] == "robots" else said[0], t, source, n, said[2], old) for t in said[1]]
        return out

    @once
    def tags(self, e):
        """Tags that bind: (agent, rule or unknown word, value, source, line, from original)."""
        return [(agent and agent.lower(), t.word if t.rule == "unknown" else t.rule, t.meaning, source, n, old)
                for agent, t, source, n, place, old in self.stated(e) if place in BINDS and not t.denied]

    def of(self, e, token):
        mine = (token or "").lower()
        return [t for t in self.tags(e) if t[0] in (None, mine or None, FAMILY.get(mine))]

    def effective(self, e, token):
        """(set of rules as text, conflicts)."""
        mine, out, conflicts = self.of(e, token), set(), set()
        for _, r, v, _, _, _ in mine:
            if r == "all":
                out |= {"index", "follow"}
            elif r == "none":
                out |= {"noindex", "nofollow"}
            elif r not in VALUED:
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
        if {"allowaitraining", "disallowaitraining"} <= out:
            conflicts.add("training")
            out.discard("allowaitraining")
        for name in ("max-snippet", "max-video-preview", "max-image-preview", "unavailable_after"):
            values = [t[2] for t in mine if t[1] == name]
            if name == "unavailable_after" and values and not any(values):
                out.add(name)
            values = [v[0] if name == "unavailable_after" else v for v in values if v is not None]
            if len(set(values)) > 1:
                conflicts.add("values")
            if name == "max-snippet" and "nosnippet" in out and values and 0 not in values:
                conflicts.add("snippet")
            if not values or name == "max-snippet" and "nosnippet" in out and min(values, key=lambda v: (v == -1, v)) != 0:
                continue
            if name == "unavailable_after":
                out.add("unavailable_after: " + make.iso(min(values)))
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
            if r in VALUED and v is None or r in ("max-snippet", "max-video-preview") and v == -1 or r == "max-image-preview" and v == "large" or \
                    r == "max-snippet" and v != 0 and nosnippet:
                continue
            if r == "unavailable_after":
                t = self.as_of or e.t
                if v is None or not v[0] < t:
                    continue
                doubt = doubt or t <= v[0] + v[1] * HOUR
            out.append((source, n, "probable" if doubt else "certain"))
        return out

    def training(self, e, token):
        """[(source, line, certainty)] of tags that restrict training."""
        image = (e.ctype or "").startswith("image/")
        return [(source, n, "probable" if old else "certain") for _, r, _, source, n, old in self.of(e, token)
                if r in ("noai", "disallowaitraining", "noml") or r == "noimageai" and image or r in self.of_operator(e, token)]

    def of_operator(self, e, token):
        """The rules that mean more to bingbot: nocache, else noarchive. To Amazonbot it is noarchive."""
        rules = {t[1] for t in self.of(e, token)}
        more = {"bingbot": {"nocache" if "nocache" in rules else "noarchive"}, "amazonbot": {"noarchive"}}
        return more.get((token or "").lower(), set()) & rules

    # ---- what a site states

    def origin_of(self, e):
        return e.url.split("/", 3)[2], "/" + e.url.split("/", 3)[3]

    def before(self, r, e):
        """r is before e: of one moment in one archive, where its record stands before."""
        return r.t < e.t or r.t == e.t and (r.archive != e.archive or r.place[1] < e.place[1])

    def governing(self, e):
        mine = [r for r in self.made if r.what == "robots" and self.origin_of(r)[0] == self.origin_of(e)[0]]
        before = [r for r in mine if self.before(r, e)]
        own = [r for r in before if is_own(r, e) and e.t - r.t <= DAY]
        for pool in (own, before):
            if pool:
                return of_one_moment(pool, max(r.t for r in pool), max, e)
        after = [r for r in mine if r.t - e.t <= DAY]
        after = [r for r in after if is_own(r, e)] or after
        return of_one_moment(after, min(r.t for r in after), min, e) if after else []

    @once
    def robots(self, e, verdict):
        """The lines of robots.txt that hold for e: (as said_by has them, capture, known)."""
        if e.what == "robots" or e.reason in ("changed_between", "conflicting_captures"):
            return [], None, True
        found = [(self.said_by(r, e, verdict), r) for r in self.governing(e)]
        if not found:
            return [], None, True
        if any(come_to(lines) != come_to(found[0][0]) for lines, _ in found):
            return [], None, False
        return next((f for f in found if f[1].place == e.cited), found[0]) + (True,)  # any of them may be the latest

    def said_by(self, r, e, verdict):
        """Lines of a capture: (line, path, first line of the group or None, what it says).

        They are those of the groups that hold for e, and those outside any group."""
        _, path = self.origin_of(e)
        groups, outside = grouped(r.lines, False)
        own, usage = self.lines_for(groups, e), self.lines_for(grouped(r.lines, True)[0], e)
        may = verdict != "disallowed"
        if usage != own:
            may = not any(name == "disallow" and matches(p, path) for _, name, p, _, _ in usage)
        out = []
        for protocol, lines in (("content-usage", usage if may else []), ("content-signal", own), ("ai-training", own), ("disallow-training", own)):
            fits = [(n, p, first, what) for n, name, p, what, first in lines
                    if (name == protocol or protocol == "ai-training" and name.endswith("aitraining")) and matches(p, path)]
            out += longest(fits, protocol)
        licences = [(n, p, first, what) for n, name, p, what, first in own if name == "license" and what]
        out += licences or [(n, p, None, what) for n, name, p, what in outside if name == "license" and what]
        return out + [(n, p, None, statements(name, what)) for n, name, p, what in outside
                      if name != "license" and matches(p, path) and not (name == "content-usage" and not may)]

    def lines_for(self, groups, e):
        mine = [g for g in groups if any(same(t, e.agent) for t in g[0])] or [g for g in groups if "*" in g[0]]
        return [line + (first,) for _, lines, first in mine for line in lines]

    def tdmrep(self, e):
        before = [r for r in self.made if r.what == "tdmrep" and self.origin_of(r)[0] == self.origin_of(e)[0] and r.t <= e.t]
        if not before:
            return None
        r = max(before, key=lambda r: r.t)
        for n, entry in enumerate(r.entries, 1):
            if matches(entry["location"], self.origin_of(e)[1]):
                return n, entry, r
        return None

    @once
    def signals(self, e, verdict):
        """All statements on use that hold for e: the rows of usage_signals."""
        out, usage, tdm = [], [], {name: {"meta": [], "header": [], "file": []} for name in POLICY}
        def row(said, source, line, binds=True, scope="page", **more):
            return NS(said=said, source=source, line=line, binds=binds, scope=scope, **{**BLANK, **more})
        for source, n, _, said, old in self.lines(e)[0]:
            if source == "meta":
                name, what, place = said
                if name == "link":
                    out.append(row(what[0], "link", n, place in BINDS, in_head=place in BINDS, old=old))
                elif name == "script":
                    out += [row(s, "script", n, place in BINDS and s.preference != "hint", in_head=place in BINDS, old=old) for s in self.rsl(e, what)]
                elif name in POLICY:
                    tdm[name]["meta"].append(row(what[0], "meta", n, place in BINDS and what[0].preference != "hint", in_head=place in BINDS, old=old))
            elif source in ("content-signal", "content-signals", "link"):
                out += [row(s, "header", n, s.preference != "hint", old=old) for s in said]
            elif source in POLICY:
                tdm[source]["header"] += [row(s, "header", n, s.preference != "hint", old=old) for s in said]
            elif source == "content-usage":  # the lines of the field are one Dictionary
                usage += [((n, old), member) for member in said]
        out += [row(s, "header", n, s.preference != "hint", old=old) for (n, old), s in make.dictionary(usage)]
        image, own = (e.ctype or "").startswith("image/"), self.of_operator(e, e.agent)
        for agent, t, source, n, place, old in self.stated(e):
            if place not in BINDS or t.denied or not (agent is None or same(agent, e.agent) or same(agent, FAMILY.get((e.agent or "").lower(), "-"))):
                continue
            what = []
            if t.rule in ("noai", "noimageai"):
                what = [(purpose, "restrict", "deviantart") for purpose in ("train-ai", "ai-input")]
            elif t.rule.endswith("aitraining"):
                what = [("train-ai", "restrict" if t.rule[0] == "d" else "allow", "draft-canel-robots-ai-control-00")]
            elif t.rule == "noml":
                what = [("train-ai", "restrict", "noml.info")]
            elif t.rule in own and e.agent == "Amazonbot":
                what = [("train-ai", "restrict", "amazon-2026-11")]
            elif t.rule in own:
                what = [(purpose, "restrict", "bing-2023-09") for purpose in ("train-ai", "ai-input")[:1 if t.rule == "nocache" else 2]]
            for purpose, says, draft in what:
                said = make.said("robots-tag", t.rule, purpose, says, t.value, t.raw, draft, t.mode, *t.notes)
                out.append(row(said, source, n, scope="images" if t.rule == "noimageai" and not image else "page", in_head=place and True, old=old))
        if e.what != "robots":
            entry = self.tdmrep(e)
            for name in POLICY if entry else ():
                if name in entry[1]:
                    v = str(entry[1][name])
                    said = make.reserved(v, "legacy") if name == POLICY[0] else make.policy(v, "legacy")
                    said.raw = json.dumps(entry[1])
                    said = make.weaken(said, "malformed") if entry[2].broken else said
                    tdm[name]["file"].append(row(said, "tdmrep.json", entry[0], said.preference != "hint", "path", path=entry[1]["location"], file=entry[2]))
            lines, r, _ = self.robots(e, verdict)
            for n, path, first, said in lines:
                for s in said:
                    stands = first is not None or s.protocol == "license"
                    out.append(row(s if stands else make.weaken(s, "no_group"), "robots.txt", n,
                                   stands and s.preference != "hint",
                                   "path" if path else "origin", path=path, group_line=first, robots=r))
            out += [row(said, source, n, False, "path", path=path, group_line=first, file=r) for said, source, n, path, first, r in self.training_files(e)]
        number = 0
        for url, scope, capture in self.named(e, verdict):
            captures, sure = self.licences(e, url)
            number += bool(captures)
            for r in captures:
                out += [row(s, "license", number, s.preference != "hint", scope, file=r, named=capture) for s in self.rsl(e, r.document, r, sure)]
        for levels in tdm.values():
            for level in ("meta", "header", "file"):
                out += levels[level]
                if any(r.binds and not r.said.notes & {"value", "malformed"} for r in levels[level]):
                    break
        return out

    def training_files(self, e):
        """The hints of ai.txt: (statement, source, line, path, first line of the group, capture)."""
        out, (host, path) = [], self.origin_of(e)
        for file in ("/ai.txt", "/.well-known/ai.txt"):
            before = [r for r in self.made if r.what == "training" and self.origin_of(r) == (host, file) and r.t <= e.t]
            latest = [r for r in before if r.t == max(b.t for b in before)]
            for r in sorted(latest, key=lambda r: r.id)[-1:]:  # of one moment, the last in the order of the facts
                mine = [g for g in r.groups if any(same(t, e.agent) for t in g[0])] or [g for g in r.groups if "*" in g[0]]
                fits = [(len(p), -n, n, p, v, first) for _, first, lines in mine for n, p, v in lines if matches(p, path)]
                for _, _, n, p, v, first in sorted(fits)[-1:]:
                    said = make.said("disallow-training", "disallow-training", "train-ai", "hint", v, v, None, "legacy")
                    out.append((said, "ai.txt", n, p, first, r))
        return out

    def named(self, e, verdict):
        """The licences that e and its robots.txt name, each once: (URL, scope, the capture of robots.txt)."""
        urls = {}
        def add(url, scope, capture):
            urls.setdefault(url if "://" in url else e.url[:e.url.index("/", 8)] + url, (scope, capture))
        for source, _, _, said, _ in self.lines(e)[0]:
            if source == "link":
                add(said[0].value, "page", None)
            elif source == "meta" and said[0] == "link" and said[2] in BINDS:
                add(said[1][0].value, "page", None)
        lines, capture, _ = self.robots(e, verdict)
        for _, _, _, said in sorted(lines, key=lambda line: line[0]):
            for s in said:
                if s.protocol == "license":
                    add(s.value, "origin", capture)
        return [(url, *of) for url, of in urls.items()]

    def licences(self, e, url):
        """The captures of a licence document that count at e, and whether they are sure."""
        mine = [r for r in self.made if r.what == "licence" and r.url == url and r.status == 200 and
                ("rsl" in r.ctype or r.document.space and r.ctype.endswith("/xml"))]
        before, after = [r.t for r in mine if r.t <= e.t], [r.t for r in mine if r.t > e.t]
        if not mine:
            return [], False
        moment = max(before) if before else min(after)
        sure = bool(before) and e.t - moment <= DAY
        if before and not sure and after and min(after) - e.t < e.t - moment:
            moment = min(after)
        found = {}
        for r in sorted((r for r in mine if r.t == moment), key=lambda r: r.id):
            found.setdefault(r.body or r.like, r)
        return list(found.values()), sure and len(found) == 1

    def rsl(self, e, document, of=None, sure=True):
        """What a licence document in e, or the capture of one, states of it."""
        host, path = self.origin_of(e)
        said, doubtful = [], set()  # (length of the path, statement)
        for content in document.contents:
            origin, _, rest = content.url.partition("://")
            if rest:
                origin, slash, rest = rest.partition("/")
                pattern = "/" + rest
                if origin != host:
                    continue
            else:
                pattern = content.url
            readable = pattern[:1] in ("", "/", "*")
            if pattern and readable and not matches(pattern, path):
                continue
            named, first = set(), len(said)
            def state(label, value, says, *notes):
                purpose, covers = {**RSL, **BEFORE}.get(label, ("unknown", set()))
                named.update(covers | {purpose})
                if not readable or document.broken:
                    notes, says = notes + ("malformed",), {"restrict": "hint", "allow": "unstated"}.get(says, says) if purpose != "unknown" else says
                said.append((len(pattern) if readable else 0, make.said("rsl", label, purpose, "unstated" if purpose == "unknown" else says, value,
                                                                      value + " " + label, "rsl-1.0" if label in RSL else "rsl-1.0-draft" if label in BEFORE else None, "xml", *notes, covers=covers)))
            for one in content.licences:
                for word in one.prohibits or ():
                    state(word, "prohibits", "hint" if one.limited else "restrict")
                for word in one.permits or ():
                    conditional = one.limited or one.payment not in (None, "free")
                    state(word, "permits", *(("unstated", "conditional") if conditional else ("allow",)))
            if all(one.permits is not None for one in content.licences):
                for purpose in ("train-ai", "ai-input", "ai-index", "search"):
                    if purpose not in named:
                        said.append((len(pattern) if readable else 0, make.said("rsl", "permits", purpose, "hint", None, "permits", "rsl-1.0", "xml",
                                                                              *(["malformed"] if document.broken or not readable else []))))
            if of and (not sure or self.origin_of(of)[0] != host and pattern and readable and "://" not in content.url):
                doubtful |= set(range(first, len(said)))
        def longest(purpose, says, of):
            return max((n for n, s in said if s.preference in says and purpose in of(s)), default=-1)
        return [make.weaken(s, "doubt") if i in doubtful else s for i, (n, s) in enumerate(said)
                if longest(s.purpose, ("allow", "restrict"), lambda s: {s.purpose}) <= n and
                not (s.preference == "allow" and longest(s.purpose, ("restrict",), lambda s: s.covers) > n)]

    def in_time(self, row, e):
        """What a site prefers binds for a day, and nothing before it."""
        of = row.named if row.source == "license" else row.robots or row.file
        return of is None or e.t - of.t <= DAY and (of is row.file or self.before(of, e))

    def statements(self, e, verdict):
        """The signals that bind, as lists of rows: of a field, or a line of a file."""
        out = {}
        for r in self.signals(e, verdict):
            if r.binds and r.said.protocol != "robots-tag":
                r.sure = "probable" if r.old or r.robots or r.file else "certain"
                if self.in_time(r, e):
                    out.setdefault((r.source, r.said.protocol, r.said.protocol.startswith("content-") and r.source == "header" or r.line), []).append(r)
        return list(out.values())

    def usage(self, e, verdict, purpose):
        out, near = [], NEAREST[purpose]
        for rows in self.statements(e, verdict):
            lifted = any(r.said.preference == "allow" for r in deciding(rows, near))  # what it says of the nearer purpose comes first
            out += [(r.source, r.line, r.sure) for r in rows if r.said.preference == "restrict" and r.said.purpose in BINDING[purpose] and
                    not (lifted and speaks_of(r.said, near))]
        return out + (self.training(e, e.agent) if purpose == "train" else [])

    def hints(self, e, verdict):
        """The purposes that a hint speaks against."""
        if not used(e):
            return set()
        against = {r.said.purpose for r in self.signals(e, verdict)
                   if r.said.preference == "hint" and r.in_head in (None, True) and self.in_time(r, e)}
        return {purpose for purpose in BINDING if BINDING[purpose] & against}

    # ---- the tables

    def restrictions(self, e, verdict, purposes):
        """{(kind, purpose): (set of (source, line), certainty)}."""
        out = {}
        if not used(e):
            return out
        for purpose in purposes:
            for kind, found in (("publication", self.publication(e, e.agent, purpose)), ("usage", self.usage(e, verdict, purpose))):
                if found:
                    out[kind, purpose] = ({f[:2] for f in found}, "certain" if any(f[2] == "certain" for f in found) else "probable")
        return out

    def rows(self, e):
        """effective_tags: {token or None: (rules, conflicts, archive, index, train)}."""
        out = {}
        mine = {t.lower() for t in [*self.asked, e.agent] if t and (self.of_operator(e, t) or
                                                                    any(r[0] == FAMILY.get(t.lower(), "-") for r in self.tags(e)))}
        for token in sorted({t[0] for t in self.tags(e) if t[0]} | mine) + [None]:
            rules, conflicts = self.effective(e, token)
            if rules or token or any(t[0] is None for t in self.tags(e)):
                out[token] = (rules, conflicts, bool(self.publication(e, token, "archive")), bool(self.publication(e, token, "index")),
                              bool(self.training(e, token)))
        return out

    def tags_from(self, e, verdict):
        return self.lines(e)[1] if self.robots(e, verdict)[2] else "unknown"

    def page_tags(self, e, verdict):
        """The rows of page_tags."""
        out = []
        tags_from = self.tags_from(e, verdict)
        for agent, t, source, n, place, _ in self.stated(e):
            out.append((source, n, agent, t.rule, t.word, t.value, t.raw, t.mode, place and place in BINDS, place and place == "noscript",
                        place in BINDS and not t.denied,
                        "publication" if t.rule in PUBLICATION else "usage" if t.rule in OF_USE else None,
                        t.meaning[0] if t.rule == "unavailable_after" and t.meaning else None, DEFINED_BY.get(t.rule, "google"), tags_from,
                        frozenset(t.notes)))
        return out

    def usage_signals(self, e, verdict):
        """The rows of usage_signals."""
        return [(r.said.protocol, r.source, r.line, r.group_line, r.scope, r.path, r.said.purpose, r.said.preference, r.said.label, r.said.value, r.said.raw,
                 r.said.draft, r.said.mode, r.in_head, r.binds, r.robots and r.robots.place, r.file and r.file.place, frozenset(r.said.notes))
                for r in self.signals(e, verdict)]

    def conflicts(self, e, verdict):
        rules, inside = self.effective(e, e.agent)
        out = {("tags", tuple(sorted(inside)))} if inside else set()
        if verdict == "disallowed" and any(not r.startswith("zzz") for r in rules):
            out.add(("disallowed_yet_tagged", tuple(sorted(rules))))
        said = self.statements(e, verdict)
        page = [rows for rows in said if rows[0].source in ("header", "meta", "script") or rows[0].source == "license" and rows[0].scope == "page"]
        page += [[r] for r in self.signals(e, verdict) if r.said.protocol == "robots-tag" and r.scope == "page"]
        site = [rows for rows in said if rows[0].source in ("robots.txt", "tdmrep.json") or rows[0].source == "license" and rows[0].scope == "origin"]
        named = {r.said.purpose for r in self.signals(e, verdict) if self.in_time(r, e)}
        for p in named & set(NESTED):
            of_page, of_site = total(page, p), total(site, p)
            if (of_page, of_site) == ("restrict", "allow"):
                out.add(("page_restricts", (p,)))
            if (of_page, of_site) == ("allow", "restrict"):
                out.add(("page_allows", (p,)))
        return out


def used(e):
    """What nobody was served, nobody uses."""
    return e.method != "HEAD" and (200 <= e.status < 300 or e.status == 304)


def grouped(lines, by_draft):
    """(groups, lines outside any): a group is (tokens, lines, its first line).

    By the draft of Content-Usage, such a line ends the list of user-agent lines, as a Disallow line does."""
    groups, outside, listing = [], [], False
    for n, name, path, what in lines:
        if name == "user-agent":
            if not listing:
                groups.append(([], [], n))
            listing = True
            groups[-1][0].append(what)
            continue
        listing = listing and name != "disallow" and not (by_draft and name == "content-usage")
        (groups[-1][1] if groups else outside).append((n, name, path, what))
    return groups, outside


def statements(name, what):
    """What a line says."""
    return [s for _, s in make.dictionary([(None, m) for m in what])] if name == "content-usage" else what


def longest(fits, protocol):
    """The lines with the longest path. One of Content-Usage that is no Dictionary is no permission: what the next one restricts is a hint."""
    size = lambda f: len(f[1] or "")
    most = max(map(size, fits), default=0)
    out = [(n, p, first, statements(protocol, what)) for n, p, first, what in fits if size((n, p)) == most]
    if protocol == "content-usage":
        whole = [f for f in fits if not any(m.broken for m in f[3])]
        next_most = max(map(size, whole), default=0)
        for n, p, first, what in whole:
            if size((n, p)) == next_most < most:
                out.append((n, p, first, [NS(**{**s.__dict__, "preference": "hint"}) for s in statements(protocol, what) if s.preference == "restrict"]))
    return out


def speaks_of(said, purpose):
    return said.purpose == purpose or purpose in said.covers


def deciding(rows, purpose):
    """The rows of one statement on a purpose, or on the nearest one that it is part of."""
    said = [r for r in rows if speaks_of(r.said, purpose) and r.said.preference in ("allow", "restrict")]
    nearest = max((NESTED.index(r.said.purpose) for r in said), default=None)
    said = [r for r in said if NESTED.index(r.said.purpose) == nearest]
    return [r for r in said if r.said.preference == "restrict"] or said


def of_one_moment(pool, t, end, e):
    """The captures of a moment, the crawler's own first. In one archive the order tells."""
    found = [r for r in pool if r.t == t]
    found = [end([r for r in found if r.archive == a], key=lambda r: r.place[1]) for a in sorted({r.archive for r in found})]
    return [r for r in found if is_own(r, e)] or found


def come_to(lines):
    """What lines of robots.txt come to: a preference for each purpose, and licences."""
    said = [[NS(said=s) for s in line[3]] for line in lines if line[2] is not None]
    return [total(said, p) for p in NESTED], [s.value for line in lines for s in line[3] if s.protocol == "license"]


def total(statements, purpose):
    """What several statements come to: one that restricts wins."""
    found = {r.said.preference for rows in statements for r in deciding(rows, purpose)}
    return "restrict" if "restrict" in found else "allow" if found else None


def matches(pattern, path):
    if pattern is None:
        return True
    end = pattern.endswith("$")
    body = ".*".join(re.escape(p) for p in pattern.rstrip("$").split("*"))
    return re.match(body + ("$" if end else ""), path) is not None


def digest(r):
    return make.sha1(r.body) if r.body else None
