"""robots.txt for the checks: a strict front of our own, PyPI's Protego as the matcher.

Protego is right where it matters here: groups are merged, stacked user-agent
lines share rules, the longest pattern wins, allow wins ties, `*` and `$` work.
What it does beside RFC 9309 never reaches it, because prepare() rewrites the
file before Protego sees it:

- it repairs misspelt keys, missing colons and absolute URLs in rules, and lets
  Crawl-delay end the agent list: only user-agent, allow and disallow lines that
  are well-formed are passed on;
- it finds a token inside a longer name: the token asked for becomes "own", all
  other names "other";
- it decodes reserved octets, turns octets that are not UTF-8 into one and the
  same character, counts "?" as three octets, allows "/x/" where "/x/index.html"
  is: each octet of the normalised pattern becomes two letters, so that Protego
  compares octets and lengths and nothing else.
"""

from dataclasses import dataclass

from protego import Protego

PARSE_LIMIT = 512_000  # RFC 9309 §2.5, as the audit reads it

_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_HEX = frozenset(b"0123456789ABCDEFabcdef")
_END = "zZ"


@dataclass(frozen=True)
class Line:
    """A line of robots.txt that counts: key is user-agent, allow or disallow."""

    number: int
    key: str
    value: bytes


def decoded(body):
    """decoded drops a byte order mark; UTF-16 is read only with one."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body.decode("utf-16", "replace").encode()
    return body.removeprefix(b"\xef\xbb\xbf")


def within_limit(body):
    """within_limit is the part of a body that is parsed: the line cut by the limit is not."""
    if len(body) <= PARSE_LIMIT:
        return body
    head = body[:PARSE_LIMIT]
    if body[PARSE_LIMIT : PARSE_LIMIT + 1] in (b"\r", b"\n") or head.endswith((b"\r", b"\n")):
        return head
    return head[: max(head.rfind(b"\n"), head.rfind(b"\r")) + 1]


def lines(body):
    """lines yields the user-agent, allow and disallow lines with their numbers, from 1."""
    text = decoded(body).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    for number, raw in enumerate(text.split(b"\n"), 1):
        key, colon, value = raw.partition(b"#")[0].partition(b":")
        key = key.strip(b" \t").lower()
        if colon and key in (b"user-agent", b"allow", b"disallow"):
            yield Line(number, key.decode(), value.strip(b" \t"))


def names(value, token):
    """names says whether a user-agent value names the token: cut at the slash and before final stars, compared whole."""
    return token is not None and value.partition(b"/")[0].rstrip(b" \t*").lower() == token.lower().encode()


def usable(value):
    """usable: a rule's value starts with a slash or a star and holds no control octet but the tab (§2.2)."""
    return value[:1] in (b"/", b"*") and not any(octet < 0x20 and octet != 0x09 for octet in value)


def normalise(octets, pattern):
    """normalise gives path or pattern the one spelling in which they are compared."""
    out = bytearray()
    anchored = pattern and octets.endswith(b"$")
    if anchored:
        octets = octets[:-1]
    at = 0
    while at < len(octets):
        octet = octets[at]
        if octet == 0x25 and set(octets[at + 1 : at + 3]) <= _HEX and at + 2 < len(octets):
            octet = int(octets[at + 1 : at + 3], 16)
            out += bytes([octet]) if octet in _UNRESERVED else b"%%%02X" % octet
            at += 3
            continue
        if octet >= 0x80 or octet == 0x24 or (octet == 0x2A and not pattern):
            out += b"%%%02X" % octet
        else:
            out.append(octet)
        at += 1
    return bytes(out) + (b"$" if anchored else b"")


def with_delimiters_encoded(octets):
    """with_delimiters_encoded is the other reading of RFC 9309 §2.2.2: gen-delims after the first "?" encoded."""
    path, mark, query = octets.partition(b"?")
    for delimiter in b":/?#[]@":
        query = query.replace(bytes([delimiter]), b"%%%02X" % delimiter)
    return path + mark + query


def _letters(octets):
    return "".join(chr(97 + (o >> 4)) + chr(65 + (o & 15)) for o in octets)


def _pattern_for_protego(normal):
    anchored = normal.endswith(b"$")
    parts = (normal[:-1] if anchored else normal).split(b"*")
    return "/" + "**".join(map(_letters, parts)) + (_END if anchored else "")


def prepare(body, token, spelling=lambda octets: octets):
    """prepare rewrites a robots.txt so that Protego can only do what RFC 9309 says."""
    out = []
    for line in lines(body):
        if line.key == "user-agent":
            name = "own" if names(line.value, token) else "*" if line.value == b"*" else "other"
            out.append(f"User-agent: {name}")
        elif usable(line.value):
            out.append(f"{line.key}: {_pattern_for_protego(spelling(normalise(line.value, True)))}")
        else:
            out.append(f"{line.key}:")  # matches nothing, but ends the agent list
    return "\n".join(out)


def allows(body, token, path, spelling=lambda octets: octets):
    """allows says whether the whole of body permits token to fetch path (octets, with the query)."""
    parsed = Protego.parse(prepare(body, token, spelling))
    address = "http://host/" + _letters(spelling(normalise(path, False))) + _END
    return parsed.can_fetch(address, "own")


def matches(pattern, path):
    """matches is a matcher of its own, for checks that must not lean on Protego."""
    pattern, path = normalise(pattern, True), normalise(path, False)
    anchored = pattern.endswith(b"$")
    first, *rest = (pattern[:-1] if anchored else pattern).split(b"*")
    if not path.startswith(first):
        return False
    at = len(first)
    if not rest:
        return at == len(path) or not anchored
    last = rest.pop() if anchored else b""
    for part in rest:
        at = path.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return len(path) - len(last) >= at and path.endswith(last)


def rules_for(body, token):
    """rules_for lists the allow and disallow lines of the group of token, else of `*`."""
    own, star, agents, open_list, found = [], [], [], False, False
    for line in lines(body):
        if line.key == "user-agent":
            agents = agents if open_list else []
            agents.append(line.value)
            open_list = True
            found = found or names(line.value, token)
            continue
        open_list = False
        if any(names(agent, token) for agent in agents):
            own.append(line)
        if b"*" in agents:
            star.append(line)
    return own if found else star
