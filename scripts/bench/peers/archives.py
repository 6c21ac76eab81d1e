"""An audit of archives as a user would write it: archives.py PARSER TOKEN OUT ARCHIVE...

FastWARC reads the archives. PARSER is protego or robotparser. OUT gets a row for each response of a page: its
record, URL and date, and whether the latest robots.txt of its origin before it lets the crawler fetch it.
What pages state in tags is not read.
"""

import bisect
import functools
import sys
import urllib.parse
import urllib.robotparser

import pyarrow
import pyarrow.parquet
from fastwarc.warc import ArchiveIterator, WarcRecordType
from protego import Protego


def responses(path):
    """Record ID, URL, date and HTTP status of each response; its body, if it is a robots.txt."""
    with open(path, "rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=False):
            url = record.headers["WARC-Target-URI"]
            if is_robots := urllib.parse.urlsplit(url).path == "/robots.txt":
                record.parse_http()
            yield (record.record_id, url, record.headers["WARC-Date"], record.http_headers.status_code if is_robots else None,
                   record.reader.read() if is_robots else None)


def protego(body, token):
    rules = Protego.parse(body.decode("utf-8", "replace"))
    return lambda url: rules.can_fetch(url, token)


def robotparser(body, token):
    rules = urllib.robotparser.RobotFileParser()
    rules.parse(body.decode("utf-8", "replace").splitlines())
    return lambda url: rules.can_fetch(token, url)


def origin(url):
    parts = urllib.parse.urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def main(parser, token, out, *paths):
    parsed = functools.lru_cache(10_000)(lambda body: globals()[parser](body, token))
    captures, pages = {}, {"id": [], "url": [], "date": []}
    for path in paths:
        for record, url, date, status, body in responses(path):
            if status is not None:
                captures.setdefault(origin(url), []).append((date, status, body))
            else:
                for column, value in zip(pages.values(), (record, url, date)):
                    column.append(value)
    for of in captures.values():
        of.sort(key=lambda capture: capture[0])

    def verdict(url, date):
        of = captures.get(origin(url), [])
        i = bisect.bisect_right(of, date, key=lambda capture: capture[0])
        if i == 0 or 300 <= of[i - 1][1] < 400:
            return None
        _, status, body = of[i - 1]
        if status < 300:
            return parsed(body)(url)
        return status < 500  # RFC 9309 §2.3.1.3 and §2.3.1.4

    pages["allowed"] = [verdict(url, date) for url, date in zip(pages["url"], pages["date"])]
    pyarrow.parquet.write_table(pyarrow.table(pages), out)


if __name__ == "__main__":
    main(*sys.argv[1:])
