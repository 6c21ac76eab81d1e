"""Verdicts on random access logs are never surer than the truth, and no line is lost or invented.

    logs BINARY [WORLDS [SEED]]                   30 worlds, seed 1
    logs BINARY --world SEED/N --keep DIR         one world, its files and its audit

A world is a site whose robots.txt changes, with people, crawlers of operators and impostors, as its server saw them.
Each is written in one of the formats of access logs, with torn lines, garbage and spoofed hosts between, in no order.
A table has the versions of robots.txt with the times of their commits; the server deploys them later, and sometimes
serves what the table lacks. It may compress, in some worlds to the size of another version: there, `certain` alone is
compared. It writes a line when a request begins, or when it ends. The truth of a request is what its true client had
been served last when it began, and what the site served to all.

1. Each request to the site is one row of fetches: its URL, time, status and User-Agent are those that were sent.
2. `certain`: an operator's own crawler was served, at most a day before, a robots.txt that forbids the path.
3. `probable`: the site served such a robots.txt in the last day, or before if the evidence is stale, or it is what
   the client was served last.
4. `allowed`: some robots.txt of that time allows it, or the client was refused robots.txt last. Where a table
   alone speaks, and is ahead of the server, the request is counted apart.
5. A request from elsewhere in an operator's name names no crawler. A person's has no verdict.
6. Of the true violations by operators' crawlers that were served ten minutes before, and whose sizes show the version,
   at least nine in ten are certain.
7. No address is in any output; the results are the same with one worker and four.
"""

import bz2
import csv
import gzip
import json
import random
import re
import shutil
import subprocess
from collections import Counter
from contextlib import nullcontext
from datetime import datetime, timedelta, timezone
from pathlib import Path

from lib import MEMORY, audit, call, folder, iso, table

HOST = "site.example"
START = datetime(2026, 3, 1, tzinfo=timezone.utc)
DAY = timedelta(days=1)
MINUTES = timedelta(minutes=10)  # a request may take
OPERATORS = {"GPTBot": "20.171.207.", "CCBot": "18.97.9.", "bingbot": "157.55.39."}
AGENTS = {
    "GPTBot": "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "CCBot": "CCBot/2.0 (https://commoncrawl.org/faq/)",
    "bingbot": "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "QuoteBot": 'QuoteBot/1.0 (say "hello\\world")',
    None: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
}
PATHS = ["/", "/a/", "/a/page?q=1", "/b/", "/b/x%20y", "/c/deep/page", "/d", '/quote"d']


class Request:
    def __init__(self, at, begun, ended, address, agent, path, status, size, true, body=None):
        self.at, self.address, self.agent, self.path, self.status, self.size = at, address, agent, path, status, size
        self.begun, self.ended = begun, ended  # at: when the log says
        self.true, self.body = true, body  # the operator's token if it is its own crawler; the robots.txt it was served


def robots(rng, number):
    """A robots.txt. The number of its version makes its length its own."""
    lines = ["User-agent: *", "Disallow: /never"]  # a group without a rule would be that of the next line, too
    lines += [f"Disallow: {path}" for path in ("/a/", "/b/", "/c/", "/d") if rng.random() < 0.4]
    if rng.random() < 0.5:
        lines += ["", f"User-agent: {rng.choice(list(OPERATORS))}"]
        lines += [f"Disallow: {path}" for path in ("/a/", "/b/") if rng.random() < 0.5] or ["Disallow:"]
    return "\n".join(lines) + "\n#" + "." * (500 * number) + "\n"


def forbids(body, token, path):
    """Whether a robots.txt of this program forbids a path to a crawler, by plain rules."""
    groups, names = {}, []
    for line in body.split("\n"):
        key, _, value = (part.strip() for part in line.partition(":"))
        if key == "User-agent":
            names = [value.lower()]
            groups.setdefault(names[0], [])
        elif key == "Disallow" and value:
            groups[names[0]].append(value)
    rules = groups.get((token or "").lower(), groups.get("*", []))
    return any(path.startswith(rule) for rule in rules)


class World:
    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.compresses = rng.random() < 0.25
        self.by_chance = self.compresses and rng.random() < 0.5
        self.logs_begin = rng.random() < 0.5
        self.commits, self.served = [], []  # (time, body); what the server has from then on, None: there is none
        at = START - timedelta(days=rng.uniform(1, 3))
        for number in range(1, rng.randrange(2, 7)):
            body = robots(rng, number)
            self.commits.append((at, body))
            self.served.append((at + timedelta(hours=rng.choice([0, 0, 1, 5])), body))
            at += timedelta(days=rng.choice([0.3, 1, 2, 6]))
        if rng.random() < 0.3:  # what no table has
            self.served.append((START + timedelta(days=rng.uniform(1, 8)), robots(rng, 9)))
        if rng.random() < 0.3:
            self.served.append((START + timedelta(days=rng.uniform(1, 8)), None))
        self.served.sort(key=lambda s: s[0])
        self.requests = []
        for token, net in OPERATORS.items():
            self.crawl(token, net + str(rng.randrange(256)), token)
        for _ in range(2):
            token = rng.choice(list(OPERATORS))
            self.crawl(token, f"203.0.113.{rng.randrange(256)}", None)
        self.crawl("QuoteBot", "2001:db8::7", "QuoteBot")
        for n in range(30):
            self.ask(START + DAY * rng.uniform(0, 9), f"198.51.100.{n}", None, rng.choice(PATHS), None)

    def in_force(self, at):
        return ([body for since, body in self.served if since <= at] or [None])[-1]

    def crawl(self, token, address, true):
        """A crawler asks for robots.txt now and then, or never, and fetches what it likes."""
        rng, asks = self.rng, self.rng.choice([0, 0.05, 0.2])
        at = START + DAY * rng.random()
        for n in range(40):
            robots_first = n == 0 and asks or rng.random() < asks
            self.ask(at, address, token, "/robots.txt" if robots_first else rng.choice(PATHS), true)
            at += timedelta(seconds=rng.choice([1, 30, 3600, 20000]) * rng.uniform(0.5, 1.5))

    def ask(self, at, address, token, path, true):
        begun, body = at.replace(microsecond=0), None
        ended = begun + timedelta(seconds=self.rng.choice([0, 0, 0, 1, 40, 300]))
        at = begun if self.logs_begin else ended
        status, size = self.rng.choice([200, 200, 200, 403, 404]), self.rng.randrange(20, 90000)
        if path == "/robots.txt":
            body = self.in_force(at)
            status = 404 if body is None else 200
            octets = (body or "not here").encode()
            if self.rng.random() < (0.3 if token and not true else 0.05):  # who is refused
                status = self.rng.choice([403, 429, 503])
                body, octets = "User-agent: *\nDisallow: /\n" if status == 503 else None, b"go away"
            size = len(gzip.compress(octets)) if self.compresses else len(octets)
            smaller = [len(b) for _, b in self.commits if len(b) < len(octets)]
            if self.by_chance and smaller and body == [b for since, b in self.commits if since <= at][-1]:
                size = self.rng.choice([size, *smaller])
            if status == 200 and self.rng.random() < 0.05:
                status, size = 304, 0
            if self.rng.random() < 0.03:  # the client has gone
                status, size = 499, 0
        self.requests.append(Request(at, begun, ended, address, AGENTS[token], path, status, size, true, body))

    def recently(self, at):
        """What the server had at some time in the day before a moment."""
        return [self.in_force(at)] + [body for since, body in self.served if at - DAY <= since <= at] + [self.in_force(at - DAY)]


def escaped(text):
    return text.replace("\\", "\\\\").replace('"', '\\"')


def hexed(text):
    return re.sub(r'["\\]', lambda m: f"\\x{ord(m.group()):02X}", text)


def combined(r, escape, client):
    zone = timezone(timedelta(hours=r.at.minute % 3))  # as a server in another zone, or at another time of the year
    stamp = r.at.astimezone(zone).strftime("%d/%b/%Y:%H:%M:%S %z")
    return f'{client} - - [{stamp}] "GET {escape(r.path)} HTTP/1.1" {r.status} {r.size} "-" "{escape(r.agent)}"'


def cloudfront(r):
    path, _, query = r.path.partition("?")
    agent = r.agent.replace("%", "%25").replace(" ", "%20").replace('"', "%22").replace("\\", "%5C")
    return "\t".join([
        r.at.strftime("%Y-%m-%d\t%H:%M:%S"), "FRA2", str(r.size + 300), r.address, "GET", "d1.cloudfront.net", path,
        str(r.status), "-", agent, query or "-", HOST, "https"])


FIELDS = "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) " \
    "cs(User-Agent) cs-uri-query x-host-header cs-protocol\n"
SITE = ("--site", f"https://{HOST}")
MINE = '[$time_iso8601] $status "$request" to $host from $remote_addr ($body_bytes_sent) "$http_user_agent" $request_time'
# name: how a line is written, the options, whether its size is that of the body, whether lines may be damaged anyhow
FORMATS = {
    "apache": (lambda r: combined(r, escaped, r.address), SITE, True),
    "nginx": (lambda r: combined(r, hexed, r.address), SITE, True),
    "vhost": (lambda r: combined(r, escaped, f"{HOST}:443 {r.address}"), (), False),
    "more fields": (lambda r: combined(r, hexed, r.address) + ' "-" 0.003 "FR"', SITE, True),
    "nginx JSON": (lambda r: json.dumps({
        "time_iso8601": r.at.isoformat(), "remote_addr": r.address, "host": HOST, "scheme": "https", "request": f"GET {r.path} HTTP/1.1",
        "status": str(r.status), "body_bytes_sent": r.size, "http_user_agent": r.agent}), (), True),
    "caddy": (lambda r: json.dumps({
        "level": "info", "ts": r.at.timestamp(), "logger": "http.log.access", "msg": "handled request",
        "request": {"remote_ip": r.address, "client_ip": r.address, "proto": "HTTP/2.0", "method": "GET", "host": HOST,
                    "uri": r.path, "headers": {"User-Agent": [r.agent]}, "tls": {"version": 772}},
        "duration": 0.01, "size": r.size, "status": r.status}), (), True),
    "traefik": (lambda r: json.dumps({
        "ClientAddr": f"{r.address}:1234", "ClientHost": r.address, "DownstreamContentSize": r.size, "DownstreamStatus": r.status,
        "RequestHost": HOST, "RequestMethod": "GET", "RequestPath": r.path, "RequestScheme": "https", "StartLocal": "x",
        "StartUTC": r.at.strftime("%Y-%m-%dT%H:%M:%S.000000Z"), "request_User-Agent": r.agent,
        "time": iso(r.at + timedelta(seconds=9))}), (), True),
    "cloudflare": (lambda r: json.dumps({
        "ClientIP": r.address, "ClientRequestHost": HOST, "ClientRequestMethod": "GET", "ClientRequestURI": r.path,
        "ClientRequestScheme": "https", "ClientRequestUserAgent": r.agent, "EdgeResponseStatus": r.status, "EdgeResponseBodyBytes": r.size,
        "EdgeResponseBytes": r.size + 400, "EdgeStartTimestamp": int(r.at.timestamp() * 1e9)}), (), True),
    "ALB": (lambda r: json.dumps({
        "type": "https", "time": r.at.isoformat(), "client_ip": r.address, "client_port": 12, "elb_status_code": r.status,
        "sent_bytes": r.size + 321, "request_verb": "GET", "request_url": f"https://{HOST}:443{r.path}",
        "user_agent": r.agent}), (), False),
    "CloudFront": (cloudfront, (), False),
    "line-format": (lambda r: f'[{r.at.isoformat()}] {r.status} "GET {hexed(r.path)} HTTP/1.1" to {HOST} from {r.address} '
                   f'({r.size}) "{hexed(r.agent)}" 0.001', (*SITE, "--line-format", MINE), True),
    "Apache's syntax": (lambda r: f'{r.address} {HOST} {int(r.at.timestamp())} {r.status} {r.size} "GET {escaped(r.path)} HTTP/1.1" '
                        f'"{escaped(r.agent)}"', (*SITE, "--line-format", '%a %v %{sec}t %>s %B "%r" "%{User-Agent}i"'), True),
}


def garbage(rng):
    """Lines that are no request to the site."""
    stamp = "01/Mar/2026:10:00:00 +0000"
    return rng.choice([
        rf'192.0.2.1 - - [{stamp}] "\x16\x03\x01\x02\x00\x01\x00\x01\xFC" 400 150 "-" "-"',
        f'192.0.2.1 - - [{stamp}] "-" 408 0 "-" "-"',
        f'192.0.2.1 - - [{stamp}] "GET http://elsewhere.example/robots.txt HTTP/1.1" 200 9 "-" "GPTBot/1.0"',
        f'192.0.2.1 - - [{stamp}] "CONNECT elsewhere.example:443 HTTP/1.1" 405 9 "-" "-"',
        f'192.0.2.1 - - [{stamp}] "GET /torn', f'192.0.2.1 - - [01/Mar/2026:10:0', "\x00\xff\xfe", "192.0.2.1", '{"a":',
        '{"request":{}}', '{"status":200}', "x" * 5000, f'192.0.2.1 - - [32/Mar/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "-"',
    ])


def zstd(text):
    return subprocess.run(["zstd", "-qc"], input=text, capture_output=True, check=True).stdout


def write(world, name, dir):
    """Writes a world; returns the log and the options of its audit."""
    rng, (line, options, _) = world.rng, FORMATS[name]
    lines = [(line(r), r) for r in world.requests] + [(garbage(rng), None) for _ in range(20)]
    rng.shuffle(lines)
    text = (FIELDS if name == "CloudFront" else "").encode()
    ending, compress = rng.choice([("", None), (".gz", gzip.compress), (".bz2", bz2.compress), (".zst", zstd)])
    for line, r in lines:
        if r:  # the place of its row: an offset, or the number of the line where the log is compressed
            r.place = text.count(b"\n") + 1 if compress else len(text)
        text += line.encode("utf-8", "surrogateescape") + b"\n"
    log = dir / f"access.log{ending}"
    log.write_bytes(compress(text) if compress else text)
    with open(dir / "robots.csv", "w", newline="") as f:
        rows = csv.writer(f)
        rows.writerow(["host", "time", "status", "body"])
        rows.writerows([HOST, iso(at), 200, body] for at, body in world.commits)
    for token, net in OPERATORS.items():
        (dir / f"{token.lower()}.json").write_text(json.dumps({"creationTime": "2026-01-01", "prefixes": [{"ipv4Prefix": net + "0/24"}, {"ipv6Prefix": "2001:db8:1::/48"}]}))
    ranges = [word for token in OPERATORS for word in ("--ranges", f"{token}={dir / token.lower()}.json")]
    return log, ["--robots", dir / "robots.csv", *options, *ranges]


def run(binary, log, out, *options):
    audit(binary, out, [], "--access-log", log, *options)
    return table(out, "fetches")


def check(world, name, rows, counts):
    """Compares the rows of an audit with the truth; returns what is wrong."""
    wrong, sized = [], FORMATS[name][2] and not world.compresses
    agents = {text: token for token, text in AGENTS.items()}
    left = {}
    for r in world.requests:
        left.setdefault((f"https://{HOST}{r.path}", r.at, r.status, r.place), []).append(r)
    received = {}  # by the crawler: (time in the log, body, time), in order
    for r in sorted(world.requests, key=lambda r: r.at):
        if r.path == "/robots.txt" and r.true and r.status != 499:
            received.setdefault(r.true, []).append((r.at, r.body, r.ended))
    for row in rows:
        got = left.get((row["url"], row["fetch_time"].replace(tzinfo=timezone.utc), row["fetch_status"], row["warc_record_offset"]), [])
        if not got:
            wrong.append(f"no such request: {row['url']} {row['fetch_time']} {row['fetch_status']} {row['warc_record_offset']}")
            continue
        r = got.pop()
        if r.path == "/robots.txt":
            continue
        token = agents[r.agent]
        forged = token in OPERATORS and not r.true
        kind = row["certainty"] or row["verdict"]
        counts[kind] += 1
        own = [(at, body) for at, body, _ in received.get(r.true, []) if at < r.at] if r.true else []
        had = max(((ended, body) for _, body, ended in received.get(r.true, []) if ended <= r.begun), default=None,
                  key=lambda h: h[0]) if r.true else None
        last = had[1] if had and r.at - had[0] <= DAY else None
        is_fresh = bool(own) and r.at - own[-1][0] <= DAY
        recent = world.recently(r.at)
        asked = [body for at, body, _ in received.get(r.true, []) if r.at - DAY <= at <= r.at] if r.true else []
        where = f"{name}: {row['url']} at {r.at}, {token}, {kind}, {row['reason']}, {row['notes']}: "
        if row["agent"] != (None if forged else token):
            wrong.append(where + f"the crawler is {row['agent']}")
        if (forged or token is None) != (row["reason"] in ("forged_agent", "no_crawler")):
            wrong.append(where + "it is not the crawler's")
        if kind == "certain" and not (r.true in OPERATORS and last and forbids(last, token, r.path)):
            wrong.append(where + "it had not been served what forbids it")
        before = recent + ([body for since, body in world.served if since <= r.at] if row["evidence"] == "stale" else [])
        if kind == "probable" and not world.by_chance and not (any(b and forbids(b, token, r.path) for b in before) or own and own[-1][1] and forbids(own[-1][1], token, r.path)):
            wrong.append(where + "no robots.txt of that day forbids it")
        if kind == "allowed" and not world.by_chance and None not in asked and (not own or own[-1][1]) and all(b and forbids(b, token, r.path) for b in before):
            latest = [body for at, body in world.commits if at <= r.at][-1]
            if "listed_robots" in (row["notes"] or "") and not forbids(latest, token, r.path):
                counts["allowed by a table that is ahead of the server"] += 1
            else:
                wrong.append(where + "every robots.txt of that day forbids it")
        known = {body for _, body in world.commits}
        sizeless = any(q.path == "/robots.txt" and q.true == r.true and q.status == 304 and r.at - DAY <= q.at <= r.at for q in world.requests)
        if sized and not sizeless and r.true in OPERATORS and is_fresh and r.at - own[-1][0] >= MINUTES and asked and all(b in known and forbids(b, token, r.path) for b in asked + recent):
            counts["true"] += 1
            counts["true, certain"] += kind == "certain"
            counts["true, " + kind + " " + str(row["notes"])] += kind != "certain"
    wrong += [f"{name}: lost: {key[:3]}" for key, of in left.items() for _ in of]
    return wrong


def check_grep(binary, dir, rows):
    """The commands of the report print the lines of forged requests, the first twenty."""
    sections = json.loads(call(binary, "report", dir / "out", "--json=-"))["sections"]
    texts = [cause["command"] for section in sections for cause in section.get("classes", []) if cause["id"] == "forged"]
    want = sorted(row["warc_record_offset"] for row in rows if row["reason"] == "forged_agent")
    got = [line for text in texts for line in call("sh", "-c", text, cwd=dir).splitlines()]
    found = [int(line.split(":")[0]) for line in got]
    if len(found) != min(len(want), 20) or not set(found) <= set(want):
        yield f"the report says {texts}, which finds {found}, and not {want}"


def addresses(out, world):
    """The addresses that any file of an audit holds."""
    found = {r.address.encode() for r in world.requests} | {b"192.0.2.1"}
    return {address for path in Path(out).rglob("*") if path.is_file() for address in found if address in path.read_bytes()}


def main(binary, worlds: int = 30, seed: int = 1, *, world=None, keep=None):
    only = [tuple(map(int, world.split("/")))] if world else [(seed, n) for n in range(worlds)]
    counts, wrong = Counter(), []
    for s, n in only:
        with nullcontext(Path(keep)) if keep else folder(dir=MEMORY) as dir:
            name = list(FORMATS)[n % len(FORMATS)]
            w = World(s * 100_000 + n)
            log, options = write(w, name, dir)
            rows = run(binary, log, dir / "out", *options)
            found = check(w, name, rows, counts) + list(check_grep(binary, dir, rows))
            if n % 6 == 0:
                run(binary, log, dir / "again", "--workers", "1", *options)
                for path in (dir / "out").glob("*.parquet"):
                    if path.read_bytes() != (dir / "again" / path.name).read_bytes():
                        found.append(f"{path.name} differs with one worker")
                found += [f"{name}: {address} is in the outputs" for address in addresses(dir / "out", w)]
                shutil.rmtree(dir / "again")
            wrong += [f"world {s}/{n}: {what}" for what in found]
    print(*wrong[:40], sep="\n")
    print(f"{len(only)} worlds:", dict(sorted(counts.items())), f"{len(wrong)} wrong")
    if few := not world and counts["true, certain"] < 0.9 * counts["true"]:
        print("fewer than nine in ten of the true violations are certain")
    return bool(wrong) or few
