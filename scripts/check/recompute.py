#!/usr/bin/env python3
"""Recompute every violation from the proof that its row cites.

    recompute.py DIR ARCHIVE_ROOT...

DIR holds the tables of an audit, ARCHIVE_ROOT the archives that warc_filename
names (several roots are searched in turn). For each row of violations and of
contested, the fetch, the governing robots.txt capture and the record of the body
are read by file and offset, and the row must agree with what they hold: URLs,
times, age, evidence, status, the body's digest, the rule's text and line, that
the rule matches and that no rule of the group outweighs it.
"""

import argparse
import hashlib
import sys
from collections import Counter
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from pathlib import Path

import pyarrow.parquet as parquet

import archive
import robotstxt

DAY = 24 * 3600
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
CUT = "… (cut)"  # at the end of a rule of more than 2 KiB
OTHER_READINGS = ("parse_limit", "reserved_encoding")


class Mismatch(Exception):
    """Mismatch says what a row states and what its proof holds instead."""


def require(what, stated, found):
    if stated != found:
        raise Mismatch(f"{what}: the row says {stated!r}, the archive {found!r}")


def microseconds(moment):
    return (moment.astimezone(timezone.utc) - EPOCH) // timedelta(microseconds=1)


class Archives:
    def __init__(self, roots):
        self.roots = roots

    def path(self, name):
        whole = Path(name)
        for part in (whole, *whole.parents):  # crawl.wacz/archive/data.warc.gz is an entry of crawl.wacz
            for root in self.roots:
                for found in (root / part, root):
                    if found.is_file() and found.name == part.name:
                        return found if part == whole else archive.entry_file(found, whole.relative_to(part).as_posix())
        raise Mismatch(f"{name} is in none of {', '.join(map(str, self.roots))}")

    @lru_cache(maxsize=256)
    def record(self, name, offset):
        found = archive.record_at(self.path(name), offset)
        if found is None:
            raise Mismatch(f"no record at {name}:{offset}")
        return found

    @lru_cache(maxsize=256)
    def body(self, name, offset):
        return archive.read_body(self.path(name), offset)


def check(row, archives, captures):
    _check_fetch(row, archives)
    _check_capture(row, archives, captures)
    _check_age(row)
    require("verdict", row["verdict"], "disallowed")
    if row["reason"] == "unreachable":
        _check_unreachable(row, captures)
    elif row["reason"] == "rule":
        _check_rule(row, archives)
    else:
        raise Mismatch(f"a disallowed fetch with reason {row['reason']}")
    _check_certainty(row, archives, captures)


def _check_fetch(row, archives):
    kind, record_id, url, time, status = archives.record(row["warc_filename"], row["warc_record_offset"])
    require("record id", archive.bare(row["warc_record_id"]), record_id)
    require("url", row["url"], url)
    require("fetch_time", microseconds(row["fetch_time"]), time)
    require("fetch_status", row["fetch_status"], status)
    origin, path = archive.origin_and_path(row["url"])
    require("origin", row["origin"], origin)
    query = b"" if row["url_query"] is None else b"?" + row["url_query"].encode()
    require("url_path and url_query", row["url_path"].encode() + query, path)


def _check_capture(row, archives, captures):
    capture = captures[row["robots_id"]]
    place = row["robots_warc_filename"], row["robots_warc_record_offset"]
    require("place of the capture", place, (capture["warc_filename"], capture["warc_record_offset"]))
    _, record_id, url, time, status = archives.record(*place)
    require("robots record id", archive.bare(row["robots_warc_record_id"]), record_id)
    require("robots_url", row["robots_url"], url)
    require("robots_time", microseconds(row["robots_time"]), time)
    require("robots_status", row["robots_status"], status)
    require("robots_outcome", row["robots_outcome"], capture["outcome"])
    require("robots_hops", row["robots_hops"], len(capture["hop_urls"] or ()))
    require("origin and path of the capture", (row["origin"], b"/robots.txt"), archive.origin_and_path(url))


def _check_age(row):
    age = (microseconds(row["fetch_time"]) - microseconds(row["robots_time"])) // 1_000_000
    require("robots_age_seconds", row["robots_age_seconds"], age)
    evidence = "later" if age < 0 else "fresh" if age <= DAY else "stale"
    require("evidence", row["evidence"], evidence)
    if not -DAY <= age <= 30 * DAY:
        raise Mismatch(f"evidence that is {age} s old makes no violation")


def _check_unreachable(row, captures):
    require("robots_outcome", row["robots_outcome"], "unreachable")
    status = captures[row["robots_id"]]["final_status"] if row["robots_hops"] else row["robots_status"]
    if not 500 <= status <= 599:
        raise Mismatch(f"unreachable with status {status}")
    require("rule of an unreachable robots.txt", (row["rule"], row["rule_line"]), (None, None))


def _check_rule(row, archives):
    body = archives.body(row["robots_body_warc_filename"], row["robots_body_warc_record_offset"])
    require("robots_body_digest", row["robots_body_digest"], "sha256:" + hashlib.sha256(body).hexdigest())
    inside = robotstxt.within_limit(body)
    path = archive.origin_and_path(row["url"])[1]
    rules = robotstxt.rules_for(inside, row["agent"])
    cited = next((rule for rule in rules if rule.number == row["rule_line"]), None)
    if cited is None or cited.key != "disallow":
        raise Mismatch(f"line {row['rule_line']} is no disallow rule of the group of {row['agent']}")
    _check_text(row["rule"], cited)
    if not robotstxt.matches(cited.value, path):
        raise Mismatch(f"{row['rule']!r} does not match {path!r}")
    for other in rules:
        outweighs = _weight(other) >= _weight(cited) if other.key == "allow" else _weight(other) > _weight(cited)
        if outweighs and robotstxt.usable(other.value) and robotstxt.matches(other.value, path):
            raise Mismatch(f"line {other.number} outweighs line {cited.number}")
    _check_group(row, inside)


def _check_group(row, body):
    agents = {line.number: line.value for line in robotstxt.lines(body) if line.key == "user-agent"}
    agent = agents.get(row["group_line"])
    if agent is None or row["group_line"] >= row["rule_line"]:
        raise Mismatch(f"line {row['group_line']} is no user-agent line before line {row['rule_line']}")
    named = any(robotstxt.names(value, row["agent"]) for value in agents.values())
    if not (robotstxt.names(agent, row["agent"]) if named else agent == b"*"):
        raise Mismatch(f"the user-agent line {agent!r} does not govern {row['agent']}")


def _weight(rule):
    return len(robotstxt.normalise(rule.value, True))


def _check_text(stated, cited):
    """_check_text: the row holds the line; octets that are not UTF-8 may be encoded or replaced, long text is cut."""
    if stated.endswith(CUT):
        key, _, value = stated.removesuffix(CUT).partition(":")
        same = key.strip().lower() == cited.key and cited.value.startswith(value.strip().encode())
    else:
        same = any(line.key == cited.key and (
            robotstxt.normalise(line.value, True) == robotstxt.normalise(cited.value, True)
            or line.value == cited.value.decode("utf-8", "replace").encode()) for line in robotstxt.lines(stated.encode()))
    if not same:
        raise Mismatch(f"rule: the row says {stated!r}, line {cited.number} {cited.key}: {cited.value!r}")


def _check_certainty(row, archives, captures):
    own = row["agent"] is not None and row["agent"] == row["robots_agent"]
    contester = row["contested_warc_filename"], row["contested_warc_record_offset"]
    if row["certainty"] == "certain":
        require("evidence of a certain violation", row["evidence"], "fresh")
        require("a certain violation rests on the crawler's own capture", own, True)
        require("contested copy of a certain violation", contester, (None, None))
    elif row["certainty"] == "contested":
        if contester != (None, None):
            _check_contester(row, contester, archives, captures)
        elif not set((row["notes"] or "").replace(",", " ").split()) & set(OTHER_READINGS):
            raise Mismatch("contested, but no copy and no other reading is named")


def _check_contester(row, contester, archives, captures):
    capture = next((c for c in captures.values() if (c["warc_filename"], c["warc_record_offset"]) == contester), None)
    if capture is None:
        raise Mismatch(f"the contested copy {contester} is no row of robots")
    if capture["outcome"] == "unavailable":
        return
    body = archives.body(capture["body_warc_filename"], capture["body_warc_record_offset"])
    path = archive.origin_and_path(row["url"])[1]
    if not robotstxt.allows(robotstxt.within_limit(body), row["agent"], path):
        raise Mismatch("the copy that is said to allow does not")


def rows_of(folder, name):
    try:
        return parquet.read_table(folder / f"{name}.parquet").to_pylist()
    except (OSError, UnicodeDecodeError) as unread:
        sys.exit(f"recompute: {name}.parquet can't be read: {unread}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", type=Path, metavar="DIR", help="result folder of an audit")
    parser.add_argument("roots", nargs="+", type=Path, metavar="ARCHIVE_ROOT", help="folder (or file) that was audited")
    options = parser.parse_args()

    captures = {c["robots_id"]: c for c in rows_of(options.tables, "robots")}
    archives, kinds, failed = Archives(options.roots), Counter(), 0
    for name in ("violations", "contested"):
        for row in rows_of(options.tables, name):
            if row["kind"] != "fetch":  # of what pages say, pages.py
                continue
            kinds[row["certainty"]] += 1
            try:
                require("table", name == "contested", row["certainty"] == "contested")
                check(row, archives, captures)
            except (Mismatch, KeyError, TypeError) as wrong:
                failed += 1
                print(f"{name}: {row['url']} at {row['warc_filename']}:{row['warc_record_offset']}: {wrong!r}")
    total = sum(kinds.values())
    print(f"recompute: {total - failed} of {total} rows agree with their proof "
          f"({', '.join(f'{n} {kind}' for kind, n in sorted(kinds.items()))})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
