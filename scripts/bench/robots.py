"""Measures internal/robots beside Google's C++, grobotstxt and temoto on the wild bodies of ../shared.

    robots

Google's is robots.cc as in PyPI's sdist of jwm-robotstxt, compiled here. It writes docs/bench/DATE-robots/{raw.csv,README.md}.
Needs Go, g++, pkg-config and abseil (Debian: libabsl-dev). Nothing of it enters the project's go.mod: the folder robots
is a module of its own.
"""

import collections
import csv
import datetime
import hashlib
import os
import shlex
import statistics
import sys
import tarfile
import urllib.request
from pathlib import Path

from lib import ROOT, call, folder, shared

ENVIRONMENT = ""
LIMIT = 0
HERE = Path(__file__).resolve().parent / "robots"
ROUNDS, SECONDS = 5, "0.4"  # of processor time, for each measure
SDIST, SHA256 = "jwm_robotstxt-1.0.8", "e0042e368bfab415e70ce393bd449959d534c343cdb0568c32efd84de6aac94d"
PLACE = "https://files.pythonhosted.org/packages/ea/b0/df1f6e2485dc7ecbc1a71433d2f28e9541dce69e914c0b0bc5fa9fcbd98f"

PEERS = {"robotsaudit": "internal/robots, rfc9309", "robotsaudit-google": "internal/robots, google",
    "google": "Google's C++", "grobotstxt": "grobotstxt", "temoto": "temoto"}
MEASURES = {"parse": "parse, MB/s", "oneshot": "parse + one match, MB/s", "match": "matches, M/s"}
RATIOS = {"parse": "parse", "oneshot": "parse + one match"}


def build(work):
    """Builds the two programs."""
    sdist = work / f"{SDIST}.tar.gz"  # pip would have CMake build it, with what it needs
    urllib.request.urlretrieve(f"{PLACE}/{sdist.name}", sdist)
    if hashlib.sha256(sdist.read_bytes()).hexdigest() != SHA256:
        sys.exit(f"{sdist.name} is another")
    tarfile.open(sdist).extractall(work)
    google = work / SDIST / "robotstxt"
    flags = {which: shlex.split(call("pkg-config", which, "absl_strings", codes=(0,))) for which in ("--cflags", "--libs")}
    call("g++", "-std=c++17", "-O2", "-DNDEBUG", f"-I{google}", *flags["--cflags"], "-o", work / "google",
         HERE / "google.cc", google / "robots.cc",
         *flags["--libs"], codes=(0,))
    call("go", "build", "-o", work / "robots", ".", cwd=HERE, codes=(0,))


def measure(work, bodies, median):
    """Does one measure after the other on one core, the programs taking turns; round 0 is the warm-up."""
    for number in range(ROUNDS + 1):
        for what in MEASURES:
            for peer in ("robotsaudit", "google", "robotsaudit-google", "grobotstxt", "temoto"):
                program = [work / "google"] if peer == "google" else [work / "robots", peer]
                said = call("taskset", "-c", "1", *program, what, SECONDS,
                            *([median] if what == "match" else bodies), cwd=work / "wild",
                            env=os.environ | {"GOMAXPROCS": "1"}, codes=(0,))
                if number:
                    yield number, peer, what, *said.split()
        print(f"round {number} of {ROUNDS}", flush=True)


def main():
    for wild in shared("robots/wild-2019.tar.gz"):
        with folder() as work:
            tarfile.open(wild).extractall(work / "wild")
            build(work)
            bodies = sorted(os.listdir(work / "wild"))
            median = call(work / "robots", "median", *bodies, cwd=work / "wild", codes=(0,)).strip()
            out = ROOT / "docs/bench" / f"{datetime.date.today()}-robots"
            out.mkdir(parents=True, exist_ok=True)
            with open(out / "raw.csv", "w", encoding="utf-8", newline="") as file:
                rows = csv.writer(file, lineterminator="\n")
                rows.writerow(["round", "peer", "measure", "work", "nanoseconds", "allocations"])
                rows.writerows(measure(work, bodies, median))
            bytes = sum((work / "wild" / body).stat().st_size for body in bodies)
            text = summary(out / "raw.csv", facts() | {"bodies": f"{len(bodies)} bodies, {bytes} bytes", "median": median})
            (out / "README.md").write_text(text, encoding="utf-8")
            print(text)


def facts():
    model = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name"))
    modules = call("go", "list", "-m", "-f", "{{.Path}}={{.Version}}", "github.com/jimsmart/grobotstxt",
                   "github.com/temoto/robotstxt", cwd=HERE, codes=(0,))
    return dict(line.split("=") for line in modules.split()) | {
        "cpu": f"{model}, {os.cpu_count()} cores, {os.getloadavg()[0]:.0f} load",
        "go": call("go", "env", "GOVERSION", cwd=HERE, codes=(0,)).strip(),
        "compiler": call("g++", "--version", codes=(0,)).splitlines()[0],
        "abseil": call("pkg-config", "--modversion", "absl_strings", codes=(0,)).strip()}


def summary(raw, facts):
    """raw.csv as Markdown."""
    rates, allocations, lines = collections.defaultdict(list), collections.defaultdict(list), []
    line = lines.append
    with open(raw, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = row["peer"], row["measure"]
            rates[key].append(int(row["work"]) / float(row["nanoseconds"]) * 1000)
            allocations[key].append(int(row["allocations"]) / int(row["work"]))
    rate = {key: statistics.median(values) for key, values in rates.items()}
    line("# robots.txt parsers on the wild bodies\n\n    scripts/bench/run robots\n")
    line(f"Medians of {len(rates['google', 'parse'])} rounds after a warm-up, the programs taking turns, one core each,")
    line("in processor time (garbage collection included). raw.csv has every run.\n")
    line("| | " + " | ".join(MEASURES.values()) + " |\n|---|" + "---:|" * len(MEASURES))
    for peer, name in PEERS.items():
        line(f"| {name} | " + " | ".join(f"{rate[peer, m]:.3g}" for m in MEASURES) + " |")

    line("\nTimes as fast as Google's C++: the median of the ratios of each round, with the least and the most:\n")
    line("| | rfc9309 | google |\n|---|---:|---:|")
    for measure, name in RATIOS.items():
        line(f"| {name} | " + " | ".join(against(rates, peer, measure) for peer in ("robotsaudit", "robotsaudit-google")) + " |")
    line("| allocations for a match | " + " | ".join(
        f"{statistics.median(allocations[peer, 'match']):.0f}" for peer in ("robotsaudit", "robotsaudit-google")) +
         " |")

    line(f"""
What is measured:

- parse: each body read once. Google's C++ and grobotstxt call a handler that touches its arguments
  and keeps nothing; internal/robots keeps the rules and groups, and makes notes when asked (not
  measured); temoto keeps rules, and rejects some bodies.
- parse + one match: each body read and asked one path for one token, as a crawler's first question
  is.
- matches: asked of `{facts['median']}`, which has the median number of rules of the bodies with rules.
  Google's C++ and grobotstxt have no compiled form and read the body again for each.

{facts['bodies']} (../shared/robots/wild-2019.tar.gz); about half of the bytes are HTML
documents.

- CPU: {facts['cpu']}
- Go: {facts['go']}, GOMAXPROCS=1
- C++: {facts['compiler']}, -O2 -DNDEBUG, abseil {facts['abseil']}; robots.cc of PyPI's
  jwm-robotstxt 1.0.8 (sdist), built by the script
- grobotstxt {facts['github.com/jimsmart/grobotstxt']}, temoto {facts['github.com/temoto/robotstxt']}""")

    return "\n".join(lines) + "\n"


def against(rates, peer, measure):
    ratios = [a / b for a, b in zip(rates[peer, measure], rates["google", measure])]
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
