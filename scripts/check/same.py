"""Two audits are one, of stages or of one process: all rows of all tables, in their order.

    same ONE OUT
"""

import filecmp
import glob
import json
import os

import duckdb
import pyarrow
import pyarrow.compute
import pyarrow.parquet


def rows(out, table):
    """The rows of a table, in order; those of robots_id 0 in robots_agents may stand anywhere."""
    path = os.path.join(out, table)
    files = sorted(glob.glob(path + "/part-*.parquet")) or [path + ".parquet"]
    read = pyarrow.concat_tables([pyarrow.parquet.ParquetFile(f).read() for f in files])
    if table == "robots_agents":
        none = pyarrow.compute.equal(read["robots_id"], 0)
        read = pyarrow.concat_tables([read.filter(pyarrow.compute.invert(none)), read.filter(none)])
    return read


def differences(one, out):
    """How two outputs differ, and how many rows were compared."""
    found, compared = [], 0
    for name in ("audit.json", "report.html"):
        if not filecmp.cmp(os.path.join(one, name), os.path.join(out, name), shallow=False):
            found.append(name)
    with open(os.path.join(one, "audit.json")) as f:
        tables = json.load(f)["tables"]
    for table, count in tables.items():
        want, got = rows(one, table), rows(out, table)
        compared += want.num_rows
        if want.num_rows != count or not want.equals(got):
            found.append("table %s: %d and %d rows" % (table, want.num_rows, got.num_rows))
        if os.path.isdir(os.path.join(out, table)):
            by_name = duckdb.sql("SELECT count(*) FROM '%s/%s/*.parquet'" % (out, table)).fetchall()[0][0]
            if by_name != count:
                found.append("table %s: DuckDB reads %d rows of %d" % (table, by_name, count))
    return found, compared


def main(one, out):
    found, compared = differences(one, out)
    print("; ".join(found) or "the same %d rows" % compared)
    return found != []
