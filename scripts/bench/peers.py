"""Measures audits beside the scripts that a user would write, and compares their answers row by row.

    peers BINARY DATA [--size MB] [--small-size MB] [--rows N] [--hosts N] [--rounds N] [--out FILE]

It makes archives and an index in the folder DATA, and keeps them. The scripts are
peers/archives.py and peers/index.py. The programs take turns.
A row that a script answers otherwise is a fault, unless urllib.robotparser differs from Protego there, too.
"""

import datetime
import os
import platform
import shutil
import statistics
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import duckdb

from lib import cost, script

ENVIRONMENT = "requirements-peers.txt"
LIMIT = 0
DOCUMENTATION = "rust-doc", "python3-doc", "postgresql-doc"
HERE = Path(__file__).resolve().parent
FEW = "violations,unproven,host_stats,agent_stats"

# Rows of a script and of ours: those that agree, and those that do not.
ON_RECORD = "right(trim(p.id, '>'), 36) = right(f.warc_record_id, 36)"  # UUIDs
ON_PLACE = "(p.warc_filename, p.warc_record_offset, p.url) = (f.warc_filename, f.warc_record_offset, f.url)"
COMPARED = """
    SELECT allowed, verdict, count(*) FROM
    (SELECT *, CASE WHEN allowed THEN 'allowed' WHEN NOT allowed THEN 'disallowed' ELSE 'unknown' END AS theirs
     FROM read_parquet('{theirs}')) p
    FULL JOIN (SELECT * FROM read_parquet('{ours}') WHERE NOT url LIKE '%/robots.txt') f ON {on}
    WHERE theirs IS DISTINCT FROM verdict GROUP BY ALL"""


def main(binary, data: Path, *, size: int = 1000, small_size: int = 400, rows: int = 1_000_000, hosts: int = 10_000,
         rounds: int = 5, out: Path = None):
    data, out = data.resolve(), out and out.open("w", encoding="utf-8")  # at once: a place that cannot be written ends here
    data.mkdir(parents=True, exist_ok=True)
    debian(data / "sources", [p for name in DOCUMENTATION for p in [name, *documentation_behind(name)]])
    folder = data / f"index-{rows}-{hosts}"
    if not folder.exists():
        script("bench", "index_made", folder.with_suffix(".tmp"), rows, hosts)
        folder.with_suffix(".tmp").rename(folder)
    index = sorted(folder.glob("crawl=*/*/*.parquet"))
    robots = folder / "robotstxt.warc.gz"
    lines, wrong = [], []
    for name, shape, megabytes in (("pages", "pages", size), ("small records", "small", small_size)):
        inputs = sorted(made(data, shape, megabytes).glob("*.warc.gz"))
        peers = {"FastWARC and Protego": ("archives", "protego", "BenchBot"),
                 "FastWARC and urllib.robotparser": ("archives", "robotparser", "BenchBot")}
        ours = {"`audit`": ("audit", *inputs), "`ingest`": ("ingest", *inputs)}
        lines += measure(name, binary, data / "turn", ours, peers, inputs, ON_RECORD, rounds, wrong)
    peers = {"DuckDB and Protego": ("index", "CCBot")}
    ours = {"`audit`": ("audit", *index, robots), "`audit`, few tables": ("audit", *index, robots, "--tables", FEW)}
    lines += measure(f"an index of {rows:,} rows", binary, data / "turn", ours, peers, [robots, *index], ON_PLACE, rounds, wrong)
    text = written(lines, rounds)
    print(text, end="")
    if out:
        out.write(text)
    return "\n".join(wrong) or None


def documentation_behind(name):
    """python3-doc is empty: what it depends on has the pages."""
    lines = subprocess.run(["apt-cache", "depends", name], check=True, capture_output=True, text=True).stdout.splitlines()
    return [line.split()[1] for line in lines if line.strip().startswith("Depends:") and "-doc" in line]


def debian(folder, packages):
    """Unpacks Debian packages into folder, without installing them."""
    if folder.exists():
        return
    temporary = folder.with_suffix(".tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    subprocess.run(["apt-get", "download", "--quiet", *packages], cwd=temporary, check=True, stderr=subprocess.DEVNULL)
    for archive in sorted(temporary.glob("*.deb")):
        subprocess.run(["dpkg-deb", "--extract", archive, temporary], check=True)
        archive.unlink()
    temporary.rename(folder)


def made(data, shape, size):
    """Makes a corpus unless it is there."""
    folder = data / f"{shape}-{size}MB"
    if not folder.exists():
        script("bench", "corpus", data / "sources", folder, "--shape", shape, "--size", size)
    return folder


def machine():
    models = (line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name"))
    return f"{next(models, platform.machine())}, {len(os.sched_getaffinity(0))} cores, Linux {platform.release().partition('-')[0]}"


def measure(name, binary, out, ours, peers, inputs, on, rounds, wrong):
    """Lets the programs take turns; compares their rows once; yields a line of the table for each."""
    commands = {peer: [sys.executable, HERE / "peers" / f"{module}.py", *words, out / "theirs", *inputs]
                for peer, (module, *words) in peers.items()}
    commands |= {own: [binary, *words, "-o", out / "ours", "--quiet", "--workers", "2"] for own, words in ours.items()}
    runs = {command: [] for command in commands}
    for number in range(rounds):
        shutil.rmtree(out / "kept", ignore_errors=True)
        for command, words in reversed(commands.items()):  # ours first: what it finds is kept for the comparison
            shutil.rmtree(out / "ours", ignore_errors=True)
            (out / "theirs").unlink(missing_ok=True)
            out.mkdir(exist_ok=True)
            process, *figures = cost(*words)
            if process.returncode not in (0, 3):
                sys.exit(f"{' '.join(process.args)}: exit code {process.returncode}\n{process.said}")
            runs[command].append(figures)
            if command == "`audit`":
                (out / "ours").rename(out / "kept")
            elif command in peers and number == 0:
                wrong += compare(f"{name}: {command}", out, on)
        print(f"{name}: round {number + 1} of {rounds}", file=sys.stderr)
    shutil.rmtree(out)
    for command, of in runs.items():
        wall, cpu, peak = (statistics.median(figure) for figure in zip(*of))
        ratios = sorted(theirs[1] / own[1] for theirs, own in zip(of, runs["`audit`"]))
        ratio = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        yield f"| {name} | {command} | {wall:.1f} | {cpu:.1f} | {ratio} | {peak / 1e6:.0f} |"


def compare(name, out, on):
    """Yields what a script and `audit` answer differently."""
    for allowed, verdict, n in duckdb.sql(COMPARED.format(theirs=out / "theirs", ours=out / "kept/fetches.parquet", on=on)).fetchall():
        yield f"{name}: {n:,} rows: allowed is {allowed}, the verdict is {verdict}"


def written(lines, rounds):
    names = "duckdb", "FastWARC", "Protego", "pyarrow"
    return f"""# Audits beside scripts

    scripts/bench/run peers BINARY DATA --rounds {rounds}

Medians of {rounds} rounds, the programs taking turns. Each script answers one question: may the crawler fetch this URL,
by the latest robots.txt before it? `audit` also writes its tables and report, and reads what pages state. Every row of
the scripts has the verdict of `audit`.

| input | program | wall, s | CPU, s | its CPU by that of `audit` | peak, MB |
|---|---|--:|--:|--:|--:|
""" + "\n".join(lines) + f"""

{machine()}; {datetime.date.today().isoformat()}; Python {platform.python_version()};
{", ".join(f"{name} {version(name)}" for name in names)}.
"""
