"""Workers, interruptions and the order of work change no byte; memory stays below a bound; killed commands leave nothing.

    durability BINARY [ARCHIVE...] [--seed N] [--copies N] [--gigabytes N] [--kills N]

Without archives: testdata/warc and, where it is there, ../shared/warc/real. The largest is the one copied for the interrupt
and, --copies times, for memory. Bombs of --gigabytes, and every file of ../shared/warc/hard, are audited and checked with all
digests: none may take more than 300 MB. The last part is left.py. Needs a gigabyte in $TMPDIR.
"""

import filecmp
import gzip
import json
import re
import shutil
import signal
import statistics
import time
import zlib
from pathlib import Path

import left
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


class Bench(Tally):
    def __init__(self, binary, work):
        super().__init__()
        self.binary, self.work, self.outputs = binary, work, 0
        schema = json.loads(call(binary, "schema", "--format", "json"))
        self.results = ["audit.json", "report.html"] + [table["name"] + ".parquet" for table in schema["tables"]]

    def output(self):
        self.outputs += 1
        return self.work / f"out{self.outputs}"

    def command(self, *args):
        return [self.binary, "audit", *args, "--agents", "GPTBot", "--agents", "CCBot"]

    def start(self, *args):
        return begun(*self.command(*args))

    def audit(self, *args):
        """Audits to the end; returns what is printed on standard error."""
        return ended(self.start(*args))

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


def copies(number, to, archives, *options):
    """A process of its own: what it holds would count as memory of those started after it."""
    script("make", "copies", *options, number, to, *archives)
    return sorted(to.iterdir())


def check_workers(bench, name, archives):
    outputs = {workers: bench.output() for workers in (1, 2, 8)}
    for workers, out in outputs.items():
        bench.audit(archives, "-o", out, "--workers", str(workers))
    wrong = bench.differing(outputs[1], outputs[2]) + bench.differing(outputs[1], outputs[8])
    bench.check(f"workers 1, 2, 8 on {name}", not wrong, f"different: {wrong}" if wrong else f"{len(bench.results)} files byte-identical")


def check_added(bench, archives):
    part, out, fresh = bench.work / "part", bench.output(), bench.output()
    names = sorted(archives.iterdir())
    added = names[len(names) // 2]  # in the middle: every input after it gets another number
    shutil.copytree(archives, part, ignore=lambda *_: [added.name])
    bench.audit(part, "-o", out)
    shutil.copy2(added, part)
    said = bench.audit(part, "-o", out)
    bench.audit(part, "-o", fresh)
    counts = re.search(r"read (\d+) inputs?, .* of (\d+) input", said)
    right = bool(counts) and (int(counts[1]), int(counts[2])) == (1, len(names) - 1)
    wrong = bench.differing(out, fresh)
    bench.check("an added archive is all that is read", right and not wrong,
                f"not as a fresh audit: {wrong}" if wrong else said.strip().splitlines()[-1])


def check_interrupt(bench, archives):
    """One worker: then some tasks are done and some are not when the interrupt comes."""
    undisturbed, start = bench.output(), time.monotonic()
    bench.audit(archives, "-o", undisturbed)
    whole = time.monotonic() - start
    for share in (0.7, 0.5, 0.3, 1.0):
        out = bench.output()
        p = bench.start(archives, "-o", out, "--workers", "1")
        time.sleep(whole * share)
        p.send_signal(signal.SIGINT)
        said = p.communicate()[1]
        late = (out / "audit.json").exists()  # while report.html was made
        if p.returncode == 130 and "interrupted" in said and not late:
            break
    interrupted = p.returncode == 130 and "run the same command again" in said and not late
    again = bench.audit(archives, "-o", out).strip()
    wrong = bench.differing(out, undisturbed)
    bench.check("Ctrl-C, then again", interrupted and "kept" in again and not wrong,
                f"exit code {p.returncode}; {again.splitlines()[-1]}" + (f"; different: {wrong}" if wrong else ""))


def check_memory(bench, archive, number):
    paths = copies(number, bench.work / "memory", [archive])
    many, one = bench.peak(bench.work / "memory"), bench.work / f"one-{archive.name}"
    with open(one, "wb") as f:
        for path in paths[:number // 2]:
            f.write(path.read_bytes())
    half = bench.peak(one)
    times = MORE_OF_SMALL if archive.stat().st_size < SMALL else MORE
    bench.check(f"peak memory, an archive of {number // 2} copies of {archive.name} and {number} archives",
                many < PEAK and many < times * half,
                f"{half / 1e6:.1f} MB and {many / 1e6:.1f} MB: {100 * (many / half - 1):+.0f} %")
    one.unlink()
    shutil.rmtree(bench.work / "memory")


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
    for name, pieces in bombs(bench.work, gigabytes):
        with open(bench.work / name, "wb") as f:
            f.writelines(pieces)
        check("bombs", bench.work / name)
        (bench.work / name).unlink()
    for kind, (peak, name) in most.items():
        print(f"{kind}: {peak / 1e6:.0f} MB at most, for {name}")


def main(binary, *archives: Path, seed: int = 9309, copies_for_memory: int = 200, gigabytes: int = 1, kills: int = 20):
    archives = archives or [*ARCHIVES, *(path for real in shared("warc/real") for path in real.glob("*.warc.gz"))]
    largest = max(archives, key=lambda path: path.stat().st_size)
    with folder("durability-") as work:
        bench, mixed, large = Bench(binary, work), work / "mixed", work / "large"
        check_workers(bench, f"{len(copies(-(-MIXED // len(archives)), mixed, archives))} archives", mixed)
        check_added(bench, mixed)
        shutil.rmtree(mixed)
        size = copies(1, large, [largest], "--plain")[0].stat().st_size
        number = len(copies(min(-(-LARGE_BYTES // size), LARGE_ARCHIVES), large, [largest], "--plain"))
        check_workers(bench, f"{number} archives of {size / 1e6:.1f} MB", large)
        check_interrupt(bench, large)
        shutil.rmtree(large)
        check_memory(bench, largest, copies_for_memory)
        check_bombs(bench, gigabytes)
    return left.main(binary, kills=kills, seed=seed) or bench.failed
