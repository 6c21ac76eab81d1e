"""Measures the project on large archives beside other readers.

    archives DATA [--rounds N] [--size MB] [--small-size MB] [--files N] [--copies N] [--corpora NAME...] [--out DIR]

makes the archives in the folder DATA, which keeps them for the next run; lets the readers take turns; and writes
docs/bench/DATE-archives/{raw.csv,README.md}. The quick form, a minute or two after the first time:

    archives DATA --size 50 --small-size 20 --copies 2 --rounds 2 --out DIR

Needs Go, and of Debian apt-get, dpkg-deb, taskset and python3-venv. Nothing is installed outside of DATA.
"""

import csv
import datetime
import glob
import importlib.metadata
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import archives_summary as summary
from lib import ROOT, cost, script

LIMIT = 0
HERE = Path(__file__).resolve().parent
DOCUMENTATION = "rust-doc", "python3-doc", "postgresql-doc"
LIBDEFLATE = "libdeflate-tools", "libdeflate0"


def main(data: Path, *, size: int = 1000, small_size: int = 400, files: int = 16, copies: int = 10, rounds: int = 5,
         corpora=("pages", "small", "files", "copies"), out: Path = None):
    options = SimpleNamespace(**locals())
    load = os.getloadavg()[0]
    out = out or ROOT / "docs/bench" / f"{datetime.date.today().isoformat()}-archives"
    data = data.resolve()
    data.mkdir(parents=True, exist_ok=True)
    subprocess.run(["go", "build", "-o", data / "bin/robotsaudit", "./cmd/robotsaudit"], cwd=ROOT, check=True)
    debian(data / "sources", [p for name in DOCUMENTATION for p in [name, *documentation_behind(name)]])
    debian(data / "libdeflate", LIBDEFLATE)
    folders = {name: make(data, *CORPORA[name](options)) for name in corpora}
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "raw.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["corpus", "round", "reader", "wall_s", "cpu_s", "peak_rss_kb"])
        for name, folder in folders.items():
            for row in measure(name, folder, data, rounds):
                rows.writerow(row)
                file.flush()
    facts = {"machine": machine(load), "versions": versions(data), "corpora": {}, "commands": {}}
    arguments = ["DATA" if Path(argument).resolve() == data else argument for argument in sys.argv[4:]]
    facts["command"] = shlex.join(["scripts/bench/run", "archives", *arguments])
    for name, folder in folders.items():
        facts["corpora"][name] = json.loads((folder / "corpus.json").read_text())
        facts["commands"][name] = {reader: written(command, data) for reader, command in readers(name, folder, data).items()}
    (out / "README.md").write_text(summary.markdown(out / "raw.csv", facts), encoding="utf-8")
    print(f"{out}/README.md")


# Of each corpus: the shape of its fetches and the arguments of its maker.
CORPORA = {"pages": lambda o: ("pages", o.size, 1, 1), "small": lambda o: ("small", o.small_size, 1, 1),
    "files": lambda o: ("pages", o.size, o.files, 1), "copies": lambda o: ("pages", o.size, 1, o.copies)}


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
    archives = sorted(temporary.glob("*.deb"))
    for archive in archives:
        subprocess.run(["dpkg-deb", "--extract", archive, temporary], check=True)
        archive.unlink()
    (temporary / "packages.txt").write_text("".join(f"{archive.stem}\n" for archive in archives))
    temporary.rename(folder)


def make(data, shape, size, files, copies):
    """Makes a corpus unless it is there; its name tells how it was made."""
    folder = data / f"{shape}-{size}MB"
    if files > 1:
        folder = folder.with_name(f"{folder.name}-{files}files")
    if copies > 1:
        folder = folder.with_name(f"{folder.name}-{copies}copies")
    if not folder.exists():
        print(f"making {folder.name}", file=sys.stderr)
        script("bench", "corpus", data / "sources", folder, "--shape", shape, "--size", size, "--files", files, "--copies", copies)
    return folder


def readers(corpus, folder, data):
    """The command of each reader, kept on its cores."""
    archives = [str(path) for path in sorted(folder.glob("*.warc.gz"))]
    binary, out = str(data / "bin" / "robotsaudit"), str(data / "out")
    cores = [str(core) for core in sorted(os.sched_getaffinity(0))]
    one, two = ["taskset", "--cpu-list", cores[0]], ["taskset", "--cpu-list", ",".join(cores[:2])]
    iterate = [sys.executable, str(HERE / "iterate.py")]
    own = {"ingest, 1 core": [*one, binary, "ingest", *archives, "-o", out, "--workers", "1"],
        "ingest, 2 cores": [*two, binary, "ingest", *archives, "-o", out, "--workers", "2"],
        "audit, 2 cores": [*two, binary, "audit", *archives, "-o", out, "--workers", "2"]}
    if corpus in ("files", "copies"):
        return own
    return own | {
        "libdeflate-gunzip": [*one, libdeflate(data), "-c", *archives],
        "zcat": [*one, "zcat", *archives],
        "FastWARC": [*one, *iterate, "fastwarc", *archives],
        "warcio": [*one, *iterate, "warcio", *archives],
    }


def libdeflate(data):
    return str(data / "libdeflate" / "usr" / "bin" / "libdeflate-gunzip")


def libraries(data):
    return dict(os.environ, LD_LIBRARY_PATH=":".join(glob.glob(str(data / "libdeflate/usr/lib/*"))))


def measure(name, folder, data, rounds):
    """Lets the readers take turns, back and forth. Round 0, the warm-up, is left out."""
    corpus = json.loads((folder / "corpus.json").read_text())
    expected = {"FastWARC": corpus["records"], "warcio": corpus["records"]}
    commands = list(readers(name, folder, data).items())
    for number in range(rounds + 1):
        for reader, command in commands if number % 2 else reversed(commands):
            shutil.rmtree(data / "out", ignore_errors=True)
            prints = not {"zcat", libdeflate(data)} & set(command)  # what it counted, and no archive
            with open(data / "stdout" if prints else os.devnull, "wb") as stdout:
                process, wall, cpu, peak = cost(*command, seconds=86400, stdout=stdout, env=libraries(data))
            if process.returncode != 0:
                sys.exit(f"{' '.join(command)}: exit code {process.returncode}\n{process.said}")
            if reader in expected and int(read := (data / "stdout").read_text()) != expected[reader]:
                sys.exit(f"{reader} read {read.strip()} of {expected[reader]} in {folder.name}")
            if number > 0:
                yield name, number, reader, f"{wall:.3f}", f"{cpu:.3f}", peak // 1024
        print(f"{name}: round {number} of {rounds}", file=sys.stderr)


def written(command, data):
    """The command as it is written into the results, without the places of this machine."""
    return " ".join(command).replace(f"{ROOT}/", "").replace(str(data), "DATA")


def machine(load):
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name")), platform.machine())
    return f"{model}, {len(os.sched_getaffinity(0))} cores, Linux {platform.release().partition('-')[0]}, load {load:.1f} before and {os.getloadavg()[0]:.1f} after"


def versions(data):
    def first(*command, **options):
        return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout.splitlines()[0]

    return {
        "robotsaudit": first("git", "describe", "--always", "--dirty", cwd=ROOT),
        "Go": first("go", "env", "GOVERSION", cwd=ROOT),
        "Python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in ("FastWARC", "warcio")},
        "zcat": first("zcat", "--version"),
        "Debian": ", ".join((data / "libdeflate" / "packages.txt").read_text().split() + (data / "sources" / "packages.txt").read_text().split()),
    }
