"""Inputs on which a naive search takes as many steps as the square of their size.

Each yields pieces of an uncompressed WARC of size n, one request and one response a fetch.
"""

import datetime
from functools import partial

import lib

START = datetime.datetime(2024, 5, 1, 12)
RULES, PART = "User-agent: *\nDisallow: /private/\n", "x" * 20


def date(second):
    return lib.iso(START + datetime.timedelta(seconds=second))


def record(kind, number, url, when, content, to=None):
    return lib.record(kind, content.encode(), {
        "WARC-Record-ID": lib.uuid_of(number), "WARC-Target-URI": url, "WARC-Date": when, "WARC-Concurrent-To": to
        and lib.uuid_of(to),
        "Content-Type": f"application/http; msgtype={kind}"})


class Archive:
    """Makes the records of fetches, in pieces of an archive."""

    def __init__(self):
        self.records = 0

    def fetch(self, url, second, status, header="", body="", when=None, request="", agent="TestBot"):
        when = when or date(second)
        self.records += 2
        host, path = url.split("/", 3)[2:]
        response = f"HTTP/1.1 {status} x\r\n{header}Content-Length: {len(body)}\r\n\r\n{body}"
        asked = f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: {agent}/1.0\r\n{request}\r\n"
        answer = record("response", self.records, url, when, response)
        return answer + record("request", self.records + 1, url, when, asked, self.records)

    def redirect(self, url, second, target, **more):
        return self.fetch(url, second, 301, f"Location: {target}\r\n", **more)

    def robots(self, origin, second, rules=RULES, header="", **more):
        return self.fetch(f"{origin}/robots.txt", second, 200, f"Content-Type: text/plain\r\n{header}", rules, **more)

    def page(self, origin, n, second, **more):
        return self.fetch(f"{origin}/private/{n}", second, 200, "Content-Type: text/html\r\n", "<p>x", **more)


def header_without_end(n):
    """A header that is none, then n lines that could begin one."""
    yield b"WARC/1.1\r\nWARC-Type\r\n\r\n"
    for left in range(n, 0, -1000):
        yield b"WARC/1.0\r\n" * min(left, 1000)


def chain(n):
    """n origins, the robots.txt of each redirected to the next one's."""
    a = Archive()
    for i in range(n):
        yield a.redirect(f"http://a{i}.test/robots.txt", i, f"http://a{i + 1}.test/robots.txt")


def ping_pong(n):
    """Two origins whose robots.txt are redirected to each other, one of them asked every second."""
    a = Archive()
    for i in range(n):
        yield a.redirect(f"http://{'ab'[i % 2]}.test/robots.txt", i, f"http://{'ba'[i % 2]}.test/robots.txt")


def to_itself(n, step=1):
    """A robots.txt that redirects to itself, asked every second."""
    a = Archive()
    for i in range(n):
        yield a.redirect("http://a.test/robots.txt", i * step, "/robots.txt")


def every_second(n, step=1):
    """A robots.txt and a page of one origin, every second. The rules change with every capture."""
    a = Archive()
    for i in range(n):
        yield a.robots("http://a.test", i * step, f"{RULES}Disallow: /{i}\n") + a.page("http://a.test", i, i * step)


def to_one_page(n):
    """n origins whose robots.txt are redirected to one page, which was captured n/5 times."""
    a = Archive()
    for i in range(n):
        yield a.redirect(f"http://a{i}.test/robots.txt", i, "http://target.test/page")
    for i in range(n // 5):
        yield a.fetch("http://target.test/page", 5 * i, 200, "Content-Type: text/plain\r\n", RULES)


def unmodified_at_once(n):
    """n captures, then n that say 304 with the tag of the first, all in one second."""
    a = Archive()
    for i in range(n):
        yield a.robots("http://a.test", 0, header=f'ETag: "{i}"\r\n')
    for i in range(n):
        yield a.fetch("http://a.test/robots.txt", 0, 304, request='If-None-Match: "0"\r\n')


def with_a_year(n):
    """A robots.txt and a page of one origin, every second, and one robots.txt dated with the year alone."""
    a = Archive()
    yield a.robots("http://a.test", 0, when="2024")
    yield from every_second(n)


def lines(n, line):
    return "".join(line.replace("#", str(i)) for i in range(n))


def asked(n, rules, path, agent="TestBot"):
    """A robots.txt, and n fetches of one origin, one a second."""
    a = Archive()
    yield a.robots("http://a.test", 0, rules)
    for i in range(n):
        yield a.fetch("http://a.test" + path.replace("#", str(i)), 1 + i, 200, "Content-Type: text/html\r\n", "<p>x",
                      agent=agent.replace("#", str(i)))


def captures_readings(n):
    """n captures of a robots.txt with 400 rules, each another one, that open readings could allow, and a fetch behind each."""
    a = Archive()
    rules = "User-agent: *\nDisallow: /\n" + lines(100, "Disallow: /p#|%2F\nAlow: /p#/\nAllow /q#*x|y\nAllow: /*a*b#\n")
    for i in range(n):
        yield a.robots("http://a.test", i, f"{rules}Content-Usage: train-ai=n\nDisallow: /{i}\nUser-agent: x\n")
        yield a.fetch(f"http://a.test/q{i}%7Cy/!", i, 200, "Content-Type: text/html\r\n", "<p>x")


# Of each input its n, and what makes it.
INPUTS = {
    "header_without_end": (6_000_000, header_without_end), "chain": (300_000, chain), "ping_pong": (86_400, ping_pong),
    "to_itself": (86_400, to_itself),
    "to_itself_at_once": (40_000, partial(to_itself, step=0)),  # the same, all in one second
    "every_second": (100_000, every_second),
    "at_once": (100_000, partial(every_second, step=0)),  # the same, all in one second
    "to_one_page": (100_000, to_one_page), "unmodified_at_once": (40_000, unmodified_at_once), "with_a_year": (40_000, with_a_year),
    # A robots.txt of n rules, and n/40 fetches of what they forbid; the same rules behind a star; and these with a long
    # beginning and end in common: 16 bytes of them show nothing.
    "rules_fetches": (400_000, lambda n: asked(n // 40, "User-agent: *\n" + lines(n, "Disallow: /p#/\n"), "/p#/x")),
    "star_rules_fetches": (400_000, lambda n: asked(n // 40, "User-agent: *\n" + lines(n, "Disallow: /*/p#/\n"), "/x/p#/x")),
    "common_star_rules_fetches": (400_000, lambda n: asked(
        n // 40, "User-agent: *\nDisallow: /\n" + lines(n, f"Allow: /*{PART}#{PART}$\n"), f"/{300 * 'y'}{PART}1{PART}")),
    # A robots.txt of n groups for one crawler, and n/5 fetches by it.
    "groups_fetches": (100_000, lambda n: asked(n // 5, lines(n, "User-agent: TestBot\nDisallow: /p#/\nCrawl-delay: 1\n"), "/p#/x")),
    # A robots.txt of n groups, each for another crawler, and n fetches by a browser.
    "unnamed_fetches": (50_000, lambda n: asked(n, lines(n, "User-agent: bot-#-x\nDisallow: /p#/\nAllow: /p#/x\n"), "/p#/x",
                                                "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox")),
    # A group of n rules for n crawlers, each of which has another group, too, and fetches a page.
    "tokens_rules": (50_000, lambda n: asked(n, lines(n, "User-agent: bot-#-x\n") + lines(n, "Disallow: /p#/\n") +
                                             lines(n, "User-agent: bot-#-x\nDisallow: /q\n"), "/p1/x", "bot-#-x")),
    # n crawlers, each of which has a group with a delay of its own, and fetches a page.
    "tokens_names": (50_000, lambda n: asked(n, lines(n, "User-agent: bot-#-x\nCrawl-delay: #\nUser-agent: *\nCrawl-delay: 1#\n"), "/x",
                                             "bot-#-x")),
    "captures_readings": (1_000, captures_readings),
    # A robots.txt of n lines about use, and n fetches.
    "usage_fetches": (4_000, lambda n: asked(
        n, "User-agent: *\n" + lines(n, "Content-Usage: /p# train-ai=n\nContent-Signal: ai-train=no\n"), "/p#/x")),
}
