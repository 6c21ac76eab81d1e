"""Measures audits of an access log beside GoAccess, which counts its requests.

    logs BINARY DATA [--lines N] [--rounds N] [--times N]

It makes a log in the combined format in the folder DATA, which keeps it for the next run: 100,000 clients, 50,000
URLs and 60 User-Agents whose shares fall as 1/rank (Zipf); robots.txt changes each day, and crawlers ask for it. All
programs run on one core, in turns. With --times, `ingest` reads the log so many times as one stream, too: its memory
should not grow.
"""

import csv
import datetime
import itertools
import random
import shutil
import statistics
import subprocess
from pathlib import Path

from lib import cost

LIMIT = 0
SITE = "https://example.org"
START = datetime.datetime(2026, 5, 1, tzinfo=datetime.timezone.utc)
CRAWLERS = ("GPTBot/1.2", "ClaudeBot/1.0", "bingbot/2.0", "Googlebot/2.1", "CCBot/2.0", "PerplexityBot/1.0", "Amazonbot/0.1", "Bytespider")
LINES_A_SECOND = 10


def agents(rng):
    people = [f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{n}.0.0.0 Safari/537.36" for n in range(90, 142)]
    crawlers = [f"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; {name}; +https://bots.example/{n})" for n, name in enumerate(CRAWLERS)]
    return rng.sample(people + crawlers, len(people) + len(crawlers))


def make(folder, lines):
    """make writes the log, and the versions of robots.txt."""
    rng = random.Random(1)

    def pick(values):
        weights = list(itertools.accumulate(1 / rank for rank in range(1, len(values) + 1)))
        return iter(lambda: rng.choices(values, cum_weights=weights, k=10_000), None)

    clients = [f"{rng.randrange(1, 224)}.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(256)}" for _ in range(100_000)]
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(3, 10))) for _ in range(3000)]
    paths = ["/" + "/".join(rng.choices(words, k=rng.randrange(1, 5))) + rng.choice(["", "/", ".html", "?id=%d" % n]) for n in range(50_000)]
    paths[60] = "/robots.txt"
    versions = [f"User-agent: *\nDisallow: /{word}/\n" for word in words[:60]]
    with open(folder / "access.log", "w") as log:
        each = zip(*map(itertools.chain.from_iterable, map(pick, (clients, paths, agents(rng)))))
        for n, (client, path, agent) in enumerate(itertools.islice(each, lines)):
            if n % LINES_A_SECOND == 0:
                at = START + datetime.timedelta(seconds=n // LINES_A_SECOND)
                stamp = at.strftime("%d/%b/%Y:%H:%M:%S +0000")
            size = len(versions[(at - START).days]) if path == "/robots.txt" else 1000 + n % 50_000
            log.write(f'{client} - - [{stamp}] "GET {path} HTTP/1.1" 200 {size} "-" "{agent}"\n')
    with open(folder / "robots.csv", "w", newline="") as table:
        rows = csv.writer(table)
        rows.writerow(["host", "time", "status", "body"])
        rows.writerows(["example.org", (START + datetime.timedelta(days)).isoformat(), 200, body] for days, body in enumerate(versions))


def measure(*command, **options):
    p, *figures = cost("taskset", "-c", "0", *command, **options)
    if p.returncode:
        raise SystemExit(f"{' '.join(p.args)}:\n{p.said}")
    return figures


def main(binary, data: Path, *, lines: int = 5_000_000, rounds: int = 3, times: int = 0):
    folder = data / f"log-{lines}"
    log, out = folder / "access.log", folder / "out"
    if not (folder / "robots.csv").exists():
        folder.mkdir(parents=True, exist_ok=True)
        make(folder, lines)
    ours = ("-o", out, "--workers", 1, "--site", SITE, "--access-log")
    robots = ("--robots", folder / "robots.csv")
    programs = {
        "goaccess": ("goaccess", log, "--log-format=COMBINED", "--no-progress", "--no-global-config", "-o", folder / "goaccess.json"),
        "ingest": (binary, "ingest", *ours, log, *robots),
        "audit": (binary, "audit", *ours, log, *robots),
    }
    runs = {name: [] for name in programs}
    for _, (name, command) in itertools.product(range(rounds), programs.items()):
        shutil.rmtree(out, ignore_errors=True)
        runs[name].append(measure(*command))
    size, base = log.stat().st_size, statistics.median(cpu for _, cpu, _ in runs["goaccess"])
    print(f"{lines:,} lines, {size / 1e6:,.0f} MB; medians of {rounds} rounds on one core\n")
    print("| program | wall, s | CPU, s | MB a second of CPU | CPU, goaccess = 1 | peak, MB |\n|---|--:|--:|--:|--:|--:|")
    for name, of in runs.items():
        wall, cpu, peak = (statistics.median(x) for x in zip(*of))
        print(f"| {name} | {wall:.1f} | {cpu:.1f} | {size / cpu / 1e6:.0f} | {cpu / base:.2f} | {peak / 1e6:.0f} |", flush=True)
    if times:
        shutil.rmtree(out, ignore_errors=True)
        with subprocess.Popen(["cat", *[log] * times], stdout=subprocess.PIPE) as stream:
            wall, cpu, peak = measure(binary, "ingest", *ours, "-", *robots, stdin=stream.stdout)
        print(f"| ingest, {size * times / 1e9:.1f} GB as a stream | {wall:.1f} | {cpu:.1f} | {size * times / cpu / 1e6:.0f} | | {peak / 1e6:.0f} |")
    shutil.rmtree(out, ignore_errors=True)
