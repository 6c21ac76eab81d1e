"""The web that the crawlers crawl: the site of make/hosts.py, more hosts, and the server that logs.

The log is the truth that verdicts are compared with: one JSON line for each request, in the order in which the server
answered. Each answer carries its number in the header X-Served, which archives keep; so every record leads to its line.
Somebody asks in the crawlers' names from another address, too: FORGER.
"""

import base64
import hashlib
import http.client
import json
import socket
import threading
import time

import hosts
import testdata
from lib import serve

SERVED = "X-Served"
TOKENS = ("HTTrack", "wget2", "Scrapy", "crau", "heritrix", "Wpull", "python-requests", "curl", "AuditBot")
SUFFIX_TOKEN = "AuditBot"
CONTACT = "http://bots.example/"
SUFFIX = f"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Safari/537.36 AuditBot/1.2 (+{CONTACT})"
FORGER, FORGED = "127.0.0.9", "forged"  # its address, and the name of its crawl in the log
RESTLESS = "restless.example"  # it changes its robots.txt with each request
TURN_SECONDS = 6 * 3600  # swings.example changes its robots.txt this often
LATE = ("late.example", "later.example", "latest.example")  # they take LATE_SECONDS to answer a request for robots.txt,
LATE_SECONDS = 4                                            # and answer by its User-Agent


def named():
    """named gives each crawler a group of its own: a verdict by the wrong token is a wrong verdict."""
    groups = "".join(f"User-agent: {token}\nDisallow: /not-{token}/\n\n" for token in TOKENS)
    paths = [f"/not-{token}/a.html" for token in TOKENS]
    return {"/robots.txt": hosts.robots(groups + "User-agent: *\nDisallow: /\n"),
        "/": hosts.page("A group for each crawler", *paths), **hosts.leaves(*paths)}


def swings():
    """swings forbids /even/ and /odd/ in turns, so that a later copy equals the first one again."""
    files = [hosts.robots(f"User-agent: *\nDisallow: /{path}/\n") for path in ("even", "odd")]
    start = hosts.at("2025-03-03T00:00:00")
    turns = [(hosts.START, files[1])] + [(start + n * TURN_SECONDS, files[n % 2]) for n in range(40)]
    paths = [f"/{side}/{n}.html" for n in range(12) for side in ("even", "odd")]
    return {"/robots.txt": turns, "/": hosts.page("Turns", *paths), **hosts.leaves(*paths)}


def shared():
    """shared gives hosts whose robots.txt are redirects: to one page that its own host forbids, by one hop and by three; to
    one robots.txt that says something else each time; and within the origin. Crawlers find each target by links, too."""
    moved, terms = hosts.moved, "http://terms.example/terms"
    sides = ("/even/a.html", "/odd/a.html")
    shut = hosts.robots("User-agent: *\nDisallow: /shut/\n")

    def redirecting(location, *links):
        paths = ("/a.html", "/shut/a.html", *sides)
        return {"/robots.txt": moved(302, location), "/": hosts.page("Redirected robots.txt", *paths, *links), **hosts.leaves(*paths)}

    return {
        **{f"{name}.example": redirecting(f"{terms}/shared.txt", f"{terms}/shared.txt") for name in ("north", "south", "west")},
        "chain.example": redirecting(f"{terms}/one", f"{terms}/shared.txt", f"{terms}/two"),
        "terms.example": {
            "/robots.txt": hosts.robots("User-agent: *\nDisallow: /terms/\n"),
            "/": hosts.page("Terms", "/terms/one", "/terms/two", "/terms/shared.txt"),
            "/terms/one": moved(302, "/terms/two"), "/terms/two": moved(307, f"{terms}/shared.txt"), "/terms/shared.txt": shut,
        },
        "inside.example": redirecting("/shut/rules.txt", "/shut/rules.txt") | {"/shut/rules.txt": shut},
        **{f"{name}.example": redirecting(f"http://{RESTLESS}/robots.txt", f"http://{RESTLESS}/") for name in ("first", "second", "third")},
        RESTLESS: {
            "/robots.txt": [(turn, hosts.robots(f"User-agent: *\nDisallow: {side[:-len('a.html')]}\n")) for turn, side in enumerate(sides)],
            "/": hosts.page("Another robots.txt each time", *sides), **hosts.leaves(*sides),
        },
    }


def late(robots):
    """late has pages enough that some are fetched while its robots.txt is still on its way."""
    paths = [f"/{side}/{n}.html" for n in range(6) for side in ("shut", "open")]
    return {"/robots.txt": robots, "/": hosts.page("A slow robots.txt", *paths), **hosts.leaves(*paths)}


def by_agent(host, agent):
    """by_agent is the robots.txt that one of LATE sends to a User-Agent: each refuses others, and forbids others more."""
    turn = (LATE.index(host) + sum(token in agent for token in TOKENS[:4])) % len(LATE)
    return (hosts.robots("User-agent: *\nDisallow: /shut/\n"), hosts.robots("User-agent: *\nDisallow: /\nAllow: /$\n"),
            hosts.Reply(b"no\n", 403, "text/plain"))[turn]


hosts.HOSTS |= {host: late(by_agent(host, "")) for host in LATE}
hosts.HOSTS |= {"named.example": named(), "swings.example": swings(), **shared()}


def names():
    return list(dict.fromkeys(name.partition(":")[0] for name in hosts.HOSTS))


def seeds(with_robots):
    """seeds lists the URLs a crawl starts at.

    A crawler that ignores robots.txt does not ask for it. With_robots asks in its place: of every
    second host before its pages, of the rest after all pages.
    """
    pages, first, last = [], [], []
    for number, (host, paths) in enumerate(hosts.HOSTS.items()):
        starts = ["/"] if "/" in paths else [path for path in paths if path != "/robots.txt" and "/hop" not in path]
        pages += [f"http://{host}{path}" for path in starts]
        (last if number % 2 else first).append(f"http://{host}/robots.txt")
    return [*first, *pages, *last] if with_robots else pages


def list_of_urls():
    """list_of_urls names every page of the hosts with a slow robots.txt, for a client that follows no links."""
    return [f"http://{host}{path}" for host in LATE for path in hosts.HOSTS[host]]


class Web:
    """Web serves the hosts and logs what it served. Speed is site seconds per second of the clock."""

    def __init__(self, log, ports=(80, 8080)):
        self.log, self.lock, self.number = open(log, "a"), threading.Lock(), 0
        self.crawl, self.moment, self.speed, self.began = "", hosts.START, 1, time.time()
        self.turn = 0  # of the robots.txt of RESTLESS
        Handler.web = self
        for port in ports:
            serve(Handler, port, "0.0.0.0")

    def start(self, crawl, moment, speed):
        self.crawl, self.moment, self.speed, self.began = crawl, hosts.at(moment), speed, time.time()

    def answer(self, host, target, agent, method, accepts_gzip, if_none_match, referer, client, began):
        """answer gives status, headers and body, and logs them under the next number."""
        with self.lock:
            now = time.time()
            moment = int(self.moment + (now - self.began) * self.speed)
            if host == RESTLESS:
                moment = self.turn
                self.turn ^= target == "/robots.txt"
            if host in LATE:
                hosts.HOSTS[host]["/robots.txt"] = by_agent(host, agent or "")
            reply, headers, body = hosts.reply(host, target, moment, accepts_gzip)
            self.number += 1
            status, headers = reply.status, [*headers, (SERVED, str(self.number))]
            # Half of the hosts answer conditional requests.
            if status == 200 and len(host) % 2 == 0:
                tag = f'"{hashlib.sha1(body).hexdigest()}"'
                headers.append(("ETag", tag))
                if if_none_match == tag:
                    status, body = 304, b""
            line = {"number": self.number, "time": now, "began": began, "crawl": FORGED if client == FORGER else self.crawl,
                    "client": client, "size": len(body) if method == "GET" else 0, "method": method, "host": host, "target": target, "agent": agent,
                    "referer": referer, "status": status, "location": dict(headers).get("Location")}
            if len(reply.body) and (target == "/robots.txt" or reply.type == "text/plain"):
                line["body"] = base64.b64encode(reply.body).decode()  # of a 304: what it renews
                line["html"] = reply.type.startswith("text/html")
            self.log.write(json.dumps(line) + "\n")
            self.log.flush()
        return status, headers, body, reply.chunked


def forge(token):
    """forge asks for robots.txt of each host, and for pages, in a crawler's name."""
    for host, paths in hosts.HOSTS.items():
        for path in ("/robots.txt", *[path for path in paths if path != "/robots.txt"][-2:]):
            client = http.client.HTTPConnection("127.0.0.1", int(host.partition(":")[2] or 80), source_address=(FORGER, 0))
            client.request("GET", path, headers={"Host": host, "User-Agent": f"{token}/9.9"})
            client.getresponse().read()
            client.close()


def refuse_names(address="127.0.0.1"):
    """refuse_names runs a name server that knows no name: crawlers turn to the hosts file at once."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((address, 53))

    def refuse():
        while True:
            query, client = server.recvfrom(4096)
            question = query[12:query.index(0, 12) + 5]  # the name, its type and class
            server.sendto(query[:2] + b"\x81\x83" + b"\0\1\0\0\0\0\0\0" + question, client)
    threading.Thread(target=refuse, daemon=True).start()


class Handler(testdata.Handler):
    web = None  # set by Web

    def do_GET(self):
        began, host = time.time(), self.headers.get("Host", "").removesuffix(":80")
        if host in LATE and self.path == "/robots.txt":
            time.sleep(LATE_SECONDS)  # the log has answers in the order in which they are sent
        status, headers, body, chunked = self.web.answer(host, self.path, self.headers.get("User-Agent"), self.command,
            "gzip" in self.headers.get("Accept-Encoding", ""), self.headers.get("If-None-Match"), self.headers.get("Referer"),
            self.client_address[0], began)
        self.send(status, headers, body, chunked and self.request_version == "HTTP/1.1" and status != 304)

    do_HEAD = do_GET
