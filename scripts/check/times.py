"""Show how DuckDB, pandas, polars and pyarrow see the times of an audit.

    times DIR

docs/SCHEMA.md ("Times") says what needs a setting or a package. It must hold on a machine
whose time zone is not UTC, and without the package pytz.
"""

import importlib.util
import json
import os
import time
from datetime import datetime, timezone
from pathlib import Path

os.environ["TZ"] = "Asia/Tokyo"
time.tzset()

import duckdb
import pandas
import polars
import pyarrow.parquet as parquet

QUERY = "select fetch_time from '{}' where fetch_time is not null order by fetch_time limit 1"


def shown(folder):
    """shown yields what each reader makes of the earliest fetch, which must be a time in UTC."""
    path = folder / "fetches.parquet"
    yield "pyarrow", min(parquet.read_table(path)["fetch_time"].drop_null().to_pylist())
    yield "pandas", pandas.read_parquet(path)["fetch_time"].min().to_pydatetime()
    yield "polars", polars.read_parquet(path)["fetch_time"].min()
    db = duckdb.connect()
    db.execute("SET TimeZone = 'UTC'")
    query = QUERY.format(path)
    yield "DuckDB, text", datetime.fromisoformat(str(db.sql(query).select("fetch_time::varchar").fetchall()[0][0]))
    yield "DuckDB, df()", db.sql(query).df()["fetch_time"][0].to_pydatetime()
    yield "DuckDB, pl()", db.sql(query).pl()["fetch_time"][0]
    yield "DuckDB, to_arrow_table()", db.sql(query).to_arrow_table()["fetch_time"][0].as_py()
    naive = db.sql(query.replace("fetch_time from", "fetch_time at time zone 'UTC' as t from")).fetchall()[0][0]
    assert naive.tzinfo is None, f"AT TIME ZONE gives {naive!r}"
    yield "DuckDB, AT TIME ZONE", naive.replace(tzinfo=timezone.utc)


def main(tables: Path):
    assert importlib.util.find_spec("pytz") is None, "pytz is there, so that this shows nothing"
    want = datetime.fromisoformat(json.loads((tables / "audit.json").read_text())["totals"]["first_fetch_time"])
    readers = dict(shown(tables))
    for name, moment in readers.items():
        assert (moment, moment.utcoffset().total_seconds()) == (want, 0), f"{name} shows {moment!r}, not {want}"
    try:
        duckdb.sql(QUERY.format(tables / "fetches.parquet")).fetchall()
    except duckdb.InvalidInputException as error:
        assert "pytz" in str(error), error
    else:
        raise AssertionError("fetchall() needs no pytz any more: say so in docs/SCHEMA.md")
    print(f"times: shown in UTC, without pytz, by {', '.join(readers)}")
