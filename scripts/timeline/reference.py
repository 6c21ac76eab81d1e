#!/usr/bin/env python3
"""A plain, slow reference for the verdicts of `robotsaudit audit`.

    reference.py ARCHIVE.warc.gz > expected.jsonl

Written from the semantics (docs/SEMANTICS.md, cited here as "§3") and RFC 9309
(cited as "RFC §2.2.2") and from nothing else: it shares no code and no idea of
speed with the tool it checks. Everything is held in lists and looked through
from the start for every fetch. Profile rfc9309 only.

One JSON object a line, in file order, for every fetch: url, warc_record_id,
verdict, evidence, reason, certainty, governing (record id or null).

Ambiguities, and how they are read here
---------------------------------------
 A1  Same moment, mixed precision (§1, §3). Equality at the coarser precision is
     not transitive, so "the latest" is every candidate than which no other is
     later; if there are several they are "at the same moment".
 A2  Age and windows are differences of both times cut to the coarser precision:
     a capture dated 2021-04-24 (a day) is 24 h old at any time on 2021-04-25.
 A3  "A date coarser than an hour" caps certainty whether it is the fetch's, the
     governing capture's, or that of a capture at the same moment.
 A4  conflicting_captures: verdicts differ if they are not all the same one of
     allowed, disallowed, unknown (unknown beside disallowed is a conflict too).
     Same verdict, different reason: the smallest record id speaks.
 A5  Unreachable captures of one moment: an unreachable capture's verdict in such
     a comparison is that of §3 at its age (disallowed, or unknown when stale).
 A6  changed_between: any definite verdict of the window that differs suffices, not
     only the earliest one. In the window an unreachable capture means disallowed.
 A7  The unreachable run: unresolved and undefined captures neither count nor end
     it; rules, unavailable and partial (206 is 2xx) end it. A redirect that
     resolves to a 5xx counts as unreachable: its outcome decides, not its status.
 A8  Redirect hop at the very moment of the redirect: §1, equal counts as before,
     so a capture later within the hour is preferred to it.
 A9  Hop targets, originals of revisits and "the latest 2xx of that URL" may be of
     any crawler; §2 names none.
 A10 "Loop": a hop that leads to a record already in the chain. A redirect to its
     own URL whose next capture is 200 (a cookie wall) is followed to that 200.
 A11 "The latest 2xx of that URL" for a 304: the latest response or revisit with a
     2xx status at or before the 304; one whose body cannot be resolved leaves
     the 304 unresolved rather than reaching further back.
 A12 A revisit without a recorded status takes its original's.
 A13 Refers-To that finds nothing falls back to URL + digest for identical-payload,
     to the latest 2xx for server-not-modified.
 A14 "HTML body": parsed like any other body. It allows everything because no
     group is found in it; the generator asserts that this holds for the history.
 A15 206 whose Content-Range is "bytes 0-(n-1)/n" is outcome rules. WARC-Truncated
     matters for 2xx alone: a truncated 404 still is unavailable. The last line of
     a truncated body is not dropped.
 A16 A rule with white space inside keeps it; a raw space never equals %20. A TAB
     inside, like any octet below 0x20 and 0x7F, is a control octet: rule dropped.
 A17 HEAD or POST of /robots.txt is an ordinary fetch, but its URI is implicitly
     allowed (RFC §2.2.2): allowed, robots_txt_itself, evidence none.
 A18 reserved_encoding: "taken as equal" lets a raw and an encoded gen-delim match
     each other wherever the URI has one after its first "?"; lengths stay.
 A19 The parse limit's remainder "could change the verdict" if parsing the whole
     body gives another verdict.
 A20 Stale by more than 30 days: certainty null even where a permitted copy allows.
 A21 "Own capture" of a crawler whose token is unknown: a capture whose token is
     unknown. "Certain" still needs a known token.
 A22 A request record with no User-Agent: the warcinfo record's is taken, as if
     there were no request.
 A23 "Stale, and another capture within 24 h after t disagrees" applies also when
     evidence is older than 30 days.
 A24 An unreachable capture as later evidence: disallowed, unreachable, later.
 A25 "Every 2xx capture" of the last day is a permitted copy (§3): also a part of a
     file, and a revisit with a 2xx of its own whose original is lost. Nobody can
     show that such a copy disallowed, so it keeps a violation from being certain.
"""

import json
import re
import sys
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from urllib.parse import urljoin

from warcio.archiveiterator import ArchiveIterator

HOUR = timedelta(hours=1)
DAY = timedelta(hours=24)
MONTH = timedelta(days=30)
PARSE_LIMIT = 512000  # §2

# --------------------------------------------------------------------- §1 time

PRECISIONS = ["year", "month", "day", "hour", "minute", "second", "fraction"]


class Moment:
    """A WARC-Date at the precision it was given with (§1)."""

    def __init__(self, text):
        m = re.fullmatch(
            r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d)(\.\d+)?)?)?Z?)?)?)?", text)
        if m is None:
            raise ValueError("date not understood: %r" % text)
        year, month, day, hour, minute, second, fraction = m.groups()
        self.precision = sum(g is not None for g in m.groups()) - 1
        micro = int(round(float("0" + fraction) * 1e6)) if fraction else 0
        self.start = datetime(int(year), int(month or 1), int(day or 1), int(hour or 0),
                              int(minute or 0), int(second or 0), micro, tzinfo=timezone.utc)

    def cut(self, precision):
        fields = dict(zip(["month", "day", "hour", "minute", "second", "microsecond"],
                          [1, 1, 0, 0, 0, 0]))
        for name in PRECISIONS[1:precision + 1]:
            fields.pop("microsecond" if name == "fraction" else name)
        return self.start.replace(**fields)

    def coarser_than_an_hour(self):
        return self.precision < PRECISIONS.index("hour")


def moment_or_none(text):
    """§1: a missing or impossible time is unknown; never "now", never 1970."""
    try:
        return Moment(text or "")
    except ValueError:
        return None


def difference(later, earlier):
    """§1: two times are compared at the coarser precision."""
    precision = min(later.precision, earlier.precision)
    return later.cut(precision) - earlier.cut(precision)


def at_or_before(a, b):
    """§1: equal counts as before."""
    return difference(b, a) >= timedelta(0)


def after(a, b):
    return difference(a, b) > timedelta(0)


def latest(captures):
    """All captures than which no other one is later (A1)."""
    return [c for c in captures if not any(after(d.time, c.time) for d in captures)]


def earliest(captures):
    return [c for c in captures if not any(after(c.time, d.time) for d in captures)]


def spokesman(captures):
    """Of captures that say the same, the one cited; file order never decides (A4)."""
    return min(captures, key=lambda c: c.id)


# ------------------------------------------------------------------- §1 origin

DEFAULT_PORT = {"http": 80, "https": 443, "ftp": 21}


def split_url(url):
    """(origin, path with query) as §1 wants them; origin None if not http(s)/ftp."""
    url = url.split("#", 1)[0]
    m = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?]*)(.*)$", url, re.S)
    if m is None:
        return None, url
    scheme, authority, rest = m.group(1).lower(), m.group(2), m.group(3)
    if scheme not in DEFAULT_PORT:
        return None, rest
    host = authority.rsplit("@", 1)[-1].lower()
    port = None
    m = re.fullmatch(r"(.*):(\d*)", host)
    if m:
        host, port = m.group(1), m.group(2)
    if port in (None, "") or int(port) == DEFAULT_PORT[scheme]:
        origin = scheme + "://" + host
    else:
        origin = scheme + "://" + host + ":" + str(int(port))
    if not rest.startswith("/"):
        rest = "/" + rest  # §1: empty → "/"
    return origin, rest


def same_url_key(url):
    origin, path = split_url(url)
    return (origin or "") + path


# ------------------------------------------------------------------- §5 tokens


def token_of_user_agent(ua):
    """§5: the product token a User-Agent names, or None for a browser's or none."""
    if not ua or not ua.strip():
        return None
    ua = ua.strip()
    if ua.startswith("Mozilla/"):
        m = re.search(r"compatible;\s*([^\s;/()]+)", ua)
        if m is None or m.group(1) in ("MSIE", "Konqueror"):
            return None
        return m.group(1)
    return re.split(r"[\s/;(]", ua)[0] or None


def same_crawler(token_a, token_b):
    """Tokens compare case-insensitively; no token is a token of its own (A21)."""
    return (token_a or "").lower() == (token_b or "").lower()


# --------------------------------------------------------------- the archive


class Fetch:
    """A captured exchange (§1)."""

    def __init__(self):
        self.method = "GET"
        self.token = None
        self.itself = False  # a robots capture, or a record its redirects led to


def http_status(record):
    if record.http_headers is None:
        return None
    code = record.http_headers.get_statuscode()
    return int(code) if code.isdigit() else None


def read_archive(path):
    fetches, requests, warcinfo_agents, order = [], [], {}, []
    with open(path, "rb") as stream:
        for record in ArchiveIterator(stream):
            headers = record.rec_headers
            if record.rec_type == "warcinfo":
                fields = record.content_stream().read().decode("utf-8", "replace")
                m = re.search(r"(?im)^http-header-user-agent:[ \t]*(.*?)\s*$", fields)
                warcinfo_agents[headers.get_header("WARC-Record-ID")] = m.group(1) if m else None
                order.append(None)
            elif record.rec_type == "request":
                requests.append({
                    "id": headers.get_header("WARC-Record-ID"),
                    "url": headers.get_header("WARC-Target-URI"),
                    "concurrent": [v for k, v in headers.headers if k.lower() == "warc-concurrent-to"],
                    "method": record.http_headers.protocol,
                    "ua": record.http_headers.get_header("User-Agent"),
                })
                order.append(requests[-1])
            elif record.rec_type in ("response", "revisit", "resource"):
                f = Fetch()
                f.id = headers.get_header("WARC-Record-ID")
                f.type = record.rec_type
                f.url = headers.get_header("WARC-Target-URI")
                f.time = moment_or_none(headers.get_header("WARC-Date"))
                f.origin, f.path = split_url(f.url)
                f.status = http_status(record)
                f.location = record.http_headers.get_header("Location") if record.http_headers else None
                f.content_range = record.http_headers.get_header("Content-Range") if record.http_headers else None
                f.truncated = headers.get_header("WARC-Truncated") is not None
                f.digest = headers.get_header("WARC-Payload-Digest")
                f.profile = headers.get_header("WARC-Profile") or ""
                f.refers_to = headers.get_header("WARC-Refers-To")
                f.refers_uri = headers.get_header("WARC-Refers-To-Target-URI")
                f.refers_date = headers.get_header("WARC-Refers-To-Date")
                f.concurrent = [v for k, v in headers.headers if k.lower() == "warc-concurrent-to"]
                f.warcinfo = headers.get_header("WARC-Warcinfo-ID")
                f.body = record.content_stream().read()  # transfer and content codings undone
                fetches.append(f)
                order.append(f)
            else:
                order.append(None)
    join_requests(fetches, requests, warcinfo_agents, order)
    return fetches


def join_requests(fetches, requests, warcinfo_agents, order):
    """§5: WARC-Concurrent-To in either direction, else adjacency, else warcinfo."""
    by_id = {f.id: f for f in fetches}
    request_by_id = {r["id"]: r for r in requests}
    request_of = {}
    for r in requests:
        for target in r["concurrent"]:
            if target in by_id:
                request_of[target] = r
    for f in fetches:
        for target in f.concurrent:
            if target in request_by_id:
                request_of[f.id] = request_by_id[target]
    taken = {r["id"] for r in request_of.values()}
    for a, b in zip(order, order[1:]):
        for f, r in ((a, b), (b, a)):
            if isinstance(f, Fetch) and isinstance(r, dict) and f.id not in request_of \
                    and r["id"] not in taken and r["url"] == f.url:
                request_of[f.id] = r
                taken.add(r["id"])
    for f in fetches:
        r = request_of.get(f.id)
        ua = None
        if r is not None:
            f.method = r["method"]
            ua = r["ua"]
        if ua is None:
            ua = warcinfo_agents.get(f.warcinfo)
        f.token = token_of_user_agent(ua)


def is_robots_capture(f):
    """§1: a GET fetch whose path is exactly /robots.txt without "?"."""
    return f.origin is not None and f.method == "GET" and f.path == "/robots.txt"


# --------------------------------------------------------- §2 what it says


class Outcome:
    """What one capture says: kind, reason where it has one, body, records led to."""

    def __init__(self, kind, reason=None, body=b"", hops=()):
        self.kind, self.reason, self.body, self.hops = kind, reason, body, list(hops)


UNRESOLVED_REVISIT = "unresolved_revisit"
EMPTY_DIGESTS = {"sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"}


class Archive:
    def __init__(self, fetches):
        self.fetches = fetches
        self.of_url = {}
        for f in fetches:
            if f.time is not None:
                self.of_url.setdefault(same_url_key(f.url), []).append(f)
        self.of_id = {f.id: f for f in fetches}
        self.robots_of = {}
        for f in fetches:
            if is_robots_capture(f) and f.time is not None:
                self.robots_of.setdefault(f.origin, []).append(f)
        self.outcomes = {}
        for captures in self.robots_of.values():
            for c in captures:
                c.itself = True
                for hop in self.outcome(c).hops:
                    hop.itself = True  # §3: the very records that its redirects led to

    def outcome(self, capture):
        if capture.id not in self.outcomes:
            self.outcomes[capture.id] = self.follow(capture)
        return self.outcomes[capture.id]

    # §2, row "3xx with Location"
    def follow(self, capture):
        chain = [capture]
        while True:
            status, location, _ = self.status_and_location(chain[-1])
            if not (status is not None and 300 <= status <= 399 and status != 304 and location):
                last = self.own_outcome(chain[-1])
                return Outcome(last.kind, last.reason, last.body, chain[1:])
            if len(chain) == 6:  # five hops were followed; this would be the sixth
                return Outcome("unavailable", "too_many_redirects", hops=chain[1:])
            target = self.hop_target(chain[-1], urljoin(chain[-1].url, location))
            if target is None:
                return Outcome("unresolved", "unresolved_redirect", hops=chain[1:])
            if target in chain:
                return Outcome("unavailable", "too_many_redirects", hops=chain[1:])
            chain.append(target)

    def hop_target(self, hop, url):
        """The nearest capture within 1 h after the hop, else the latest within 24 h before."""
        captures = [f for f in self.of_url.get(same_url_key(url), []) if f.method == "GET"]
        soon = [f for f in captures if after(f.time, hop.time) and difference(f.time, hop.time) <= HOUR]
        if soon:
            return spokesman(earliest(soon))
        ago = [f for f in captures if at_or_before(f.time, hop.time) and difference(hop.time, f.time) <= DAY]
        if ago:
            return spokesman(latest(ago))
        return None

    def status_and_location(self, f):
        """A revisit's own status and Location win; where it has none, its original's."""
        if f.type == "revisit" and f.status is None:
            original = self.original(f)
            if original is not None:
                return original.status, original.location, original
        return f.status, f.location, None

    def original(self, revisit):
        """§2, row "revisit identical-payload-digest": the record that holds the body."""
        def fits(f):
            return f.type == "response" and (revisit.status is None or f.status == revisit.status)

        if revisit.refers_to in self.of_id and fits(self.of_id[revisit.refers_to]):
            return self.of_id[revisit.refers_to]
        if revisit.refers_uri and revisit.refers_date:
            date = Moment(revisit.refers_date)
            for f in self.of_url.get(same_url_key(revisit.refers_uri), []):
                if fits(f) and difference(f.time, date) == timedelta(0):
                    return f
        if revisit.digest and revisit.digest not in EMPTY_DIGESTS:
            for f in self.of_url.get(same_url_key(revisit.url), []):
                if fits(f) and f.digest == revisit.digest:
                    return f
        return None

    def own_outcome(self, f):
        """The table of §2, a row after the other, for a capture that is no redirect."""
        status, _, _ = self.status_and_location(f)
        if status == 304 or f.type == "revisit" and "server-not-modified" in f.profile:
            return self.not_modified(f)
        if status is None and f.type == "revisit":
            return Outcome("unresolved", UNRESOLVED_REVISIT)
        if status is not None and 200 <= status <= 299:
            return self.success(f, status)
        if status is not None and 400 <= status <= 499:
            return Outcome("unavailable")
        if status is not None and 500 <= status <= 599:
            return Outcome("unreachable")
        return Outcome("undefined", "undefined_status")

    def success(self, f, status):
        if status in (204, 205):
            return Outcome("rules")
        source = f
        if f.type == "revisit":
            source = self.original(f)
            if source is None:
                return Outcome("unresolved", UNRESOLVED_REVISIT)
        if source.truncated or status == 206 and not shows_the_whole(source.content_range):
            return Outcome("partial", "truncated", source.body)
        return Outcome("rules", None, source.body)

    def not_modified(self, f):
        """304 and server-not-modified: same as Refers-To, else as the latest 2xx of that URL."""
        referred = self.of_id.get(f.refers_to)
        if referred is None and f.refers_uri and f.refers_date:
            date = Moment(f.refers_date)
            for g in self.of_url.get(same_url_key(f.refers_uri), []):
                if g is not f and difference(g.time, date) == timedelta(0) and g.status != 304:
                    referred = g
        if referred is None:
            successes = [g for g in self.of_url.get(same_url_key(f.url), [])
                         if g is not f and g.method == "GET" and g.status is not None
                         and 200 <= g.status <= 299 and at_or_before(g.time, f.time)]
            if not successes:
                return Outcome("unresolved", UNRESOLVED_REVISIT)
            referred = spokesman(latest(successes))
        return self.own_outcome(referred)


def shows_the_whole(content_range):
    m = re.fullmatch(r"\s*bytes\s+(\d+)-(\d+)/(\d+)\s*", content_range or "", re.I)
    return m is not None and int(m.group(1)) == 0 and int(m.group(2)) + 1 == int(m.group(3))


# ------------------------------------------------------------- §6, RFC §2.2


@lru_cache(maxsize=None)
def parse(body):
    """[(agents, rules)]: the groups of a robots.txt, in file order.

    agents: the user-agent values; rules: ("allow" or "disallow", value octets).
    """
    if body.startswith(b"\xef\xbb\xbf"):
        body = body[3:]
    elif body.startswith((b"\xff\xfe", b"\xfe\xff")):
        body = body.decode("utf-16", "replace").encode("utf-8")
    groups = []
    naming = False  # are we still in a group's user-agent lines?
    for line in re.split(rb"\r\n|\r|\n", body):  # RFC §2.2: NL
        line = line.split(b"#", 1)[0]  # RFC §2.2.3: designates a comment
        if b":" not in line:
            continue
        key, value = line.split(b":", 1)
        key, value = key.strip(b" \t").lower(), value.strip(b" \t")
        if key == b"user-agent":  # §5: whatever its value, starts or joins a group
            if not naming:
                groups.append(([], []))
                naming = True
            groups[-1][0].append(value)
        elif key in (b"allow", b"disallow"):
            naming = False  # §5: even with an empty or invalid value
            if groups:  # §6: rules before any group are ignored
                groups[-1][1].append((key.decode(), value))
        # RFC §2.2.4: any other record never ends a group
    return groups


def rules_for(groups, token):
    """RFC §2.2.1: the rules of all matching groups; else those of "*"; else None."""
    own, star = [], []
    own_found = star_found = False
    for agents, rules in groups:
        names = [a.split(b"/", 1)[0].strip(b" \t").lower() for a in agents]  # §5, exact
        if token is not None and token.lower().encode() in names:
            own_found = True
            own += rules
        if b"*" in agents:
            star_found = True
            star += rules
    if own_found:
        return own
    if star_found:
        return star
    return None


UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
HEX = b"0123456789abcdefABCDEF"
GEN_DELIMS = b":/?#[]@"


def normalise(octets):
    """§6: decode %-octets of unreserved, upper-case other hex, encode outside ASCII."""
    out, i = b"", 0
    while i < len(octets):
        if octets[i:i + 1] == b"%" and len(octets) >= i + 3 \
                and octets[i + 1] in HEX and octets[i + 2] in HEX:
            value = int(octets[i + 1:i + 3], 16)
            out += bytes([value]) if value in UNRESERVED else b"%%%02X" % value
            i += 3
        elif octets[i] > 0x7F:
            out += b"%%%02X" % octets[i]
            i += 1
        else:
            out += octets[i:i + 1]
            i += 1
    return out


def normalise_uri(path):
    """§6: literal "*" and "$", any in the URI, become %2A and %24."""
    return normalise(path).replace(b"*", b"%2A").replace(b"$", b"%24")


@lru_cache(maxsize=None)
def normalise_pattern(value):
    """§6: a "$" in the middle of a pattern is literal; "*" and a final "$" are special."""
    anchored = value.endswith(b"$")
    if anchored:
        value = value[:-1]
    return normalise(value).replace(b"$", b"%24") + (b"$" if anchored else b"")


def matches(pattern, uri, delims_equal=False):
    """RFC §2.2.2, §2.2.3: does the normalised pattern match from the first octet on?

    With delims_equal a raw and an encoded gen-delim after the URI's first "?" are
    taken as equal (A18).
    """
    question = uri.find(b"?")
    memo = {}

    def match(p, u):
        if (p, u) not in memo:
            memo[p, u] = False
            memo[p, u] = step(p, u)
        return memo[p, u]

    def step(p, u):
        if p == len(pattern):
            return True  # the end of the rule's path is reached
        if pattern[p:] == b"$":
            return u == len(uri)
        if pattern[p:p + 1] == b"*":
            return match(p + 1, u) or u < len(uri) and match(p, u + 1)
        if u == len(uri):
            return False
        if pattern[p] == uri[u] and match(p + 1, u + 1):
            return True
        if delims_equal and 0 <= question < u:
            for d in GEN_DELIMS:
                raw, encoded = bytes([d]), b"%%%02X" % d
                for a, b in ((raw, encoded), (encoded, raw)):
                    if pattern.startswith(a, p) and uri.startswith(b, u) \
                            and match(p + len(a), u + len(b)):
                        return True
        return False

    return match(0, 0)


def has_control_octet(value):
    return any(b < 0x20 or b == 0x7F for b in value)


def judge_by_rules(body, token, path, delims_equal=False):
    """(verdict, reason) of a robots.txt body: RFC §2.2.2."""
    rules = rules_for(parse(body), token)
    if rules is None:
        return "allowed", "no_matching_group"
    uri = normalise_uri(path.encode("utf-8"))
    best, verdict = -1, None
    for kind, value in rules:
        if not value.startswith((b"/", b"*")):
            continue  # §6: empty, or starts with neither: matches nothing
        if has_control_octet(value):
            continue  # §6: dropped
        pattern = normalise_pattern(value)
        length = len(pattern)  # §6: octets of the normalised pattern with "*" and final "$"
        if length < best or length == best and kind == "disallow":
            continue  # most octets win, ties go to allow
        if matches(pattern, uri, delims_equal):
            best, verdict = length, kind
    if verdict is None:
        return "allowed", "no_matching_rule"
    return ("allowed" if verdict == "allow" else "disallowed"), "rule"


def within_parse_limit(body):
    """§2: 512,000 decoded octets at most, the line cut by that limit dropped."""
    if len(body) <= PARSE_LIMIT:
        return body
    kept = body[:PARSE_LIMIT]
    if kept[-1:] in b"\r\n" or body[PARSE_LIMIT:PARSE_LIMIT + 1] in b"\r\n":
        return kept  # the limit fell between lines
    return kept[:max(kept.rfind(b"\n"), kept.rfind(b"\r")) + 1]


class Answer:
    """A capture's answer to a fetch, before time and other captures are asked."""

    def __init__(self, verdict, reason, open_reading=False, at_most_probable=False):
        self.verdict, self.reason = verdict, reason
        self.open_reading = open_reading  # §4: a reading the specs leave open allows
        self.at_most_probable = at_most_probable


def answer(archive, capture, fetch):
    outcome = archive.outcome(capture)
    if outcome.kind == "unavailable":
        return Answer("allowed", outcome.reason or "unavailable")
    if outcome.kind == "unreachable":
        return Answer("disallowed", "unreachable")
    if outcome.kind in ("unresolved", "undefined"):
        return Answer("unknown", outcome.reason)
    body = within_parse_limit(outcome.body)
    verdict, reason = judge_by_rules(body, fetch.token, fetch.path)
    open_reading = False
    if verdict == "disallowed":
        open_reading = judge_by_rules(body, fetch.token, fetch.path, True)[0] == "allowed" \
            or judge_by_rules(outcome.body, fetch.token, fetch.path)[0] == "allowed"
    if outcome.kind == "partial":
        if verdict == "disallowed":
            return Answer(verdict, reason, open_reading, at_most_probable=True)
        return Answer("unknown", "truncated")
    return Answer(verdict, reason, open_reading)


# ---------------------------------------------------------- §3 and §4 decide


def own_else_any(captures, token):
    """§3: by the same crawler; where it has none, by any crawler."""
    own = [c for c in captures if same_crawler(c.token, token)]
    return own if own else captures


def unreachable_over_30_days(archive, candidates, fetch):
    """§3: an unbroken run of at least two, the first > 30 days, the last ≤ 24 h before t."""
    run = []
    for c in sorted(candidates, key=lambda c: c.time.start, reverse=True):
        kind = archive.outcome(c).kind
        if kind == "unreachable":
            run.append(c)
        elif kind in ("rules", "partial", "unavailable"):
            break
    return len(run) >= 2 and difference(fetch.time, run[-1].time) > MONTH \
        and difference(fetch.time, run[0].time) <= DAY


def answer_in_time(archive, capture, candidates, fetch):
    """The governing capture's answer: §3's exception for unreachable captures applied."""
    if archive.outcome(capture).kind == "unreachable" and at_or_before(capture.time, fetch.time):
        if difference(fetch.time, capture.time) > DAY:
            return Answer("unknown", "unreachable_stale")
        if unreachable_over_30_days(archive, candidates, fetch):
            return Answer("allowed", "unreachable_over_30d")
    return answer(archive, capture, fetch)


def is_copy(archive, capture):
    """Whether the crawler got something that it could go on using (A25)."""
    kind = archive.outcome(capture).kind
    return kind in ("rules", "partial", "unavailable") \
        or kind == "unresolved" and capture.status is not None and capture.status // 100 == 2


def permitted_copies(archive, captures, candidates, governing, fetch):
    """§3: what a crawler that caches (RFC §2.4) may have used instead."""
    copies = [c for c in captures if at_or_before(c.time, fetch.time)
              and difference(fetch.time, c.time) <= DAY and is_copy(archive, c)]
    if archive.outcome(governing).kind == "unreachable":
        copies += latest([c for c in candidates if at_or_before(c.time, fetch.time)
                          and archive.outcome(c).kind == "rules"])
    return copies


def decide(archive, fetch):
    """(verdict, evidence, reason, certainty, governing capture) of a fetch: §3, §4."""
    if fetch.origin is None:
        return "unknown", "none", "unsupported_scheme", None, None
    if fetch.itself or fetch.path == "/robots.txt":
        return "allowed", "none", "robots_txt_itself", None, None

    if fetch.time is None:
        return "unknown", "none", "no_time", None, None

    captures = archive.robots_of.get(fetch.origin, [])
    candidates = own_else_any([c for c in captures if at_or_before(c.time, fetch.time)], fetch.token)
    next_day = own_else_any([c for c in captures if after(c.time, fetch.time)
                             and difference(c.time, fetch.time) <= DAY], fetch.token)
    if candidates:
        moment = latest(candidates)
        age = difference(fetch.time, moment[0].time)
        evidence = "fresh" if age <= DAY else "stale"
    elif next_day:
        moment = earliest(next_day)
        age = timedelta(0)
        evidence = "later"
    else:
        return "unknown", "none", "no_capture", None, None

    answers = [answer_in_time(archive, c, candidates, fetch) for c in moment]
    governing = spokesman(moment)
    if len({a.verdict for a in answers}) > 1:
        return "unknown", evidence, "conflicting_captures", None, governing
    governed = answers[moment.index(governing)]

    if evidence == "stale" and governed.verdict != "unknown":
        for c in next_day:
            other = answer(archive, c, fetch).verdict
            if other != "unknown" and other != governed.verdict:
                return "unknown", evidence, "changed_between", None, governing

    certainty = None
    if governed.verdict == "disallowed":
        certainty = certainty_of(archive, fetch, captures, candidates, moment, governing, governed, evidence, age)
    return governed.verdict, evidence, governed.reason, certainty, governing


def certainty_of(archive, fetch, captures, candidates, moment, governing, governed, evidence, age):
    """§4, for a disallowed fetch."""
    if age > MONTH:
        return None  # verdict kept, never a violation
    copies = [answer(archive, c, fetch) for c in
              permitted_copies(archive, captures, candidates, governing, fetch)]
    if governed.open_reading or any(a.verdict == "allowed" for a in copies):
        return "contested"
    if evidence == "fresh" and fetch.token is not None \
            and same_crawler(governing.token, fetch.token) \
            and not governed.at_most_probable \
            and not any(d.time.coarser_than_an_hour() for d in moment + [fetch]) \
            and all(a.verdict == "disallowed" for a in copies):
        return "certain"
    return "probable"


def main():
    sys.setrecursionlimit(100000)
    archive = Archive(read_archive(sys.argv[1]))
    for fetch in archive.fetches:
        verdict, evidence, reason, certainty, governing = decide(archive, fetch)
        print(json.dumps({
            "url": fetch.url, "warc_record_id": fetch.id, "verdict": verdict, "evidence": evidence,
            "reason": reason, "certainty": certainty, "governing": governing.id if governing else None}))


if __name__ == "__main__":
    main()
