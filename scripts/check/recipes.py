"""Run every statement of docs/recipes.sql, each on an audit that has rows for it; look at times with every reader.

    recipes DATA

An error fails it, and so does a statement without a result, unless the comment before it says "(maybe none)". 'out' is
the audit DATA/testdata, and DATA/history in the section "Policies over time". docs/SCHEMA.md
("Times") says what DuckDB, pandas, polars and pyarrow need a setting or a package for: that must hold where the time
zone is not UTC, and without the package pytz. What the recipes write is compared with what it is made of: the CSV of
each table, the attributes of dolma documents, and annotations, which are joined to indexes as annotate.py of
commoncrawl/cc-index-annotations does (read as of 2026, after its commit 012c1984), in SQL of our own.
"""

import csv
import gzip
import importlib.util
import json
import os
import re
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

os.environ["TZ"] = "America/New_York"  # no recipe may depend on where it runs
time.tzset()

import duckdb
import pandas
import polars
import pyarrow.parquet as parquet
import yaml

from lib import ROOT, folder

FIRST = "select fetch_time from '{}' where fetch_time is not null order by fetch_time limit 1"
SERIES = "Policies over time"
LISTS = ("drop", "undecided", "keep")


def statements(text):
    """statements yields the section of each statement, its question and its code."""
    section, question, code = "", "", []
    for line in text.splitlines():
        if line.startswith("-- == "):
            section = line.removeprefix("-- == ")
        elif line.startswith("--"):
            question = line.removeprefix("--").strip()
        elif line:
            code.append(line)
            if line.endswith(";"):
                yield section, question, "\n".join(code)
                question, code = "", []
    if code:
        sys.exit(f"recipes: no ; at the end: {code}")


def wrong(db, question, code):
    """wrong runs a statement and says what is wrong with it, if anything is."""
    setting = code.startswith("SET ")
    if not setting and not question.endswith(("?", "? (maybe none)")):
        return "the line before it is no question"
    try:
        result = db.sql(code)
        if result is not None and len(result) == 0 and "(maybe none)" not in question:
            return "no rows"
    except duckdb.Error as error:
        return str(error)


def shown(folder):
    """shown yields what each reader makes of the earliest fetch, which must be a time in UTC."""
    path = folder / "fetches.parquet"
    yield "pyarrow", min(parquet.read_table(path)["fetch_time"].drop_null().to_pylist())
    yield "pandas", pandas.read_parquet(path)["fetch_time"].min().to_pydatetime()
    yield "polars", polars.read_parquet(path)["fetch_time"].min()
    db = duckdb.connect()
    db.execute("SET TimeZone = 'UTC'")
    query = FIRST.format(path)
    yield "DuckDB, text", datetime.fromisoformat(str(db.sql(query).select("fetch_time::varchar").fetchall()[0][0]))
    yield "DuckDB, df()", db.sql(query).df()["fetch_time"][0].to_pydatetime()
    yield "DuckDB, pl()", db.sql(query).pl()["fetch_time"][0]
    yield "DuckDB, to_arrow_table()", db.sql(query).to_arrow_table()["fetch_time"][0].as_py()
    naive = db.sql(query.replace("fetch_time from", "fetch_time at time zone 'UTC' as t from")).fetchall()[0][0]
    assert naive.tzinfo is None, f"AT TIME ZONE gives {naive!r}"
    yield "DuckDB, AT TIME ZONE", naive.replace(tzinfo=timezone.utc)


def check_times(tables):
    assert importlib.util.find_spec("pytz") is None, "pytz is there, so that this shows nothing"
    want = datetime.fromisoformat(json.loads((tables / "audit.json").read_text())["totals"]["first_fetch_time"])
    readers = dict(shown(tables))
    for name, moment in readers.items():
        assert (moment, moment.utcoffset().total_seconds()) == (want, 0), f"{name} shows {moment!r}, not {want}"
    try:
        duckdb.sql(FIRST.format(tables / "fetches.parquet")).fetchall()
    except duckdb.InvalidInputException as error:
        assert "pytz" in str(error), error
    else:
        raise AssertionError("fetchall() needs no pytz any more: say so in docs/SCHEMA.md")
    print(f"times: shown in UTC, without pytz, by {', '.join(readers)}")


def check_csv(statement, tables):
    for path in sorted(tables.glob("*.parquet")):
        duckdb.sql(statement.replace("out/violations.parquet", str(path)).replace("'violations.csv'", "'table.csv'"))
        with open("table.csv", encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file, strict=True))
        table = parquet.read_table(path)
        assert len(lines) == table.num_rows, f"{path}: {len(lines)} rows, not {table.num_rows}"
        for line, row in zip(lines, table.to_pylist()):
            assert line.keys() == row.keys(), f"{path}: other columns"
            for name, value in row.items():
                if value is None or isinstance(value, (str, int)) and not isinstance(value, bool):
                    text = "" if value is None else str(value)
                    formula = isinstance(value, str) and value.lstrip(" ").startswith(tuple("=+-@\t\r＝＋－＠"))
                    assert line[name] == "'" * formula + text, f"{path}: {name} is {line[name]}, not {value}"
    return len(list(tables.glob("*.parquet")))


def write_documents(path):
    """Documents of dolma: of each row of the list in another order, one of no row, and one twice."""
    ids = [id for (id,) in duckdb.sql("SELECT id FROM 'all.parquet' ORDER BY url DESC").fetchall()]
    documents = [{"id": id, "text": "ä" * i, "source": "x"} for i, id in enumerate([*ids, "of nothing", ids[0]])]
    path.parent.mkdir()
    with gzip.open(path, "wt") as file:
        file.writelines(json.dumps(document) + "\n" for document in documents)
    return documents


def check_attributes(documents):
    """Attributes must be what dolma documents: a line for each document, with its id and spans [start, end, score]."""
    with gzip.open("attributes.jsonl.gz", "rt") as file:
        lines = [json.loads(line) for line in file]
    assert len(lines) == len(documents), f"{len(lines)} lines for {len(documents)} documents"
    rows = {id: rest for id, *rest in duckdb.sql("SELECT id, list, reason FROM 'all.parquet'").fetchall()}
    for line, document in zip(lines, documents):
        span = [[0, len(document["text"]), 1.0]]
        names = rows.get(document["id"], ("undecided", "not_found"))
        want = {"id": document["id"], "source": "x", "attributes": {f"robotsaudit__export__{name}": span for name in names}}
        assert line == want, f"{line}, not {want}"


def check_annotations():
    join = yaml.safe_load(re.search(r"```yaml\n(table:.*?)```", (ROOT / "docs/SCHEMA.md").read_text(), re.S)[1])
    by_host = join["table"]["local"], "hosts.parquet", join["join_columns"]
    by_url = "annotation-by-url.parquet", "all.parquet", ["url_surtkey", "fetch_time", "crawl"]
    for annotation, index, keys in (by_host, by_url):
        rows = duckdb.sql(f"""
            SELECT {", ".join(join["right_columns"])}, list
            FROM (SELECT *, 'CC-MAIN-2026-17' AS crawl FROM '{index}') AS left_db
            LEFT OUTER JOIN read_parquet('{annotation}') AS right_db
              ON ({" AND ".join(f"left_db.{key} = right_db.{key}" for key in keys)})
            WHERE left_db.{keys[-2]} IS NOT NULL""")
        assert len(rows) == len(duckdb.sql(f"FROM '{index}' WHERE {keys[-2]} IS NOT NULL")), f"{annotation}: {len(rows)} rows of {index}"
        for *cells, own in rows.fetchall():
            row = dict(zip(join["right_columns"], cells))
            worse = row["robotsaudit_fetches"] > 1 and LISTS.index(row["robotsaudit_list"]) < LISTS.index(own)
            assert row["robotsaudit_list"] == own or worse, f"{annotation}: {row}, and it is in the list {own}"


def main(data: Path):
    data = data.resolve()
    check_times(data / "testdata")
    ran = failed = 0
    db = duckdb.connect()
    with folder() as work:
        os.chdir(work)
        for name in ("all.parquet", "hosts.parquet"):
            Path(name).symlink_to(data / name)
        documents = write_documents(Path("documents/0.jsonl.gz"))
        for section, question, code in statements((ROOT / "docs/recipes.sql").read_text()):
            Path("out").unlink(missing_ok=True)
            Path("out").symlink_to(data / ("history" if section.startswith(SERIES) else "testdata"))
            ran += 1
            if what := wrong(db, question, code):
                failed += 1
                print(f"{section}: {question}\n{code}\n  {what}")
            if "TO 'violations.csv'" in code:
                tables = check_csv(code, data / "testdata")
        check_attributes(documents)
        check_annotations()
        os.chdir(data)
    print(f"recipes: CSV of {tables} tables, attributes of {len(documents)} documents, annotations by host and URL: as the tables")
    print(f"recipes: {ran} statements, {failed} failures")
    return failed
