"""Read tables with DuckDB, pyarrow, Polars and DataFusion, and look in them for rows by value.

    tables DIR

TestRandomTables in ./internal/parquetwriter makes the tables (ROBOTSAUDIT_TABLES=DIR), and the rows of each as JSON
lines: every value must come back. Columns, those with bounds above all, are then asked for values that they have or have not: by =,
<, > or IS NULL a reader must find as many rows as there are, although it passes over row groups and pages whose bounds
exclude a value.
"""

import json
import random
import struct
from pathlib import Path

import duckdb
import polars
import pyarrow
import pyarrow.dataset as dataset
import pyarrow.parquet as parquet
from datafusion import SessionConfig, SessionContext, column, literal

from lib import Tally

COMPARE = {"=": lambda a, b: a == b, "<": lambda a, b: a < b, ">": lambda a, b: a > b}
NULL_WHERE_ZERO = {"url_host_registered_domain", "known", "line", "offset"}
TIMES = {"fetch_time", "when"}
BOUNDED = {"url", "url_host_name", "url_host_registered_domain", "origin", "fetch_time", "robots_id"}


def truth(path, names):
    """truth is what a table must have, by column. The fields of a row are in the order of columns, but Double, which is last."""
    columns = {name: [] for name in names}
    for line in open(path, encoding="utf-8", newline="\n"):
        values = list(json.loads(line).values())
        values.insert(names.index("double"), values.pop())
        for name, value in zip(names, values, strict=True):
            if name == "double" and value is not None:
                value = struct.unpack(">d", bytes.fromhex(value))[0]
            elif name in ("list", "pairs"):
                value = value or []
            columns[name].append(None if name in NULL_WHERE_ZERO and not value else value)
    return columns


def comparable(values):
    """comparable tells -0 from 0, and holds NaN for NaN. Texts compare by their bytes."""
    def one(value):
        if isinstance(value, float):
            return "NaN" if value != value else struct.pack(">d", value)
        return value
    return [one(value) for value in values]


def plain(table):
    """plain is the columns of an Arrow table, of times their microseconds."""
    return {name: (table[name].cast(pyarrow.int64()) if name in TIMES else table[name]).to_pylist() for name in table.column_names}


def key(value):
    return value.encode() if isinstance(value, str) else value


def probes(values, chance):
    """probes are values of a column, and others next to them."""
    known = sorted({value for value in values if value is not None}, key=key)
    if not known:
        return []
    picked = {known[0], known[-1], chance.choice(known)}
    if isinstance(known[0], str):
        return sorted(picked | {known[-1] + "z", chance.choice(known)[:-1]}, key=key)
    return sorted(picked | {min(known[-1], 2**14) + 1, max(known[0], -(2**14)) - 1})


class Readers:
    """Readers count the rows of a table by a comparison of a column; without a value, the rows that have none."""

    def __init__(self, path):
        self.path, self.types = path, parquet.read_schema(path)
        config = SessionConfig().set("datafusion.execution.parquet.pushdown_filters",
                                     "true").set("datafusion.execution.target_partitions", "1")
        self.context = SessionContext(config.set("datafusion.execution.parquet.enable_page_index", "true"))
        self.db = duckdb.connect(config={"threads": 1})
        self.db.execute("set TimeZone = 'UTC'")
        self.opened = {"DataFusion": self.context.read_parquet(path), "Polars": polars.scan_parquet(path), "pyarrow": dataset.dataset(path)}

    def all(self):
        yield "pyarrow", plain(parquet.read_table(self.path, page_checksum_verification=True))
        yield "Polars", plain(polars.read_parquet(self.path).to_arrow())
        yield "DuckDB", plain(self.db.sql(f"from read_parquet('{self.path}')").to_arrow_table())
        frame = self.opened["DataFusion"]
        yield "DataFusion", plain(pyarrow.Table.from_batches(frame.collect(), schema=frame.schema()))

    def count(self, name, sign, value):
        typed = value
        if value is not None:
            typed = pyarrow.scalar(value, pyarrow.int64()).cast(self.types.field(name).type) if name in TIMES else \
                pyarrow.scalar(value, self.types.field(name).type)
        test = COMPARE.get(sign)
        field = column(f'"{name}"')
        yield "DataFusion", self.opened["DataFusion"].filter(test(field, literal(typed)) if test else field.is_null()).count()
        field = dataset.field(name)
        yield "pyarrow", self.opened["pyarrow"].count_rows(filter=test(field, typed) if test else field.is_null())
        field = polars.col(name)
        kind = self.opened["Polars"].collect_schema()[name]
        wanted = polars.lit(value, dtype=polars.Int64).cast(kind) if name in TIMES else polars.lit(value, dtype=kind)
        frame = self.opened["Polars"].filter(test(field, wanted) if test else field.is_null())
        yield "Polars", frame.select(polars.len()).collect().item()
        asked = "make_timestamptz(?::bigint)" if name in TIMES else "?"
        where = f'"{name}" {sign} {asked}' if test else f'"{name}" is null'
        yield "DuckDB", self.db.execute(f"select count(*) from read_parquet('{self.path}') where {where}", [value]
                                        if test else []).fetchone()[0]


def all_values(path, readers, tally, chance):
    """all_values compares a random table with its rows, and looks for values that it has or has not."""
    rows = truth(path.with_suffix(".jsonl"), readers.types.names)
    for reader, columns in readers.all():
        for name, values in rows.items():
            tally.equal(f"{reader}: the values of {path.stem}.{name}", comparable(columns[name]) == comparable(values), True)
    for name, values in rows.items():
        if name in ("bool", "maybe_bool", "list", "pairs", "double"):  # they have no bounds, and readers differ in NaN
            continue
        asked = [(chance.choice(list(COMPARE)), value) for value in probes(values, chance)]
        asked = asked if name in BOUNDED else asked[:1]
        for sign, value in asked + [(None, None)] * (None in values):
            want = sum(COMPARE[sign](key(v), key(value)) for v in values if v is not None) if sign else values.count(None)
            for reader, got in readers.count(name, sign, value):
                tally.equal(f"{reader}: {path.stem}.{name} {sign or 'is null'} {value!r:.80}, rows", got, want)


def main(tables: Path):
    tally, chance = Tally(), random.Random(1)
    for path in sorted(tables.glob("*.parquet")):
        all_values(path, Readers(str(path)), tally, chance)
    print(f"tables: {tally.done - tally.failed} answers of readers hold, {tally.failed} do not")
    return tally.failed or not tally.done
