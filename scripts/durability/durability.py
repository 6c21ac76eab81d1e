"""The checks of run. Everything lies in a temporary folder that is removed.

Only processes started here are signalled, by their process id.
"""

import filecmp
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MIXED = 40  # archives of the mixed folder, at least
KILLS = 20
KILLS_IN_TABLES = 6  # more
KILL_BYTES = 400 << 20  # of the archives for the kills: several tasks, a second or more
KILL_ARCHIVES = 100  # at most: small ones have more to decide in each byte
PEAK = 90e6  # bytes of resident memory at two workers, however many the archives
# Times the peak of one archive of half the copies is the peak of all copies, at most: both are
# decided in several ranges. Copies of a small archive fill the pages of some tables only when
# there are many.
MORE, SMALL, MORE_OF_SMALL = 1.2, 1 << 20, 1.5
PEAKS = 3  # of which the median counts

REPORT = "report.html"  # written after the results are committed
RESULTS = ["audit.json", REPORT]  # and the tables, which main adds


class Bench:
    def __init__(self, binary, folder):
        self.binary, self.folder, self.failed, self.outputs = binary, folder, 0, 0

    def check(self, name, ok, detail):
        print("%-4s  %s: %s" % ("ok" if ok else "FAIL", name, detail), flush=True)
        self.failed += not ok

    def output(self):
        self.outputs += 1
        return os.path.join(self.folder, "out%d" % self.outputs)

    def command(self, *args):
        return [self.binary, "audit", *args, "--agent", "GPTBot", "--agent", "CCBot"]

    def start(self, *args):
        return subprocess.Popen(self.command(*args), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def audit(self, *args):
        """Audits to the end; returns what was said on standard error."""
        p = self.start(*args)
        said = p.communicate()[1]
        if p.returncode not in (0, 3):
            raise SystemExit("%s: exit code %d\n%s" % (" ".join(p.args), p.returncode, said))
        return said

    def peak(self, *args):
        """Audits to the end, some times; returns the median of the peaks of resident memory, in bytes."""
        peaks = []
        for _ in range(PEAKS):
            out = self.output()
            peaks.append(self.peak_once(*args, "-o", out, "--workers", "2"))
            self.drop(out)
        return statistics.median(peaks)

    def peak_once(self, *args):
        p = subprocess.Popen(self.command(*args), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        if p.returncode not in (0, 3):
            raise SystemExit("%s: exit code %d" % (" ".join(p.args), p.returncode))
        return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)

    def drop(self, *outputs):
        for out in outputs:
            shutil.rmtree(out)


def copies(number, folder, archives, *options):
    """A process of its own: what it holds would count as memory of those started after it."""
    subprocess.run([sys.executable, os.path.join(HERE, "copies.py"), *options, str(number), folder, *archives], check=True)


def differing(a, b):
    """Names of results that are not the same bytes in two output folders."""
    return [n for n in RESULTS if not same(os.path.join(a, n), os.path.join(b, n))]


def same(a, b):
    return os.path.exists(a) and os.path.exists(b) and filecmp.cmp(a, b, shallow=False)


def megabytes(n):
    return "%.1f MB" % (n / 1e6)


def check_workers(bench, name, folder):
    outputs = {}
    for workers in ("1", "2", "8"):
        outputs[workers] = bench.output()
        bench.audit(folder, "-o", outputs[workers], "--workers", workers)
    wrong = differing(outputs["1"], outputs["2"]) + differing(outputs["1"], outputs["8"])
    bench.check("workers 1, 2, 8 on " + name, not wrong, "different: " + " ".join(wrong) if wrong else
                "%d files byte-identical" % len(RESULTS))
    bench.drop(*outputs.values())


def check_added(bench, folder):
    part, out, fresh = os.path.join(bench.folder, "part"), bench.output(), bench.output()
    os.mkdir(part)
    names = sorted(os.listdir(folder))
    added = names[len(names) // 2]  # in the middle: every input after it gets another number
    for name in names:
        if name != added:
            shutil.copy2(os.path.join(folder, name), part)
    bench.audit(part, "-o", out)
    shutil.copy2(os.path.join(folder, added), part)
    said = bench.audit(part, "-o", out)
    bench.audit(part, "-o", fresh)
    counts = re.search(r"read (\d+) archives?, .* of (\d+) archive", said)
    right = bool(counts) and (int(counts[1]), int(counts[2])) == (1, len(names) - 1)
    wrong = differing(out, fresh)
    bench.check("an added archive is all that is read", right and not wrong,
                said.strip().splitlines()[-1] if not wrong else "not as a fresh audit: " + " ".join(wrong))
    bench.drop(out, fresh, part)


def check_kills(bench, folder, rng):
    undisturbed, times = bench.output(), []
    for _ in range(3):
        shutil.rmtree(undisturbed, ignore_errors=True)
        start = time.monotonic()
        bench.audit(folder, "-o", undisturbed)
        times.append(time.monotonic() - start)
    whole = sorted(times)[1]
    # A moment in every twentieth of the run; and some while tables are written and
    # committed, which is a small part of it.
    moments = [("start", (i + rng.random()) * whole / KILLS) for i in range(KILLS)]
    moments += [("tables", rng.uniform(0, whole / 4)) for _ in range(KILLS_IN_TABLES)]
    hit = writing = committed = kept = 0
    wrong = []
    for after, delay in moments:
        out = bench.output()
        p = bench.start(folder, "-o", out)
        while after == "tables" and p.poll() is None and not os.path.exists(os.path.join(out, ".robotsaudit-results")):
            time.sleep(0.002)
        time.sleep(delay)
        p.kill()
        p.communicate()
        moment = "%.3f s after %s" % (delay, after)
        hit += p.returncode == -signal.SIGKILL
        writing += os.path.exists(os.path.join(out, ".robotsaudit-results"))
        if os.path.exists(os.path.join(out, "audit.json")):  # then everything beside it counts
            committed += 1
            absent = {REPORT} - set(os.listdir(out))
            wrong += ["%s when killed %s" % (n, moment) for n in differing(out, undisturbed) if n not in absent]
        kept += "kept" in bench.audit(folder, "-o", out)
        wrong += ["%s after a kill %s" % (n, moment) for n in differing(out, undisturbed)]
        if left := set(os.listdir(out)) - set(RESULTS) - {".robotsaudit"}:
            wrong.append("%s left by a kill %s" % (" ".join(left), moment))
        bench.drop(out)
    bench.check("SIGKILL at %d moments of %.1f s, then again" % (len(moments), whole), not wrong and hit >= KILLS / 2,
                "; ".join(wrong) or "%d hit a running audit, %d of them in the tables, %d after the commit, %d resumed with facts; "
                "tables as undisturbed" % (hit, writing, committed, kept))
    return undisturbed, whole


def check_interrupt(bench, folder, undisturbed, whole):
    """One worker: then some tasks are done and some are not when the interrupt comes."""
    for share in (0.7, 0.5, 0.3, 1.0):
        out = bench.output()
        p = bench.start(folder, "-o", out, "--workers", "1")
        time.sleep(whole * share)
        p.send_signal(signal.SIGINT)
        said = p.communicate()[1]
        late = os.path.exists(os.path.join(out, "audit.json"))  # while report.html was made
        if p.returncode == 130 and "interrupted" in said and not late:
            break
    interrupted = p.returncode == 130 and "run the same command again" in said and not late
    again = bench.audit(folder, "-o", out).strip()
    wrong = differing(out, undisturbed)
    bench.check("Ctrl-C, then again", interrupted and "kept" in again and not wrong,
                "exit code %d; %s" % (p.returncode, again.splitlines()[-1]) + ("; different: " + " ".join(wrong) if wrong else ""))
    bench.drop(out)


def check_memory(bench, archive, number):
    folder = os.path.join(bench.folder, "memory")
    copies(number, folder, [archive])
    names = sorted(os.listdir(folder))
    many = bench.peak(folder)
    one = os.path.join(bench.folder, "one-" + os.path.basename(archive))
    with open(one, "wb") as f:
        for name in names[:number // 2]:
            with open(os.path.join(folder, name), "rb") as part:
                shutil.copyfileobj(part, f)
    half = bench.peak(one)
    times = MORE_OF_SMALL if os.path.getsize(archive) < SMALL else MORE
    bench.check("peak memory, an archive of %d copies of %s and %d archives" % (number // 2, os.path.basename(archive), number),
                many < PEAK and many < times * half, "%s and %s: %+.0f %%" % (megabytes(half), megabytes(many), 100 * (many / half - 1)))
    os.remove(one)
    bench.drop(folder)


def main():
    binary, archives = os.path.abspath(sys.argv[1]), [os.path.abspath(a) for a in sys.argv[2:]]
    schema = json.loads(subprocess.check_output([binary, "schema", "--format", "json"]))
    RESULTS.extend(table["name"] + ".parquet" for table in schema["tables"])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the folder is removed then, too
    rng = random.Random(int(os.environ.get("SEED", "9309")))
    largest = max(archives, key=os.path.getsize)
    with tempfile.TemporaryDirectory(prefix="durability-") as folder:
        bench = Bench(binary, folder)

        mixed = os.path.join(folder, "mixed")
        copies(-(-MIXED // len(archives)), mixed, archives)
        check_workers(bench, "%d archives" % len(os.listdir(mixed)), mixed)
        check_added(bench, mixed)
        shutil.rmtree(mixed)

        large = os.path.join(folder, "large")
        copies(1, large, [largest], "--plain")
        size = os.path.getsize(os.path.join(large, os.listdir(large)[0]))
        copies(min(-(-KILL_BYTES // size), KILL_ARCHIVES), large, [largest], "--plain")
        check_workers(bench, "%d archives of %s" % (len(os.listdir(large)), megabytes(size)), large)
        undisturbed, whole = check_kills(bench, large, rng)
        check_interrupt(bench, large, undisturbed, whole)
        shutil.rmtree(large)

        check_memory(bench, largest, int(os.environ.get("COPIES", "200")))
    sys.exit(1 if bench.failed else 0)


if __name__ == "__main__":
    main()
