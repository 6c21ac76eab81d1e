"""Makes an archive to measure readers with, in the shape of Common Crawl's.

    corpus SOURCES FOLDER [--shape pages|small] [--size MB]

SOURCES is a folder of HTML documentation. Each record is a gzip member: a warcinfo first, then a request, a response and
a metadata record for each fetch, robots.txt among them. --size is that of the archive, compressed, about. The same
arguments, sources and release of zlib give the same bytes.
"""

import base64
import datetime
import gzip
import math
import multiprocessing
import random
import shutil
import zlib
from pathlib import Path
from typing import NamedTuple

from lib import iso, random_id, record, sha1, uuid_of

ENVIRONMENT = ""
LIMIT = 0
HOSTS = 16  # crawled at a time: a segment of the corpus, made on its own
BEGIN = datetime.datetime(2026, 1, 2)
AGENT = "BenchBot/1.0 (+https://bench.example/bot)"
SOURCE_BYTES = range(16 << 10, 1 << 20)  # of others little is documentation: indexes of everything, redirects
RULES = """Disallow: /private/\nDisallow: /*?session=\nDisallow: /search\nDisallow: /cart/\nDisallow: /tmp/
Allow: /private/public/\nDisallow: /*.php$\nCrawl-delay: 5\n"""


class Shape(NamedTuple):
    least: int  # bytes of a page
    most: int
    ratio: float  # of compression that noise brings pages down to; 0: no noise
    fetches: int  # of pages, for each host
    deflated: int  # bytes that a fetch's three members take, about


SHAPES = {"pages": Shape(40_000, 400_000, 4, 6, 40_000), "small": Shape(3_000, 5_000, 0, 50, 2_400)}


def read_texts(sources, ratio):
    """The documentation, and how much noise each text needs: documentation compresses better than the web does.

    Base64 of random bytes deflates to 0.76 of its length, so (deflated + 0.76 noise) / (1 + noise) = 1 / ratio."""
    for path in sorted(sources.rglob("*.html")):
        if path.is_file() and path.stat().st_size in SOURCE_BYTES:
            html = path.read_bytes()
            deflated = len(zlib.compress(html)) / len(html)
            yield html, max(0, (1 / ratio - deflated) / (0.76 - 1 / ratio)) if ratio else 0


def robots(rng, host):
    """(status, media type, body) of a robots.txt: most have rules, some forbid everything to somebody, some have none."""
    if host % 10 == 3:
        return "404 Not Found", "text/html", b"<html><body><h1>Not Found</h1></body></html>\n"
    if host % 50 == 7:
        return "503 Service Unavailable", "text/html", b"<html><body><h1>Later</h1></body></html>\n"
    text = f"# {rng.getrandbits(64):016x}\nUser-agent: *\n{RULES}\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n"
    if host % 50 == 21:
        text = "User-agent: *\nAllow: /\n\nUser-agent: BenchBot\nDisallow: /\n"
    elif host % 5 == 4:
        text = "User-agent: *\nDisallow:\n"
    return "200 OK", "text/plain", text.encode()


def page(rng, shape, texts):
    """An HTML document (the logarithm of its size is uniform) of documentation from a random place on, with noise between."""
    size = int(shape.least * math.exp(rng.random() * math.log(shape.most / shape.least)))
    wishes = '<meta name="robots" content="noindex, noarchive">' if rng.random() < 0.04 else ""
    out = bytearray(b"<!DOCTYPE html>\n<html><head><title>Page</title>%s</head>\n<body>\n" % wishes.encode())
    number = rng.randrange(len(texts))
    html, noise = texts[number]
    at = rng.randrange(len(html))
    while len(out) < size:
        if at >= len(html):
            number, at = (number + 1) % len(texts), 0
            html, noise = texts[number]
        end = html.find(b">", at + rng.randrange(500, 3500)) + 1 or len(html)  # a paragraph or so
        out += html[at:end]
        if (octets := int(noise * (end - at))) >= 48:
            out += b'<i data-token="%s"></i>' % base64.b64encode(rng.randbytes(octets * 3 // 4))
        at = end
    return bytes(out[:size]) + b"\n</body>\n</html>\n"


def path(rng):
    folder = rng.choice(["docs", "blog", "news/2025/12", "en/library", "products", "archive", "reference/api"])
    folder = "private" if rng.random() < 0.02 else folder
    return f"/{folder}/page-{rng.getrandbits(32):08x}.html" + f"?id={rng.randrange(10000)}" * (rng.random() < 0.12)


def records(rng, host, moment, path, status, media, body):
    """The records of a fetch."""
    url, date = f"https://{host}{path}", iso(moment)
    ids = [random_id(rng) for _ in range(3)]
    asked = f"GET {path} HTTP/1.1\r\nUser-Agent: {AGENT}\r\nAccept: text/html\r\nHost: {host}\r\n\r\n".encode()
    http = (f"HTTP/1.1 {status}\r\nDate: {moment:%a, %d %b %Y %H:%M:%S} GMT\r\nServer: nginx/1.24.0\r\nContent-Type: {media}\r\n"
            f'Vary: Accept-Encoding\r\nETag: W/"{rng.getrandbits(64):x}"\r\nCache-Control: public, max-age=3600\r\n'
            f"Set-Cookie: session={rng.getrandbits(64):016x}; Path=/; Secure; HttpOnly\r\n"
            + "X-Robots-Tag: noindex, nofollow\r\n" * (rng.random() < 0.025) + f"Content-Length: {len(body)}\r\n\r\n").encode()
    told = b"fetchTimeMs: %d\r\ncharset-detected: UTF-8\r\n" % rng.randrange(20, 920)
    for n, (kind, block, payload) in enumerate((("request", asked, b""), ("response", http + body, body), ("metadata", told, None))):
        content = "application/warc-fields" if kind == "metadata" else f"application/http; msgtype={kind}"
        yield record(kind, block, {
            "WARC-Date": date, "WARC-Record-ID": ids[n], "WARC-Concurrent-To": ids[n - 1] if n else None, "Content-Type": content,
            "WARC-Target-URI": url, "WARC-Block-Digest": sha1(block),
            "WARC-Payload-Digest": None if payload is None else sha1(payload)}, "1.0")


def segment(number, shape, texts):
    """The members of the fetches of some hosts: the robots.txt of each, then pages of each in turn."""
    rng, out = random.Random(number), []
    fetches = [("/robots.txt", *robots(rng, number * HOSTS + n)) for n in range(HOSTS)]
    fetches += [(path(rng), "200 OK", "text/html; charset=UTF-8", page(rng, shape, texts)) for _ in range(shape.fetches * HOSTS)]
    for n, fetch in enumerate(fetches):
        host = f"www.site-{number * HOSTS + n % HOSTS:06d}.example"
        moment = BEGIN + datetime.timedelta(seconds=number + n // 10)
        out += [gzip.compress(made, 6, mtime=0) for made in records(rng, host, moment, *fetch)]
    return b"".join(out)


def begin(*made_of):
    global MADE_OF
    MADE_OF = made_of


def made(number):
    return segment(number, *MADE_OF)


def main(sources: Path, folder: Path, *, shape="pages", size: int = 1000):
    of = SHAPES[shape]
    texts = list(read_texts(sources, of.ratio))
    segments = max(1, size * 1_000_000 // (of.deflated * of.fetches * HOSTS))
    temporary, name = folder.with_suffix(".tmp"), "00000.warc.gz"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    info = record("warcinfo", f"software: scripts/bench/corpus\r\nhttp-header-user-agent: {AGENT}\r\n".encode(), {
        "WARC-Date": iso(BEGIN), "WARC-Record-ID": uuid_of(0),
        "Content-Type": "application/warc-fields", "WARC-Filename": name}, "1.0")
    with multiprocessing.Pool(initializer=begin, initargs=(of, texts)) as pool, open(temporary / name, "wb") as out:
        out.write(gzip.compress(info, 6, mtime=0))
        out.writelines(pool.imap(made, range(segments)))
    temporary.rename(folder)
