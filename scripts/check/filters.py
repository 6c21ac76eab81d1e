#!/usr/bin/env python3
"""Ask for the rows that have a value, with DataFusion.

    filters.py DIR

DataFusion, as Spark and Trino do, passes over pages whose bounds say that they don't hold a
value. Of each column one value is looked for: it must find the rows that pyarrow counts.
"""

import argparse
import sys
from pathlib import Path

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
        rows, table = parquet.read_table(path), context.read_parquet(path)
        for name in rows.column_names:
            known = rows.column(name).drop_null()
            if len(known) == 0 or pyarrow.types.is_list(known.type):
                continue
            value = known[len(known) // 2]
            found = table.filter(column(f'"{name}"') == literal(value)).count()
            expected = compute.sum(compute.equal(known, value)).as_py()
            done += 1
            if found != expected:
                wrong.append(f"{path.stem}.{name} = {value}: {found} rows, not {expected}")
    print("\n".join(wrong), end="\n" if wrong else "")
    print(f"filters: {done - len(wrong)} columns found by value, {len(wrong)} wrongly")
    sys.exit(1 if wrong or not done else 0)


if __name__ == "__main__":
    main()
