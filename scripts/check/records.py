"""The records that a row cites, as warcio reads them."""

import shutil
import tempfile
import zipfile
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from functools import lru_cache
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from lib import bare

_BODY_CAP = 8 << 20
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_START = "0001-01-01T00:00:00"  # what a coarser date leaves out
_DEFAULT_PORTS = {"http": 80, "https": 443, "ftp": 21}


def origin_and_path(url):
    """origin_and_path splits a URL as recorded: no dot segment, byte or slash is touched."""
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


_unpacked = tempfile.TemporaryDirectory(prefix="robotsaudit-check-")


@lru_cache(maxsize=None)
def entry_file(wacz, entry):
    """entry_file unpacks an entry of a WACZ and gives the path of the copy."""
    copy = tempfile.NamedTemporaryFile(dir=_unpacked.name, suffix=Path(entry).name, delete=False)
    with copy, zipfile.ZipFile(wacz) as archives, archives.open(entry) as packed:
        shutil.copyfileobj(packed, copy)
    return Path(copy.name)


@dataclass(frozen=True)
class Record:
    """What the record at a place says of itself."""

    type: str
    id: str | None
    url: str | None
    date: str  # without its zone
    status: int | None
    body: bytes  # transfer and content codings undone
    run: str | None  # the warcinfo record that it names
    answered: int | None  # the Date of its answer, without an Age, as time

    @property
    def time(self):
        """time is the start of the date, in microseconds since 1970, UTC."""
        return moment(self.date + _START[len(self.date):])

    @property
    def coarse(self):
        """coarse: the date is coarser than a second."""
        return len(self.date) < len(_START)


def seconds_between(later, earlier):
    """seconds_between compares two records' dates at the coarser precision; parts of a second are cut."""
    same = min(len(later.date), len(earlier.date))
    cut = [moment(record.date[:same] + _START[same:]) for record in (later, earlier)]
    return int((cut[0] - cut[1]) / 1_000_000)


def shown_later(record, milliseconds, than, headers):
    """shown_later: a record whose date is not after another's, but whose answer ended after it, or says so by its Date."""
    if 0 <= (milliseconds or -1) <= 600_000:
        end = (_EPOCH + timedelta(microseconds=record.time + 1000 * milliseconds)).strftime("%Y-%m-%dT%H:%M:%S.%f")
        same = min(len(record.date), len(than.date))
        if end[:same] > than.date[:same]:
            return True
    if not headers or record.answered is None or than.answered is None or than.coarse:
        return False
    return seconds_between(than, record) > 0 and record.answered > than.answered \
        and abs(than.answered - than.time) < 6_000_000 and record.answered - record.time <= 600_000_000


def record_at(archive, offset):
    """record_at reads the record at offset, None where there is none."""
    with open(archive, "rb") as stream:
        stream.seek(offset)
        for record in ArchiveIterator(stream):
            head = record.rec_headers
            return Record(record.rec_type, bare(head.get_header("WARC-Record-ID")), bare(head.get_header("WARC-Target-URI")),
                          (head.get_header("WARC-Date") or "").strip().removesuffix("Z"), _status(record),
                          record.content_stream().read(_BODY_CAP), head.get_header("WARC-Warcinfo-ID"), _answered(record.http_headers))
    return None


def _answered(head):
    try:
        when = parsedate_to_datetime(head.get_header("Date"))
    except (AttributeError, TypeError, ValueError):
        return None
    return None if head.get_header("Age") else moment(when.isoformat())


def _status(record):
    if record.rec_type not in ("response", "revisit") or not record.http_headers:
        return None
    code = record.http_headers.get_statuscode()
    return int(code) if code and code.isdigit() else None


def archives(paths):
    """archives expands folders to the archives in them."""
    for path in map(Path, paths):
        if path.is_dir():
            yield from sorted(p for p in path.rglob("*") if p.name.endswith((".warc", ".warc.gz", ".arc", ".arc.gz")))
        else:
            yield path
