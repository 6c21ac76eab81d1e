"""Hand-written cases for what robots.py and warc.py read: each expectation read off the semantics or RFC 9309.

    cases
"""

from datetime import timedelta

import reference
import warc
from robots import RESERVED, UNSAFE, judge_by_rules, matches, within_parse_limit

RFC_5_1 = (b"User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\n"
           b"User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n"
           b"User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\nUser-Agent: quxbot\n")

RULES = [
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
]

EQUAL_BYTES = [(b"/go?to=http://ok", b"/go?to=http%3A%2F%2Fok", True, False),
    (b"/go?to=http%3A%2F%2Fok", b"/go?to=http://ok", True, False), (b"/*http://ok", b"/go?to=http%3A//ok", True, False),
    (b"/go:x", b"/go%3Ax", True, False),  # in the path
    (b"/go?x=;", b"/go?x=%3B", True, False),  # a sub-delim
    (b"/a%2Fb", b"/a/b", True, False), (b"/a/b$", b"/a%2Fb", True, False), (b"/a|b", b"/a%7Cb", False, True),
    (b"/a%20b", b"/a b", False, True), (b'/"<^`{\\}>', b"/%22%3C%5E%60%7B%5C%7D%3E", False, True),
    (b"/100%", b"/100%25", True, True),  # by the letter: a prefix
    (b"/100%x", b"/100%25x", False, True), (b"/100%25", b"/100%2F", False, False), (b"/a/b", b"/a%5Fb", False, False)]

READINGS = [
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
]

ORIGINS = [
    ("http://Ex.org", "http://ex.org", "/"),
    ("HTTPS://ex.org:443/a//b/../c?q#f", "https://ex.org", "/a//b/../c?q"),
    ("http://ex.org:8080?q", "http://ex.org:8080", "/?q"),
    ("http://u:p@ex.org:80/", "http://ex.org", "/"),
    ("http://ex.org:443/", "http://ex.org:443", "/"),
    ("http://[::1]:81/x", "http://[::1]:81", "/x"),
    ("gopher://ex.org/x", None, "/x"),
]

AGENTS = [
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
]

TIMES = [
    ("2021-04-25T08:00:00Z", "2021-04-24", 24),
    ("2021-04-24T08:00:00Z", "2021-04-24", 0),
    ("2021-04-24", "2021-04-24T08:00:00Z", 0),
    ("2021-04-24T10:00:05Z", "2021-04-24T10:00:05.9Z", 0),
    ("2021-04-24T10:00:05Z", "2021-04-24T10:00Z", 0),
]


def limits():
    """Bodies around the parse limit, and what is kept of each."""
    head = b"user-agent: *\n"
    filler = b"#" * (512000 - len(head) - 1) + b"\n"
    yield head + filler, head + filler
    yield head + filler + b"disallow: /", head + filler
    yield head + filler[5:] + b"disallow: /\n", head + filler[5:]
    yield head + filler[11:] + b"disallow: /\nx", head + filler[11:] + b"disallow: /"  # a line that ends at the limit


def cases():
    """Of each case, what is read, and what should be."""
    for body, token, path, *expected in RULES:
        yield body, judge_by_rules(body, [token] if token else [], path), tuple(expected)
    for pattern, uri, *expected in EQUAL_BYTES:
        yield pattern, [matches(pattern, uri, equal) for equal in (RESERVED, UNSAFE)], expected
    for rules, token, path, expected in READINGS:
        body = b"user-agent: *\n" + rules.encode()
        kept = within_parse_limit(body)
        yield rules, judge_by_rules(kept, [token], path)[0], "disallowed"
        yield rules, " ".join(reference.open_readings(judge_by_rules, body, kept, token, path)), expected
    for body, expected in limits():
        yield "parse limit", within_parse_limit(body), expected
    for url, *expected in ORIGINS:
        yield url, warc.split_url(url), tuple(expected)
    for agent, expected in AGENTS:
        yield agent, " ".join(warc.tokens_of_user_agent(agent)), expected
    for later, earlier, hours in TIMES:
        yield later, warc.difference(warc.Moment(later), warc.Moment(earlier)), timedelta(hours=hours)


def main():
    wrong = done = 0
    for what, read, expected in cases():
        done += 1
        wrong += read != expected
        if read != expected:
            print(f"{what!r:.200}: {read!r:.200}, not {expected!r:.200}")
    print(f"cases: {done}, {wrong} differ")
    return wrong
