"""An audit of an index as a user would write it: index.py TOKEN OUT ROBOTS INDEX...

DuckDB reads the index. ROBOTS is a WARC with the robots.txt captures of the hosts. OUT gets a row for each row
of the index: its record, URL and date, and whether the latest robots.txt of its origin before it lets the
crawler fetch it, as Protego reads it.
"""

import functools
import sys
import urllib.parse

import duckdb
import pyarrow
from fastwarc.warc import ArchiveIterator, WarcRecordType
from protego import Protego

COLUMNS = "warc_filename, warc_record_offset, url, fetch_time"


def captures(path):
    """Origin, date, HTTP status and body of each robots.txt of an archive."""
    with open(path, "rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response):
            url = urllib.parse.urlsplit(record.headers["WARC-Target-URI"])
            if url.path == "/robots.txt":
                yield f"{url.scheme}://{url.netloc}", record.record_date, record.http_headers.status_code, record.reader.read()


@functools.cache
def parsed(body):
    return Protego.parse(body.decode("utf-8", "replace"))


def verdicts(token, statuses, bodies, urls):
    """Whether the crawler may fetch each URL; None where nobody knows. RFC 9309 §2.3.1.3 and §2.3.1.4."""
    for status, body, url in zip(statuses, bodies, urls):
        if status is None or 300 <= status < 400:
            yield None
        else:
            yield parsed(body).can_fetch(url, token) if status < 300 else status < 500


def main(token, out, robots, *index):
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
        TO '{out}' (FORMAT parquet)""", {"index": list(index)})


if __name__ == "__main__":
    main(*sys.argv[1:])
