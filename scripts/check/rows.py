"""The tables of two output folders have the same rows; the names of those that do not are printed.

    rows OUT OUT
"""

from pathlib import Path

import pyarrow.parquet


def main(one: Path, other: Path):
    names = {path.name for folder in (one, other) for path in folder.glob("*.parquet")}
    differ = [n for n in sorted(names) if not pyarrow.parquet.read_table(one / n).equals(pyarrow.parquet.read_table(other / n))]
    print(*differ)
    return differ != []
