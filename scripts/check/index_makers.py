"""Indexes that other programs write, and what rows they have.

Of each index NAME, NAME.rows has the rows as JSON lines, as internal/cdx should read them. CDXJ and
CDX are of the archives in the folders.
"""

import contextlib
import datetime
import io
import json
import logging
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from cdxj_indexer.main import main as cdxj_indexer

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def write(path, rows):
    with open(f"{path}.rows", "w") as f:
        f.writelines(json.dumps({k: v for k, v in row.items() if v is not None}) + "\n" for row in rows)


def capture(line, url, time, mime, status, digest, redirect, length, offset, filename):
    """capture is a row, with None for what is not said."""
    said = {"URL": url, "Time": time, "MIME": mime, "Digest": digest, "Redirect": redirect, "Filename": filename}
    row = {k: v for k, v in said.items() if v not in ("-", "", None)}
    if status and str(status).isdigit() and int(status) > 0:  # or what stands in its place
        row["Status"] = int(status)
    for name, value in ("Length", length), ("Offset", offset):
        if value not in ("-", "", None):
            row[name] = int(value)
    return row | {"Line": line}


def cdxj_rows(text):
    for n, line in enumerate(text.split("\n"), 1):
        if line:
            _, time, block = line.split(" ", 2)
            c = json.loads(block)
            if time.isdigit() and c.get("url"):
                yield capture(n, c["url"], time, c.get("mime"), c.get("status"), c.get("digest"), c.get("redirect"), c.get("length"), c.get("offset"), c.get("filename"))


def cdx_rows(text, letters):
    for n, line in enumerate(text.split("\n"), 1):
        values = line.split(" ")
        if len(values) != len(letters) or values[0] == "":  # an address or type with spaces is told as a fault
            continue
        c = dict(zip(letters, values))
        if c["b"].isdigit() and c["a"] != "-":
            yield capture(n, c["a"], c["b"], c["m"], c["s"], c["k"], c["r"], c.get("S"), c["V"], c["g"])


# The kind of an index, how cdxj-indexer is asked for it, and how its rows are read.
FORMS = [("cdxj", (), cdxj_rows), ("cdx", ("-11",), lambda text: cdx_rows(text, "NbamskrMSVg")),
         ("cdx", ("-9",), lambda text: cdx_rows(text, "NbamskrVg"))]


def indexed(path, *options):
    """indexed is the index of an archive, as far as cdxj-indexer gets."""
    target = io.StringIO()
    with contextlib.redirect_stdout(target), contextlib.redirect_stderr(io.StringIO()), contextlib.suppress(Exception):
        cdxj_indexer([*options, str(path)])
    return target.getvalue()


def archives(output, folders):
    count = 0
    for n, path in enumerate(sorted(p for folder in folders for p in Path(folder).rglob("*arc*") if p.is_file() and p.stat().st_size < 20 << 20)):
        for suffix, options, rows in FORMS:
            text = indexed(path, *options)
            found = list(rows(text))
            if found:
                target = output / f"{n}{''.join(options)}.{suffix}"
                target.write_text(text)
                write(target, found)
                count += len(found)
    if count == 0:
        sys.exit("no archive has an index")
    print(f"{count} lines of CDXJ and CDX", flush=True)


def table():
    """table makes columns of Common Crawl's table, with nulls, repeats, and long and short values."""
    begin = datetime.datetime(2019, 12, 31, 23, 0, 0, 123456, tzinfo=datetime.timezone.utc)
    rows = range(30_000)
    return {
        "url": [f"https://h{i // 50}.example/{'é' * (i % 40)}{i}" for i in rows],
        "fetch_time": [begin + datetime.timedelta(milliseconds=977 * i) for i in rows],
        "fetch_status": [-1 if i % 100 == 3 else 200 + i % 5 for i in rows],
        "fetch_redirect": [f"/r/{i % 1000}" if i % 7 == 0 else None for i in rows],
        "content_digest": [None if i % 11 == 0 else f"{i * 2654435761:032X}" for i in rows],
        "content_mime_type": ["text/html" if i % 3000 else "application/pdf" for i in rows],
        "warc_filename": [f"crawl-data/CC-MAIN-2019-51/segments/1/robotstxt/CC-MAIN-{i % 997}.warc.gz" for i in rows],
        "warc_record_offset": [i * 65537 % (1 << 31) for i in rows],
        "warc_record_length": [i * i % 100_000 for i in rows],
        "content_mime_detected": [None if i % 13 == 0 else "application/xhtml+xml" if i % 2 else "text/html" for i in rows],
        "content_languages": ["eng" if i % 2 else None for i in rows],
    }


def table_rows(columns, unit):
    names = {"url": "URL", "fetch_status": "Status", "fetch_redirect": "Redirect", "content_digest": "Digest", "content_mime_type": "MIME",
             "content_mime_detected": "Detected", "content_languages": "Language", "warc_filename": "Filename", "warc_record_offset": "Offset", "warc_record_length": "Length"}
    for i in range(len(columns["url"])):
        micros = (columns["fetch_time"][i] - EPOCH) // datetime.timedelta(microseconds=1)
        row = {to: columns[name][i] for name, to in names.items()} | {"Micros": micros // unit * unit, "Line": i + 1, "Subset": "robotstxt"}
        yield row


def tables(output):
    columns = table()
    schema = pa.schema([(name, pa.timestamp("us", "UTC") if name == "fetch_time" else pa.int16() if name == "fetch_status" else pa.int32() if name.startswith("warc_record") else pa.string()) for name in columns])
    arrow = pa.table(columns, schema)
    delta = {name: "DELTA_BYTE_ARRAY" if name.startswith(("url", "warc_f")) else "DELTA_LENGTH_BYTE_ARRAY" for name in columns if schema.field(name).type == pa.string()}
    delta |= {name: "DELTA_BINARY_PACKED" for name in ("fetch_time", "warc_record_offset", "warc_record_length")}
    small = {"data_page_size": 3000, "write_batch_size": 100}
    forms = {
        "int96": {"use_deprecated_int96_timestamps": True},
        "int96-gzip-small": {"use_deprecated_int96_timestamps": True, "compression": "gzip", **small},
        "millis": {"coerce_timestamps": "ms", "allow_truncated_timestamps": True, "compression": "gzip", "row_group_size": 7000},
        "v1": {"version": "1.0", "compression": "none", "use_dictionary": False},
        "pages-v2": {"data_page_version": "2.0", "compression": "zstd", "write_page_checksum": True, **small},
        "pages-v2-none": {"data_page_version": "2.0", "compression": "none"},
        "brotli": {"compression": "brotli", "row_group_size": 999},
        "delta": {"use_dictionary": False, "column_encoding": delta, "compression": "snappy"},
        "delta-v2": {"use_dictionary": False, "column_encoding": delta, "data_page_version": "2.0", **small},
    }
    for name, options in forms.items():
        path = output / f"arrow-{name}.parquet"
        pq.write_table(arrow, path, **options)
        write(path, table_rows(columns, 1000 if name == "millis" else 1))
    db = duckdb.connect()
    db.execute("SET TimeZone = 'UTC'")
    db.register("arrow", arrow)
    for name, options in {"v1": "PARQUET_VERSION v1", "v2": "PARQUET_VERSION v2, COMPRESSION zstd", "small": "ROW_GROUP_SIZE 2048, COMPRESSION gzip"}.items():
        path = output / f"duckdb-{name}.parquet"
        db.execute(f"COPY arrow TO '{path}' (FORMAT parquet, {options})")
        write(path, table_rows(columns, 1))
    print(f"{len(forms) + 3} tables of {len(columns['url'])} rows", flush=True)


def write_all(output, folders):
    logging.disable()
    tables(output)
    archives(output, folders)
