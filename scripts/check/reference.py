"""A plain, slow reference for the verdicts of `robotsaudit audit`.

    reference ARCHIVE.warc.gz... > expected.jsonl

Written from the rule on what the audit means (docs/SEMANTICS.md; its sections are cited here as "§3") and RFC 9309
(cited as "RFC §2.2.2") and from nothing else: it shares no code and no idea of speed with the tool it checks.
Everything is held in lists and looked through from the start for every fetch. Profile rfc9309, and no options: the
token is that of the User-Agent.

One JSON object a line, in the order of the records, for every fetch: url, warc_record_id, verdict, evidence, reason,
certainty, governing (the record ids that may be cited), notes (only those that the rule names and that bear on
verdicts).

Ambiguities, and how they are read here
---------------------------------------
 Time and order
 A1  Equality at the coarser precision is not transitive, so "the latest" is every capture than whose date no other's is
     later, and of those in one run of an archive the last. If there are several, of one moment in different runs, they
     are "at the same moment". "Archive" is below such a run: the records of one file under one warcinfo record.
 A2  Age and windows are differences of both times cut to the coarser precision: a capture dated 2021-04-24 (a day) is
     24 h old at any time on 2021-04-25.
 A3  A date coarser than a second caps certainty whether it is the fetch's, the governing capture's, that of a record on
     its way, or of a capture at the governing moment. A coarse permitted copy does not.
 A4  "Capture of the fetch's own moment in another archive that disallows, while the capture before allows": only where
     that capture governs. The capture before is the one that would govern without it.
 A5  Captures of one moment in different archives that are all other crawlers', and differ: nothing tells which is "the
     latest by anyone", so that is conflicting_captures, too.
 A6  Of captures of one moment that say the same, any may be cited; all are named here. Nothing tells which is the
     latest, so the evidence is that of the one whose content is later than the fetch, else of the oldest content, and
     what speaks against the content of any of them counts.
 A7  "Another crawler's capture of that moment is a permitted copy": at any age. Of several that may be the latest, by
     another crawler than that of any of them.
 Redirects
 A8  A target of the hop's own moment: in one archive the records' order tells; in another archive it counts as after
     the hop ("at or within an hour").
 A9  The crawler's own target before the hop is preferred to another's after it. Of a capture without a token, all of
     its archive may be its crawler's own.
 A10 A loop is a hop that leads to a record already on the way, or to a URL already on the way of which no capture is in
     reach (dates out of order). A record already on the way is none that came after the hop: a redirect back to its own
     URL whose next capture is 200 (a cookie wall) is followed to that 200.
 A11 "The oldest record on the way" holds the capture and all its hops. An unresolved capture applies no content, so its
     age is its own.
 A12 If a record on the way is after the fetch, or is the fetch, evidence is later, even for a capture that governs as
     the latest at or before the fetch. If what it leads to there is unreachable, which shows nothing at the fetch, the
     redirect is unresolved at the fetch. A capture of the fetch's own moment at or before it is noted there, too
     (same_moment).
 A13 Always allowed: the way is walked while its records are the same crawler's and at or within an hour after the one
     before; nothing behind a gap: there, any GET in the hour after a redirect may be what it led to (A39). Also a sixth
     hop and those behind it: the crawler may have followed them.
 Revisits and 304
 A14 A revisit's own time counts for its body even if the original is captured after the fetch: the digest shows that
     the server sent this body then.
 A15 A copy that a validator names must be at or before the 304. A weak and a strong ETag are equal (RFC 9110 §13.1.2).
     If-Modified-Since names a Last-Modified; an ETag or Last-Modified of the 304's own goes before what the request
     names. A copy "has" the validator if one kind is equal and none that both sides give differs. "The latest 2xx" that
     may contradict is the crawler's own, another's only where it has none: servers answer crawlers differently.
 A16 A record named whose digest contradicts is not the original: the revisit's own URL and digest are tried then, and
     what they find is at most possible. Of server-not-modified one leaves the 304 unresolved, and so does such a latest
     2xx where none is named; the digest of the empty payload contradicts nothing.
 A17 The original of a 304 that Refers-To names by another crawler: other_crawler, too. Of an identical-payload-digest
     revisit never: the digest is the same.
 A18 "The latest 2xx of that URL": the latest response or revisit with a 2xx status; one whose body cannot be resolved
     leaves the 304 unresolved rather than reaching further back.
 A19 A revisit without a recorded status takes its original's. Refers-To that finds nothing falls back to URL and
     digest, or to the latest 2xx.
 Bodies
 A20 A body shorter than its Content-Length is a part only where no coding is declared. WARC-Truncated matters for 2xx
     alone: a truncated 404 still is unavailable.
 A21 A body that cannot be decoded is "readable as it stands" if it is UTF-8 without control characters. "Another binary
     format": it has a known magic number, or NULs in a third of its even or odd places.
 A22 An HTML document: its first tag is <!doctype html>, html, head, body, title, or meta.
 Governing capture
 A23 "The crawler's own, older capture (with rules, a part, or unavailable)" is the latest own one of these kinds, of
     any age; a part that finds no disallow answers nothing.
 A24 Where that own capture agrees and is at most 30 days old, certainty is probable also if the other crawler's fresher
     capture is stale: the crawler was told.
 A25 "Between it and t" is between the content applied and t. The captures asked are anyone's. One of the content's
     moment in another archive may have come after it.
 A26 The unreachable run is of captures by anyone, or of the crawler's own: it may know no others. A redirect that leads
     to a 5xx counts as unreachable; an unresolved or undefined one neither counts nor ends the run, except with a 2xx
     of its own.
 A27 "While unreachable, the last 2xx": anyone's, and the crawler's own. If nobody can read that one, or if a 304 shows
     a later one, the violation is at most probable. It is unreachable, too, where one of several captures that may
     govern says so.
 A28 Bracketed: all of the first captures after t that answer, if several are of one moment; a part that finds no
     disallow says nothing.
 Verdict
 A29 HEAD or POST of /robots.txt is an ordinary fetch, but its URI is implicitly allowed (RFC §2.2.2): allowed,
     robots_txt_itself, evidence none.
 A30 reserved_encoding, unsafe_encoding: a raw and an encoded byte match each other; lengths stay those of the file.
     Up to three readings are tried together. "%" itself, where it begins no encoding, is one of the bytes that are neither reserved
     nor unreserved.
 A31 A permitted copy that only an open reading lets allow makes contested, too.
 A32 The parse limit's remainder "could change the verdict" if parsing the whole body gives another verdict.
 A33 ambiguous_token where the other token's answer differs: unknown. The list of reasons has none for this; the note's
     name is taken. Its answer is the whole verdict on the fetch, and differs if it alone is contested. Of other classes
     the weaker counts.
 A34 A rule with white space inside, tabs too, keeps it. Control bytes are the others below 0x20; the RFC's grammar
     admits 0x7F.
 A35 A request record with no User-Agent: the warcinfo record's is taken, as if there were no request.
 A36 A record that several archives hold (same id, URL and date) counts once: as the best proven copy. Each may show where a
     capture stands to a fetch, and of captures that agree, the one that certainly came first told the crawler. Captures
     are compared in the first alone. A record without WARC-Warcinfo-ID has the warcinfo record before it.
 A37 A product behind a browser's string is its last product that no browser bears.
 A38 Order in one archive: crawlers with several connections write records as they end, so that order proves "before"
     only where the warcinfo record names a crawler that makes one fetch after the other (Wget/1.x). Else same_moment.
 A39 Likewise a redirect may have led to any GET of its target by its crawler in its own second or that of the nearest;
     in the hour after it, if another capture redirected to that URL within the hour before: possible (redirect_target).
 A40 Likewise the rules that a redirect led to are in doubt (other_target) where its archive holds, in its own second or
     that of its target, another answer there; and where a target of its own second may have come before it, and the
     nearest after that second says something else. A copy of such a redirect may have allowed.
 A41 Always allowed, too: a record that a redirect led to, of the same archive, where only one of the two requests names
     a crawler.
 A42 Of several records of one moment that a 304 may mean by URL and date, or a redirect by URL, and that differ, nobody
     knows which it is. If they agree, the crawler's own counts.
 A43 Of captures of one moment that give one verdict for different reasons, the reason is that of the one cited.
 A44 The crawler's own captures of one moment in two archives are at the same moment, also where another crawler's
     stands behind one of them.
 Indexes (index_reference.py)
 A45 What an index tells of another file than robots.txt may be what a redirect led to, or a copy that a 304 there
     renews. Nobody can read it.
 A46 A capture before one of the fetch's moment told the crawler only where the governing capture itself is of that
     moment, not where only a redirect's target is.
 Received before, runs
 A47 What stands behind the fetch, or was shown to be later than its date, may have told the crawler all the same where
     nobody can read it and no order proves otherwise.
 A48 Of captures of one moment that agree, one whose order nothing contradicts told the crawler (A36); of what they
     redirect to, each record counts.
"""

import base64
import hashlib
import json
import re
from itertools import combinations
from urllib.parse import urljoin

from robots import (
    RESERVED, UNSAFE, asides, groups, has_group, judge_by_rules, names_in, normalise, within_parse_limit, without_last_line)
from warc import (
    DAY, HOUR, MONTH, NOTHING, SECOND, TEN_MINUTES, body_of, contacts, difference, is_challenge, is_html,
    kind_of_token, moment_or_none, read_archives, refusal_of, same_moment, same_url_key, split_url)


def after(c, fetch, headers=True):
    """§1: whether a capture counts as after a fetch. Without headers: what a redirect led to."""
    gap = difference(c.time, fetch.time)
    if gap > NOTHING or against(c, fetch, headers) == "later":
        return True
    return gap == NOTHING and any(c.spots[s].place > fetch.spots[s].place for s in in_both(c, fetch))


def against(c, fetch, headers=True):
    """What speaks against the date of a capture that is not after the fetch's: it came "later", or is in "doubt"."""
    doubts, ended, since = [], c.time, fetch.time.start - fetch.lead
    begun = fetch.time.plus(-fetch.lead) if fetch.lead <= 2 * TEN_MINUTES else fetch.time
    if c.duration is not None and c.duration <= 2 * TEN_MINUTES:
        ended = c.time.plus(c.duration)
    if difference(ended, begun) > NOTHING:
        return "later"
    doubts.append(begun is fetch.time and since < c.time.start and not same_moment(c, fetch))
    if c.duration is not None:
        may_end_later = c.duration > NOTHING and c.time.latest() + c.duration > since
        doubts.append(may_end_later and (c.duration > 2 * TEN_MINUTES or not same_moment(c, fetch)))
    if headers and c.answered and fetch.answered and not c.time.coarser_than_a_second() and not fetch.time.coarser_than_a_second() \
            and difference(c.answered, fetch.answered) > NOTHING and abs(difference(fetch.answered, fetch.time)) <= 5 * SECOND:
        if difference(c.answered, c.time) <= TEN_MINUTES:
            return "later"
        doubts.append(True)
    ordered = [s for s in in_both(c, fetch) if not c.spots[s].crawl.unordered]
    doubts += [c.spots[s].place > fetch.spots[s].place for s in ordered]
    if any(doubts[-len(ordered):]) and ordered and headers and c.path == "/robots.txt" and c.answered and fetch.answered \
            and not c.time.coarser_than_a_second() and not fetch.time.coarser_than_a_second() \
            and NOTHING < difference(fetch.time, c.time) <= HOUR and difference(c.answered, fetch.answered) > NOTHING:
        return "later"  # so say both the order and the Dates
    is_near = NOTHING < difference(fetch.time, c.time) and difference(begun, ended) < 3 * SECOND and c.duration is None
    doubts.append(is_near and not any(c.spots[s].place < fetch.spots[s].place for s in ordered))
    return "doubt" if any(doubts) else None


def doubted(c, fetch, headers=True):
    """§1: whether a capture that counts as before the fetch is so by its date alone, and something speaks against that."""
    return not same_moment(c, fetch) and not after(c, fetch, headers) and against(c, fetch, headers) == "doubt"


def beside(c, fetch):
    """§1: whether a capture counts as before the fetch, and may well have come after it."""
    return not after(c, fetch) and (against(c, fetch) == "doubt" or same_moment(c, fetch) and not in_both(c, fetch))


def in_both(a, b):
    """The archives that hold both records."""
    return a.spots.keys() & b.spots.keys()


def proves_order(c, fetch):
    """A38: whether an archive of a crawler that makes one fetch after the other holds both."""
    return any(fetch.spots[s].serial for s in in_both(c, fetch))


def later(a, b):
    """§1: whether capture a is after capture b, or what it redirects to: only the first archive of each tells."""
    if same_moment(a, b):
        return a.archive == b.archive and a.place > b.place
    return difference(a.time, b.time) > NOTHING


def at_or_before(a, b):
    """§1: of one moment in different archives, a capture counts as before."""
    return not after(a, b)


def latest(captures):
    """The captures of the latest moment; of those in one archive, the last (A1)."""
    moment = [c for c in captures if not any(difference(d.time, c.time) > NOTHING for d in captures)]
    return [c for c in moment if not any(later(d, c) for d in moment)]


def first_moment(captures):
    return [c for c in captures if not any(difference(c.time, d.time) > NOTHING for d in captures)]


def earliest(captures):
    moment = first_moment(captures)
    return [c for c in moment if not any(later(c, d) for d in moment)]


def spokesman(captures, fetch):
    """Of captures that say the same, one; the order of archives never decides."""
    return min(captures, key=lambda c: (against(c, fetch) == "doubt", same_moment(c, fetch), not in_both(c, fetch), not proves_order(c, fetch),
                                        not is_own(c, fetch), c.id))


def same_crawler(a, b):
    """Tokens compare case-insensitively; captures without a token count as one crawler's (§3)."""
    return (a.token or "").lower() == (b.token or "").lower()


def is_own(c, fetch):
    """§3: whether a capture is by the crawler of a fetch: also one without a User-Agent, if nothing speaks against it."""
    return same_crawler(c, fetch) or not c.user_agent and fetch.token is not None and same_run(c, fetch) \
        and not any(s.crawl.speaks_against(fetch.token) for s in c.spots.values())


def same_run(a, b):
    """§5: whether two records are of one run of a crawler."""
    return any(x.is_one_with(y, a.user_agent, b.user_agent) for x in a.runs() for y in b.runs())


def other_run(c, fetch):
    """§5: whether a record may be by another crawler: of the same software, or of a token that nobody lists."""
    kind = kind_of_token(fetch)
    if fetch.by_option or kind == "operator" or same_run(c, fetch):
        return False
    theirs, own = contacts(c.user_agent), contacts(fetch.user_agent)
    return kind == "software" or bool(theirs and own and not theirs & own) or any(x.contradicts(y) for x in c.runs() for y in fetch.runs())


def asked_later(captures, fetch, other):
    """§5: whether the fetch's own run first asked for robots.txt after the fetch, and its token names one within a run alone."""
    own = [c for c in own_of(captures, fetch) if same_run(c, fetch)]
    return not fetch.by_option and (other or kind_of_token(fetch) == "software") and bool(own) and all(after(c, fetch) for c in own)


def may_be_same_crawler(a, b):
    """§3: some crawlers get robots.txt without a User-Agent (A41)."""
    return same_crawler(a, b) or bool(in_both(a, b)) and not (a.token and b.token)


def may_be_get(f):
    return f.method == "GET" or f.told and f.method == ""


def is_robots_capture(f):
    """§1: a GET fetch whose path is exactly /robots.txt without "?"."""
    return f.origin is not None and not f.told and f.method == "GET" and f.path == "/robots.txt"


# --------------------------------------------------------- §2 what it says


class Outcome:
    """What one capture says: kind, reason where it has one, body, the records on the way."""

    def __init__(self, kind, reason=None, body=b"", way=(), success=False, mismatched=False):
        self.kind, self.reason, self.body = kind, reason, body
        self.way = list(way)  # the capture and the hops whose content is applied
        self.renewed = []  # by a 304 on the way
        self.refusal = None  # the record that says "unavailable" to its crawler alone
        self.success = success  # a 2xx, readable or not
        self.other_target = False  # a redirect may have led to another record, which says something else (A40)
        self.mismatched = mismatched  # a revisit on the way names a record with another digest

    def applied(self):
        """All records but originals of revisits."""
        return self.way + self.renewed


UNRESOLVED_REVISIT = "unresolved_revisit"
EMPTY_DIGEST = "sha1:3i42h3s6nnfq2msvx7xzkyayscx5qbyj"


def digest_key(digest):
    """A digest in one spelling: base32, lower case."""
    algorithm, _, value = (digest or "").strip().lower().partition(":")
    if algorithm == "sha1" and re.fullmatch(r"[0-9a-f]{40}", value):
        value = base64.b32encode(bytes.fromhex(value)).decode().lower()
    return algorithm + ":" + value if value else None


def is_altered(f):
    """Whether a record holds something else than its digest names."""
    key = digest_key(f.digest) or ""
    return f.type != "revisit" and f.stored is not None and re.fullmatch("sha1:[a-z2-7]{32}", key) is not None and key != digest_key("sha1:" + hashlib.sha1(f.stored).hexdigest())


def digests_contradict(a, b):
    """Digests of one algorithm that differ."""
    a, b = digest_key(a), digest_key(b)
    return a is not None and b is not None and a.split(":")[0] == b.split(":")[0] and a != b


class Archive:
    """All fetches, what each robots capture says, and the judge of a robots.txt body."""

    def __init__(self, fetches, judge=None, unread=None, profile="rfc9309"):
        """unread: by origin, the times of captures that indexes alone tell of. Of other profiles, only what they say
        of a status and of /robots.txt itself is read otherwise."""
        self.fetches, self.judge, self.unread, self.profile = fetches, judge or judge_by_rules, unread or {}, profile
        self.of_url = {}
        for f in fetches:
            if f.time is not None and not (f.told and f.path == "/robots.txt"):
                self.of_url.setdefault(same_url_key(f.url), []).append(f)
        self.of_id = {f.id: f for f in fetches}
        self.robots_of = {}
        for f in fetches:
            if is_robots_capture(f):
                f.itself = True
                if f.time is not None:
                    self.robots_of.setdefault(f.origin, []).append(f)
        self.outcomes, self.redirects, self.rivalled = {}, {}, set()
        for captures in self.robots_of.values():
            for c in captures:
                self.mark_as_allowed(self.outcome(c).followed)

    @staticmethod
    def mark_as_allowed(followed):
        """§3: the very records that a capture's redirects led to (A13)."""
        for hop, target in zip(followed, followed[1:]):
            if not led(hop, target, followed[0]):
                return
            target.itself = True

    def outcome(self, capture):
        if capture.id not in self.outcomes:
            self.outcomes[capture.id] = self.follow(capture)
        return self.outcomes[capture.id]

    # §2, row "3xx with Location"
    def follow(self, capture, hops=0):
        chain, end = self.walk(capture, hops)
        if end:
            outcome = Outcome(*end)
        elif hops + len(chain) > 6:  # a sixth hop
            outcome = Outcome("unavailable", "too_many_redirects")
        else:
            outcome = self.own_outcome(chain[-1])
            if outcome.kind == "unreachable" and difference(chain[-1].time, capture.time) < NOTHING:
                outcome = Outcome("unresolved", "unresolved_redirect")
        outcome.followed = chain
        outcome.other_target = capture.id in self.rivalled
        if not outcome.way:
            outcome.way = [capture] if outcome.kind == "unresolved" else chain[:6]  # A11
        return outcome

    def walk(self, capture, hops=0):
        """The records that redirects lead to, and how that ends where no last record says it. hops: to the capture."""
        chain = [capture]
        while True:
            status, location = self.status_and_location(chain[-1])
            if not is_redirect(status, location):
                return chain, None
            url = urljoin(chain[-1].url, location)
            targets = self.hop_targets(chain[-1], url, capture, chain)
            target = targets[0] if targets else None
            if self.unread_is_nearer(url, chain, target):
                return chain, ("unresolved", "unresolved_redirect")
            if any(not answer_alike(t, target) for t in targets):
                return chain, ("unresolved", "unresolved_redirect")  # A42
            if target in chain or target is None and (
                    hops + len(chain) >= 6 or same_url_key(url) in [same_url_key(c.url) for c in chain]):
                return chain, ("unavailable", "too_many_redirects")  # a loop (A10), or a sixth hop
            if target is None:
                return chain, ("unresolved", "unresolved_redirect")
            chain.append(target)
            if target.told:  # an index does not tell what it holds
                return chain, ("unresolved", "unresolved_redirect")

    def copies_of_targets(self, captures, fetch):
        """§3: what was got, in the day before the fetch, where a redirect of its robots.txt led, if that differs: by other
        crawlers, and by its own after the target that counts. (record, outcome). Among them are those that count as after it, and are dated no later."""
        for capture in captures:
            chain = self.outcome(capture).followed
            for hops, hop in enumerate(chain, 1):
                status, location = self.status_and_location(hop)
                url = urljoin(hop.url, location or "")
                for f in self.of_url.get(same_url_key(url), []) if is_redirect(status, location) else []:
                    alike = hops < len(chain) and (f is chain[hops] or f.status != 304 and answer_alike(f, chain[hops]))
                    if f.method == "GET" and not f.told and not alike and f is not fetch and (not same_crawler(f, fetch) or all(f.time.start >= c.time.latest() for c in self.outcome(capture).way)) \
                            and NOTHING <= difference(fetch.time, f.time) <= DAY and abs(difference(f.time, capture.time)) <= DAY:
                        yield f, self.follow(f, hops)

    def unread_of(self, url):
        origin, path = split_url(url)
        return self.unread.get(origin, []) if path == "/robots.txt" else []

    def unread_is_nearer(self, url, chain, target):
        """Whether an index tells of a robots.txt that is nearer to a redirect than its target."""
        hop = chain[-1]
        follows = target is not None and target not in chain and soon_after(target, hop)
        for u in self.unread_of(url):
            gap = difference(u, hop.time)
            if NOTHING <= gap <= HOUR and (not follows or difference(target.time, u) >= NOTHING):
                return True
            if -DAY <= gap < NOTHING and not follows and (target is None or difference(u, target.time) >= NOTHING):
                return True
        return False

    def hop_targets(self, hop, url, capture, chain):
        """The nearest captures within 1 h after the hop, else the latest within 24 h before; own first (A9)."""
        captures = [f for f in self.of_url.get(same_url_key(url), []) if may_be_get(f)]
        for whose in (True, False):
            theirs = [f for f in captures if (same_crawler(f, capture) or not capture.token and may_be_same_crawler(f, capture)) == whose]
            soon = [f for f in theirs if f not in chain and soon_after(f, hop)]
            if soon:
                nearest = earliest(soon)
                nearest = [f for f in nearest if f.archive == hop.archive] or nearest
                nearest.sort(key=lambda f: (f.time.start, f.time.precision))
                self.add_redirect(url, capture, chain, [hop.time, nearest[0].time])
                self.look_for_rivals(theirs, nearest[0], hop, capture, chain)
                return nearest
            ago = [f for f in theirs if (f in chain or not soon_after(f, hop) and not later(f, hop))
                   and NOTHING <= difference(hop.time, f.time) <= DAY]
            if ago:
                self.add_redirect(url, capture, chain, [hop.time])
                last = sorted(latest(ago), key=lambda f: f.archive != hop.archive)
                self.look_for_rivals(theirs, last[0], hop, capture, chain)
                return last
        self.add_redirect(url, capture, chain, [hop.time])
        return []

    def look_for_rivals(self, theirs, target, hop, capture, chain):
        """Whether a redirect may have led to another answer (A40)."""
        if target in chain:
            return
        others = [f for f in theirs if f is not target and f not in chain]
        rivals = [f for f in others if not f.serial
                  and any(same_moment(f, beside) and f.archive == beside.archive for beside in (hop, target))]
        if same_moment(target, hop) and (target.archive != hop.archive or not target.serial):
            rivals += first_moment([f for f in others if NOTHING < difference(f.time, hop.time) <= HOUR])
        if any(not answer_alike(f, target) for f in rivals):
            self.rivalled.add(capture.id)

    def add_redirect(self, url, capture, chain, times):
        gap = any(not led(a, b, capture) for a, b in zip(chain, chain[1:]))
        if difference(capture.time, times[0]) > NOTHING:  # it led to nothing that was got before
            times = [capture.time] + [t for t in times if difference(t, capture.time) > NOTHING]
        if is_robots_capture(capture) and (gap or not capture.serial):
            self.redirects.setdefault(same_url_key(url), []).append((capture, times, gap))

    def may_be_led_to(self, fetch):
        """Whether a redirect may have led to a GET, though not to the nearest (A39)."""
        redirects = [r for r in self.redirects.get(same_url_key(fetch.url), []) if may_be_same_crawler(r[0], fetch)]
        if not may_be_get(fetch):
            return False
        return any(difference(fetch.time, t) == NOTHING for _, times, _ in redirects for t in times) or any(
            NOTHING <= difference(fetch.time, times[0]) <= HOUR
            and (gap or any(other is not start and NOTHING <= difference(times[0], at[0]) <= HOUR for other, at, _ in redirects))
            for start, times, gap in redirects)

    def status_and_location(self, f):
        """A revisit's own status and Location win; where it has none, its original's."""
        if f.type == "revisit" and f.status is None:
            original = self.original(f)
            if original is not None:
                return original.status, original.location
        return f.status, f.location

    def referred(self, f, fits):
        """The records that WARC-Refers-To, or its URI and date, name."""
        if f.refers_to in self.of_id and fits(self.of_id[f.refers_to]):
            return [self.of_id[f.refers_to]]
        date = moment_or_none(f.refers_date)
        if not f.refers_uri or date is None:
            return []
        return [g for g in self.of_url.get(same_url_key(f.refers_uri), [])
                if g is not f and fits(g) and difference(g.time, date) == NOTHING]

    def original(self, revisit):
        """§2, row "revisit identical-payload-digest": the record that holds the body."""
        def fits(f):
            return f.type in ("response", "resource") and f.method == "GET" \
                and (revisit.status is None or f.status == revisit.status)

        named = self.referred(revisit, fits)
        agreeing = [f for f in named if not digests_contradict(f.digest, revisit.digest)]
        if agreeing:
            return spokesman([f for f in agreeing if not is_altered(f)] or agreeing, revisit)
        revisit.misnamed = bool(named)  # A16
        if digest_key(revisit.digest) in (None, EMPTY_DIGEST):
            return None
        same = [f for f in self.of_url.get(same_url_key(revisit.url), [])
                if fits(f) and digest_key(f.digest) == digest_key(revisit.digest)]
        same = [f for f in same if not is_altered(f)]
        near = latest([f for f in same if not later(f, revisit)]) or earliest(same)
        return spokesman(near, revisit) if near else None

    def own_outcome(self, f):
        """The table of §2, a row after the other, for a capture that is no redirect."""
        if f.told:  # an index does not tell what it holds
            return Outcome("unresolved", UNRESOLVED_REVISIT)
        status, _ = self.status_and_location(f)
        if status == 304 or f.type == "revisit" and "server-not-modified" in f.profile:
            return self.not_modified(f)
        if status is None and f.type == "revisit":
            return Outcome("unresolved", UNRESOLVED_REVISIT)
        if status is not None and 200 <= status <= 299:
            outcome = self.success(f, status)
            source = self.original(f) if f.type == "revisit" else f
            outcome.success, outcome.mismatched = True, f.misnamed or source is not None and is_altered(source)
            return outcome
        if status is not None and 400 <= status <= 499 and (status, self.profile) != (429, "google"):
            outcome = Outcome("unavailable")
            outcome.refusal = f if status in (401, 403, 429) else None
            return outcome
        if status is not None and 500 <= status <= 599 or status == 429 or self.profile == "rep-08":
            return Outcome("unreachable")
        return Outcome("undefined", "undefined_status")

    def success(self, f, status):
        if is_challenge(f) or f.type == "revisit" and self.original(f) and is_challenge(self.original(f)):
            return Outcome("undefined", "challenge")
        if status in (204, 205):
            return Outcome("rules")
        source = f
        if f.type == "revisit":
            source = self.original(f)
            if source is None:
                return Outcome("unresolved", UNRESOLVED_REVISIT)
        body = body_of(source)
        if body.undecodable:
            return Outcome("undefined", "undecodable")
        if status == 206 and shows_the_whole(source.content_range):
            return Outcome("rules", None, body.octets)
        if source.truncated or status == 206 or body.part:
            return Outcome("partial", "truncated", body.octets)
        return Outcome("rules", None, body.octets)

    def not_modified(self, f):
        """§2, row "304, revisit server-not-modified"."""
        original = self.renewed(f)
        if original is None:
            return Outcome("unresolved", UNRESOLVED_REVISIT)
        said = self.outcome(original) if original.location else self.own_outcome(original)
        outcome = Outcome(said.kind, said.reason, said.body, success=said.success, mismatched=said.mismatched)
        outcome.refusal, outcome.renewed = said.refusal, [original] + said.applied()  # A17
        return outcome

    def renewed(self, f):
        """The record whose body a 304 renews, or None."""
        named = self.referred(f, lambda g: g.type != "revisit" and g.status != 304 and g.method == "GET")
        digest = f.digest if f.type == "revisit" and digest_key(f.digest) != EMPTY_DIGEST else None
        wanted = {**f.request_validators, **f.validators}
        if named:
            if any(relation(g, wanted) == "contradicts" for g in named):
                return None
            named = [g for g in named if not later(g, f) and not digests_contradict(g.digest, digest)]
            if any(not answer_alike(g, named[0]) for g in named[1:]):
                return None  # of one moment: nobody knows which is meant
            return nearest_of_kin(named, f)
        successes = [g for g in self.of_url.get(same_url_key(f.url), [])
                     if g is not f and may_be_get(g) and g.status is not None
                     and 200 <= g.status <= 299 and not later(g, f)]
        newest = latest([g for g in successes if same_crawler(g, f)] or successes)
        if any(digests_contradict(g.digest, digest) for g in newest):
            return None
        successes = [g for g in successes if not digests_contradict(g.digest, digest)]
        if wanted:
            if any(relation(g, wanted) == "contradicts" for g in newest):
                return None
            successes = [g for g in successes if relation(g, wanted) == "has"]
        successes = [g for g in successes if same_crawler(g, f)] or successes
        copies = latest(successes)
        if copies and any(NOTHING <= difference(u, copies[0].time) and NOTHING <= difference(f.time, u) for u in self.unread_of(f.url)) \
                and not (wanted and relation(copies[0], wanted) == "has"):
            return None  # an index tells of a later one
        if any(not answer_alike(g, copies[0]) for g in copies[1:]):
            return None  # of one moment in several archives: nobody knows which is the latest
        return nearest_of_kin(copies, f)


def nearest_of_kin(captures, record):
    """Of captures of one moment that agree, which one a record means: the crawler's own, and one in its archive first."""
    return min(captures, key=lambda c: (not same_crawler(c, record), c.archive != record.archive, c.id), default=None)


def is_redirect(status, location):
    return status is not None and 300 <= status <= 399 and status != 304 and bool(location)


def answer_alike(a, b):
    if a is b:
        return True
    if a.stored != b.stored and (is_altered(a) or is_altered(b)):
        return False
    if (a.status, a.location) != (b.status, b.location) or a.status == 304 and a.validators != b.validators:
        return False
    held = "revisit" not in (a.type, b.type) and a.stored == b.stored is not None  # a revisit holds no body
    return a.status is not None and a.status >= 300 or held or digest_key(a.digest) == digest_key(b.digest) is not None


def relation(copy, wanted):
    """Whether a copy has the validators wanted, contradicts them, or neither (A15)."""
    both = [kind for kind in wanted if kind in copy.validators]
    if any(not copy.validators[kind] & wanted[kind] for kind in both):
        return "contradicts"
    return "has" if both else "neither"


def soon_after(target, hop):
    """At or within an hour after the hop; of one moment in one archive, behind it (A8)."""
    if same_moment(target, hop):
        return target.archive != hop.archive or target.place > hop.place
    return NOTHING < difference(target.time, hop.time) <= HOUR


def led(hop, target, capture):
    """A13: whether a redirect led to that very record, made by the crawler of the capture that it began with."""
    return may_be_same_crawler(target, capture) and soon_after(target, hop)


def shows_the_whole(content_range):
    m = re.fullmatch(r"\s*bytes\s+(\d+)-(\d+)/(\d+)\s*", content_range or "", re.I)
    return m is not None and int(m.group(1)) == 0 and int(m.group(2)) + 1 == int(m.group(3))


# ------------------------------------------------------------- open readings

# Tokens whose crawlers are documented to obey another's group where they have none (§4).
DOCUMENTED = {"googlebot-image": "Googlebot", "googlebot-news": "Googlebot", "googlebot-video": "Googlebot"}
# Tokens of clients that groups for * may not bind, by their operators' pages.
EXEMPT = {**dict.fromkeys(("chatgpt-user perplexity-user meta-externalfetcher feedfetcher-google google-agent google-cws google-gemininotebook "
                           "google-notebooklm google-site-verification").split(), "user_triggered"),
          **dict.fromkeys("adsbot-google adsbot-google-mobile apis-google mediapartners-google".split(), "documented_exempt")}


def exempt(token):
    return {EXEMPT[token.lower()]} if token and token.lower() in EXEMPT else set()


def open_readings(judge, whole, body, token, path):
    """§4: the names of the readings that allow what the letter disallows, alone or, where they do not, together (A30)."""
    tokens, found = [token] if token else [], []
    documented = [DOCUMENTED[t.lower()] for t in tokens if t.lower() in DOCUMENTED]

    def allows(names):
        text, reading = whole if "parse_limit" in names else body, {key: True for key in ("lenient", "usage") if key in names}
        equal = RESERVED * ("reserved_encoding" in names) + UNSAFE * ("unsafe_encoding" in names)
        asked = [(text, tokens, reading)] if "agent_name" not in names else [(group, [], {}) for group in asides(text, token, **reading)]
        return any(judge(file, of, path, equal, **more)[0] == "allowed" for file, of, more in asked)

    both = groups(whole, lenient=True, usage=True)  # lines that both read otherwise may differ only then
    readings = ["reserved_encoding", "unsafe_encoding"]
    readings += [key for key, other in (("lenient", "usage"), ("usage", "lenient"))
                 if groups(whole, **{key: True}) != groups(whole) or both != groups(whole, **{other: True})]
    readings += ["parse_limit"] * (len(whole) > len(body)) + ["agent_name"] * bool(token)
    for names in (frozenset(names) for size in range(1, 4) for names in combinations(readings, size)):
        if not any(smaller <= names for smaller in found) and allows(names):
            found.append(names)
    names = {{"usage": "content_usage"}.get(name, name) for name in frozenset().union(*found)}
    if documented and judge(body, tokens + documented, path)[0] == "allowed":
        names.add("documented_token")
    if normalise(path.encode("utf-8")) == b"/robots.txt":
        names.add("robots_txt_encoded")
    if is_html(body):
        names.add("html")
    return names | (set() if has_group(body, token) else exempt(token))


class Answer:
    """A capture's answer to a fetch, before time and other captures are asked."""

    def __init__(self, verdict, reason, readings=(), unfinished=False, partial=False, notes=()):
        self.verdict, self.reason = verdict, reason
        self.readings = set(readings)  # §4: readings the specifications leave open that allow
        self.unfinished = unfinished  # §2: the disallow stands in the unfinished last line alone
        self.partial = partial
        self.notes = set(notes)

    def contested(self):
        return bool(self.readings) or self.unfinished

    def may_allow(self):
        return self.verdict == "allowed" or self.contested()


def content_is_later(archive, capture, fetch):
    """§2: a body captured after the fetch is evidence later (A12)."""
    return any(c is fetch or after(c, fetch, c is capture) for c in archive.outcome(capture).way)


def fails_later(archive, capture, fetch):
    """§3, 3: whether a redirect at or before the fetch led to what was unreachable after it (A12)."""
    return archive.outcome(capture).kind == "unreachable" and not after(capture, fetch) and content_is_later(archive, capture, fetch)


def kind_of(archive, capture, fetch):
    """The kind of a capture's outcome, as far as it shows at the fetch."""
    return "unresolved" if fails_later(archive, capture, fetch) else archive.outcome(capture).kind


def answer(archive, capture, fetch):
    """What a capture answers to a fetch."""
    if fails_later(archive, capture, fetch):
        return Answer("unknown", "unresolved_redirect")
    return answer_of(archive, archive.outcome(capture), fetch)


def answer_of(archive, outcome, fetch):
    if outcome.kind == "unavailable":
        return Answer("allowed", outcome.reason or "unavailable")
    if outcome.kind == "unreachable":
        return Answer("disallowed", "unreachable", exempt(fetch.asked or fetch.token))
    if outcome.kind in ("unresolved", "undefined"):
        return Answer("unknown", outcome.reason)
    token = fetch.asked or fetch.token
    tokens = [token] if token else []
    body = within_parse_limit(outcome.body)
    partial = outcome.kind == "partial"
    verdict, reason = archive.judge(body, tokens, fetch.path)
    if verdict == "disallowed":
        unfinished = partial and archive.judge(without_last_line(body), tokens, fetch.path)[0] == "allowed"
        return Answer(verdict, reason, open_readings(archive.judge, outcome.body, body, token, fetch.path), unfinished, partial)
    if partial:
        return Answer("unknown", "truncated")
    forbids = {  # allowed, though the site may have meant otherwise
        "unsafe_encoding": [archive.judge(body, tokens, fetch.path, UNSAFE)],
        "agent_name": [archive.judge(group, [], fetch.path) for group in (asides(body, token) if token else ())],
        "named_group_forbids": [archive.judge(body, [name], fetch.path) for name in (() if token else names_in(body))]}
    return Answer(verdict, reason, notes=[n for n, said in forbids.items() if any(v == "disallowed" for v, _ in said)] + ["html"] * is_html(body))


# ---------------------------------------------------------- §3 and §4 decide

SAYING = ("rules", "partial", "unavailable")


def refused(archive, capture, fetch):
    """§2: whether a capture says that another crawler was refused, and no more."""
    refusal = archive.outcome(capture).refusal
    return refusal is not None and not (is_own(refusal, fetch) and is_own(capture, fetch))


def governs(archive, capture, fetch):
    """§2: whether a capture governs before those that do not."""
    return is_own(capture, fetch) or not refused(archive, capture, fetch)


def saying(archive, captures, fetch):
    return [c for c in captures if archive.outcome(c).kind in SAYING and not refused(archive, c, fetch)]


def age_of(archive, capture, fetch):
    """§2: age counts from the oldest record on the way whose content is applied."""
    return max(difference(fetch.time, c.time) for c in archive.outcome(capture).way)


def may_be_after(c, fetch, headers):
    """A38: whether a capture that counts as before the fetch may have come after it."""
    if not same_moment(c, fetch) or c is fetch or after(c, fetch, headers):
        return False
    return not proves_order(c, fetch) or against(c, fetch, headers) is not None


def own_of(captures, fetch):
    return [c for c in captures if is_own(c, fetch)]


def governing_moment(archive, candidates, fetch):
    """§3, 1 and 2: the captures at or before t that may govern, all of one moment."""
    candidates = [c for c in candidates if governs(archive, c, fetch)] or candidates
    own = latest(own_of(candidates, fetch))
    if own and age_of(archive, weakest(archive, own, fetch), fetch) <= DAY:
        return own
    moment = latest(candidates)
    return own if own_of(moment, fetch) else moment  # A44


def weakest(archive, moment, fetch):
    """Of captures of one moment, that of the least evidence (A6)."""
    later = [c for c in moment if content_is_later(archive, c, fetch)] or moment
    age = max(age_of(archive, c, fetch) for c in later)
    return spokesman([c for c in later if age_of(archive, c, fetch) == age], fetch)


def unreachable_over_30_days(archive, candidates, fetch):
    """§3: an unbroken run of at least two, the first > 30 days, the last ≤ 24 h before t (A26)."""
    return ends_long_run(archive, candidates, fetch) or ends_long_run(archive, own_of(candidates, fetch), fetch)


def ends_long_run(archive, candidates, fetch):
    run = []
    for c in sorted(candidates, key=lambda c: (c.time.start, c.time.precision, c.archive[0], c.place), reverse=True):
        outcome = archive.outcome(c)
        if kind_of(archive, c, fetch) == "unreachable":
            run.append(c)
        elif outcome.kind in SAYING or outcome.success:
            break
    return len(run) >= 2 and difference(fetch.time, run[-1].time) > MONTH and difference(fetch.time, run[0].time) <= DAY


def answer_in_time(archive, capture, candidates, fetch):
    """The governing capture's answer: §3's exceptions for unreachable captures and refusals applied."""
    if refused(archive, capture, fetch):
        return Answer("unknown", "refused_to_other")
    if kind_of(archive, capture, fetch) == "unreachable":
        if age_of(archive, capture, fetch) > DAY:
            return Answer("unknown", "unreachable_stale")
        if unreachable_over_30_days(archive, candidates, fetch):
            return Answer("allowed", "unreachable_over_30d")
    return answer(archive, capture, fetch)


class Finding:
    def __init__(self, verdict, evidence, reason, certainty=None, governing=None, notes=(), moment=()):
        self.verdict, self.evidence, self.reason, self.certainty = verdict, evidence, reason, certainty
        self.governing, self.notes, self.moment = governing, set(notes), moment
        self.perhaps = set()  # readings of copies: of that which the row cites, the notes have them
        self.reasons = {}  # of the captures that give the verdict, if they are of one moment (A43)


def decide(archive, fetch):
    """The finding on a fetch: §3, §4, and §5 where its User-Agent names two crawlers (A33)."""
    first = decide_for_one(archive, fetch)
    if fetch.other_token is None or first.verdict == "unknown" or first.governing is None:
        return first
    fetch.asked = fetch.other_token
    second = decide_for_one(archive, fetch)
    fetch.asked = None
    if second.verdict != first.verdict or second.certainty == "contested" != first.certainty:
        return Finding("unknown", first.evidence_before, "ambiguous_token", None, first.governing, first.notes_before, first.moment)
    classes = [None, "certain", "probable", "possible", "contested"]
    first.certainty = max(first.certainty, second.certainty, key=classes.index)
    return first


def decide_for_one(archive, fetch):
    if fetch.origin is None:
        return Finding("unknown", "none", "unsupported_scheme")
    if fetch.itself or fetch.path == "/robots.txt" and (archive.profile != "google" or fetch.method == ""):
        return Finding("allowed", "none", "robots_txt_itself")
    if fetch.time is None:
        return Finding("unknown", "none", "no_time")

    captures = archive.robots_of.get(fetch.origin, [])
    candidates = [c for c in captures if at_or_before(c, fetch)]
    behind = [c for c in captures if after(c, fetch)]
    following = saying(archive, behind, fetch)
    for refusals in (False, True):  # §2: what says that another crawler was refused governs where nothing else does
        if any(refusals or governs(archive, c, fetch) for c in candidates):
            return decide_by_before(archive, fetch, candidates, following)
        soon = [c for c in (behind if refusals else following) if archive.outcome(c).kind in SAYING and difference(c.time, fetch.time) <= DAY]
        if soon:
            return conclude(archive, fetch, candidates, following, earliest(own_of(soon, fetch) or soon), "later")
    return Finding("unknown", "none", "no_capture")


def decide_by_before(archive, fetch, candidates, following):
    moment = governing_moment(archive, candidates, fetch)
    capture = weakest(archive, moment, fetch)
    evidence = "fresh" if age_of(archive, capture, fetch) <= DAY else "stale"
    if content_is_later(archive, capture, fetch):
        evidence = "later"
    return conclude(archive, fetch, candidates, following, moment, evidence)


def conclude(archive, fetch, candidates, following, moment, evidence):
    answers = [answer_in_time(archive, c, candidates, fetch) for c in moment]
    governing = weakest(archive, moment, fetch)
    governed = answers[moment.index(governing)]
    own_governs = is_own(governing, fetch)
    notes = set(governed.notes)
    way = [governing] + [hop for c in moment for hop in archive.outcome(c).way if hop is not c]
    applied = [c for m in moment for c in archive.outcome(m).applied()]
    if any(not is_own(c, fetch) or fetch.token and not c.token and c.user_agent or c.other_token and c.user_agent != fetch.user_agent
           for c in applied):
        notes.add("other_crawler")
    if any(archive.outcome(c).other_target for c in moment):
        notes.add("other_target")  # A40
    if any(may_be_after(c, fetch, c is governing) for c in way):
        notes.add("same_moment")
    if any(doubted(c, fetch, c is governing) for c in way):
        notes.add("order_doubt")
    if all(is_outdated(archive, c, fetch) for c in moment):  # of coarse dates, one may be later than the row
        notes.add("unread_capture")
    if fetch.no_status:
        notes.add("no_status")

    def unknown(reason):
        finding = Finding("unknown", evidence, reason, None, governing, notes, moment)
        if reason == governed.reason:
            finding.reasons = {c.id: a.reason for c, a in zip(moment, answers)}
        return finding

    if len({a.verdict for a in answers}) > 1:
        return unknown("conflicting_captures")
    if governed.verdict == "unknown":
        return unknown(governed.reason)

    # §3: what may have come after the fetch, against the capture before.
    if beside(governing, fetch) and governed.verdict == "disallowed":
        before = [c for c in candidates if not beside(c, fetch)]
        if before and any(answer_in_time(archive, c, before, fetch).verdict == "allowed"
                          for c in governing_moment(archive, before, fetch)):
            return unknown("changed_between")

    if fetch.other_token is not None:
        notes.add("ambiguous_token")

    # §3.2: the own captures around the fetch that answer otherwise.
    soon = [c for c in following if difference(c.time, fetch.time) <= DAY]
    own = [c for c in latest_saying(archive, own_of(candidates, fetch))
           if answer(archive, c, fetch).verdict != "unknown"]
    first = first_moment(own_of(soon, fetch)) if evidence != "later" else []
    if candidates and not own_governs and any(answer(archive, c, fetch).verdict not in ("unknown", governed.verdict) for c in own + first):
        return unknown("changed_between")

    # §3: stale, and something between it and t or within 24 h after t disagrees.
    if evidence == "stale":
        content = min(archive.outcome(governing).way, key=lambda c: c.time.start)
        between = [c for c in candidates if c not in moment and not later(content, c)
                   and not (same_moment(content, c) and any(same_moment(m, c) and later(m, c) for m in moment))]
        for c in saying(archive, between, fetch) + soon:
            if answer(archive, c, fetch).verdict not in ("unknown", governed.verdict):
                return unknown("changed_between")

    if governed.verdict == "allowed" and "unread_capture" in notes:
        return unknown("unread_capture")

    finding = Finding(governed.verdict, evidence, governed.reason, None, governing, notes, moment)
    finding.notes_before, finding.evidence_before = set(notes), evidence
    finding.reasons = {c.id: a.reason for c, a in zip(moment, answers)}
    if governed.verdict == "disallowed":
        finding.notes |= governed.readings | exempt(fetch.asked or fetch.token)
        if any(is_own(m, fetch) and other_run(c, fetch) for m in moment for c in archive.outcome(m).applied()):
            finding.notes.add("other_run")
        if asked_later(archive.robots_of[fetch.origin], fetch, "other_run" in finding.notes) and evidence != "later":
            finding.evidence = "later"
        told = any(difference(fetch.time, c.time) <= MONTH and not archive.outcome(c).mismatched for c in own)
        finding.certainty = certainty(archive, fetch, candidates, following, moment, governed, finding, told)
    return finding


def is_outdated(archive, governing, fetch):
    """Whether an index tells of a capture that would govern in place of the one that does."""
    return any(difference(fetch.time, u) >= NOTHING and (after(governing, fetch) or difference(u, governing.time) >= NOTHING)
               for u in archive.unread.get(fetch.origin, []))


def was_told_before(archive, candidates, following, fetch):
    """Whether the fetch is disallowed, too, by what was captured before its moment, and the crawler was told in time (A46)."""
    before = [c for c in candidates if not same_moment(c, fetch) and not beside(c, fetch)]
    if not before or any((same_moment(c, fetch) or beside(c, fetch)) and kind_of(archive, c, fetch) in ("partial", "unresolved", "undefined") for c in candidates):
        return False
    finding = decide_by_before(archive, fetch, before, following)
    capture = finding.governing
    altered = any(archive.outcome(c).mismatched for c in finding.moment)
    if finding.verdict != "disallowed" or finding.evidence == "later" or altered or is_outdated(archive, capture, fetch):
        return False
    if any(same_moment(hop, fetch) for hop in archive.outcome(capture).way):
        return False
    age = age_of(archive, capture, fetch)
    own = [c for c in latest_saying(archive, own_of(before, fetch)) if answer(archive, c, fetch).verdict == "disallowed" and not archive.outcome(c).mismatched]
    told = is_own(capture, fetch) or any(difference(fetch.time, c.time) <= MONTH for c in own)  # A24
    return age <= DAY or told and age <= MONTH


def latest_saying(archive, captures):
    return latest([c for c in captures if archive.outcome(c).kind in SAYING])


def is_gone(outcome):
    """The crawler had a copy that the archive does not hold, though this capture is no 2xx itself."""
    status = outcome.followed[-1].status or 0  # a redirect may have led to a copy that is not there
    return outcome.kind == "unresolved" and not outcome.success and (outcome.reason == UNRESOLVED_REVISIT or 200 <= status <= 299)


def bracketed(archive, fetch, following, verdict):
    """§3: the first capture after t that says anything, at most 30 days after t, answers alike (A28)."""
    saying = [c for c in following if answer(archive, c, fetch).verdict != "unknown"]
    first = earliest(saying)
    if any(difference(u, fetch.time) > NOTHING and difference(first[0].time, u) >= NOTHING for u in archive.unread.get(fetch.origin, []) if first):
        return False
    return bool(first) and all(difference(c.time, fetch.time) <= MONTH and not archive.outcome(c).mismatched for c in first) \
        and all(answer(archive, c, fetch).verdict == verdict for c in first)


def cannot_be_read(archive, capture, fetch, outcome=None):
    kind = outcome.kind if outcome else kind_of(archive, capture, fetch)
    outcome = outcome or archive.outcome(capture)
    return kind in ("partial", "unresolved", "undefined") or outcome.mismatched or outcome.other_target and kind in ("rules", "unavailable")


def certainty(archive, fetch, candidates, following, moment, governed, finding, told):
    """§4, of a disallowed fetch: the first class that fits."""
    governing = finding.governing
    recent = [c for c in candidates if difference(fetch.time, c.time) <= DAY]
    copies = [c for c in recent if archive.outcome(c).kind in ("rules", "unavailable")]
    copies += [c for c in candidates if same_moment(c, governing) and any(not (same_crawler(c, m) or is_own(c, fetch) and is_own(m, fetch)) for m in moment)
               and archive.outcome(c).kind in ("rules", "unavailable")]  # A7
    copies += [c for c in moment if archive.outcome(c).kind == "rules"]  # A6
    unreadable = [c for c in recent if cannot_be_read(archive, c, fetch)]
    unreachable = any(archive.outcome(c).kind == "unreachable" for c in moment)
    if unreachable:
        for known in candidates, [c for c in candidates if is_own(c, fetch)]:  # A27
            last = latest([c for c in known if archive.outcome(c).success])
            copies += [c for c in last if archive.outcome(c).kind == "rules"]
            unreadable += [c for c in last if archive.outcome(c).kind != "rules"]
            gone = latest([c for c in known if is_gone(archive.outcome(c))])
            unreadable += [c for c in gone if not last or difference(c.time, last[0].time) >= NOTHING]

    unreadable += [c for c in copies if archive.outcome(c).other_target]  # A40

    behind = [c for c in archive.robots_of[fetch.origin] if c is not governing and after(c, fetch) and difference(c.time, fetch.time) <= NOTHING]
    copies += own_of(behind, fetch)
    of_targets = list(archive.copies_of_targets(recent + list(moment), fetch))
    unreadable += [f for f, o in of_targets if not after(f, fetch, False) and cannot_be_read(archive, f, fetch, o)]
    said = [answer(archive, c, fetch) for c in copies] + [answer_of(archive, o, fetch) for f, o in of_targets if not after(f, fetch, False)]
    if governed.contested() or any(a.may_allow() for a in said):
        finding.perhaps = {reading for a in said for reading in a.readings} - governed.readings
        return "contested"

    for c, o in [(c, archive.outcome(c)) for c in behind] + [(f, o) for f, o in of_targets if after(f, fetch, False)]:
        if cannot_be_read(archive, c, fetch, o) and not proves_order(c, fetch) or answer_of(archive, o, fetch).may_allow():  # A47
            finding.notes.add("same_moment" if same_moment(c, fetch) else "order_doubt")
    unread = [u for u in archive.unread.get(fetch.origin, []) if NOTHING <= difference(fetch.time, u)
              and (unreachable or difference(fetch.time, u) <= DAY)]
    if unread and "unread_capture" not in finding.notes:
        finding.notes.add("unreadable_copy")
    age = age_of(archive, governing, fetch)
    own = is_own(governing, fetch)
    in_brackets = finding.evidence == "stale" and bracketed(archive, fetch, following, governed.verdict)
    is_led = archive.may_be_led_to(fetch)
    if is_led:
        finding.notes.add("redirect_target")
    if fetch.token is None or finding.evidence == "later" or any(archive.outcome(c).mismatched for c in moment):
        return "possible"
    if finding.evidence == "stale" and not in_brackets and (age > MONTH or not own and not told):
        return "possible"

    if "unread_capture" in finding.notes or fetch.no_status:
        return "possible"
    beside = [c for c in [governing] + archive.outcome(governing).way if same_moment(c, fetch) and c is not fetch]
    told_before = same_moment(governing, fetch) and was_told_before(archive, candidates, following, fetch)
    if fetch.told and any(not after(c, fetch) for c in beside) and not told_before:
        return "possible"

    if is_led:
        return "possible"
    doubts = [
        finding.evidence != "fresh", "other_crawler" in finding.notes, "same_moment" in finding.notes,
        "order_doubt" in finding.notes, "other_run" in finding.notes, "other_target" in finding.notes,
        "ambiguous_token" in finding.notes, governed.partial, bool(unreadable) or bool(unread), fetch.told,
        any(c.time.coarser_than_a_second() for m in moment for c in [m, fetch] + archive.outcome(m).way),
    ]
    return "probable" if any(doubts) else "certain"


def expected(paths):
    """The findings on all fetches of archives, as rows."""
    archive = Archive(read_archives(paths))
    for fetch in archive.fetches:
        found = decide(archive, fetch)
        yield {"url": fetch.url, "warc_record_id": fetch.id, "verdict": found.verdict, "evidence": found.evidence, "reason": found.reason,
               "certainty": found.certainty, "governing": sorted(c.id for c in found.moment), "reasons": found.reasons,
               "notes": sorted(found.notes), "perhaps": sorted(found.perhaps), "refusal": refusal_of(fetch) if fetch.type == "response" else None}


def main(*archives):
    for row in expected(archives):
        print(json.dumps(row))
