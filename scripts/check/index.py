"""Indexes that other programs write are read as they meant them; each loss against archives has a reason.

    index BINARY

cdxj-indexer writes CDXJ and CDX of the archives of testdata and ../shared, pyarrow and DuckDB write Parquet:
internal/cdx/oracle_test.go compares. Then audits of indexes and archives of robots.txt are compared with audits of the
whole archives: every row of an index must give the fetch that its archive gives, verdict and all, but for what LOST
names. It fails where something differs without a reason, or if one of the reasons is no longer needed. Archives hold all
that their own indexes can state: beside these, every table is that of the archives alone.
"""

import gzip
import os
import re
import sys
from pathlib import Path

import duckdb

import ccindex
import index_makers as make
import whole
from lib import ROOT, TESTDATA, audit_list, call, folder as temporary, shared, words

LIMIT = 1800


class Pair:
    """A row of a table, as the archive gives it and as an index does."""

    def __init__(self, want, got):
        self.want, self.got = want, got
        self.notes = {name: words(f["notes"]) for name, f in (("want", want), ("got", got))}
        self.indexed = got["record_type"] == "indexed"

    def same_second(self):
        return "same_moment" in self.notes["got"]

    def dated(self):
        """dated tells whether the index has a date which the record has not."""
        return (self.want["fetch_time"] or "")[:19] != (self.got["fetch_time"] or "")[:19]


# What is lost: why, in which columns, and when. The table in docs/FORMATS.md has it in these words.
VERDICT = {"verdict", "reason", "evidence", "certainty", "notes", "rule", "rule_line", "group_line", "agent_match"}
LOST = [
    ("the record itself", {"record_type", "trust"}, lambda p: p.indexed and p.got["trust"] == "indexed"),
    ("the record itself", {"certainty"}, lambda p: (p.want["certainty"], p.got["certainty"]) == ("certain", "probable")),
    ("the record itself", {"notes"}, lambda p: p.notes["got"] - {"indexed"} == p.notes["want"]),
    ("the record itself", {"grounds"}, lambda p: p.want["certainty"] != p.got["certainty"] or p.notes["want"] != p.notes["got"] or p.want["evidence"] != p.got["evidence"] or p.indexed),
    ("the request: the method", {"fetch_method"}, lambda p: p.indexed and p.got["fetch_method"] == ""),
    ("the request: the User-Agent", {"agent", "agent_source", "user_agent"}, lambda p: p.indexed),
    ("the request: the User-Agent", VERDICT, lambda p: p.want["agent"] != p.got["agent"]),
    ("the request: the User-Agent", {"notes"}, lambda p: p.notes["want"] - p.notes["got"] == {"token_by_option"}),
    ("the order of records in the archive", {"evidence"}, lambda p: p.same_second()),
    ("the order of records in the archive", {"notes"}, lambda p: p.notes["got"] - {"indexed", "same_moment", "order_doubt"} == p.notes["want"]),
    ("the order of records in the archive", {"verdict", "reason", "certainty", "notes", "rule_line"},
     lambda p: p.got["reason"] == "changed_between" and "order_doubt" in p.notes["got"]),
    ("the order of records in the archive", {"robots_id"}, lambda p: p.want["robots"] == p.got["robots"]),
    ("fractions of a second", {"fetch_time"}, lambda p: not p.dated()),
    ("dates that are coarse or impossible", {"fetch_time", "reason"}, lambda p: p.indexed and p.dated()),
    ("bytes of a URL outside printable ASCII", {"url", "url_surtkey"}, lambda p: plain(p.want["url"]) == plain(p.got["url"])),
    ("whether the record is a revisit, and of what", {"content_mime_type", "modality"}, lambda p: p.want["record_type"] == "revisit"),
    ("header fields and metas", {"tags_from", "tags"}, lambda p: p.got["tags_from"] == "unknown"),
    ("header fields and metas", {"fetch_redirect"}, lambda p: p.indexed and p.got["fetch_redirect"] is None),
    ("the warcinfo record: `robots`, the software", {"claim"}, lambda p: p.indexed and p.got["claim"] is None),
    ("the warcinfo record: `robots`, the software", {"own_reading"}, lambda p: p.indexed and p.got["own_reading"] is None),
    ("metadata records and page lists", {"via", "hops_from_seed", "is_seed", "force_fetch", "fetch_duration_ms"},
     lambda p: p.indexed and not {p.got[c] for c in ("via", "hops_from_seed", "is_seed", "force_fetch", "fetch_duration_ms")} - {None}),
    ("WARC-Record-ID, WARC-Truncated", {"warc_record_id"}, lambda p: p.indexed and p.got["warc_record_id"] is None),
    ("digest, length, media type and record ID as recorded", {"warc_record_id"}, lambda p: p.indexed and p.want["warc_record_id"] in (None, p.got["warc_record_id"].upper().replace("URN:UUID", "urn:uuid"))),
    ("WARC-Record-ID, WARC-Truncated", {"content_truncated"}, lambda p: p.indexed),
    ("digest, length, media type and record ID as recorded", {"content_digest"}, lambda p: p.indexed),
    ("digest, length, media type and record ID as recorded", {"warc_record_length"}, lambda p: p.got["warc_record_length"] == -1),
    ("digest, length, media type and record ID as recorded", {"warc_record_length"}, lambda p: 0 < p.got["warc_record_length"] < p.want["warc_record_length"]),
    ("digest, length, media type and record ID as recorded", {"content_mime_type"}, lambda p: p.indexed and not p.want["content_mime_type"].isascii()),
    ("digest, length, media type and record ID as recorded", {"content_mime_detected", "content_languages"},
     lambda p: p.indexed and p.got["content_mime_detected"] in (None, p.got["content_mime_type"])),
    ("digest, length, media type and record ID as recorded", {"payload_bytes", "payload_bytes_decoded"},
     lambda p: p.indexed and p.got["payload_bytes"] is p.got["payload_bytes_decoded"] is None),
    ("damage of the archive", {"url", "url_surtkey"}, lambda p: p.got["url"].startswith(p.want["url"] + "%20"))]
VIOLATION = ("certain", "probable")
# What none of these archives shows. evaluate/scenario/testdata/9-indexes.txt does.
ELSEWHERE = {"the answers that led from a robots.txt elsewhere", "the zone of dates", "whether the record is of a fetch"}


def check_documents():
    """check_documents compares the rules with the table."""
    text = (ROOT / "docs/FORMATS.md").read_text()
    section = text[text.index("\n## Indexes and lists"):]
    table = section[section.index("| lost | consequence |"):].split("\n\n")[0].splitlines()[2:]
    documented, ruled = {row.split("|")[1].strip() for row in table}, {reason for reason, _, _ in LOST} | ELSEWHERE
    if documented != ruled:
        sys.exit(f"docs/FORMATS.md and the rules differ: {documented ^ ruled}")


def main(binary):
    check_documents()
    roots, comparison = [TESTDATA, *shared("warc")], whole.Comparison(LOST)
    with temporary() as tmp:
        make.write_all(tmp, roots)
        call("go", "test", "-count=1", "-run", "Oracle", "./internal/cdx", cwd=ROOT, env=os.environ | {"ROBOTSAUDIT_INDEXES": str(tmp)}, codes=(0,))
    with temporary() as tmp:
        folders = list(whole.wholes(binary, roots, tmp))
        for maker, made in makers(folders, tmp):
            for i, (folder, (indexes, rows)) in enumerate(zip(folders, made)):
                if indexes:
                    out = tmp / f"{maker}-{i}"
                    for options in whole.OPTIONS:
                        compare(" ".join((maker, *options)), folder, options, folder.audit(out, folder.robots + indexes, options), rows, comparison)
        for i, folder in enumerate(folders):
            compare_own(binary, folder, tmp / f"own-{i}", comparison)
    return comparison.finish(roots, "{fetches} fetches compared; the makers left out {untold}; {own} audits beside an own index".format_map(comparison.counts))


# Archives that differ beside their own index, and why.
CUT = "the record is cut, or nothing proves its end: it is none; warcio takes what there is of it, and the row is an index's word for it"
ODD = {
    "alexa_charset_in_header.arc.gz": "a content type with spaces: the address shows where it begins; warcio makes it part of the URL",
    "example-space-in-url.arc": CUT, "invalid-warcheaderfieldpolicy-3.warc": CUT, "invalid-warcheaderfieldpolicy-4.warc": CUT,
    "invalid-warcrecord-3.warc": CUT,
    "transposed_header.arc.gz": "address and date the wrong way round: read as they are meant; warcio takes the address for a date"}


def compare_own(binary, folder, tmp, comparison):
    archives = [path for path in folder.archives if path.name not in ODD]
    audit_list(binary, tmp / "alone", archives)
    for options in [(*form, *records) for form in ((), ("-11",), ("-9",)) for records in ((), ("--records", "all"))]:
        beside = tmp / "-".join(("with", *options))
        beside.mkdir()
        for path in archives:
            if (text := make.indexed(path, *options)).strip():
                (beside / f"{path.name}.{'cdx' if '-11' in options or '-9' in options else 'cdxj'}").write_text(text)
        audit_list(binary, beside / "out", [*archives, *(p for p in beside.iterdir() if p.is_file())])
        comparison.counts["own"] += 1
        for path in (tmp / "alone").glob("*.parquet"):
            alone, both = (f"SELECT * FROM '{out / path.name}'" + f" WHERE NOT starts_with(warc_filename, '{beside}')" * (path.stem == "issues")
                           for out in (tmp / "alone", beside / "out"))
            for sign, one, other in ("-", alone, both), ("+", both, alone):
                comparison.unexplained += [f"{beside.name}: {path.stem} {sign} {row}"
                                           for row in duckdb.sql(f"({one}) EXCEPT ALL ({other})").fetchall()]


def makers(folders, tmp):
    """makers are ways to make indexes; of each folder, the indexes and the places of the records that they tell of."""
    for kind, options, rows in make.FORMS:
        maker = "".join((kind, *options))
        made = []
        for i, folder in enumerate(folders):
            made.append(([], set()))
            for archive in folder.archives:
                text = make.indexed(archive, *options)
                if text:
                    made[i][0].append(tmp / f"{i}-{archive.name}.{maker}")
                    made[i][0][-1].write_text(text)
                    made[i][1].update(placed(rows(text)))
        yield maker, made
    yield "wacz", [(folder.indexes, placed(row for path in folder.indexes for row in make.cdxj_rows(unpacked(path)))) for folder in folders]
    lines = {}
    for i, folder in enumerate(folders):
        text = "".join(make.indexed(a, "--fields", "http:location,warc-record-id,warc-truncated") for a in folder.archives)
        lines[f"CC-MAIN-2024-{i:02}"] = sorted(text.splitlines())
    rows = [placed(make.cdxj_rows("\n".join(text))) for text in lines.values()]
    for form in ccindex.FORMS:
        ccindex.write(form, lines, tmp / f"cc-index-{form}")
        parts = [tmp / f"cc-index-{form}" / f"crawl={crawl}" for crawl in lines]
        yield f"cc-index {form}", [([p] if p.is_dir() else [], r) for p, r in zip(parts, rows)]


def unpacked(path):
    return (gzip.open if path.suffix == ".gz" else open)(path, "rt").read()


def placed(rows):
    return {(Path(row["Filename"]).name, row["Offset"]) for row in rows}


def plain(url):
    """plain is what indexers leave of a URL: they escape bytes outside printable ASCII, or take them for Latin-1."""
    return re.sub(r"%..|[^!-~]", "", url)


def sort_of(row):
    """sort_of is by what rows are told to be of one fetch."""
    return plain(row["url"]), (row["fetch_time"] or "")[:19]


def compare(maker, folder, options, got, rows, comparison):
    wanted = folder.results(options)
    fetches, pairs = dict(got["fetches"]), []
    known = {sort_of(f) for f in fetches.values()}
    for place, want in wanted["fetches"].items():
        f, told = fetches.pop(place, None), place in rows
        pairs.append((want, f))
        if f is not None:
            comparison.counts["fetches"] += 1
            comparison.row(f"{maker}: fetches {place}", want, f, Pair(want, f))
        elif not told:
            comparison.counts["untold"] += 1
        elif sort_of(want) in known:
            comparison.lost["one fetch, not two", "(all)"] += 1
        elif want["fetch_status"] is None and want["content_mime_type"] is None:
            comparison.lost["whether the record is of a fetch", "(all)"] += 1
        else:
            comparison.unexplained.append(f"{maker}: {place}: no fetch of {want['url']}")
    for place, f in fetches.items():
        pairs.append((None, f))
        kinds = wanted["issues"](*place)
        if "duplicate_record" in kinds:
            comparison.lost["one fetch, not two", "(all)"] += 1
        elif folder.types.get(place) == "metadata" and f["fetch_status"] is None:
            comparison.lost["rows that are no fetches", "(all)"] += 1
        elif kinds:
            comparison.lost["damage of the archive", "(all)"] += 1
        else:
            comparison.unexplained.append(f"{maker}: {place}: the archives have no fetch of {f['url']}")
    for f in got["again"]:
        if f["reason"] == "robots_txt_itself":
            comparison.lost["one fetch, not two", "(all)"] += 1
        else:
            comparison.unexplained.append(f"{maker}: two fetches of {f['url']}")
    for place, want in wanted["disallowed"].items():
        if f := got["disallowed"].get(place):
            comparison.counts["disallowed"] += 1
            comparison.row(f"{maker}: disallowed {place}", want, f, Pair(want, f))
    for place, want in wanted["robots"].items():
        if f := got["robots"].get(place):
            comparison.row(f"{maker}: robots {place}", want, f)
        else:
            comparison.unexplained.append(f"{maker}: robots {place} is missing")
    for place in got["robots"].keys() - wanted["robots"].keys():
        comparison.unexplained.append(f"{maker}: robots {place} is none of the archives'")
    for want, f in pairs:
        if f and f["certainty"] in VIOLATION and not (want and want["certainty"] in VIOLATION):
            comparison.unexplained.append(f"{maker}: {f['url']}: a violation that the archives do not show: {want and want['certainty']}")


