"""Reads a bundle of evidence with warcio, and compares it with the archives.

    bundle BUNDLE ARCHIVE_ROOT

Every record that the manifest lists must be what warcio reads next, and have the SHA-256 that the manifest says. That
of each record in a `.warc.gz` or `.warc` must also be the one of the bytes at its place in the archive.
"""

import gzip
import hashlib
import json
import os
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from warc import members


def at_place(root, archive, record):
    """Returns the bytes of a record in its archive."""
    with open(os.path.join(root, archive["name"]), "rb") as file:
        file.seek(record["offset"])
        stored = file.read(record["length"])
    return gzip.decompress(stored) if archive["container"] == "warc.gz" else stored


def main(bundle, root):
    contents = (content for content, _ in members(Path(bundle).read_bytes()))
    manifest = json.loads(next(contents).split(b"\r\n\r\n", 1)[1])
    compared = 0
    with open(bundle, "rb") as file:
        records = iter(ArchiveIterator(file, no_record_parse=False))
        first = next(records)
        assert first.rec_headers["WARC-Target-URI"] == "urn:robotsaudit:evidence:manifest", "no manifest"
        assert json.loads(first.content_stream().read()) == manifest, "warcio reads another manifest"
        for want, content in zip(manifest["records"], contents, strict=True):
            got = next(records)
            archive = manifest["archives"][want["archive"]]
            name = f"record {want['number']}, at {want['offset']} of {archive['name']}"
            if want.get("wrapped"):
                content = content.split(b"\r\n\r\n", 1)[1]
            else:
                assert got.rec_type == want["type"], name
                assert got.rec_headers["WARC-Record-ID"].strip("<>") == want["record_id"], name
            assert content[want["size"]:].strip(b"\r\n") == b"", name
            content = content[: want["size"]]
            assert hashlib.sha256(content).hexdigest() == want["sha256"], name
            if archive["container"] in ("warc.gz", "warc") and "entry" not in archive:
                assert at_place(root, archive, want)[: want["size"]] == content, name
                compared += 1
        assert next(records, None) is None, "warcio reads more records"
    cited = {c["number"] for v in manifest["violations"] for c in v["records"]}
    belong = {(r["archive"], r.get(k)) for r in manifest["records"] for k in ("request", "second_request", "metadata", "warcinfo", "continues")}
    for r in manifest["records"]:
        assert r["number"] in cited or (r["archive"], r["index"]) in belong or r.get("continues"), f"record {r['number']} is cited by nothing"
    print(f"evidence: {len(manifest['violations'])} findings, {len(manifest['records'])} records as warcio reads them, {compared} as their archives have them")
