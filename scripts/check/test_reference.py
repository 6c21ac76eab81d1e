"""Hand-written cases for the reference: each expectation read off the semantics or RFC 9309."""

import gzip
from datetime import timedelta

import pytest

import reference as r
from rules import RESERVED, UNSAFE, judge_by_rules, matches, within_parse_limit


# ------------------------------------------------------------------ RFC §2.2

RFC_5_1 = (b"User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\n"
           b"User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n"
           b"User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\nUser-Agent: quxbot\n")


@pytest.mark.parametrize("body, token, path, verdict, reason", [
    (RFC_5_1, "any", "/x.gif", "disallowed", "rule"),
    (RFC_5_1, "any", "/x.gif?y", "allowed", "no_matching_rule"),
    (RFC_5_1, "any", "/publications/a.html", "allowed", "rule"),
    (RFC_5_1, "FooBot", "/", "disallowed", "rule"),
    (RFC_5_1, "foobot", "/example/allowed.gif", "allowed", "rule"),
    (RFC_5_1, "bazbot", "/example/page.html", "disallowed", "rule"),
    (RFC_5_1, "barbot", "/example/", "allowed", "no_matching_rule"),
    (RFC_5_1, "quxbot", "/example/", "allowed", "no_matching_rule"),
    # figure 2: groups of one token are merged; figure 3: "*" where none matches
    (b"user-agent: E\ndisallow: /foo\n\nuser-agent: E\ndisallow: /baz", "E", "/baz", "disallowed", "rule"),
    (b"user-agent: *\ndisallow: /foo\n\nuser-agent: B\ndisallow: /baz", "E", "/foo", "disallowed", "rule"),
    (b"user-agent: *\ndisallow: /a\n\nuser-agent: *\ndisallow: /b", "E", "/b", "disallowed", "rule"),
    (b"user-agent: B\ndisallow: /baz", "E", "/baz", "allowed", "no_matching_group"),
    # figure 4
    (b"user-agent: *\ndisallow: /foo/bar?baz=quz", "E", "/foo/bar?baz=quz", "disallowed", "rule"),
    (b"user-agent: *\ndisallow: /foo/bar/\xe3\x83\x84", "E", "/foo/bar/%E3%83%84", "disallowed", "rule"),
    (b"user-agent: *\ndisallow: /foo/bar/%62%61%7A", "E", "/foo/bar/baz", "disallowed", "rule"),
    # figure 6
    (b"user-agent: *\ndisallow: /path/file-with-a-%2A.html", "E", "/path/file-with-a-*.html", "disallowed", "rule"),
    (b"user-agent: *\ndisallow: /path/foo-%24", "E", "/path/foo-$", "disallowed", "rule"),
    # semantics §6
    (b"disallow: /\nuser-agent: *\nallow: /", "E", "/x", "allowed", "rule"),
    (b"user-agent: *\ndisallow:", "E", "/x", "allowed", "no_matching_rule"),
    (b"user-agent: *\ndisallow: x", "E", "/x", "allowed", "no_matching_rule"),
    (b"user-agent: *\ndisallow: /X", "E", "/x", "allowed", "no_matching_rule"),
    (b"user-agent: *\ndisallow: /a%2fb", "E", "/a%2Fb", "disallowed", "rule"),
    (b"user-agent: *\ndisallow: /a%2fb", "E", "/a/b", "allowed", "no_matching_rule"),
    (b"user-agent: *\ndisallow: /a$b", "E", "/a$bc", "disallowed", "rule"),
    (b"user-agent: *\ndisallow: /a\nallow: /a", "E", "/ab", "allowed", "rule"),
    (b"user-agent: *\ndisallow: /a*\nallow: /a", "E", "/ab", "disallowed", "rule"),
    (b"user-agent: *\ndisallow: /a$\nallow: /a", "E", "/a", "disallowed", "rule"),
    (b"user-agent: *\ndisallow: /a\x01b\ndisallow: /c", "E", "/a%01b", "allowed", "no_matching_rule"),
    (b"user-agent: *\ndisalow: /\ndisallow /\n", "E", "/x", "allowed", "no_matching_rule"),
    (b"user-agent: * foo\ndisallow: /", "E", "/x", "allowed", "no_matching_group"),
    (b"user-agent: Foo Bar\ndisallow: /", "Foo", "/x", "allowed", "no_matching_group"),
    (b"user-agent: e/2.1\ndisallow: /", "E", "/x", "disallowed", "rule"),
    (b"user-agent: Ex\ndisallow: /", "E", "/x", "allowed", "no_matching_group"),
    # §5: any user-agent value joins or starts a group; any rule line ends the list
    (b"user-agent: E\ncrawl-delay: 1\nuser-agent: F\ndisallow: /x", "E", "/x", "disallowed", "rule"),
    (b"user-agent: E\nallow:\nuser-agent: F\ndisallow: /x", "E", "/x", "allowed", "no_matching_rule"),
    (b"user-agent: E\ndisallow: /a\nuser-agent: !!\ndisallow: /x", "E", "/x", "allowed", "no_matching_rule"),
    (b"user-agent: E\ndisallow: /a\nsitemap: /s\ndisallow: /x", "E", "/x", "disallowed", "rule"),
    (b"\xef\xbb\xbfuser-agent: *\rdisallow: /x # no\r\n", "E", "/x", "disallowed", "rule"),
    ("user-agent: *\ndisallow: /x".encode("utf-16"), "E", "/x", "disallowed", "rule"),
    (b"user-agent: *\ndisallow: /x", None, "/x", "disallowed", "rule"),
    (b"", "E", "/x", "allowed", "no_matching_group"),
])
def test_rules(body, token, path, verdict, reason):
    assert judge_by_rules(body, [token] if token else [], path) == (verdict, reason)


@pytest.mark.parametrize("pattern, uri, reserved, unsafe", [
    (b"/go?to=http://ok", b"/go?to=http%3A%2F%2Fok", True, False),
    (b"/go?to=http%3A%2F%2Fok", b"/go?to=http://ok", True, False),
    (b"/*http://ok", b"/go?to=http%3A//ok", True, False),
    (b"/go:x", b"/go%3Ax", True, False),  # in the path
    (b"/go?x=;", b"/go?x=%3B", True, False),  # a sub-delim
    (b"/a%2Fb", b"/a/b", True, False),
    (b"/a/b$", b"/a%2Fb", True, False),
    (b"/a|b", b"/a%7Cb", False, True),
    (b"/a%20b", b"/a b", False, True),
    (b'/"<^`{\\}>', b"/%22%3C%5E%60%7B%5C%7D%3E", False, True),
    (b"/100%", b"/100%25", True, True),  # by the letter: a prefix
    (b"/100%x", b"/100%25x", False, True),
    (b"/100%25", b"/100%2F", False, False),
    (b"/a/b", b"/a%5Fb", False, False),
])
def test_equal_bytes(pattern, uri, reserved, unsafe):
    assert matches(pattern, uri, RESERVED) == reserved
    assert matches(pattern, uri, UNSAFE) == unsafe


@pytest.mark.parametrize("rules, token, path, readings", [
    ("disallow: /", "E", "/p", ""),
    ("disallow: /p\nallow: /p/a:b", "E", "/p/a%3ab", "reserved_encoding"),
    ("disallow: /p\nallow: /p/a|b", "E", "/p/a%7Cb", "unsafe_encoding"),
    ("disallow: /p\nallow /p/x", "E", "/p/x", "lenient"),
    ("disallow: /p\nuser agent: E\nallow: /", "E", "/p/x", "lenient"),
    ("disallow: /p\nallow this /p/x", "E", "/p/x", ""),  # three words
    ("user-agent: E\ncontent-usage: train-ai=y\nuser-agent: *\ndisallow: /", "E", "/p", "content_usage"),
    ("disallow: /", "E", "/%72obots.txt", "robots_txt_encoded"),
    ("disallow: /", "E", "/%72obots.txt?", ""),
    ("disallow: /\nuser-agent: googlebot\nallow: /", "Googlebot-Image", "/p", "documented_token"),
    ("disallow: /\nuser-agent: googlebot\nallow: /", "Googlebot-Fresh", "/p", ""),
    ("disallow: /\nuser-agent: googlebot-news\ndisallow: /\nuser-agent: googlebot\nallow: /", "Googlebot-News", "/p", ""),
    ("disallow: /\n" + "#" * 512000 + "\nallow: /p", "E", "/p", "parse_limit"),
    ("# <html>\ndisallow: /", "E", "/p", ""),
    ("disallow: /\nuser-agent: F, e\nallow: /p", "E", "/p", "agent_name"),
    ("disallow: /\nuser-agent: E-F\nallow: /p", "E", "/p", ""),
])
def test_open_readings(rules, token, path, readings):
    body = b"user-agent: *\n" + rules.encode()
    kept = within_parse_limit(body)
    assert judge_by_rules(kept, [token], path)[0] == "disallowed"
    assert " ".join(r.open_readings(judge_by_rules, body, kept, token, path)) == readings


def test_parse_limit():
    head = b"user-agent: *\n"
    filler = b"#" * (512000 - len(head) - 1) + b"\n"
    assert len(within_parse_limit(head + filler)) == 512000
    assert within_parse_limit(head + filler + b"disallow: /") == head + filler
    cut = head + filler[5:] + b"disallow: /\n"
    assert within_parse_limit(cut) == head + filler[5:]
    ends_at_limit = head + filler[11:] + b"disallow: /"
    assert len(ends_at_limit) == 512000
    assert within_parse_limit(ends_at_limit + b"\nx") == ends_at_limit


# ------------------------------------------------------------- §1, §5


@pytest.mark.parametrize("url, origin, path", [
    ("http://Ex.org", "http://ex.org", "/"),
    ("HTTPS://ex.org:443/a//b/../c?q#f", "https://ex.org", "/a//b/../c?q"),
    ("http://ex.org:8080?q", "http://ex.org:8080", "/?q"),
    ("http://u:p@ex.org:80/", "http://ex.org", "/"),
    ("http://ex.org:443/", "http://ex.org:443", "/"),
    ("http://[::1]:81/x", "http://[::1]:81", "/x"),
    ("gopher://ex.org/x", None, "/x"),
])
def test_origin(url, origin, path):
    assert r.split_url(url) == (origin, path)


@pytest.mark.parametrize("ua, tokens", [
    ("ExampleBot/1.0 (+http://example.com/bot)", "ExampleBot"),
    ("CCBot/2.0 (https://commoncrawl.org/faq/)", "CCBot"),
    ("Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/)", "archive.org_bot"),
    ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot"),
    ("Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.1; +https://openai.com/gptbot)", "GPTBot"),
    ("Mozilla/4.5 (compatible; HTTrack 3.0x; Windows 98)", "HTTrack"),
    ("HTTrack 3.0x", "HTTrack"),
    ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0 Safari/537.36 Scoop/0.6.59 (+http://s/)", "Scoop"),
    ("+MyCrawler, info@example.org", "MyCrawler"),
    ("Sogou web spider/4.0 (+http://s/)", "Sogou web spider"),
    ("ExampleBot/1.0 (compatible; Googlebot/2.1; +http://x/)", "ExampleBot Googlebot"),
    ("Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0", ""),
    ("Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1)", ""),
    ("", ""), (None, ""),
])
def test_tokens(ua, tokens):
    assert " ".join(r.tokens_of_user_agent(ua)) == tokens


@pytest.mark.parametrize("later, earlier, hours", [
    ("2021-04-25T08:00:00Z", "2021-04-24", 24),
    ("2021-04-24T08:00:00Z", "2021-04-24", 0),
    ("2021-04-24", "2021-04-24T08:00:00Z", 0),
    ("2021-04-24T10:00:05Z", "2021-04-24T10:00:05.9Z", 0),
    ("2021-04-24T10:00:05Z", "2021-04-24T10:00Z", 0),
])
def test_time(later, earlier, hours):
    assert r.difference(r.Moment(later), r.Moment(earlier)) == timedelta(hours=hours)


# --------------------------------------------------------- §2, §3, §4

DENY, ALLOW = b"user-agent: *\ndisallow: /p", b"user-agent: *\ndisallow: /q"
N = "2023-06-15T12:00:00Z"


def capture(date, stored=DENY, status=200, token="E", url="http://h/robots.txt", **more):
    """A capture in an archive of its own, unless archive and place say where."""
    f = r.Fetch()
    capture.count += 1
    f.id, f.type, f.url, f.time = "id%d" % capture.count, "response", url, r.Moment(date)
    f.origin, f.path = r.split_url(url)
    f.status, f.stored, f.token = status, stored, token
    f.location = f.content_range = f.content_length = f.digest = f.refers_to = f.refers_uri = f.refers_date = None
    f.truncated, f.profile, f.encoding, f.chunked = False, "", "", False
    f.user_agent = token
    archive, run = more.pop("archive", f.id), more.pop("run", {"software": "Wget/1.25.0" * more.pop("serial", True)})
    f.stand(r.Spot(archive, more.pop("place", 0), r.Crawl(r.Run(archive, run))))
    for name, value in more.items():
        setattr(f, name, value)
    return f


capture.count = 0


def decide(captures, path="/p", token="E", date=N, archive="page", **more):
    page = capture(date, url="http://h" + path, token=token, archive=archive, place=10, **more)
    return r.decide(r.Archive(captures + [page]), page)


def at(hours, *args, **more):
    """A capture so many hours before (or, negative, after) the fetch."""
    moment = r.Moment(N).start - timedelta(hours=hours)
    return capture(moment.strftime("%Y-%m-%dT%H:%M:%SZ"), *args, **more)


S = 1 / 3600  # hours
D = 24
BEFORE, BEHIND = dict(archive="page", place=9), dict(archive="page", place=11)
OTHER = "http://o/robots.txt"
MOVED = dict(status=301, stored=b"", location=OTHER)
HTML = b"<!DOCTYPE html>\n<pre>\n"
TAG, TAG2 = {"ETag": {'"a"'}}, {"ETag": {'"b"'}}

CASES = [
    # §1, §3: fresh, stale, later, none
    ([], "unknown none no_capture"),
    ([at(1)], "disallowed fresh rule certain"),
    ([at(D)], "disallowed fresh rule certain"),
    ([at(D + S)], "disallowed stale rule probable"),
    ([at(30 * D)], "disallowed stale rule probable"),
    ([at(30 * D + S)], "disallowed stale rule possible"),
    ([at(-D)], "disallowed later rule possible"),
    ([at(-D - S)], "unknown none no_capture"),
    ([at(1, token="e")], "disallowed fresh rule certain"),
    # §1: order within one moment
    ([at(0)], "disallowed fresh rule probable same_moment"),
    ([at(0, **BEFORE)], "disallowed fresh rule certain"),
    ([at(0, **BEHIND)], "disallowed later rule possible"),
    ([at(0), at(1, ALLOW)], "unknown fresh changed_between same_moment"),
    ([at(0), at(40, ALLOW)], "unknown fresh changed_between same_moment"),
    ([at(0, **BEFORE), at(1, ALLOW)], "disallowed fresh rule contested"),
    ([at(0, ALLOW), at(1)], "allowed fresh no_matching_rule same_moment"),
    ([at(0, ALLOW, **BEHIND), at(1)], "disallowed fresh rule contested"),
    ([at(0, ALLOW, token="F", **BEHIND), at(1)], "disallowed fresh rule probable same_moment"),
    ([at(0, **BEHIND), at(1)], "disallowed fresh rule certain"),
    ([capture("2023-06-15")], "disallowed fresh rule probable same_moment"),
    ([capture("2023-06-15", **BEFORE)], "disallowed fresh rule probable"),
    ([capture("2023-06-15T11:00Z")], "disallowed fresh rule probable"),
    ([capture("2023-06-15T11:00:00.5Z")], "disallowed fresh rule certain"),
    # §3: own and others'
    ([at(1, token="F")], "disallowed fresh rule probable other_crawler"),
    ([at(1, token="F"), at(2, ALLOW)], "allowed fresh no_matching_rule"),  # the own fresh one governs
    ([at(1, token="F"), at(40, ALLOW)], "unknown fresh changed_between other_crawler"),
    ([at(1, ALLOW, token="F"), at(40)], "unknown fresh changed_between other_crawler"),
    ([at(1, token="F"), at(41, ALLOW), at(40, status=503)], "unknown fresh changed_between other_crawler"),
    ([at(1, token="F"), at(40)], "disallowed fresh rule probable other_crawler"),
    ([at(30, token="F"), at(40)], "disallowed stale rule probable other_crawler"),
    ([at(30, token="F"), at(31 * D)], "disallowed stale rule possible other_crawler"),
    ([at(30, token="F")], "disallowed stale rule possible other_crawler"),
    ([at(40, token="F"), at(30)], "disallowed stale rule probable"),
    ([at(30, token="F"), at(-40)], "disallowed stale rule probable other_crawler"),  # bracketed
    ([at(-1, ALLOW, token="F"), at(-2)], "disallowed later rule possible"),  # own first
    ([at(-1, token="F")], "disallowed later rule possible other_crawler"),
    # §3: passed over after t
    ([at(-1, status=503)], "unknown none no_capture"),
    ([at(-1, status=999), at(-2)], "disallowed later rule possible"),
    ([at(-1, **MOVED)], "unknown none no_capture"),
    # §3: changed_between, bracketed
    ([at(40), at(-1, ALLOW)], "unknown stale changed_between"),
    ([at(40), at(-1, ALLOW, token="F"), at(-2)], "unknown stale changed_between"),
    ([at(40), at(-D, b"", 404)], "unknown stale changed_between"),
    ([at(40), at(-D - S, ALLOW)], "disallowed stale rule probable"),
    ([at(40), at(-1, status=503)], "disallowed stale rule probable"),
    ([at(40 * D), at(-1, status=503)], "disallowed stale rule possible"),
    ([at(40, ALLOW), at(-1, status=503)], "allowed stale no_matching_rule"),
    ([at(40 * D), at(-2 * D)], "disallowed stale rule probable"),  # bracketed
    ([at(40 * D), at(-30 * D)], "disallowed stale rule probable"),
    ([at(40 * D), at(-30 * D - S)], "disallowed stale rule possible"),
    ([at(40 * D), at(-2 * D, ALLOW), at(-3 * D)], "disallowed stale rule possible"),
    ([at(40 * D), at(-2 * D, status=503), at(-3 * D)], "disallowed stale rule probable"),
    # §3: conflicts
    ([at(1), at(1, ALLOW)], "unknown fresh conflicting_captures"),
    ([at(1), at(1, DENY + b"x\ndisallow: /p")], "disallowed fresh rule certain"),
    ([at(1, ALLOW, archive="x"), at(1, archive="x", place=1)], "disallowed fresh rule contested"),
    ([at(1, archive="x"), at(1, ALLOW, archive="x", place=1)], "allowed fresh no_matching_rule"),
    ([at(1), at(1, ALLOW, token="F")], "disallowed fresh rule contested"),
    ([at(40), at(40, ALLOW, token="F")], "unknown stale changed_between"),
    ([at(40, ALLOW), at(40, token="F")], "unknown stale changed_between"),
    ([at(40, ALLOW, token="F", archive="x"), at(40, archive="x", place=1)], "disallowed stale rule contested"),
    ([at(40), at(40, b"user-agent: *\ndisallow: /p\nallow /p", id="~")], "disallowed stale rule contested"),
    ([at(40, archive="x"), at(40, status=503, token="F", archive="x", place=1), at(40, ALLOW)], "unknown stale conflicting_captures"),
    ([at(1), at(1, **MOVED), at(25, url=OTHER)], "disallowed stale rule probable"),
    ([at(1), at(1, **MOVED), at(.5, url=OTHER, token="F")], "disallowed fresh rule probable other_crawler"),
    ([at(.5), at(.5, **MOVED), at(-.25, url=OTHER)], "disallowed later rule possible"),
    # §3: permitted copies, and copies that nobody can read
    ([at(1), at(2, ALLOW)], "disallowed fresh rule contested"),
    ([at(1), at(.5, ALLOW, token="F")], "disallowed fresh rule contested"),
    ([at(1), at(2, b"", 404)], "disallowed fresh rule contested"),
    ([at(1), at(D, ALLOW)], "disallowed fresh rule contested"),
    ([at(1), at(D + S, ALLOW)], "disallowed fresh rule certain"),
    ([at(1), at(2, b"", type="revisit", digest="sha1:a")], "disallowed fresh rule probable"),
    ([at(1), at(2, b"", 304)], "disallowed fresh rule probable"),
    ([at(1), at(2, **MOVED)], "disallowed fresh rule probable"),
    ([at(1), at(2, ALLOW, 206)], "disallowed fresh rule probable"),
    ([at(1), at(2, status=999)], "disallowed fresh rule probable"),
    ([at(1), at(2, b"\x1f\x8b\x08\x00\x00")], "disallowed fresh rule probable"),
    ([at(1), at(2, status=503)], "disallowed fresh rule certain"),
    ([at(1), at(2, b"user-agent: *\ndisallow: /p\nallow /p")], "disallowed fresh rule contested"),  # in an open reading
    # §2: statuses and bodies
    ([at(1, status=429)], "allowed fresh unavailable"),
    ([at(1, status=204)], "allowed fresh no_matching_group"),
    ([at(1, status=202)], "disallowed fresh rule certain"),
    ([at(1, status=999)], "unknown fresh undefined_status"),
    ([at(1, status=302)], "unknown fresh undefined_status"),
    ([at(1, HTML)], "allowed fresh no_matching_group html"),
    ([at(1, HTML + DENY)], "disallowed fresh rule contested html"),
    ([at(1, DENY + b"\n", 206)], "disallowed fresh rule probable"),
    ([at(1, DENY, 206)], "disallowed fresh rule contested"),  # the unfinished last line
    ([at(1, ALLOW, 206)], "unknown fresh truncated"),
    ([at(1, ALLOW, 206, content_range="bytes 0-9/10")], "allowed fresh no_matching_rule"),
    ([at(1, ALLOW, truncated=True)], "unknown fresh truncated"),
    ([at(1, ALLOW, content_length="548")], "unknown fresh truncated"),
    ([at(1, b"1a\r\n" + DENY + b"\r\n0\r\n\r\n", chunked=True)], "disallowed fresh rule certain"),
    ([at(1, b"1a\r\n" + ALLOW + b"\r\n", chunked=True)], "unknown fresh truncated"),
    ([at(1, gzip.compress(DENY), encoding="gzip")], "disallowed fresh rule certain"),
    ([at(1, gzip.compress(ALLOW)[:-8], encoding="gzip")], "unknown fresh truncated"),
    ([at(1, b"\x00" + gzip.compress(DENY)[1:], encoding="gzip")], "unknown fresh undecodable"),
    ([at(1, gzip.compress(ALLOW))], "unknown fresh undecodable"),
    ([at(1, DENY, encoding="gzip")], "disallowed fresh rule certain"),  # readable as it stands
    ([at(1, DENY, encoding="mystery")], "disallowed fresh rule certain"),
    ([at(1, b"\xb1\x02\x80" * 9, encoding="mystery")], "unknown fresh undecodable"),
    ([at(1, DENY.decode().encode("utf-16-le"))], "unknown fresh undecodable"),
    ([at(1, DENY.decode().encode("utf-16"))], "disallowed fresh rule certain"),
    # §3: unreachable
    ([at(1, status=503)], "disallowed fresh unreachable certain"),
    ([at(1, status=503), at(3000, ALLOW, token="F")], "disallowed fresh unreachable contested"),
    ([at(1, status=503), at(3000, ALLOW, 206)], "disallowed fresh unreachable probable"),
    ([at(25, status=503)], "unknown stale unreachable_stale"),
    ([at(1, status=503), at(30 * D + S, status=500)], "allowed fresh unreachable_over_30d"),
    ([at(1, status=503), at(40 * D, status=500, token="F")], "allowed fresh unreachable_over_30d"),
    ([at(1, status=503), at(30 * D, status=500)], "disallowed fresh unreachable certain"),
    ([at(1, status=503), at(20 * D), at(40 * D, status=500)], "disallowed fresh unreachable certain"),
    ([at(1, status=503), at(20 * D, status=999), at(40 * D, status=500)], "allowed fresh unreachable_over_30d"),
    # §2: redirects
    ([at(1, **MOVED)], "unknown fresh unresolved_redirect"),
    ([at(1, **MOVED), at(1 - S, url=OTHER)], "disallowed fresh rule certain"),
    ([at(1, **MOVED), at(0, url=OTHER)], "disallowed fresh rule probable same_moment"),
    ([at(1, **MOVED), at(1 - S, url=OTHER, archive="x"), at(1 - S, ALLOW, url=OTHER, serial=False, archive="x", place=1)], "disallowed fresh rule probable other_target"),
    ([at(1, **MOVED), at(1 - S, url=OTHER, archive="x"), at(1 - S, url=OTHER, archive="x", place=1)], "disallowed fresh rule certain"),
    ([at(1, ALLOW, url=OTHER, archive="x", serial=False), at(1, **MOVED, serial=False, archive="x", place=1), at(1 - S, url=OTHER)], "disallowed fresh rule probable other_target"),
    ([at(2, **MOVED), at(1 - S, url=OTHER)], "unknown fresh unresolved_redirect"),
    ([at(2, **MOVED), at(1.5, url=OTHER, token="F")], "disallowed fresh rule probable other_crawler"),
    ([at(2, **MOVED), at(1.5, ALLOW, url=OTHER, token="F"), at(20, url=OTHER)], "disallowed fresh rule contested"),
    ([at(2, **MOVED), at(1.5, url=OTHER, token="F"), at(20, url=OTHER)], "disallowed fresh rule certain"),
    ([at(2, **MOVED), at(2 - S, url=OTHER), at(24, ALLOW, url=OTHER, token="F")], "disallowed fresh rule contested"),
    ([at(2, **MOVED), at(2 - S, url=OTHER), at(1, ALLOW, url=OTHER)], "disallowed fresh rule contested"),
    ([at(2, **MOVED), at(2 - S, url=OTHER), at(3, ALLOW, url=OTHER)], "disallowed fresh rule certain"),
    ([at(2, **MOVED), at(2 - S, url=OTHER), at(24 + S, ALLOW, url=OTHER, token="F")], "disallowed fresh rule certain"),
    # §1: received before
    ([at(S, duration=r.SECOND)], "disallowed fresh rule probable order_doubt"),
    ([at(S, duration=2 * r.SECOND)], "disallowed later rule possible"),
    ([at(S, duration=.001 * r.SECOND)], "disallowed fresh rule probable order_doubt"),
    ([at(S, duration=r.NOTHING)], "disallowed fresh rule certain"),
    ([at(2 * S, duration=r.SECOND)], "disallowed fresh rule certain"),
    ([at(1201 * S, duration=1200 * r.SECOND)], "disallowed fresh rule certain"),
    ([at(S, duration=r.DAY)], "disallowed fresh rule probable order_doubt"),
    ([at(0, duration=r.SECOND, **BEFORE)], "disallowed later rule possible"),
    ([at(S, duration=2 * r.SECOND), at(1, ALLOW)], "allowed fresh no_matching_rule"),
    ([at(S, duration=r.SECOND), at(1, ALLOW)], "unknown fresh changed_between order_doubt"),
    ([at(S, ALLOW, duration=2 * r.SECOND), at(1)], "disallowed fresh rule contested"),
    ([at(S, ALLOW, duration=2 * r.SECOND, token="F"), at(1)], "disallowed fresh rule probable order_doubt"),
    ([at(2 * S, **MOVED), at(S, url=OTHER, duration=2 * r.SECOND)], "disallowed later rule possible"),
    ([at(2 * S, **MOVED), at(S, url=OTHER, duration=r.SECOND)], "disallowed fresh rule probable order_doubt"),
    ([at(S, **BEHIND)], "disallowed fresh rule probable order_doubt"),
    ([at(2, **MOVED, **BEFORE), at(1, url=OTHER, **BEHIND)], "disallowed fresh rule probable order_doubt"),
    # §2: refused to another
    ([at(1, status=403, token="F")], "unknown fresh refused_to_other other_crawler"),
    ([at(1, status=403, token="F"), at(40)], "disallowed stale rule contested"),
    ([at(1, status=410, token="F"), at(40)], "unknown fresh changed_between other_crawler"),
    ([at(30, status=403, token="F"), at(40)], "disallowed stale rule probable"),
    ([at(-1, status=403, token="F")], "unknown later refused_to_other other_crawler"),
    ([at(1, status=503), at(20 * D, status=403, token="F"), at(40 * D, status=500, token="F")], "disallowed fresh unreachable certain"),
    # §3: own, later
    ([at(1, token="F"), at(-1, ALLOW), at(-2)], "unknown fresh changed_between other_crawler"),
    ([at(1, token="F"), at(-1), at(-2, ALLOW)], "disallowed fresh rule probable other_crawler"),
    ([at(1, token="F"), at(-D - S, ALLOW)], "disallowed fresh rule probable other_crawler"),
    ([at(2, **MOVED), at(25, url=OTHER)], "disallowed stale rule probable"),  # the content is 25 h old
    ([at(2, **MOVED), at(25, url=OTHER), at(20, ALLOW, token="F")], "unknown stale changed_between"),
    ([at(2, **MOVED), at(26 + S, url=OTHER)], "unknown fresh unresolved_redirect"),
    ([at(.5, **MOVED), at(-.25, url=OTHER)], "disallowed later rule possible"),
    ([at(.5, **MOVED), at(-.25, b"", 503, url=OTHER), at(40)], "unknown later unresolved_redirect"),
    ([at(1), at(.5, **MOVED, token="F"), at(-.25, b"", 503, url=OTHER)], "disallowed fresh rule probable"),
    ([at(1, **MOVED), at(1 - S, b"", 302, url=OTHER, location="http://h/robots.txt")], "allowed fresh too_many_redirects"),
    ([at(1, **MOVED), at(24, b"", 302, url=OTHER, location="http://h/robots.txt")], "allowed fresh too_many_redirects"),
    ([at(1, b"", 301, location="http://h/robots.txt"), at(1 - S)], "disallowed fresh rule certain"),
    ([at(1, **MOVED), at(1 - S, b"", 404, url=OTHER)], "allowed fresh unavailable"),
    ([at(1, **MOVED), at(1 - S, b"", 503, url=OTHER)], "disallowed fresh unreachable certain"),
    # §2: revisits
    ([at(1, b"", type="revisit", digest="sha1:a")], "unknown fresh unresolved_revisit"),
    ([at(1, b"", type="revisit", digest="sha1:a"), at(3000, digest="SHA1:A", token="F")], "disallowed fresh rule certain"),
    ([at(1, b"", type="revisit", digest="sha1:a"), at(3000, digest="sha1:a", status=404)], "unknown fresh unresolved_revisit"),
    ([at(1, b"", 404, type="revisit", digest="sha1:a"), at(3000, digest="sha1:a")], "allowed fresh unavailable"),
    ([at(1, b"", type="revisit", digest=r.EMPTY_DIGEST), at(3000, b"", digest=r.EMPTY_DIGEST)], "unknown fresh unresolved_revisit"),
    ([at(1, b"", type="revisit", digest="sha1:b", refers_uri="http://h/robots.txt", refers_date="2023-06-01T00:00:00Z"),
      capture("2023-06-01T00:00:00Z", digest="sha1:a")], "unknown fresh unresolved_revisit"),
    ([at(1, b"", type="revisit", digest="md5:b", refers_uri="http://h/robots.txt", refers_date="2023-06-01T00:00:00Z"),
      capture("2023-06-01T00:00:00Z", digest="sha1:a")], "disallowed fresh rule certain"),
    # §2: 304
    ([at(1, b"", 304)], "unknown fresh unresolved_revisit"),
    ([at(1, b"", 304), at(3000)], "disallowed fresh rule certain"),
    ([at(1, b"", 304), at(3000, token="F")], "disallowed fresh rule probable other_crawler"),
    ([at(1, b"", 304), at(3000), at(2000, ALLOW, token="F")], "disallowed fresh rule certain"),  # the own copy
    ([at(1, b"", 304, validators=TAG), at(3000, validators=TAG), at(2000, ALLOW)], "disallowed fresh rule certain"),
    ([at(1, b"", 304, request_validators=TAG), at(3000, validators=TAG), at(2000, ALLOW, validators=TAG2)],
     "unknown fresh unresolved_revisit"),  # the latest contradicts
    ([at(1, b"", 304, validators=TAG), at(3000, validators=TAG), at(2000, ALLOW, validators=TAG2, token="F")],
     "disallowed fresh rule certain"),  # the own one does not
    ([at(1, b"", 304, validators=TAG), at(3000, validators=TAG, token="F"), at(2000, validators=TAG2, token="F")],
     "unknown fresh unresolved_revisit"),
    ([at(1, b"", 304, validators=TAG), at(3000)], "unknown fresh unresolved_revisit"),  # nobody has it
    ([at(1, b"", 304, validators=TAG), at(3000, validators=TAG, token="F")], "disallowed fresh rule probable other_crawler"),
]


@pytest.mark.parametrize("captures, want", CASES, ids=[str(n) + " " + want for n, (_, want) in enumerate(CASES)])
def test_decide(captures, want):
    for order in (captures, captures[::-1]):  # the order of archives never decides
        found = decide(order)
        assert " ".join([str(s) for s in found.short() if s] + sorted(found.notes)) == want


def test_tokens_cap_certainty():
    assert decide([at(1, token=None)], token=None).certainty == "possible"
    assert decide([at(1)], other_token="F").short() == ("disallowed", "fresh", "rule", "probable")
    two = b"user-agent: E\ndisallow: /\n\nuser-agent: F\nallow: /\n"
    assert decide([at(1, two)], other_token="F").verdict == "unknown"


@pytest.mark.parametrize("answered, said, found", [
    (0, 0, "disallowed fresh rule certain"),
    (1, 0, "disallowed later rule possible"),
    (1, -5, "disallowed later rule possible"),
    (1, -6, "disallowed fresh rule certain"),  # the server's clock is not the crawler's
    (599, 0, "disallowed later rule possible"),
    (600, 0, "disallowed fresh rule probable order_doubt"),
])
def test_dates_in_reverse(answered, said, found):
    second = r.Moment(N).plus
    robots = at(S, answered=second(answered * r.SECOND))
    page = dict(answered=second(said * r.SECOND))
    assert " ".join([str(s) for s in decide([robots], **page).short() if s] + sorted(decide([robots], **page).notes)) == found


def test_order_of_a_run_that_goes_back_shows_nothing():
    def page(seconds):
        return capture(r.Moment(N).plus(seconds * r.SECOND).start.strftime("%Y-%m-%dT%H:%M:%SZ"), url="http://h/n")
    for dates, unordered in (([], False), ([0, -1, 0, -1], False), ([0, -1] * 3, True), ([-601, -1202], True), ([*range(-40, 0), -1, 0, -1, 0, -1], False)):
        robots = at(S, **BEHIND)
        crawl = robots.spots["page"].crawl
        crawl.fetches = [page(d) for d in dates]
        assert decide([robots]).certainty == ("certain" if unordered else "probable"), dates


def test_runs():
    def one(a, b, names=("w-0", "w-1"), agent="E"):
        runs = [r.Run(name, fields, name) for name, fields in zip(names, (a, b))]
        return runs[0].is_one_with(runs[1], agent, "E")
    host, args = {"hostname": "h"}, {"wget-arguments": "-r"}
    assert one({}, {}, ("w", "w"), "F")
    assert not one({}, {}) and not one(host, {}) and not one({"software": "w"}, {"software": "w"})
    assert one(host, host) and not one(host, host, agent="F") and not one(host, host, agent=None)
    assert one(host | {"created": "1"}, host | {"created": "2"}) and not one(host | args, host | {"wget-arguments": "-p"})
    assert one(args, args) and one(args, args, agent=None) and not one(args, args, agent="F") and not one(args, {}) and not one(args | host, args | {"hostname": "i"})
    assert not one(args, args, ("w-0", "v-1")) and not one(args, args, ("w0-0", "w1-1"))


def test_other_run():
    wget = "Wget"
    assert decide([at(1, token=wget)], token=wget).short()[3] == "probable"
    assert decide([at(1, token=wget, archive="page")], token=wget).short()[3] == "certain"
    assert decide([at(1, token=wget)], token=wget, by_option=True).short()[3] == "certain"


@pytest.mark.parametrize("robots, found", [
    (dict(archive="page"), "disallowed fresh rule certain"),
    (dict(archive="page", user_agent="Mozilla/5.0"), "disallowed fresh rule probable other_crawler"),
    ({}, "disallowed fresh rule probable other_crawler"),
])
def test_without_a_token_in_the_run(robots, found):
    finding = decide([at(1, token=None, **robots)])
    assert " ".join([str(s) for s in finding.short() if s] + sorted(finding.notes)) == found


def test_hops():
    def chain(hops):
        urls = ["http://h/robots.txt"] + ["http://o%d/robots.txt" % n for n in range(hops)]
        moves = [capture("2023-06-15T11:00:%02dZ" % n, b"", 301, url=urls[n], location=urls[n + 1]) for n in range(hops)]
        return moves + [capture("2023-06-15T11:01:00Z", url=urls[hops])]
    assert decide(chain(5)).short()[2:] == ("rule", "certain")
    assert decide(chain(6)).short()[2:] == ("too_many_redirects", None)


@pytest.mark.parametrize("hours, token, itself", [
    (1 - S, "E", True),
    (1, "E", True),
    (0, "E", True),
    (1 - S, "F", False),  # another crawler's
    (1 + S, "E", False),  # before the hop
])
def test_record_that_a_redirect_led_to_is_allowed_but_not_its_url(hours, token, itself):
    moved = at(1, b"", 301, location="/p")
    target = at(hours, DENY, url="http://h/p", token=token)
    archive = r.Archive([moved, target])
    assert (r.decide(archive, target).reason == "robots_txt_itself") == itself
    assert decide([moved, target], date="2023-06-15T14:00:00Z").verdict == "disallowed"


@pytest.mark.parametrize("date, certainty", [
    ("2023-06-15T09:10:01Z", "certain"),  # before the redirect
    ("2023-06-15T10:00:01Z", "possible"),
    ("2023-06-15T11:00:00Z", "possible"),
    ("2023-06-15T11:00:01Z", "certain"),
])
def test_gap_on_the_way(date, certainty):
    """A redirect to a record from before it: in the hour after it, any GET may be what that led to."""
    rules = capture("2023-06-15T09:00:00Z")
    before = capture("2023-06-15T09:10:00Z", b"", 301, url="http://o/1", location="http://h/p")
    moved = capture("2023-06-15T10:00:00Z", b"", 301, url="http://o/robots.txt", location="http://o/1")
    page = capture(date, url="http://h/p")
    assert r.decide(r.Archive([rules, before, moved, page]), page).certainty == certainty
