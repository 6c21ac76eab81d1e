"""Reading archives for the checks, with warcio: fetches, their crawlers, their bodies."""

import shutil
import tempfile
import zipfile
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

_BODY_CAP = 8 << 20
_BROWSERS = ("msie", "konqueror", "opera")
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_DEFAULT_PORTS = {"http": 80, "https": 443, "ftp": 21}


@dataclass(eq=False)
class Fetch:
    url: str
    time: int | None  # microseconds since 1970, UTC
    status: int | None
    location: str | None
    record_type: str
    record_id: str | None
    profile: str
    refers_to: tuple
    digest: str | None
    truncated: str | None
    archive: Path
    offset: int
    method: str = "GET"
    token: str | None = None
    user_agent: str | None = None
    concurrent: set = field(default_factory=set)

    @property
    def origin(self):
        return origin_and_path(self.url)[0]

    @property
    def path(self):
        return origin_and_path(self.url)[1]

    @property
    def is_robots(self):
        return self.method == "GET" and self.path == b"/robots.txt"

    def body(self):
        return read_body(self.archive, self.offset)


def origin_and_path(url):
    """origin_and_path splits a URL as recorded: no dot segment, octet or slash is touched."""
    scheme, _, rest = url.partition("#")[0].partition("://")
    scheme = scheme.lower()
    cut = min((at for at in (rest.find("/"), rest.find("?")) if at >= 0), default=len(rest))
    authority, path = rest[:cut].rpartition("@")[2].lower(), rest[cut:]
    host, colon, port = authority.rpartition(":")
    if not colon or not port.isdigit():
        host, port = authority.removesuffix(":"), _DEFAULT_PORTS.get(scheme, 0)
    host, port = host.removesuffix("."), int(port)
    default = port == _DEFAULT_PORTS.get(scheme)
    if not path.startswith("/"):
        path = "/" + path
    return f"{scheme}://{host}" + ("" if default else f":{port}"), path.encode("utf-8", "surrogateescape")


def moment(text):
    """moment reads a WARC-Date, None where there is none to read."""
    try:
        when = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except (AttributeError, ValueError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=timezone.utc)
    return (when - _EPOCH) // timedelta(microseconds=1)


def product_token(user_agent):
    """product_token finds the crawler's name in a User-Agent; a browser's string has none."""
    if not user_agent:
        return None
    words = user_agent.strip()
    if words.lower().startswith("mozilla/"):
        _, found, words = words.partition("compatible;")
        words = words.strip()
        if not found or words.lower().startswith(_BROWSERS):
            return None
    end = next((at for at, c in enumerate(words) if c in "/ ;,()+"), len(words))
    return words[:end] or None


_unpacked = tempfile.TemporaryDirectory(prefix="robotsaudit-check-")


@lru_cache(maxsize=None)
def entry_file(wacz, entry):
    """entry_file unpacks an entry of a WACZ and gives the path of the copy."""
    copy = tempfile.NamedTemporaryFile(dir=_unpacked.name, suffix=Path(entry).name, delete=False)
    with copy, zipfile.ZipFile(wacz) as archives, archives.open(entry) as packed:
        shutil.copyfileobj(packed, copy)
    return Path(copy.name)


def read_body(archive, offset):
    """read_body reads the payload of the record at offset, transfer and content codings undone."""
    with open(archive, "rb") as stream:
        stream.seek(offset)
        for record in ArchiveIterator(stream):
            return record.content_stream().read(_BODY_CAP)
    return b""


def record_at(archive, offset):
    """record_at gives (type, record id, URL, date in microseconds, status) of the record at offset."""
    with open(archive, "rb") as stream:
        stream.seek(offset)
        for record in ArchiveIterator(stream):
            head = record.rec_headers
            return (record.rec_type, bare(head.get_header("WARC-Record-ID")), bare(head.get_header("WARC-Target-URI")),
                    moment(head.get_header("WARC-Date")), _status(record))
    return None


def bare(text):
    """bare drops the angle brackets that some writers put around ids and URLs."""
    return text.strip().removeprefix("<").removesuffix(">") if text else None


def _status(record):
    if record.rec_type not in ("response", "revisit") or not record.http_headers:
        return None
    code = record.http_headers.get_statuscode()
    return int(code) if code and code.isdigit() else None


def _fetch(record, archive, offset):
    head, http = record.rec_headers, record.http_headers
    return Fetch(
        url=bare(head.get_header("WARC-Target-URI")) or "",
        time=moment(head.get_header("WARC-Date")),
        status=_status(record),
        location=http.get_header("Location") if http else None,
        record_type=record.rec_type,
        record_id=bare(head.get_header("WARC-Record-ID")),
        profile=head.get_header("WARC-Profile") or "",
        refers_to=(bare(head.get_header("WARC-Refers-To-Target-URI")), moment(head.get_header("WARC-Refers-To-Date"))),
        digest=head.get_header("WARC-Payload-Digest"),
        truncated=head.get_header("WARC-Truncated"),
        archive=Path(archive),
        offset=offset,
        concurrent=_ids(head, "warc-concurrent-to"),
    )


def _warcinfo_agent(text):
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name.strip().lower() == "http-header-user-agent":
            return value.strip()
    return None


def read(path):
    """read lists the http, https and ftp fetches of an archive, each with its crawler."""
    fetches, by_id, by_place, default_agent = [], {}, {}, None
    with open(path, "rb") as stream:
        records = ArchiveIterator(stream, arc2warc=True)
        for place, record in enumerate(records):
            offset, head = records.get_record_offset(), record.rec_headers
            if record.rec_type == "warcinfo":
                default_agent = _warcinfo_agent(record.content_stream().read().decode("utf-8", "replace"))
            elif record.rec_type == "request" and record.http_headers:
                by_place[place] = bare(head.get_header("WARC-Target-URI")), record.http_headers
                by_id |= dict.fromkeys(_ids(head, "warc-record-id") | _ids(head, "warc-concurrent-to"), record.http_headers)
            elif record.rec_type in ("response", "revisit", "resource"):
                found = _fetch(record, path, offset)
                found.user_agent = default_agent
                if found.url.partition("://")[0].lower() in ("http", "https", "ftp"):
                    fetches.append((place, found))
    for place, found in fetches:
        request = next((by_id[i] for i in (found.record_id, *found.concurrent) if i in by_id), None)
        for url, headers in (by_place.get(place - 1, ("", None)), by_place.get(place + 1, ("", None))):
            request = request or (headers if url == found.url else None)
        if request:
            found.method = request.protocol if request.protocol.isalpha() else "GET"
            found.user_agent = request.get_header("User-Agent")
        found.token = product_token(found.user_agent)
    return [found for _, found in fetches]


def _ids(head, name):
    return {bare(value) for key, value in head.headers if key.lower() == name}


def read_all(paths):
    """read_all reads archives; a record that two of them hold counts once."""
    seen, fetches = set(), []
    for path in paths:
        for found in read(path):
            key = (found.record_id, found.url, found.time) if found.record_id else (path, found.offset)
            if key not in seen:
                seen.add(key)
                fetches.append(found)
    return fetches


def archives(paths):
    """archives expands folders to the archives in them."""
    for path in map(Path, paths):
        if path.is_dir():
            yield from sorted(p for p in path.rglob("*") if p.name.endswith((".warc", ".warc.gz", ".arc", ".arc.gz")))
        else:
            yield path
