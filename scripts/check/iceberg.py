"""Tables that make/iceberg/register.py registers in a catalog are read by pyiceberg as they are: of one process, and of stages.

    iceberg BINARY
"""

import datetime
import os
import sys

import pyarrow
import pyarrow.compute
import pyarrow.parquet
from pyiceberg.catalog.sql import SqlCatalog

from lib import ROOT, TESTDATA, call, folder
from stages import Stages

sys.path.append(str(ROOT / "scripts/make/iceberg"))
from register import register  # noqa: E402

ENVIRONMENT = "requirements-iceberg.txt"


def read(out, name):
    """The rows of a table, as its files have them."""
    path = os.path.join(out, name)
    if not os.path.isdir(path):
        path += ".parquet"
    return pyarrow.parquet.read_table(path)


def main(binary):
    with folder() as work:
        one, stages = str(work / "one"), Stages(binary, str(work / "staged"), 2, 3, [TESTDATA])
        call(binary, "audit", TESTDATA, "-o", one, *stages.settings, "--quiet")
        stages.run()
        (work / "warehouse").mkdir()
        catalog = SqlCatalog("audit", uri=f"sqlite:///{work}/catalog.db", warehouse=f"file://{work}/warehouse")
        for space, out in ("one", one), ("staged", stages.out):
            compare(catalog, space, out)


def compare(catalog, space, out):
    for name, count in register(catalog, out, space).items():
        got, want = catalog.load_table((space, name)).scan().to_arrow(), read(out, name)
        assert got.num_rows == count and got.column_names == want.column_names, name
        assert got.equals(want.cast(got.schema)), name
    # A time, an enum and a number find their rows, and time zones stay.
    fetches, files = catalog.load_table((space, "fetches")), read(out, "fetches")
    middle = sorted(t for t in files["fetch_time"].to_pylist() if t)[files.num_rows // 2]
    assert middle.tzinfo is not None and middle > datetime.datetime(2000, 1, 1, tzinfo=datetime.timezone.utc)
    field = pyarrow.compute.field
    for where, these in (("fetch_time >= '%s'" % middle.isoformat(), field("fetch_time") >= pyarrow.scalar(middle)),
                         ("certainty == 'certain'", field("certainty") == "certain"),
                         ("fetch_status == 404", field("fetch_status") == 404)):
        got, want = fetches.scan(row_filter=where).to_arrow().num_rows, files.filter(these).num_rows
        assert 0 < got == want < files.num_rows, (where, got, want)
    print("ok    Iceberg reads the tables of %s as they are" % space)
