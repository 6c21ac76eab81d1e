"""Workers and kills change no byte; memory stays below a bound; killed commands and stages leave nothing.

    durability BINARY [ARCHIVE...] [--seed N] [--copies N] [--gigabytes N] [--kills N]

Without archives: testdata/warc and, where it is there, ../shared/warc/real. The largest is the one copied, --copies times, for
memory. Bombs of --gigabytes, and every file of ../shared/warc/hard, are audited and checked with all digests: none may take
more than 300 MB. Needs a gigabyte in $TMPDIR.

Then each command and stage is killed (SIGKILL) at random moments, --kills times in all, and audit so many times more. What it
has committed by then is whole. It is run once more, to its end: then there are the files that one undisturbed run leaves, with
the same bytes, and no others, beside the files that the command names, in its output folders, and in $TMPDIR. Some commands
are stopped (SIGSTOP) while they write, and another one runs beside them: both end well.
"""

import filecmp
import gzip
import hashlib
import json
import os
import random
import re
import shutil
import signal
import statistics
import time
import zlib
from pathlib import Path

from lib import ARCHIVES, Tally, begun, call, cost, ended, folder, script, shared

ENVIRONMENT = ""
LIMIT = 1800

MIXED = 40  # archives of the mixed folder, at least
LARGE_BYTES, LARGE_ARCHIVES = 400 << 20, 100  # at most, of archives that take a second or more, in several tasks
PEAK = 90e6  # bytes of resident memory at two workers, however many the archives
# Times the peak of one archive of half the copies is the peak of all copies, at most: both are decided in several
# ranges. Copies of a small archive fill the pages of some tables only when there are many.
MORE, SMALL, MORE_OF_SMALL = 1.2, 1 << 20, 1.5
PEAKS = 3  # of which the median counts
HARD_PEAK = 300e6  # of hostile and damaged archives
PIECE = 16 << 20
COPIES = 12  # of the archives of testdata, for kills: a command takes some tenths of a second
TEMPORARY = (".robotsaudit.tmp-", ".tmp-")  # what the names of files hold that are not whole
ATTEMPT = re.compile(r"-([0-9a-f]{16}|[A-Z2-7]{26})(?=/|$)")  # made at random
SHARDS, RANGES = 2, 4
AGENTS, STAGE = ["--agents", "GPTBot", "--quiet"], ["--facts", "facts", "--quiet"]


class Bench(Tally):
    def __init__(self, binary, work, rng):
        super().__init__()
        self.binary, self.folder, self.rng, self.outputs = binary, work, rng, 0
        schema = json.loads(call(binary, "schema", "--format", "json"))
        self.results = ["audit.json", "report.html"] + [table["name"] + ".parquet" for table in schema["tables"]]

    def output(self):
        self.outputs += 1
        return self.folder / f"out{self.outputs}"

    def command(self, *args):
        return [self.binary, "audit", *args, "--agents", "GPTBot", "--agents", "CCBot"]

    def peak(self, *args):
        """The median of the peaks of resident memory of some audits, in bytes."""
        peaks = []
        for _ in range(PEAKS):
            out = self.output()
            p, _, _, peak = cost(*self.command(*args, "-o", out, "--workers", "2"))
            if p.returncode not in (0, 3):
                raise SystemExit(f"{p.args}: exit code {p.returncode}")
            peaks.append(peak)
            shutil.rmtree(out)
        return statistics.median(peaks)

    def differing(self, a, b):
        """Names of results that are not the same bytes in two output folders."""
        return [n for n in self.results if not ((a / n).exists() and (b / n).exists() and filecmp.cmp(a / n, b / n, shallow=False))]

    def start(self, work, command):
        (work / "tmp").mkdir(exist_ok=True)
        return begun(self.binary, *command, cwd=work, env={**os.environ, "TMPDIR": str(work / "tmp")})

    def run(self, work, command):
        ended(self.start(work, command))

    def work(self, base):
        """A new folder to work in, which holds what a base holds."""
        work = self.output()
        if base:
            shutil.copytree(self.folder / "base" / base, work, symlinks=True)
        else:
            work.mkdir()
        return work


def copies(number, to, archives, *options):
    """A process of its own: what it holds would count as memory of those started after it."""
    script("make", "copies", *options, number, to, *archives)
    return sorted(to.iterdir())


def check_workers(bench, name, archives):
    outputs = {workers: bench.output() for workers in (1, 2, 8)}
    for workers, out in outputs.items():
        call(*bench.command(archives, "-o", out, "--workers", str(workers)))
    wrong = bench.differing(outputs[1], outputs[2]) + bench.differing(outputs[1], outputs[8])
    bench.check(f"workers 1, 2, 8 on {name}", not wrong, f"different: {wrong}" if wrong else f"{len(bench.results)} files byte-identical")


def check_memory(bench, archive, number):
    paths = copies(number, bench.folder / "memory", [archive])
    many, one = bench.peak(bench.folder / "memory"), bench.folder / f"one-{archive.name}"
    with open(one, "wb") as f:
        for path in paths[:number // 2]:
            f.write(path.read_bytes())
    half = bench.peak(one)
    times = MORE_OF_SMALL if archive.stat().st_size < SMALL else MORE
    bench.check(f"peak memory, an archive of {number // 2} copies of {archive.name} and {number} archives",
                many < PEAK and many < times * half,
                f"{half / 1e6:.1f} MB and {many / 1e6:.1f} MB: {100 * (many / half - 1):+.0f} %")
    one.unlink()
    shutil.rmtree(bench.folder / "memory")


def zeros(head, gigabytes):
    """Yields a gzip member of head and gigabytes of zeros. Its pieces refer to nothing
    before them, so that one is compressed and then repeated."""
    pieces = gigabytes * (10**9) // PIECE
    piece = bytes(PIECE)
    crc = zlib.crc32(head)
    yield b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + deflated(head)
    repeated = deflated(piece)
    for _ in range(pieces):
        crc = zlib.crc32(piece, crc)
        yield repeated
    size = len(head) + pieces * PIECE
    yield b"\x03\x00" + crc.to_bytes(4, "little") + (size & 0xFFFFFFFF).to_bytes(4, "little")


def deflated(content):
    c = zlib.compressobj(6, zlib.DEFLATED, -15)
    return c.compress(content) + c.flush(zlib.Z_FULL_FLUSH)


def record(url, length, http="HTTP/1.1 200 OK\r\n\r\n"):
    return (f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-05-01T12:00:00Z\r\n"
            f"WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\nContent-Length: {length + len(http)}\r\n\r\n{http}").encode()


def bombs(work, gigabytes):
    """Makes, one after the other, gzip members of gigabytes, a robots.txt in two content codings, and URLs of 60 kB."""
    octets = gigabytes * (10**9) // PIECE * PIECE
    for name, head in (("robots", record("http://h.example/robots.txt", octets)),
                       ("page", record("http://h.example/", octets)),
                       ("header", b"WARC/1.1\r\nX: "), ("nothing", b"")):
        yield name + ".warc.gz", zeros(head, gigabytes)
    inner = work / "twice"
    with gzip.open(inner, "wb", 6) as f:
        f.writelines(zeros(b"User-agent: *\nDisallow: /\n", gigabytes))
    body, coded = inner.read_bytes(), "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\n\r\n"
    yield "codings.warc", [record(url, len(body), coded) + body + b"\r\n\r\n"
                           for url in ("http://h.example/robots.txt", "http://h.example/")]
    yield "urls.warc.gz", [gzip.compress(record(f"http://h.example/{n:x}/" + "x" * 60_000, 1) + b"x\r\n\r\n", 1,
                                         mtime=0) for n in range(4_000)]


def check_bombs(bench, gigabytes):
    def check(kind, path):
        out = bench.output()
        p, _, _, peak = cost(bench.binary, "audit", path, "-o", out, "--workers", "2", "--verify-digests")
        most[kind] = max(most.get(kind, (0, "")), (peak, path.name))
        if kind == "bombs" or p.returncode not in (0, 3) or peak >= HARD_PEAK:
            bench.check(f"audit {path.name}", p.returncode in (0, 3) and peak < HARD_PEAK,
                        f"exit code {p.returncode}, {peak / 1e6:.0f} MB")
        shutil.rmtree(out, ignore_errors=True)

    most = {}
    for hard in shared("warc/hard"):
        for path in sorted(path for path in hard.rglob("*") if path.is_file()):
            check("hard", path)
    for name, pieces in bombs(bench.folder, gigabytes):
        with open(bench.folder / name, "wb") as f:
            f.writelines(pieces)
        check("bombs", bench.folder / name)
        (bench.folder / name).unlink()
    for kind, (peak, name) in most.items():
        print(f"{kind}: {peak / 1e6:.0f} MB at most, for {name}")


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
    return [
        ("audit", None, ["audit", archives, "-o", "out", *AGENTS]),
        ("ingest", None, ["ingest", archives, "-o", "out", "--quiet"]),
        ("evaluate", "ingested", ["evaluate", "out", *AGENTS]),
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
        ("plan", None, ["plan", archives, "--shards", str(SHARDS), *STAGE, "--agents", "GPTBot"]),
        ("ingest --shard", "planned", ["ingest", "--shard", f"1/{SHARDS}", *STAGE]),
        ("resolve", "read", ["resolve", *STAGE]),
        ("decide", "resolved", ["decide", "--buckets", f"2/{RANGES}", "-o", "out", *STAGE]),
        ("finish", "decided", ["finish", "-o", "out", "--quiet"]),
    ]


def bases(bench, archives):
    """Makes what commands begin with."""
    def make(name, before, *steps):
        work = bench.folder / "base" / name
        if before:
            shutil.copytree(bench.folder / "base" / before, work)
        else:
            work.mkdir(parents=True)
        for step in steps:
            bench.run(work, step)
        shutil.rmtree(work / "tmp", ignore_errors=True)
        return work

    paths = sorted(archives.iterdir())
    make("ingested", None, ["ingest", archives, "-o", "out", "--quiet"])
    make("parts", None, ["ingest", *paths[::2], "-o", "out1", "--quiet"], ["ingest", *paths[1::2], "-o", "out2", "--quiet"])
    (make("audited", "ingested", ["evaluate", "out", *AGENTS]) / "to").mkdir()
    make("bundled", "audited", ["evidence", "out", "--to", "to/bundle.warc.gz"])
    make("planned", None, ["plan", archives, "--shards", str(SHARDS), *STAGE, "--agents", "GPTBot"])
    make("read", "planned", *[["ingest", "--shard", f"{i}/{SHARDS}", *STAGE] for i in range(SHARDS)])
    make("resolved", "read", ["resolve", *STAGE])
    decided = make("decided", "resolved", *[["decide", "--buckets", f"{j}/{RANGES}", "-o", "out", *STAGE] for j in range(RANGES)])
    # `finish` looks for the facts where `decide` read them: a copy of the folder names its own.
    for path in decided.rglob("ranges.json"):
        path.write_text(path.read_text().replace(str(decided / "facts"), "facts"))


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
            end, awaited = time.monotonic() + whole, is_writing if i % 4 == 1 else is_committed
            while p.poll() is None and not awaited(work) and time.monotonic() < end:
                time.sleep(0.001)
            time.sleep(bench.rng.random() * whole / 4 if awaited is is_writing else 0)
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
    bench.check("%s, %.1f s" % (name, whole), not wrong, "; ".join(wrong[:3]) or
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
    bench.check("%s, stopped while another runs" % name, not wrong, "; ".join(wrong[:3]) or "stopped %d times; both end well" % stopped)


def check_kills(bench, kills):
    archives = bench.folder / "archives"
    copies(COPIES, archives, ARCHIVES)
    bases(bench, archives)
    all_commands = commands(archives)
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


def main(binary, *archives: Path, seed: int = 9309, copies_for_memory: int = 200, gigabytes: int = 1, kills: int = 20):
    archives = archives or [*ARCHIVES, *(path for real in shared("warc/real") for path in real.glob("*.warc.gz"))]
    largest = max(archives, key=lambda path: path.stat().st_size)
    with folder("durability-") as work:
        bench, mixed, large = Bench(binary, work, random.Random(seed)), work / "mixed", work / "large"
        check_workers(bench, f"{len(copies(-(-MIXED // len(archives)), mixed, archives))} archives", mixed)
        shutil.rmtree(mixed)
        size = copies(1, large, [largest], "--plain")[0].stat().st_size
        number = len(copies(min(-(-LARGE_BYTES // size), LARGE_ARCHIVES), large, [largest], "--plain"))
        check_workers(bench, f"{number} archives of {size / 1e6:.1f} MB", large)
        shutil.rmtree(large)
        check_memory(bench, largest, copies_for_memory)
        check_bombs(bench, gigabytes)
        check_kills(bench, kills)
    return bench.failed
