"""Archives as all checks read them: docs/SEMANTICS.md, §1, §2 and §5, in plain Python over warcio's records.

Times at the precision that they were given with, origins, who asked, and bodies with their codings undone.
"""

import io
import json
import re
import string
import tempfile
import zipfile
import zlib
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from functools import cached_property
from pathlib import Path
from urllib.parse import quote, urljoin

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeadersParser

from lib import ROOT, bare
from robots import decoded


SECOND = timedelta(seconds=1)
HOUR = timedelta(hours=1)
DAY = timedelta(hours=24)
MONTH = timedelta(days=30)
TEN_MINUTES = timedelta(minutes=10)
LONGEST = timedelta(milliseconds=2**31 - 1)
NOTHING = timedelta(0)

# --------------------------------------------------------------------- §1 time

PRECISIONS = ["year", "month", "day", "hour", "minute", "second"]  # further ones: digits of its fraction


class Moment:
    """A WARC-Date at the precision it was given with (§1)."""

    def __init__(self, text):
        m = re.fullmatch(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d)(\.\d+)?)?)?Z?)?)?)?", text)
        if m is None:
            raise ValueError("date not understood: %r" % text)
        year, month, day, hour, minute, second, fraction = m.groups()
        self.precision = sum(g is not None for g in m.groups()[:6]) - 1 + len((fraction or ".")[1:7])
        micro = int(round(float("0" + fraction) * 1e6)) if fraction else 0
        self.start = datetime(int(year), int(month or 1), int(day or 1), int(hour or 0),
                              int(minute or 0), int(second or 0), micro, tzinfo=timezone.utc)

    def cut(self, precision):
        unit = 10 ** (6 - max(0, precision - PRECISIONS.index("second")))
        fields = {name: 1 if name in ("month", "day") else 0 for name in PRECISIONS[precision + 1:]}
        return self.start.replace(microsecond=self.start.microsecond // unit * unit, **fields)

    def plus(self, duration):
        """The moment so much later, at the same precision."""
        moment = Moment(self.start.strftime("%Y"))
        moment.precision, moment.start = self.precision, self.start + duration
        return moment

    def latest(self):
        """Until when what was cut to this date may lie, at most."""
        units = [366 * DAY, 31 * DAY, DAY, HOUR, HOUR / 60, SECOND]
        return self.start + (units[self.precision] if self.precision < len(units)
                             else SECOND / 10 ** (self.precision - 5))

    def coarser_than_a_second(self):
        return self.precision < PRECISIONS.index("second")


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


def same_moment(a, b):
    return difference(a.time, b.time) == NOTHING


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
    host = host.removesuffix(".")
    if port in (None, "") or int(port) == DEFAULT_PORT[scheme]:
        origin = scheme + "://" + host
    else:
        origin = scheme + "://" + host + ":" + str(int(port))
    if not rest.startswith("/"):
        rest = "/" + rest  # §1: empty → "/"
    return origin, rest


def same_url_key(url):
    """§2: what a URL may not hold counts as percent-encoded."""
    origin, path = split_url(url)
    return (origin or "") + quote(path, safe=string.punctuation)


# ------------------------------------------------------------------- §5 tokens

NO_CRAWLERS = {"msie", "konqueror", "opera"}
BROWSER_PRODUCTS = {
    "mozilla", "applewebkit", "chrome", "chromium", "headlesschrome", "safari", "firefox", "gecko", "version",
    "mobile", "edg",
    "edge", "opr", "opera", "samsungbrowser", "khtml", "ubuntu", "epiphany", "seamonkey", "vivaldi", "crios", "fxios"}


def tokens_of_user_agent(ua):
    """§5: the product tokens that a User-Agent names, the deciding one first; [] for a browser's or none."""
    several = re.match(r"(?:Mozilla/.*compatible;)?\s*(%s)(?![\w.-])" % "|".join(SEVERAL_WORDS), ua or "", re.I)
    if several:
        return [several.group(1)]
    named = [t for t in re.findall(r"compatible;\s*([^\s;/(),+]+)", ua or "") if t.lower() not in NO_CRAWLERS]
    if re.match(r"\s*Mozilla/", ua or ""):
        if not named:
            outside = re.sub(r"\([^()]*\)", " ", ua)
            named = [p for p in re.findall(r"([^\s/;,+]+)/\S+", outside) if p.lower() not in BROWSER_PRODUCTS][-1:]
        return named[:1]
    first = re.match(r"[\s+]*([^\s/;,(+]+)", ua or "")
    if first is None:
        return []
    return [first.group(1)] + [t for t in named if t.lower() != first.group(1).lower()][:1]


AGENTS = json.loads((ROOT / "internal/agents/agents.json").read_text("utf-8"))["agents"]
SEVERAL_WORDS = [re.escape(a["token"]) for a in AGENTS if " " in a["token"]]
SOFTWARE = {a["token"].lower() for a in AGENTS if a.get("kind") == "software"}


LISTED = {a["token"].lower() for a in AGENTS}


def kind_of_token(f):
    """§5: whether a token names an operator's crawler, software that anybody runs, or is not listed (None)."""
    token = (f.token or "").lower()
    if token in LISTED:
        return "software" if token in SOFTWARE else "operator"
    return "software" if token + "/nutch" in (f.user_agent or "").lower() else None


def contacts(ua):
    """The URLs and mail addresses of a User-Agent."""
    found = re.findall(r"(?:https?://|www\.|mailto:)[^\s;,()\[\]{}]+|[^\s;,()\[\]{}:]+@[^\s;,()\[\]{}]+\.[a-z]{2,}", (ua or "").lower())
    return {re.sub(r"^(https?://|mailto:)?(www\.)?", "", c).strip("+-'\"<>./") for c in found}


# --------------------------------------------------------------- the archives


ENDINGS = (".warc", ".warc.gz", ".arc", ".arc.gz")
HOLE = b"no member of gzip\n" * 4  # between members: an archive is damaged there


class Run:
    """What a warcinfo record says of a run; without one, a file is one."""

    def __init__(self, name, fields=None, filename=None):
        self.name, self.fields, self.filename = name, fields or {}, filename or ""
        self.agent = self.fields.get("http-header-user-agent")
        self.serial = self.fields.get("software", "").startswith("Wget/1.")  # it makes one fetch after the other

    def is_one_with(self, other, agent, fetch_agent):
        """Whether a record of a User-Agent is of the run of a fetch."""
        both = {k for k in self.fields.keys() & other.fields.keys() if self.fields[k] and
                other.fields[k]} - {"filename", "created", "date"}
        if self.name == other.name:
            return True
        if any(self.fields[k] != other.fields[k] for k in both):
            return False
        parts, others = (re.split(r"(\d+)", r.filename) for r in (self, other))
        numbered = len(parts) == len(others) and [n % 2 for n, pair in enumerate(zip(parts, others))
                                                  if pair[0] != pair[1]] == [1]
        if agent is None:
            return "wget-arguments" in both and numbered
        return agent == fetch_agent and (bool(both & {"hostname", "operator", "ispartof"}) or
                                         "wget-arguments" in both and numbered)


    def contradicts(self, other):
        """§5: whether two runs name different hosts, operators or collections."""
        return any(self.fields.get(k) and other.fields.get(k) and self.fields[k] != other.fields[k] for k in ("hostname", "operator", "ispartof"))


class Crawl:
    """The records of a run in one archive, in their order."""

    def __init__(self, run):
        self.run, self.fetches = run, []

    @cached_property
    def unordered(self):
        """§1: whether dates go back so often, or so far, that places show nothing."""
        fetches = [f for f in self.fetches if f.time is not None and not f.time.coarser_than_a_second() and
                   f.path != "/robots.txt"]
        gaps = [difference(b.time, a.time) for a, b in zip(fetches, fetches[1:])]
        back, far, server = sum(g < NOTHING for g in gaps), False, None
        for f, gap in zip(fetches, [NOTHING, *gaps]):  # a clock that was put back: servers say that time went on
            was_set = server and f.answered and difference(f.answered, server) >= NOTHING
            far |= gap < -TEN_MINUTES and not was_set
            server = f.answered or server
        return back >= 3 and 10 * back > len(gaps) or far


    @cached_property
    def voices(self):
        """§1: the User-Agents of its requests, each with whether it requested robots.txt; None of pages without one."""
        voices = {}
        for f in self.fetches:
            is_robots = f.method == "GET" and f.path == "/robots.txt"
            if f.user_agent or f.requested and not is_robots and not f.led:
                agent = f.user_agent or None
                voices[agent] = voices.get(agent, False) or is_robots and not f.led
        return voices

    def speaks_against(self, token):
        """§1: whether anything here shows that who requested robots.txt without a User-Agent is not this crawler."""
        def by_another(agent, asks_robots):
            tokens = tokens_of_user_agent(agent)
            return agent is None or asks_robots or [t.lower() for t in tokens] != [token.lower()]
        return len(self.voices) > 8 or any(by_another(*voice) for voice in self.voices.items())


class Spot:
    """The place of a record in one of the archives that hold it."""

    def __init__(self, archive, place, crawl):
        self.archive, self.place, self.crawl = archive, place, crawl
        self.serial = crawl.run.serial


class Fetch:
    """A captured exchange (§1)."""

    def __init__(self):
        self.method = "GET"
        self.token = None
        self.other_token = None  # a second crawler that the User-Agent names
        self.asked = None  # it, while the verdict for it is found
        self.request_validators = {}
        self.lead = NOTHING  # by how much its request is dated earlier
        self.named = False  # its request has a User-Agent
        self.resynced = False  # it stands behind damage
        self.requested = False  # its request is there
        self.led = False  # a robots.txt before it in its archive redirects to its URL
        self.validators = {}
        self.itself = False  # a robots capture, or a record its redirects led to
        self.misnamed = False  # a revisit that names a record with another digest
        self.by_option = False  # an option gives the token
        self.duration = self.answered = None  # how long it took, and the Date of its answer, if that has no Age
        self.challenges = False  # a header field says that the answer is a challenge
        self.told = False  # an index or a list tells of it, and no record (index_reference.py)
        self.no_status = False  # told by a row without a status

    def stand(self, first):
        """Says where the record stands; in further archives, spots has it, too."""
        self.archive, self.place, self.serial = first.archive, first.place, first.serial
        self.spots = {first.archive: first}

    def runs(self):
        return [s.crawl.run for s in self.spots.values()]


def without_interim(record):
    """§2: the octets behind the head of a response that is no 1xx."""
    octets = record.raw_stream.read()
    while 100 <= (http_status(record) or 0) <= 199 and octets.startswith(b"HTTP/"):
        rest = io.BytesIO(octets)
        record.http_headers = StatusAndHeadersParser([], verify=False).parse(rest)
        octets = rest.read()
    return octets


def http_status(record):
    if record.http_headers is None or not record.http_headers.protocol.startswith("HTTP/"):
        return None
    code = record.http_headers.get_statuscode()
    return int(code) if code.isdigit() else None


def http_header(record, name):
    return record.http_headers.get_header(name) if record.http_headers else None


def http_date(text):
    try:
        return Moment(parsedate_to_datetime(text or "").strftime("%Y-%m-%dT%H:%M:%SZ"))
    except ValueError:
        return None


def weak(etags):
    """RFC 9110 §13.1.2: the ETags of a field, compared weakly (A15)."""
    return set(re.findall(r'"[^"]*"', etags))


def validators(etag, modified):
    named = {}
    if etag and weak(etag):
        named["ETag"] = weak(etag)
    if modified:
        named["Last-Modified"] = {modified.strip()}
    return named


def members(data, most=0):
    """Yields what each gzip member of data holds, and where it ends. zlib.error: one breaks off, or holds more than most."""
    at = 0
    while at < len(data):
        inflater = zlib.decompressobj(31)
        content = inflater.decompress(data[at:], most)
        if not inflater.eof:
            raise zlib.error("a member breaks off, or is too large")
        at = len(data) - len(inflater.unused_data)
        yield content, at


def archives_in(root):
    """Yields the archives of a folder, or a file: (name below the folder, path). Those in a WACZ are unpacked meanwhile."""
    for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
        name = path.relative_to(root).as_posix() if root.is_dir() else path.name
        if name.endswith(ENDINGS):
            yield name, path
        elif name.endswith(".wacz"):
            with zipfile.ZipFile(path) as wacz, tempfile.TemporaryDirectory() as folder:
                for entry in wacz.namelist():
                    if entry.startswith("archive/") and entry.endswith(ENDINGS):
                        yield f"{name}/{entry}", Path(wacz.extract(entry, folder))


def read_archives(paths):
    fetches = {}
    for path in paths:
        for f in read_archive(path):
            key = f.id, f.url, f.time and f.time.start  # A36
            first = fetches.setdefault(key, f)
            if rank(f) < rank(first):
                fetches[key], first, f = f, f, first
            first.spots.update(f.spots)
    return list(fetches.values())


def rank(f):
    """§1: of copies of a record the best proven counts: whole, not behind damage, with its request."""
    return f.truncated, f.resynced, not f.named


def read_archive(path):
    fetches, requests, runs, durations, order = [], [], {}, {}, []
    latest_run, place = Run(path), -1
    for number, part in enumerate(Path(path).read_bytes().split(HOLE)):
        order.append(None)
        for record in ArchiveIterator(io.BytesIO(part)):
            place += 1
            headers = record.rec_headers
            order.append(None)
            if record.rec_type == "warcinfo":
                latest_run = Run(headers.get_header("WARC-Record-ID"), fields_of(record),
                                 headers.get_header("WARC-Filename"))
                runs[latest_run.name] = latest_run
            elif record.rec_type == "metadata":
                duration = fields_of(record).get("fetchtimems", "")
                for target in joined_by(headers):
                    if duration:
                        took = min(timedelta(milliseconds=int(duration[:12])), LONGEST) if re.fullmatch(r"\d+", duration) else LONGEST
                        durations[target] = max(took, durations.get(target, took))
            elif record.rec_type == "request" and record.http_headers:
                order[-1] = {
                    "id": headers.get_header("WARC-Record-ID"),
                    "url": bare(headers.get_header("WARC-Target-URI")),
                    "concurrent": joined_by(headers),
                    "time": moment_or_none(headers.get_header("WARC-Date")),
                    "method": record.http_headers.protocol,
                    "ua": record.http_headers.get_header("User-Agent"),
                    "validators": validators(http_header(record, "If-None-Match"),
                                             http_header(record, "If-Modified-Since")),
                }
                requests.append(order[-1])
            elif record.rec_type in ("response", "revisit", "resource"):
                f = read_fetch(record, headers)
                if f.origin is None and not (f.type == "response" and "://" in f.url):
                    continue  # §1: no fetch
                order[-1] = f
                f.id, f.resynced = f.record_id or "%s:%d" % (path, place), number > 0
                f.warcinfo, f.place = headers.get_header("WARC-Warcinfo-ID") or latest_run.name, place
                fetches.append(f)
    crawls = {}
    for f in fetches:
        crawl = crawls.setdefault(f.warcinfo, Crawl(runs.get(f.warcinfo, Run(f.warcinfo))))
        crawl.fetches.append(f)
        f.stand(Spot((path, f.warcinfo), f.place, crawl))
        f.duration = durations.get(f.id)
    join_requests(fetches, requests, order)
    return fetches


def fields_of(record):
    """The fields of a warcinfo or metadata record, the first of each name."""
    text = record.content_stream().read().decode("utf-8", "replace")
    return {k.strip().lower(): v.strip() for k, v in reversed(re.findall(r"(?m)^([^\s:][^:\r\n]*):(.*)$", text))}


def joined_by(headers):
    return [v for k, v in headers.headers if k.lower() == "warc-concurrent-to"]


def read_fetch(record, headers):
    f = Fetch()
    f.stored = without_interim(record)
    f.record_id = headers.get_header("WARC-Record-ID")
    f.type = record.rec_type
    f.url = bare(headers.get_header("WARC-Target-URI")) or ""
    f.time = moment_or_none(headers.get_header("WARC-Date"))
    f.origin, f.path = split_url(f.url)
    f.status = 200 if f.type == "resource" else http_status(record)  # §2: a resource counts like a 200
    f.location = http_header(record, "Location")
    f.content_range = http_header(record, "Content-Range")
    f.content_length = http_header(record, "Content-Length")
    f.encoding = (http_header(record, "Content-Encoding") or "").strip().lower()
    f.chunked = "chunked" in (http_header(record, "Transfer-Encoding") or "").lower()
    f.validators = validators(http_header(record, "ETag"), http_header(record, "Last-Modified"))
    f.truncated = headers.get_header("WARC-Truncated") is not None
    f.digest = headers.get_header("WARC-Payload-Digest")
    f.profile = headers.get_header("WARC-Profile") or ""
    f.refers_to = headers.get_header("WARC-Refers-To")
    f.refers_uri = headers.get_header("WARC-Refers-To-Target-URI")
    f.refers_date = headers.get_header("WARC-Refers-To-Date")
    f.concurrent = joined_by(headers)
    f.challenges = http_header(record, "CF-Mitigated") == "challenge" or http_header(record,
                                                                                     "X-Amzn-WAF-Action") in ("challenge", "captcha")
    f.answered = None if http_header(record, "Age") else http_date(http_header(record, "Date"))
    return f


def join_requests(fetches, requests, order):
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
    led = set()
    for f in fetches:
        f.led = same_url_key(f.url) in led
        if (f.path == "/robots.txt" or f.led) and f.location and 300 <= (f.status or 0) < 400:
            led.add(same_url_key(urljoin(f.url, f.location)))
        r = request_of.get(f.id)
        ua = None
        f.requested = r is not None
        if r is not None:
            f.method = r["method"]
            f.request_validators = r["validators"]
            f.lead = lead_of(f, r)
            ua = r["ua"]
        f.named = ua is not None
        if ua is None:
            ua = f.runs()[0].agent
        f.user_agent = ua
        f.token, f.other_token = (tokens_of_user_agent(ua) + [None, None])[:2]


def lead_of(f, request):
    """§1: by how much the request of a fetch is dated earlier than the fetch."""
    if request["url"] != f.url or request["time"] is None or f.time is None:
        return NOTHING
    return max(difference(f.time, request["time"]), NOTHING)


# ---------------------------------------------------------------- §2 the body

MAGICS = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF-", b"BZh",
          b"\xfd7zXZ\x00")


class Body:
    """A payload with its codings undone: octets, whether only a part of them, whether nobody can read it."""

    def __init__(self, octets, part=False, undecodable=False):
        self.octets, self.part, self.undecodable = octets, part, undecodable


def body_of(f):
    if isinstance(f.stored, Body):
        return f.stored
    octets, part = f.stored, False
    if f.chunked:
        octets, part = without_chunks(octets)
    elif not f.encoding:
        part = any(one.strip().isdigit() and len(octets) < int(one) for one in (f.content_length or "").split(","))
    body = without_coding(octets, f.encoding)
    body.part = body.part or part
    if is_binary(body.octets):
        body.undecodable = True
    return body


def is_challenge(f):
    """§2, challenges: two makers by their field, one by the ids of its scripts; 202 and HTML is one of robots.txt."""
    page = (b"" if f.type == "revisit" or f.stored is None else body_of(f).octets)[:16384]
    return f.challenges or is_html(page) and (f.status == 202 and f.path == "/robots.txt" or
                                              all(re.search(rb'<script[^>]*\bid="%s"' % i, page)
                                                  for i in (b"anubis_version", b"anubis_challenge")))


def refusal_of(f):
    """Why a server refused what was asked for."""
    by_status = {401: "auth", 402: "payment", 403: "forbidden", 429: "rate", 451: "legal"}
    return "challenge" if is_challenge(f) else by_status.get(f.status, "")


def without_chunks(octets):
    """(octets, whether they break off); what is not chunked at all is taken as it stands."""
    out, rest = b"", octets
    while True:
        m = re.match(rb"([0-9A-Fa-f]+)[ \t]*(?:;[^\r\n]*)?\r\n", rest)
        if m is None:
            return (out, True) if out or not rest else (octets, False)
        size = int(m.group(1), 16)
        if size == 0:
            return out, False
        chunk = rest[m.end():m.end() + size]
        out += chunk
        if len(chunk) < size:
            return out, True
        rest = rest[m.end() + size + 2:]


def without_coding(octets, encoding):
    if encoding in ("", "identity") or not octets:
        return Body(octets)
    if encoding in ("gzip", "x-gzip"):
        inflater = zlib.decompressobj(31)
        try:
            decoded = inflater.decompress(octets)
        except zlib.error:
            return as_it_stands(octets)
        return Body(decoded, part=not inflater.eof)
    return as_it_stands(octets)  # a coding that is not known here


def as_it_stands(octets):
    """§2: a coding declared over text that is readable as it stands is no coding (A21)."""
    try:
        text = octets.decode("utf-8")
    except UnicodeDecodeError:
        return Body(octets, undecodable=True)
    return Body(octets, undecodable=any(ord(c) < 0x20 and c not in "\t\r\n\f" for c in text))


def is_binary(octets):
    if octets.startswith(MAGICS):
        return True
    if octets.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False  # UTF-16 with a BOM
    return any(len(places) > 1 and 3 * places.count(0) >= len(places) for places in (octets[0:512:2], octets[1:512:2]))


def is_html(octets):
    return re.match(rb"(?i)(\s|<!--.*?-->)*<(!doctype\s+html|html|head|body|title|meta)\b", decoded(octets), re.S) is not None
