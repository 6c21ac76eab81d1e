"""make/spark/audit.py on local-cluster[2,1,1024] and 200 archives gives the audit of one process; Spark reads all tables.

    spark BINARY

A master, two workers and an executor of each run here, as processes. The first attempt at each task is killed, and an
executor is killed at work. Needs a JDK (17 or later).
"""

import contextlib
import functools
import glob
import io
import json
import operator
import os
import signal
import subprocess
import sys
import threading
import time

import pyspark
from pyspark.sql import SparkSession, functions, types

from lib import ARCHIVES, ROOT, call, folder, script  # noqa: E402

ENVIRONMENT = "requirements-spark.txt"
LIMIT = 1800
# Shards take a while, so that an executor can be killed at work.
PROGRAM = """#!/bin/sh
mkdir "{work}/tried-$(echo "$*" | cksum | tr ' ' -)" 2>/dev/null && kill -KILL $$
case $1 in ingest) sleep 0.5 ;; esac
exec "{binary}" "$@"
"""


def main(binary):
    with folder() as work:
        program, archives = work / "robotsaudit", work / "archives"
        program.write_text(PROGRAM.format(work=work, binary=binary))
        program.chmod(0o755)
        script("make", "copies", 25, archives, *ARCHIVES)
        call(binary, "audit", archives, "-o", work / "one", "--agents", "GPTBot", "--quiet")
        done = submit(str(work), str(archives))
        print(done.stdout, end="")
        if done.returncode or "Lost executor" not in done.stderr:
            sys.exit(done.stderr)
        print(script("check", "same", work / "one", work / "out"), end="")
    print("ok    the stages that Spark runs give the audit of one process; every task was killed once, and an executor")


def submit(work, archives):
    home = os.path.dirname(pyspark.__file__)  # from which workers start executors
    environment = dict(os.environ, SPARK_HOME=home, PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable,
                       SPARK_LOCAL_IP="127.0.0.1", PYTHONPATH=str(ROOT / "scripts"))
    command = [os.path.join(home, "bin", "spark-submit"), "--master", "local-cluster[2,1,1024]", "--conf",
               "spark.ui.enabled=false",
               "--files", os.path.join(work, "robotsaudit"), "--py-files", str(ROOT / "scripts/make/spark/audit.py"),
               os.path.abspath(__file__), work, archives]
    return subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True)


def executors(pid):
    """The executors below a process."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    processes = [line.split(None, 2) for line in listed.splitlines()]
    below = [str(pid)]
    for parent in below:
        below += [number for number, above, _ in processes if above == parent]
    return [int(number) for number, _, arguments in processes if number in below and "CoarseGrainedExecutorBackend" in arguments]


def kill_an_executor(cluster, committed, killed):
    """Kills one of two executors once some shards are read."""
    while not killed:
        found = executors(cluster)
        if len(found) == 2 and len(glob.glob(committed)) >= 2:
            os.kill(found[0], signal.SIGKILL)
            killed.append(len(glob.glob(committed)))
        time.sleep(0.1)


def check(work, archives):
    import audit  # of --py-files

    facts, out = os.path.join(work, "facts"), os.path.join(work, "out")
    spark = SparkSession.builder.appName("robotsaudit").getOrCreate()
    killed = []
    threading.Thread(target=kill_an_executor, args=(os.getppid(), os.path.join(facts, "shards", "*.json"), killed), daemon=True).start()
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        audit.main(spark, ["--shards", "10", "--ranges", "8", "--facts", facts, "-o", out, archives, "--", "--agents", "GPTBot"])
    print(said.getvalue())
    assert killed and killed[0] < 10, "no executor was killed while shards were read"
    print("ok    an executor was killed when %d shards of 10 were read" % killed[0])
    with open(os.path.join(out, "audit.json")) as f:
        rows = json.load(f)["tables"]
    assert "".join("%s: %d rows\n" % counted for counted in sorted(rows.items())) in said.getvalue()
    tables = audit.tables(spark, out)
    fetches = dict((f.name, f.dataType) for f in tables["fetches"].schema)
    assert fetches["fetch_time"] == types.TimestampType(), fetches
    assert fetches["warc_record_offset"] == types.LongType(), fetches
    first = str(tables["fetches"].selectExpr("min(fetch_time)").first()[0])
    print("ok    Spark reads %d tables; the first fetch was at %s" % (len(tables), first))
    print("ok    Spark finds a row of each by what its columns hold, %d in all" % find(spark, os.path.join(work, "one")))
    spark.stop()


def find(spark, folder):
    """Looks in each table for the row in its midst, by all that it holds, and returns the number of columns."""
    spark.conf.set("spark.sql.codegen.wholeStage", False)  # compiling takes longer than reading such tables
    columns = 0
    for file in sorted(glob.glob(os.path.join(folder, "*.parquet"))):
        table = spark.read.parquet(file)
        rows = table.collect()
        if not rows:
            continue
        values = {c: v for c, v in rows[len(rows) // 2].asDict().items() if v is not None}
        found = table.where(functools.reduce(operator.and_, (functions.col(c) == functions.lit(v) for c, v in values.items()))).count()
        expected = sum(all(row[c] == v for c, v in values.items()) for row in rows)
        assert found == expected, "%s: %d rows, not %d, with %s" % (file, found, expected, values)
        columns += len(values)
    return columns


if __name__ == "__main__":  # submitted
    check(*sys.argv[1:])
