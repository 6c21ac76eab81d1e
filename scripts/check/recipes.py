"""Run every statement of docs/recipes.sql, each on an audit that has rows for it; look at times with every reader.

    recipes DATA

An error fails it, and so does a statement without a result, unless the comment before it says "(maybe none)". 'out' is
the audit DATA/testdata, and DATA/history in the section "Policies over time". docs/SCHEMA.md
("Times") says what DuckDB, pandas, polars and pyarrow need a setting or a package for: that must hold where the time
zone is not UTC, and without the package pytz.
"""

import importlib.util
import json
import os
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

from lib import ROOT, folder

FIRST = "select fetch_time from '{}' where fetch_time is not null order by fetch_time limit 1"
SERIES = "Policies over time"


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


def main(data: Path):
    data = data.resolve()
    check_times(data / "testdata")
    ran = failed = 0
    db = duckdb.connect()
    with folder() as work:
        os.chdir(work)
        Path("ranks.csv").symlink_to(data / "sites/ranks.csv")
        for section, question, code in statements((ROOT / "docs/recipes.sql").read_text()):
            Path("out").unlink(missing_ok=True)
            Path("out").symlink_to(data / ("history" if section.startswith(SERIES) else "testdata"))
            ran += 1
            if what := wrong(db, question, code):
                failed += 1
                print(f"{section}: {question}\n{code}\n  {what}")
        os.chdir(data)
    print(f"recipes: {ran} statements, {failed} failures")
    return failed
