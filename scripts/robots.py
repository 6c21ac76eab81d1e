"""What one robots.txt says: docs/SEMANTICS.md and RFC 9309 in plain Python, slow and without cleverness.

All checks read robots.txt here, and share nothing with the program. The § without "RFC" are those of docs/SEMANTICS.md;
check/reference.py names what it leaves open. Where a second opinion is wanted, by_protego asks PyPI's Protego.
"""

import re
from functools import lru_cache
from typing import NamedTuple

PARSE_LIMIT = 512_000  # §2, bytes

# Keys that Google's parser accepts for user-agent and disallow, and rep-08 and RFC §2.2.4 permit.
MISSPELT = {b"useragent": b"user-agent", b"user agent": b"user-agent"} | dict.fromkeys(
    (b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw"), b"disallow")


class Line(NamedTuple):
    number: int  # from 1
    key: str
    value: bytes
    named: int = 0  # the agents of its group that stand above it


class Group(NamedTuple):
    first: int  # its first line
    agents: list
    lines: list

    def rules(self):
        return [line for line in self.lines if line.key in ("allow", "disallow")]


def within_parse_limit(body):
    """§2: 512,000 decoded bytes at most, the line cut by that limit dropped."""
    kept, following = body[:PARSE_LIMIT], body[PARSE_LIMIT:PARSE_LIMIT + 1]
    if not following or kept[-1:] in b"\r\n" or following in b"\r\n":
        return kept  # the limit fell between lines
    return without_last_line(kept)


def without_last_line(body):
    """What stands before the last line, if that has no end."""
    return body[:max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]


def decoded(body):
    """A file as UTF-8 without a byte order mark. UTF-16 is read only with one."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body.decode("utf-16", "replace").encode("utf-8")  # less one mark; another is text
    return body.removeprefix(b"\xef\xbb\xbf")


def fields(body, lenient=False):
    """The lines with a key and a value. Lenient: misspelt keys too, and two words without a colon."""
    for number, line in enumerate(re.split(rb"\r\n|\r|\n", decoded(body)), 1):  # RFC §2.2: NL
        line = line.split(b"#", 1)[0]  # RFC §2.2.3: designates a comment
        key, colon, value = line.partition(b":")
        if lenient and not colon and len(line.split()) == 2:
            (key, value), colon = line.split(), b":"
        key, value = key.strip(b" \t").lower(), value.strip(b" \t")
        if colon:
            yield Line(number, (MISSPELT.get(key, key) if lenient else key).decode("utf-8", "replace"), value)


@lru_cache(maxsize=None)
def groups(body, lenient=False, usage=False):
    """The groups of a robots.txt, in file order. Usage: Content-Usage ends a list of user-agent lines, too."""
    found, naming = [], False
    for line in fields(body, lenient):
        if line.key == "user-agent":  # §5: whatever its value, starts or joins a group
            if not naming:
                found.append(Group(line.number, [], []))
            naming = True
            found[-1].agents.append(line.value)
            continue
        if line.key in ("allow", "disallow") or usage and line.key == "content-usage":
            naming = False  # §5: even with an empty or invalid value. RFC §2.2.4: any other record never ends a group
        if found:  # §6: rules before any group are ignored
            found[-1].lines.append(line._replace(named=len(found[-1].agents)))
    return found


def as_name(token):
    return token.encode("utf-8", "surrogateescape").lower()


def name_of(value):
    """What a user-agent line is compared by (§5, exact)."""
    return value.split(b"/", 1)[0].rstrip(b" \t*").lower()


def names(value, token):
    """Whether a user-agent line is for a token; without one, for everybody."""
    return value == b"*" if token is None else name_of(value) == as_name(token)


def has_group(body, token, **reading):
    return token is not None and any(names(agent, token) for group in groups(body, **reading) for agent in group.agents)


def rules_for(body, tokens, **reading):
    """RFC §2.2.1: the rules of all groups of the first token that has one; else those of "*"; else None."""
    found = groups(body, **reading)
    for token in (*tokens, None):
        mine = [group.rules() for group in found if any(names(agent, token) for agent in group.agents)]
        if mine:
            return sum(mine, [])
    return None


def names_in(body):
    """The tokens that user-agent lines name."""
    found = {name_of(agent) for group in groups(body) for agent in group.agents}
    return sorted(name.decode("utf-8", "surrogateescape") for name in found if name)


HYPHENS = re.compile(rb"\xe2\x80[\x90-\x94]|\xe2\x88\x92")  # those of typesetters, as UTF-8


def asides(body, token, **reading):
    """agent_name: the groups that hold a token, or the first of its words, among other words, each as a file for everybody."""
    name, found = as_name(token), []
    word = name.split(b" ")[0]
    for group in groups(body, **reading):
        whole = [name_of(a) for a in group.agents]
        words = [w.rstrip(b".") for a in group.agents for hyphen in (b"-", b" ")
                 for w in re.findall(rb"[a-z0-9._-]+", HYPHENS.sub(hyphen, a.lower()))]
        if name not in whole and word in words + whole:
            found.append(b"User-agent: *\n" + b"".join(b"%s: %s\n" % (rule.key.encode(), rule.value) for rule in group.rules()))
    return found


UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
RESERVED = b":/?#[]@" + b"!&'()+,;="  # "*" and "$" are equal to their encodings in any reading (§6)
UNSAFE = bytes(b for b in range(0x80) if b not in UNRESERVED and b not in RESERVED + b"*$")
ENCODED = re.compile(rb"%([0-9A-Fa-f]{2})")


def normalise(octets):
    """§6: decode %-bytes of unreserved, upper-case other hex, encode outside ASCII."""
    def one(match):
        value = int(match[1], 16) if match[1] else match[0][0]
        return bytes([value]) if match[1] and value in UNRESERVED else b"%%%02X" % value
    return re.sub(rb"%([0-9A-Fa-f]{2})|[\x80-\xff]", one, octets)


def normalise_uri(path):
    """§6: literal "*" and "$", any in the URI, become %2A and %24."""
    return normalise(path).replace(b"*", b"%2A").replace(b"$", b"%24")


@lru_cache(maxsize=None)
def normalise_pattern(value):
    """§6: a "$" in the middle of a pattern is literal; "*" and a final "$" are special."""
    return normalise(value.removesuffix(b"$")).replace(b"$", b"%24") + b"$" * value.endswith(b"$")


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
        encoded = ENCODED.match(pattern, p)
        step = encoded.group() if encoded else pattern[p:p + 1]
        value = int(encoded.group(1), 16) if encoded else step[0]
        spellings = {step} | ({bytes([value]), b"%%%02X" % value} if value in equal else set())
        places = {u + len(spelling) for u in places for spelling in spellings if uri.startswith(spelling, u)
                  and not (spelling == b"%" and step != b"%" and ENCODED.match(uri, u))}
        if not places:
            return False
        p += len(step)
    return True  # the end of the rule's path is reached


def usable(value):
    """§6: what starts with neither slash nor star matches nothing; a rule with a control byte but the tab is dropped."""
    return value.startswith((b"/", b"*")) and not any(b < 0x20 and b != 0x09 for b in value)


def weight(rule):
    return len(normalise_pattern(rule.value))  # §6: bytes of the normalised pattern with "*" and final "$"


def deciding(rules, path, equal=b""):
    """The rule that wins: the most bytes of those that match, allow before disallow; None if none matches."""
    uri = normalise_uri(path)
    fitting = [rule for rule in rules if usable(rule.value) and matches(normalise_pattern(rule.value), uri, equal)]
    return max(fitting, key=lambda rule: (weight(rule), rule.key == "allow"), default=None)


def judge_by_rules(body, tokens, path, equal=b"", **reading):
    """(verdict, reason) of a robots.txt body: RFC §2.2.2. reading: of its lines."""
    rules = rules_for(body, tokens, **reading)
    if rules is None:
        return "allowed", "no_matching_group"
    rule = deciding(rules, path.encode("utf-8"), equal)
    return ("allowed", "no_matching_rule") if rule is None else ("allowed" if rule.key == "allow" else "disallowed", "rule")


# Protego is right where it matters here: groups are merged, stacked user-agent lines share rules, the longest pattern wins,
# allow wins ties, `*` and `$` work. What it does beside RFC 9309 never reaches it: misspelt keys, missing colons, absolute
# URLs and Crawl-delay are left out; the token asked for becomes "own", all other names "other"; and each byte of a
# normalised pattern becomes two letters, so that it compares bytes and lengths and nothing else.


def letters(text, equal):
    """A normalised text in letters, the bytes of equal percent-encoded: raw and encoded ones are then the same."""
    alike = b"".join(b"%%%02X" % b if b in equal and not (b == 0x25 and ENCODED.match(text, at)) else bytes([b])
                     for at, b in enumerate(text))
    return "".join(chr(97 + (o >> 4)) + chr(65 + (o & 15)) for o in alike)


def for_protego(value, equal):
    normal = normalise_pattern(value)
    return "/" + "**".join(letters(part, equal) for part in normal.removesuffix(b"$").split(b"*")) + "zZ" * normal.endswith(b"$")


def by_protego(body, token, equal=b"", **reading):
    """A function of a path (bytes, with the query): whether body permits token to fetch it, by Protego."""
    from protego import Protego

    out = []
    for group in groups(body, **reading):
        for agent in group.agents:
            out.append("User-agent: " + ("own" if token and names(agent, token) else "*" if agent == b"*" else "other"))
        out += [f"{rule.key}: {for_protego(rule.value, equal) if usable(rule.value) else ''}" for rule in group.rules()] or ["allow:"]
    parsed = Protego.parse("\n".join(out))
    return lambda path: parsed.can_fetch("http://host/" + letters(normalise_uri(path), equal) + "zZ", "own")
