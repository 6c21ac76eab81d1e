"""Run every statement of docs/recipes.sql, each on an audit that has rows for it.

    recipes DATA

An error fails it, and so does a statement without a result, unless the comment before it says "(maybe none)". 'out' is
the audit DATA/testdata, and DATA/history in the section "Policies over time". Of DATA/revisits, where tags of pages are
unknown, the recipe that keeps pages must give what `robotsaudit export --keep` gave: DATA/keep.parquet.
"""

import os
import sys
import time
from pathlib import Path

os.environ["TZ"] = "America/New_York"  # no recipe may depend on where it runs
time.tzset()

import duckdb

from lib import ROOT, folder

SERIES = "Policies over time"


def statements(text):
    """statements yields the section of each statement, its question and its code."""
    section, question, code = "", "", []
    for line in text.splitlines():
        if line.startswith("-- == "):
            section = line.removeprefix("-- == ")
        elif line.startswith("--"):
            question = line.removeprefix("--").strip()
        elif line:
            code.append(line)
            if line.endswith(";"):
                yield section, question, "\n".join(code)
                question, code = "", []
    if code:
        sys.exit(f"recipes: no ; at the end: {code}")


def wrong(db, question, code):
    """wrong runs a statement and says what is wrong with it, if anything is."""
    setting = code.startswith("SET ")
    if not setting and not question.endswith(("?", "? (maybe none)")):
        return "the line before it is no question"
    try:
        result = db.sql(code)
        if result is not None and len(result) == 0 and "(maybe none)" not in question:
            return "no rows"
    except duckdb.Error as error:
        return str(error)


def other_pages(db, keep, data):
    """other_pages says which pages only one of the recipe and export keeps."""
    Path("out").unlink()
    Path("out").symlink_to(data / "revisits")
    db.sql(keep)
    columns = "url, warc_filename, warc_record_offset"
    ours, theirs = (f"SELECT {columns} FROM '{name}'" for name in ("keep.parquet", data / "keep.parquet"))
    return db.sql(f"({ours} EXCEPT ALL {theirs}) UNION ALL ({theirs} EXCEPT ALL {ours})").fetchall()


def main(data: Path):
    data = data.resolve()
    ran = failed = 0
    keep = ""
    db = duckdb.connect()
    with folder() as work:
        os.chdir(work)
        for section, question, code in statements((ROOT / "docs/recipes.sql").read_text()):
            Path("out").unlink(missing_ok=True)
            Path("out").symlink_to(data / ("history" if section.startswith(SERIES) else "testdata"))
            ran += 1
            keep = code if code.startswith("COPY ") else keep
            if what := wrong(db, question, code):
                failed += 1
                print(f"{section}: {question}\n{code}\n  {what}")
        if pages := other_pages(db, keep, data):
            failed += 1
            print(f"{keep}\n  export --keep differs: {pages}")
        os.chdir(data)
    print(f"recipes: {ran} statements, {failed} failures")
    return failed
