"""Measures audits of a made index in the form of Common Crawl's, stage by stage: rows per second and core.

    index BINARY DATA [--rows N] [--hosts N] [--rounds N] [--cores N...]

It makes the index in the folder DATA, which keeps it for the next run. The index has hosts whose sizes fall as 1/rank (Zipf), in the order of SURT keys as Common Crawl's
has; one capture of robots.txt a host lies in a WARC beside it. Each stage runs on one core and on two:

    ingest               from Parquet to facts
    evaluate, few        from facts to violations, unproven, host_stats and agent_stats alone
    evaluate, fetches    to these and fetches
    evaluate, all        to all tables and report.html

It adds up what a month of Common Crawl would take, if each of its rows took as long.
"""

import shutil
import statistics
from pathlib import Path

from lib import cost, script

LIMIT = 0
FEW = "violations,unproven,host_stats,agent_stats"
MONTH = 3_500_000_000  # rows


def measure(cores, *command):
    """measure returns wall time, CPU seconds and peak memory of a command on so many cores."""
    p, *figures = cost("taskset", "-c", ",".join(map(str, range(cores))), *command)
    if p.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(p.args)}:\n{p.said}")
    return figures


def main(binary, data: Path, *, rows: int = 10_000_000, hosts: int = 100_000, rounds: int = 3, cores: int = (1, 2)):
    folder = data / f"index-{rows}-{hosts}"
    made = folder / "made"
    if not made.exists():
        shutil.rmtree(folder, ignore_errors=True)
        # A process of its own: what it holds would count as memory of those started after it.
        script("bench", "index_made", folder, rows, hosts)
        made.touch()
    out = folder / "out"
    print(f"{rows:,} rows of an index, {hosts:,} robots.txt captures; medians of {rounds} rounds\n")
    print("| stage | cores | wall, s | CPU, s | rows a second and core, by CPU | peak, MB | a month, core-hours |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for number in cores:
        stages = {
            "ingest": ("ingest", *sorted(folder.glob("crawl=*")), folder / "robotstxt.warc.gz", "-o", out, "--workers", number),
            "evaluate, few": ("evaluate", out, "--workers", number, "--tables", FEW),
            "evaluate, fetches": ("evaluate", out, "--workers", number, "--tables", FEW + ",fetches"),
            "evaluate, all": ("evaluate", out, "--workers", number),
        }
        runs = {name: [] for name in stages}
        for _ in range(rounds):
            shutil.rmtree(out, ignore_errors=True)
            for name, command in stages.items():
                runs[name].append(measure(number, binary, *command))
        medians = {name: [statistics.median(x) for x in zip(*of)] for name, of in runs.items()}
        for name in list(stages)[1:]:
            both = [a + b for a, b in zip(medians["ingest"][:2], medians[name][:2])]
            medians["from Parquet to" + name.removeprefix("evaluate,")] = [*both, max(medians["ingest"][2], medians[name][2])]
        for name, (wall, cpu, peak) in medians.items():
            month = cpu / rows * MONTH / 3600
            print(f"| {name} | {number} | {wall:.1f} | {cpu:.1f} | {rows / cpu:,.0f} | {peak / 1e6:.0f} | {month:.1f} |", flush=True)
    shutil.rmtree(out)
