"""Each verdict is compared with the server's log of the crawl.

    crawlers_verdicts BINARY ARCHIVES CRAWLER... [--list]

ARCHIVES is a folder that crawlers.py made; --list lists each verdict that differs. The archives of each crawler are audited together,
then those of all crawlers.
"""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from warcio.archiveiterator import ArchiveIterator

import crawlers_oracle as oracle
import crawlers_web as web
from crawlers_tools import CRAWLERS
from lib import call, folder, table, words
from warc import archives_in

LIMIT = 3600
RANK = {"contested": 0, "possible": 0, "probable": 1, "certain": 2}


class Record(NamedTuple):
    """Record is a record of an answer of the server. Those of one archive come as they stand in it."""
    id: str
    number: int   # of the answer in the log
    whole: bool   # it has the body
    archive: str
    date: str     # to the second


def records(folder):
    """records gives the records of answers in the archives under folder."""
    for archive, path in archives_in(folder):
        with open(path, "rb") as stream:
            for record in ArchiveIterator(stream):
                served = record.http_headers and record.http_headers.get_header(web.SERVED)
                if served and record.rec_type in ("response", "revisit"):
                    whole = record.rec_type == "response" and record.http_headers.get_statuscode() != "304"
                    header = record.rec_headers.get_header
                    yield Record(header("WARC-Record-ID").strip("<>"), int(served), whole, archive, header("WARC-Date")[:len("2025-03-03T09:00:00")])


def by_archive(found):
    """by_archive groups records by their archives."""
    archives = {}
    for record in found:
        archives.setdefault(record.archive, []).append(record)
    return archives.values()


def shown_order(found):
    """shown_order gives each answer the number that the archives show: by date, and in one second as the records of an archive stand."""
    shown = {}
    for archive in by_archive(found):
        shown |= zip((record.number for record in sorted(archive, key=lambda record: record.date)), sorted(record.number for record in archive))
    return shown


def pairs(found, truth):
    """pairs counts pairs of a robots.txt and another fetch of its host, in one archive and second: all, and those in the wrong order."""
    count = Counter()
    for archive in by_archive(found):
        seconds = {}
        for record in archive:
            seconds.setdefault((record.date, truth.lines[record.number].host), []).append(record)
        for second in seconds.values():
            for at, one in enumerate(second):
                for other in second[at + 1:]:
                    robots = [truth.is_capture(truth.lines[record.number]) for record in (one, other)]
                    if robots[0] == robots[1]:
                        continue
                    count["all"] += 1
                    if one.number > other.number:
                        count["first" if robots[0] else "behind"] += 1
    return count


def audit(binary, folders, work):
    """audit gives the rows of fetches, as dictionaries."""
    call(binary, "audit", *folders, "-o", work)
    return table(work, "fetches")


COLUMNS = ("equal", "weaker", "unknown, by lack", "misled, by lack", "misled, by order", "unknown, yet held", "wrong",
           "without row", "not archived", "not served")

MOMENT = {"all": "pairs", "first": "first, though later", "behind": "behind, though earlier",
          "probable": "probable violations", "misled": "misled, by order"}


def says(row, note):
    return note in words(row["notes"])


def judge(row, truth, held, shown):
    """judge names what the row of the tool is beside the verdict by the whole log, that by what the archives hold, and
    that by what they hold in the order that they show."""
    kind = judge_beside(row, truth, held)
    if kind != "wrong":
        return kind
    # A redirect that may have led to a fetch clears it as little as it accuses it.
    if row["certainty"] == "possible" and truth.verdict == "allowed" and says(row, "redirect_target"):
        return "misled, by order"
    # A verdict that says that it rests on one of two answers may rest on the wrong one, unless it claims to be certain.
    if row["certainty"] != "certain" and says(row, "other_target"):
        return "misled, by order"
    # Only the header Referer, which robotsaudit does not read, shows that another page led to what a redirect of
    # robots.txt may have led to.
    if row["reason"] == "robots_txt_itself":
        return "misled, by lack"
    # Archives that lack what would refute a verdict mislead whoever reads them alone.
    if held != truth and judge_beside(row, held, held) in ("equal", "weaker"):
        return "misled, by lack"
    # What another crawler received stands in for the crawler's own copy, which no archive holds, and the verdict says so.
    if row["certainty"] == "probable" and says(row, "other_crawler") and truth.verdict == "disallowed":
        return "misled, by lack"
    # So do archives whose records stand in another order. Who accuses by that order has to say that it may be wrong.
    if (row["certainty"] not in ("probable", "certain") or says(row, "same_moment")) and judge_beside(row, shown, shown) in ("equal", "weaker"):
        return "misled, by order"
    return kind


def judge_beside(row, truth, held):
    if row["verdict"] == "unknown":
        if truth.verdict == "unknown":
            return "equal"
        return "unknown, by lack" if held.verdict == "unknown" else "unknown, yet held"
    if row["verdict"] != truth.verdict:
        return "wrong"
    if row["verdict"] == "allowed" or row["certainty"] == truth.certainty:
        return "equal"
    return "wrong" if RANK[row["certainty"]] > RANK[truth.certainty] else "weaker"


def compare(binary, folders, log, listed, label):
    found = [record for folder in folders for record in records(folder)]
    recorded = {record.id: record.number for record in found}
    answers = set(recorded.values())
    truth, archived = oracle.Oracle(log), [line for line in log if line.number in answers]
    held = oracle.Oracle(archived, {record.number for record in found if record.whole})
    place = shown_order(found)
    shown = oracle.Oracle(sorted(line._replace(number=place[line.number], time=truth.lines[place[line.number]].time) for line in archived),
                          {place[record.number] for record in found if record.whole})
    with folder() as work:
        rows = audit(binary, folders, work)
    counts, reasons, moment = Counter(), Counter(), pairs(found, truth)
    for row in rows:
        number = recorded.get((row["warc_record_id"] or "").strip("<>"))
        if number is None:
            counts["not served"] += 1
            continue
        said, could, seen = truth.verdict(number), held.verdict(number), shown.verdict(place[number])
        kind = judge(row, said, could, seen)
        counts[kind] += 1
        if row["certainty"] == "probable" and says(row, "same_moment"):
            moment["probable"] += 1
            moment["misled"] += kind == "misled, by order"
        if kind == "equal":
            continue
        if kind == "misled, by order":
            could = seen
        reasons[kind, row["reason"], row["verdict"], row["certainty"], said, could] += 1
        if listed:
            print(f"  {kind}: {row['url']} {row['fetch_time']} {row['warc_filename']}@{row['warc_record_offset']} "
                  f"{row['verdict']} {row['certainty'] or ''} ({row['reason']}, {row['evidence']}, agent {row['agent']}, "
                  f"notes {row['notes']}); log {number}: {said.verdict} {said.certainty} ({said.why}); archives: {could.verdict} {could.certainty} ({could.why})")
    counts["without row"] = len(answers) - sum(counts[k] for k in counts if k != "not served")
    counts["not archived"] = len(log) - len(answers)
    print(f"{label:20}{len(rows):8}" + "".join(f"{counts[name]:19}" for name in COLUMNS))
    return reasons, moment


def main(binary, archives: Path, *crawler, list: bool = False):
    log = oracle.read(archives / "server.jsonl", {name: CRAWLERS[name].token for name in crawler}, web)
    print(f"{'crawler':20}{'fetches':>8}" + "".join(f"{name:>19}" for name in COLUMNS))
    total, moments = Counter(), {}
    for name in crawler:
        own = [line for line in log if line.crawler == name]
        reasons, moments[name] = compare(binary, [archives / name], own, list, name)
        total += reasons
    if len(crawler) > 1:
        total += compare(binary, [archives / name for name in crawler], log, list, "all together")[0]
    print("\nWhat differs, and how often:")
    for (kind, reason, verdict, certainty, said, could), count in sorted(total.items(), key=lambda item: (item[0][0], -item[1])):
        print(f"{count:6}  {kind}: {verdict} {certainty or ''} ({reason}); by the log {said.verdict} {said.certainty} ({said.why}), "
              f"by the archives {could.verdict} {could.certainty} ({could.why})")
    print("\nA robots.txt and another fetch of its host in one second of an archive (same_moment):")
    print(f"{'crawler':20}" + "".join(f"{title:>26}" for title in MOMENT.values()))
    for name, moment in moments.items():
        print(f"{name:20}" + "".join(f"{moment[key]:26}" for key in MOMENT))
    wrong = sum(count for key, count in total.items() if key[0] == "wrong")
    certain = sum(count for key, count in total.items() if key[0] == "wrong" and key[3] == "certain")
    print(f"\n{wrong} wrong, {certain} of them certain" if wrong else "\nno verdict is wrong")
    return wrong
