"""Random worlds: sites whose robots.txt change, and crawlers that fetch from them. Each fetch carries the truth.

Times are seconds. A world is a function of its seed alone.
"""

import heapq
import random
import zlib
from bisect import bisect
from dataclasses import dataclass, field
from typing import NamedTuple

import robots

HOUR, DAY = 3600, 24 * 3600
START, SPAN = 1714521600, 4 * DAY  # from 2024-05-01
BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36"
OPERATORS = {"CCBot": "CCBot/2.0 (https://commoncrawl.org/faq/)",
    "archive.org_bot": "Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)",
    "GPTBot": "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "ExampleBot": "ExampleBot/1.0 (+http://bots.example/)",  # no list knows it
}
SOFTWARE = {
    "Wget": "Wget/1.21.3", "curl": "curl/8.5.0", "heritrix": "Mozilla/5.0 (compatible; heritrix/3.4.0 +http://library.example/)",
    "python-requests": "python-requests/2.31.0", "Scrapy": "Scrapy/2.11.2 (+https://scrapy.org)", "Wpull": "Wpull/2.0.1",
}
PATHS = ("/a/", "/a/x/", "/b/", "/c/")
FILES = ("Disallow:", "Disallow: /", "Disallow: /a/", "Disallow: /b/", "Disallow: /c/\nDisallow: /b/",
         "Disallow: /\nAllow: /a/", "Disallow: /a/\nAllow: /a/x/", "Disallow: /a/x/\nDisallow: /c/")


class Answer(NamedTuple):
    status: int
    body: bytes = b""
    location: str = ""

    @property
    def etag(self):
        return f'"{zlib.crc32(self.body):x}"'


def random_rules(rng):
    """random_rules gives a robots.txt: a group for everybody, and perhaps some for single crawlers."""
    groups = [("*", rng.choice(FILES))] if rng.random() < 0.9 else []
    for token in rng.sample([*OPERATORS, *SOFTWARE], rng.choice((0, 0, 1, 2))):
        groups.insert(rng.randrange(len(groups) + 1), (token, rng.choice(FILES)))
    text = "".join(f"User-agent: {token}\n{lines}\n\n" for token, lines in groups)
    return Answer(200, f"# {rng.randrange(10**6)}\n{text}".encode())


def random_answer(rng, site, later):
    """random_answer gives an answer to a request for robots.txt. Redirects lead to later sites, so they end."""
    draw = rng.random()
    if draw < 0.06:
        return Answer(404)
    if draw < 0.14:
        return Answer(rng.choice((401, 403, 403, 429)))
    if draw < 0.19:
        return Answer(rng.choice((500, 503)))
    if draw < 0.29:
        targets = [f"http://{site}/rules.txt"] + [f"http://{host}{path}" for host in later for path in ("/robots.txt", "/rules.txt")]
        return Answer(rng.choice((301, 302)), b"", rng.choice(targets))
    return random_rules(rng)


class Site:
    """Site answers requests: slowly or at once, from caches or anew, by a clock of its own."""

    def __init__(self, rng, host, later, moments):
        self.host = host
        self.slow_robots = rng.choice((0, 0, 0, 2, 4, 8))
        self.slow_pages = rng.choice((0, 0, 0.1, 0.4))          # share of its pages
        self.stamped = rng.choice((0.0, 0.5, 0.95))             # when in the exchange the answer is made
        self.skew = rng.choice((0,) * 9 + (-2, 1, 3, -90, 700))  # of its clock
        self.backends = rng.choice((0,) * 18 + (2, 900))        # its front ends' clocks differ
        self.clock = rng.random() < 0.9                         # it sends Date
        self.caches = {"/robots.txt": rng.choice((0, 0, 0, 0, 30, 900)), "page": rng.choice((0, 0, 0, 0, 3, 900))}
        self.admits_age = rng.random() < 0.6
        self.etags = rng.random() < 0.5

        def timeline(make):
            changes = sorted(rng.choice(moments) + rng.uniform(-60, 180) if rng.random() < 0.6 else START + rng.uniform(0, SPAN)
                             for _ in range(rng.choice((0, 1, 1, 2, 4))))
            return [(0, make()), *((change, make()) for change in changes)]

        def robots():
            return random_answer(rng, host, later)
        self.files = {("/robots.txt", ""): timeline(robots), ("/rules.txt", ""): timeline(lambda: random_rules(rng))}
        for audience in rng.sample(["Mozilla", "none", *OPERATORS, *SOFTWARE], rng.choice((0, 0, 1, 3))):
            refusing = rng.random() < 0.4
            self.files["/robots.txt", audience] = timeline(lambda: Answer(403) if refusing and rng.random() < 0.8 else robots())

    def answer(self, rng, path, agent, sent):
        """answer gives the answer, when the client has all of it, and its Date and Age (None: not sent)."""
        robots = path in ("/robots.txt", "/rules.txt")
        slow = self.slow_robots * rng.uniform(0.5, 1) if robots else rng.uniform(1, rng.choice((6, 6, 600))) * (rng.random() < self.slow_pages)
        took = rng.uniform(0.01, 0.4) + slow
        received = sent + took + (rng.uniform(0.3, 3) if rng.random() < 0.05 else 0.002)
        made, age = sent + took * self.stamped, None
        keeps = self.caches["/robots.txt" if robots else "page"]
        if keeps and rng.random() < 0.7:
            age = rng.uniform(0, keeps)
            made -= age
        answer = self.file(path, agent, made) or Answer(rng.choice((200,) * 12 + (404, 503)), f"page {path}\n".encode())
        date = made + self.skew + rng.choice((0, self.backends)) if self.clock else None
        return answer, received, date, age if self.admits_age else None

    def file(self, path, agent, moment):
        """file gives the version of a file that the site has for a User-Agent at a moment, None of a page."""
        audience = next((name for key, name in self.files if key == path and name and name in (agent or "none")), "")
        versions = self.files.get((path, audience)) or self.files.get((path, ""))
        return versions and versions[bisect(versions, moment, key=lambda version: version[0]) - 1][1]


@dataclass
class Exchange:
    """Exchange is a request with its answer. Forbidden and in_force are the truth: see World.judge."""
    id: str
    crawl: "Crawl"
    machine: int
    host: str
    path: str
    sent: float
    received: float
    agent: str | None
    answer: Answer
    date: float | None
    age: float | None
    validator: str = ""    # If-None-Match
    etag: str = ""
    target: bool = False   # a redirect of robots.txt led here
    forbidden: bool = False
    in_force: bool = False
    last: "Copy | None" = None  # the copy received last before it was sent
    lost: bool = False     # no archive holds it

    @property
    def robots(self):
        return self.path == "/robots.txt"


class Copy(NamedTuple):
    """Copy is what a request for robots.txt came to in the end."""
    received: float
    outcome: str           # see outcome_of
    body: bytes
    chain: tuple           # of exchanges

    def verdict(self, token, path):
        return verdict_of(self.outcome, self.body, token, path)


def outcome_of(status):
    return "rules" if status in (200, 304) else {4: "unavailable", 5: "unreachable"}.get(status // 100, "not followed")


def verdict_of(outcome, body, token, path):
    if outcome == "rules":
        return robots.judge_by_rules(body, (token,) if token else (), path)[0]
    return {"unavailable": "allowed", "unreachable": "disallowed"}.get(outcome)


@dataclass
class Crawl:
    """Crawl is one crawler: all of an operator's machines, or one run of software."""
    name: str
    kind: str              # operator, software, nameless
    token: str             # the crawler's own; of a nameless one, what its archives do not show
    agent: str | None
    robots_agent: str | None
    manner: str            # waits, eager (both obey), ignores, lists, never
    machines: int
    shares: bool           # one cache of robots.txt for all of its machines
    workers: int
    keeps: float           # how long it keeps a robots.txt
    delay: float
    follows: bool
    conditional: bool
    habits: dict           # of its archives
    exchanges: list = field(default_factory=list)
    copies: dict = field(default_factory=dict)  # by host, and by machine if each has a cache of its own

    def held(self, worker, host):
        return self.copies.setdefault((0 if self.shares else worker % self.machines, host), [])


def random_crawl(rng, name, kind, token, moments):
    agent = {"operator": OPERATORS, "software": SOFTWARE}.get(kind, {}).get(token)
    if kind == "nameless":
        agent = rng.choice((BROWSER, BROWSER, None))
    one, machines = token == "Wget", rng.choice((1, 1, 3)) if kind == "operator" else 1
    dated = rng.choice(("beginning",) * 4 + ("end",))
    habits = {"dated": dated, "precision": rng.choice((0, 0, 0, 3, 6)),
        "offsets": [rng.choice((0,) * 18 + (-20, 1, 40)) for _ in range(machines)],  # of the machines' clocks
        "steps": [(rng.choice(moments) + rng.uniform(0, 60), rng.choice((0,) * 17 + (-900, -40, 30))) for _ in range(machines)],
        "asks": rng.random() < 0.5,  # its requests are dated when they were sent
        "order": "end" if one else rng.choice(("end",) * 8 + ("shuffled", "pool")),
        "durations": rng.random() < (0.02 if dated == "end" else 0.9 if token == "heritrix" else 0.15),
        "lies": rng.random() < 0.05,  # of durations
        "dedup": rng.random() < 0.25, "loses": rng.choice((0, 0, 0, 0.3)), "requests": rng.random() < 0.93,
        "info": rng.choice(("full",) * 6 + ("bare",) * 3 + ("none",) * 3 + ("default",)), "named": rng.random() < 0.7}
    manner = rng.choice(("waits",) * 3 + ("ignores",) * 3 + ("lists",) * 2 + ("never",) + ("eager",) * (0 if one else 3))
    return Crawl(name, kind, token, agent, None if token == "Wpull" or rng.random() < 0.1 else agent, manner, machines,
                 shares=rng.random() < 0.8, workers=1 if one else rng.choice((1, 2, 6)), keeps=rng.choice((60, HOUR, DAY, DAY, 3 * DAY)),
                 delay=rng.choice((0, 0.2, 1, 5)), follows=rng.random() < 0.85, conditional=rng.random() < 0.4, habits=habits)


class World:
    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        moments = [START + rng.uniform(0, SPAN) for _ in range(3)]
        hosts = [f"s{n}.example" for n in range(rng.randint(3, 14))]
        self.sites = {host: Site(rng, host, hosts[n + 1:], moments) for n, host in enumerate(hosts)}
        self.crawls = []
        makers = [("operator", token) for token in rng.sample(list(OPERATORS), rng.randint(2, 4))]
        makers += rng.choices(makers, k=rng.choice((0, 0, 0, 1)))  # a crawl of its own, with the same token
        makers += [("software", rng.choice(list(SOFTWARE)[:rng.choice((1, 3, 6))])) for _ in range(rng.randint(2, 10))]
        makers += [("nameless", rng.choice(("", "", *OPERATORS))) for _ in range(rng.randint(0, 3))]
        for n, (kind, token) in enumerate(makers):
            crawl = random_crawl(rng, f"run{n}", kind, token, moments)
            self.crawls.append(crawl)
            self.run(crawl, moments)
            self.judge(crawl)

    def run(self, crawl, moments):
        """run lets the workers of a crawl take what is due, one visit after the other."""
        rng, due = self.rng, []
        for host in rng.sample(list(self.sites), rng.randint(1, len(self.sites))):
            paths = [f"{path}{n}" for path in PATHS for n in range(2)] + ["/"]
            if crawl.manner == "lists":
                paths += ["/robots.txt"] * rng.choice((1, 1, 2))
            begin = rng.choice(moments) + rng.choice((0, rng.uniform(0, 60)))
            for batch in range(rng.choice((1, 1, 2, 3))):
                for path in rng.sample(paths, rng.randint(len(paths) // 2, len(paths))):
                    due.append((begin + rng.uniform(0, 20), len(due), host, path))
                begin += rng.choice((120, HOUR, 20 * HOUR, 30 * HOUR))
        heapq.heapify(due)
        workers = [(0.0, n) for n in range(crawl.workers)]
        asked = {}  # when the answer to the last request for a robots.txt is there, by the list of its copies
        while due:
            free, worker = heapq.heappop(workers)
            time, n, host, path = heapq.heappop(due)
            now = max(free, time)
            held = crawl.held(worker, host)
            cache, waits = id(held), crawl.manner in ("waits", "ignores")
            if crawl.manner not in ("lists", "never") and (cache not in asked or now - asked[cache] > crawl.keeps):
                asked[cache] = self.ask(crawl, worker, host, now)
                if waits:
                    heapq.heappush(due, (asked[cache] + 0.001, n, host, path))
                    heapq.heappush(workers, (asked[cache] + 0.001, worker))
                    continue
            elif waits and asked[cache] > now:
                heapq.heappush(due, (asked[cache] + 0.001, n, host, path))
                heapq.heappush(workers, (now, worker))
                continue
            if path == "/robots.txt":
                now = self.ask(crawl, worker, host, now)
            else:
                known = latest(held, now)
                if crawl.manner not in ("waits", "eager") or known is None or known.verdict(crawl.token, path) != "disallowed":
                    now = self.fetch(crawl, worker, host, path, now, crawl.agent).received
            heapq.heappush(workers, (now + crawl.delay * rng.uniform(0.5, 1), worker))

    def fetch(self, crawl, worker, host, path, now, agent, validator=""):
        site = self.sites[host]
        answer, received, date, age = site.answer(self.rng, path, agent, now)
        etag = answer.etag if site.etags and answer.body else ""
        if validator and validator == etag:
            answer = Answer(304)
        exchange = Exchange(f"{self.rng.getrandbits(128):032x}", crawl, worker % crawl.machines, host, path, now, received, agent,
                            answer, date, age, validator, etag)
        crawl.exchanges.append(exchange)
        return exchange

    def ask(self, crawl, worker, host, now):
        """ask requests robots.txt, follows its redirects, and gives the time when all of it is there."""
        chain, first, path = [], host, "/robots.txt"
        held = latest(crawl.held(worker, host), now)
        while True:
            validator = held.chain[-1].etag if held and crawl.conditional and held.outcome == "rules" and (host, path) == \
                (held.chain[-1].host, held.chain[-1].path) else ""
            exchange = self.fetch(crawl, worker, host, path, now, crawl.robots_agent if not chain else crawl.agent, validator)
            exchange.target = bool(chain)
            chain.append(exchange)
            if not exchange.answer.location or not crawl.follows:
                break
            (host, path), now = split(exchange.answer.location), exchange.received + 0.005
        status = chain[-1].answer.status
        body = held.body if status == 304 else chain[-1].answer.body
        for at, exchange in enumerate(chain):
            if exchange.robots:  # what a redirect leads to may be another host's robots.txt
                crawl.held(worker, exchange.host).append(Copy(chain[-1].received, outcome_of(status), body, tuple(chain[at:])))
        return chain[-1].received

    def judge(self, crawl):
        """judge decides of each fetch: does the copy received last before it was sent, at most a day old, forbid it, and
        does the robots.txt that the site has for that crawler at that moment?"""
        for exchange in crawl.exchanges:
            exchange.last = latest(crawl.held(exchange.machine, exchange.host), exchange.sent)
            if exchange.last and exchange.sent - exchange.last.received <= DAY:
                exchange.forbidden = exchange.last.verdict(crawl.token, exchange.path) == "disallowed"
            answer = Answer(302, b"", f"http://{exchange.host}/robots.txt")
            while answer.location:
                host, path = split(answer.location)
                answer = self.sites[host].file(path, crawl.agent, exchange.sent)
            exchange.in_force = verdict_of(outcome_of(answer.status), answer.body, crawl.token, exchange.path) == "disallowed"

    @property
    def exchanges(self):
        return [exchange for crawl in self.crawls for exchange in crawl.exchanges]


def split(url):
    """split gives the host and the path of a URL."""
    host, path = url.removeprefix("http://").split("/", 1)
    return host, "/" + path


def latest(copies, moment):
    return max((copy for copy in copies if copy.received <= moment), key=lambda copy: copy.received, default=None)
