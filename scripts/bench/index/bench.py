"""Audits a made index in the form of Common Crawl's, and prints rows per second and core.

The index has hosts whose sizes fall as 1/rank (Zipf), in the order of SURT keys as Common Crawl's
has; one capture of robots.txt a host lies in a WARC beside it. Each stage runs on one core and on two:

    ingest               from Parquet to facts
    evaluate, few        from facts to violations, unproven, host_stats and agent_stats alone
    evaluate, fetches    to these and fetches
    evaluate, all        to all tables and report.html

It adds up what a month of Common Crawl would take, if each of its rows took as long.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FEW = "violations,unproven,host_stats,agent_stats"
MONTH = 3_500_000_000  # rows


def measure(cores, *command):
    """measure returns wall time, CPU seconds and peak memory of a command on so many cores."""
    command = ["taskset", "-c", ",".join(map(str, range(cores))), *map(str, command)]
    before = os.times().elapsed
    p = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = p.stderr.read().decode()
    _, status, usage = os.wait4(p.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 3):
        raise SystemExit(f"{' '.join(command)}:\n{said}")
    return os.times().elapsed - before, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--hosts", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    folder = options.data / f"index-{options.rows}-{options.hosts}"
    made = folder / "made"
    if not made.exists():
        shutil.rmtree(folder, ignore_errors=True)
        # A process of its own: what it holds would count as memory of those started after it.
        subprocess.run([sys.executable, HERE / "make.py", folder, str(options.rows), str(options.hosts)], check=True)
        made.touch()
    out = folder / "out"
    print(f"{options.rows:,} rows of an index, {options.hosts:,} robots.txt captures; medians of {options.rounds} rounds\n")
    print("| stage | cores | wall, s | CPU, s | rows a second and core, by CPU | peak, MB | a month, core-hours |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for cores in options.cores:
        stages = {
            "ingest": ("ingest", *sorted(folder.glob("crawl=*")), folder / "robotstxt.warc.gz", "-o", out, "--workers", cores),
            "evaluate, few": ("evaluate", "-o", out, "--workers", cores, "--tables", FEW),
            "evaluate, fetches": ("evaluate", "-o", out, "--workers", cores, "--tables", FEW + ",fetches"),
            "evaluate, all": ("evaluate", "-o", out, "--workers", cores),
        }
        runs = {name: [] for name in stages}
        for _ in range(options.rounds):
            shutil.rmtree(out, ignore_errors=True)
            for name, command in stages.items():
                runs[name].append(measure(cores, options.binary, *command))
        medians = {name: [statistics.median(x) for x in zip(*of)] for name, of in runs.items()}
        for name in list(stages)[1:]:
            both = [a + b for a, b in zip(medians["ingest"][:2], medians[name][:2])]
            medians["from Parquet to" + name.removeprefix("evaluate,")] = [*both, max(medians["ingest"][2], medians[name][2])]
        for name, (wall, cpu, peak) in medians.items():
            month = cpu / options.rows * MONTH / 3600
            print(f"| {name} | {cores} | {wall:.1f} | {cpu:.1f} | {options.rows / cpu:,.0f} | {peak / 1e6:.0f} | {month:.1f} |", flush=True)
    shutil.rmtree(out)


if __name__ == "__main__":
    main()
