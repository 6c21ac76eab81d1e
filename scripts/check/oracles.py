"""Reads archives with warcio and FastWARC and compares their fetches with ours.

    oracles BINARY ROOT...

Every file under the roots is audited on its own. What the other readers see as `response` and `revisit` records of
http, https and ftp URLs must be the rows of `fetches`: the same record types, URLs and statuses, as often. A reader is
asked only about the files that it reads whole: it raises no error, counts none, and every record is as long as it says.
Neither reads WACZ: they are given the archives in it. Where one differs nevertheless, KNOWN says who is right, and why;
an entry that no difference needs is an error too.
"""

import collections
import contextlib
import io
import subprocess
import tempfile
import zipfile
from pathlib import Path

from fastwarc.warc import ArchiveIterator as FastIterator
from warcio.archiveiterator import ArchiveIterator

from lib import bare, table

# Files that no reader here should be given: what they inflate to takes minutes.
BOMBS = {"bench.warc.bz2"}

SCHEMES = {"http", "https", "ftp"}

# (reader, file) -> who is right where its fetches differ from ours, and why.
TWICE = "the file holds one record (same id, date and content) several times: we count it once, and an issue says so"
KNOWN = {(reader, f"hard/{file}"): why for reader, why, files in (
    ("fastwarc", "FastWARC takes an empty gzip member for the end of the file", "cdx-writer/empty-gzips.warc.gz"),
    ("fastwarc", "the records have no Content-Type: FastWARC reads no HTTP head then", "other/forged-boundary.warc.gz"),
    ("fastwarc", TWICE, "jhove/invalid-warcfile-segment-number-response.warc jhove/invalid-warcrecord-2.warc"),
    ("warcio", TWICE, "jhove/invalid-warcfile-segment-number-response.warc jhove/invalid-warcrecord-2.warc"),
    ("warcio", "the content type holds a space, and warcio counts fields from the end: its URL has the address in it",
     "cdx-writer/alexa_charset_in_header.arc.gz"),
    ("warcio", "warcio reads a header that is not UTF-8 as Latin-1; the octets are the same, in our tables as %XX",
     "cdx-writer/chardet_failure_url.arc.gz cdx-writer/formfeed_in_url.arc.gz cdx-writer/non_ascii_url.arc.gz"),
    ("warcio", "a length of -2046788874: warcio takes the record for an empty one; we drop it, and an issue says so, for an empty "
     "robots.txt would allow all", "cdx-writer/negative_content_length.arc.gz"),
    ("warcio", "warcio writes %20 for the spaces; we keep URLs as recorded", "cdx-writer/space_in_target_uri.warc.gz"),
    ("warcio", "plain, with lengths of -1 and abc: warcio takes the records for empty ones and looks for the next header; "
     "a page can hold one, so we stop, and issues say so", "warcio/bad.arc"),
) for file in files.split()}


class NotWhole(Exception):
    """NotWhole says that a reader did not get to the end of a file."""


def fetch(kind, url, status):
    """fetch is a record as compared, None where it is no fetch."""
    url = bare(url) or ""
    if kind not in ("response", "revisit") or url.split(":", 1)[0].lower() not in SCHEMES:
        return None
    digits = str(status or "")
    return kind, url, int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 3 else None


def by_warcio(path):
    """by_warcio yields the records as warcio reads them."""
    with open(path, "rb") as file:
        records = ArchiveIterator(file)
        for record in records:
            headers, http = record.rec_headers, record.http_headers
            yield fetch(record.rec_type, headers.get_header("WARC-Target-URI") or headers.get_header("uri"),
                        http.get_statuscode() if http else None)
            while record.raw_stream.read(1 << 16):
                pass
            if record.raw_stream.limit > 0:
                raise NotWhole(f"a record ends {record.raw_stream.limit} octets early")
        if records.err_count or file.read(1):
            raise NotWhole(f"{records.err_count} errors")


def by_fastwarc(path):
    """by_fastwarc yields the records as FastWARC reads them."""
    for record in FastIterator(str(path), parse_http=False):
        if len(record.reader.read()) != int(record.headers.get("Content-Length", "-1")):
            raise NotWhole("a record ends early")
    for record in FastIterator(str(path), parse_http=True):
        yield fetch(record.headers.get("WARC-Type", "").lower(), record.headers.get("WARC-Target-URI"),
                    record.http_headers.status_code if record.http_headers else None)


READERS = {"warcio": by_warcio, "fastwarc": by_fastwarc}


def ours(binary, path):
    """ours audits a file and counts the rows of fetches."""
    with tempfile.TemporaryDirectory() as out:
        run = subprocess.run([binary, "audit", str(path), "-o", out], capture_output=True, check=False)
        if run.returncode not in (0, 3) or not Path(out, "fetches.parquet").exists():
            return collections.Counter()
        rows = table(out, "fetches", "record_type", "url", "fetch_status")
    kinds = {"arc": "response"}
    return collections.Counter((kinds.get(row["record_type"], row["record_type"]), row["url"], row["fetch_status"])
                               for row in rows if row["record_type"] != "resource")


def compare(name, reader, paths, mine):
    """compare returns (asked, difference): whether the reader reads all of the archives whole, and what it sees otherwise."""
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # warcio says there what it counts, too
            theirs = collections.Counter(f for path in paths for f in reader(path) if f)
    except Exception as failure:  # whatever a reader raises, it did not read the file whole
        return False, str(failure)
    lines = [f"  {name} alone: {row} x{n}" for row, n in (theirs - mine).items()]
    lines += [f"  we alone: {row} x{n}" for row, n in (mine - theirs).items()]
    return True, "\n".join(sorted(lines)[:8])


def files(roots):
    """files lists the files under the roots."""
    for root in map(Path, roots):
        for path in sorted(root.rglob("*")):
            if path.is_file() and path.name not in BOMBS and path.suffix not in (".jsonl", ".md"):
                yield path, path.relative_to(root).as_posix()


@contextlib.contextmanager
def archives(path):
    """archives gives the archives in a file: those in a WACZ, unpacked; else the file itself."""
    if not zipfile.is_zipfile(path):
        yield [path]
        return
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(path) as wacz:
        names = [name for name in wacz.namelist() if name.startswith("archive/")]
        yield [wacz.extract(name, folder) for name in names]


def main(binary, *roots):
    asked, wrong, used = collections.Counter(), 0, set()
    for path, relative in files(roots):
        mine = ours(binary, path)
        with archives(path) as inside:
            for name, reader in READERS.items():
                whole, difference = compare(name, reader, inside, mine)
                if not whole:
                    continue
                asked[name] += 1
                used.add((name, relative))
                if bool(difference) != ((name, relative) in KNOWN):
                    wrong += 1
                    print(f"{relative}: " + (f"differs from {name}\n{difference}" if difference else f"agrees with {name}; drop its entry"))
    for name, count in asked.items():
        excused = sum(1 for reader, relative in KNOWN if reader == name and (reader, relative) in used)
        print(f"{name}: read {count} files whole, {excused} of them differ for a known reason")
    return wrong
