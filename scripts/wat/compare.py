"""Compare audits of WAT files and archives of robots.txt with audits of the whole archives.

    compare.py BINARY LIBRARIES FOLDER...

Every record that the WATs describe must give the fetch that its archive gives, verdict and all, but
for what LOST names. It exits with 1 where something differs without a reason, or if one of the
reasons is no longer needed.
"""

import gzip
import json
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "index"))
import whole


class Pair:
    """A fetch, as its archive gives it and as a WAT does, and what the WAT tells of the record."""

    def __init__(self, want, got, envelope, container):
        self.want, self.got, self.container = want, got, container
        self.http = envelope["Payload-Metadata"].get("HTTP-Response-Metadata", {})
        self.notes = {name: set((f["notes"] or "").split(",")) - {""} for name, f in (("want", want), ("got", got))}

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
    ("HTTP heads that the maker could not read", {"fetch_status"}, lambda p: p.got["fetch_status"] is None and p.unread()),
    ("HTTP heads that the maker could not read", {"content_mime_type"}, lambda p: p.got["content_mime_type"] is None and p.unread()),
    ("lengths of what is not compressed", {"warc_record_length"}, lambda p: p.got["warc_record_length"] == -1 and not p.container["Compressed"]),
    ("lengths of members with a damaged gzip header, and of records in several members", {"warc_record_length"}, lambda p: 0 < p.got["warc_record_length"] < p.want["warc_record_length"]),
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


def main():
    binary, libraries, roots = Path(sys.argv[1]).resolve(), Path(sys.argv[2]), [Path(root).resolve() for root in sys.argv[3:]]
    here = Path(__file__).parent
    comparison = whole.Comparison(LOST)
    with tempfile.TemporaryDirectory() as tmp:
        tmp = Path(tmp)
        folders = list(whole.wholes(binary, roots, tmp, prefix="robots-"))
        for version in sorted(path.name for path in libraries.iterdir()):
            wats = {}
            for i, folder in enumerate(folders):
                (tmp / version / str(i)).mkdir(parents=True)
                for archive in folder.archives:
                    wats[archive] = tmp / version / str(i) / f"{archive.name}.wat.gz"
            pairs = [str(x) for archive, wat in wats.items() for x in (wat, archive)]
            print(whole.run("java", "-cp", f"{libraries}/{version}/*", here / "Wats.java", *pairs).strip())
            for i, folder in enumerate(folders):
                told = {}
                for archive in folder.archives:
                    told |= described(wats[archive])
                inputs = [wats[a] for a in folder.archives if wats[a].stat().st_size]
                if not inputs:
                    continue
                out, got = tmp / f"{version}-{i}", {}
                whole.audit(binary, out, folder.robots + inputs)
                for f in whole.table(out, "fetches"):
                    if f["record_type"] == "indexed":
                        got.setdefault(place(f), f)
                for want in folder.fetches:
                    compare(version, want, got, told, comparison)
    counts = comparison.counts
    comparison.finish(roots, f"{counts['fetches']} fetches compared; the makers left out {counts['untold']}; "
                      f"{counts['robots']} of robots.txt were found by their records")


def compare(version, want, got, told, comparison):
    record, f = told.get(place(want)), got.get(place(want))
    if record is None:
        comparison.counts["untold"] += 1
        return
    if f is None:
        header = record["Envelope"].get("WARC-Header-Metadata", {})
        same = [r for r in told.values() if r["Envelope"].get("WARC-Header-Metadata", {}).get("WARC-Record-ID") == header.get("WARC-Record-ID")]
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


if __name__ == "__main__":
    main()
