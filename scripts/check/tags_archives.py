"""Makes random archives whose pages and sites state tags and usage signals.

What each line means is known here because it is drawn first and written down after it.
A line of a page is (name, text, what it says): tags, or statements on use. What a tag's value means is
a number, a size, or of a date (moment, hours of doubt); None if it means nothing.
"""
import json
import os
import random
import re
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace as NS

import lib
from lib import IDENTICAL, NOT_MODIFIED, iso, message, random_id, sha1

HOUR = timedelta(hours=1)
START = datetime(2024, 3, 1, 12, tzinfo=timezone.utc)
AGENTS = {"ExampleBot": "ExampleBot/1.0 (+http://example.com/bot)", "CCBot": "CCBot/2.0 (https://commoncrawl.org/faq/)",
          "Acme": "Acme/1.0", "bingbot": "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
          "YandexBot": "Mozilla/5.0 (compatible; YandexBot/3.0)", "Amazonbot": "Amazonbot/0.1", None: "Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0"}
PLAIN = ["noindex", "noindex", "noarchive", "noarchive", "nosnippet", "none", "all", "index", "follow", "nofollow", "archive",
         "nocache", "noimageindex", "notranslate", "indexifembedded", "noai", "noai", "noimageai", "noodp", "noydir", "noyaca",
         "disallowaitraining", "allowaitraining", "noml"]
VALUED = ["max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"]
TOKENS = ["ExampleBot", "examplebot", "CCBot", "googlebot", "Acme", "FooCrawler", "otherbot", "bingbot", "yandex", "YandexBot"]
# Forms of dates: of which zone, in hours, and how many hours of doubt they leave.
DATES = [("%Y-%m-%dT%H:%M:%SZ", 0, 0), ("%a, %d %b %Y %H:%M:%S GMT", 0, 0), ("%A, %d-%b-%y %H:%M:%S GMT", 0, 0),
         ("%d %b %Y %H:%M:%S PST", -8, 0), ("%Y-%m-%dT%H:%M:%S+02:00", 2, 0), ("%Y-%m-%d %H:%M:%S", 0, 12),
         ("%d %b %Y %H:%M:%S XYZ", 0, 12), ("%Y-%m-%d", 0, 36), ("%d %b %Y", 0, 36)]


def recase(rng, word):
    return rng.choice([word, word, word, word.upper(), word.title()])


def date(rng, near):
    """(text, (moment, hours of doubt)) or (text, None): it cannot be read."""
    if rng.random() < 0.08:
        return rng.choice(["soon", "never", "31 Feb 2024 25:00:00 GMT", "2024-13-01"]), None
    t = near + rng.choice([-1, 1]) * rng.choice([timedelta(0), timedelta(seconds=1), 3 * HOUR, 11 * HOUR, 13 * HOUR, 20 * HOUR,
                                                 30 * HOUR, 40 * HOUR, 9000 * HOUR])
    form, zone, doubt = DATES[rng.randrange(9)]
    return (t + zone * HOUR).strftime(form), (t.replace(hour=0, minute=0, second=0) if doubt == 36 else t, doubt)


def tag(rule, value=None, meaning=None, *notes, word=None):
    """One rule: its value as written, what that means, and the notes of its row.

    The line sets its agent and raw text."""
    return NS(agent=None, rule=rule, value=value, meaning=meaning, word=word or rule, raw=None, mode=None, notes=set(notes), denied="false" in notes)


def valued(rng, near):
    """A rule with a value that can be read, or a date that cannot."""
    name = rng.choice(VALUED)
    if name == "unavailable_after":
        text, meaning = date(rng, near)
        return tag(name, text, meaning, *([] if meaning and not meaning[1] else ["no_zone"] if meaning else ["value"]))
    if name == "max-image-preview":
        v = rng.choice(["none", "standard", "large"])
        return tag(name, v, v)
    v = rng.choice([0, 20, 20, 50, -1])
    return tag(name, str(v), v)


def phrase(rng, near, mode):
    """What stands between two commas: (text, tags). Line breaks and form feeds are in metas alone."""
    draw = rng.random()
    if draw < 0.5:
        t = tag(rng.choice(PLAIN))
        return recase(rng, t.rule), [t]
    if draw < 0.7:
        t = valued(rng, near)
        return recase(rng, t.rule) + rng.choice([":", ": "]) + t.value, [t]
    if draw < 0.75:
        word = "zzz" + rng.choice("abc")
        return recase(rng, word), [tag("unknown", word=word)]
    if draw < 0.8:
        tags = [tag(rng.choice(PLAIN), None, None, "separator") for _ in range(rng.randint(2, 3))]
        between = [" ", "  ", "\t", "|", " | ", "+", "&"] + ["\n", " \n  ", "\f"] * (mode == "meta")
        return rng.choice(between).join(recase(rng, t.rule) for t in tags), tags
    if draw < 0.84:
        t, (left, right) = tag(rng.choice(PLAIN), None, None, "quoted"), rng.choice(['""', "\u201c\u201d", "\u00a0\u00a0"])
        t.notes |= {"non_ascii"} if left > "~" else set()
        return left + recase(rng, t.rule) + right, [t]
    if draw < 0.92:
        denied = draw >= 0.88
        sign, v = rng.choice([":", ": ", "="]), rng.choice(["0", "false", "No", "off"] if denied else ["1", "true", "yes", "x"])
        t = tag(rng.choice(PLAIN), v, None, "value", *["false"] * denied, *["separator"] * (sign == "="))
        return recase(rng, t.rule) + sign + v, [t]
    if draw < 0.94:
        first, more = tag("all", None, None, "value"), [tag(rng.choice(PLAIN), None, None, "separator") for _ in range(rng.randint(1, 2))]
        first.value = " ".join(recase(rng, t.rule) for t in more)
        return "all: " + first.value, [first] + more
    if draw < 0.97:
        name = rng.choice(["max-snippet", "max-video-preview"])
        return name + "=20", [tag(name, "20", 20, "separator")]
    name, v = rng.choice([("max-snippet", "abc"), ("max-snippet", "-5"), ("max-video-preview", "2.5"), ("max-image-preview", "huge"), ("max-snippet", None)])
    return name + (":" + v if v else ""), [tag(name, v, None, "value")]


def phrases(rng, near, mode, agent=None, prefix=""):
    """Several of them, for one agent: (text, tags)."""
    text, out = "", []
    for n in range(rng.randint(1, 3)):
        raw, tags = phrase(rng, near, mode)
        if out:
            # a wrong separator is noted of the rule before it
            semicolon = rng.random() < 0.1 and len(last) == 1 and last[0].rule in PLAIN and not last[0].notes
            text += "; " if semicolon else rng.choice([", ", ",", " , "])
            last[0].notes |= {"separator"} if semicolon else set()
        raw = prefix * (n == 0) + raw
        for t in tags:
            t.agent, t.raw, t.mode = agent, raw, mode
        text, out, last = text + raw, out + tags, tags
    return text, out


def legacy(rng, near, tokens):
    """A line in the legacy syntax: (text, tags)."""
    text, out = phrases(rng, near, "legacy") if rng.random() < 0.7 else ("", [])
    for _ in range(rng.randint(not out, 2)):
        # without anything before it, a prefix with ; would be a token of a structured line
        agent = recase(rng, rng.choice(tokens))
        before = rng.choice([", ", ","]) if out else ""
        if out and rng.random() < 0.15:
            word = rng.choice(PLAIN)
            t = tag(word, None, None, "separator")
            t.agent, t.raw, t.mode = out[-1].agent, word, "legacy"
            out.append(t)
            before += word + " "
        prefix, named = agent + rng.choice([": ", ":"]), agent
        if rng.random() < 0.1:
            prefix, named = rng.choice(["*: ", "robots: ", "Robots-Tag: "]), None
        more, tags = phrases(rng, near, "legacy", named, prefix)
        text, out = text + before + more, out + tags
    return text, out


def member(rng, near, tokens):
    """A member of a structured line: (text, tags)."""
    agent = rng.choice([None, None] + tokens)
    token = agent or "*"
    if agent and rng.random() < 0.1:
        token = '"%s"' % agent
    draw, tags, params = rng.random(), {}, []
    if draw < 0.08:
        t = tag(rng.choice(PLAIN), None, None, "rule_as_token")
        t.raw, t.mode = recase(rng, t.rule), "legacy"
        return t.raw, [t]
    if draw < 0.12:
        return token, []
    if draw < 0.2:  # no structured field
        t = first = tag(rng.choice(PLAIN), None, None, "malformed")
        second = tag(rng.choice(PLAIN), None, None, "malformed")
        form = rng.randrange(3)
        text, found = [("%s: %s" % (token, t.rule), [t]), ("%s;%s ;%s" % (token, t.rule, second.rule), [t, second]),
                       ("%s;%s %s" % (token, t.rule, second.rule), [t, second])][form]
        if '"' in token:
            text = text.replace('"', "")
        if form == 2:
            t.notes, second.notes = t.notes | {"separator"}, second.notes | {"separator"}
        for t in found:
            t.agent, t.raw, t.mode = agent, text, "legacy"
        if form == 0 and rng.random() < 0.3:  # the prefix governs this one, too
            second.agent, second.raw, second.mode = agent, second.rule, "legacy"
            return text + ", " + second.rule, [first, second]
        return text, found
    notes = set()  # they are the member's
    for _ in range(rng.randint(1, 3)):
        key = rng.random()
        if key < 0.5:
            t, value = tag(rng.choice(PLAIN)), ""
        elif key < 0.8:
            t = valued(rng, near)
            plain = re.fullmatch("-?[0-9]+|[a-z]+", t.value) and t.rule != "unavailable_after"
            value = "=" + (t.value if plain and rng.random() < 0.8 else '"%s"' % t.value)
        elif key < 0.86:
            t, value = tag(rng.choice(PLAIN)), "=?1"
        elif key < 0.92:
            t, value = tag(rng.choice(PLAIN), None, None, "false"), "=?0"
        elif key < 0.96:
            t, value = tag(rng.choice(PLAIN), "1", None, "value"), "=1"
        else:
            t, value = tag("unknown", "4", None, word="zzzd"), "=4"
        written = recase(rng, t.word)
        if written != written.lower():
            notes.add("upper_case")
        if t.word in tags:
            notes.add("duplicate")
        tags[t.word] = t
        params.append(rng.choice([";", "; "]) + written + value)
    text = token + "".join(params)
    for t in tags.values():
        t.agent, t.raw, t.mode, t.notes = agent, text, "structured", t.notes | notes
    return text, list(tags.values())


def header(rng, near, tokens):
    """A header line: (name, text, tags)."""
    draw = rng.random()
    if draw < 0.6:
        return (recase(rng, "x-robots-tag"),) + legacy(rng, near, tokens)
    members = [member(rng, near, tokens)]
    while rng.random() < 0.5:
        more = member(rng, near, tokens)
        if ": " not in members[-1][0] or ";" in more[0]:  # else the prefix before would govern it
            members.append(more)
    name, tags = "robots-tag", [t for _, ts in members for t in ts]
    if draw < 0.7 and not any("malformed" in t.notes or t.mode == "legacy" for t in tags) and all(";" in text for text, _ in members):
        name = "x-robots-tag"  # a ; makes it structured
    return recase(rng, name), rng.choice([", ", ","]).join(text for text, _ in members), tags


EVERY = {"tdm", "ai", "train-ai", "train-genai", "ai-input", "ai-index", "search"}
VOCAB = "draft-ietf-aipref-vocab-"
# The keys of Content-Usage: purpose, the last draft that has it, purposes for which it holds, too.
USAGE = {
    "train-ai": ("train-ai", VOCAB + "08", set()), "ai-use": ("ai-input", VOCAB + "08", set()), "search": ("search", VOCAB + "08", set()),
    "bots": ("automated", VOCAB + "04", EVERY), "ai-output": ("ai-input", VOCAB + "04", {"search"}),
    "train-genai": ("train-genai", VOCAB + "03", set()), "all": ("automated", VOCAB + "02", EVERY),
    "tdm": ("tdm", VOCAB + "01", {"train-ai", "train-genai"}), "ai": ("train-ai", VOCAB + "01", {"train-genai"}),
    "genai": ("train-genai", VOCAB + "01", set()), "inference": ("ai-input", VOCAB + "01", set()), "zzz": ("unknown", None, set())}
SIGNAL = {"search": "search", "ai-input": "ai-input", "ai-train": "train-ai", "use": "reuse", "zzz": "unknown"}


def said(protocol, label, purpose, preference, value, raw, draft, mode, *notes, covers=()):
    """One statement on use: a row of usage_signals."""
    return NS(protocol=protocol, label=label, purpose=purpose, preference=preference, value=value, raw=raw, draft=draft, mode=mode, notes=set(notes),
              covers=set(covers))


def usage(rng, name=None):
    """(protocol, text, what it says). Of Content-Usage that is members: dictionary knows what they say together."""
    if (name or rng.choice(["content-usage", "content-signal"])) == "content-usage":
        out = []
        for key in rng.choices(sorted(USAGE), k=rng.randint(1, 3)):
            v = rng.choice(["y", "n", "n", "n", "x", "N", "?0", '"n"', None])
            m = NS(protocol="content-usage", label=key, value=v, raw=key + ("=" + v if v else ""), fault=set(), broken=False)
            spoilt = rng.random()
            if spoilt < 0.06:
                written = recase(rng, key)
                if written != key:
                    m.raw, m.broken, m.fault = written + ("=" + v if v else ""), True, {"upper_case"}
            elif spoilt < 0.08:
                m.raw, m.broken = '"%s"' % key + ("=" + v if v else ""), True
            elif spoilt < 0.1 and v:
                m.raw, m.broken = key + rng.choice([" = ", "= ", " ="]) + v, True
            elif spoilt < 0.12:
                m.label, m.value, m.raw, m.broken = "foo", "(", "foo=(", True
            elif spoilt < 0.17:
                m.raw += ";x=1"
            out.append(m)
        if rng.random() < 0.03:
            out[-1].broken = True
            return "content-usage", ", ".join(m.raw for m in out) + ",", out
        return "content-usage", ", ".join(m.raw for m in out), out
    keys = rng.sample(sorted(SIGNAL), rng.randint(1, 3))
    around, text, out = rng.random() < 0.05, "", []
    for n, key in enumerate(keys):
        v = rng.choice(["immediate", "reference", "Full", "no"]) if key == "use" else rng.choice(["yes", "no", "no", "x"])
        quoted = rng.random() < 0.1
        raw = key + "=" + ('"%s"' % v if quoted else v)
        odd = v == "x" if key != "use" else v == "no"
        preference = "unstated" if key == "zzz" and v == "x" else "hint" if odd else {"yes": "allow", "no": "restrict"}.get(v, "unstated")
        s = said("content-signal", key, SIGNAL[key], preference, v, raw,
                 "content-signals" if key != "zzz" else None, "legacy", *(["quoted"] if quoted else []) + (["value"] if odd and key != "zzz" else []))
        if text:
            between = rng.choice([",", ",", ", ", "; ", ";", " ", "\t"])
            out[-1].notes |= {"separator"} if "," not in between else set()
            text += between
        text += raw
        out.append(s)
    if around and '"' not in text:
        text = '"%s"' % text
        out[0].notes.add("quoted")
        out[-1].notes.add("quoted")
        out[0].raw = '"' + out[0].raw
        out[-1].raw += '"'
    return "content-signal", text, out


def dictionary(members):
    """What the members of a field or line of Content-Usage say: (where, statement) for each (where, member)."""
    out = []
    broken = any(m.broken for _, m in members)
    older = any(USAGE.get(m.label, ("", None))[1] not in (None, VOCAB + "08") for _, m in members)
    for n, (where, m) in enumerate(members):
        purpose, draft, covers = USAGE.get(m.label, ("unknown", None, set()))
        if m.label == "train-ai" and older:
            covers = {"train-genai"}
        if broken:
            no = purpose != "unknown" and (m.value or "").strip('"').lower() != "y"
            out.append((where, said("content-usage", m.label, purpose, "hint" if no else "unstated", m.value, m.raw, draft, "legacy", "malformed", *m.fault,
                                    covers=covers)))
            continue
        if any(other.label == m.label for _, other in members[n + 1:]):
            continue
        notes = (["value"] if m.value not in ("y", "n") else []) + (["duplicate"] if any(other.label == m.label for _, other in members[:n]) else [])
        out.append((where, said("content-usage", m.label, purpose, {"y": "allow", "n": "restrict"}.get(m.value, "unstated" if purpose == "unknown" else "hint"),
                                m.value, m.raw, draft,
                                "structured", *notes, covers=covers)))
    return out


def reserved(v, mode):
    """A tdm-reservation."""
    quoted = v.startswith('"')
    bare = v.strip('"')
    return said("tdm-reservation", "tdm-reservation", "tdm", {"0": "allow", "1": "restrict"}.get(bare, "hint"), bare or None, v, "tdmrep", mode,
                *(["quoted"] if quoted else []) + (["value"] if bare not in ("0", "1") else []))


def weaken(s, *notes):
    """What a statement is that breaks its form."""
    return NS(**{**s.__dict__, "notes": s.notes | set(notes), "preference": {"restrict": "hint", "allow": "unstated"}.get(s.preference, s.preference)})


def policy(v, mode):
    return said("tdm-policy", "tdm-policy", "tdm", "unstated", v, v, "tdmrep", mode)


def licence(v, raw, draft, mode):
    return said("license", "license", "license", "unstated", v, raw, draft, mode)


def document(rng, origin):
    """A licence document of RSL 1.0: its text, and what stands in it."""
    broken = rng.choice([None] * 6 + ["namespace", "end", "doctype"])
    prefix = rng.choice(["", "", "r:"])
    contents, text = [], []
    def uses():
        return rng.sample(["all", "ai-all", "ai-train", "ai-input", "ai-index", "search", "zzz", "train-ai", "train-genai", "ai-use", "ai-summarize"], rng.choice([1, 1, 2]))
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        url, licences, inside = rng.choice(["/", "/", "", "/a/", "/b", "/*x", origin, origin + "/a/", "http://other.example/", "a/"]), [], []
        for _ in range(rng.choice([1, 1, 1, 2])):
            one, parts = NS(permits=None, prohibits=None, limited=rng.random() < 0.15, payment=rng.choice([None, None, "free", "subscription"])), []
            for name in rng.sample(["permits", "prohibits"], rng.choice([0, 1, 1, 1, 2])):
                setattr(one, name, uses())
                parts.append("<%s%s type='usage'>%s</%s%s>" % (prefix, name, rng.choice([" ", "\n", ", "]).join(getattr(one, name)), prefix, name))
            if one.limited:
                parts.append("<%spermits type='%s'>x</%spermits>" % (prefix, rng.choice(["user", "geo"]), prefix))
            if one.payment:
                parts.append("<%spayment type='%s'/>" % (prefix, one.payment))
            rng.shuffle(parts)
            licences.append(one)
            inside.append("<%slicense>%s</%slicense>" % (prefix, "".join(parts), prefix))
        contents.append(NS(url=url, licences=licences))
        text.append("<%scontent url='%s'>%s</%scontent>" % (prefix, url, "".join(inside), prefix))
    space = "urn:other" if broken == "namespace" else "https://rslstandard.org/rsl"
    return ("<!DOCTYPE rsl>" * (broken == "doctype") + "<%srsl xmlns%s='%s'>" % (prefix, ":r" * bool(prefix), space) + "".join(text) +
            ("" if broken == "end" else "</%srsl>" % prefix)), NS(broken=broken is not None, space=broken != "namespace", contents=contents)


def training(rng):
    """An ai.txt: (text, its groups).

    A group is (tokens, its first line, lines), and a line (number, path, value)."""
    out, groups = ["# a site"] * rng.choice([0, 2]), []
    for tokens in rng.choice([[["*"]], [["*"], ["CCBot", "acme"]], [["ExampleBot"]], []]):
        groups.append((tokens, len(out) + 1, []))
        out += ["User-Agent: " + t for t in tokens]
        for _ in range(rng.choice([1, 1, 2])):
            value = rng.choice(["/", "/a", "/b/", "/*x", "yes", "TRUE", "no", ""])
            out.append("%s: %s" % (recase(rng, "disallow-training"), value))
            path = {"yes": "/", "TRUE": "/", "no": None, "": None}.get(value, value)
            if path:
                groups[-1][2].append((len(out), path, value))
        out.append("Contact: x")
    return "\n".join(out) + "\n", groups


def robots(rng):
    """A robots.txt: (text, its lines).

    A line is (number, name, path, what it says), and (number, "user-agent", None, token)."""
    lines, out = [], []
    def line(name, path, text, what):
        written = {"content-signal": rng.choice(["content-signal", "content-signal", "content-signals"]), "disallowaitraining": "DisallowAITraining",
                   "allowaitraining": "AllowAITraining"}.get(name, name)
        out.append("%s: %s%s" % (recase(rng, written), path + rng.choice([" ", "  "]) if path and text is not None else path or "", text or ""))
        lines.append((len(out), name, path, what))
    def some():
        if rng.random() < 0.15:
            name, path = rng.choice(["disallowaitraining", "disallowaitraining", "allowaitraining"]), rng.choice(["/", "/", "/a", "/a/*x", "", "x"])
            ok = path[:1] == "/"
            says = "restrict" if ok and name[0] == "d" else "allow" if ok else "hint" if path and name[0] == "d" else "unstated"
            line(name, path if ok else None, None if ok else path, [said("ai-training", name, "train-ai", says, path or None, path, "draft-canel-robots-ai-control-00",
                                                                         "legacy", *([] if ok else ["value"]))])
            return
        if rng.random() < 0.06:
            value = rng.choice(["/", "/a", "/*x", "Yes", "no", ""])
            path = value if value[:1] == "/" else "/" if value == "Yes" else None
            out.append("Disallow-Training: " + value)
            lines.append((len(out), "disallow-training", path, [said("disallow-training", "disallow-training", "train-ai", "hint" if path else "unstated",
                                                                     value or None, value, None, "legacy")]))
            return
        name, text, what = usage(rng)
        path = rng.choice([None, None, "/", "/a", "/a/*x", "/b/"])
        if name == "content-signal" and rng.random() < 0.7:
            path = None
        line(name, path, text, what)
    def licensed():
        url = rng.choice(["http://licence.example/%d.xml" % rng.randrange(9), "/licence%d" % rng.randrange(9), ""])
        line("license", None, url, [licence(url, url, "rsl-1.0", "legacy")] if url else [])
    if rng.random() < 0.2:
        some()
    if rng.random() < 0.2:
        licensed()
    for tokens in rng.choice([[["*"]], [["*"], ["ExampleBot"]], [["CCBot", "Acme"]], [["*"], ["CCBot"], ["ccbot"]], [["bingbot", "*"]]]):
        for t in tokens:
            out.append("User-agent: " + t)
            lines.append((len(out), "user-agent", None, t))
            if rng.random() < 0.1:  # between user-agent lines, it is the group's
                some()
        line("disallow", "/zz", None, None)
        for _ in range(rng.randint(0, 3)):
            if rng.random() < 0.3:
                line("disallow", rng.choice(["/a", "/a/", "/b", "/zz"]), None, None)
            elif rng.random() < 0.12:
                licensed()
            else:
                some()
    return "\n".join(out) + "\n", lines


class Maker:
    def __init__(self, seed):
        self.rng, self.made, self.n = random.Random(seed), [], 0

    def add(self, url, t, **more):
        rng = self.rng
        e = NS(url=url, t=t, status=200, body=b"", headers=[], metas=[], type="response", agent="ExampleBot", method="GET", warc={},
               ctype="text/html", archive=rng.choice([1, 2]), what="page", lines=(), entries=None)
        e.__dict__.update(more)
        e.id = random_id(rng)
        self.made.append(e)
        return e

    def page(self, origin, t, path=None, **more):
        rng = self.rng
        self.n += 1
        url = origin + (path or "%sp%d%s" % (rng.choice(["/a/", "/b/", "/c/"]), self.n, rng.choice(["", "x"])))
        headers, metas = [], []
        for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
            headers.append(header(rng, t, TOKENS))
        for _ in range(rng.choice([0] * 8 + [1, 2])):
            headers.append((recase(rng, "content-usage"),) + usage(rng, "content-usage")[1:])
        if rng.random() < 0.05:
            headers.append((recase(rng, rng.choice(["content-signal", "content-signals"])),) + usage(rng, "content-signal")[1:])
        headers += self.tdm_headers()
        if rng.random() < 0.06:
            rsl = rng.random() < 0.5
            text = "<http://licence.example/l>; rel=%s" % rng.choice(["license", '"license"', '"next license"']) + "; type=\"application/rsl+xml\"" * rsl
            headers.append(("Link", text + rng.choice(["", ", <http://other.example/>; rel=next"]),
                            [licence("http://licence.example/l", text, "rsl-1.0" if rsl else "rel-license", "legacy")]))
        rng.shuffle(headers)
        for _ in range(rng.choice([0, 0, 1, 2, 3])):
            name = rng.choice(["robots", "robots", "ROBOTS", "tdm-reservation", "tdm-policy", "link", "*",
                               "msapplication-config"] + TOKENS)
            place = rng.choice(["head"] * 5 + ["noscript", "body", "template"])
            if name == "tdm-reservation":
                v = rng.choice(["0", "1", "x", '"1"'])
                metas.append((name, v, [reserved(v, "meta")], place))
            elif name == "tdm-policy":
                v = "http://policy.example/m%d" % rng.randrange(9)
                metas.append((name, v, [policy(v, "meta")], place))
            elif name == "link":
                v, is_rsl = "/licence%d" % rng.randrange(9), rng.random() < 0.5
                metas.append((name, v, [licence(v, v, "rsl-1.0" if is_rsl else "rel-license", "meta")], place))
            else:
                text, tags = phrases(rng, t, "meta")
                while all(tag.rule == "unknown" for tag in tags):  # such a meta is kept of listed crawlers alone
                    text, tags = phrases(rng, t, "meta")
                name = recase(rng, name)
                if name.lower() == "robots" and rng.random() < 0.05:
                    name = rng.choice(["robots, googlebot", "Robots OtherBot"])
                metas.append((name, text, tags, place))
        if rng.random() < 0.15:
            metas.append(("script", *document(rng, origin), rng.choice(["head"] * 4 + ["body", "template"])))
        ctype = rng.choice(["text/html"] * 8 + ["text/html; charset=utf-8", "application/xhtml+xml", "image/png", "text/plain", None])
        e = self.add(url, t, headers=headers, metas=metas, ctype=ctype, agent=rng.choice(list(AGENTS)),
                     status=rng.choice([200] * 12 + [404, 301, 503, 206, 203]), method="HEAD" if rng.random() < 0.03 else "GET", **more)
        def put(where):
            order = [m for m in e.metas if m[3] == where]
            return "".join("<link rel='license' href='%s'%s>\n" % (c, " type='application/rsl+xml'" * (said[0].draft == "rsl-1.0")) if n == "link" else
                           "<script type='application/rsl+xml'>%s</script>\n" % c if n == "script" else
                           "<meta name='%s' content='%s'>\n" % (n, c) for n, c, said, _ in order)
        e.metas.sort(key=lambda m: ["head", "noscript", "template", "body"].index(m[3]))
        e.body = ("<!DOCTYPE html><html><head><title>%d</title>\n%s<noscript>%s</noscript><template>%s</template></head><body>%s</body></html>\n" % (
            self.n, put("head"), put("noscript"), put("template"), put("body"))).encode()
        if e.method == "HEAD":
            e.body = b""
        return e

    def tdm_headers(self):
        rng, out = self.rng, []
        for _ in range(rng.choice([0] * 10 + [1, 1, 2])):
            values = rng.choice([["0"], ["1"], ["1"], ["2"], ['"1"'], ["0", "1"]])
            out.append((recase(rng, "tdm-reservation"), ", ".join(values), [reserved(v, "legacy") for v in values]))
        if rng.random() < 0.07:
            v = "http://policy.example/h%d" % rng.randrange(9)
            out.append((recase(rng, "tdm-policy"), v, [policy(v, "legacy")]))
        return out

    def revisit(self, e):
        rng = self.rng
        how = rng.choice(["refers", "refers", "digest", "id", "304", "304 refers", "gone"])
        own = [header(rng, e.t, TOKENS) for _ in range(rng.choice([0, 0, 0, 1, 2]))]
        if rng.random() < 0.2:
            own += self.tdm_headers()
        warc = {"WARC-Profile": IDENTICAL, "WARC-Payload-Digest": sha1(e.body)}
        status = e.status
        if how in ("refers", "304 refers"):
            warc.update({"WARC-Refers-To-Target-URI": e.url, "WARC-Refers-To-Date": iso(e.t)})
        if how == "id":
            warc["WARC-Refers-To"] = e.id
        if how.startswith("304"):
            warc["WARC-Profile"], status = NOT_MODIFIED, 304
            del warc["WARC-Payload-Digest"]
        if how == "gone":
            warc.update({"WARC-Refers-To-Target-URI": e.url, "WARC-Refers-To-Date": iso(e.t - 9 * HOUR)})
            if rng.random() < 0.5:
                warc["WARC-Payload-Digest"] = sha1(b"gone")
        url = e.url if how != "refers" or rng.random() < 0.7 else e.url + "-elsewhere"
        r = self.add(url, e.t + rng.randrange(1, 90) * HOUR + timedelta(seconds=rng.randrange(3600)), type="revisit", status=status, headers=own, warc=warc,
                     ctype=e.ctype, agent=rng.choice(list(AGENTS)))
        return r


def make(seed, out, origins=25):
    """make writes two archives, 1.warc and 2.warc, to the folder out. It returns what they hold."""
    m = Maker(seed)
    rng = m.rng
    for n in range(origins):
        origin = "http://h%d-%d.example" % (seed, n)
        t = START + timedelta(seconds=rng.randrange(10**7))
        for back in rng.choice([[], [], [3], [3], [0], [30], [60, 2], [-2], [5, 4], [50, 20, 3], [900, 26]]):
            text, lines = robots(rng)
            found = rng.random() < 0.9
            r = m.add(origin + "/robots.txt", t - back * HOUR, what="robots", body=text.encode(), lines=lines if found else [],
                      status=200 if found else 404, ctype="text/plain", agent=rng.choice(list(AGENTS)))
            if rng.random() < 0.15:  # another one of the same moment
                if rng.random() < 0.7:
                    text, lines = robots(rng)
                m.add(r.url, r.t, what="robots", body=text.encode(), lines=lines, ctype="text/plain", agent=rng.choice([r.agent, "CCBot"]))
            elif found and back > 20 and rng.random() < 0.5:  # the server says that it is the same
                same = {"WARC-Profile": IDENTICAL, "WARC-Payload-Digest": sha1(r.body)}
                refers = {"WARC-Refers-To-Target-URI": r.url, "WARC-Refers-To-Date": iso(r.t)}
                how = rng.choice([same, {**same, **refers}, {"WARC-Profile": NOT_MODIFIED, **refers}])
                m.add(r.url, r.t + rng.choice([1, 10, back]) * HOUR, what="robots", lines=lines, type="revisit", warc=how,
                      status=304 if NOT_MODIFIED in how.values() else 200, ctype="text/plain", agent=rng.choice(list(AGENTS)))
        for back in rng.choice([[], [], [5], [30], [30, 4], [-1]]):
            entries = [{"location": rng.choice(["/a/*", "/b/", "/", "/*x$"]), "tdm-reservation": rng.choice([0, 1, 1, 7])} for _ in range(rng.randint(1, 3))]
            for n, entry in enumerate(entries):
                if rng.random() < 0.3:
                    entry["tdm-policy"] = "http://policy.example/f%d" % n
            text, broken = json.dumps(entries), rng.random() < 0.15
            m.add(origin + "/.well-known/tdmrep.json", t - back * HOUR - timedelta(seconds=7), what="tdmrep", body=(text[:-1] + ",]" if broken else text).encode(),
                  entries=entries, broken=broken, ctype="application/json", agent="ExampleBot")
        for _ in range(rng.choice([0, 0, 1, 3])):
            found, (text, groups) = rng.random() < 0.9, training(rng)
            m.add(origin + rng.choice(["/ai.txt", "/ai.txt", "/.well-known/ai.txt"]), t - rng.choice([0, 3, 30, -1]) * HOUR, what="training",
                  body=text.encode(), groups=groups if found else [], status=200 if found else 404, ctype="text/plain", agent=rng.choice(list(AGENTS)))
        for _ in range(rng.choice([0, 4, 12])):
            url = rng.choice([origin + "/licence%d", "http://licence.example/%d.xml"]) % rng.randrange(9)
            text, what = document(rng, origin)
            r = m.add(rng.choice([url, url, "http://licence.example/l"]), t - rng.choice([0, 3, 3, 9, 9, 30, 400, -1, -40]) * HOUR, what="licence", body=text.encode(),
                      document=what, status=rng.choice([200, 200, 200, 404]), ctype=rng.choice(["application/rsl+xml", "application/rsl+xml; charset=utf-8",
                      "application/xml", "text/xml", "text/plain"]), agent=rng.choice(list(AGENTS)))
            if "rsl" in r.ctype and r.status == 200 and rng.random() < 0.3:
                m.add(r.url, r.t + rng.choice([1, 29]) * HOUR, what="licence", document=what, like=r.body, type="revisit", ctype=r.ctype, agent=rng.choice(list(AGENTS)),
                      warc={"WARC-Profile": IDENTICAL, "WARC-Payload-Digest": sha1(r.body), "WARC-Refers-To-Target-URI": r.url, "WARC-Refers-To-Date": iso(r.t)})
        pages = []
        for _ in range(rng.randint(4, 14)):
            pages.append(m.page(origin, t + timedelta(seconds=rng.choice([0, 1, rng.randrange(1, 7000), rng.randrange(1, 7000)]))))
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
    http = "application/http; msgtype=" + ("request" if kind == "request" else "response")
    return lib.record(kind, block, {"WARC-Record-ID": ident, "WARC-Date": iso(e.t), "WARC-Target-URI": e.url, **more, "Content-Type": http})


def write(f, rng, e):
    more = dict(e.warc)
    if e.type == "response" and e.body:
        more["WARC-Payload-Digest"] = sha1(e.body)
    e.place = os.path.basename(f.name), f.tell()
    head = message("HTTP/1.1 %d Said" % e.status, [("Content-Type", e.ctype)] * bool(e.ctype) + [header[:2] for header in e.headers])
    f.write(record(e.type, e, e.id, head + (e.body if e.type == "response" else b""), more))
    path = "/" + e.url.split("/", 3)[3]
    request = message("%s %s HTTP/1.1" % (e.method, path), [("Host", e.url.split("/")[2]), ("User-Agent", AGENTS[e.agent])])
    f.write(record("request", e, random_id(rng), request, {"WARC-Concurrent-To": e.id}))
