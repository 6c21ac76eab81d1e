"""What killed commands leave: nothing, once the same command has run again.

    left BINARY [--kills N] [--seed N]

Each command and stage is killed (SIGKILL) at random moments, N times in all (default: 100), and audit N times more. What
it has committed by then is whole. It is run once more, to its end. Then there are the files that one undisturbed run leaves, and no others: beside the files that the command names,
in its output folders, and in $TMPDIR. Results have the same bytes. Some commands are stopped (SIGSTOP) while they write
and another one runs beside them: both end well. A line for each command.
"""

import hashlib
import os
import random
import re
import shutil
import signal
import time
from pathlib import Path

from lib import ARCHIVES, Tally, begun, ended, folder, script

ENVIRONMENT = ""
COPIES = 12  # of the archives of testdata: a command takes some tenths of a second
TEMPORARY = (".robotsaudit.tmp-", ".tmp-")  # what the names of files hold that are not whole
ATTEMPT = re.compile(r"-([0-9a-f]{16}|[A-Z2-7]{26})(?=/|$)")  # made at random
SHARDS, RANGES = 2, 4


class Bench(Tally):
    def __init__(self, binary, folder, rng):
        super().__init__()
        self.binary, self.folder, self.rng, self.number = binary, folder, rng, 0
        self.base = os.path.join(folder, "base")
        self.archives = os.path.join(folder, "archives")

    def start(self, work, command):
        tmp = os.path.join(work, "tmp")
        os.makedirs(tmp, exist_ok=True)
        return begun(self.binary, *command, cwd=work, env={**os.environ, "TMPDIR": tmp})

    def run(self, work, command):
        ended(self.start(work, command))

    def work(self, base):
        """A new folder to work in, which holds what a base holds."""
        self.number += 1
        work = os.path.join(self.folder, "work%d" % self.number)
        if base:
            shutil.copytree(os.path.join(self.base, base), work, symlinks=True)
        else:
            os.mkdir(work)
        return work

    def right(self, name, wrong, detail):
        self.check(name, not wrong, "; ".join(wrong[:3]) or detail)


def files(work):
    """The files of a folder, and of results the digests, by names without those of attempts."""
    found = {}
    for folder, dirs, names in os.walk(work):
        inside = os.path.relpath(folder, work)
        if not dirs and not names:
            found[ATTEMPT.sub("", inside) + "/"] = ""
        for name in names:
            path = os.path.join(folder, name)
            told = ATTEMPT.sub("", os.path.join(inside, name))
            while told in found:  # two attempts
                told += " again"
            result = ".robotsaudit" not in inside and not inside.startswith("facts") and os.path.isfile(path)
            found[told] = hashlib.sha256(Path(path).read_bytes()).hexdigest() if result else ""
    found.pop("tmp/", None)
    return found


def differing(got, want):
    return (["left: %s" % n for n in sorted(set(got) - set(want))] +
            ["missing: %s" % n for n in sorted(set(want) - set(got))] +
            ["other bytes: %s" % n for n in sorted(set(got) & set(want)) if got[n] != want[n]])


def is_writing(work):
    """Whether a file or folder is there that is not whole."""
    return any(mark in name for _, dirs, names in os.walk(work) for name in dirs + names for mark in TEMPORARY)


def is_committed(work):
    return os.path.exists(os.path.join(work, "out", "audit.json"))


def commands(archives):
    """Name, base and command of each command and stage, some in more than one way."""
    agents = ["--agents", "GPTBot", "--quiet"]
    stage = ["--facts", "facts", "--quiet"]
    return [
        ("audit", None, ["audit", archives, "-o", "out", *agents]),
        ("ingest", None, ["ingest", archives, "-o", "out", "--quiet"]),
        ("evaluate", "ingested", ["evaluate", "out", *agents]),
        ("merge", "parts", ["merge", "out1", "out2", "-o", "out", "--quiet"]),
        ("report", "audited", ["report", "out"]),
        ("report as files", "audited", ["report", "out", "--html", "to/r.html", "--markdown", "to/r.md", "--json",
                                        "to/r.json", "--eu-summary", "to/eu"]),
        ("export", "audited", ["export", "out", "keep", "--to", "to/list.csv"]),
        ("export by host", "audited", ["export", "out", "drop", "--by", "host", "--to", "to/hosts.parquet"]),
        ("diff", "audited", ["diff", "out", "out"]),
        ("explain", "audited", ["explain", "out", "copy001-crawl-b-1.warc.gz:2610"]),
        ("evidence", "audited", ["evidence", "out", "--to", "to/bundle.warc.gz"]),
        ("verify", "bundled", ["verify", "to/bundle.warc.gz"]),
        ("export robots", "audited", ["export", "out", "robots", "--to", "to/robots"]),
        ("plan", None, ["plan", archives, "--shards", str(SHARDS), *stage, "--agents", "GPTBot"]),
        ("ingest --shard", "planned", ["ingest", "--shard", "1/%d" % SHARDS, *stage]),
        ("resolve", "read", ["resolve", *stage]),
        ("decide", "resolved", ["decide", "--buckets", "2/%d" % RANGES, "-o", "out", *stage]),
        ("finish", "decided", ["finish", "-o", "out", "--quiet"]),
    ]


def bases(bench):
    """Makes what commands begin with."""
    def make(name, before, *steps):
        work = os.path.join(bench.base, name)
        if before:
            shutil.copytree(os.path.join(bench.base, before), work)
        else:
            os.makedirs(work)
        for step in steps:
            bench.run(work, step)
        shutil.rmtree(os.path.join(work, "tmp"), ignore_errors=True)
        return work

    agents, stage = ["--agents", "GPTBot", "--quiet"], ["--facts", "facts", "--quiet"]
    names = sorted(os.listdir(bench.archives))
    paths = [os.path.join(bench.archives, n) for n in names]
    make("ingested", None, ["ingest", bench.archives, "-o", "out", "--quiet"])
    make("parts", None, ["ingest", *paths[::2], "-o", "out1", "--quiet"], ["ingest", *paths[1::2], "-o", "out2", "--quiet"])
    audited = make("audited", "ingested", ["evaluate", "out", *agents])
    os.mkdir(os.path.join(audited, "to"))
    make("bundled", "audited", ["evidence", "out", "--to", "to/bundle.warc.gz"])
    make("planned", None, ["plan", bench.archives, "--shards", str(SHARDS), *stage, "--agents", "GPTBot"])
    make("read", "planned", *[["ingest", "--shard", "%d/%d" % (i, SHARDS), *stage] for i in range(SHARDS)])
    resolved = make("resolved", "read", ["resolve", *stage])
    decided = os.path.join(bench.base, "decided")
    shutil.copytree(resolved, decided)
    for j in range(RANGES):
        bench.run(decided, ["decide", "--buckets", "%d/%d" % (j, RANGES), "-o", "out", *stage])
    # `finish` looks for the facts where `decide` read them: a copy of the folder names its own.
    for path in Path(decided).rglob("ranges.json"):
        text = path.read_text().replace(os.path.join(os.path.realpath(decided), "facts"), "facts")
        path.write_text(text.replace(os.path.join(decided, "facts"), "facts"))


def kill(bench, name, base, command, kills):
    work = bench.work(base)
    begin = time.monotonic()
    bench.run(work, command)
    whole = time.monotonic() - begin
    want = files(work)
    shutil.rmtree(work)
    hit = left = 0
    wrong = []
    for i in range(kills):
        work = bench.work(base)
        p = bench.start(work, command)
        if i % 2:  # while something is written, or once results are committed
            end, begun = time.monotonic() + whole, is_writing if i % 4 == 1 else is_committed
            while p.poll() is None and not begun(work) and time.monotonic() < end:
                time.sleep(0.001)
            time.sleep(bench.rng.random() * whole / 4 if begun is is_writing else 0)
        else:
            time.sleep(bench.rng.random() * whole)
        p.kill()
        p.communicate()
        hit += p.returncode == -signal.SIGKILL
        left += is_writing(work)
        found = files(work)
        if is_committed(work):  # then everything beside it counts
            wrong += ["committed, and not whole: %s" % n for n in want
                      if n.startswith("out/") and n != "out/report.html" and found.get(n) != want[n]]
        bench.run(work, command)
        wrong += differing(files(work), want)
        shutil.rmtree(work)
    bench.right("%s, %.1f s" % (name, whole), wrong,
                "%d of %d kills hit it, %d left something, and then nothing is left" % (hit, kills, left))
    return hit, left


def beside(bench, name, base, command, other):
    """A command is stopped while it writes, another one runs, and it goes on."""
    work = bench.work(base)
    bench.run(work, command)
    bench.run(work, other)
    want = files(work)
    shutil.rmtree(work)
    wrong, stopped = [], 0
    for _ in range(10):
        work = bench.work(base)
        p = bench.start(work, command)
        while p.poll() is None and not is_writing(work):
            time.sleep(0.001)
        time.sleep(bench.rng.random() * 0.02)
        p.send_signal(signal.SIGSTOP)
        was = p.poll() is None and is_writing(work)
        bench.run(work, other)
        p.send_signal(signal.SIGCONT)
        said = p.communicate()[1]
        stopped += was
        if p.returncode not in (0, 3):
            wrong.append("exit code %d: %s" % (p.returncode, said.strip()))
        wrong += differing(files(work), want)
        shutil.rmtree(work)
        if stopped >= 3:
            break
    if not stopped:
        wrong.append("it was never stopped while it wrote")
    bench.right("%s, stopped while another runs" % name, wrong, "stopped %d times; both end well" % stopped)


def main(binary, *, kills: int = 100, seed: int = 9309):
    with folder("left-") as work:
        bench = Bench(str(binary), str(work), random.Random(seed))
        script("make", "copies", COPIES, bench.archives, *ARCHIVES)
        bases(bench)
        all_commands = commands(bench.archives)
        hit = left = 0
        for i, (name, base, command) in enumerate(all_commands):
            share = kills * (i + 1) // len(all_commands) - kills * i // len(all_commands) + kills * (name == "audit")
            if share:
                one = kill(bench, name, base, command, share)
                hit, left = hit + one[0], left + one[1]
        print("%d kills hit a running command, %d left something" % (hit, left), flush=True)
        export = ["export", "out", "keep", "--to", "to/list.csv"]
        beside(bench, "export", "audited", export, [*export[:-1], "to/other.csv"])
        beside(bench, "export, of the same file", "audited", export, export)
        report = ["report", "out", "--html", "to/r.html"]
        beside(bench, "report", "audited", report, [*report[:-1], "to/other.html"])
        finish = ["finish", "-o", "out", "--quiet"]
        beside(bench, "finish", "decided", finish, finish)
    return bench.failed
