"""Compare audits of archives with audits of the same archives beside their own indexes.

    index_own BINARY [--most N]

An archive holds all that its own index can state, so every table of the two audits must be equal. The
indexes are those of cdxj-indexer: CDXJ, and CDX of 9 and of 11 fields, each with and without
--records all. At most N archives are compared, from all over the folders; 0 means all. It fails where something differs without a reason, or if one of the reasons is no longer needed.
"""

import logging
from collections import Counter

import index_makers as make
import whole
from lib import TESTDATA, audit_list, folder, shared

ARCHIVES = (".warc", ".warc.gz", ".arc", ".arc.gz")
INDEXES = {"cdxj": ("cdxj",), "cdx-11": ("cdx", "-11"), "cdx-9": ("cdx", "-9")}

CUT = "the record is cut, or nothing proves its end: it is none; warcio takes what there is of it, and the row is an index's word for it"

# Why an archive's audit differs beside its index.
REASONS = {
    "alexa_charset_in_header.arc.gz": "a content type with spaces: the address shows where it begins; warcio makes it part of the URL",
    "example-space-in-url.arc": CUT,
    "invalid-warcheaderfieldpolicy-3.warc": CUT,
    "invalid-warcheaderfieldpolicy-4.warc": CUT,
    "invalid-warcrecord-3.warc": CUT,
    "transposed_header.arc.gz": "address and date the wrong way round: read as they are meant; warcio takes the address for a date",
}


def tables(out, index=None):
    """tables are the rows of all tables, as text, with how often each is there; without the issues of an index, which are none of the archive."""
    found = {path.stem: whole.table(out, path.stem) for path in out.glob("*.parquet")}
    found["issues"] = [row for row in found["issues"] if index is None or not row["warc_filename"].endswith(index.name)]
    return {name: Counter(repr(sorted(row.items())) for row in rows) for name, rows in found.items()}


def chosen(archives, limit):
    """chosen are at most limit archives, at equal distances."""
    return archives if not limit else [archives[i * len(archives) // limit] for i in range(min(limit, len(archives)))]


def main(binary, *, most: int = 24):
    logging.disable()
    roots = [TESTDATA, *shared("warc")]
    archives = chosen(sorted(path for root in roots for path in root.rglob("*") if path.name.endswith(ARCHIVES)), most)
    counts, unexplained, needed = Counter(), [], set()
    for archive in archives:
        with folder() as tmp:
            audit_list(binary, tmp / "alone", [archive])
            alone = tables(tmp / "alone")
            for name, (suffix, *options) in INDEXES.items():
                for records in (), ("--records", "all"):
                    text = make.indexed(archive, *options, *records)
                    if not text.strip() or text.count("\n") == 1 and text.startswith(" CDX"):
                        counts["without an index"] += 1
                        continue
                    index, out = tmp / f"own.{suffix}", tmp / "beside"
                    index.write_text(text)
                    audit_list(binary, out, [archive, index], "--force")
                    beside = tables(out, index)
                    counts["compared"] += 1
                    counts["rows"] += text.count("\n")
                    for table in sorted(alone.keys() | beside.keys()):
                        for sign, rows in ("-", alone[table] - beside[table]), ("+", beside[table] - alone[table]):
                            for row in rows:
                                needed.add(archive.name)
                                counts["rows differ"] += 1
                                if archive.name not in REASONS:
                                    unexplained.append(f"{archive.name}: {name} {' '.join(records)}: {table} {sign} {row}")
    if not most and len(roots) > 1:
        unexplained += [f"{name}: nothing differs any more; take it out of REASONS" for name in REASONS.keys() - needed]
    for text in unexplained:
        print(f"UNEXPLAINED: {text}")
    print(f"{len(archives)} archives, {counts['compared']} audits beside an index ({counts['rows']} rows of indexes, "
          f"{counts['without an index']} indexes without a row), {counts['rows differ']} rows differ, {len(unexplained)} without a reason")
    return unexplained != []
