"""What WATs of random pages with tags say of their use, beside what the archives say."""

import collections
from pathlib import Path

import tags_archives as make
import wat
import whole
from lib import audit_list, words

PURPOSES = [word for purpose in ("archive", "index", "train") for word in ("--purpose", purpose)]
# What a WAT tells of a statement. It has header fields in an order of its own, and not where a meta stands.
COLUMNS = {"page_tags": "source agent rule word value parse_mode restricts restricts_from defined_by".split(),
    "usage_signals": "protocol source scope purpose preference label value draft parse_mode".split()}


def copy(archive, made, to):
    """copy copies the records that are no pages, each with its request."""
    data = archive.read_bytes()
    starts = sorted(e.place[1] for e in made if e.place[0] == archive.name) + [len(data)]
    held = {e.place[1] for e in made if e.place[0] == archive.name and e.what != "page"}
    to.write_bytes(b"".join(data[a:b] for a, b in zip(starts, starts[1:]) if a in held))


def by_place(out, name):
    rows = collections.defaultdict(list)
    for r in whole.table(out, name):
        rows[Path(r["warc_filename"]).name, r["warc_record_offset"]].append(r)
    return rows


def told(text):
    """told is a header field as makers write it: without bytes outside ASCII."""
    return " ".join(text.encode("ascii", "ignore").decode().split())


def said(name, rows):
    """said are the statements of a page, but for those of TDMRep, which replace others, and the tags that are signals, too."""
    found = collections.Counter()
    for r in rows:
        if r["source"] not in ("robots.txt", "tdmrep.json") and r.get("protocol") not in ("tdm-reservation", "tdm-policy", "robots-tag"):
            notes = words(r["notes"]) - {"place_untold", "non_ascii", "quoted"}
            found[(told(r["raw"]), *sorted(notes), *(str(r[c]) for c in COLUMNS[name]))] += 1
    return found


def behind_head(tables, place):
    """behind_head are the raw texts of metas that do not bind."""
    return {r["raw"] for name in COLUMNS for r in tables[name][place] if r["source"] == "meta" and not r["in_head"]}


def pages(binary, seed, library, tmp, totals):
    """pages yields what differs of pages with tags."""
    for folder in ("in", "part"):
        (tmp / folder).mkdir(parents=True)
    made = make.make(seed, str(tmp / "in"))
    archives = sorted((tmp / "in").iterdir())
    for archive in archives:
        copy(archive, made, tmp / "part" / ("robots-" + archive.name))
    made_of = wat.wats(library, archives, tmp).values()
    audit_list(binary, tmp / "whole", archives, *PURPOSES)
    audit_list(binary, tmp / "told", [*sorted((tmp / "part").iterdir()), *made_of], *PURPOSES)
    names = ("fetches", "restrictions", *COLUMNS)
    want, got = ({name: by_place(tmp / out, name) for name in names} for out in ("whole", "told"))
    for e in made:
        if e.what != "page":
            continue
        (before,), rows = want["fetches"][e.place], got["fetches"][e.place]
        if len(rows) != 1:
            yield f"{e.id} {e.url}: {len(rows)} fetches"
            continue
        after, of = rows[0], f"{e.id} {e.url} {library.name}: "
        totals["pages"] += 1
        known = after["tags_from"] != "unknown"
        for name in COLUMNS:
            a, b = (said(name, tables[name][e.place]) for tables in (want, got))
            if b - a or known and a - b:
                yield of + f"{name}: lost {list(a - b)}, added {list(b - a)}"
        same_second = "same_moment" in (after["notes"] or "")
        a, b = ({(r["kind"], r["purpose"]): r for r in tables["restrictions"][e.place]} for tables in (want, got))
        for key in b.keys() - a.keys():
            doubtful = behind_head(want, e.place)
            for statement in b[key]["statements"]:
                source, raw = statement.split(": ", 1)
                source = source.split(" ")[0]
                if not (source == "meta" and raw in doubtful or source == "tdmrep.json" and not known or source == "robots.txt" and same_second):
                    yield of + f"{key} restricted by {statement}"
        for key in a.keys() - b.keys():
            if known and not (same_second and all(s.startswith("robots.txt") for s in a[key]["statements"])):
                yield of + f"{key} no longer restricted by {a[key]['statements']}"
        for key, r in b.items():
            if r["certainty"] != "probable":
                yield of + f"{key} is {r['certainty']}"
