"""Makes testdata/warc: GNU wget crawls the site of hosts.py, on loopback.

    testdata [--output DIR]    write the archives
    testdata --check           make them again elsewhere, compare byte for byte

Needs Linux, GNU wget, a C compiler and util-linux's unshare. The crawls run in a
network namespace of their own that holds nothing but loopback, with a hosts file
of their own: no request can leave the machine, and ports 80 and 8080 are free.
"""

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
import time
from email.utils import formatdate
from pathlib import Path
from typing import NamedTuple

import hosts
import run
from lib import TESTDATA, Quiet, folder, serve

ENVIRONMENT = ""
HERE = Path(__file__).resolve().parent
INSIDE = "ROBOTSAUDIT_TESTDATA_NAMESPACE"
WGET_SECONDS = 120

OBEY = ("--recursive", "--level=3", "--span-hosts")
IGNORE = ("--execute", "robots=off")


class Crawl(NamedTuple):
    name: str
    start: str
    urls: tuple
    options: tuple
    plain: bool = False
    dedup: str = ""  # name of the crawl whose payloads become revisits


def domains(*names):
    return "--domains=" + ",".join(names)


def on(host, *paths):
    return tuple(f"http://{host}{path}" for path in paths)


# The crawls in the order they are made. Crawl c names every URL it asks for.
CRAWLS = (
    Crawl("crawl-a-1", "2025-03-03T09:00:00", on("news.example", "/"),
          (*OBEY, "--compression=auto", domains(*hosts.UNDERSTOOD))),
    Crawl("crawl-a-2", "2025-03-05T09:00:00", on("news.example", "/"),
          (*OBEY, domains("news.example", "media.example", "groups.example", "redir.example", "order.example"))),
    Crawl("crawl-b-1", "2025-03-10T06:00:00",
          sum((on(host, "/") for host in hosts.MISREAD), ()), (*OBEY, domains(*hosts.MISREAD))),
    Crawl("crawl-b-2", "2025-03-10T18:00:00",
          sum((on(host, "/") for host in ("down.example", "flaky.example", "turning.example", "hop.example")), ()),
          (*OBEY, domains(*hosts.MISREAD)), plain=True),
    Crawl("crawl-c-1", "2025-03-20T12:00:00", (
        *on("news.example", "/robots.txt", "/private/draft.html", "/today.html", "/archive/2024.html"),
        *on("big.example", "/robots.txt", "/early/a.html", "/late/a.html", "/docs/public/a.html", "/a.html"),
        *on("latin.example", "/robots.txt", "/caf%E9/a.html", "/caf%C3%A9/a.html", "/~user/a.html"),
        *on("groups.example", "/robots.txt", "/wget-only/a.html", "/later-group/a.html", "/open.html"),
        *on("redir.example", "/robots.txt", "/shut/a.html", "/a.html"),
        *on("locked.example", "/robots.txt", "/a.html"),
        *on("html.example", "/robots.txt", "/a.html"),
        *on("empty.example", "/robots.txt", "/a.html"),
        *on("gone.example", "/robots.txt", "/a.html"),
        *on("longest.example", "/robots.txt", "/docs/a.html", "/docs/public/a.html", "/tie.html",
            "/out?to=http://wild.example/", "/outside.html"),
        *on("wild.example", "/robots.txt", "/paper.pdf", "/paper.pdf?download=1", "/search?q=robots"),
        *on("down.example", "/robots.txt", "/a.html"),
        *on("coded.example", "/robots.txt", "/shut/a.html", "/a.html"),
        *on("five.example", "/robots.txt", "/shut/a.html", "/a.html"),
        *on("maze.example", "/robots.txt", "/a.html"),
        *on("loop.example", "/robots.txt", "/a.html"),
        *on("secure.example", "/robots.txt", "/a.html"),
        *on("odd.example", "/robots.txt", "/a.html"),
        *on("silent.example", "/a.html"),
        *on("tardy.example", "/shut/a.html", "/a.html", "/robots.txt"),
        *on("swing.example", "/robots.txt", "/x/a.html", "/y/a.html"),
        *on("slow.example", "/robots.txt", "/shut/a.html"),
        *on("ports.example", "/robots.txt", "/eighty/a.html", "/alt/a.html"),
        *on("ports.example:8080", "/robots.txt", "/eighty/a.html", "/alt/a.html"),
    ), IGNORE),
    Crawl("crawl-c-2", "2025-03-23T12:00:00", (
        *on("news.example", "/robots.txt", "/private/draft.html", "/today.html"),
        *on("redir.example", "/robots.txt", "/shut/a.html"),
        *on("tardy.example", "/robots.txt", "/shut/a.html"),
        *on("swing.example", "/x/a.html", "/y/a.html", "/robots.txt", "/x/a.html"),
        *on("slow.example", "/shut/a.html", "/a.html"),
        *on("down.example", "/b.html"),
    ), IGNORE, dedup="crawl-c-1"),
    Crawl("crawl-c-3", "2025-03-24T06:00:00", (
        *on("bots.example", "/robots.txt", "/bot/a.html", "/any/a.html"),
        *on("tardy.example", "/shut/a.html", "/a.html"),
    ), (*IGNORE, "--user-agent=ExampleBot/2.0 (+http://bots.example/about)")),
    Crawl("crawl-c-4", "2025-05-06T12:00:00", (
        *on("slow.example", "/shut/a.html", "/a.html"),
        *on("down.example", "/robots.txt", "/a.html"),
    ), IGNORE),
)


class Clock:
    """The site's clock: a second passes with every request. wget reads the file."""

    def __init__(self, path):
        self.path, self.now = path, 0

    def set(self, now):
        self.now = now
        fresh = self.path.with_suffix(".new")
        fresh.write_text(f"{now}\n")
        fresh.rename(self.path)


class Handler(Quiet):
    protocol_version = "HTTP/1.1"
    clock = None  # set by make

    def do_GET(self):
        # wget stamps a request just after sending it; the clock must not move before that.
        time.sleep(0.02)
        now = self.clock.now
        self.clock.set(now + 1)
        host = self.headers.get("Host", "").removesuffix(":80")
        accepts_gzip = "gzip" in self.headers.get("Accept-Encoding", "")
        reply, headers, body = hosts.reply(host, self.path, now, accepts_gzip)
        self.send(reply.status, headers, body, reply.chunked, now)

    def send(self, status, headers, body, chunked, now=None):
        self.send_response_only(status)
        self.send_header("Date", formatdate(now, usegmt=True))
        for name, value in headers:
            self.send_header(name, value)
        if chunked:
            half = len(body) // 2
            body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:half], body[half:], b""))
            self.send_header("Transfer-Encoding", "chunked")
        elif status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)


def raise_loopback():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        flags = 0x1 | 0x40  # IFF_UP, IFF_RUNNING
        fcntl.ioctl(probe, 0x8914, struct.pack("16sh14s", b"lo", flags, b""))  # SIOCSIFFLAGS


def name_hosts(scratch):
    """name_hosts gives each host an address of its own, in this namespace only."""
    names = dict.fromkeys(name.partition(":")[0] for name in hosts.HOSTS)
    table = scratch / "hosts"
    table.write_text("".join(f"127.0.0.{n} {name}\n" for n, name in enumerate(names, 10)))
    subprocess.run(["mount", "--bind", table, "/etc/hosts"], check=True)


def crawl(work, clock, shim, number, job):
    clock.set(hosts.at(job.start))
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC", "HOME": str(work),
        "LD_PRELOAD": str(shim), "SITE_CLOCK": str(clock.path), "SITE_SEED": str(number)}
    command = ["wget", "--no-config", "--quiet", "--no-hsts", "--tries=1", "--timeout=10", "--delete-after",
               f"--warc-file={job.name}", "--warc-cdx", "--no-warc-keep-log", *job.options]
    if job.plain:
        command.append("--no-warc-compression")
    if job.dedup:
        command.append(f"--warc-dedup={job.dedup}.cdx")
    # wget's exit code is 4, 6 or 8 where a page was refused: that is part of the crawl.
    done = subprocess.run([*command, *job.urls], cwd=work, env=environment, timeout=WGET_SECONDS)
    if done.returncode not in (0, 4, 8):
        sys.exit(f"testdata: {job.name}: wget ended with {done.returncode}")
    return work / (job.name + (".warc" if job.plain else ".warc.gz"))


def make(output):
    """make runs all crawls, in the namespace, and moves the archives to output."""
    raise_loopback()
    with folder() as scratch:
        name_hosts(scratch)
        shim = scratch / "clock.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shim, HERE / "clock.c"], check=True)
        clock = Handler.clock = Clock(scratch / "clock")
        for port in (80, 8080):
            serve(Handler, port, "0.0.0.0")
        work = scratch / "work"
        work.mkdir()
        made = [crawl(work, clock, shim, number, job) for number, job in enumerate(CRAWLS, 1)]
        output.mkdir(parents=True, exist_ok=True)
        for path in made:
            (output / path.name).write_bytes(path.read_bytes())


def in_namespace(mark, needed, *command):
    """in_namespace runs a program of scripts, by run.py, in a network and with mounts of its own. mark tells it so."""
    for tool in ("unshare", *needed):
        if not shutil.which(tool):
            sys.exit(f"{tool} is not installed")
    command = ["unshare", "--map-root-user", "--net", "--mount", sys.executable, run.__file__, "--inside", *command]
    if subprocess.run(command, env=os.environ | {mark: "1"}).returncode:
        sys.exit(f"{command[8]}: nothing made: see above (does this machine allow user namespaces?)")


def make_in_namespace(output):
    in_namespace(INSIDE, ("wget", "cc"), "make", "testdata", "--output", output)


def differences(kept, made):
    """differences names the archives that are not the same bytes in both folders."""
    names = sorted({p.name for folder in (kept, made) for p in folder.glob("crawl-*.warc*")})
    return [name for name in names if not (kept / name).exists() or not (made / name).exists()
            or (kept / name).read_bytes() != (made / name).read_bytes()]


def main(*, output: Path = TESTDATA, check: bool = False):
    if INSIDE in os.environ:
        return make(output)
    if not check:
        make_in_namespace(output)
        archives = sorted(output.glob("crawl-*.warc*"))
        return print(f"testdata: {len(archives)} archives, {sum(p.stat().st_size for p in archives)} bytes")
    with folder() as work:
        make_in_namespace(work)
        changed = differences(TESTDATA, work)
    if changed:
        sys.exit("testdata: rebuilt differently: " + ", ".join(changed))
    print("testdata: rebuilt the same bytes")
