"""What try runs: audit.py on local[2], and what Spark reads of the result."""

import json
import os
import subprocess
import sys

import pyspark
from pyspark.sql import SparkSession, types

import audit


def main(work, archives):
    submit = os.path.join(os.path.dirname(pyspark.__file__), "bin", "spark-submit")
    here = os.path.dirname(os.path.abspath(__file__))
    out = os.path.join(work, "out")
    environment = dict(os.environ, PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable)
    subprocess.run(
        [submit, "--master", "local[2,3]", "--conf", "spark.ui.enabled=false", "--files", os.path.join(work, "robotsaudit"), os.path.join(here, "audit.py"),
         "--shards", "3", "--ranges", "4", "--facts", os.path.join(work, "facts"), "-o", out, archives, "--", "--agent", "GPTBot"],
        check=True, env=environment, stderr=open(os.path.join(work, "log"), "w"))
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    with open(os.path.join(out, "audit.json")) as f:
        rows = json.load(f)["tables"]
    tables = audit.tables(spark, out)
    assert {name: table.count() for name, table in tables.items()} == rows
    fetches = dict((f.name, f.dataType) for f in tables["fetches"].schema)
    assert fetches["fetch_time"] == types.TimestampType(), fetches
    assert fetches["warc_record_offset"] == types.LongType(), fetches
    first = str(tables["fetches"].selectExpr("min(fetch_time)").first()[0])
    print("ok    Spark reads %d tables; the first fetch was at %s" % (len(tables), first))


if __name__ == "__main__":
    main(*sys.argv[1:])
