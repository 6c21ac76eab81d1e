"""What the lists of an audit say of a document, found by its id in files that processes share."""

from __future__ import annotations

import bisect
import functools
import glob
import hashlib
import json
import mmap
import os
import tempfile
from array import array
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ._options import flags

if TYPE_CHECKING:
    from ._audit import Audit

LISTS = ("keep", "undecided", "drop")  # of several rows of one id, the worst counts
WRITTEN = ("by", "format")
"""Options of export that say what is written; the others decide, and are those of all three lists."""
PART = 100_000  # rows that are written at a time
COLUMNS = {"keys": "Q", "checks": "Q", "decisions": "H"}  # the two halves of a digest, the number of a decision


class Decision(NamedTuple):
    """What the lists say of a document."""

    list: str
    """keep, undecided or drop."""
    reason: str
    """docs/SEMANTICS.md lists them; not_found where the audit does not have the document."""
    detail: str | None


NOT_FOUND = Decision("undecided", "not_found", None)


class Lookup:
    """
    The three lists of an audit by the ids of documents: `lookup["<urn:uuid:…>"].list`.

    It can be sent to other processes: what they read are files, 18 bytes a row, mapped once for all.
    """

    path: Path
    """The folder of the files."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __getitem__(self, id: str | int) -> Decision:
        keys, checks, decisions, meaning = self.opened
        key, check = digest_of(str(id))
        at = bisect.bisect_left(keys, key)
        while at < len(keys) and keys[at] == key:
            if checks[at] == check:
                return meaning[decisions[at]]
            at += 1
        return NOT_FOUND

    @functools.cached_property
    def opened(self) -> tuple[memoryview, memoryview, memoryview, list[Decision]]:
        keys, checks, decisions = (mapped(self.path / name, kind) for name, kind in COLUMNS.items())
        return keys, checks, decisions, [Decision(*row) for row in json.loads((self.path / "meaning.json").read_bytes())]

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path}


def digest_of(id: str) -> tuple[int, int]:
    """The MD5 of an id as DuckDB's md5_number_upper and md5_number_lower."""
    digest = hashlib.md5(id.encode(), usedforsecurity=False).digest()
    return int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little")


def mapped(path: Path, kind: str) -> memoryview:
    if not path.stat().st_size:
        return memoryview(array(kind))
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)).cast(kind)  # type: ignore[call-overload,no-any-return]


def lookup_of(audit: Audit, folder: Path, options: dict[str, Any]) -> Lookup:
    """The lookup of an audit's lists, made where there is none of the same audit and options."""
    made_of = [(audit.output / "audit.json").read_text(), *sorted(flags(options))]
    path = folder.absolute() / f"robots-lists-{hashlib.sha256(json.dumps(made_of).encode()).hexdigest()[:16]}"
    if path.exists():
        return Lookup(path)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".robots-lists-") as work:
        audit.export("all", Path(work, "all.parquet"), **options)
        (made := Path(work, "made")).mkdir()
        write(Path(work), made)
        try:
            os.rename(made, path)
        except OSError:
            if not path.exists():  # another process was faster
                raise
    return Lookup(path)


def write(work: Path, to: Path) -> None:
    """Writes lists as columns, sorted by key, and the decisions that their numbers mean."""
    import duckdb

    with duckdb.connect() as db:  # on the disk, it could not be below every name of a folder
        db.execute("SET temp_directory = ?", [str(work / "spilled")])
        db.execute("SET memory_limit = '128MB'")  # more is on the disk
        db.execute("SET threads = 2")  # each holds some of that
        db.execute(f"""
            CREATE VIEW rows AS
            SELECT list_position({[*LISTS]}, list) - 1 AS rank, id, reason, detail FROM '{sql_text(work / "all.parquet")}'""")
        db.execute("""
            CREATE TABLE meaning AS
            SELECT row_number() OVER (ORDER BY rank, reason, detail) - 1 AS decision, *
            FROM (SELECT DISTINCT rank, reason, detail FROM rows)""")
        meaning = db.execute("SELECT rank, reason, detail FROM meaning ORDER BY decision").fetchall()
        (to / "meaning.json").write_text(json.dumps([(LISTS[rank], *why) for rank, *why in meaning]))
        db.execute("""
            CREATE TABLE digests AS
            SELECT md5_number_upper(id) AS key, md5_number_lower(id) AS "check", decision
            FROM rows JOIN meaning ON rows.rank = meaning.rank AND rows.reason = meaning.reason
                AND rows.detail IS NOT DISTINCT FROM meaning.detail
            WHERE id IS NOT NULL""")
        db.execute("CREATE TABLE sorted AS FROM digests ORDER BY key, decision DESC")  # of one id, the worst comes first
        for name in COLUMNS:
            (to / name).touch()
        result = db.execute("FROM sorted")
        while part := result.fetchmany(PART):
            for (name, kind), column in zip(COLUMNS.items(), zip(*part, strict=True), strict=True):
                with (to / name).open("ab") as file:
                    array(kind, column).tofile(file)


def sql_text(path: Path) -> str:
    """A path in SQL, where a name of a file is a pattern."""
    return glob.escape(str(path)).replace("'", "''")
