"""What a crawler's own parser makes of robots.txt is what its own reading says.

    readings [--wild TAR] [--sample N] [--made N] [--paths N] [--seed N] [--only READER]

The bodies come from a tar file, or from ../shared/robots: N of them, or all for 0; and N are made up. Each is asked
for the crawler's own name and for one that it names, and for URLs drawn from its own rules, as crawlers write them. The
parsers are Heritrix's and crawler-commons (Maven), robots-parser (npm), and GNU Wget and HTTrack themselves, which
crawl a web on loopback: one host for each body. Of the answers on real bodies, 99.9 % have to be the same. Needs Go. A parser whose tools (a JDK and
Maven; npm; wget; httrack) are missing is skipped.
"""

import base64
import collections
import concurrent.futures
import contextlib
import html
import ipaddress
import os
import pathlib
import random
import re
import shutil
import subprocess
import time
import urllib.parse
from pathlib import Path

import browser
import run
from differential import AGENT, ask_robotsaudit, bodies, paths_of
from lib import SHARED, Quiet, call, folder, serve

HERE = Path(__file__).resolve().parent / "readings"
LIMIT = 3600
ENOUGH = 0.999
BROWSER = "Mozilla/5.0 (compatible; %s +http://example.org)"


def names_of(body):
    """The names in user-agent lines, as crawlers have them."""
    names = (value.strip().split(b"/")[0].decode("latin-1") for value in AGENT.findall(body))
    return [name for name in names if re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]*", name)]


def url_of(path):
    """A path as crawlers write it."""
    path = urllib.parse.quote_from_bytes(path, safe="!#$%&'()*+,/:;=?@[]~^|-._")
    return "/" + re.sub(r"/\.\.?(?=[/?]|$)", "/x", path).lstrip("/")


def asked(questions):
    """The questions as the programs in readings/ take them."""
    b64 = lambda text: base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()
    return "".join(f"{b64(body)} {','.join(map(b64, tokens))} {','.join(map(b64, paths))}\n" for body, tokens, paths in questions)


def java(library, version, program):
    def ask(questions):
        jars = run.made(f"{library}-{version}", HERE / "pom.xml", lambda place: call(
            "mvn", "-q", "-B", "-Dstyle.color=never", "-f", HERE / "pom.xml", "-P", library, f"-Drelease={version}",
            "dependency:copy-dependencies", f"-DoutputDirectory={place}", codes=(0,)))
        return call("java", "-Xmx1g", "-cp", f"{jars}/*", HERE / program, input=asked(questions)).split("\n")[:-1]
    return ask


def node(program):
    def ask(questions):
        modules = browser.modules("npm", HERE)
        return call("node", HERE / program, input=asked(questions), env=os.environ | {"NODE_PATH": str(modules)}).split("\n")[:-1]
    return ask


class Web(Quiet):
    """A proxy in front of hosts that have the bodies. Wget does not look at queries: one holds the number of the path."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        is_robots = url.path == "/robots.txt" and not url.query
        body = self.answer(url, is_robots, self.server.questions, self.server.fetched)
        self.send_response(200)
        self.send_header("Content-Type", "text/plain" if is_robots else "text/html")
        self.send_header("Content-Length", len(body))
        self.end_headers()
        self.wfile.write(body)

    do_HEAD = do_GET

    def answer(self, url, is_robots, questions, fetched):
        host = url.hostname.removeprefix("h").removesuffix(".test")
        if host == "start":
            return b"" if is_robots else links(f"http://h{i}.test{mark(path, n)}" for i, (_, _, paths) in
                                               enumerate(questions) for n, path in enumerate(paths))
        if is_robots:
            return questions[int(host)][0]
        fetched[int(host)].add(int(self.path.rpartition("~")[2]))
        return b""


class Mirrored(Web):
    """The same for HTTrack, which has the robots.txt of a host only after a page of it, and asks DNS for its name:
    hosts are numbers, and the links that count come last."""

    def answer(self, url, is_robots, questions, fetched):
        host = int(ipaddress.ip_address(url.hostname)) - NET
        if host >= 0 and is_robots:
            return questions[host][0]
        if host >= 0:
            fetched[host].add(decoded(self.path.split(url.hostname, 1)[1]))
        elif url.path == "/":
            return links([f"http://{address(i)}/first.html" for i in range(len(questions))] + ["http://127.0.0.1/all"])
        elif url.path == "/all":
            return links(f"http://{address(i)}{path}" for i, (_, _, paths) in enumerate(questions) for path in paths)
        return b""


decoded = urllib.parse.unquote_to_bytes
NET = int(ipaddress.ip_address("127.1.0.0"))


def address(i):
    return ipaddress.ip_address(NET + i)


def links(urls):
    return b"".join(b"<a href='%s'>x</a>" % html.escape(url).encode() for url in urls)


def mark(path, n):
    return f"{path.partition('#')[0]}{'&' if '?' in path else '?'}~{n}"


@contextlib.contextmanager
def serving(handler, questions):
    server = serve(handler)
    server.questions, server.fetched = questions, collections.defaultdict(set)
    with folder() as work:
        yield work, f"http://127.0.0.1:{server.server_address[1]}/", server.fetched
    server.shutdown()


def wget(questions):
    with serving(Web, questions) as (work, proxy, fetched):
        subprocess.run(["wget", "--no-config", "-q", "-r", "-l1", "-H", "--delete-after", "-e", "robots=on",
                        "-e", f"http_proxy={proxy}", "http://start.test/"], cwd=work, check=False)
    return ["".join("a" if n in fetched[i] else "d" for n in range(len(paths))) for i, (_, _, paths) in enumerate(questions)]


def httrack(questions):
    """It waits more than it works: many at once have a few hosts each. "?": it neither fetched nor refused the URL,
    which may be too long for it."""
    def ask(questions):
        with serving(Mirrored, questions) as (work, proxy, fetched):
            subprocess.run(["httrack", "http://127.0.0.1/", "-O", work, "-P", proxy.removeprefix("http://").rstrip("/"),
                            *"-q -r3 -e -s2 -C0 -I0 -c8 -A100000000 -%! -%c100 -%N0 -u0 -Z".split()],
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
            log = (Path(work) / "hts-log.txt").read_bytes()
        forbidden = {decoded(link) for link in re.findall(rb"forbidden link: link (.+) at ", log)}
        return ["".join("a" if decoded(path) in fetched[i] else "d" if decoded(f"{address(i)}{path}") in forbidden
                        else "?" for path in paths) for i, (_, _, paths) in enumerate(questions)]
    with concurrent.futures.ThreadPoolExecutor(24) as pool:
        return [line for part in pool.map(ask, [questions[i:i + 6] for i in range(0, len(questions), 6)]) for line in part]


def named(body, rnd, name):
    """The body, with one of the names in it replaced."""
    names = names_of(body)
    if not names or rnd.random() < 0.5:
        return body
    one = re.escape(rnd.choice(names).encode())
    return re.sub(rb"(?im)^([ \t]*user-agent[ \t]*:[ \t]*)" + one + rb"(?![\w.-])", rb"\g<1>" + name, body)


HTTRACK = []  # the release that is here
if shutil.which("httrack"):
    HTTRACK = [int(n) for n in re.search(r"(\d+)\.(\d+)-(\d+)", call("httrack", "--version")).groups()]

# reader -> (the name that it goes by, how its User-Agent or token has it, the parser, what it needs)
READERS = {
    "heritrix-3.9": ("heritrix/3.4.0", BROWSER, java("heritrix", "3.4.0-20220727", "Heritrix.java"), ("javac", "mvn")),
    "heritrix": ("heritrix/3.13.0", BROWSER, java("heritrix", "3.13.0", "Heritrix.java"), ("javac", "mvn")),
    "browsertrix": ("Browsertrix/1.10.0", "%s", node("robots_parser.js"), ("node", "npm")),
    "wget": ("Wget", "%s", wget, ("wget",)),
    "nutch-1.19": ("CCBot", "%s", java("crawler-commons", "1.3", "CrawlerCommons.java"), ("javac", "mvn")),
    "httrack": ("HTTrack", "%s", httrack, ("httrack" if HTTRACK >= [3, 50, 3] else "HTTrack from 3.50.3",)),
    "nutch": ("CCBot", "%s", java("crawler-commons", "1.6", "CrawlerCommons.java"), ("javac", "mvn")),
}


def question(reader, body, many, rnd):
    name, form, *_ = READERS[reader]
    tokens = [form % name]
    if tokens[0] in ("Wget", "HTTrack"):  # they obey no other name
        body = named(body, rnd, tokens[0].encode())
    elif names := names_of(body):
        tokens.append(form % (rnd.choice(names).lower() + "/1.0"))
    urls = dict.fromkeys(url_of(path) for path in paths_of(body, many, rnd)[2:])
    if name == "HTTrack":  # it changes escapes
        urls = {decoded(url): url for url in urls if "#" not in url}.values()
    return body, tokens, list(urls)


def main(*, wild: pathlib.Path = SHARED / "robots/wild-2019.tar.gz", sample: int = 400, made: int = 100,
         paths: int = 25, seed: int = 45, only: str = ""):
    wrong = 0
    for reader in [only] if only else READERS:
        if missing := [tool for tool in READERS[reader][3] if not shutil.which(tool)]:
            print(f"{reader}: skipped: no {missing[0]} here")
            continue
        start, rnd = time.monotonic(), random.Random(seed)
        all_bodies = list(bodies(wild, made, rnd))
        real = [b for b in all_bodies if not b[0].startswith("made-")]
        if sample and sample < len(real):
            real = rnd.sample(real, sample)
        chosen = real + all_bodies[len(all_bodies) - made:]
        questions = [question(reader, body, paths + 2, rnd) for _, body in chosen]
        theirs = READERS[reader][2](questions)
        with folder() as work:
            ours = [answer["own"] for answer in ask_robotsaudit(
                [(body, tokens, [p.encode() for p in urls]) for body, tokens, urls in questions], work, reader)]
        answers, unasked, differ, examples = *(collections.Counter() for _ in range(3)), []
        for (name, _), (_, tokens, urls), mine, its in zip(chosen, questions, ours, theirs, strict=True):
            kind = "made" if name.startswith("made-") else "real"
            answers[kind] += len(its) - its.count("?")
            unasked[kind] += its.count("?")
            for i, (a, b) in enumerate(zip(mine, its, strict=True)):
                if a != b and b != "?":
                    differ[kind] += 1
                    examples.append((kind, name, tokens[i // len(urls)], urls[i % len(urls)], f"we {a}, it {b}"))
        share = {kind: 1 - differ[kind] / n for kind, n in answers.items()}
        print(f"{reader}: " + ", ".join(f"{100 * share[kind]:.3f} % of {n} answers on {kind} bodies are the same"
                                        for kind, n in answers.items()) + f"; {time.monotonic() - start:.0f} s")
        for example in rnd.sample(examples, min(12, len(examples))):
            print("  ", *example)
        wrong += share.get("real", share["made"]) < ENOUGH or unasked["real"] > answers["real"] / 50
    return wrong
