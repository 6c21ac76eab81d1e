"""Registers the tables of an audit in an Iceberg catalog. Files stay where they are, and as they are: the audit must
keep its place.

    register.py OUT CATALOG WAREHOUSE NAMESPACE

CATALOG is the URI of an SQL database, such as sqlite:////shared/catalog.db, WAREHOUSE the place of Iceberg's metadata,
such as file:///shared/warehouse. For another kind of catalog use load_catalog of pyiceberg in place of SqlCatalog.
"""

import glob
import json
import os
import sys

import pyarrow.parquet
from pyiceberg.catalog.sql import SqlCatalog


def register(catalog, out, namespace):
    catalog.create_namespace(namespace)
    with open(os.path.join(out, "audit.json")) as f:
        tables = json.load(f)["tables"]
    for name in tables:
        files = sorted(glob.glob(os.path.join(out, name, "*.parquet"))) or [os.path.join(out, name + ".parquet")]
        catalog.create_table((namespace, name), pyarrow.parquet.read_schema(files[0])).add_files(files)
    return tables


if __name__ == "__main__":
    output, uri, warehouse, space = sys.argv[1:]
    register(SqlCatalog("audit", uri=uri, warehouse=warehouse), os.path.abspath(output), space)
