"""Audits without the pages beside audits of the whole archives, for index.py.

Rules say what is lost: (why, in which columns, whether in this row). What differs without a rule is a
mistake, and so is a rule that no row needs.
"""

import contextlib
import zipfile
from collections import Counter
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

import lib
from lib import SHARED, audit_list
from warc import ENDINGS

# With one crawler for all, no User-Agent is lost.
OPTIONS = ((), ("--crawler", "Wget"))


def table(out, name):
    """table gives the rows of a table of an audit, as dictionaries; times are text."""
    return [{k: str(v) if isinstance(v, datetime) else v for k, v in row.items()} for row in lib.table(out, name)]


def is_robots(url):
    return urlsplit(url).path == "/robots.txt"


def hops(out):
    """hops are the URLs to which those of robots.txt lead."""
    return {url for row in lib.table(out, "robots", "hop_urls") for url in row["hop_urls"] or ()}


class Whole:
    """The archives of a folder, what an audit of them gives, and copies with their robots.txt alone."""

    def __init__(self, binary, archives, tmp, prefix, indexes):
        self.binary, self.archives, self.out, self.parts, self.prefix = binary, archives, tmp / "whole", tmp / "robots", prefix
        self.indexes, self.known, self.types = indexes, {}, {}
        audit_list(binary, self.out, archives)
        self.fetches = table(self.out, "fetches")
        self.moved = {}  # the places of records, by those of their copies
        self.parts.mkdir()
        targets = hops(self.out)
        for archive in archives:
            self.copy(archive, targets)
        self.robots = [p for p in sorted(self.parts.iterdir()) if p.stat().st_size]

    def copy(self, archive, targets):
        """copy copies the records of robots.txt, and of what they redirect to, with the warcinfo."""
        data, places, name = archive.read_bytes(), {}, self.prefix + archive.name
        known = {f["warc_record_offset"] for f in self.fetches if Path(f["warc_filename"]).name == archive.name}
        behind = 0 if data.startswith(b"\x1f\x8b") else 4  # line ends, which warcio does not count where nothing is compressed
        with open(archive, "rb") as file, contextlib.suppress(ArchiveLoadFailed):
            records = ArchiveIterator(file, no_record_parse=True)
            for r in records:
                url = (r.rec_headers.get_header("WARC-Target-URI") or r.rec_headers.get_header("uri") or "").strip("<>")
                records.read_to_end(r)
                at = records.get_record_offset()
                self.types[archive.name, at] = r.rec_type
                if r.rec_type in ("warcinfo", "arc_header") or (is_robots(url) or url in targets) and (
                        r.rec_type not in ("response", "revisit", "resource") or at in known):
                    places[at] = records.get_record_length() + behind
        copy = bytearray()
        for at, length in sorted(places.items()):
            self.moved[name, len(copy)] = archive.name, at
            copy += data[at:at + length]
        (self.parts / name).write_bytes(copy)

    def place(self, name, offset):
        """place is where a record lies in the archives, of which name may be a copy."""
        name = Path(name)
        place = name.name, offset
        return self.moved[place] if name.parent == self.parts else place

    def results(self, options):
        """results are those of the whole archives, with options."""
        if options not in self.known:
            self.known[options] = self.audit(self.out, self.archives, options)
        return self.known[options]

    def audit(self, out, inputs, options):
        """audit gives the rows of an audit's tables by the places of the records in the archives."""
        audit_list(self.binary, out, inputs, *options)
        tables = {name: table(out, name) for name in ("robots", "fetches", "violations", "unproven")}
        captures = {r["robots_id"]: r for r in tables["robots"]}
        said = {n: (r["fetch_time"], r["outcome"], r["body_digest"]) for n, r in captures.items()}
        places = {n: self.place(r["warc_filename"], r["warc_record_offset"]) for n, r in captures.items()}
        issues = [(Path(r["warc_filename"]).name, r["offset"] or 0, r["length"] or 0, r["kind"]) for r in table(out, "issues")]
        found = {
            "robots": {}, "fetches": {}, "disallowed": {}, "again": [],
            "issues": lambda name, at: {kind for of, first, length, kind in issues if of == name and first <= at <= first + max(length, 0)},
        }
        for name, rows in tables.items():
            for row in rows:
                row["robots"] = said.get(row["robots_id"])
                for column in ("robots_id", "contested_robots_id"):
                    if row.get(column):
                        row[column] = places[row[column]]
                for column in ("", "body_", "robots_", "robots_body_", "contested_", "contested_body_"):
                    file, offset = column + "warc_filename", column + "warc_record_offset"
                    if row.get(file):
                        row[file], row[offset] = self.place(row[file], row[offset])
                rows = found["disallowed" if name in ("violations", "unproven") else name]
                if rows.setdefault((row["warc_filename"], row["warc_record_offset"]), row) is not row:
                    found["again"].append(row)
        return found


def wholes(binary, roots, tmp, prefix=""):
    """wholes are the folders below roots that hold archives, and the archives of each WACZ. prefix begins the names of copies."""
    folders = [(folder, ()) for folder in sorted({path.parent for root in roots for path in root.rglob("*") if path.name.endswith(ENDINGS)})]
    for wacz in sorted(path for root in roots for path in root.rglob("*.wacz")):
        folder = tmp / wacz.name
        try:
            with zipfile.ZipFile(wacz) as entries:
                entries.extractall(folder)
        except (zipfile.BadZipFile, RuntimeError): # damaged, or encrypted
            continue
        if (folder / "archive").is_dir():
            folders.append((folder / "archive", sorted(folder.glob("indexes/*.cdx*"))))
    for i, (folder, indexes) in enumerate(folders):
        here = tmp / f"folder{i}"
        here.mkdir()
        yield Whole(binary, sorted(path for path in folder.iterdir() if path.name.endswith(ENDINGS)), here, prefix, indexes)


class Comparison:
    """What differs, and the rules that say why."""

    def __init__(self, rules):
        self.rules = rules
        self.unexplained, self.lost, self.counts = [], Counter(), Counter()

    def row(self, name, want, got, subject=None, leave=()):
        """row compares the columns of two rows. subject is what rules are asked about; without one, nothing is lost."""
        for column, value in want.items():
            if column in leave or got[column] == value:
                continue
            for reason, columns, holds in self.rules:
                if subject and column in columns and holds(subject):
                    self.lost[reason, column] += 1
                    break
            else:
                self.unexplained.append(f"{name}: {column}: {value!r}, without the pages {got[column]!r}")

    def finish(self, roots, summary):
        """finish prints what was lost, and returns whether something differs without a reason."""
        for (reason, column), n in sorted(self.lost.items()):
            print(f"{n:6} {column}: {reason}")
        if SHARED / "warc" in roots:
            self.unexplained += [f"{column}: {reason}: nothing is lost any more; take the rule out"
                                 for reason, columns, _ in self.rules for column in columns if not self.lost[reason, column]]
        for text in self.unexplained:
            print(f"UNEXPLAINED: {text}")
        print(f"{summary}, {len(self.unexplained)} differences without a reason")
        return self.unexplained != []
