"""Sums raw.csv up as Markdown: medians, and ratios against the goals."""

import collections
import csv
import operator
import statistics
import textwrap

ONE, TWO, AUDIT = "ingest, 1 core", "ingest, 2 cores", "audit, 2 cores"
MEMORY_MB = 300

# Ratios: what, corpus, measure, numerator, denominator, relation, goal.
GOALS = [
    ("`ingest`'s CPU on one core by libdeflate-gunzip's", "pages", "cpu_s", ONE, "libdeflate-gunzip", "<=", 1.25),
    ("`ingest`'s CPU on two cores by libdeflate-gunzip's", "pages", "cpu_s", TWO, "libdeflate-gunzip", "<=", 1.25),
    ("FastWARC's wall time by `ingest`'s on two cores", "pages", "wall_s", "FastWARC", TWO, ">=", 2.2),
    ("FastWARC's wall time by `ingest`'s on two cores", "small", "wall_s", "FastWARC", TWO, ">=", 2),
    ("warcio's wall time by `ingest`'s on two cores", "pages", "wall_s", "warcio", TWO, ">=", 7),
    ("wall time on one core by that on two, one archive", "pages", "wall_s", ONE, TWO, ">=", 1.85),
    ("wall time on one core by that on two, one archive", "small", "wall_s", ONE, TWO, ">=", 1.85),
    ("wall time on one core by that on two, many archives", "files", "wall_s", ONE, TWO, ">=", 1.85),
    ("`audit`'s wall time by `ingest`'s", "pages", "wall_s", AUDIT, TWO, "<=", 1.03),
    ("`audit`'s wall time by `ingest`'s", "small", "wall_s", AUDIT, TWO, "<=", 1.12),
]
RELATIONS = {">=": operator.ge, "<=": operator.le}
RELATION_TEXT = {">=": "at least", "<=": "at most"}


def markdown(raw, facts):
    runs = collections.defaultdict(dict)  # (corpus, reader) → {round: row}
    with open(raw, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            runs[row["corpus"], row["reader"]][row["round"]] = row
    rounds = max(len(rows) for rows in runs.values())
    lines = ["# Large archives beside other readers", "", f"    {facts['command']}", "",
             *paragraph(f"""Medians of {rounds} rounds after a warm-up, the readers taking turns, back and forth; the archives are in the page
             cache. CPU is user and system time; MB are 10⁶ bytes of compressed archive; peak memory is the kernel's ru_maxrss, which counts
             mapped files and is never less than the measuring program's own, some 20 MB. raw.csv has every run."""), ""]
    for name, corpus in facts["corpora"].items():
        lines += corpus_table(name, corpus, runs)
    lines += goals(runs)
    lines += [*corpora(facts), *machine(facts), *commands(facts)]
    return "\n".join(lines)


def paragraph(text):
    return textwrap.wrap(" ".join(text.split()), 100)


def median(runs, corpus, reader, measure):
    return statistics.median(float(row[measure]) for row in runs[corpus, reader].values())


def corpus_table(name, corpus, runs):
    size = corpus["compressed_bytes"] / 1e6
    yield from (f"## {name}", "", "| | wall, s | CPU, s | MB/s of wall | MB/s of CPU | peak memory, MB |", "|---|---:|---:|---:|---:|---:|")
    for reader in [reader for corpus, reader in runs if corpus == name]:
        wall, cpu, memory = (median(runs, name, reader, m) for m in ("wall_s", "cpu_s", "peak_rss_kb"))
        yield f"| {reader} | {wall:.2f} | {cpu:.2f} | {size / wall:.0f} | {size / cpu:.0f} | {memory * 1024 / 1e6:.0f} |"
    yield ""


def goals(runs):
    yield from ("## Goals", "", "A ratio is the median of the ratios of each round, with the least and the most.", "",
                "| | corpus | goal | figure | reached |", "|---|---|---:|---:|---|")
    for what, corpus, measure, numerator, denominator, relation, goal in GOALS:
        if {(corpus, numerator), (corpus, denominator)} <= runs.keys():
            above, below = runs[corpus, numerator], runs[corpus, denominator]
            ratios = [float(above[n][measure]) / float(below[n][measure]) for n in above]
            figure = statistics.median(ratios)
            yield (f"| {what} | {corpus} | {RELATION_TEXT[relation]} {goal:.2f} | {figure:.2f} ({min(ratios):.2f} to {max(ratios):.2f}) "
                   f"| {answer(RELATIONS[relation](figure, goal))} |")
    for reader in TWO, AUDIT:
        peaks = {corpus: max(float(row["peak_rss_kb"]) * 1024 / 1e6 for row in rows.values())
                 for (corpus, other), rows in runs.items() if other == reader}
        for corpus, peak in peaks.items():
            yield f"| peak memory of `{reader}`, MB, the most | {corpus} | at most {MEMORY_MB} | {peak:.0f} | {answer(peak <= MEMORY_MB)} |"
        if {"pages", "copies"} <= peaks.keys():
            ratio = median(runs, "copies", reader, "peak_rss_kb") / median(runs, "pages", reader, "peak_rss_kb")
            yield f"| peak memory of `{reader}`, copies by pages | | within 15 % | {ratio:.2f} | {answer(1 / 1.15 <= ratio <= 1.15)} |"
    yield ""


def answer(reached):
    return "yes" if reached else "no"


def corpora(facts):
    yield from ("## Archives", "", "| | archives | MB | inflated, MB | records | fetches of pages | hosts | SHA-256 of the first |", "|---|---:|---:|---:|---:|---:|---:|---|")
    for name, c in facts["corpora"].items():
        yield (f"| {name} | {len(c['files'])} | {c['compressed_bytes'] / 1e6:.0f} | {c['bytes'] / 1e6:.0f} | {c['records']:,} | {c['page_fetches']:,} "
               f"| {c['hosts']:,} | {c['sha256'][0][:16]}… |")
    yield from ("", *paragraph("""Each record is a gzip member: a warcinfo, then request, response and metadata of each fetch, a robots.txt for each host. Pages are Debian's
HTML documentation from random places on, with base64 between its paragraphs that brings pages of 40 to 400 KB down to a compression ratio
of about 4 (small pages, of 3 to 5 KB, have none). Deflated by zlib at level 6. `copies` has each fetch of `pages` several times, with other hosts
and record ids."""), "")


def machine(facts):
    yield from ("## Machine and versions", "", f"- {facts['machine']}")
    yield from (f"- {name}: {version}" for name, version in facts["versions"].items())
    yield from ("", *paragraph("""FastWARC iterates without parsing HTTP; warcio reads the content of each record; libdeflate-gunzip (which maps the whole file) and zcat write to
/dev/null. The numbers of records that FastWARC and warcio print are compared with the maker's. The page cache is warm and the output folder of `ingest` and `audit` is removed, untimed, before each run."""), "")


def commands(facts):
    yield from ("## Commands", "")
    for corpus, of in facts["commands"].items():
        yield from (f"- {corpus}, {reader}: `{shorten(command)}`" for reader, command in of.items())
    yield ""


def shorten(command):
    """The first of many archives stands for all."""
    words = command.split(" ")
    archives = [word for word in words if word.endswith(".warc.gz")]
    if len(archives) < 2:
        return command
    return " ".join(word for word in words if word not in archives[1:]).replace(archives[0], f"{archives[0].rsplit('/', 1)[0]}/*.warc.gz")
