"""Common Crawl's columnar index, written of CDXJ: the columns and folders of commoncrawl/cc-index-table."""

import datetime
import json
import uuid
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

STRING, INTEGER = pa.string(), pa.int32()
# Columns, and the crawl since which there are some. src/main/resources/schema/cc-index-schema-flat.json.
STRINGS_BEFORE = [
    "url_surtkey", "url", "url_host_name", "url_host_tld", "url_host_2nd_last_part", "url_host_3rd_last_part", "url_host_4th_last_part",
    "url_host_5th_last_part", "url_host_registry_suffix", "url_host_registered_domain", "url_host_private_suffix", "url_host_private_domain",
    "url_host_name_reversed", "url_protocol",
]
COLUMNS = [
    *((name, STRING, None) for name in STRINGS_BEFORE), ("url_port", INTEGER, None), ("url_path", STRING, None),
    ("url_query", STRING, None), ("fetch_time", pa.timestamp("us", "UTC"), None), ("fetch_status", pa.int16(), None),
    ("fetch_redirect", STRING, "2019-47"), ("content_digest", STRING, None), ("content_mime_type", STRING, None),
    ("content_mime_detected", STRING, None), ("content_charset", STRING, "2018-39"), ("content_languages", STRING, "2018-39"),
    ("content_truncated", STRING, "2019-47"), ("warc_record_id", pa.binary(), "2026-30"), ("warc_filename", STRING, None),
    ("warc_record_offset", INTEGER, None), ("warc_record_length", INTEGER, None), ("warc_segment", STRING, None),
]

# Forms in which Common Crawl has written the table.
FORMS = {"2018-05": {"timestamps": "INT96", "compression": "gzip"},
    "2024-51": {"timestamps": "TIMESTAMP_MILLIS", "compression": "gzip"},
    "2026-30": {"timestamps": "TIMESTAMP_MILLIS", "compression": "zstd"}}


def rows(lines, crawl):
    """rows are those that Common Crawl's converter makes of lines of CDXJ: (subset, values by column)."""
    for line in lines:
        key, time, block = line.split(" ", 2)
        c = json.loads(block)
        url = urlsplit(c["url"])
        try:
            host, port = url.hostname or "", url.port
        except ValueError:
            host, port = "", None
        status = int(c["status"]) if c.get("status", "").isdigit() and int(c["status"]) < 1 << 15 else -1
        subset = "robotstxt" if url.path == "/robots.txt" else "warc" if status == 200 else "crawldiagnostics"
        labels = host.split(".")[::-1] + [None] * 5
        values = {
            "url_surtkey": key, "url": c["url"], "url_host_name": host, "url_host_tld": labels[0], "url_host_2nd_last_part": labels[1],
            "url_host_3rd_last_part": labels[2], "url_host_4th_last_part": labels[3], "url_host_5th_last_part": labels[4],
            "url_host_name_reversed": ".".join(host.split(".")[::-1]), "url_protocol": url.scheme, "url_port": port, "url_path": url.path,
            "url_query": url.query or None, "fetch_time": datetime.datetime.strptime(time, "%Y%m%d%H%M%S").replace(tzinfo=datetime.timezone.utc),
            "fetch_status": status, "fetch_redirect": c.get("http:location"), "content_digest": c.get("digest", "").rpartition(":")[2] or None,
            "content_mime_type": c.get("mime"), "content_mime_detected": c.get("mime"), "content_truncated": c.get("warc-truncated"),
            "warc_record_id": record_id(c.get("warc-record-id")), "warc_segment": "1700000000000.1",
            "warc_filename": f"crawl-data/{crawl}/segments/1700000000000.1/{subset}/{c['filename']}",
            "warc_record_offset": int(c["offset"]), "warc_record_length": int(c["length"]),
        }
        yield subset, values


def record_id(text):
    try:
        return uuid.UUID(text.strip("<>")).bytes
    except (ValueError, AttributeError):
        return None


def write(form, folders, to):
    """write writes the table of a form: folders are the lines of CDXJ of each crawl."""
    schema = pa.schema([(name, kind) for name, kind, since in COLUMNS if since is None or since <= form])
    options = {"compression": FORMS[form]["compression"]}
    if FORMS[form]["timestamps"] == "INT96":
        options["use_deprecated_int96_timestamps"] = True
    else:
        options["coerce_timestamps"] = "ms"
    for crawl, lines in folders.items():
        parts = {}
        for subset, values in rows(lines, crawl):
            parts.setdefault(subset, []).append(values)
        for subset, values in parts.items():
            part = to / f"crawl={crawl}" / f"subset={subset}" / f"part-00000-{uuid.uuid4()}.c000.{options['compression']}.parquet"
            part.parent.mkdir(parents=True)
            pq.write_table(pa.Table.from_pylist(values, schema), part, **options)
