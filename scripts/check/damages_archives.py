"""The archives to damage: small real ones as they are, and their records in every other container."""

import bz2
import dataclasses
import gzip
import io
import re
import shutil
import subprocess
import zipfile
import zlib

import lib
from warc import members

SHARED, OWN = lib.SHARED / "warc", lib.TESTDATA

MAX_MADE = 400_000  # bytes of records, uncompressed, that a made archive holds
MAX_FOUND = 300_000  # bytes of an archive that is taken as it is
MAX_CONTENT = 10_000_000  # bytes that it holds: leaves out bombs
RECORDS_A_MEMBER = 10

MEMBERS, MANY, STREAM = "gzip, a member a record", "gzip, members of 10 records", "gzip, one stream"
FRAMES, FRAME, UNCHECKED = "zstd, a frame a record", "zstd, one frame", "zstd, a frame a record, no checksums"
BZIP2 = "bzip2"
PLAIN, ARC_MEMBERS, ARC_PLAIN = "WARC, uncompressed", "ARC, gzip, a member a record", "ARC, uncompressed"
STORED, STORED_PLAIN, DEFLATED = "WACZ, stored gzip", "WACZ, stored uncompressed", "WACZ, deflated"
CONTAINERS = [MEMBERS, MANY, STREAM, FRAMES, FRAME, UNCHECKED, BZIP2, PLAIN, ARC_MEMBERS, ARC_PLAIN, STORED, STORED_PLAIN, DEFLATED]

RECORD_IS_MEMBER = {MEMBERS, FRAMES, ARC_MEMBERS, STORED}
UNCOVERED = {PLAIN, ARC_PLAIN, STORED_PLAIN, UNCHECKED}  # no checksum covers the headers of their records


@dataclasses.dataclass(frozen=True)
class Archive:
    name: str  # of the file that it was made from, or is
    container: str
    suffix: str
    data: bytes
    made: bool
    ends: frozenset = frozenset()  # where records end: a cut there leaves a whole archive


def is_record(content):
    """is_record tells whether content is one WARC or ARC record, by its own length."""
    if content.startswith(b"WARC/"):
        header, found, _ = content.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\ncontent-length:\s*(\d+)", header)
        return bool(found and length) and len(content) == len(header) + 4 + int(length[1]) + 4
    line, found, block = content.partition(b"\n")
    length = line.rsplit(b" ", 1)[-1].strip()
    return bool(found) and length.isdigit() and 0 <= len(block) - int(length) <= 1


def arc_ends(data):
    """arc_ends returns where the records of an uncompressed ARC end, the version block among them."""
    ends, at = set(), 0
    while found := re.compile(rb"\n*\S+ [^\n]* (\d+)\n").match(data, at):
        at = found.end() + int(found[1])
        ends.add(at)
    return frozenset(ends)


def zstd(content, *options):
    """zstd returns a zstd frame with a checksum, as zstd's own program writes it, or with --no-check one without."""
    return subprocess.run(["zstd", "-q", "-c", *options], input=content, stdout=subprocess.PIPE, check=True).stdout


def concatenated(pieces):
    """concatenated returns the pieces as one, and where each ends."""
    data, ends = io.BytesIO(), set()
    for piece in pieces:
        data.write(piece)
        ends.add(data.tell())
    return data.getvalue(), frozenset(ends)


def packed(name, content, method):
    """packed returns a WACZ with one archive."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as wacz:
        wacz.writestr(zipfile.ZipInfo("archive/" + name), content, method)
        wacz.writestr(zipfile.ZipInfo("datapackage.json"), b'{"profile": "data-package", "wacz_version": "1.1.1"}', method)
    return data.getvalue()


def warc_forms(name, records):
    """warc_forms returns an archive of the records in every container for WARC."""
    def member(content):
        return gzip.compress(content, mtime=0)

    whole = concatenated(records)
    plain = whole[0]
    groups = [b"".join(records[i:i + RECORDS_A_MEMBER]) for i in range(0, len(records), RECORDS_A_MEMBER)]
    gzipped, ends = concatenated(map(member, records))
    forms = [
        (MEMBERS, ".warc.gz", (gzipped, ends)),
        (MANY, ".warc.gz", concatenated(map(member, groups))),
        (STREAM, ".warc.gz", (member(plain), frozenset())),
        (BZIP2, ".warc.bz2", (bz2.compress(plain), frozenset())),
        (PLAIN, ".warc", whole),
        (STORED, ".wacz", (packed("data.warc.gz", gzipped, zipfile.ZIP_STORED), frozenset())),
        (STORED_PLAIN, ".wacz", (packed("data.warc", plain, zipfile.ZIP_STORED), frozenset())),
        (DEFLATED, ".wacz", (packed("data.warc.gz", gzipped, zipfile.ZIP_DEFLATED), frozenset())),
        (DEFLATED, ".wacz", (packed("data.warc", plain, zipfile.ZIP_DEFLATED), frozenset())),
    ]
    if shutil.which("zstd"):
        forms += [(FRAMES, ".warc.zst", concatenated(map(zstd, records))),
            (FRAME, ".warc.zst", (zstd(plain), frozenset())),
            (UNCHECKED, ".warc.zst", concatenated(zstd(r, "--no-check") for r in records))]
    for container, suffix, (data, ends) in forms:
        yield Archive(name, container, suffix, data, True, ends)


def arc_forms(name, records):
    """arc_forms does the same for ARC."""
    data, ends = concatenated(gzip.compress(r, mtime=0) for r in records)
    yield Archive(name, ARC_MEMBERS, ".arc.gz", data, True, ends)
    data, ends = concatenated(records)
    yield Archive(name, ARC_PLAIN, ".arc", data, True, ends)


def found(path):
    """found returns the archive at path as it is, or None if it is of no container of the table, or too large."""
    data = path.read_bytes()
    if len(data) > MAX_FOUND:
        return None
    if path.suffix == ".wacz":
        try:
            entries = [e for e in zipfile.ZipFile(path).infolist() if e.filename.startswith("archive/")]
        except zipfile.BadZipFile:
            return None
        if any(e.compress_type != zipfile.ZIP_STORED for e in entries):
            container = DEFLATED
        else:
            container = STORED if all(e.filename.endswith(".gz") for e in entries) else STORED_PLAIN
        return Archive(path.name, container, ".wacz", data, False)
    if data.startswith(b"WARC/"):
        return Archive(path.name, PLAIN, ".warc", data, False)
    if data.startswith(b"filedesc:"):
        return Archive(path.name, ARC_PLAIN, ".arc", data, False, arc_ends(data))
    if not data.startswith(b"\x1f\x8b"):
        return None
    try:
        parts = list(members(data, MAX_CONTENT))
    except zlib.error:
        return None
    if not all(is_record(content) for content, _ in parts):
        return None
    arc = parts[0][0].startswith(b"filedesc:")
    ends = frozenset(end for _, end in parts)
    return Archive(path.name, ARC_MEMBERS if arc else MEMBERS, ".arc.gz" if arc else ".warc.gz", data, False, ends)


def records_of(path):
    """records_of returns the first records of a file with a gzip member for each."""
    records, size = [], 0
    for content, _ in members(path.read_bytes(), MAX_CONTENT):
        size += len(content)
        if size > MAX_MADE:
            break
        records.append(content)
    return records


def all_archives():
    """all_archives returns the archives to damage, by container."""
    bases = [OWN / name for name in ("crawl-a-2.warc.gz", "crawl-b-1.warc.gz", "crawl-c-2.warc.gz", "crawl-c-3.warc.gz")]
    arcs, others = [], []
    if SHARED.is_dir():
        real = SHARED / "real"
        bases += [real / name for name in ("aut-example.warc.gz", "commoncrawl-2024-whirlwind.warc.gz", "iipc-IAH-urls-wget.warc.gz",
                                           "warcbench-fb.warc.gz")]
        arcs = [real / "aut-example.arc.gz", SHARED / "hard" / "cdx-writer" / "10_digit_date.arc.gz"]
        others = sorted(p for p in SHARED.rglob("*") if p.is_file())
    archives = []
    for path in bases:
        archives += warc_forms(path.name, records_of(path))
    for path in arcs:
        archives += arc_forms(path.name, records_of(path))
    archives += filter(None, map(found, others))
    return {container: of for container in CONTAINERS if (of := [a for a in archives if a.container == container])}
