"""An audit in stages (docs/SCALE.md) as a Spark application: each task runs the program.

    spark-submit --files robotsaudit scripts/make/spark/audit.py --shards 50 --ranges 128 \\
        --facts /shared/facts -o /shared/out archives/ -- --agents ai

FACTS and OUT are folders that all executors share, or s3://BUCKET/PREFIX. What stands behind -- are
settings of 'robotsaudit plan'. Archives must be where executors see them. Spark tries failed tasks
again (spark.task.maxFailures); what is done is not done again, also by another run of this program.
The driver gets a line of text from each task, and no data.

tables() gives the results as DataFrames, to programs that import this file.
"""

import argparse
import os
import subprocess
import sys

from pyspark import SparkFiles
from pyspark.sql import SparkSession

DONE = (0, 3, 10)  # 3 and 10 of finish: done, with what its summary tells


def run(program, arguments):
    """Runs the program in a task, and returns what it says."""
    shipped = SparkFiles.get(program)
    if os.path.exists(shipped):
        os.chmod(shipped, 0o755)
        program = shipped
    p = subprocess.run([program, *arguments], capture_output=True, text=True)
    sys.stderr.write(p.stderr)
    if p.returncode not in DONE:
        raise RuntimeError("robotsaudit %s: exit code %d\n%s" % (" ".join(arguments), p.returncode, p.stderr[-2000:]))
    return p.returncode, p.stdout.strip()


def stage(spark, program, tasks):
    """Runs tasks, each a list of arguments, and returns what they say."""
    return spark.sparkContext.parallelize(tasks, len(tasks)).map(lambda arguments: run(program, arguments)).collect()


def audit(spark, program, inputs, settings, shards, ranges, facts, out):
    """Audits, and returns the exit code and the summary."""
    at = ["--facts", facts]
    print(stage(spark, program, [["plan", *inputs, "--shards", str(shards), *at, *settings]])[0][1])
    read = stage(spark, program, [["ingest", "--shard", "%d/%d" % (i, shards), *at] for i in range(shards)])
    print("%d shards read" % len(read))
    print(stage(spark, program, [["resolve", *at]])[0][1])
    decided = stage(spark, program, [["decide", "--buckets", "%d/%d" % (j, ranges), *at, "-o", out] for j in range(ranges)])
    print("%d ranges decided" % len(decided))
    return stage(spark, program, [["finish", *at, "-o", out]])[0]


def tables(spark, out):
    """The tables of an output, by name, as DataFrames. Times are timestamps in UTC."""
    place = out.replace("s3://", "s3a://", 1) if out.startswith("s3://") else os.path.abspath(out)
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    written = spark.read.option("multiLine", True).json(place + "/audit.json").select("tables.*").first().asDict()
    return {name: spark.read.parquet("%s/%s" % (place, name)) for name in written}


def main(spark, given):
    settings = []
    if "--" in given:
        at = given.index("--")
        given, settings = given[:at], given[at + 1 :]
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("inputs", nargs="+", metavar="INPUT")
    p.add_argument("--program", default="robotsaudit", help="file of --files, or path on all executors")
    p.add_argument("--shards", type=int, required=True)
    p.add_argument("--ranges", type=int, required=True)
    p.add_argument("--facts", required=True)
    p.add_argument("-o", "--output", required=True)
    a = p.parse_args(given)
    code, summary = audit(spark, a.program, a.inputs, settings, a.shards, a.ranges, a.facts, a.output)
    print(summary)
    for name, table in sorted(tables(spark, a.output).items()):
        print("%s: %d rows" % (name, table.count()))
    return code


if __name__ == "__main__":
    session = SparkSession.builder.appName("robotsaudit").getOrCreate()
    status = main(session, sys.argv[1:])
    session.stop()
    sys.exit(status)
