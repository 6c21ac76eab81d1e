"""An audit of an index as a user would write it: index.py ENGINE TOKEN OUT ROBOTS INDEX...

ENGINE is duckdb or spark. ROBOTS is a WARC with the robots.txt captures of the hosts. OUT gets a row for each row
of the index: its record, URL and date, and whether the latest robots.txt of its origin before it lets the
crawler fetch it, as Protego reads it.
"""

import sys
import urllib.parse

COLUMNS = "warc_filename, warc_record_offset, url, fetch_time"


def captures(path):
    """Origin, date, HTTP status and body of each robots.txt of an archive."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    with open(path, "rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response):
            url = urllib.parse.urlsplit(record.headers["WARC-Target-URI"])
            if url.path == "/robots.txt":
                yield f"{url.scheme}://{url.netloc}", record.record_date, record.http_headers.status_code, record.reader.read()


def parsed(body, known={}):  # Spark cannot send functools' caches to its workers
    from protego import Protego

    if body not in known:
        known[body] = Protego.parse(body.decode("utf-8", "replace"))
    return known[body]


def verdicts(token, statuses, bodies, urls):
    """Whether the crawler may fetch each URL; None where nobody knows. RFC 9309 §2.3.1.3 and §2.3.1.4."""
    for status, body, url in zip(statuses, bodies, urls):
        if status is None or 300 <= status < 400:
            yield None
        else:
            yield parsed(body).can_fetch(url, token) if status < 300 else status < 500


def duckdb(token, out, robots, index):
    import duckdb
    import pyarrow

    def allowed(status, body, url):
        return pyarrow.array(verdicts(token, *(column.to_pylist() for column in (status, body, url))), pyarrow.bool_())

    db = duckdb.connect()
    db.create_function("allowed", allowed, ["SMALLINT", "BLOB", "VARCHAR"], "BOOLEAN", type="arrow", null_handling="special")
    rows = pyarrow.Table.from_pylist([dict(zip(("origin", "time", "status", "body"), c)) for c in captures(robots)])
    db.register("robots", rows)
    db.execute(f"""
        COPY (SELECT {COLUMNS}, allowed(status::SMALLINT, body, url) AS allowed
              FROM read_parquet($index) i ASOF LEFT JOIN robots r
              ON r.origin = i.url_protocol || '://' || i.url_host_name AND i.fetch_time >= r.time)
        TO '{out}' (FORMAT parquet)""", {"index": index})


def spark(token, out, robots, index):
    import bisect
    import os

    import pandas
    from pyspark.sql import SparkSession, functions

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false")
               .config("spark.driver.memory", "4g").config("spark.sql.session.timeZone", "UTC").getOrCreate())
    histories = {}
    for origin, time, status, body in captures(robots):
        histories.setdefault(origin, []).append((pandas.Timestamp(time).tz_localize(None), status, body))
    shared = session.sparkContext.broadcast({origin: sorted(of) for origin, of in histories.items()})

    @functions.pandas_udf("boolean")
    def allowed(origin: pandas.Series, time: pandas.Series, url: pandas.Series) -> pandas.Series:
        found = []
        for o, t in zip(origin, time):
            of = shared.value.get(o, [])
            i = bisect.bisect_right(of, t, key=lambda capture: capture[0])
            found.append(of[i - 1][1:] if i else (None, None))
        return pandas.Series(list(verdicts(token, *zip(*found), url)), dtype="boolean")

    rows = session.read.parquet(*index)
    origins = functions.concat(rows.url_protocol, functions.lit("://"), rows.url_host_name)
    rows = rows.withColumn("allowed", allowed(origins, rows.fetch_time, rows.url))
    rows.select(*COLUMNS.split(", "), "allowed").write.parquet(out)
    gateway = session.sparkContext._gateway
    session.stop()
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait()  # its CPU counts


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:])
