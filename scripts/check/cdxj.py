"""records --format cdxj agrees with pywb's cdxj-indexer, line by line; each difference has a reason.

    cdxj BINARY

Lines of testdata/warc and ../shared/warc stand for one another by their offset. It exits with 1 if a line differs for which no reason
is given below, or if one of the reasons is no longer needed.
"""

import contextlib
import io
import json
import logging
import subprocess

from cdxj_indexer.main import CDXJIndexer

from lib import TESTDATA, shared
from warc import ENDINGS

# Why files have lines that differ.
REASONS = {name: why for why, names in {
    "a date of other than 14 digits: the start of what is certain; warcio fills up to the end":
        "10_digit_date.arc.gz 18_digit_date.arc.gz arc_v1_with_v2_header.arc.gz",
    "a date that cannot be read: left out, and said so; warcio makes digits of what it finds":
        "14_digit_plus_text_date.arc.gz hex_instead_of_date.arc.gz",
    "a content type with spaces: the address shows where it begins; warcio makes the address part of the URL":
        "alexa_charset_in_header.arc.gz",
    "no HTTP status and no head: none is given; warcio takes a word for it": "alexa_short_header.arc.gz",
    "a header without a length that can be read: none of what follows is certain; warcio goes on with the lines behind":
        "bad.arc invalid-warcfile-fields-empty.warc invalid-warcfile-fields-invalidformat.warc negative_content_length.arc.gz",
    "a port that is no number: the host is read; surt fails, and the URL is the key":
        "bad_url_with_colon_1.arc.gz bad_url_with_colon_2.arc.gz",
    "a URL that is no UTF-8: its bytes are percent-encoded; surt takes them for Latin-1 and encodes that as UTF-8":
        "chardet_failure_url.arc.gz formfeed_in_url.arc.gz non_ascii_url.arc.gz",
    "a wrong Content-Length: the record ends where its digest proves; warcio believes the length":
        "example-bad-length.warc example-trunc.warc",
    "the record is cut: it is none; warcio takes what there is of it":
        "example-space-in-url.arc invalid-warcheaderfieldpolicy-3.warc invalid-warcheaderfieldpolicy-4.warc",
    "a record over several members: all of them are its place; warcio stops behind the first": "example-wrong-chunks.warc.gz",
    "behind the block comes no record: it is none; warcio takes it, and fails behind it": "invalid-warcrecord-3.warc",
    "address and date the wrong way round: read as they are meant; warcio takes the address for a date": "transposed_header.arc.gz",
    "fields on continuation lines (WARC 1.1 section 4); warcio's value begins with white space": "valid-warcfile-fields-metainfo.warc",
    "WARC-Type and scheme in any case (WARC 1.1 section 4); warcio reads them as written": "valid-warcfile-upper-lower-case.warc",
}.items() for name in names.split()}


def lines(text):
    """lines gives the lines of an index by their offsets."""
    found = {}
    for line in text.splitlines():
        found[int(json.loads(line[line.index(' {"') + 1:])["offset"])] = line
    return found


def indexed(path):
    """indexed gives the lines that cdxj-indexer writes of an archive, and whether it failed."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            CDXJIndexer(out, str(path)).process_all()
    except Exception:  # of any kind: it fails in many ways
        return lines(out.getvalue()), True
    return lines(out.getvalue()), False


def main(binary):
    logging.disable()
    paths = sorted(path for root in (TESTDATA, *shared("warc")) for path in root.rglob("*"))
    known = {path.name for path in paths}
    equal = different = files = stopped = 0
    unexplained, explained = [], set()
    for path in paths:
        if not path.name.endswith(ENDINGS):
            continue
        files += 1
        theirs, failed = indexed(path)
        records = subprocess.run([binary, "records", "--format", "cdxj", path], capture_output=True, check=False)
        ours = lines(records.stdout.decode("ascii"))
        if records.returncode not in (0, 3):
            unexplained.append(f"{path}: exit code {records.returncode}: {records.stderr.decode()}")
        if failed:  # what it read before it stopped
            stopped += 1
            ours = {offset: line for offset, line in ours.items() if offset in theirs}
        for offset in sorted(theirs.keys() | ours.keys()):
            if theirs.get(offset) == ours.get(offset):
                equal += 1
                continue
            different += 1
            reason = REASONS.get(path.name)
            explained.add(path.name)
            if reason:
                print(f"differs: {path.name}:{offset}: {reason}")
            else:
                unexplained.append(f"{path}:{offset}:\n  cdxj-indexer  {theirs.get(offset)}\n  robotsaudit   {ours.get(offset)}")
    unexplained += [f"{name}: no line differs any more; take it out of REASONS" for name in sorted((REASONS.keys() & known) - explained)]
    for text in unexplained:
        print(f"UNEXPLAINED: {text}")
    print(f"{files} archives, {equal} lines equal, {different} differ, {len(unexplained)} without a reason; "
          f"cdxj-indexer failed on {stopped} archives, of which the lines before that count")
    return unexplained != []
