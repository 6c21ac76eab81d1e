"""WATs that three releases of webarchive-commons make give the verdicts of their archives; each loss has a reason.

    wat BINARY [ARCHIVES [SEED]] [--scenarios N] [--keep DIR]

The archives are those of testdata and ../shared, or a number of random ones: see wat_random.py. Two of the releases keep
the last of repeated header fields alone, as Common Crawl did before CC-MAIN-2024-51. Needs a JDK and Maven. Every record that the WATs describe must give the fetch that its archive gives, verdict and all, but
for what LOST names. It fails where something differs without a reason, or if one of the
reasons is no longer needed.
"""

import gzip
import json
from pathlib import Path

import run
import whole
from lib import TESTDATA, audit_list, call, folder as temporary, shared, words

HERE = Path(__file__).resolve().parent / "wat"
LIMIT = 1800
VERSIONS = ["1.1.8", "1.1.9", "3.0.4"]


class Pair:
    """A fetch, as its archive gives it and as a WAT does, and what the WAT tells of the record."""

    def __init__(self, want, got, envelope, container):
        self.want, self.got, self.container = want, got, container
        self.http = envelope["Payload-Metadata"].get("HTTP-Response-Metadata", {})
        self.notes = {name: words(f["notes"]) for name, f in (("want", want), ("got", got))}

    def unread(self):
        """unread tells whether the maker could not read all of the HTTP head."""
        return self.http.get("Response-Message", {}).get("Status", "0") == "0" or "Headers-Corrupt" in self.http

    def same_second(self):
        return "same_moment" in self.notes["got"]


# What is lost: why, in which column, and when. docs/SEMANTICS.md, "WAT files", has the same.
LOST = [
    ("no record was read", {"record_type"}, lambda p: p.got["record_type"] == "indexed"),
    ("no record was read", {"trust"}, lambda p: p.got["trust"] == "indexed"),
    ("at most probable", {"certainty"}, lambda p: (p.want["certainty"], p.got["certainty"]) == ("certain", "probable")),
    ("the order of records of one second", {"evidence"}, lambda p: p.same_second()),
    ("at most probable", {"notes"}, lambda p: p.notes["got"] - p.notes["want"] <= {"indexed", "same_moment"}),
    ("bytes of URLs outside ASCII", {"notes"}, lambda p: "url_cut" in p.notes["got"]),
    ("bytes of URLs outside ASCII", {"url"}, lambda p: "\ufffd" in p.got["url"]),
    ("bytes of URLs outside ASCII", {"url_surtkey"}, lambda p: "\ufffd" in p.got["url"]),
    ("HTTP heads that the maker could not read", {"fetch_status"}, lambda p: p.got["fetch_status"] is None and
     p.unread()),
    ("HTTP heads that the maker could not read", {"content_mime_type"}, lambda p: p.got["content_mime_type"] is None
     and p.unread()),
    ("HTTP heads that the maker could not read", {"modality"}, lambda p: p.got["modality"] is None and p.unread()),
    ("no payload was read", {"payload_bytes", "payload_bytes_decoded"},
     lambda p: p.got["payload_bytes"] is p.got["payload_bytes_decoded"] is None),
    ("lengths of what is not compressed", {"warc_record_length"}, lambda p: p.got["warc_record_length"] == -1 and
     not p.container["Compressed"]),
    ("lengths of members with a damaged gzip header, and of records in several members", {"warc_record_length"},
     lambda p: 0 < p.got["warc_record_length"] < p.want["warc_record_length"]),
    ("whose tags they are", {"tags_from"}, lambda p: p.got["tags_from"] in ("wat", "unknown")),
    ("tags of pages that the maker could not read", {"tags"}, lambda p: p.got["tags_from"] == "unknown"),
    ("where in a page a meta stands", {"tags"}, lambda p: not p.want["tags"] and p.got["tags_from"] == "wat"),
]


def described(wat):
    """described are the places of the records that a WAT describes, and what it tells of each."""
    found = {}
    for line in gzip.open(wat):
        if line.startswith(b'{"'):
            record = json.loads(line)
            found[record["Container"]["Filename"], int(record["Container"]["Offset"])] = record
    return found


def place(fetch):
    return Path(fetch["warc_filename"]).name, fetch["warc_record_offset"]


def libraries():
    """libraries are the folders of the releases, kept beside the Python environments."""
    for version in VERSIONS:
        yield run.made(f"webarchive-commons-{version}", HERE / "pom.xml", lambda to: call(
            "mvn", "-q", "-B", "-Dstyle.color=never", "-f", HERE / "pom.xml", f"-Dcommons={version}", "dependency:copy-dependencies",
            f"-DoutputDirectory={to}", codes=(0,)))


def wats(library, archives, to):
    """wats makes a WAT of each archive."""
    to.mkdir(parents=True, exist_ok=True)
    made = {archive: to / f"{archive.name}.wat.gz" for archive in archives}
    print(call("java", "-cp", f"{library}/*", HERE / "Wats.java", *(x for archive, wat in made.items() for x in (wat, archive))), end="")
    return made


def main(binary, archives: int = 0, seed: int = 1, *, scenarios: int = 60, keep=None):
    if archives:
        import wat_random

        return wat_random.main(binary, archives, seed, scenarios, keep)
    roots, comparison = [TESTDATA, *shared("warc")], whole.Comparison(LOST)
    with temporary() as tmp:
        folders = list(whole.wholes(binary, roots, tmp, prefix="robots-"))
        for library in libraries():
            for i, folder in enumerate(folders):
                made = wats(library, folder.archives, tmp / library.name / str(i))
                told = {}
                for wat in made.values():
                    told |= described(wat)
                inputs = [wat for wat in made.values() if wat.stat().st_size]
                if not inputs:
                    continue
                out, got = tmp / f"{library.name}-{i}", {}
                audit_list(binary, out, folder.robots + inputs)
                for f in whole.table(out, "fetches"):
                    if f["record_type"] == "indexed":
                        got.setdefault(place(f), f)
                for want in folder.fetches:
                    compare(library.name, want, got, told, comparison)
    counts = comparison.counts
    return comparison.finish(roots, f"{counts['fetches']} fetches compared; the makers left out {counts['untold']}; "
                             f"{counts['robots']} of robots.txt were found by their records")


def compare(version, want, got, told, comparison):
    record, f = told.get(place(want)), got.get(place(want))
    if record is None:
        comparison.counts["untold"] += 1
        return
    if f is None:
        header = record["Envelope"].get("WARC-Header-Metadata", {})
        same = [r for r in told.values() if r["Envelope"].get("WARC-Header-Metadata",
                                                              {}).get("WARC-Record-ID") == header.get("WARC-Record-ID")]
        if want["reason"] == "robots_txt_itself":
            comparison.counts["robots"] += 1
        elif len(same) > 1:
            comparison.lost["records that share an ID are one fetch", "(all)"] += 1
        else:
            comparison.unexplained.append(f"{version}: {place(want)}: no fetch of {want['url']}")
        return
    comparison.counts["fetches"] += 1
    comparison.row(f"{version}: {place(want)}", want, f, Pair(want, f, record["Envelope"], record["Container"]),
                   leave=("robots_id", "warc_filename"))
