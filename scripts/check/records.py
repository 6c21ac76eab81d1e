"""The records that a row cites, as warc.py reads them."""

import shutil
import tempfile
import zipfile
from datetime import timedelta
from functools import lru_cache
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

import warc
from lib import bare

_unpacked = tempfile.TemporaryDirectory(prefix="robotsaudit-check-")


def origin_and_path(url):
    origin, path = warc.split_url(url)
    return origin, path.encode("utf-8", "surrogateescape")


@lru_cache(maxsize=None)
def entry_file(wacz, entry):
    """entry_file unpacks an entry of a WACZ and gives the path of the copy."""
    copy = tempfile.NamedTemporaryFile(dir=_unpacked.name, suffix=Path(entry).name, delete=False)
    with copy, zipfile.ZipFile(wacz) as archives, archives.open(entry) as packed:
        shutil.copyfileobj(packed, copy)
    return Path(copy.name)


def record_at(archive, offset):
    """record_at reads the record at offset, None where there is none."""
    with open(archive, "rb") as stream:
        stream.seek(offset)
        for record in ArchiveIterator(stream):
            f = warc.read_fetch(record, record.rec_headers)
            f.id, f.run, f.body = bare(f.record_id), record.rec_headers.get_header("WARC-Warcinfo-ID"), warc.body_of(f).octets
            f.status = None if f.type == "resource" else f.status
            return f
    return None


def seconds_between(later, earlier):
    """seconds_between compares two records' dates at the coarser precision; parts of a second are cut."""
    return int(warc.difference(later.time, earlier.time).total_seconds())


def shown_later(record, milliseconds, than, headers):
    """shown_later: a record whose date is not after another's, but whose answer ended after it, or says so by its Date."""
    if 0 <= (milliseconds or -1) <= 600_000:
        if warc.difference(record.time.plus(timedelta(milliseconds=milliseconds)), than.time) > warc.NOTHING:
            return True
    if not headers or record.answered is None or than.answered is None or than.time.coarser_than_a_second():
        return False
    return seconds_between(than, record) > 0 and record.answered.start > than.answered.start \
        and abs(than.answered.start - than.time.start) < 6 * warc.SECOND and record.answered.start - record.time.start <= 600 * warc.SECOND
