"""Make a small corpus of archives, in the shape of FineWeb's Parquet files.

    corpus FILE ARCHIVE...

A row is a page: an HTML answer of 200, with the columns text, id, dump, url, date, file_path, language, language_score
and token_count. Of what FineWeb does beyond that (filters, removal of duplicates), it does nothing.
"""

import html
import re
from pathlib import Path

import pyarrow
import pyarrow.parquet as parquet
from warcio.archiveiterator import ArchiveIterator

ENVIRONMENT = "requirements-notebooks.txt"


def pages(archive):
    with open(archive, "rb") as stream:
        for record in ArchiveIterator(stream):
            if record.rec_type != "response" or record.http_headers.get_statuscode() != "200":
                continue
            if not (record.http_headers.get_header("Content-Type") or "").startswith("text/html"):
                continue
            body = record.content_stream().read().decode("utf-8", "replace")
            words = html.unescape(re.sub(r"(?s)<(script|style).*?</\1>|<[^>]*>", " ", body)).split()
            if not words or record.rec_headers.get_header("WARC-Target-URI").endswith("/robots.txt"):
                continue
            yield {"text": " ".join(words),
                "id": record.rec_headers.get_header("WARC-Record-ID"),  # <urn:uuid:...>
                "dump": "testdata",
                "url": record.rec_headers.get_header("WARC-Target-URI"),
                "date": record.rec_headers.get_header("WARC-Date"),
                "file_path": f"s3://example-crawls/{Path(archive).name}",
                "language": "en",
                "language_score": 1.0,
                "token_count": len(words),
            }


def main(file: Path, *archives):
    rows = [page for archive in sorted(archives) for page in pages(archive)]
    temporary = file.with_suffix(".tmp")
    parquet.write_table(pyarrow.Table.from_pylist(rows), temporary)
    temporary.rename(file)
