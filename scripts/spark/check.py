"""What try runs: audit.py on a cluster of processes, one of which is killed, and what Spark reads of
the result."""

import glob
import json
import os
import signal
import subprocess
import sys
import time

import pyspark
from pyspark.sql import SparkSession, types

import audit


def descendants(pid):
    """The processes below one, as numbers and command lines."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    below = {pid}
    found = []
    for line in sorted(listed.splitlines(), key=lambda line: int(line.split()[0])):
        number, parent, arguments = line.split(None, 2)
        if int(parent) in below:
            below.add(int(number))
            found.append((int(number), arguments))
    return found


def kill_an_executor(process, committed):
    """Kills one of the executors below a process once some shards are read."""
    while process.poll() is None:
        executors = [pid for pid, arguments in descendants(process.pid) if "CoarseGrainedExecutorBackend" in arguments]
        if len(executors) == 2 and len(glob.glob(committed)) >= 2:
            os.kill(executors[0], signal.SIGKILL)
            process.wait()
            return
        time.sleep(0.1)
    sys.exit("Spark ended, or its two executors did not begin, before one was to be killed")


def main(work, archives):
    submit = os.path.join(os.path.dirname(pyspark.__file__), "bin", "spark-submit")
    here = os.path.dirname(os.path.abspath(__file__))
    out = os.path.join(work, "out")
    environment = dict(os.environ, PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable)
    environment["SPARK_HOME"] = os.path.dirname(pyspark.__file__)  # from which workers start executors
    log = os.path.join(work, "log")
    with open(log, "w") as f:
        process = subprocess.Popen(
            [submit, "--master", "local-cluster[2,1,1024]", "--conf", "spark.ui.enabled=false", "--files", os.path.join(work, "robotsaudit"),
             os.path.join(here, "audit.py"), "--shards", "10", "--ranges", "8", "--facts", os.path.join(work, "facts"), "-o", out,
             archives, "--", "--agent", "GPTBot"], env=environment, stderr=f, cwd=work)
    kill_an_executor(process, os.path.join(work, "facts", "shards", "*.json"))
    with open(log) as f:
        said = f.read()
    if process.wait() != 0:
        sys.exit(said)
    assert "Lost executor" in said, said
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
