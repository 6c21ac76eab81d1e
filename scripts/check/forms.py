"""Forms say what the archives hold: the list of domain names is recomputed from them, and each figure by its query.

    forms BINARY

Of testdata/warc, the archives of make/run history, and ../shared/warc/real. The list is recomputed by warcio and
tldextract. In the Markdown of the EU's summary, each sentence and table with figures names a query:
DuckDB runs it in the output folder, and its rows must have the figures; so it is of a part of the audit, and of an index
of the archives. Where no query is named, there are no figures but those of laws and rules (CONSTANT).
"""

import collections
import csv
import html
import json
import re
import urllib.parse

import duckdb
import tldextract
from warcio.archiveiterator import ArchiveIterator

from index_makers import indexed
from lib import TESTDATA, audit, call, folder, script, shared
from warc import archives_in, http_header, http_status

# parts of audits, whose figures follow from the queries, too
PARTS = {
    "warc": ["--since", "2025-03-01", "--until", "2025-03-31", "--host", "*.example", "--crawler-only", "wget"],
    "real": ["--operator-of", "CCBot"],
    "history": ["--until", "2023-06-30T12:00:00Z"],
}
# figures that are of a law, a rule or a list, and not of the archives
CONSTANT = re.compile(
    r"\d{4}/\d+|[0-9.]*\d(?=\.? (?:Provider|Model|Modalit|General|List|Publicly|Private|Data|User|Synth|Other|Respect|Removal))|Sections? [0-9. to]*\d|ISO 639-3|[45]xx"
    r"|Article 53\(1\)\(d\)|C\(2025\) (?:5235|8311)|200 to 299|in(?:to)? 2\.3|(?:[mM]easure|RFC) [0-9.]+(?: §[0-9.]+)?"
    r"|rfc9309|rep-08|top \d+ %|top 1,000|at most 1,000|\(\d+\) (?=[TWH])|git revision.*?\)\)|list of crawlers is of [0-9-]+|at most 24 hours|A part of the audit: .*?\. Inputs")
domain = tldextract.TLDExtract(suffix_list_urls=())


class Name:
    def __init__(self):
        self.payloads, self.bytes, self.fetches, self.unknown, self.months = {}, 0, 0, 0, []

    def add(self, digest, size, date):
        self.fetches += 1
        self.bytes += size or 0
        self.unknown += size is None
        key = digest or self.fetches
        self.payloads[key] = max(self.payloads.get(key, 0), size or 0)
        self.months.append(date[:7])

    def row(self):
        return sum(self.payloads.values()), self.bytes, self.fetches, self.unknown


def recompute(root):
    """The names of the archives with their content, the largest first."""
    records = {}
    for path in (path for _, path in archives_in(root)):
        with open(path, "rb") as stream:
            for record in ArchiveIterator(stream, arc2warc=True):
                url = (record.rec_headers.get_header("WARC-Target-URI") or "").strip("<>")
                if record.rec_type not in ("response", "revisit", "resource") or not url.startswith(("http:", "https:")):
                    continue
                size = len(record.raw_stream.read())
                if record.rec_type == "revisit" or record.rec_headers.get_header("WARC-Truncated"):
                    size = None
                date = record.rec_headers.get_header("WARC-Date")
                records.setdefault((record.rec_headers.get_header("WARC-Record-ID") or len(records), url, date), (
                    urllib.parse.urldefrag(url).url, http_status(record), http_header(record, "Location"), size,
                    record.rec_headers.get_header("WARC-Payload-Digest"), date))
    policies, found = set(), {url for url, *_ in records.values() if urllib.parse.urlsplit(url).path == "/robots.txt"}
    while found - policies:
        policies |= found
        found = {urllib.parse.urljoin(url, location) for url, status, location, *_ in records.values()
                 if url in policies and location and status and status // 100 == 3}
    names = collections.defaultdict(Name)
    for url, status, _, size, digest, date in records.values():
        if url not in policies and (status is None or status // 100 == 2):
            host = urllib.parse.urlsplit(url).hostname
            names[domain(host).top_domain_under_public_suffix or host].add(digest, size, date)
    return sorted(((name, n) for name, n in names.items()), key=lambda x: (*(-v for v in x[1].row()[:3]), x[0]))


def check_list(path, names, sme):
    with open(path, newline="") as file:
        have = [list(row.values()) for row in csv.DictReader(file)]
    count = min(-(-len(names) // 20), 1000) if sme else -(-len(names) // 10)
    total = sum(n.row()[0] for _, n in names)
    assert len(have) == count, f"{path}: {len(have)} names, not {count}"
    for i, (row, (name, n)) in enumerate(zip(have, names)):
        distinct, every, fetches, unknown = n.row()
        want = [i + 1, name, str(bool(domain(name).top_domain_under_public_suffix)).lower(), distinct, every, fetches, unknown,
                *("/".join(reversed(month.split("-"))) for month in (min(n.months), max(n.months)))]
        assert row[:4] + row[5:8] + row[-2:] == [str(v) for v in want], f"{path}: {row}, not {want}"
        assert abs(float(row[4]) - 100 * distinct / total) < 0.0006, row
        assert sum(map(int, row[8:-2])) == every, f"{path}: modalities of {row}"


def words(value):
    return "none stated" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def trace(text, out):
    """Runs the queries of a form, and yields what does not follow from them. The rows are returned."""
    db = duckdb.connect()
    db.execute(f"SET file_search_path = '{out}'")
    rows = {}
    text, queries = text.split("```sql\n-- Setup\n")
    setup, *queries = re.split(r"^-- (Q\d+)\n", queries.removesuffix("\n```\n"), flags=re.M)
    db.execute(setup)
    for name, sql in zip(queries[::2], queries[1::2]):
        rows[name] = [list(row) for row in db.execute(sql).fetchall()]
    body = [html.unescape(line) for line in text.splitlines()]
    used = set()
    for i, line in enumerate(body):
        if line.startswith("|") and not line.startswith("| ---"):
            continue
        for sentence, query in re.findall(r"(.*?)(?:\((Q\d+)\)|$)", line):
            numbers = re.findall(r"\d[\d,/]*(?<!,)", CONSTANT.sub("", sentence))
            values = [words(v) for row in rows.get(query, []) for v in row]
            used.add(query)
            assert not set(numbers) - set(values), f"{sentence!r}: {query or 'no query'} gives {values}"
            if body[i + 2:i + 3] and body[i + 2].startswith("|") and query:
                table = [row[2:-2].split(" | ") for row in body[i + 4:] if row.startswith("|")][:len(rows[query])]
                assert [row[:len(want)] for row, want in zip(table, rows[query], strict=True)] == [
                    [words(v) for v in want] for want in rows[query]], f"{line}: {table}, not {rows[query]}"
            elif query:
                assert not rows[query] or values == [v for v in values if v in sentence], f"{sentence!r} leaves out some of {values}"
    assert set(rows) <= used, f"queries that no sentence names: {set(rows) - used}"
    return rows


def trace_all(folder, out):
    count = 0
    for name in ("summary", "annex"):
        rows = trace((folder / f"{name}.md").read_text(), out)
        form = json.loads((folder / f"{name}.json").read_text())
        assert {q["id"]: q["rows"] or [] for q in form["queries"]} == rows, f"{name}.json has other figures"
        count += len(rows)
    return count


def check(binary, root, work):
    out = work / "out"
    audit(binary, out, [root], "--purpose", "train")
    names = recompute(root)
    for options in ([], ["--sme"]):
        call(binary, "report", out, "--eu-summary", work / "eu", *options)
        check_list(work / "eu/domains.csv", names, bool(options))
        rows = trace_all(work / "eu", out)
    call(binary, "report", out, "--eu-summary", work / "part", *PARTS[root.name])
    trace_all(work / "part", out)
    (work / "all.cdxj").write_text("".join(indexed(path) for path in sorted(root.rglob("*.warc*"))))
    audit(binary, work / "indexed", [work / "all.cdxj"])
    call(binary, "report", work / "indexed", "--eu-summary", work / "index")
    trace_all(work / "index", work / "indexed")
    print(f"{root.name}: {len(names)} names, {rows} queries")


def main(binary):
    with folder() as work:
        script("make", "history", work / "history")
        for root in [TESTDATA, work / "history", *shared("warc/real")]:
            check(binary, root, work / root.name / "forms")
