"""Recompute every violation from the proof that its row cites.

    recompute DIR ARCHIVE_ROOT

DIR holds the tables of an audit, ARCHIVE_ROOT the archives that warc_filename names. For each row of
violations and of unproven, the fetch, the governing robots.txt capture, the record of the body and that of
the copy that allows are read by file and offset, and the row must agree with what they hold: URLs, times,
age, evidence, status, the body's digest, the rule's text and line, that the rule matches and that no rule of
the group outweighs it, and that the copy or the reading that contests it allows. expected.py has the
certainty, and reference.py the readings.
"""

import hashlib
from collections import Counter
from datetime import timedelta, timezone
from functools import lru_cache
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

import reference
import robots
import warc
from lib import TABLES, bare, table, words

DAY = 24 * 3600
CUT = "… (cut)"  # at the end of a rule of more than 2 KiB


def origin_and_path(url):
    origin, path = warc.split_url(url)
    return origin, path.encode("utf-8", "surrogateescape")


def record_at(archive, offset):
    """record_at reads the record at offset, None where there is none."""
    with open(archive, "rb") as stream:
        stream.seek(offset)
        for record in ArchiveIterator(stream):
            f = warc.read_fetch(record, record.rec_headers)
            f.id, f.run, f.body = bare(f.record_id), record.rec_headers.get_header("WARC-Warcinfo-ID"), warc.body_of(f).octets
            f.status = None if f.type == "resource" else f.status
            return f
    return None


def seconds_between(later, earlier):
    """seconds_between compares two records' dates at the coarser precision; parts of a second are cut."""
    return int(warc.difference(later.time, earlier.time).total_seconds())


def shown_later(record, milliseconds, than, headers):
    """shown_later: a record whose date is not after another's, but whose answer ended after it, or says so by its Date."""
    if 0 <= (milliseconds or -1) <= 600_000:
        if warc.difference(record.time.plus(timedelta(milliseconds=milliseconds)), than.time) > warc.NOTHING:
            return True
    if not headers or record.answered is None or than.answered is None or than.time.coarser_than_a_second():
        return False
    return seconds_between(than, record) > 0 and record.answered.start > than.answered.start \
        and abs(than.answered.start - than.time.start) < 6 * warc.SECOND and record.answered.start - record.time.start <= 600 * warc.SECOND


class Mismatch(Exception):
    """Mismatch says what a row states and what its proof holds instead."""


def require(what, stated, found):
    if stated != found:
        raise Mismatch(f"{what}: the row says {stated!r}, the archive {found!r}")


class Archives:
    def __init__(self, root, durations):
        self.root, self.durations = root, durations

    @lru_cache(maxsize=256)
    def record(self, name, offset):
        found = record_at(self.root / name, offset)
        if found is None:
            raise Mismatch(f"no record at {name}:{offset}")
        return found

    def cited(self, row, of):
        """cited is the record that the columns of this name cite: "", "robots_", "robots_body_", …"""
        found = self.record(row[of + "warc_filename"], row[of + "warc_record_offset"])
        require(of + "warc_record_id", bare(row[of + "warc_record_id"]), found.id)
        if (time := row.get(of + "time" if of else "fetch_time")) is not None:
            require(of + "time", time.astimezone(timezone.utc), found.time.start)
        return found


def check(row, archives, captures):
    fetch = archives.cited(row, "")
    capture = archives.cited(row, "robots_")
    body = archives.cited(row, "robots_body_") if row["robots_body_warc_filename"] is not None else None
    _check_fetch(row, fetch)
    _check_capture(row, capture, captures)
    _check_age(row, fetch, capture, body, archives.durations)
    require("verdict", row["verdict"], "disallowed")
    if row["reason"] == "unreachable":
        require("robots_outcome", row["robots_outcome"], "unreachable")
        status = captures[row["robots_id"]]["final_status"] if row["robots_hops"] else row["robots_status"]
        require("an unreachable robots.txt has a status of 500 to 599", 500 <= status <= 599, True)
        require("rule of an unreachable robots.txt", (row["rule"], row["rule_line"]), (None, None))
    elif row["reason"] == "rule":
        _check_body(row, body)
        _check_rule(row, body.body)
    else:
        raise Mismatch(f"a disallowed fetch with reason {row['reason']}")
    if row["agent"] and (seen := row["user_agent"]) is not None and row["agent"].lower() not in seen.lower() and \
            "token_by_option" not in words(row["notes"]):
        raise Mismatch(f"the token {row['agent']!r} is no part of the User-Agent {seen!r}")
    require("a contested row, or one without a copy", row["certainty"] == "contested" or row["contested_warc_filename"] is None, True)
    if row["contested_warc_filename"] is not None:
        _check_contester(row, archives, fetch, capture)
    elif row["certainty"] == "contested" and (body is None and not reference.exempt(row["agent"]) & words(row["notes"]) or body is not None and not (
            _readings_that_allow(body.body, row) & words(row["notes"]) or _unfinished(row, body))):
        raise Mismatch(f"contested, but no copy and none of the readings {row['notes']} allows")


def _check_fetch(row, fetch):
    require("url", row["url"], fetch.url)
    require("fetch_status", row["fetch_status"], fetch.status)
    origin, path = origin_and_path(row["url"])
    require("origin", row["origin"], origin)
    query = b"" if row["url_query"] is None else b"?" + row["url_query"].encode()
    require("url_path and url_query", row["url_path"].encode() + query, path)


def _check_capture(row, record, captures):
    capture = captures[row["robots_id"]]
    require("place of the capture", _place(row, "robots_"), (capture["warc_filename"], capture["warc_record_offset"]))
    require("robots_url", row["robots_url"], record.url)
    require("robots_status", row["robots_status"], record.status)
    require("robots_outcome", row["robots_outcome"], capture["outcome"])
    require("robots_hops", row["robots_hops"], len(capture["hop_urls"] or ()))
    require("origin and path of the capture", (row["origin"], b"/robots.txt"), origin_and_path(record.url))


def _check_age(row, fetch, capture, body, durations):
    """_check_age: age counts from the oldest content applied; a revisit or 304 renews its body, a redirect does not.

    Evidence is later where the capture, or the body that it redirects to, is not before
    the fetch; the age is then that of the one or the other, or none where only a date was before.
    """
    redirected = body is not None and row["robots_hops"] > 0
    since_capture = seconds_between(fetch, capture)
    since_body = seconds_between(fetch, body) if redirected else since_capture
    shown = shown_later(capture, durations.get(_place(row, "robots_")), fetch, True) \
        or redirected and shown_later(body, durations.get(_place(row, "robots_body_")), fetch, False)
    later = shown or _after(row, "robots_", fetch, capture) or redirected and _after(row, "robots_body_", fetch, body)
    age, least, most = row["robots_age_seconds"], min(since_capture, since_body), max(since_capture, since_body)
    fits = age in (since_capture, since_body) or shown and age == 0 if later else since_capture <= age and (age <= most or row["robots_hops"] > 1)
    if not fits:
        raise Mismatch(f"robots_age_seconds: the row says {age}, the records {least} to {most}")
    require("evidence", row["evidence"], "later" if later or "asked_later" in [g["word"] for g in row["grounds"]] else "fresh" if age <= DAY else "stale")
    if age < -DAY:
        raise Mismatch(f"evidence from {-age} s after the fetch")


def _after(row, of, fetch, capture):
    """_after: later than the fetch; of one moment, behind it in the same run of a file, or the very same record."""
    if warc.same_moment(fetch, capture):
        return row["warc_filename"] == row[of + "warc_filename"] and fetch.run == capture.run and row[of +
                                                                                                      "warc_record_offset"] >= row["warc_record_offset"]
    return capture.time.start > fetch.time.start


def _place(row, of=""):
    return row[of + "warc_filename"], row[of + "warc_record_offset"]


def _check_body(row, body):
    if body is None:
        raise Mismatch("a rule without a body")
    require("robots_body_digest", row["robots_body_digest"], _digest(body))
    if body.status is not None and not 200 <= body.status <= 299:
        raise Mismatch(f"a body of status {body.status}")
    same_record = all(row["robots_" + column] == row["robots_body_" + column] for column in ("warc_filename", "warc_record_offset"))
    if same_record:
        require("robots_body_agent", row["robots_body_agent"], row["robots_agent"])
    elif not row["robots_hops"] and row["robots_status"] is not None and row["robots_status"] not in (304, body.status):
        raise Mismatch(f"a capture of status {row['robots_status']} with a body of status {body.status}")


def _digest(record):
    return "sha256:" + hashlib.sha256(record.body).hexdigest()


def _check_rule(row, body):
    inside = robots.within_parse_limit(body)
    path = origin_and_path(row["url"])[1]
    rules = robots.rules_for(inside, [row["agent"]] if row["agent"] else []) or ()
    cited = next((rule for rule in rules if rule.number == row["rule_line"]), None)
    if cited is None or cited.key != "disallow":
        raise Mismatch(f"line {row['rule_line']} is no disallow rule of the group of {row['agent']}")
    _check_text(row["rule"], cited)
    if robots.deciding([cited], path) is None:
        raise Mismatch(f"{row['rule']!r} does not match {path!r}")
    winner = robots.deciding(rules, path)
    if winner.key == "allow" or robots.weight(winner) > robots.weight(cited):
        raise Mismatch(f"line {winner.number} outweighs line {cited.number}")
    _check_group(row, inside)


def _check_group(row, body):
    """_check_group: the group that begins at group_line holds the rule, and one of its agents is the crawler's."""
    group = next(group for group in robots.groups(body) if any(line.number == row["rule_line"] for line in group.lines))
    require("group_line", row["group_line"], group.first)
    if not any(robots.names(agent, row["agent"] if robots.has_group(body, row["agent"]) else None) for agent in group.agents):
        raise Mismatch(f"none of the user-agent lines {group.agents!r} governs {row['agent']}")


def _check_text(stated, cited):
    """_check_text: the row holds the line; bytes that are not UTF-8 may be encoded or replaced, long text is cut."""
    if stated.endswith(CUT):
        key, _, value = stated.removesuffix(CUT).partition(":")
        same = key.strip().lower() == cited.key and cited.value.startswith(value.strip().encode())
    else:
        same = any(line.key == cited.key and (
            robots.normalise_pattern(line.value) == robots.normalise_pattern(cited.value)
            or line.value == cited.value.decode("utf-8", "replace").encode())
                   for line in robots.fields(stated.encode()))
    if not same:
        raise Mismatch(f"rule: the row says {stated!r}, line {cited.number} {cited.key}: {cited.value!r}")


# What contests a row: the copy that it cites, or a reading that its notes name.


def _check_contester(row, archives, fetch, capture):
    copy = archives.cited(row, "contested_")
    recent = 0 <= seconds_between(fetch, copy) <= DAY
    if not recent and row["reason"] != "unreachable" and copy.time.start != capture.time.start:
        raise Mismatch("the copy that is said to allow is not of the last 24 hours")
    require("origin of the copy", (row["origin"], b"/robots.txt"), origin_and_path(copy.url))
    if row["contested_outcome"] == "unavailable":
        return
    if row["contested_body_warc_filename"] is None:
        raise Mismatch("the copy that is said to allow has no body")
    body = archives.record(row["contested_body_warc_filename"], row["contested_body_warc_record_offset"])
    require("contested_body_digest", row["contested_body_digest"], _digest(body))
    path = origin_and_path(row["url"])[1]
    allows = robots.by_protego(robots.within_parse_limit(body.body), row["agent"])(path)
    if not allows and not _readings_that_allow(body.body, row):
        raise Mismatch("the copy that is said to allow does not")


def _readings_that_allow(body, row):
    """_readings_that_allow names the open readings of a body that allow the fetch."""
    path = warc.split_url(row["url"])[1]
    return reference.open_readings(robots.judge_by_rules, body, robots.within_parse_limit(body), row["agent"], path)


def _unfinished(row, body):
    """_unfinished: a part of a file disallows in its unfinished last line alone."""
    whole_lines = robots.without_last_line(robots.within_parse_limit(body.body))
    agents, path = [row["agent"]] if row["agent"] else [], warc.split_url(row["url"])[1]
    return row["robots_outcome"] == "partial" and robots.judge_by_rules(whole_lines, agents, path)[0] == "allowed"


def main(tables: Path, root: Path):
    captures = {c["robots_id"]: c for c in table(tables, "robots")}
    durations = {_place(f, ""): f["fetch_duration_ms"] for f in table(tables, "fetches")}
    archives, classes, failed = Archives(root, durations), Counter(), 0
    for name, members in TABLES.items():
        for row in table(tables, name):
            classes[row["certainty"]] += 1
            try:
                require("table", row["certainty"] in members, True)
                check(row, archives, captures)
            except (Mismatch, KeyError, TypeError) as wrong:
                failed += 1
                print(f"{name}: {row['url']} at {row['warc_filename']}:{row['warc_record_offset']}: {wrong!r}")
    total = sum(classes.values())
    print(f"recompute: {total - failed} of {total} rows agree with their proof "
          f"({', '.join(f'{n} {name}' for name, n in sorted(classes.items()))})")
    return failed
