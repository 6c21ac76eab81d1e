"""A filter for pipelines of datatrove, which has to be installed, too: pip install 'robotsaudit[datatrove]'."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any, TypeAlias, Unpack

import duckdb
import numpy
from datatrove.data import Document
from datatrove.pipeline.filters.base_filter import BaseFilter
from datatrove.pipeline.writers.disk_base import DiskWriter

from ._audit import Audit
from ._options import flags, takes
from ._schema import ExportOptions, Place

LISTS = ("keep", "undecided", "drop")  # of several rows of one id, the worst counts
PART = 100_000  # rows that are written at a time
ROW = numpy.dtype([("check", "u8"), ("decision", "u2")])
Decision: TypeAlias = "tuple[str, str, str | None]"  # a list, the reason, its detail
NOT_FOUND: Decision = ("undecided", "not_found", None)


class RobotsFilter(BaseFilter):  # type: ignore[misc,unused-ignore]
    """
    Keeps the documents that the lists of an audit keep, and removes the others.

    A document is found by its `id`: the WARC-Record-ID, as in FineWeb, or that of the row in a list
    of URLs. Of several rows with one id, the worst counts. `undecided` is that of `Audit.export`:
    "keep", "drop", or by reason, as in `["drop", "tags_unknown=keep"]`. What stays undecided, as do
    documents that the audit does not have (`not_found`), is kept only with "keep". The metadata of
    every document gets `robots_list` (keep, undecided or drop), `robots_reason` and `robots_detail`,
    as in the lists: docs/SCHEMA.md.

    Making the filter makes the lists, with 18 bytes a row, in `folder`, by default the output of the
    audit, where tasks on all machines read them. The other options are as in `Audit.export`.
    """

    name = "🤖 robots.txt"

    @takes(ExportOptions)
    def __init__(self, audit: Audit | Place, *, folder: Place | None = None,
                 exclusion_writer: DiskWriter | None = None, **options: Unpack[ExportOptions]) -> None:
        super().__init__(exclusion_writer)  # pyright: ignore[reportArgumentType]
        audit = audit if isinstance(audit, Audit) else Audit(audit)
        undecided = options.get("undecided", "drop")
        self.keeps_undecided = "keep" in ([undecided] if isinstance(undecided, str) else undecided)
        self.lists = lists_of(audit, options, Path(folder or audit.output)).absolute()

    def filter(self, doc: Document) -> bool | tuple[bool, str]:
        name, reason, detail = self.found(doc.id)
        doc.metadata |= {"robots_list": name, "robots_reason": reason, "robots_detail": detail}
        return name == "keep" or name == "undecided" and self.keeps_undecided or (False, f"robots_{reason}")

    def found(self, name: str) -> Decision:
        """The list of an id, the reason and its detail."""
        keys, rows, decisions = self.opened
        digest = hashlib.md5(name.encode(), usedforsecurity=False).digest()
        key, check = (int.from_bytes(half, "little") for half in (digest[:8], digest[8:]))
        at = int(keys.searchsorted(numpy.uint64(key)))
        while at < len(keys) and keys[at] == key:
            if rows[at]["check"] == check:
                return decisions[int(rows[at]["decision"])]
            at += 1
        return NOT_FOUND

    @functools.cached_property
    def opened(self) -> tuple[Any, Any, list[Decision]]:
        """Keys, rows and decisions: files that are mapped, so that tasks share them."""
        decisions = json.loads((self.lists / "decisions.json").read_bytes())
        keys, rows = (numpy.memmap(self.lists / name, kind, "r") if decisions else numpy.empty(0, kind)
                      for name, kind in (("keys", numpy.dtype("u8")), ("rows", ROW)))
        return keys, rows, [(name, reason, detail) for name, reason, detail in decisions]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "opened"}


def lists_of(audit: Audit, options: ExportOptions, folder: Path) -> Path:
    """The folder of an audit's lists by the digests of ids, made where there is none."""
    made_of = [(audit.output / "audit.json").read_text(), *sorted(flags(dict(options)))]
    path = folder / f"robots-filter-{hashlib.sha256(json.dumps(made_of).encode()).hexdigest()[:16]}"
    if path.exists():
        return path
    with tempfile.TemporaryDirectory(dir=folder, prefix=".robots-filter-") as work:
        for name in LISTS:
            audit.export(**{**options, "list": name, "to": Path(work, f"{name}.parquet")})  # type: ignore[arg-type]
        (made := Path(work, "made")).mkdir()
        write_lists(Path(work), made)
        try:
            os.rename(made, path)
        except OSError:
            if not path.exists():  # another process was faster
                raise
    return path


def write_lists(work: Path, to: Path) -> None:
    """Writes lists as two arrays, sorted by key, and the decisions that rows refer to."""
    with duckdb.connect() as db:
        db.execute("SET temp_directory = ?", [str(work / "spilled")])
        db.execute("CREATE VIEW rows AS " + " UNION ALL ".join(
            f"SELECT {rank} AS rank, id, reason, detail FROM '{sql_text(work / name)}.parquet'"
            for rank, name in enumerate(LISTS)))
        decisions = db.execute("SELECT DISTINCT rank, reason, detail FROM rows ORDER BY ALL").fetchall()
        (to / "decisions.json").write_text(json.dumps([(LISTS[rank], *why) for rank, *why in decisions]))
        db.execute("CREATE TABLE decisions (decision INTEGER, rank INTEGER, reason VARCHAR, detail VARCHAR)")
        db.executemany("INSERT INTO decisions VALUES (?, ?, ?, ?)", [(n, *each) for n, each in enumerate(decisions)])
        result = db.execute("""
            SELECT md5_number_upper(id) AS key, md5_number_lower(id), max(decision)
            FROM rows JOIN decisions ON rows.rank = decisions.rank AND rows.reason = decisions.reason
                AND rows.detail IS NOT DISTINCT FROM decisions.detail
            WHERE id IS NOT NULL GROUP BY ALL ORDER BY key""")
        with (to / "keys").open("wb") as keys, (to / "rows").open("wb") as rows:
            while part := result.fetchmany(PART):
                numpy.array([key for key, _, _ in part], "u8").tofile(keys)
                numpy.array([row[1:] for row in part], ROW).tofile(rows)


def sql_text(path: Path) -> str:
    return str(path).replace("'", "''")
