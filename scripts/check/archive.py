"""Reading the records that a row cites, with warcio."""

import shutil
import tempfile
import zipfile
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

_BODY_CAP = 8 << 20
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
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
    time: int | None  # microseconds since 1970, UTC
    coarse: bool  # the date is coarser than a second
    status: int | None
    body: bytes  # transfer and content codings undone


def record_at(archive, offset):
    """record_at reads the record at offset, None where there is none."""
    with open(archive, "rb") as stream:
        stream.seek(offset)
        for record in ArchiveIterator(stream):
            head = record.rec_headers
            date = head.get_header("WARC-Date")
            return Record(record.rec_type, bare(head.get_header("WARC-Record-ID")), bare(head.get_header("WARC-Target-URI")),
                          moment(date), len(date or "") < len("2025-01-01T00:00:00"), _status(record),
                          record.content_stream().read(_BODY_CAP))
    return None


def bare(text):
    """bare drops the angle brackets that some writers put around ids and URLs."""
    return text.strip().removeprefix("<").removesuffix(">") if text else None


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
