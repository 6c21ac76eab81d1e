"""What the programs share: places, commands and their cost, tables, and a tally of what holds."""

import ast
import base64
import collections
import contextlib
import hashlib
import http.server
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTDATA = ROOT / "testdata/warc"
ARCHIVES = sorted(TESTDATA.glob("*.warc*"))
SHARED = ROOT.parent / "shared"
HISTORY = SHARED / "robots/history-2020-2025.jsonl.gz"
TABLES = {"violations": ("certain", "probable"), "unproven": ("possible", "contested")}
IDENTICAL = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None  # a folder for what is written and read at once


def shared(*names):
    """The folders of ../shared that are here; what is not is said."""
    for name in names:
        if (SHARED / name).exists():
            yield SHARED / name
        else:
            print(f"skipped: ../shared/{name} is not here")


def script(folder, name, *arguments, **options):
    """Runs a program of scripts in a process of its own."""
    return call(ROOT / "scripts" / folder / "run", name, *arguments, codes=(0,), **options)


def call(*command, codes=(0, 3), **options):
    """Runs a command to its end and returns what it prints; ends where the exit code is another."""
    command = [str(word) for word in command]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    if done.returncode not in codes:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def begun(*command, **options):
    """Starts a command, of which standard error is kept: see ended."""
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **options)


def ended(process):
    """Waits for a process, and returns what it said on standard error; ends where it failed."""
    said = process.communicate()[1]
    if process.returncode not in (0, 3):
        sys.exit(f"{' '.join(map(str, process.args))}: exit code {process.returncode}\n{said}")
    return said


def audit(binary, out, inputs, *options):
    call(binary, "audit", "--quiet", "-o", out, *options, *inputs)


def audit_list(binary, out, inputs, *options):
    """Audits inputs by a list, which gives the tables their whole paths."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
        names.writelines(f"{Path(path).resolve()}\n" for path in inputs)
        names.flush()
        audit(binary, out, [f"@{names.name}"], *options)


def table(out, name, *columns):
    """The rows of a table of an audit."""
    import pyarrow.parquet

    return pyarrow.parquet.read_table(Path(out, f"{name}.parquet"), columns=list(columns) or None).to_pylist()


def record(kind, block, fields, version="1.1"):
    """A record of WARC, without compression. Fields without a value are left out."""
    fields = {"WARC-Type": kind, **fields, "Content-Length": len(block)}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value is not None)
    return f"WARC/{version}\r\n{head}\r\n".encode() + block + b"\r\n\r\n"


def message(first, fields=(), body=b""):
    """A message of HTTP: its first line, its fields, as pairs, and its body."""
    return "".join(f"{line}\r\n" for line in (first, *(f"{name}: {value}" for name, value in fields), "")).encode() + body


def sha1(octets):
    """A digest, as WARC writes it."""
    return "sha1:" + base64.b32encode(hashlib.sha1(octets).digest()).decode()


def iso(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def random_id(rng):
    return f"<urn:uuid:{uuid.UUID(int=rng.getrandbits(128), version=4)}>"


def uuid_of(number):
    """The id of a record, which a number gives."""
    return f"<urn:uuid:00000000-0000-4000-8000-{number:012x}>"


def bare(text):
    """An id or URL without the angle brackets that some writers put around it, and urn:uuid:."""
    return re.sub(r"^<?(urn:uuid:)?|>$", "", text.strip()) if text else None


def words(text, separator=","):
    """The words of a list in a column, or of a text with separators."""
    if isinstance(text, list):
        return set(text)
    return {word for word in (text or "").split(separator) if word}


# Starts a command, and writes what it cost. Linux counts the peak of who starts a process as that of the process,
# so who starts it must be small.
STARTER = """import os, sys, time
begin = time.monotonic()
_, status, used = os.wait4(os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ), 0)
os.write(int(sys.argv[1]), repr((os.waitstatus_to_exitcode(status), time.monotonic() - begin, used.ru_utime + used.ru_stime,
                                 used.ru_maxrss * (1 if sys.platform == "darwin" else 1024))).encode())"""


def cost(*command, seconds=1800, **options):
    """Runs a command to its end: exit code, wall time and CPU in seconds, the peak of resident memory in bytes."""
    with tempfile.TemporaryFile() as log, tempfile.TemporaryFile() as used:
        p = subprocess.Popen([sys.executable, "-ISc", STARTER, str(used.fileno()), *map(str, command)], start_new_session=True,
                             pass_fds=[used.fileno()], **{"stdout": subprocess.DEVNULL, "stderr": log} | options)
        try:
            p.wait(seconds)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(p.pid, signal.SIGKILL)  # what is left of it
        used.seek(0)
        p.returncode, *figures = ast.literal_eval(used.read().decode())
        log.seek(0)
        p.args, p.said = list(map(str, command)), log.read().decode()
    return p, *figures


@contextlib.contextmanager
def folder(prefix="robotsaudit-", **where):
    """A temporary folder, as a Path without links."""
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True, **where) as name:
        yield Path(name).resolve()


class Quiet(http.server.BaseHTTPRequestHandler):
    """Answers requests, and logs none."""

    def log_message(self, *_):
        pass


def serve(handler, port=0, address="127.0.0.1"):
    """Starts a server, in threads of its own."""
    server = http.server.ThreadingHTTPServer((address, port), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Tally:
    """Counts what holds; prints a line for each check, or each difference."""

    def __init__(self):
        self.failed = self.done = 0

    def check(self, name, ok, detail=""):
        self.done += 1
        self.failed += not ok
        print(f"{'ok' if ok else 'FAIL':4}  {name}" + (f": {detail}" if detail != "" else ""), flush=True)

    def equal(self, name, ours, theirs):
        self.done += 1
        if ours != theirs:
            self.failed += 1
            print(f"FAIL  {name}: {ours!r} is not {theirs!r}", flush=True)


def seeded(compare, made, binary, count, seed, scenarios, keep, summary):
    """Calls compare(binary, seed, folder, scenarios, totals), which yields what differs, for one seed after the other."""
    totals = collections.Counter()
    for number in range(seed, seed + count):
        with folder(made, dir=MEMORY) as work:
            problems = 0
            for problem in compare(binary, number, work, scenarios, totals):
                print(f"seed {number}: {problem}", flush=True)
                problems += 1
            totals.update({made: 1, "problems": problems})
            if keep and problems:
                shutil.copytree(work, Path(keep, str(number)), dirs_exist_ok=True)
    print(summary.format_map(totals))
    return totals["problems"] > 0
