"""The example of docs/SCHEMA.md, "Joined back", runs: 1,200 rows in the shape of FineWeb are kept, dropped or undecided, by id.

    joined BINARY

The list and the archive with robots.txt are made here. Each row must be in exactly the list that they were made for.
"""

import os
import random
import re
import subprocess
import uuid
from pathlib import Path

import duckdb
import pyarrow
import pyarrow.parquet as parquet

from lib import ROOT, folder

ROWS, HOSTS, SILENT = 1200, 40, 10  # hosts, the last of them without a captured robots.txt
ROBOTS = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /private/\n\nUser-agent: GPTBot\nDisallow: /members/\n"


def rows():
    """rows yields documents with the columns of FineWeb, and the list that each is to be in."""
    made = random.Random(1)
    for n in range(ROWS):
        host, path = n % HOSTS, ("open", "private", "members")[n % 3]
        yield {"text": f"Text {n}", "id": f"<urn:uuid:{uuid.UUID(int=made.getrandbits(128), version=4)}>",
               "dump": "CC-MAIN-2024-22", "url": f"https://host{host}.example/{path}/{n}",
               "date": f"2024-05-01T12:{n // 60:02}:{n % 60:02}Z", "file_path": "s3://…", "language": "en",
               "language_score": 0.9, "token_count": n,
               }, "undecided" if host >= HOSTS - SILENT else "drop" if path == "members" else "keep"


def archive():
    """archive yields the captures of robots.txt."""
    for host in range(HOSTS - SILENT):
        yield (f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{host:012}>\r\n"
               f"WARC-Date: 2024-05-01T11:00:00Z\r\nWARC-Target-URI: https://host{host}.example/robots.txt\r\n"
               f"Content-Type: application/http;msgtype=response\r\nContent-Length: {len(ROBOTS)}\r\n\r\n{ROBOTS}\r\n\r\n")


def main(binary):
    binary = Path(binary).resolve()
    section = (ROOT / "docs/SCHEMA.md").read_text().split("**Joined back.**")[1]
    commands = re.search(r"```sh\n(.*?)```", section, re.S)[1].splitlines()
    query = re.search(r"```sql\n(.*?)```", section, re.S)[1]
    documents, want = zip(*rows())
    with folder() as work:
        os.chdir(work)
        parquet.write_table(pyarrow.Table.from_pylist(list(documents)), "fineweb.parquet")
        Path("robots.warc").write_text("".join(archive()), newline="")
        for command in commands:
            subprocess.run([binary, *command.split()[1:]], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found = duckdb.sql(query).fetchall()
        lists = {id: name for name in ("keep", "drop", "undecided")
                 for id, in duckdb.sql(f"SELECT id FROM '{name}.parquet'").fetchall()}
        os.chdir(ROOT)
    counts = {name: sum(n for of, _, n, _ in found if of == name) for name in set(want)}
    assert counts == {name: want.count(name) for name in set(want)}, f"{counts}"
    assert sum(n for _, _, n, _ in found) == ROWS, f"{found}"
    for document, name in zip(documents, want):
        assert lists[document["id"]] == name, f"{document['url']} is in {lists[document['id']]}, not in {name}"
    print("joined: " + ", ".join(f"{n} to {of} ({reason})" for of, reason, n, _ in found))
