"""Hand-written cases for the reference: each expectation read off the semantics or RFC 9309."""

import sys
from datetime import timedelta

import pytest

import reference as r

sys.setrecursionlimit(100000)


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
    assert r.judge_by_rules(body, token, path) == (verdict, reason)


@pytest.mark.parametrize("pattern, uri, equal", [
    (b"/go?to=http://ok", b"/go?to=http%3A%2F%2Fok", True),
    (b"/go?to=http%3A%2F%2Fok", b"/go?to=http://ok", True),
    (b"/*http://ok", b"/go?to=http%3A//ok", True),
    (b"/go:x", b"/go%3Ax", False),  # before any "?"
    (b"/go?x=;", b"/go?x=%3B", False),  # a sub-delim
])
def test_reserved_encoding(pattern, uri, equal):
    assert not r.matches(pattern, uri)
    assert r.matches(pattern, uri, delims_equal=True) == equal


def test_parse_limit():
    head = b"user-agent: *\n"
    filler = b"#" * (512000 - len(head) - 1) + b"\n"
    assert len(r.within_parse_limit(head + filler)) == 512000
    assert r.within_parse_limit(head + filler + b"disallow: /") == head + filler
    cut = head + filler[5:] + b"disallow: /\n"
    assert r.within_parse_limit(cut) == head + filler[5:]
    ends_at_limit = head + filler[11:] + b"disallow: /"
    assert len(ends_at_limit) == 512000
    assert r.within_parse_limit(ends_at_limit + b"\nx") == ends_at_limit


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


@pytest.mark.parametrize("ua, token", [
    ("ExampleBot/1.0 (+http://example.com/bot)", "ExampleBot"),
    ("CCBot/2.0 (https://commoncrawl.org/faq/)", "CCBot"),
    ("Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/)", "archive.org_bot"),
    ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot"),
    ("Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.1; +https://openai.com/gptbot)", "GPTBot"),
    ("Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0", None),
    ("", None), (None, None),
])
def test_token(ua, token):
    assert r.token_of_user_agent(ua) == token


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


def capture(date, body=DENY, status=200, token="E", url="http://h/robots.txt", **more):
    f = r.Fetch()
    capture.count += 1
    f.id, f.type, f.url, f.time = "id%d" % capture.count, "response", url, r.Moment(date)
    f.origin, f.path = r.split_url(url)
    f.status, f.body, f.token = status, body, token
    f.location = f.content_range = f.digest = f.refers_to = f.refers_uri = f.refers_date = None
    f.truncated, f.profile = False, ""
    for name, value in more.items():
        setattr(f, name, value)
    return f


capture.count = 0


def decide(captures, path="/p", token="E", date=N):
    page = capture(date, url="http://h" + path, token=token)
    return r.decide(r.Archive(captures + [page]), page)[:4]


OTHER = "http://o/robots.txt"
MOVED = dict(status=301, body=b"", location=OTHER)


@pytest.mark.parametrize("captures, want", [
    ([], ("unknown", "none", "no_capture", None)),
    ([capture("2023-06-15T11:00:00Z")], ("disallowed", "fresh", "rule", "certain")),
    ([capture("2023-06-14T12:00:00Z")], ("disallowed", "fresh", "rule", "certain")),
    ([capture("2023-06-14T11:59:59Z")], ("disallowed", "stale", "rule", "probable")),
    ([capture("2023-05-16T11:59:59Z")], ("disallowed", "stale", "rule", None)),
    ([capture("2023-06-15T12:00:00Z")], ("disallowed", "fresh", "rule", "certain")),
    ([capture("2023-06-16T12:00:00Z")], ("disallowed", "later", "rule", "probable")),
    ([capture("2023-06-16T12:00:01Z")], ("unknown", "none", "no_capture", None)),
    ([capture("2023-06-15T11:00:00Z", token="F")], ("disallowed", "fresh", "rule", "probable")),
    ([capture("2023-06-15T11:00:00Z", token="e")], ("disallowed", "fresh", "rule", "certain")),
    ([capture("2023-06-15", )], ("disallowed", "fresh", "rule", "probable")),
    # permitted copies
    ([capture("2023-06-15T11:00:00Z"), capture("2023-06-15T10:00:00Z", ALLOW)], ("disallowed", "fresh", "rule", "contested")),
    ([capture("2023-06-15T11:00:00Z"), capture("2023-06-15T11:30:00Z", ALLOW, token="F")], ("disallowed", "fresh", "rule", "contested")),
    ([capture("2023-06-15T11:00:00Z"), capture("2023-06-15T10:00:00Z", b"", 404)], ("disallowed", "fresh", "rule", "contested")),
    ([capture("2023-06-15T11:00:00Z"), capture("2023-06-14T10:00:00Z", ALLOW)], ("disallowed", "fresh", "rule", "certain")),
    ([capture("2023-06-15T11:00:00Z"), capture("2023-06-15T10:00:00Z", b"", type="revisit", digest="d")],
     ("disallowed", "fresh", "rule", "probable")),
    ([capture("2023-06-15T11:00:00Z"), capture("2023-06-15T10:00:00Z", ALLOW, 206)], ("disallowed", "fresh", "rule", "probable")),
    # conflict and change
    ([capture("2023-06-15T11:00:00Z"), capture("2023-06-15T11:00:00Z", ALLOW)], ("unknown", "fresh", "conflicting_captures", None)),
    ([capture("2023-06-13T11:00:00Z"), capture("2023-06-15T13:00:00Z", ALLOW)], ("unknown", "stale", "changed_between", None)),
    ([capture("2023-06-13T11:00:00Z"), capture("2023-06-15T13:00:00Z", ALLOW, token="F"), capture("2023-06-15T14:00:00Z")],
     ("disallowed", "stale", "rule", "probable")),
    # statuses
    ([capture("2023-06-15T11:00:00Z", status=429)], ("allowed", "fresh", "unavailable", None)),
    ([capture("2023-06-15T11:00:00Z", status=204)], ("allowed", "fresh", "no_matching_group", None)),
    ([capture("2023-06-15T11:00:00Z", status=999)], ("unknown", "fresh", "undefined_status", None)),
    ([capture("2023-06-15T11:00:00Z", status=302)], ("unknown", "fresh", "undefined_status", None)),
    ([capture("2023-06-15T11:00:00Z", status=206)], ("disallowed", "fresh", "rule", "probable")),
    ([capture("2023-06-15T11:00:00Z", ALLOW, 206)], ("unknown", "fresh", "truncated", None)),
    ([capture("2023-06-15T11:00:00Z", ALLOW, 206, content_range="bytes 0-9/10")], ("allowed", "fresh", "no_matching_rule", None)),
    ([capture("2023-06-15T11:00:00Z", ALLOW, truncated=True)], ("unknown", "fresh", "truncated", None)),
    # unreachable
    ([capture("2023-06-15T11:00:00Z", status=503)], ("disallowed", "fresh", "unreachable", "certain")),
    ([capture("2023-06-15T11:00:00Z", status=503), capture("2020-06-15T11:00:00Z", ALLOW)], ("disallowed", "fresh", "unreachable", "contested")),
    ([capture("2023-06-14T11:00:00Z", status=503)], ("unknown", "stale", "unreachable_stale", None)),
    ([capture("2023-06-15T11:00:00Z", status=503), capture("2023-05-16T11:59:59Z", status=500)], ("allowed", "fresh", "unreachable_over_30d", None)),
    ([capture("2023-06-15T11:00:00Z", status=503), capture("2023-06-01T00:00:00Z", DENY), capture("2023-05-01T00:00:00Z", status=500)],
     ("disallowed", "fresh", "unreachable", "certain")),
    # redirects
    ([capture("2023-06-15T11:00:00Z", **MOVED)], ("unknown", "fresh", "unresolved_redirect", None)),
    ([capture("2023-06-15T11:00:00Z", **MOVED), capture("2023-06-15T12:00:00Z", url=OTHER)], ("disallowed", "fresh", "rule", "certain")),
    ([capture("2023-06-15T11:00:00Z", **MOVED), capture("2023-06-15T12:00:01Z", url=OTHER)], ("unknown", "fresh", "unresolved_redirect", None)),
    ([capture("2023-06-15T11:00:00Z", **MOVED), capture("2023-06-14T11:00:00Z", url=OTHER)], ("disallowed", "fresh", "rule", "certain")),
    ([capture("2023-06-15T11:00:00Z", **MOVED), capture("2023-06-15T11:00:01Z", url=OTHER, status=302, location="http://h/robots.txt")],
     ("allowed", "fresh", "too_many_redirects", None)),
    # revisits
    ([capture("2023-06-15T11:00:00Z", b"", type="revisit", digest="d")], ("unknown", "fresh", "unresolved_revisit", None)),
    ([capture("2023-06-15T11:00:00Z", b"", type="revisit", digest="d"), capture("2022-06-15T11:00:00Z", digest="d")],
     ("disallowed", "fresh", "rule", "certain")),
    ([capture("2023-06-15T11:00:00Z", b"", type="revisit", digest="d"), capture("2022-06-15T11:00:00Z", digest="d", status=404)],
     ("unknown", "fresh", "unresolved_revisit", None)),
    ([capture("2023-06-15T11:00:00Z", b"", 404, type="revisit", digest="d"), capture("2022-06-15T11:00:00Z", digest="d")],
     ("allowed", "fresh", "unavailable", None)),
    ([capture("2023-06-15T11:00:00Z", b"", 304), capture("2022-06-15T11:00:00Z")], ("disallowed", "fresh", "rule", "certain")),
    ([capture("2023-06-15T11:00:00Z", b"", 304)], ("unknown", "fresh", "unresolved_revisit", None)),
])
def test_decide(captures, want):
    assert decide(captures) == want
    assert decide(captures[::-1]) == want  # file order never decides


def test_hops():
    def chain(hops):
        urls = ["http://h/robots.txt"] + ["http://o%d/robots.txt" % n for n in range(hops)]
        moves = [capture("2023-06-15T11:00:%02dZ" % n, b"", 301, url=urls[n], location=urls[n + 1]) for n in range(hops)]
        return moves + [capture("2023-06-15T11:01:00Z", url=urls[hops])]
    assert decide(chain(5))[2:] == ("rule", "certain")
    assert decide(chain(6))[2:] == ("too_many_redirects", None)


def test_record_that_a_redirect_led_to_is_allowed_but_not_its_url():
    moved = capture("2023-06-15T11:00:00Z", b"", 301, location="/p")
    target = capture("2023-06-15T11:00:01Z", DENY, url="http://h/p")
    archive = r.Archive([moved, target])
    assert r.decide(archive, target)[:3] == ("allowed", "none", "robots_txt_itself")
    assert decide([moved, target])[:3] == ("disallowed", "fresh", "rule")


def test_unknown_token_is_at_most_probable():
    assert decide([capture("2023-06-15T11:00:00Z", token=None)], token=None) == ("disallowed", "fresh", "rule", "probable")
