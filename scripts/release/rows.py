"""Compares the tables of two output folders, row by row; prints the names of those that differ.

    rows.py OUT OUT
"""

import sys
from pathlib import Path

import pyarrow.parquet

one, other = map(Path, sys.argv[1:])
names = {path.name for folder in (one, other) for path in folder.glob("*.parquet")}
differ = [n for n in sorted(names) if not pyarrow.parquet.read_table(one / n).equals(pyarrow.parquet.read_table(other / n))]
print(*differ)
sys.exit(bool(differ))
