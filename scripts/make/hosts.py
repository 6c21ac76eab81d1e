"""The web site that testdata/warc was crawled from: hosts, robots.txt, pages.

HOSTS maps a host name to its paths. A path maps to a Reply, or, where it changes
in time, to a list of (first moment, Reply). Every page that is linked exists.
"""

import gzip
import zlib
from datetime import datetime, timezone
from typing import NamedTuple


class Reply(NamedTuple):
    body: bytes = b""
    status: int = 200
    type: str = "text/html; charset=utf-8"
    headers: tuple = ()
    gzip: str = "accepted"  # "accepted": if the client asks; "always"; "never"
    chunked: bool = False


def at(text):
    """at gives the seconds since 1970 of a moment such as 2025-03-04T00:00:00, UTC."""
    return int(datetime.fromisoformat(text).replace(tzinfo=timezone.utc).timestamp())


START = at("2025-01-01T00:00:00")


def page(title, *links, head="", body="", **reply):
    anchors = "\n".join(f'<p><a href="{link}">{link}</a></p>' for link in links)
    html = (f"<!DOCTYPE html>\n<html><head><title>{title}</title>\n{head}</head>\n"
        f"<body><h1>{title}</h1>\n{body}{anchors}\n</body></html>\n")
    return Reply(html.encode(), **reply)


def robots(text, **reply):
    body = text if isinstance(text, bytes) else text.encode()
    return Reply(body, type="text/plain", gzip=reply.pop("gzip", "never"), **reply)


def moved(status, location):
    return Reply(f"moved to {location}\n".encode(), status, "text/plain", (("Location", location),), "never")


def leaves(*paths):
    """leaves makes one small page without links for each path."""
    return {path: page(path) for path in paths}


def robots_of_size(size, first, last):
    """robots_of_size makes a robots.txt of about size octets with rules at both ends."""
    filler = "# nothing to see on this line, it is here to make the file long\n"
    text = first + filler * ((size - len(first) - len(last)) // len(filler)) + last
    return text


# A body that looks like an archive: a reader that resynchronises naively, or
# that inflates what it should not, trips over it.
FORGED = (
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://news.example/robots.txt\r\n"
    b"WARC-Date: 2025-03-03T09:00:00Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n"
    b"Content-Type: application/http;msgtype=response\r\nContent-Length: 64\r\n\r\n"
    b"HTTP/1.1 200 OK\r\nContent-Length: 26\r\n\r\nUser-agent: *\r\nDisallow: /\r\n\r\n"
)
BINARY = bytes(range(256)) * 8 + gzip.compress(FORGED, mtime=0) + FORGED

# Hosts of crawl a: wget 1.21 understands these rules and obeys them.
UNDERSTOOD = {
    "news.example": {
        "/robots.txt": [
            (START, robots("User-agent: *\nDisallow: /private/\nCrawl-delay: 2\nSitemap: http://news.example/sitemap.xml\n")),
            (at("2025-03-04T00:00:00"), robots(
                "User-agent: GPTBot\nUser-agent: CCBot\nUser-agent: ClaudeBot\nDisallow: /\n\n"
                "User-agent: *\nDisallow: /private/\nDisallow: /archive/\nCrawl-delay: 5\n")),
        ],
        "/": page("News", "/today.html", "/archive/2024.html", "/private/draft.html", "/moved.html",
                  "http://media.example/", "http://groups.example/", "http://gone.example/", "http://locked.example/",
                  "http://redir.example/", "http://big.example/", "http://latin.example/", "http://html.example/",
                  "http://empty.example/", "http://order.example/", "http://tags.example/"),
        "/moved.html": moved(301, "http://media.example/from-news.html"),
        **leaves("/today.html", "/archive/2024.html", "/private/draft.html"),
    },
    "media.example": {
        "/robots.txt": robots(
            "USER-AGENT : *\r\ndisallow: /raw/   # originals\r\n\r\n"
            "User-agent: Google-Extended\r\nUser-agent: CCBot\r\nDisallow: /data.bin\r\nDisallow: /raw/\r\n"),
        "/": page("Media", "/data.bin", "/chunked.html", "/raw/tape.html", "/old.html"),
        "/data.bin": Reply(BINARY, type="application/octet-stream", gzip="never"),
        "/chunked.html": page("Sent in chunks", chunked=True),
        "/old.html": moved(302, "http://media.example/new.html"),
        **leaves("/raw/tape.html", "/new.html", "/from-news.html"),
    },
    "groups.example": {
        "/robots.txt": robots(
            "Disallow: /before-any-group\n"
            "User-agent: Googlebot\nDisallow: /\n\n"
            "User-agent: wget\nUser-agent: curl\nDisallow: /wget-only/\n\n"
            "User-agent: *\nDisallow: /\n\n"
            "User-agent: WGET\nDisallow: /later-group/\n"),
        "/": page("Groups", "/open.html", "/wget-only/a.html", "/later-group/a.html", "/before-any-group.html"),
        **leaves("/open.html", "/wget-only/a.html", "/later-group/a.html", "/before-any-group.html"),
    },
    "gone.example": {"/": page("No robots.txt", "/a.html"), **leaves("/a.html")},
    "locked.example": {
        "/robots.txt": Reply(b"User-agent: *\nDisallow: /\n", 403, "text/plain"),
        "/": page("Forbidden robots.txt", "/a.html"), **leaves("/a.html"),
    },
    "redir.example": {
        "/robots.txt": moved(301, "http://www.redir.example/robots.txt"),
        "/": page("Redirected robots.txt", "/a.html", "/shut/a.html", "http://www.redir.example/"),
        **leaves("/a.html", "/shut/a.html"),
    },
    "www.redir.example": {
        "/robots.txt": moved(302, "http://policy.example/files/redir.txt"),
        "/": page("The www host", "/a.html", "/shut/b.html"),
        **leaves("/a.html", "/shut/b.html"),
    },
    "policy.example": {
        "/robots.txt": robots("User-agent: *\nDisallow: /files/\n"),
        "/files/redir.txt": robots("User-agent: *\nDisallow: /shut/\n"),
        "/": page("Policies", "/files/redir.txt"),
    },
    "big.example": {
        "/robots.txt": robots(robots_of_size(600_000,
            "User-agent: *\nDisallow: /early/\nDisallow: /docs/\n", "Disallow: /late/\nAllow: /docs/public/\n")),
        "/": page("A robots.txt of 600 kB", "/early/a.html", "/late/a.html", "/docs/public/a.html", "/a.html"),
        **leaves("/early/a.html", "/late/a.html", "/docs/public/a.html", "/a.html"),
    },
    "latin.example": {
        "/robots.txt": robots("# Zugriffe auf geschützte Räume\nUser-agent: *\nDisallow: /café/\nDisallow: /%7Euser/\n".encode("latin-1")),
        "/": page("Latin-1", "/caf%E9/a.html", "/caf%C3%A9/a.html", "/~user/a.html", "/a.html"),
        **leaves("/caf%E9/a.html", "/caf%C3%A9/a.html", "/~user/a.html", "/a.html"),
    },
    "html.example": {
        "/robots.txt": page("Page not found, says this page with status 200"),
        "/": page("An HTML page as robots.txt", "/a.html"), **leaves("/a.html"),
    },
    "empty.example": {
        "/robots.txt": robots(""),
        "/": page("An empty robots.txt", "/a.html"), **leaves("/a.html"),
    },
    "order.example": {
        "/robots.txt": robots(
            "User-agent: *\nAllow: /shop/public/\nDisallow: /shop/\n\n"
            "User-agent: OAI-SearchBot\nUser-agent: PerplexityBot\nAllow: /shop/\n\n"
            "User-agent: GPTBot\nDisallow: /shop/\n"),
        "/": page("Allow before Disallow", "/shop/public/a.html", "/shop/cart.html"),
        **leaves("/shop/public/a.html", "/shop/cart.html"),
    },
    "tags.example": {
        "/robots.txt": robots(
            "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /open/ train-ai=y\n"
            "Content-Signal: search=yes,ai-train=no\nAllow: /\n\nLicense: http://tags.example/license.xml\n"),
        "/": page("Page tags", *(f"/{name}.html" for name in (
            "header", "prefix", "date", "structured", "strict", "meta", "agent", "body", "comment", "noscript",
            "preview", "noai", "usage", "signal", "tdm", "link", "shout", "all")), "/.well-known/tdmrep.json"),
        "/header.html": page("X-Robots-Tag twice", headers=(("X-Robots-Tag", "noindex"), ("X-Robots-Tag", "noarchive, nosnippet"))),
        "/prefix.html": page("X-Robots-Tag for agents", headers=(("X-Robots-Tag", "googlebot: noindex, nofollow"), ("X-Robots-Tag", "otherbot: none, wget: noarchive"))),
        "/date.html": page("A date with a comma", headers=(("X-Robots-Tag", "unavailable_after: Tue, 25 Mar 2025 15:00:00 GMT, noarchive"),)),
        "/structured.html": page("Robots-Tag", headers=(("Robots-Tag", "*;noindex, examplebot;nosnippet"),)),
        "/strict.html": page("Robots-Tag as a word", headers=(("Robots-Tag", "noindex"),)),
        "/meta.html": page("Two metas", head='<meta name="robots" content="noarchive">\n<META content="NOSNIPPET" name=ROBOTS>\n'),
        "/agent.html": page("A meta for one agent", head='<meta name="googlebot" content="noindex">\n<meta name="wget" content="noarchive">\n'),
        "/body.html": page("A meta in the body", body='<meta name="robots" content="noindex">\n'),
        "/comment.html": page("A meta in a comment", head='<!-- <meta name="robots" content="noindex"> -->\n<script>"<meta name=robots content=noindex>"</script>\n'),
        "/noscript.html": page("A meta in noscript", head='<noscript><meta name="robots" content="noindex"></noscript>\n'),
        "/preview.html": page("Preview limits", head='<meta name="robots" content="max-image-preview:none, max-snippet:50, noai">\n'),
        "/noai.html": page("noai", headers=(("X-Robots-Tag", "noai, noimageai"),), head='<meta name="robots" content="noai, noimageai">\n'),
        "/usage.html": page("Content-Usage", headers=(("Content-Usage", "train-ai=n, search=y"),)),
        "/signal.html": page("Content-Signal", headers=(("Content-Signal", "search=yes, ai-train=no"),)),
        "/tdm.html": page("TDMRep", headers=(("tdm-reservation", "1"), ("tdm-policy", "http://tags.example/policy.json")), head='<meta name="tdm-reservation" content="0">\n'),
        "/link.html": page("RSL", headers=(("Link", '<http://tags.example/license.xml>; rel="license"; type="application/rsl+xml"'),), head='<link rel="license" type="application/rsl+xml" href="http://tags.example/license.xml">\n'),
        "/shout.html": page("Case and references", head="<META NAME=&quot;robots&quot; CONTENT=noindex>\n<Meta Name=\"Robots\" Content='no&#97;rchive'>\n"),
        "/all.html": page("all and none", headers=(("X-Robots-Tag", "all"),), head='<meta name="robots" content="none">\n'),
        "/.well-known/tdmrep.json": Reply(b'[{"location": "/", "tdm-reservation": 1}]\n', type="application/json"),
    },
}

# Hosts of crawl b: wget 1.21 reads these rules another way than RFC 9309 does.
MISREAD = {
    "wild.example": {
        "/robots.txt": robots("User-agent: *\nDisallow: /*.pdf$\nDisallow: /private*/\nDisallow: /search?q=\nDisallow: /*?session=\n"),
        "/": page("Wildcards", "/paper.pdf", "/paper.pdf?download=1", "/private-notes/a.html", "/search?q=robots",
                  "/search", "/list?session=7", "/a.html", "/go-down.html"),
        "/paper.pdf": Reply(b"%PDF-1.4\n%%EOF\n", type="application/pdf"),
        "/paper.pdf?download=1": Reply(b"%PDF-1.4\n%%EOF\n", type="application/pdf"),
        "/go-down.html": moved(302, "http://longest.example/closed/behind.html"),
        **leaves("/private-notes/a.html", "/search?q=robots", "/search", "/list?session=7", "/a.html"),
    },
    "longest.example": {
        "/robots.txt": robots(
            "User-agent: *\nAllow: /\nDisallow: /secret/\nDisallow: /docs/\nAllow: /docs/public/\n"
            "Disallow: /tie\nAllow: /tie\nDisallow: /closed/\n"
            "Disallow: /out\nAllow: /out?to=http%3A%2F%2Fwild.example%2F\n"),
        "/": page("Longest match", "/secret/a.html", "/docs/a.html", "/docs/public/a.html", "/tie.html",
                  "/out?to=http://wild.example/", "/outside.html"),
        **leaves("/secret/a.html", "/docs/a.html", "/docs/public/a.html", "/tie.html", "/closed/behind.html",
                 "/out?to=http://wild.example/", "/outside.html"),
    },
    "bom.example": {
        "/robots.txt": robots("\ufeffUser-agent: *\nDisallow: /shut/\n"),
        "/": page("A byte order mark", "/shut/a.html", "/a.html"), **leaves("/shut/a.html", "/a.html"),
    },
    "version.example": {
        "/robots.txt": robots("User-agent: Wget/1.0\nDisallow: /shut/\n\nUser-agent: Wget-like\nDisallow: /a.html\n"),
        "/": page("A version in the token", "/shut/a.html", "/a.html"), **leaves("/shut/a.html", "/a.html"),
    },
    "down.example": {
        "/robots.txt": Reply(b"try again later\n", 503, "text/plain", (("Retry-After", "3600"),), "never"),
        "/": page("robots.txt: 503", "/a.html", "/b.html"), **leaves("/a.html", "/b.html"),
    },
    "flaky.example": {
        "/robots.txt": [
            (START, robots("User-agent: *\nAllow: /\nDisallow: /shut/\n")),
            (at("2025-03-10T12:00:00"), Reply(b"busy\n", 500, "text/plain", (), "never")),
        ],
        "/": page("robots.txt: 200, then 500", "/a.html", "/shut/a.html"), **leaves("/a.html", "/shut/a.html"),
    },
    "turning.example": {
        "/robots.txt": [
            (START, robots("User-agent: *\nDisallow: /never/\n")),
            (at("2025-03-10T12:00:00"), robots("User-agent: *\nDisallow: /never/\nDisallow: /*/draft\n")),
        ],
        "/": page("Closed between two crawls", "/a/draft.html", "/a/final.html"),
        **leaves("/a/draft.html", "/a/final.html"),
    },
    "hop.example": {
        "/robots.txt": moved(302, "http://policy.example/files/wildcards.txt"),
        "/": page("Wildcards behind a redirect", "/a.cgi", "/a.html"), **leaves("/a.cgi", "/a.html"),
    },
}
UNDERSTOOD["policy.example"]["/files/wildcards.txt"] = robots("User-agent: *\nDisallow: /*.cgi\n")

# Hosts that only crawl c asks for, with robots off.
OTHERS = {
    "coded.example": {
        "/robots.txt": robots(robots_of_size(5_000, "User-agent: *\nDisallow: /shut/\n", ""), gzip="always", chunked=True),
        **leaves("/shut/a.html", "/a.html"),
    },
    "maze.example": {
        "/robots.txt": moved(301, "/hop1"),
        **{f"/hop{n}": moved(302, f"/hop{n + 1}") for n in range(1, 6)},
        "/hop6": robots("User-agent: *\nDisallow: /\n"), **leaves("/a.html"),
    },
    "five.example": {
        "/robots.txt": moved(301, "/hop1"),
        **{f"/hop{n}": moved(307, f"/hop{n + 1}") for n in range(1, 5)},
        "/hop5": robots("User-agent: *\nDisallow: /shut/\n"), **leaves("/shut/a.html", "/a.html"),
    },
    "loop.example": {
        "/robots.txt": moved(302, "http://www.loop.example/robots.txt"), **leaves("/a.html"),
    },
    "www.loop.example": {"/robots.txt": moved(302, "http://loop.example/robots.txt")},
    "secure.example": {"/robots.txt": moved(301, "https://secure.example/robots.txt"), **leaves("/a.html")},
    "odd.example": {"/robots.txt": Reply(b"", 302, "text/plain", (), "never"), **leaves("/a.html")},
    "silent.example": leaves("/a.html"),
    "tardy.example": {"/robots.txt": robots("# Asked for last.\nUser-agent: *\nDisallow: /shut/\n"), **leaves("/shut/a.html", "/a.html")},
    "swing.example": {
        "/robots.txt": [
            (START, robots("User-agent: *\nDisallow: /x/\n")),
            (at("2025-03-22T00:00:00"), robots("User-agent: *\nDisallow: /y/\n")),
        ],
        **leaves("/x/a.html", "/y/a.html", "/a.html"),
    },
    "slow.example": {"/robots.txt": robots("User-agent: *\nDisallow: /shut/\n"), **leaves("/shut/a.html", "/a.html")},
    "bots.example": {
        "/robots.txt": robots("User-agent: ExampleBot\nDisallow: /bot/\n\nUser-agent: *\nDisallow: /any/\n"),
        **leaves("/bot/a.html", "/any/a.html"),
    },
    "ports.example": {"/robots.txt": robots("User-agent: *\nDisallow: /eighty/\n"), **leaves("/eighty/a.html", "/alt/a.html")},
    "ports.example:8080": {"/robots.txt": robots("User-agent: *\nDisallow: /alt/\n"), **leaves("/eighty/a.html", "/alt/a.html")},
}

HOSTS = UNDERSTOOD | MISREAD | OTHERS


def reply(host, target, now, accepts_gzip):
    """reply gives status, headers and body (encoded as sent, before chunking)."""
    found = HOSTS.get(host, {}).get(target)
    if isinstance(found, list):
        found = [answer for moment, answer in found if moment <= now][-1]
    if found is None:
        found = Reply(b"not found\n", 404, "text/plain")
    headers = [("Content-Type", found.type), *found.headers]
    body = found.body
    if found.gzip == "always" or (found.gzip == "accepted" and accepts_gzip):
        squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)  # 31: a gzip header without a time
        body = squeeze.compress(body) + squeeze.flush()
        headers.append(("Content-Encoding", "gzip"))
    return found, headers, body
