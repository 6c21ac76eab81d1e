"""Makes an index in the form of Common Crawl's, and the robots.txt captures of its hosts.

    index_made FOLDER ROWS HOSTS
"""

import gzip
from pathlib import Path

import numpy
import pyarrow
import pyarrow.parquet

from lib import message, record, uuid_of

CRAWL = "CC-MAIN-2099-01"
START = 1_714_564_800  # 2024-05-01T12:00:00Z
FILES, AGENT = 4, "CCBot/2.0 (https://commoncrawl.org/faq/)"
BATCH = 250_000  # rows of a row group
RULES = "User-agent: *\nDisallow: /private/\nAllow: /private/open\n"
ALPHABET = numpy.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "S1")


def hosts_of(rng, rows, hosts):
    """hosts_of returns the host of each row, as a number, in the order of the hosts' SURT keys."""
    weights = 1 / numpy.arange(1, hosts + 1)
    counts = rng.multinomial(rows, weights / weights.sum())
    return numpy.repeat(rng.permutation(hosts), counts[rng.permutation(hosts)])


def batch(rng, hosts):
    n = len(hosts)
    names = [f"h{h:06d}.example" for h in hosts.tolist()]
    paths = [f"/{'private' if p < 2 else 'p'}/{i:x}" for p,
             i in zip(rng.integers(0, 100, n).tolist(), rng.integers(0, 1 << 40, n).tolist())]
    digests = ALPHABET[rng.integers(0, 32, (n, 32))].view("S32").ravel()
    times = (START + rng.integers(0, 14 * 86_400, n)) * 1000
    return pyarrow.table({
        "url_surtkey": [f"example,{name[:7]}){path}" for name, path in zip(names, paths)],
        "url": [f"https://{name}{path}" for name, path in zip(names, paths)],
        "url_host_name": names,
        "url_host_tld": ["example"] * n,
        "url_protocol": ["https"] * n,
        "url_path": paths,
        "fetch_time": pyarrow.array(times, pyarrow.timestamp("ms", "UTC")),
        "fetch_status": pyarrow.array(rng.choice([200, 200, 200, 200, 301, 404], n), pyarrow.int16()),
        "fetch_redirect": pyarrow.nulls(n, pyarrow.string()),
        "content_digest": pyarrow.array(digests.astype("U32")),
        "content_mime_type": ["text/html"] * n,
        "content_mime_detected": ["text/html"] * n,
        "content_charset": ["UTF-8"] * n,
        "content_languages": ["eng"] * n,
        "content_truncated": pyarrow.nulls(n, pyarrow.string()),
        "warc_filename": [f"crawl-data/{CRAWL}/segments/1/warc/{CRAWL}-{i % 800:05d}.warc.gz"
                          for i in rng.integers(0, 800, n).tolist()],
        "warc_record_offset": pyarrow.array(rng.integers(0, 1 << 30, n), pyarrow.int32()),
        "warc_record_length": pyarrow.array(rng.integers(800, 60_000, n), pyarrow.int32()),
        "warc_segment": ["1"] * n,
    })


def make_index(folder, rows, hosts):
    rng = numpy.random.default_rng(9309)
    of = hosts_of(rng, rows, hosts)
    folder.mkdir(parents=True)
    for number, part in enumerate(numpy.array_split(of, FILES)):
        writer = None
        with open(folder / f"part-{number:05d}.gz.parquet", "wb") as f:
            for at in range(0, len(part), BATCH):
                table = batch(rng, part[at:at + BATCH])
                writer = writer or pyarrow.parquet.ParquetWriter(f, table.schema, compression="gzip")
                writer.write_table(table)
            writer.close()


def make_robots(path, hosts):
    with open(path, "wb") as f:
        for h in range(hosts):
            http = message("HTTP/1.1 200 OK", [("Content-Type", "text/plain"), ("Content-Length", len(RULES))], RULES.encode())
            asked = message("GET /robots.txt HTTP/1.1", [("Host", f"h{h:06d}.example"), ("User-Agent", AGENT)])
            for kind, content, number in (("request", asked, 2 * h), ("response", http, 2 * h + 1)):
                fields = {"WARC-Date": "2024-04-30T12:00:00Z", "WARC-Record-ID": uuid_of(number),
                          "WARC-Concurrent-To": uuid_of(number ^ 1),
                          "WARC-Target-URI": f"https://h{h:06d}.example/robots.txt",
                          "Content-Type": f"application/http; msgtype={kind}"}
                f.write(gzip.compress(record(kind, content, fields, "1.0"), 6, mtime=0))


def main(folder: Path, rows: int, hosts: int):
    make_index(folder / f"crawl={CRAWL}" / "subset=warc", rows, hosts)
    make_robots(folder / "robotstxt.warc.gz", hosts)
