"""What one robots.txt says: docs/SEMANTICS.md and RFC 9309 in plain Python, slow and without cleverness.

The § without "RFC" are those of docs/SEMANTICS.md; reference.py names what it leaves open.
"""

import re
from functools import lru_cache

PARSE_LIMIT = 512000  # §2, bytes

# Keys that Google's parser accepts for user-agent and disallow, and rep-08 and RFC §2.2.4 permit.
MISSPELT = {
    b"useragent": b"user-agent", b"user agent": b"user-agent", b"dissallow": b"disallow", b"dissalow": b"disallow",
    b"disalow": b"disallow", b"diasllow": b"disallow", b"disallaw": b"disallow"}


@lru_cache(maxsize=None)
def parse(body, lenient=False, usage=False):
    """[(agents, rules)]: the groups of a robots.txt, in file order. usage: Content-Usage is a rule, too.

    agents: the user-agent values; rules: ("allow" or "disallow", value bytes).
    """
    if body.startswith(b"\xef\xbb\xbf"):
        body = body[3:]
    elif body.startswith((b"\xff\xfe", b"\xfe\xff")):
        body = body.decode("utf-16", "replace").encode("utf-8")
    groups = []
    naming = False  # are we still in a group's user-agent lines?
    for line in re.split(rb"\r\n|\r|\n", body):  # RFC §2.2: NL
        line = line.split(b"#", 1)[0]  # RFC §2.2.3: designates a comment
        if b":" in line:
            key, value = line.split(b":", 1)
        elif lenient and len(line.split()) == 2:
            key, value = line.split()
        else:
            continue
        key, value = key.strip(b" \t").lower(), value.strip(b" \t")
        if lenient:
            key = MISSPELT.get(key, key)
        if key == b"user-agent":  # §5: whatever its value, starts or joins a group
            if not naming:
                groups.append(([], []))
                naming = True
            groups[-1][0].append(value)
        elif key in (b"allow", b"disallow"):
            naming = False  # §5: even with an empty or invalid value
            if groups:  # §6: rules before any group are ignored
                groups[-1][1].append((key.decode(), value))
        elif usage and key == b"content-usage":
            naming = False
        # RFC §2.2.4: any other record never ends a group
    return groups


def rules_for(groups, tokens):
    """RFC §2.2.1: the rules of all groups of the first token that has one; else those of "*"; else None."""
    for token in tokens:
        named = [rules for agents, rules in groups if as_name(token) in [name_of(a) for a in agents]]  # §5, exact
        if named:
            return sum(named, [])
    star = [rules for agents, rules in groups if b"*" in agents]
    return sum(star, []) if star else None


def as_name(token):
    return token.encode("utf-8", "surrogateescape").lower()


def name_of(value):
    """What a user-agent line is compared by."""
    return value.split(b"/", 1)[0].rstrip(b" \t*").lower()


def names_in(body):
    """The tokens that user-agent lines name."""
    names = {name_of(a) for agents, _ in parse(body) for a in agents}
    return sorted(n.decode("utf-8", "surrogateescape") for n in names if n)


def asides(body, token):
    """agent_name: the groups that hold a token, or the first of its words, among other words, each as a file for everybody."""
    name, found = as_name(token), []
    word = name.split(b" ")[0]
    for agents, rules in parse(body):
        names = [name_of(a) for a in agents]
        words = [w.rstrip(b".") for a in agents for hyphen in (b"-", b" ") for w in re.findall(rb"[a-z0-9._-]+", HYPHENS.sub(hyphen, a.lower()))]
        if name not in names and word in words + names:
            found.append(b"User-agent: *\n" + b"".join(b"%s: %s\n" % (kind.encode(), value) for kind, value in rules))
    return found


HYPHENS = re.compile(rb"\xe2\x80[\x90-\x94]|\xe2\x88\x92")  # those of typesetters, as UTF-8
UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
HEX = b"0123456789abcdefABCDEF"
RESERVED = b":/?#[]@" + b"!&'()+,;="  # "*" and "$" are equal to their encodings in any reading (§6)
UNSAFE = bytes(b for b in range(0x80) if b not in UNRESERVED and b not in RESERVED + b"*$")


def normalise(octets):
    """§6: decode %-bytes of unreserved, upper-case other hex, encode outside ASCII."""
    out, i = b"", 0
    while i < len(octets):
        if octets[i:i + 1] == b"%" and len(octets) >= i + 3 \
                and octets[i + 1] in HEX and octets[i + 2] in HEX:
            value = int(octets[i + 1:i + 3], 16)
            out += bytes([value]) if value in UNRESERVED else b"%%%02X" % value
            i += 3
        elif octets[i] > 0x7F:
            out += b"%%%02X" % octets[i]
            i += 1
        else:
            out += octets[i:i + 1]
            i += 1
    return out


def normalise_uri(path):
    """§6: literal "*" and "$", any in the URI, become %2A and %24."""
    return normalise(path).replace(b"*", b"%2A").replace(b"$", b"%24")


@lru_cache(maxsize=None)
def normalise_pattern(value):
    """§6: a "$" in the middle of a pattern is literal; "*" and a final "$" are special."""
    anchored = value.endswith(b"$")
    if anchored:
        value = value[:-1]
    return normalise(value).replace(b"$", b"%24") + (b"$" if anchored else b"")


def matches(pattern, uri, equal=b""):
    """RFC §2.2.2, §2.2.3: does the normalised pattern match from the first byte on?

    Each byte of equal matches its own percent-encoding, whichever side has which.
    """
    places = {0}  # how far in the URI the pattern so far may reach
    p = 0
    while p < len(pattern):
        if pattern[p:] == b"$":
            return len(uri) in places
        if pattern[p:p + 1] == b"*":
            places = set(range(min(places), len(uri) + 1))
            p += 1
            continue
        # One byte or one encoded byte of the pattern, in the spellings that it matches.
        encoded = re.match(rb"%([0-9A-F]{2})", pattern[p:p + 3])
        step = encoded.group() if encoded else pattern[p:p + 1]
        value = int(encoded.group(1), 16) if encoded else step[0]
        spellings = {step} | ({bytes([value]), b"%%%02X" % value} if value in equal else set())
        reached = set()
        for u in places:
            for spelling in spellings:
                if uri.startswith(spelling, u) and not (spelling == b"%" and step != b"%" and is_encoding(uri, u)):
                    reached.add(u + len(spelling))
        places = reached
        if not places:
            return False
        p += len(step)
    return True  # the end of the rule's path is reached


def is_encoding(uri, u):
    return re.match(rb"%[0-9A-F]{2}", uri[u:u + 3]) is not None


def has_control_byte(value):
    return any(b < 0x20 and b != 0x09 for b in value)


def judge_by_rules(body, tokens, path, equal=b"", **reading):
    """(verdict, reason) of a robots.txt body: RFC §2.2.2. reading: of its lines."""
    rules = rules_for(parse(body, **reading), tokens)
    if rules is None:
        return "allowed", "no_matching_group"
    uri = normalise_uri(path.encode("utf-8"))
    best, verdict = -1, None
    for kind, value in rules:
        if not value.startswith((b"/", b"*")):
            continue  # §6: empty, or starts with neither: matches nothing
        if has_control_byte(value):
            continue  # §6: dropped
        pattern = normalise_pattern(value)
        length = len(pattern)  # §6: bytes of the normalised pattern with "*" and final "$"
        if length < best or length == best and kind == "disallow":
            continue  # most bytes win, ties go to allow
        if matches(pattern, uri, equal):
            best, verdict = length, kind
    if verdict is None:
        return "allowed", "no_matching_rule"
    return ("allowed" if verdict == "allow" else "disallowed"), "rule"


def within_parse_limit(body):
    """§2: 512,000 decoded bytes at most, the line cut by that limit dropped."""
    if len(body) <= PARSE_LIMIT:
        return body
    kept = body[:PARSE_LIMIT]
    if kept[-1:] in b"\r\n" or body[PARSE_LIMIT:PARSE_LIMIT + 1] in b"\r\n":
        return kept  # the limit fell between lines
    return without_last_line(kept)


def without_last_line(body):
    """What stands before the last line, if that has no end."""
    return body[:max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
