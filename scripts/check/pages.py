"""Work out what pages say of their use with other programs, and compare.

    pages DIR ARCHIVE_ROOT...

Reads each archive with warcio and each page with html5lib, and computes the rules that are in effect for Googlebot and
for a crawler that nobody names: the union of the header fields and the metas of the head that are for it.
DIR/effective_tags must say the same of every page.
"""

import re
from pathlib import Path

import brotli
import html5lib
from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import ChunkedDataReader

from lib import table
from warc import archives_in

PLAIN = {"noindex", "nosnippet", "all", "none", "index", "follow", "nofollow", "archive", "noarchive", "nocache",
         "noimageindex",
         "notranslate", "indexifembedded", "noai", "noimageai", "noodp", "noydir", "noyaca"}
COUNTS = ("max-snippet", "max-video-preview")
SIZES = ("none", "standard", "large")
VALUED = (*COUNTS, "max-image-preview", "unavailable_after")
# Of two rules that contradict each other the first binds; of nosnippet and a max-snippet that permits one likewise.
CONTRADICTIONS = (("noindex", "index"), ("nofollow", "follow"), ("noarchive", "archive"), ("nocache", "archive"))
# Metas of these names speak of something else, whatever word stands in them; * is a header's token, and no meta's.
OTHER = {"*", "description", "keywords", "viewport", "author", "generator", "title", "theme-color", "referrer",
         "color-scheme",
         "format-detection", "application-name", "rating", "copyright", "robots-none"}
QUOTES = " \t\n\f\r\"'‘’‚‛“”„‟"  # which a name may have been copied with
HTML = ("text/html", "application/xhtml+xml")
MAX_PAGE = 1 << 20


def words(value):
    """words yields the rules of a comma list. A date holds a comma: what follows a weekday is the rest of it."""
    parts = value.split(",")
    while parts:
        part = parts.pop(0).strip()
        if re.search(r"(^|:)\s*unavailable_after\s*:\s*[a-z]{3,9}$", part, re.I) and parts:
            part += "," + parts.pop(0)
        if part:
            yield part


def prefixed(value):
    """prefixed yields (agent, rule): a prefix governs until the next one, or the end of the line."""
    agent = None
    for part in words(value):
        name, colon, rest = part.partition(":")
        if colon and name.strip().lower() not in VALUED:
            agent, part = name.strip().lower(), rest.strip()
        yield agent, part


def structured(value):
    """structured yields (agent, rule) of a Robots-Tag: a list of tokens with parameters."""
    for member in value.split(","):
        token, *parameters = (p.strip().lower() for p in member.split(";"))
        if not parameters and token in PLAIN:  # a rule where a token should stand
            yield None, token
        for parameter in parameters:
            name, equals, text = parameter.partition("=")
            yield (None if token == "*" else token), f"{name}:{text.strip(chr(34))}" if equals else name


def metas(body, charset):
    """metas yields (agent, rule) of the metas in the head of a page, scripts not run."""
    document = html5lib.HTMLParser(namespaceHTMLElements=False).parse(body, transport_encoding=charset, scripting=False)
    head = document.find("head")
    for element in head.iter("meta") if head is not None else ():
        name, content = (element.get("name") or "").strip(QUOTES).lower(), element.get("content") or ""
        if not name or name in OTHER or ":" in name:
            continue
        rules = list(words(content))
        known = any(r.partition(":")[0].strip().lower() in PLAIN | set(VALUED) for r in rules)
        if name == "robots" or known:
            for rule in rules:
                yield (None if name == "robots" else name), rule


def effective(statements, agent):
    """effective is the union of the rules for an agent and for everybody: the strictest of several values, and of two
    rules that contradict each other the one that restricts."""
    rules, counts, sizes, dated = set(), {}, [], False
    for whom, rule in statements:
        if whom not in (None, "*", agent):
            continue
        name, colon, value = (p.strip().lower() for p in rule.partition(":"))
        if name in PLAIN and not colon:
            rules |= {"all": {"index", "follow"}, "none": {"noindex", "nofollow"}}.get(name, {name})
        elif name in COUNTS and re.fullmatch(r"-1|\+?\d+", value):
            counts.setdefault(name, []).append(int(value))
        elif name == "max-image-preview" and value in SIZES:
            sizes.append(SIZES.index(value))
        elif name == "unavailable_after":
            dated = True
    for name, values in counts.items():
        limit = min((v for v in values if v >= 0), default=-1)
        if name != "max-snippet" or limit == 0 or "nosnippet" not in rules:
            rules.add(f"{name}:{limit}")
    if sizes:
        rules.add(f"max-image-preview:{SIZES[min(sizes)]}")
    if dated:
        rules.add("unavailable_after")
    for binding, overruled in CONTRADICTIONS:
        if binding in rules:
            rules.discard(overruled)
    return frozenset(rules)


def tabled(rules):
    """tabled is the set that a row of effective_tags tells, unknown words left out and dates unread."""
    found = set()
    for rule in words(re.sub(r"unavailable_after: [^,\s]+", "unavailable_after", rules)):
        if rule.partition(":")[0] in PLAIN | set(VALUED):
            found.add(rule.replace(" ", ""))
    return frozenset(found)


def statements(record):
    http = record.http_headers
    for name, value in http.headers if http else ():
        if name.lower() == "x-robots-tag":
            yield from prefixed(value)
        elif name.lower() == "robots-tag":
            yield from structured(value)
    media, _, parameters = (http.get_header("Content-Type") or "" if http else "").partition(";")
    if media.strip().lower() in HTML and record.rec_type != "revisit":
        charset = re.search(r"charset=[\"']?([\w-]+)", parameters, re.I)
        body = content(record)
        if media.strip().lower() == HTML[1]:  # as html5lib knows it: "/>" ends no element of HTML
            body = re.sub(rb"(?i)<(script|title|style|template|noscript)((\s[^<>]*)?)/>", rb"<\1\2></\1>", body)
        if b"<" in body:
            yield from metas(body, charset and charset.group(1))


def content(record):
    """content is the beginning of a page, its codings undone; warcio itself can't undo brotli."""
    if (record.http_headers.get_header("Content-Encoding") or "").strip().lower() == "br":
        stored = ChunkedDataReader(record.raw_stream).read()
        try:
            return brotli.decompress(stored)[:MAX_PAGE]
        except brotli.error:  # decoded before it was stored
            return stored[:MAX_PAGE]
    return record.content_stream().read(MAX_PAGE)


def pages(root):
    """pages yields (warc_filename, offset, URL, statements) of each record that is a fetch."""
    for name, path in archives_in(root):
        with open(path, "rb") as file:
            reader = ArchiveIterator(file)
            for record in reader:
                url = record.rec_headers.get_header("WARC-Target-URI") or record.rec_headers.get_header("uri") or ""
                if record.rec_type in ("response", "resource") and url.startswith(("http:", "https:")):
                    said = list(statements(record))
                    yield name, reader.get_record_offset(), url, said


def main(tables: Path, *roots: Path):
    have = {(row["warc_filename"], row["warc_record_offset"], row["agent"]): tabled(row["rules"])
            for row in table(tables, "effective_tags")}
    fetches = {(row["warc_filename"], row["warc_record_offset"]) for row in table(tables, "fetches", "warc_filename", "warc_record_offset")}
    seen = tagged = wrong = 0
    for name, offset, url, said in (page for root in roots for page in pages(root)):
        if (name, offset) not in fetches:
            print(f"{name}:{offset}: {url} is no fetch of the tables")
            wrong += 1
            continue
        seen += 1
        for agent in ("googlebot", None):
            want = effective(said, agent)
            got = have.get((name, offset, agent), have.get((name, offset, None), frozenset()))
            tagged += agent is None and bool(want)
            if want != got:
                wrong += 1
                print(f"{name}:{offset}: {url}: for {agent or 'everybody'} {sorted(want)}, the table has {sorted(got)}")
    print(f"pages: {'equal' if not wrong else f'{wrong} DIFFERENT'}: {seen} records, tags for everybody on {tagged}")
    return wrong or not seen
