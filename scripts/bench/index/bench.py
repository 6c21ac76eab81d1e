"""Audits a made index in the form of Common Crawl's, and prints rows per second and core.

The index has hosts whose sizes fall as 1/rank (Zipf), in the order of SURT keys as Common Crawl's
has; one capture of robots.txt a host lies in a WARC beside it. Each stage runs on one core and on two:

    ingest            from Parquet to facts
    evaluate          from facts to all tables
    evaluate, few     to violations, unproven, host_stats and agent_stats alone
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
    print("| stage | cores | wall, s | CPU, s | rows a second and core, by CPU | by wall | peak, MB |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for cores in (1, 2):
        stages = {
            "ingest": ("ingest", *sorted(folder.glob("crawl=*")), folder / "robotstxt.warc.gz", "-o", out, "--workers", cores),
            "evaluate": ("evaluate", "-o", out, "--workers", cores),
            "evaluate, few": ("evaluate", "-o", out, "--workers", cores, "--tables", FEW),
        }
        runs = {name: [] for name in stages}
        for _ in range(options.rounds):
            shutil.rmtree(out, ignore_errors=True)
            for name, command in stages.items():
                runs[name].append(measure(cores, options.binary, *command))
        medians = {name: [statistics.median(x) for x in zip(*of)] for name, of in runs.items()}
        for name in ("evaluate", "evaluate, few"):
            both = [a + b for a, b in zip(medians["ingest"][:2], medians[name][:2])]
            medians["from Parquet to " + ("all tables" if name == "evaluate" else "few tables")] = [*both, max(medians["ingest"][2], medians[name][2])]
        for name, (wall, cpu, peak) in medians.items():
            print(f"| {name} | {cores} | {wall:.1f} | {cpu:.1f} | {options.rows / cpu:,.0f} | {options.rows / wall / cores:,.0f} | {peak / 1e6:.0f} |", flush=True)
    shutil.rmtree(out)


if __name__ == "__main__":
    main()
