"""Audits testdata/warc, and ../shared/warc where it is there, and checks the results with other programs.

    results BINARY

What each program shows is in results.md.
"""

import os

import bundle
import expected
import formats
import lists
import readers
import recompute
import shares
import tables
from lib import ARCHIVES, HISTORY, ROOT, TESTDATA, call, folder, shared

LIMIT = 1800


class Results:
    def __init__(self, binary, work):
        self.binary, self.work, self.failed = binary, work, False
        self.schema = work / "schema.json"
        self.schema.write_text(call(binary, "schema", "--format", "json"))

    def check(self, program, *arguments, **options):
        """check runs a program to its end, whatever comes of it."""
        try:
            wrong = program(*arguments, **options)
        except (AssertionError, ValueError, SystemExit) as error:
            print(f"{program.__module__}: {error}")
            wrong = True
        self.failed |= bool(wrong)

    def audit(self, name, archives, *options):
        """audit audits the archives and runs every check of results on its own."""
        print(f"== {name}", flush=True)
        out, root = self.work / name, archives[0] if len(archives) == 1 and archives[0].is_dir() else archives[0].parent
        call(self.binary, "audit", *archives, "-o", out, *options, codes=(0,))
        self.check(expected.main, out, *archives, expect_none=name == "a")
        self.check(recompute.main, out, root)
        self.check(readers.main, out, self.schema)
        self.check(formats.main, self.binary, out)
        return out


def main(binary):
    with folder() as work:
        r = Results(binary, work)
        for letter in "abc":
            r.audit(letter, [path for path in ARCHIVES if path.name.startswith(f"crawl-{letter}-")])
        for path in ARCHIVES:
            r.audit(path.name, [path])
        out = r.audit("all", [TESTDATA], "--agents", "GPTBot", "--agents", "CCBot", "--agents", "Wget", "--purpose", "train")
        r.check(lists.main, binary, out)
        print("== random tables", flush=True)
        (work / "random").mkdir()
        call("go", "test", "-count=1", "-run", "^TestRandomTables$", "./internal/parquetwriter", cwd=ROOT, codes=(0,),
             env=os.environ | {"ROBOTSAUDIT_TABLES": str(work / "random")})
        r.check(tables.main, work / "random")
        print("== evidence of all violations", flush=True)
        call(binary, "evidence", out, "--to", work / "bundle.warc.gz", codes=(0,))
        call(binary, "verify", work / "bundle.warc.gz", codes=(0,))
        r.check(bundle.main, work / "bundle.warc.gz", TESTDATA)
        for real in shared("warc/real"):
            for path in sorted(real.glob("*.warc.gz")):
                r.audit(path.name, [path])
        for _ in shared("robots/history-2020-2025.jsonl.gz"):
            print("== what five years of real robots.txt say to AI agents", flush=True)
            r.check(shares.main, binary, HISTORY)
        print("some checks FAILED" if r.failed else "all checks hold")
        return r.failed
