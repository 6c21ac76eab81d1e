"""Verdicts on archives of real crawlers, which crawl a known web here, agree with the server's log.

    crawlers BINARY                    all crawlers
    crawlers BINARY heritrix wpull     these; --list lists each verdict that differs
    crawlers BINARY --archives DIR     audit the archives of an earlier run again
    crawlers BINARY --output DIR       keep archives and the server's log; --tools DIR: where crawlers are installed

See crawlers/README.md.
"""

import contextlib
import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import crawlers_tools as crawlers
import crawlers_web as web
import testdata as make
from lib import folder, script

ENVIRONMENT = ""
LIMIT = 0
INSIDE = "ROBOTSAUDIT_CRAWLERS_NAMESPACE"
ADDRESS, MASK = "10.0.0.1", "252.0.0.0"
TOOLS = Path(tempfile.gettempdir()) / "robotsaudit-crawlers"


def add_address():
    """add_address gives the loopback device ADDRESS as well.

    warcprox refuses 127.0.0.0/8, and loses its first record without a route to 10.255.255.255, which
    must not be the network's broadcast address: hence MASK.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for action, value in ((0x8916, ADDRESS), (0x891C, MASK)):  # SIOCSIFADDR, SIOCSIFNETMASK
            fcntl.ioctl(probe, action, struct.pack("16sHH4s8x", b"lo:1", socket.AF_INET, 0, socket.inet_aton(value)))


def name_hosts(scratch):
    """name_hosts gives all hosts one address, and a name server that knows nothing, in this namespace alone."""
    (scratch / "hosts").write_text("127.0.0.1 localhost\n" + "".join(f"{ADDRESS} {name}\n" for name in web.names()))
    (scratch / "resolv.conf").write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
    for name in ("hosts", "resolv.conf"):
        subprocess.run(["mount", "--bind", scratch / name, os.path.realpath(f"/etc/{name}")], check=True)


def crawl_all(names, tools, output):
    """crawl_all runs every crawl of every crawler named, in the namespace, one after the other."""
    make.raise_loopback()
    add_address()
    with folder() as scratch:
        name_hosts(scratch)
        web.refuse_names()
        site = web.Web(output / "server.jsonl")
        for name in names:
            crawler = crawlers.CRAWLERS[name]
            for crawl in crawler.crawls:
                place = output / name / crawl.mode
                shutil.rmtree(place, ignore_errors=True)
                place.mkdir(parents=True)
                seeds = scratch / "seeds"
                seeds.write_text("\n".join(web.seeds(with_robots=not crawl.obeys)) + "\n")
                site.start(f"{name}/{crawl.mode}", crawl.moment, crawl.speed)
                before = site.number
                forger = threading.Thread(target=web.forge, args=[web.SUFFIX_TOKEN if crawl.mode == "suffix" else crawler.token])
                forger.start()
                with crawlers.recorder(tools, place) if crawler.proxied else contextlib.nullcontext():
                    crawler.run(tools, place, seeds, crawl)
                forger.join()
                print(f"crawlers: {name} {crawl.mode}: {site.number - before} requests", file=sys.stderr)


def install(names, tools):
    """install gives those of the names whose crawlers can be had here."""
    tools.mkdir(parents=True, exist_ok=True)
    usable = []
    for name in names:
        try:
            crawlers.install(tools, name)
            usable.append(name)
        except (OSError, subprocess.CalledProcessError) as failure:
            print(f"crawlers: {name} skipped: {failure}", file=sys.stderr)
    return usable


def main(binary, *crawler, archives: Path = None, output: Path = None, tools: Path = TOOLS, list: bool = False):
    unknown = set(crawler) - set(crawlers.CRAWLERS)
    if unknown:
        sys.exit("no such crawler: " + ", ".join(sorted(unknown)) + "; there are " + ", ".join(crawlers.CRAWLERS))
    names = crawler or tuple(crawlers.CRAWLERS)
    if INSIDE in os.environ:
        return crawl_all(names, tools, output)
    with folder() as work:
        output = (archives or output or work).resolve()
        if not archives:
            names = install(names, tools)
            if not names:
                sys.exit("crawlers: no crawler can be had here")
            output.mkdir(parents=True, exist_ok=True)
            (output / "server.jsonl").unlink(missing_ok=True)
            make.in_namespace(INSIDE, ("mount",), "check", "crawlers", binary, *names, "--tools", tools, "--output", output)
        names = [name for name in names if (output / name).is_dir()]
        for program in ("crawlers_logs", "crawlers_verdicts"):
            print(script("check", program, binary, output, *names, *["--list"] * list), end="")
