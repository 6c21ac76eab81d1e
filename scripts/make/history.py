"""Makes archives of 500 made-up sites over five years, with ranks and weights.

    history OUTDIR

OUTDIR, which must not exist, gets archives/ (a WARC for each year, and the crawler's log), ranks.csv (rank,domain, as
Tranco's) and weights.csv (host,tokens): the same bytes each time. A crawler, ExampleBot, visits the sites once a month,
but never all of them: the chance is higher for well-ranked ones. Each visit asks for robots.txt, and some for pages.
What sites say of AI crawlers follows from their rank, their kind and the month. Everything is drawn from one seed.
Nothing is real: figures made of it show that the tables can be used, and nothing of the web.
"""

import dataclasses
import datetime
import gzip
import http
import math
import os
import random
import shutil
import sys

from history_files import KNOWN, Policy
from lib import IDENTICAL, iso, message, random_id, record, sha1

ENVIRONMENT = ""

SEED = 18
MONTHS = 60
FIRST_YEAR = 2021
CRAWL_DAYS = 10
UA = "ExampleBot/1.0 (+https://examplebot.example/)"

# stratum: highest rank, sites, chance of a visit in a month, share with rules about AI at the end
STRATA = [(1_000, 50, .8, .64), (10_000, 70, .7, .5), (50_000, 80, .6, .4), (100_000, 70, .5, .32), (1_000_000, 110, .45, .24),
          (2_000_000, 50, .35, .17), (5_000_000, 70, .3, .1)]

# kind: weight among well-ranked and other sites, how much likelier rules about AI, edits a year
KINDS = {
    "news": (30, 6, 1.5, .7), "shop": (12, 16, .5, .15), "wordpress": (12, 26, 1, .25), "plugin": (8, 12, 1, .25), "cms": (8, 8, .8, .2),
    "portal": (3, 6, .7, .1), "corporate": (12, 14, .8, .15), "forum": (6, 6, 1.1, .4), "office": (4, 3, .4, .2), "empty": (2, 2, .7, .1),
    "closed": (3, 6, 0, .1), "listed": (4, 4, .3, .3),
}

# style: weight, first month
STYLES = {
    "each": (26, 0), "stacked": (22, 0), "partly": (6, 0), "except_about": (3, 0), "homepage": (2, 0), "star": (5, 0), "bare_star": (2, 0),
    "twice": (3, 0), "queries": (1, 0), "equal": (1, 0), "welcome": (3, 0), "typo_agent": (3, 0), "typo_rule": (2, 0), "typo_colon": (1, 0),
    "one_line": (2, 0), "orphaned": (2, 0), "blanket": (7, 0), "managed": (26, 53), "usage": (6, 54), "licence": (4, 57),
}

FIRST_WORDS = "amber birch cedar dawn ember fern granite harbor iris juniper kestrel linden maple nova opal pine quartz river sable thistle".split()
SECOND_WORDS = {
    "news": "courier gazette herald ledger post tribune".split(), "shop": "bazaar boutique market outlet shop store".split(),
    "forum": "board circle club forum table".split(), "office": "agency bureau council county office".split()}
OTHER_WORDS = "garden guide house journal lab notes press studio team works".split()

CONTENT_PATHS = ["/", "/about/", "/articles/1", "/articles/2", "/premium/3", "/contact", "/a/b.html", "/img/1"]
RARE_PATHS = ["/search?q=x", "/wp-admin/", "/account/", "/cart", "/admin/"]


class Draw(random.Random):
    def weighted(self, weights):
        """A key, by weight."""
        return self.choices(list(weights), weights.values())[0]

    def true(self, chance):
        return self.random() < chance


def month_start(month):
    return datetime.datetime(FIRST_YEAR + month // 12, month % 12 + 1, 1)


@dataclasses.dataclass
class Site:
    host: str
    rank: int | None  # None: not listed
    visits: float  # chance of one in a month
    policy: Policy
    changes: list  # (moment, what to do with the site), to come, latest first
    https: bool
    has_file: bool = True
    soft_404: bool = False  # answers 200 and a page for whatever is not there
    www: bool = False  # robots.txt is at www., where the host redirects to
    down: tuple = (None, None)  # (status or None for no answer, until)
    dies: datetime.datetime | None = None
    page_style: str | None = None
    originals: dict = dataclasses.field(default_factory=dict)  # URL: the last capture with a body

    def at(self, moment):
        while self.changes and self.changes[-1][0] <= moment:
            self.changes.pop()[1](self)
        return self


# ------------------------------------------------------------------- sites


def make_sites(rng):
    names, sites, low = set(), [], 1
    for high, count, visits, adoption in STRATA:
        for _ in range(count):
            kind = rng.weighted({k: v[0 if high <= 10_000 else 1] for k, v in KINDS.items()})
            while True:
                host = "-".join([rng.choice(FIRST_WORDS), rng.choice(FIRST_WORDS), rng.choice(SECOND_WORDS.get(kind, OTHER_WORDS))]) + ".example"
                if host not in names:
                    break
            names.add(host)
            rank = int(math.exp(rng.uniform(math.log(low), math.log(high)))) + (low > 1)
            sites.append(make_site(rng, host, kind, None if high > 2_000_000 and rng.true(.5) else rank, visits, adoption))
        low = high
    taken = set()
    for site in sites:
        while site.rank in taken:
            site.rank += 1
        taken.add(site.rank)
        taken.discard(None)
    return sites


def make_site(rng, host, kind, rank, visits, adoption):
    policy = Policy(host, kind, edition=rng.randrange(3), stamped=rng.true(.02), mark=rng.true(.02), ends="\r\n" if rng.true(.15) else "\n")
    if kind in ("forum", "office") or rng.true(.08):
        policy.delay = rng.weighted({"10": 40, "5": 15, "1": 10, "2": 8, "30": 10, "60": 5, "20": 4, "120": 2, "0.5": 3, "10s": 1, "3600": 1})
    site = Site(host, rank, visits, policy, [], https=rng.true(.85), has_file=rng.true(.9), soft_404=rng.true(.05), www=rng.true(.1))
    changes = edits(rng, kind)
    if rng.true(min(.95, adoption * KINDS[kind][2])):
        changes += adopt(rng, kind)
    if rng.true(.03) and kind == "news":  # some knew the crawler of Common Crawl long before
        changes.append((moment(rng, 0, 20), about_ai("each", ["CCBot"])))
    if not site.has_file and rng.true(.4):
        changes.append((moment(rng, 3, MONTHS), setting("has_file", True)))
    if not site.https and rng.true(.8):
        changes.append((moment(rng, 1, 40), setting("https", True)))
    if rng.true(.05):
        site.dies = moment(rng, 12, MONTHS)
    if rng.true(.12):
        start = moment(rng, 0, MONTHS)
        status = rng.weighted({503: 5, 500: 2, 403: 6, 401: 1, None: 3, 429: 1})
        changes.append((start, setting("down", (status, start + datetime.timedelta(days=rng.uniform(20, 200))))))
    if rng.true(.3):
        styles = {"noai": 4, "x_noai": 3, "tdm": 3, "usage": 2, "usage_yes": 1, "contradictory": 1}
        changes.append((moment(rng, 24, MONTHS), setting("page_style", rng.weighted(styles))))
    elif rng.true(.4):
        site.page_style = rng.choice(["preview", "noindex_some"])
    site.changes = sorted(changes, key=lambda change: change[0], reverse=True)
    return site


def moment(rng, first, last):
    return month_start(0) + datetime.timedelta(days=rng.uniform(first, last) * 30.4)


def setting(name, value):
    return lambda site: setattr(site, name, value)


def about_ai(style, agents):
    def change(site):
        site.policy.style, site.policy.agents = style, list(agents)
    return change


def edits(rng, kind):
    """What people and content systems change that has nothing to do with AI."""
    changes = []
    day = 0
    while True:
        day += rng.expovariate(KINDS[kind][3] / 365)
        if day > MONTHS * 30.4:
            break
        changes.append((month_start(0) + datetime.timedelta(days=day), rng.choice([add_path, add_path, drop_path, change_delay(rng)])))
    if kind == "shop":  # the platform changes the files of all its shops within a week
        changes += [(datetime.datetime(year, 6, 1) + datetime.timedelta(days=rng.uniform(0, 7)), next_edition) for year in (2022, 2024)]
    return changes


def add_path(site):
    site.policy.extra.append(f"/{['internal', 'beta', 'tag', 'feed', 'old', 'api', 'preview'][len(site.policy.extra) % 7]}/")


def drop_path(site):
    del site.policy.extra[:1]


def change_delay(rng):
    value = rng.choice([None, None, "5", "10", "10", "30"])
    return lambda site: setattr(site.policy, "delay", value)


def next_edition(site):
    site.policy.edition += 1


def adopt(rng, kind):
    """The changes by which a site comes to say something of AI crawlers."""
    if rng.true(.55 if kind == "news" else .3):
        month = 31.2 + rng.expovariate(1 / 2.5)  # soon after GPTBot was announced, in August 2023
    else:
        month = 32 + rng.uniform(0, 28)
    style = rng.weighted({name: weight for name, (weight, first) in STYLES.items() if month >= first})
    agents = known(month) if style == "managed" or rng.true(.3) else [a for a in known(month) if a == "GPTBot" or rng.true(.35)]
    changes = [(moment_of(month), about_ai(style, agents))]
    while style in ("each", "stacked", "managed") and (month := month + rng.expovariate(1 / 9)) < MONTHS:  # lists grow
        agents = agents + [a for a in known(month) if a not in agents and rng.true(.5)]
        changes.append((moment_of(month), about_ai(style, agents)))
        if rng.true(.06):  # a contract with one operator
            agents = [a for a in agents if a != "GPTBot"]
            changes.append((moment_of(month + .5), about_ai(style, agents)))
            break
    if rng.true(.04):
        changes.append((moment_of(month + rng.uniform(1, 12)), about_ai(None, [])))
    return changes


def moment_of(month):
    return month_start(0) + datetime.timedelta(days=month * 30.4375)


def known(month):
    return [agent for agent, since in KNOWN.items() if since <= month]


# ------------------------------------------------------------------ visits


def page_html(text, head=""):
    return f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{text}</title>{head}</head>\n<body><p>{text}</p></body></html>\n'.encode()


def robots_answer(rng, site, now):
    """(status, headers, body) that the site's robots.txt gets; None if no answer comes."""
    status, until = site.down
    if until and now < until:
        return status and (status, [("Content-Type", "text/html")], page_html(http.HTTPStatus(status).phrase))
    if rng.true(.012):
        return None
    if rng.true(.012):
        status = rng.choice([500, 502, 503, 503, 429])
        return status, [("Content-Type", "text/html")], page_html(http.HTTPStatus(status).phrase)
    if not site.has_file:
        status = 200 if site.soft_404 else 404
        return status, [("Content-Type", "text/html")], page_html("There is nothing here.")
    return 200, [("Content-Type", "text/plain")], site.policy.text(now)


# What pages of a style state: fields of the header, and metas of the head.
PAGE_STYLES = {
    None: ([], ""), "noai": ([], "noai, noimageai"), "x_noai": ([("X-Robots-Tag", "noai")], ""),
    "tdm": ([("tdm-reservation", "1"), ("tdm-policy", "https://{host}/tdm.json")], ""),
    "usage": ([("Content-Usage", "train-ai=n")], ""), "usage_yes": ([("Content-Usage", "train-ai=y")], ""),
    "contradictory": ([("X-Robots-Tag", "index, max-snippet:0")], "noindex, nosnippet, max-snippet:50"),
    "preview": ([], "index, follow, max-image-preview:large"), "noindex_some": ([], "noindex"),
}


def page_answer(site, path):
    fields, rules = PAGE_STYLES[site.page_style]
    rules = "" if site.page_style == "noindex_some" and path not in ("/contact", "/premium/3") else rules
    headers = [("Content-Type", "text/html"), *((name, value.format(host=site.host)) for name, value in fields)]
    return 200, headers, page_html(f"{site.host} {path}", f'<meta name="robots" content="{rules}">' if rules else "")


def visit(rng, site, now, out):
    """One visit of the crawler: robots.txt, and perhaps pages. Writes to the archive and the log."""
    origin = ("https://" if site.https else "http://") + site.host
    if site.https and rng.true(.05):  # the crawler still asks at the old address
        out.response(now, f"http://{site.host}/robots.txt", 301, [("Location", f"https://{site.host}/robots.txt")], b"")
        now += datetime.timedelta(seconds=2)
    if site.www:
        target = origin.replace("://", "://www.", 1)
        out.response(now, origin + "/robots.txt", 301, [("Location", target + "/robots.txt")], b"")
        origin = target
        now += datetime.timedelta(seconds=2)
        if rng.true(.06):
            return  # the crawler stopped there
    if site.dies and now >= site.dies:
        if now < site.dies + datetime.timedelta(days=150):  # then it is left out
            out.failure(now, origin + "/robots.txt", -1)
        return
    if rng.true(.96):
        answer = robots_answer(rng, site, now)
        if answer is None:
            out.failure(now, origin + "/robots.txt", rng.choice([-2, -4]))
            return
        status, headers, body = answer
        out.capture(rng, site, now, origin + "/robots.txt", status, headers, body)
    for _ in range(rng.weighted({0: 70, 1: 20, 2: 10})):
        now += datetime.timedelta(seconds=5 + int(rng.uniform(0, 20)))
        path = rng.choice(RARE_PATHS) if rng.true(.04) else rng.choice(CONTENT_PATHS)
        out.response(now, f"{origin}{path}", *page_answer(site, path))


# ----------------------------------------------------------------- writing


class Archive:
    """A year's WARC and the lines of the crawler's log."""

    def __init__(self, folder, year, rng):
        self.file = open(os.path.join(folder, f"{year}.warc.gz"), "wb")
        self.log = open(os.path.join(folder, "crawl.log"), "a", encoding="ascii")
        self.rng = rng
        info = f"software: scripts/history\r\nformat: WARC File Format 1.1\r\nhttp-header-user-agent: {UA}\r\nrobots: obey\r\n"
        self.record("warcinfo", datetime.datetime(year, 1, 1), None, "application/warc-fields", info.encode(), {})

    def close(self):
        self.file.close()
        self.log.close()

    def record(self, kind, when, url, content_type, block, fields):
        head = {"WARC-Record-ID": random_id(self.rng), "WARC-Date": iso(when), "WARC-Target-URI": url, **fields, "Content-Type": content_type}
        self.file.write(gzip.compress(record(kind, block, head), mtime=0))

    def response(self, when, url, status, headers, body, kind="response", fields=None):
        length = [("Content-Length", len(body))] * (kind == "response")
        first = f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}"
        self.record(kind, when, url, "application/http;msgtype=response", message(first, headers + length, body),
                    fields or {"WARC-Payload-Digest": sha1(body)})

    def capture(self, rng, site, when, url, status, headers, body):
        """A capture of robots.txt: a revisit, where it is what it was, as most crawlers write it."""
        before = site.originals.get(url)
        if status == 200 and before and before[1] == body and rng.true(.8):
            fields = {"WARC-Profile": IDENTICAL, "WARC-Payload-Digest": sha1(body),
                      "WARC-Refers-To-Target-URI": url, "WARC-Refers-To-Date": iso(before[0])}
            self.response(when, url, status, headers, b"", "revisit", fields)
            return
        fields = {"WARC-Payload-Digest": sha1(body)}
        sent = body
        if status == 200 and rng.true(.1):
            sent, headers = gzip.compress(body, mtime=0), headers + [("Content-Encoding", "gzip")]
            fields = {"WARC-Payload-Digest": sha1(sent)}
        elif status == 200 and len(body) > 200 and rng.true(.004):
            sent, fields["WARC-Truncated"] = body[: len(body) // 2], "length"
            fields["WARC-Payload-Digest"] = sha1(sent)
        elif status == 200:
            site.originals[url] = (when, body)
        self.response(when, url, status, headers, sent, fields=fields)

    def failure(self, when, url, status):
        """A fetch without an answer: no record, a line of the log."""
        begin = when.strftime("%Y%m%d%H%M%S") + "000"
        self.log.write(f"{iso(when)[:-1]}.000Z {status:5} {'-':>10} {url} P {url[:-len('robots.txt')]} unknown #001 {begin}+20000 - - 3t\n")


def write_archives(rng, sites, folder):
    for year in range(MONTHS // 12):
        archive = Archive(folder, FIRST_YEAR + year, rng)
        for month in range(year * 12, year * 12 + 12):
            visits = [(month_start(month) + datetime.timedelta(seconds=int(rng.uniform(0, CRAWL_DAYS * 86400))), number)
                      for number, site in enumerate(sites) if rng.true(site.visits)]
            for when, number in sorted(visits):
                visit(rng, sites[number].at(when), when, archive)
        archive.close()


def write_tables(rng, sites, folder):
    with open(os.path.join(folder, "ranks.csv"), "w", encoding="ascii") as out:
        for rank, host in sorted((site.rank, site.host) for site in sites if site.rank):
            out.write(f"{rank},{host}\n")
    with open(os.path.join(folder, "weights.csv"), "w", encoding="ascii") as out:
        out.write("host,tokens\n")
        for site in sites:
            host = "www." + site.host if site.www else site.host
            size = rng.lognormvariate(11, 1.6) * (3 if site.policy.kind == "news" else 1) * (2 if (site.rank or 10**7) <= 10_000 else 1)
            if rng.true(.95):
                out.write(f"{host},{int(size)}\n")


def main(out):
    out = out.rstrip("/")
    if os.path.exists(out):
        sys.exit(f"{out} exists: remove it, or name another folder")
    unfinished = out + ".unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    os.makedirs(os.path.join(unfinished, "archives"))
    rng = Draw(SEED)
    sites = make_sites(rng)
    write_archives(rng, sites, os.path.join(unfinished, "archives"))
    write_tables(rng, sites, unfinished)
    os.rename(unfinished, out)
