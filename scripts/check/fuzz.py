"""No input breaks a fuzz target: each is run for some time; a table shows what came of them.

    fuzz                 all targets that read archives, an hour each, one after the other
    fuzz 600 --jobs 2    ten minutes each, two at a time
    fuzz 4 ./...         those of all packages; --list lists the targets and runs none

Each target has one worker (-parallel 1) and runs at low priority. What it finds interesting is kept in Go's
build cache, so the next run goes on from there; a failing input is written to testdata/fuzz beside the target.
Where the machine is so busy that the fuzzer takes a process for a hanging one, the input is run again alone; if it
passes, fuzzing goes on, and the column "starved" counts it.
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from lib import ROOT, call, folder

ENVIRONMENT = ""
LIMIT = 0
FOLDERS = ["internal/reading", "internal/archive/warc", "internal/archive/wacz", "internal/archive/httpmsg",
           "internal/archive/inflate", "internal/cdx", "internal/parquetfile"]  # of packages that read archives
PACKAGES = [f"./{folder}/..." for folder in FOLDERS if (ROOT / folder).is_dir()]


def go(*arguments):
    return call("go", *arguments, cwd=ROOT, codes=(0,)).split("\n")


def targets(patterns, folder):
    """targets builds the tests of the packages for fuzzing. It returns package, name and program of each target."""
    found = []
    for package in go("list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}", *patterns):
        home = ROOT / package.split("/", 3)[-1]
        if not package or not any("func Fuzz" in path.read_text() for path in home.glob("*_test.go")):
            continue
        program = Path(folder, package.replace("/", "-"))
        go("test", "-c", "-fuzz", "^Fuzz", "-o", str(program), package)
        names = call(program, "-test.list", "^Fuzz", cwd=home, codes=(0,)).split()
        found += [(package, name, program) for name in names]
    return found


CACHE = go("env", "GOCACHE")[0]


class Outcome:
    """Outcome is what a run of a target came to, by what go test printed."""

    def __init__(self, folder):
        self.folder = folder  # of the package
        self.log, self.seconds, self.executions, self.interesting, self.stops = "", 0.0, 0, 0, 0
        self.inputs, self.failed = [], False

    def add(self, code, log, seconds):
        """add counts a run of go test. It returns whether the run ended for no fault of the target."""
        self.log, self.seconds = log, self.seconds + seconds
        progress = re.findall(r"execs: (\d+) .*new interesting: (\d+)", log)
        executions, interesting = map(int, progress[-1]) if progress else (0, 0)
        self.executions, self.interesting = self.executions + executions, self.interesting + interesting
        inputs = re.findall(r"Failing input written to (\S+)", log)
        # The fuzzer of Go before 1.27 sometimes fails as its time ends, without a failing input
        # (go.dev/issue/75804): that is no failure.
        if code == 0 or not inputs and "context deadline exceeded" in log:
            return False
        # It takes a process that got no time of a busy machine for one that hangs.
        if inputs and "hung or terminated unexpectedly" in log and all(map(self.passes, inputs)):
            self.stops += 1
            return True
        self.inputs, self.failed = inputs, True
        return False

    def passes(self, name):
        """passes runs an input alone, and removes it where nothing is wrong with it."""
        path = self.folder / name
        again = subprocess.run(["go", "test", "-run", f"^{path.parent.name}$/^{path.name}$", "-timeout", "60s", "."],
                               cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if again.returncode == 0:
            path.unlink()
        return again.returncode == 0


def fuzz(target, seconds):
    package, name, program = target
    outcome, busy = Outcome(ROOT / package.split("/", 3)[-1]), True
    while busy and outcome.seconds < seconds:
        begin = time.monotonic()
        left = max(1, round(seconds - outcome.seconds))
        done = subprocess.run([program, "-test.run", "^$", "-test.fuzz", f"^{name}$", "-test.fuzztime", f"{left}s",
                               "-test.fuzzminimizetime", "20x",  # else making inputs small takes nearly all of the time
                               "-test.parallel", "1",
                               "-test.timeout", "0", "-test.fuzzcachedir", Path(CACHE, "fuzz", package)],
                              cwd=outcome.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        busy = outcome.add(done.returncode, done.stdout, time.monotonic() - begin)
    return outcome


def main(seconds: int = 3600, *packages, jobs: int = 1, list: bool = False):
    os.nice(10)
    with folder() as work:
        found = targets(packages or PACKAGES, work)
        if list:
            print("\n".join(" ".join(target[:2]) for target in found))
            return False
        print("| target | seconds | executions | new interesting | starved | failures |\n|---|--:|--:|--:|--:|---|", flush=True)
        failed = False
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for (package, name, _), outcome in zip(found, pool.map(lambda target: fuzz(target, seconds), found)):
                result = ", ".join(outcome.inputs) or "failed" if outcome.failed else "none"
                of = package.split("/", 3)[-1]
                print(f"| {of} {name} | {outcome.seconds:.0f} | {outcome.executions} | {outcome.interesting} | {outcome.stops} | {result} |", flush=True)
                if outcome.failed:
                    failed = True
                    print(outcome.log, file=sys.stderr)
        return failed
