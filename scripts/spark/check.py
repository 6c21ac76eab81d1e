"""What try runs: audit.py on a cluster of processes, one of which is killed, and what Spark reads of
the result. Without --submitted it submits itself.

    check.py [--submitted] WORK ARCHIVES
"""

import contextlib
import glob
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pyspark
from pyspark.sql import SparkSession, types

HERE = os.path.dirname(os.path.abspath(__file__))


def submit(work, archives):
    home = os.path.dirname(pyspark.__file__)  # from which workers start executors
    environment = dict(os.environ, SPARK_HOME=home, PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable)
    os.chdir(work)
    command = [os.path.join(home, "bin", "spark-submit"), "--master", "local-cluster[2,1,1024]", "--conf", "spark.ui.enabled=false",
               "--files", os.path.join(work, "robotsaudit"), "--py-files", os.path.join(HERE, "audit.py"),
               os.path.abspath(__file__), "--submitted", work, archives]
    os.execve(command[0], command, environment)


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
        audit.main(spark, ["--shards", "10", "--ranges", "8", "--facts", facts, "-o", out, archives, "--", "--agent", "GPTBot"])
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
    spark.stop()


if __name__ == "__main__":
    if sys.argv[1] == "--submitted":
        check(*sys.argv[2:])
    else:
        submit(*sys.argv[1:])
