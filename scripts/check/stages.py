"""Stages (docs/SCALE.md) give the tables of one process: several shards and ranges, and tasks that run twice.

    stages BINARY [FOLDER...] [--copies N] [--largest]

Without folders of archives: testdata/warc and, where it is there, ../shared/warc/real; with --copies 250 in their place
2,000 made archives, which are so many copies of testdata/warc with other hosts. durability.py kills the tasks. --largest tries all of 1, 3 and 50 shards
with 1, 7 and 128 ranges.
"""

import glob
import os

from lib import ARCHIVES, TESTDATA, Tally, begun, call, ended, folder, script, shared
from same import differences

LIMIT = 1800

SETTINGS = ["--agents", "ai", "--purpose", "train", "--purpose", "archive", "--policies", "named"]
DONE = (0, 3)


class Stages:
    """An audit in stages of the archives in folders."""

    settings = SETTINGS

    def __init__(self, binary, work, shards, ranges, folders):
        self.binary = binary
        os.makedirs(work)
        self.facts, self.out = os.path.join(work, "facts"), os.path.join(work, "out")
        plan = [["plan", *folders, "--shards", str(shards), "--facts", self.facts, *SETTINGS]]
        read = [["ingest", "--shard", "%d/%d" % (i, shards), "--facts", self.facts, "--workers", "2"] for i in range(shards)]
        resolve = [["resolve", "--facts", self.facts]]
        decide = [["decide", "--buckets", "%d/%d" % (j, ranges), "--facts", self.facts, "-o", self.out] for j in range(ranges)]
        finish = [["finish", "-o", self.out]]
        self.stages = [plan, read, resolve, decide, finish]

    def run(self, times=1):
        """Runs every task, so many times at once."""
        for stage in self.stages:
            for task in stage:
                for process in [begun(self.binary, *task, "--quiet") for _ in range(times)]:
                    ended(process)


def main(binary, *folders, copies: int = 0, largest: bool = False):
    tally = Tally()

    def compare(name, stages):
        found, compared = differences(one, stages.out)
        left = glob.glob(stages.facts + "/shards/*.tmp-*")
        tally.check(name, not found and not left, "; ".join(found + left) or "%d rows" % compared)

    with folder() as work:
        os.environ["TMPDIR"] = str(work)  # what killed tasks leave goes, too
        if copies:
            script("make", "copies", copies, work / "archives", *ARCHIVES)
            folders = [str(work / "archives")]
        folders, one = folders or [str(path) for path in (TESTDATA, *shared("warc/real"))], str(work / "one")
        call(binary, "audit", *folders, "-o", one, *SETTINGS, "--quiet", codes=DONE)
        for n, m in [(n, m) for n in (1, 3, 50) for m in (1, 7, 128)] if largest else [(3, 7)]:
            stages = Stages(binary, str(work / ("plain-%d-%d" % (n, m))), n, m, folders)
            stages.run()
            compare("%d shards, %d ranges" % (n, m), stages)
        stages = Stages(binary, str(work / "twice"), 3, 7, folders)
        stages.run(times=2)
        compare("every task twice at once", stages)
    return tally.failed
