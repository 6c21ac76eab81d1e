#!/usr/bin/env python3
"""Compare each verdict of `robotsaudit audit` with the server's log of the crawl.

    compare.py BINARY ARCHIVES CRAWLER... [--list]

ARCHIVES is a folder that scripts/crawlers/run made. The archives of each crawler are audited together,
then those of all crawlers.
"""

import argparse
import io
import json
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from pathlib import Path

import duckdb
import oracle
import web
from warcio.archiveiterator import ArchiveIterator

from crawlers import CRAWLERS

RANK = {"contested": 0, "possible": 0, "probable": 1, "certain": 2}


def records(folder):
    """records gives of each record in the archives under folder its id, the number of its answer in the log, and whether it has the body."""
    for path in sorted(folder.rglob("*.w*")):
        if path.suffix == ".wacz":
            with zipfile.ZipFile(path) as wacz:
                streams = [io.BytesIO(wacz.read(name)) for name in wacz.namelist() if name.startswith("archive/")]
        elif path.name.endswith((".warc", ".warc.gz")):
            streams = [open(path, "rb")]
        else:
            continue
        for stream in streams:
            with stream:
                for record in ArchiveIterator(stream):
                    served = record.http_headers and record.http_headers.get_header(web.SERVED)
                    if served and record.rec_type in ("response", "revisit"):
                        whole = record.rec_type == "response" and record.http_headers.get_statuscode() != "304"
                        yield record.rec_headers.get_header("WARC-Record-ID").strip("<>"), int(served), whole


def audit(binary, folders, work):
    """audit gives the rows of fetches, as dictionaries."""
    done = subprocess.run([binary, "audit", *folders, "-o", work], capture_output=True)
    if done.returncode not in (0, 3):
        sys.exit(f"compare.py: robotsaudit ended with {done.returncode}")
    columns = "url, fetch_time::varchar as fetch_time, verdict, evidence, reason, certainty, agent, notes, warc_record_id, warc_filename, warc_record_offset"
    found = duckdb.sql(f"select {columns} from '{work}/fetches.parquet'")
    return [dict(zip(found.columns, row)) for row in found.fetchall()]


COLUMNS = ("equal", "weaker", "unknown, by lack", "misled, by lack", "unknown, yet held", "wrong",
           "without row", "not archived", "not served")


def judge(row, truth, held):
    """judge names what the row of the tool is beside the verdict by the whole log and that by what the archives hold."""
    kind = judge_beside(row, truth, held)
    # Archives that lack what would refute a verdict mislead whoever reads them alone.
    return "misled, by lack" if kind == "wrong" and held != truth and judge_beside(row, held, held) in ("equal", "weaker") else kind


def judge_beside(row, truth, held):
    if row["verdict"] == "unknown":
        if truth.verdict == "unknown":
            return "equal"
        return "unknown, by lack" if held.verdict == "unknown" else "unknown, yet held"
    if row["verdict"] != truth.verdict:
        return "wrong"
    if row["verdict"] == "allowed" or row["certainty"] == truth.certainty:
        return "equal"
    return "wrong" if RANK[row["certainty"]] > RANK[truth.certainty] else "weaker"


def compare(binary, folders, log, listed, label):
    found = [record for folder in folders for record in records(folder)]
    recorded = {record_id: number for record_id, number, _ in found}
    answers = set(recorded.values())
    bodies = {number for _, number, whole in found if whole}
    truth, held = oracle.Oracle(log), oracle.Oracle([line for line in log if line.number in answers], bodies)
    with tempfile.TemporaryDirectory() as work:
        rows = audit(binary, folders, work)
    counts, reasons = Counter(), Counter()
    for row in rows:
        number = recorded.get((row["warc_record_id"] or "").strip("<>"))
        if number is None:
            counts["not served"] += 1
            continue
        said, could = truth.verdict(number), held.verdict(number)
        kind = judge(row, said, could)
        counts[kind] += 1
        if kind == "equal":
            continue
        reasons[kind, row["reason"], row["verdict"], row["certainty"], said, could] += 1
        if listed:
            print(f"  {kind}: {row['url']} {row['fetch_time']} {row['warc_filename']}@{row['warc_record_offset']} "
                  f"{row['verdict']} {row['certainty'] or ''} ({row['reason']}, {row['evidence']}, agent {row['agent']}, "
                  f"notes {row['notes']}); log {number}: {said.verdict} {said.certainty} ({said.why}); held: {could.verdict} {could.certainty} ({could.why})")
    counts["without row"] = len(answers) - sum(counts[k] for k in counts if k != "not served")
    counts["not archived"] = len(log) - len(answers)
    print(f"{label:20}{len(rows):8}" + "".join(f"{counts[name]:19}" for name in COLUMNS))
    return reasons


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path)
    parser.add_argument("archives", type=Path)
    parser.add_argument("crawler", nargs="+", choices=CRAWLERS)
    parser.add_argument("--list", action="store_true", help="list each verdict that differs")
    options = parser.parse_args()
    log = oracle.read(options.archives / "server.jsonl", {name: CRAWLERS[name].token for name in options.crawler}, web)
    print(f"{'crawler':20}{'fetches':>8}" + "".join(f"{name:>19}" for name in COLUMNS))
    total = Counter()
    for name in options.crawler:
        own = [line for line in log if line.crawler == name]
        total += compare(options.binary, [options.archives / name], own, options.list, name)
    if len(options.crawler) > 1:
        total += compare(options.binary, [options.archives / name for name in options.crawler], log, options.list, "all together")
    print("\nWhat differs, and how often:")
    for (kind, reason, verdict, certainty, said, could), count in sorted(total.items(), key=lambda item: (item[0][0], -item[1])):
        print(f"{count:6}  {kind}: {verdict} {certainty or ''} ({reason}); by the log {said.verdict} {said.certainty} ({said.why}), "
              f"by the archives {could.verdict} {could.certainty} ({could.why})")
    wrong = sum(count for key, count in total.items() if key[0] == "wrong")
    print(f"\n{wrong} wrong" if wrong else "\nno verdict is wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
