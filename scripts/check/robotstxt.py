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
- it decodes reserved bytes, turns bytes that are not UTF-8 into one and the
  same character, counts "?" as three bytes, allows "/x/" where "/x/index.html"
  is: each byte of the normalised pattern becomes two letters, so that Protego
  compares bytes and lengths and nothing else.
"""

from dataclasses import dataclass

from protego import Protego

PARSE_LIMIT = 512_000  # RFC 9309 §2.5, as the audit reads it

_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_HEX = frozenset(b"0123456789ABCDEFabcdef")
_END = "zZ"

# RFC 3986 §2.2, but "*" and "$", which are equal to their encodings in any reading.
RESERVED = b":/?#[]@!&'()+,;="
# Neither reserved nor unreserved.
UNSAFE = bytes(b for b in range(0x80) if b not in _UNRESERVED and b not in RESERVED + b"*$")

_MISSPELT = {
    b"useragent": b"user-agent", b"user agent": b"user-agent", b"dissallow": b"disallow", b"dissalow": b"disallow",
    b"disalow": b"disallow", b"diasllow": b"disallow", b"disallaw": b"disallow",
}


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


def lines(body, lenient=False, usage=False):
    """lines yields the user-agent, allow and disallow lines with their numbers, from 1.

    Lenient: misspelt keys too, and two words without a colon. Usage: Content-Usage lines as rules that match nothing.
    """
    text = decoded(body).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    for number, raw in enumerate(text.split(b"\n"), 1):
        line = raw.partition(b"#")[0]
        key, colon, value = line.partition(b":")
        if lenient and not colon and len(line.split()) == 2:
            key, value = line.split()
            colon = b":"
        key = key.strip(b" \t").lower()
        if lenient:
            key = _MISSPELT.get(key, key)
        if usage and key == b"content-usage":
            key, value = b"allow", b""
        if colon and key in (b"user-agent", b"allow", b"disallow"):
            yield Line(number, key.decode(), value.strip(b" \t"))


def names(value, token):
    """names says whether a user-agent value names the token: cut at the slash and before final stars, compared whole."""
    return token is not None and value.partition(b"/")[0].rstrip(b" \t*").lower() == token.lower().encode()


def usable(value):
    """usable: a rule's value starts with a slash or a star and holds no control byte but the tab (§2.2)."""
    return value[:1] in (b"/", b"*") and not any(byte < 0x20 and byte != 0x09 for byte in value)


def normalise(text, pattern):
    """normalise gives path or pattern the one spelling in which they are compared."""
    out = bytearray()
    anchored = pattern and text.endswith(b"$")
    if anchored:
        text = text[:-1]
    at = 0
    while at < len(text):
        byte = text[at]
        if byte == 0x25 and set(text[at + 1 : at + 3]) <= _HEX and at + 2 < len(text):
            byte = int(text[at + 1 : at + 3], 16)
            out += bytes([byte]) if byte in _UNRESERVED else b"%%%02X" % byte
            at += 3
            continue
        if byte >= 0x80 or byte == 0x24 or (byte == 0x2A and not pattern):
            out += b"%%%02X" % byte
        else:
            out.append(byte)
        at += 1
    return bytes(out) + (b"$" if anchored else b"")


def spelt_alike(normal, equal):
    """spelt_alike percent-encodes the bytes of equal: raw and encoded ones are then the same."""
    return b"".join(b"%%%02X" % b if b in equal and not (b == 0x25 and _is_encoding(normal, at)) else bytes([b])
                    for at, b in enumerate(normal))


def _is_encoding(normal, at):
    return len(normal) >= at + 3 and set(normal[at + 1 : at + 3]) <= _HEX


def _letters(text):
    return "".join(chr(97 + (o >> 4)) + chr(65 + (o & 15)) for o in text)


def _pattern_for_protego(normal):
    anchored = normal.endswith(b"$")
    parts = (normal[:-1] if anchored else normal).split(b"*")
    return "/" + "**".join(map(_letters, parts)) + (_END if anchored else "")


def prepare(body, token, equal=b"", **reading):
    """prepare rewrites a robots.txt so that Protego can only do what RFC 9309 says."""
    out = []
    for line in lines(body, **reading):
        if line.key == "user-agent":
            name = "own" if names(line.value, token) else "*" if line.value == b"*" else "other"
            out.append(f"User-agent: {name}")
        elif usable(line.value):
            out.append(f"{line.key}: {_pattern_for_protego(spelt_alike(normalise(line.value, True), equal))}")
        else:
            out.append(f"{line.key}:")  # matches nothing, but ends the agent list
    return "\n".join(out)


def allows(body, token, path, equal=b"", **reading):
    """allows says whether the whole of body permits token to fetch path (bytes, with the query)."""
    return judge(body, token, equal, **reading)(path)


def judge(body, token, equal=b"", **reading):
    """judge is allows for many paths."""
    parsed = Protego.parse(prepare(body, token, equal, **reading))
    return lambda path: parsed.can_fetch("http://host/" + _letters(spelt_alike(normalise(path, False), equal)) + _END, "own")


def has_group(body, token, **reading):
    """has_group says whether a user-agent line names the token."""
    return any(line.key == "user-agent" and names(line.value, token) for line in lines(body, **reading))


def matches(pattern, path, equal=b""):
    """matches is a matcher of its own, for checks that must not lean on Protego."""
    pattern, path = normalise(pattern, True), spelt_alike(normalise(path, False), equal)
    anchored = pattern.endswith(b"$")
    first, *rest = (spelt_alike(part, equal) for part in (pattern[:-1] if anchored else pattern).split(b"*"))
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


def deciding(rules, path, equal=b""):
    """deciding is the rule that wins: the most bytes of those that match, allow before disallow; None if none matches."""
    matching = [rule for rule in rules if usable(rule.value) and matches(rule.value, path, equal)]
    return max(matching, key=lambda rule: (weight(rule), rule.key == "allow"), default=None)


def weight(rule):
    return len(normalise(rule.value, True))


def rules_for(body, token, **reading):
    """rules_for lists the allow and disallow lines of the group of token, else of `*`.

    Usage: a Content-Usage line ends a list of user-agent lines, too (draft-ietf-aipref-attach-05).
    """
    own, star, agents, open_list, found = [], [], [], False, False
    for line in lines(body, **reading):
        if line.key == "user-agent":
            agents = agents if open_list else []
            agents.append(line.value)
            open_list = True
            found = found or names(line.value, token)
            continue
        open_list = False
        if line.key == "content-usage":
            continue
        if any(names(agent, token) for agent in agents):
            own.append(line)
        if b"*" in agents:
            star.append(line)
    return own if found else star
