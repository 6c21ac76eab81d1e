"""The server's access log of a crawl is audited and compared with what the server did, and with the audit of the archives.

    crawlers_logs BINARY ARCHIVES CRAWLER... [--list]

ARCHIVES is a folder that crawlers.py made. The log is written as Apache writes it (a line has the second in which a
request began) and as nginx writes JSON (the millisecond in which it ended); SLOWER stretches its time, so that the ten
minutes in which nothing is certain pass. A table has the bodies that the server sent, each at the second in which it
first did. Each log is audited without addresses, and with a list that has the crawlers' own.
"""

import base64
import json
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

import crawlers_oracle as oracle
import crawlers_verdicts as verdicts
import crawlers_web as web
from crawlers_tools import CRAWLERS
from lib import audit, folder, table, words

LIMIT = 3600
SLOWER = 100
DOUBTED = {"certain", "probable", "possible", "contested"}
# Why the archive and the log may say something else of a request: the first that holds.
WHY = (
    ("a redirect of robots.txt led to it: a log has no Location", lambda one, other, row, log: row["reason"] == "robots_txt_itself"),
    ("its robots.txt redirects: a log has no Location", lambda one, other, row, log: log["reason"] in ("undefined_status", "no_capture")),
    ("the archive has no robots.txt, and the log has", lambda one, other, row, log: row["reason"] == "no_capture"),
    ("which version was served is known by its time alone", lambda one, other, row, log: "listed_robots" in words(log["notes"])),
    ("it was refused to another client: that counts in an archive alone", lambda one, other, row, log: "permitted_copy" in words(row["notes"]) - words(log["notes"])
     or log["reason"] == "refused_to_other"),
    ("the log has what other clients were served, too", lambda one, other, row, log: {"other_crawler", "permitted_copy"} & (words(log["notes"]) - words(row["notes"]))
     or row["reason"] == "changed_between"),
    ("within ten minutes a log proves no order", lambda one, other, row, log: one == "certain" and other in DOUBTED and "logged" in words(log["notes"])),
    ("the moments differ: a log has that at which an answer ended", lambda one, other, row, log: {one, other} <= {"probable", "possible", "allowed"}),
)
# name: how a line is written, options
FORMATS = {
    "Apache": (lambda line, begun, ended: f'{line["host"] if ":" in line["host"] else line["host"] + ":80"} {line["client"]} - - '
               f'[{datetime.fromtimestamp(begun, timezone.utc):%d/%b/%Y:%H:%M:%S +0000}] "{line["method"]} {line["target"]} HTTP/1.1" '
               f'{line["status"]} {line["size"] or "-"} "{line["referer"] or "-"}" "{line["agent"] or "-"}"',
               ("--line-format", '%v:%p %h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"')),
    "nginx JSON": (lambda line, begun, ended: json.dumps({
        "msec": f"{ended:.3f}", "remote_addr": line["client"], "http_host": line["host"], "scheme": "http", "request": f'{line["method"]} {line["target"]} HTTP/1.1',
        "status": line["status"], "body_bytes_sent": line["size"], "http_user_agent": line["agent"] or ""}), ()),
}


def stretched(moment, first, slower):
    return first + (moment - first) * slower


def write(lines, work, line_of, slower):
    """write writes a log, and the table; it returns the number of the line at each offset."""
    first, at, sent = lines[0]["time"], {}, {}
    with open(work / "access.log", "w") as log, open(work / "robots.jsonl", "w") as versions:
        for line in lines:
            begun, ended = (stretched(line[name], first, slower) for name in ("began", "time"))
            at[log.tell()] = line
            log.write(line_of(line, begun, ended) + "\n")
            body = line.get("body", "")
            if line["target"] == "/robots.txt" and line["status"] == 200 and sent.get(line["host"]) != body:
                sent[line["host"]] = body
                moment = f"{datetime.fromtimestamp(ended, timezone.utc):%Y-%m-%dT%H:%M:%SZ}"
                versions.write(json.dumps({"host": line["host"], "time": moment, "status": 200, "body_b64": body}) + "\n")
    return at


def last_served(lines):
    """last_served gives each line of a crawler the lines for robots.txt that it was served before, by host."""
    had, before = {}, {}
    for line in lines:
        key = line["crawl"], line["agent"], line["host"]
        before[line["number"]] = had.get(key, ())
        if line["target"] == "/robots.txt" and line["method"] == "GET":
            had[key] = (*had.get(key, ()), line)
    return before


def judge(row, truth):
    """judge names what a row is beside the truth. The log of a site has what it served to others, too: what a crawler had
    not asked for may be probable, never certain."""
    if row["verdict"] == "unknown":
        return "equal" if truth.verdict == "unknown" else "unknown"
    if row["verdict"] != truth.verdict:
        if truth.why.endswith("robots_txt_itself") and row["certainty"] != "certain":
            return "redirected"  # the robots.txt of another site led to it, which no log of this one shows
        return "surer" if row["certainty"] in ("certain", "probable") and "same_moment" not in words(row["notes"]) else "other"
    if row["verdict"] == "allowed" or row["certainty"] == truth.certainty:
        return "equal"
    if verdicts.RANK[row["certainty"]] < verdicts.RANK[truth.certainty]:
        return "weaker"
    return "surer" if row["certainty"] == "certain" else "by others"


def is_forged(capture, at):
    """is_forged tells whether the capture that governs is a forger's line: it counts as the crawler's own, where no list
    tells the addresses apart."""
    return capture["warc_filename"] == "access.log" and at[capture["warc_record_offset"]]["crawl"] == web.FORGED


def compare(binary, name, lines, log, form, slower, ranges, listed, counts):
    """compare audits one log, and returns its rows by the numbers of their lines."""
    line_of, options = FORMATS[form]
    by_number = {}
    with folder() as work:
        at = write(lines, work, line_of, slower)
        sites = [word for host in web.hosts.HOSTS for word in ("--site", f"http://{host}")]
        tokens = {line.token for line in log}
        (work / "own.json").write_text(json.dumps({"prefixes": [{"ipv4Prefix": f"{address}/32"} for address in ("10.0.0.1", "127.0.0.1")]}))
        addresses = [word for token in sorted(tokens) for word in ("--ranges", f"{token}={work / 'own.json'}")] if ranges else []
        audit(binary, work / "out", [], "--access-log", work / "access.log", "--robots", work / "robots.jsonl", *sites, *options, *addresses)
        rows, captures = table(work / "out", "fetches"), {row["robots_id"]: row for row in table(work / "out", "robots")}
    first = lines[0]["time"]
    # What the site refuses to a client counts for that client alone.
    truths = {token: oracle.Oracle([line._replace(time=stretched(line.time, first, slower)) for line in log
                                    if line.token == token or not oracle.Oracle.is_capture(line) or
                                    line.status < 500 and line.status not in (401, 403, 429)]) for token in tokens}
    of_line = {line.number: line for line in log}
    before, wrong = last_served(lines), []
    for row in rows:
        line = at[row["warc_record_offset"]]
        by_number[line["number"]] = row
        where = f"{name}, {form}, ranges {ranges}, {slower}: {line['number']} {row['url']} {row['verdict']} {row['certainty']} ({row['reason']}, {row['notes']})"
        if row["url"] != f"http://{line['host']}{line['target']}" or row["fetch_status"] != line["status"]:
            wrong.append(where + ": is not the request")
        if line["target"] == "/robots.txt":
            continue
        if line["crawl"] == web.FORGED:
            counts[form, slower, ranges]["forged" if ranges else "forged, unseen"] += 1
            if ranges and row["reason"] != "forged_agent" or row["certainty"] == "certain":
                wrong.append(where + ": comes from elsewhere")
            continue
        said = truths[of_line[line["number"]].token].verdict(line["number"])
        kind = "not a crawler" if row["reason"] == "no_crawler" else judge(row, said)
        capture = captures.get(row["robots_id"])
        if kind == "surer" and row["certainty"] != "certain" and not ranges and is_forged(capture, at):
            kind = "by a forger"
        counts[form, slower, ranges][kind] += 1
        if kind == "surer":
            wrong.append(where + f": {said.verdict} {said.certainty} ({said.why})")
        if row["reason"] == "forged_agent":
            wrong.append(where + ": is the crawler's own")
        # What a certain verdict names was served to this client.
        if row["certainty"] == "certain":
            counts[form, slower, ranges]["certain"] += 1
            named, had = at[capture["warc_record_offset"]], before[line["number"]]
            body = base64.b64decode(had[-1].get("body", "")) if had else b""
            if named["number"] not in [line["number"] for line in had] or row["reason"] == "rule" and \
                    (named["number"] != had[-1]["number"] or capture["body_size"] != len(body)):
                wrong.append(where + f": names {named['number']}")
    if len(rows) != len(lines):
        wrong.append(f"{name}, {form}: {len(rows)} rows of {len(lines)} lines")
    if listed:
        print(*wrong, sep="\n")
    return by_number, wrong


def beside(binary, archives, name, by_number, sides):
    """beside counts what the audits of archive and log say of the same request, where they differ."""
    numbers = {record.id: record.number for record in verdicts.records(archives / name)}
    wrong = []
    with folder() as work:
        for row in verdicts.audit(binary, [archives / name], work):
            other = by_number.get(numbers.get((row["warc_record_id"] or "").strip("<>")))
            if other is None:
                continue
            pair = [r["certainty"] or r["verdict"] for r in (row, other)]
            if pair[0] == pair[1]:
                sides["the same"] += 1
                continue
            why = next((why for why, holds in WHY if holds(*pair, row, other)), None)
            sides[why or "for no reason"] += 1
            if why is None or set(pair) == {"certain", "allowed"}:
                wrong.append(f"{name}: {row['url']}: {pair[0]} ({row['reason']}, {row['notes']}) by the archive, "
                             f"{pair[1]} ({other['reason']}, {other['notes']}) by the log")
    return wrong


def main(binary, archives: Path, *crawler, list: bool = False):
    raw = [json.loads(line) for line in open(archives / "server.jsonl")]
    log = oracle.read(archives / "server.jsonl", {name: CRAWLERS[name].token for name in crawler}, web)
    counts, sides, wrong = {}, Counter(), []
    for name in crawler:
        own = [line for line in log if line.crawler == name]
        span = own[0].number, own[-1].number
        lines = [line for line in raw if span[0] <= line["number"] <= span[1]]
        for form in FORMATS:
            for slower, ranges in ((1, False), (1, True), (SLOWER, True)):
                counts.setdefault((form, slower, ranges), Counter())
                by_number, found = compare(binary, name, lines, own, form, slower, ranges, list, counts)
                wrong += found
                if form == "nginx JSON" and slower == 1 and ranges:
                    wrong += beside(binary, archives, name, by_number, sides)
    print("The access logs beside what the server did:")
    columns = sorted({kind for of in counts.values() for kind in of})
    print(f"{'format, times, ranges':32}" + "".join(f"{kind:>16}" for kind in columns))
    for (form, slower, ranges), of in counts.items():
        print(f"{form + f', {slower}, ' + ('ranges' if ranges else 'none'):32}" + "".join(f"{of[kind]:16}" for kind in columns))
    print("\nWhat the archive and the log say of one request:")
    for why, count in sides.most_common():
        print(f"{count:6}  {why}")
    print(*wrong[:20], sep="\n")
    print(f"{len(wrong)} wrong in the access logs")
    return wrong != []
