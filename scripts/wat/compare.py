"""Compare audits of WAT files and archives of robots.txt with audits of the whole archives.

    compare.py BINARY LIBRARIES FOLDER...

Every record that the WATs describe must give the fetch that its archive gives, verdict and all, but
for what LOST names. It exits with 1 where something differs without a reason, or if one of the
reasons is no longer needed.
"""

import gzip
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import duckdb

ENDINGS = (".warc", ".warc.gz", ".arc", ".arc.gz")



class Pair:
    """A fetch, as its archive gives it and as a WAT does, and what the WAT tells of the record."""

    def __init__(self, want, got, envelope, container, old):
        self.want, self.got, self.container, self.old = want, got, container, old
        self.http = envelope["Payload-Metadata"].get("HTTP-Response-Metadata", {})
        self.notes = {name: set((f["notes"] or "").split(",")) - {""} for name, f in (("want", want), ("got", got))}

    def unread(self):
        """unread tells whether the maker could not read all of the HTTP head."""
        return self.http.get("Response-Message", {}).get("Status", "0") == "0" or "Headers-Corrupt" in self.http

    def same_second(self):
        return "same_moment" in self.notes["got"]


# What is lost, by column: when, and why. docs/SEMANTICS.md, "WAT files", has the same.
LOST = [
    ("record_type", lambda p: p.got["record_type"] == "indexed", "no record was read"),
    ("trust", lambda p: p.got["trust"] == "indexed", "no record was read"),
    ("certainty", lambda p: (p.want["certainty"], p.got["certainty"]) == ("certain", "probable"), "at most probable"),
    ("certainty", lambda p: p.same_second(), "the order of records of one second"),
    ("evidence", lambda p: p.same_second(), "the order of records of one second"),
    ("notes", lambda p: p.notes["got"] - p.notes["want"] <= {"indexed", "same_moment"}, "at most probable"),
    ("notes", lambda p: "url_cut" in p.notes["got"], "bytes of URLs outside ASCII"),
    ("url", lambda p: "\ufffd" in p.got["url"], "bytes of URLs outside ASCII"),
    ("url_surtkey", lambda p: "\ufffd" in p.got["url"], "bytes of URLs outside ASCII"),
    ("fetch_status", lambda p: p.got["fetch_status"] is None and p.unread(), "HTTP heads that the maker could not read"),
    ("content_mime_type", lambda p: p.got["content_mime_type"] is None and p.unread(), "HTTP heads that the maker could not read"),
    ("warc_record_length", lambda p: p.got["warc_record_length"] == -1 and not p.container["Compressed"], "lengths of what is not compressed"),
    ("warc_record_length", lambda p: 0 < p.got["warc_record_length"] < p.want["warc_record_length"], "lengths of members with a damaged gzip header, and of records in several members"),
    ("tags_from", lambda p: p.got["tags_from"] in ("wat", "unknown"), "whose tags they are"),
    ("tags", lambda p: p.got["tags_from"] == "unknown", "tags of pages that the maker could not read"),
    ("tags", lambda p: p.old and p.got["tags_from"] == "wat", "all but the last of repeated fields"),
    ("tags", lambda p: not p.want["tags"] and p.got["tags_from"] == "wat", "where in a page a meta stands"),
]

def run(*command, codes=(0, 3)):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        sys.exit(f"{' '.join(str(c) for c in command)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def audit(binary, out, inputs):
    """audit gives the fetches of an audit, as dictionaries."""
    names = out.with_suffix(".txt")
    names.write_text("".join(f"{path}\n" for path in inputs))
    run(binary, "audit", "--quiet", f"@{names}", "-o", out)
    cursor = duckdb.execute(f"SELECT * REPLACE (fetch_time::VARCHAR AS fetch_time) FROM '{out}/fetches.parquet'")
    columns = [c[0] for c in cursor.description]
    return [dict(zip(columns, row)) for row in cursor.fetchall()]


def is_robots(url):
    return urlsplit(url).path == "/robots.txt"


def robots_only(binary, archive, targets, to):
    """robots_only copies the records of robots.txt, and of what they redirect to, with the warcinfo."""
    data = archive.read_bytes()
    places = {}
    for line in run(binary, "records", "--format", "jsonl", archive).splitlines():
        r = json.loads(line)
        url = r.get("url") or ""
        if r.get("record_type") in ("warcinfo", "arcinfo") or is_robots(url) or url in targets:
            places[r["warc_record_offset"]] = r["warc_record_length"]
    to.write_bytes(b"".join(data[at:at + length] for at, length in sorted(places.items())))


def hops(out):
    """hops are the URLs to which those of robots.txt lead."""
    return {row[0] for row in duckdb.execute(f"SELECT DISTINCT unnest(hop_urls) FROM '{out}/robots.parquet'").fetchall()}


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
    folders = sorted({path.parent for root in roots for path in root.rglob("*") if path.name.endswith(ENDINGS)})
    unexplained, lost, counts = [], Counter(), Counter()
    with tempfile.TemporaryDirectory() as tmp:
        tmp = Path(tmp)
        whole = {}
        for i, folder in enumerate(folders):
            archives = sorted(path for path in folder.iterdir() if path.name.endswith(ENDINGS))
            fetches = audit(binary, tmp / f"whole{i}", archives)
            targets = hops(tmp / f"whole{i}")
            parts = tmp / f"robots{i}"
            parts.mkdir()
            for archive in archives:
                robots_only(binary, archive, targets, parts / f"robots-{archive.name}")
            whole[folder] = archives, fetches, [p for p in sorted(parts.iterdir()) if p.stat().st_size]
        for version in sorted(path.name for path in libraries.iterdir()):
            wats = {}
            for i, folder in enumerate(folders):
                (tmp / version / str(i)).mkdir(parents=True)
                for archive in whole[folder][0]:
                    wats[archive] = tmp / version / str(i) / f"{archive.name}.wat.gz"
            pairs = [str(x) for archive, wat in wats.items() for x in (wat, archive)]
            print(run("java", "-cp", f"{libraries}/{version}/*", here / "Wats.java", *pairs).strip())
            for i, folder in enumerate(folders):
                archives, fetches, robots = whole[folder]
                told = {}
                for archive in archives:
                    told |= described(wats[archive])
                inputs = [wats[a] for a in archives if wats[a].stat().st_size]
                if not inputs:
                    continue
                got = {}
                for f in audit(binary, tmp / f"{version}-{i}", robots + inputs):
                    if f["record_type"] == "indexed":
                        got.setdefault(place(f), f)
                for want in fetches:
                    compare(version, want, got, told, unexplained, lost, counts)
    for (column, reason), n in sorted(lost.items()):
        print(f"{n:6} {column}: {reason}")
    if any(root.name == "warc" and root.parent.name == "shared" for root in roots):
        unexplained += [f"{column}: {reason}: nothing is lost any more; take it out of LOST"
                        for column, _, reason in LOST if not lost[column, reason]]
    for text in unexplained:
        print(f"UNEXPLAINED: {text}")
    print(f"{counts['fetches']} fetches compared, {len(unexplained)} differences without a reason; the makers left out "
          f"{counts['untold']}; {counts['robots']} of robots.txt were found by their records")
    sys.exit(1 if unexplained else 0)


def compare(version, want, got, told, unexplained, lost, counts):
    record, f = told.get(place(want)), got.get(place(want))
    if record is None:
        counts["untold"] += 1
        return
    if f is None:
        header = record["Envelope"].get("WARC-Header-Metadata", {})
        same = [r for r in told.values() if r["Envelope"].get("WARC-Header-Metadata", {}).get("WARC-Record-ID") == header.get("WARC-Record-ID")]
        if want["reason"] == "robots_txt_itself":
            counts["robots"] += 1
        elif len(same) > 1:
            lost["(all)", "records that share an ID are one fetch"] += 1
        else:
            unexplained.append(f"{version}: {place(want)}: no fetch of {want['url']}")
        return
    p = Pair(want, f, record["Envelope"], record["Container"], version.startswith("1."))
    counts["fetches"] += 1
    for column, value in want.items():
        if column in ("robots_id", "warc_filename") or f[column] == value:
            continue
        for name, holds, reason in LOST:
            if name == column and holds(p):
                lost[column, reason] += 1
                break
        else:
            unexplained.append(f"{version}: {place(want)}: {column}: {value!r}, of the WAT {f[column]!r}")


if __name__ == "__main__":
    main()
