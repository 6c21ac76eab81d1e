"""What python/README.md says of pipelines holds on rows in the shape of FineWeb: each example keeps what the lists keep.

    pipelines BINARY [--rows N] [--hosts N] [--data DIR]

Each host has captures of robots.txt of its own, spread over two years: of ../shared/robots/wild-2019.tar.gz where that is
here, else made ones. The paths of rows are mostly those that a robots.txt of their host speaks of. The blocks of Python in
the section "Pipelines" run one by one, each in a process of its own: rows a second, and the peak of memory.
"""

import bisect
import concurrent.futures
import contextlib
import datetime
import functools
import gzip
import json
import os
import random
import re
import sys
import tarfile
import uuid
from pathlib import Path

import datasets
import duckdb
import pyarrow
import pyarrow.parquet as parquet

from lib import ROOT, call, cost, folder, iso, message, record, shared, uuid_of
from package import installed

ENVIRONMENT = "requirements-pipelines.txt"
LIMIT = 3600
AGENT = "GPTBot"
SEED = 43
BEGIN, DAYS = datetime.datetime(2023, 1, 1), 730
BATCH = 50_000  # rows
COPIES = 997  # one row in so many has the id of the row before it
STATUSES = {200: 88, 404: 7, 403: 1, 500: 4}
LISTS = ("keep", "undecided", "drop")


def bodies(rng):
    """Texts of robots.txt: real ones, or a hundred that are made."""
    for path in shared("robots/wild-2019.tar.gz"):
        with tarfile.open(path) as files:
            return [files.extractfile(file).read() for file in files if file.isfile()]
    rules = "Disallow: /", "Disallow:", "Disallow: /private/", "Allow: /private/open", "Disallow: /*.pdf$", "Disallow: /?q="
    return ["".join(f"User-agent: {agent}\n" + "".join(f"{rule}\n" for rule in rng.sample(rules, rng.randint(0, 4)))
                    for agent in rng.sample(("*", AGENT, "CCBot", "gptbot/1.0"), rng.randint(1, 3))).encode()
            for _ in range(100)]


def captures(rng, hosts):
    """The captures of each host: moments in order, each with a status and a body."""
    pool = bodies(rng)
    for _ in range(hosts):
        early = [rng.randrange(30 * 86_400)] * (rng.random() < 0.8)
        moments = sorted({*early, *rng.sample(range(DAYS * 86_400), rng.choice((0, 0, 1, 2, 3, 6, 12)))})
        yield [(BEGIN + datetime.timedelta(seconds=moment), *answer) for moment in moments
               for status in rng.choices(list(STATUSES), STATUSES.values())
               for answer in [(status, rng.choice(pool) if status == 200 else b"")]]


def write_robots(path, of):
    with path.open("wb") as file:
        for number, (host, (moment, status, body)) in enumerate((h, c) for h, some in enumerate(of) for c in some):
            answer = message(f"HTTP/1.1 {status} {'OK' if status == 200 else 'No'}", [("Content-Length", len(body))], body)
            fields = {"WARC-Date": iso(moment), "WARC-Record-ID": uuid_of(number), "WARC-Target-URI": f"{origin(host)}/robots.txt",
                      "Content-Type": "application/http; msgtype=response"}
            file.write(gzip.compress(record("response", answer, fields), 1, mtime=0))


def origin(host):
    return f"https://h{host:06d}.example"


def path_of(rng, of):
    """A path that a rule of a host speaks of, or any other."""
    patterns = of and [value for value in paths_in(rng.choice(of)[2]) if value.startswith("/")]
    if not patterns or rng.random() < 0.3:
        return f"/{rng.choice(('news', 'blog', 'p', 'private'))}/{rng.getrandbits(32):x}"
    path = rng.choice(patterns).replace("*", f"{rng.getrandbits(16):x}").removesuffix("$")
    return path + rng.choice(("", "", f"{rng.getrandbits(24):x}.html", "?page=2"))


@functools.cache
def paths_in(body):
    """The values of rules that can stand in a URL as they are."""
    return [value.decode() for value in re.findall(rb"(?im)^\s*(?:dis)?allow\s*:\s*([!-\"$-;=?-~]{1,200})\s*$", body)]


def write_rows(path, dolma, rng, of, rows):
    """Rows with the columns of FineWeb, and the same as documents of dolma. Few hosts have most of them."""
    weights = [1 / (n + 10) for n in range(len(of))]
    total = [sum(weights[:1])]
    for weight in weights[1:]:
        total.append(total[-1] + weight)
    writer, id = None, ""
    with gzip.open(dolma, "wt", encoding="utf-8", compresslevel=1) as documents:
        for first in range(0, rows, BATCH):
            made = []
            for number in range(first, min(rows, first + BATCH)):
                host = bisect.bisect(total, rng.random() * total[-1])
                id = id if number % COPIES == COPIES - 1 else f"<urn:uuid:{uuid.UUID(int=rng.getrandbits(128), version=4)}>"
                date = BEGIN + datetime.timedelta(seconds=rng.randrange(DAYS * 86_400))
                made.append({"text": f"Text {number}, " + "lorem ipsum " * rng.randint(1, 20), "id": id, "dump": f"CC-MAIN-{date:%Y-%U}",
                             "url": origin(host) + path_of(rng, of[host]), "date": iso(date), "file_path": "s3://example/",
                             "language": "en", "language_score": 0.9, "token_count": number % 1000})
                documents.write(json.dumps({"id": id, "text": made[-1]["text"], "source": "fineweb"}) + "\n")
            table = pyarrow.Table.from_pylist(made)
            writer = writer or parquet.ParquetWriter(path, table.schema)
            writer.write_table(table)
        writer.close()


def make(data, rows, hosts):
    rng = random.Random(SEED)
    of = list(captures(rng, hosts))
    (data / "documents").mkdir()
    write_robots(data / "robots.warc.gz", of)
    write_rows(data / "fineweb.parquet", data / "documents/0.jsonl.gz", rng, of, rows)


def examples():
    """The blocks of python/README.md about pipelines, by their heading."""
    section = re.search(r"\n## Pipelines\n(.*?)\n## ", (ROOT / "python/README.md").read_text(), re.S)[1]
    names = iter(["audit and lists", "lookup", *re.findall(r"\n### (.*)", section)])
    return zip(names, re.findall(r"```python\n(.*?)```", section, re.S), strict=True)


def run(package, data):
    """Runs each example on the data: yields its heading, seconds of wall time and of CPU, and bytes of memory."""
    environment = os.environ | {"PYTHONPATH": package, "HF_HOME": str(data / "hf")}
    for heading, block in examples():
        script = data / "example.py"
        script.write_text(f"import duckdb\nimport robotsaudit\n\n{block}")
        done, *figures = cost(sys.executable, script, cwd=data, env=environment)
        if done.returncode:
            sys.exit(f"{heading}: {done.said}")
        yield heading, *figures


def by_commands(binary, data, rows):
    """Runs the example of docs/SCHEMA.md, "Joined back": its lists have the bytes of those that Python wrote, its query all rows."""
    section = (ROOT / "docs/SCHEMA.md").read_text().split("**Joined back.**")[1]
    commands, query = (re.search(rf"```{kind}\n(.*?)```", section, re.S)[1] for kind in ("sh", "sql"))
    (data / "commands").mkdir()
    for name, of in (("fineweb.parquet", "fineweb.parquet"), ("robots.warc", "robots.warc.gz")):
        (data / "commands" / name).symlink_to(data / of)
    for command in commands.splitlines():
        call(binary, *command.split()[1:], cwd=data / "commands", codes=(0,))
    for name in LISTS:
        more = duckdb.sql(f"""(SELECT * FROM '{data}/{name}.parquet' EXCEPT ALL SELECT * FROM '{data}/commands/all.parquet')
            UNION ALL (SELECT * FROM '{data}/commands/all.parquet' WHERE list = '{name}' EXCEPT ALL SELECT * FROM '{data}/{name}.parquet')""")
        if more.fetchall():
            yield f"{name}.parquet has other rows than all.parquet of the command line"
    with contextlib.chdir(data / "commands"):
        found = duckdb.sql(query).fetchall()
    print("\n" + "; ".join(f"{n:,} {of} ({reason})" for of, reason, n, _ in found))
    ids = duckdb.sql(f"SELECT count(*) - count(DISTINCT id) FROM '{data / 'fineweb.parquet'}'").fetchall()[0][0]
    if not rows <= sum(n for *_, n, _ in found) <= rows + 2 * ids:  # an id of two rows may be in two lists
        yield f"the query of docs/SCHEMA.md counts {found}"


def kept_by_all(data):
    """Where an example keeps others than the lists: of several rows of one id, the worst counts."""
    db = duckdb.connect()
    db.execute("SET TimeZone = 'UTC'")
    files = {name: f"'{data / name}.parquet'" for name in ("fineweb", *LISTS, "kept-by-duckdb", "kept-by-polars")}
    by_id = db.sql(f"""SELECT id, url, date FROM {files["fineweb"]} SEMI JOIN {files["keep"]} USING (id)
                       WHERE id NOT IN (SELECT id FROM {files["undecided"]} UNION ALL SELECT id FROM {files["drop"]})""")
    by_url = db.sql(f"""SELECT id, d.url, date FROM {files["fineweb"]} d
                        JOIN (SELECT DISTINCT url, fetch_time FROM {files["keep"]}) k ON d.url = k.url AND d.date::TIMESTAMPTZ = fetch_time""")
    attributes = db.sql(f"""SELECT json->>'id' AS id, json->>'$.attributes' NOT LIKE '%__drop%' AND json->>'$.attributes' NOT LIKE '%__undecided%' AS kept
                            FROM read_json_objects('{data}/attributes/robotsaudit/0.jsonl.gz', format = 'newline_delimited')""")
    documents = datasets.load_from_disk(data / "kept-by-datasets").select_columns(["id", "url", "date"]).data.table
    for name, found, expected in (
        ("DuckDB", db.sql(f"SELECT id, url, date FROM {files['kept-by-duckdb']}"), by_url),
        ("Polars", db.sql(f"SELECT id, url, date FROM {files['kept-by-polars']}"), by_url),
        ("Hugging Face datasets", db.sql("FROM documents"), by_id),
        ("datatrove", db.sql(f"SELECT id FROM '{data}/kept-by-datatrove/*.parquet'"), by_id.select("id")),
        ("dolma", attributes.select("id, kept"), db.sql("SELECT id, id IN (SELECT id FROM by_id) AS kept FROM " + files["fineweb"])),
    ):
        missing, more = (len(one.except_(other)) for one, other in ((expected, found), (found, expected)))
        if missing or more or len(expected) != len(found):
            yield f"{name}: {len(found):,} rows, not {len(expected):,}; {missing:,} missing, {more:,} too many"


def main(binary, *, rows: int = 5_000, hosts: int = 500, data: Path = None):
    with folder() as work:
        data = (data or work / "data").resolve()
        data.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ProcessPoolExecutor(1) as apart:  # what it holds would count as memory of what is run
            (data / "fineweb.parquet").exists() or apart.submit(make, data, rows, hosts).result()
        print("| example | wall, s | CPU, s | rows a second of CPU | peak, MB |\n|---|--:|--:|--:|--:|")
        for heading, wall, cpu, peak in run(installed(binary, work), data):
            print(f"| {heading} | {wall:.1f} | {cpu:.1f} | {rows / cpu:,.0f} | {peak / 1e6:.0f} |", flush=True)
        of = list(captures(random.Random(SEED), hosts))
        print(f"\n{rows:,} rows of {hosts:,} hosts; {sum(map(len, of)):,} captures, of {len({body for some in of for *_, body in some}):,} files")
        wrong = [*by_commands(binary, data, rows), *kept_by_all(data)]
    return "\n".join(wrong[:100]) or None
