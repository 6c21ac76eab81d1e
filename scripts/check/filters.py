#!/usr/bin/env python3
"""Ask for the rows that have a value, with DataFusion and with Polars.

    filters.py DIR

Both, as Spark and Trino do, pass over row groups or pages whose bounds say that they don't hold a
value. Of each column one value is looked for: they must find the rows that pyarrow counts.
"""

import argparse
import sys
from pathlib import Path

import polars
import pyarrow
import pyarrow.compute as compute
import pyarrow.parquet as parquet
from datafusion import SessionConfig, SessionContext, column, literal


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    config = SessionConfig().set("datafusion.execution.parquet.pushdown_filters", "true")
    context = SessionContext(config.set("datafusion.execution.parquet.enable_page_index", "true"))
    done, wrong = 0, []
    for path in sorted(folder.glob("*.parquet")):
        rows, table, lazy = parquet.read_table(path), context.read_parquet(path), polars.scan_parquet(path)
        for name in rows.column_names:
            known = rows.column(name).drop_null()
            if len(known) == 0 or pyarrow.types.is_list(known.type):
                continue
            value = known[len(known) // 2]
            expected = compute.sum(compute.equal(known, value)).as_py()
            found = {
                "DataFusion": table.filter(column(f'"{name}"') == literal(value)).count(),
                "Polars": lazy.filter(polars.col(name) == polars.lit(value.as_py())).select(polars.len()).collect().item(),
            }
            done += 1
            wrong += [f"{reader}: {path.stem}.{name} = {value}: {n} rows, not {expected}" for reader, n in found.items() if n != expected]
    print("\n".join(wrong), end="\n" if wrong else "")
    print(f"filters: {done - len(wrong)} columns found by value, {len(wrong)} wrongly")
    sys.exit(1 if wrong or not done else 0)


if __name__ == "__main__":
    main()
