"""Measures reading and deciding on hostile inputs, at one and at twice their size.

    hostile BINARY [--inputs NAME...] [--scale F]

Makes each input of hostile_inputs.py in a temporary folder, runs `ingest` and `evaluate` with two workers, and prints
for each stage the seconds of CPU at both sizes, their ratio and the peak of resident memory. It fails where a stage at
the first size takes more than 10 seconds of wall time or 300 MB, or where the ratio is 2.3 or more and the stage takes
more than a second. Stages are measured apart, in processes of their own.
"""

import sys

from hostile_inputs import INPUTS
from lib import cost, folder

LIMIT = 0
ENVIRONMENT = ""

GROWTH, SECONDS, PEAK = 2.3, 10, 300e6
TIMEOUT = 900  # seconds, for one stage


def main(binary, *, inputs=tuple(INPUTS), scale: float = 1):
    print("| input | n | MB | stage | wall, s | CPU, s | CPU at 2n, s | growth | peak, MB | peak at 2n, MB |")
    print("|---|---:|---:|---|---:|---:|---:|---:|---:|---:|")
    missed = False
    for name in inputs:
        n = int(INPUTS[name][0] * scale)
        once, twice = (measure(binary, name, size) for size in (n, 2 * n))
        for stage in "ingest", "evaluate":
            wall, cpu, peak = once[stage]
            _, cpu2, peak2 = twice[stage]
            print(f"| {name} | {n:,} | {once['size'] / 1e6:.0f} | {stage} | {wall:.1f} | {cpu:.2f} | {cpu2:.2f} "
                  f"| {cpu2 / cpu:.2f} | {peak / 1e6:.0f} | {peak2 / 1e6:.0f} |", flush=True)
            missed |= wall > SECONDS or peak > PEAK or cpu2 > 1 and cpu2 / cpu >= GROWTH
    return missed


def measure(binary, name, n):
    """The size of an input, and of each stage wall time and CPU, in seconds, and the peak of resident memory, in bytes."""
    with folder() as work:
        archive, out = work / f"{name}.warc", work / "out"
        with open(archive, "wb") as file:
            file.writelines(INPUTS[name][1](n))
        figures = {"size": archive.stat().st_size}
        for stage, of in (("ingest", [archive]), ("evaluate", [])):
            p, *figures[stage] = cost(binary, stage, *of, "-o", out, "--workers", "2", seconds=TIMEOUT)
            if p.returncode not in (0, 3):
                sys.exit(f"{' '.join(p.args)}: exit code {p.returncode}\n{p.said}")
    return figures
