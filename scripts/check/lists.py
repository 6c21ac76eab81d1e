"""Read the lists of `robotsaudit export` and compare them with SQL on the tables.

    lists BINARY DIR

Each format, read by another reader, must have the same rows: pyarrow, csv, json. The lists by
record must be what DuckDB makes of fetches, group_verdicts, robots_agents and restrictions: each
fetch of a page is in exactly one of the three lists.
"""

import csv
import io
import json
import re
import subprocess
from pathlib import Path

import duckdb
import pyarrow.parquet as parquet

from lib import folder

REASONS = """
WITH asked AS (
    SELECT warc_filename, warc_record_offset, url, verdict FROM fetches WHERE $tokens = []
    UNION ALL
    SELECT warc_filename, warc_record_offset, url, verdict
    FROM group_verdicts JOIN robots_agents USING (robots_id, "group") WHERE agent IN $tokens
), verdicts AS (
    SELECT warc_filename, warc_record_offset, url, bool_or(verdict = 'disallowed') AS disallowed, bool_or(verdict = 'unknown') AS unknown
    FROM asked GROUP BY ALL
)
SELECT warc_filename, warc_record_offset, url, list_concat(
           CASE WHEN disallowed THEN ['disallowed'] ELSE [] END,
           CASE WHEN (warc_filename, warc_record_offset, url) IN
                     (SELECT (warc_filename, warc_record_offset, url) FROM restrictions WHERE purpose IN $purposes)
                THEN ['restricted'] ELSE [] END,
           CASE WHEN fetch_method = 'HEAD' OR coalesce(fetch_status NOT BETWEEN 200 AND 299, record_type <> 'resource' AND trust NOT IN ('listed', 'indexed'))
                THEN ['not_a_page'] ELSE [] END,
           CASE WHEN fetch_status IS NULL AND record_type <> 'resource' AND trust = 'indexed' THEN ['status_unknown'] ELSE [] END,
           CASE WHEN unknown THEN ['robots_unknown'] ELSE [] END,
           CASE WHEN $tokens = [] AND verdict = 'allowed' AND list_contains(notes, 'named_group_forbids')
                THEN ['unnamed_crawler'] ELSE [] END,
           CASE WHEN len($purposes) > 0 AND tags_from IS NOT DISTINCT FROM 'unknown' THEN ['tags_unknown'] ELSE [] END,
           CASE WHEN len(list_intersect(string_split(hints, ','), $purposes)) > 0 THEN ['hint'] ELSE [] END,
           ['allowed']) AS reasons
FROM fetches JOIN verdicts USING (warc_filename, warc_record_offset, url)
WHERE fetches.reason <> 'robots_txt_itself'
"""

FATES = {"disallowed": "drop", "restricted": "drop", "allowed": "keep"}
LISTS = ("drop", "undecided", "keep")  # of several reasons, one of the first list counts


def export(binary, dir, *options):
    return subprocess.run([binary, "export", dir, *options], check=True, stdout=subprocess.PIPE).stdout


def spreadsheet_cell(text):
    """No formula, and control characters by their numbers."""
    shown = re.sub(r"[\x00-\x1f\x7f\u202a-\u202e\u2066-\u2069]", lambda c: f"⟨U+{ord(c[0]):04X}⟩", text)
    return "'" + shown if text.lstrip(" ")[:1] in tuple("=+-@\t\r") else shown


def read_all(binary, dir, work, options):
    """Reads a list in all formats, and returns its rows."""
    lines = [json.loads(line) for line in export(binary, dir, *options, "--format", "jsonl").splitlines()]
    path = work / "list.parquet"
    export(binary, dir, *options, "--to", path)
    table = parquet.read_table(path)
    cells = list(csv.DictReader(io.StringIO(export(binary, dir, *options, "--format", "csv").decode(), newline="")))
    assert len(lines) == table.num_rows == len(cells), f"{options}: {len(lines)}, {table.num_rows} and {len(cells)} rows"
    for line, row, cell in zip(lines, table.to_pylist(), cells):
        for name in row:
            if name.endswith("fetch_time") and row[name] is not None:
                row[name] = row[name].strftime("%Y-%m-%dT%H:%M:%S") + (f".{row[name].microsecond:06}".rstrip("0").rstrip(".")) + "Z"
        assert line == row, f"{options}: JSON has {line}, Parquet {row}"
        want = {name: "" if value is None else spreadsheet_cell(value) if isinstance(value, str) else str(value)
                for name, value in row.items() if name in cell}
        assert cell == want and 10 < len(cell) < 13, f"{options}: CSV has {cell}, Parquet {row}"
    return lines


def check_lists(binary, dir, work, tables, tokens, purposes, decided):
    options = [f"--agents={token}" for token in tokens] + [f"--purpose={p}" for p in purposes]
    options += [f"--decide={reason}={fate}" for reason, fate in decided.items()]
    want = {fate: set() for fate in LISTS}
    for *place, reasons in tables.execute(REASONS, {"tokens": tokens, "purposes": purposes}).fetchall():
        fates = [decided.get(reason) or FATES.get(reason, "undecided") for reason in reasons]
        fate = min(fates, key=LISTS.index)
        want[fate].add((*place, reasons[fates.index(fate)]))
    for fate in LISTS:
        rows = read_all(binary, dir, work, [fate, *options])
        got = {(row["warc_filename"], row["warc_record_offset"], row["url"], row["reason"]) for row in rows}
        assert got == want[fate], f"{fate} {options}: {got ^ want[fate]}"
        for by in ("url", "host", "origin", "domain"):
            groups = read_all(binary, dir, work, [fate, *options, "--by", by])
            keys = export(binary, dir, fate, *options, "--by", by, "--format", "txt").decode().splitlines()
            name = {"host": "surt_host_name"}.get(by, by)
            assert [row[name] for row in groups] == keys == sorted(set(keys), key=str.encode), f"{fate} --by {by} {options}: {keys}"
    for by in ("url", "host", "origin", "domain"):
        keys = [key for fate in LISTS for key in export(binary, dir, fate, *options, "--by", by, "--format", "txt").splitlines()]
        assert len(keys) == len(set(keys)), f"--by {by} {options}: in two lists"


def main(binary, dir: Path):
    settings = json.loads((dir / "audit.json").read_text())["settings"]
    tables = duckdb.connect()
    absent = {"group_verdicts": "warc_filename, warc_record_offset, url, 'x' AS verdict, robots_id, 0 AS \"group\"",
              "robots_agents": "robots_id, 0 AS \"group\", agent"}
    for name in ("fetches", "restrictions", "group_verdicts", "robots_agents"):
        is_there = (dir / f"{name}.parquet").exists()
        tables.execute(f"CREATE VIEW {name} AS FROM '{dir / name}.parquet'" if is_there else
                       f"CREATE VIEW {name} AS SELECT {absent[name]} FROM fetches LIMIT 0")
    agents, purposes = settings.get("agents", []), settings.get("purposes", [])
    with folder() as work:
        decisions = [{}, {"robots_unknown": "drop", "tags_unknown": "keep"}, {"not_a_page": "drop", "unnamed_crawler": "keep"}]
        asked = [(tokens, decided) for tokens in ([], agents[:1], agents) for decided in decisions]
        for tokens, decided in asked:
            check_lists(binary, dir, work, tables, tokens, purposes, decided)
    print(f"lists: {len(asked)} times three lists are what SQL makes of the tables, in each format")
