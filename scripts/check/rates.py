"""Rows of crawl_delays on random archives are those of a plain reference, rate_reference.py.

    rates BINARY [ARCHIVES [SEED]] [--scenarios N] [--keep DIR]
"""

import collections
import json
import random
from datetime import timedelta

import rate_reference as rate
import reference as ref
import scenarios as h
import warc
from lib import bare, call, seeded, table

S, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(days=1)
DELAYS = ["0", "0.5", "1", "1.5", "2", "3", "5", "10", "10", "10", "30", "60", "600", "86400", "86401", "9" * 30,
          "-1", "soon", "", "10s",
          "5.", ".5", "5 # five", "1,5", "5 10"]
RATES = ["1/5", "1/10s", "1/1m", "2/10", "1/10 0600-0845", "1/0", "x", "1/2h"]
NAMES = ["*", "*", "*", "ExampleBot", "examplebot/2", "OtherBot", "Googlebot", "Scoop", "ExampleBot*"]
SIMPLE = b"User-agent: *\nCrawl-delay: 10\nDisallow: /private/\n"
CASE = "EXAMPLEBOT/7"
IMAGE = "Googlebot-Image/1.0"


def body(rng):
    if rng.random() < 0.45:
        return rng.choice([SIMPLE, SIMPLE, SIMPLE.replace(b"10", b"60"), SIMPLE.replace(b"10", b"5"), SIMPLE.replace(b"*", b"ExampleBot")])
    lines = ["Crawl-delay: 10"] if rng.random() < 0.05 else []
    for _ in range(rng.randint(1, 3)):
        for _ in range(rng.choice([1, 1, 2])):
            lines.append("User-agent: " + rng.choice(NAMES))
            if rng.random() < 0.08:
                lines.append("Crawl-delay: " + rng.choice(DELAYS))
        for _ in range(rng.randint(0, 3)):
            kind = rng.random()
            if kind < 0.55:
                lines.append(rng.choice(["Crawl-delay: ", "crawl-DELAY :", "Crawl-delay:"]) + rng.choice(DELAYS))
            elif kind < 0.67:
                lines.append("Request-rate: " + rng.choice(RATES))
            else:
                lines.append(rng.choice(["Disallow: /private/", "Disallow:", "Allow: /public/", "Sitemap: /s", "", "# Crawl-delay: 1"]))
    text = rng.choice(["\n", "\n", "\r\n", "\r"]).join(lines + [""]).encode()
    return b"<!DOCTYPE html>\n<html>\n" + text if rng.random() < 0.05 else text


def scenario(s):
    rng, made = s.rng, []
    agents = rng.choice([[h.EXAMPLE], [h.EXAMPLE], [h.EXAMPLE, h.GOOGLE], [h.EXAMPLE, CASE], [h.EXAMPLE, h.TWO],
                         [h.EXAMPLE, h.BROWSER, None],
                         [h.SUFFIX, h.EXAMPLE], [IMAGE, h.GOOGLE]])
    archives = rng.choice([[1], [2], [1, 2], [1, 2, 2]])
    fraction = rng.random() < 0.2

    def common(when):
        precision = "second"  # coarser dates are in no order that all comparisons agree with
        if fraction and rng.random() < 0.7:
            precision, when = "micro", when + timedelta(microseconds=rng.randrange(10**6))
        return when, {"archive": rng.choice(archives), "precision": precision, "ua": rng.choice(agents)}

    moments = [s.t]
    for _ in range(rng.randint(1, 7)):
        moments.append(moments[-1] + S * rng.choice([0, 0, 1, 1, 2, 4, 5, 8, 9, 10, 11, 29, 30, 59, 60, 300, 3600, 86399, 86400]))
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 5])):
        when = rng.choice(moments) - rng.choice([S * 0, S, -S, S * 30, HOUR, HOUR, HOUR, 3 * HOUR, 3 * HOUR,
                                                 20 * HOUR, DAY - S, DAY, DAY + S, 3 * DAY])
        when, more = common(when)
        kind = rng.choices(["rules", "again", "failure", "redirect", "part", "other"], [12, 3, 2, 2, 1, 1])[0]
        if kind == "again" and made:
            original = rng.choice(made)
            if rng.random() < 0.4:
                s.revisit(original, max(when, original.when + S), refers=rng.random() < 0.5, **more)
            elif rng.random() < 0.5:
                s.not_modified(original, max(when, original.when + S), **more)
            else:
                s.robots(when, b"", 304, **more)
        elif kind == "failure":
            s.robots(when, b"", rng.choice([404, 403, 503, 503, 100]), **more)
        elif kind == "redirect":
            target = rng.choice([s.other(0) + "/robots.txt", s.origin + "/r", s.origin + "/public/y"])
            s.robots(when, b"", 302, headers=[("Location", target)], **more)
            if rng.random() < 0.8:
                s.add(target, when + S * rng.choice([0, 1, 2, 60]), 200, body(rng), more["ua"],
                      archive=more["archive"], precision=more["precision"])
        elif kind == "part":
            s.robots(when, body(rng), warc={"WARC-Truncated": "length"}, **more)
        elif kind == "other":
            s.robots(when, body(rng), method=rng.choice(["HEAD", "POST"]), **more)
        else:
            made.append(s.robots(when, body(rng), **more))
    for moment in moments:
        when, more = common(moment)
        how = rng.random()
        url = s.origin + rng.choice(["/private/x", "/public/y", "/", "/r", "/a?b"])
        page = s.add(url, when, rng.choice([200, 200, 200, 301, 404, 500]), b"page",
                     method=rng.choice(["GET"] * 8 + ["HEAD", "POST"]), **more)
        if how < 0.1:
            s.revisit(page, when + S * rng.choice([1, 3]), **more)
        elif how < 0.15:
            s.page("/private/r", t=when, type="resource", archive=more["archive"], ua=None)
        elif how < 0.2:
            page.warc = {"WARC-Date": rng.choice(["yesterday", "2021-13-01T10:00:00Z"])}
    h.clocks(s)
    h.arrange(s, agents)
    for e in s.made:
        e.copied = rng.random() < 0.03


def make(seed, folder, scenarios):
    rng, exchanges = random.Random(seed), []
    for number in range(1, scenarios + 1):
        s = h.Scenario(rng, "rate", "a%d.example" % (number % 7), number)
        scenario(s)
        exchanges += s.made
    folder.mkdir()
    return h.write_archives(rng, folder, exchanges)


def compare(binary, seed, folder, scenarios, totals):
    paths, out = make(seed, folder / "in", scenarios), folder / "out"
    call(binary, "audit", folder / "in", "-o", out, "--rate", codes=(0,))
    archive = ref.Archive(warc.read_archives(paths))
    places = {(r["warc_filename"], r["warc_record_offset"]): bare(r["warc_record_id"])
              for r in table(out, "fetches", "warc_filename", "warc_record_offset", "warc_record_id")}
    order = {key: n for n, key in enumerate(places.values())}
    expected, considered = rate.findings(archive, {f.id: order[bare(f.id)] for f in archive.fetches})
    expected = {bare(k): v for k, v in expected.items()}
    rows, captures = table(out, "crawl_delays"), {r["robots_id"]: bare(r["warc_record_id"])
                                                  for r in table(out, "robots", "robots_id", "warc_record_id")}
    found = {bare(r["warc_record_id"]): r for r in rows}
    if len(found) != len(rows):
        yield "%d rows, of %d fetches" % (len(rows), len(found))
    for key in expected.keys() - found.keys():
        yield "missing %s %s" % (key, expected[key])
    for key in found.keys() - expected.keys():
        yield "not expected %s %s gap %d delay %d line %d agent %s" % (key,
                                                                       *(found[key][c]
                                                                         for c in ("url", "gap_ms", "delay_ms",
                                                                                   "line", "agent")))
    for key in found.keys() & expected.keys():
        r, e = found[key], expected[key]
        lines = {bare(k): v for k, v in e["captures"].items()}
        previous = places[r["previous_warc_filename"], r["previous_warc_record_offset"]]
        wrong = [name for name, good in (("gap", r["gap_ms"] == e["gap"]), ("delay", r["delay_ms"] == e["delay"]),
            ("previous", previous in map(bare, e["previous"])),
                                         ("line", r["line"] in lines.get(captures[r["robots_id"]], []))) if not good]
        if wrong:
            yield "%s differ %s %s: gap %d delay %d line %d previous %s capture %s\n   expected %s" % (
                wrong, key, r["url"], r["gap_ms"], r["delay_ms"], r["line"], previous, captures[r["robots_id"]], e)
    audit = json.loads((out / "audit.json").read_text())
    counts = [audit["totals"]["crawl_delays"], audit["tables"]["crawl_delays"]]
    for name, key in (("host_stats", "origin"), ("agent_stats", "agent")):
        stats = table(out, name, key, "crawl_delays")
        counts.append(sum(r["crawl_delays"] for r in stats))
        have = collections.Counter((r[key] or "").lower() for r in rows)
        if {(r[key] or "").lower(): r["crawl_delays"] for r in stats if r["crawl_delays"]} != dict(have):
            yield "%s disagrees with the table" % name
    if set(counts) != {len(rows)}:
        yield "counts %s, rows %d" % (counts, len(rows))
    totals.update(origins=scenarios, fetches=len(archive.fetches), pairs=considered, rows=len(rows), expected=len(expected))


def main(binary, archives: int = 8, seed: int = 1, *, scenarios: int = 150, keep=None):
    return seeded(compare, "archives", binary, archives, seed, scenarios, keep,
                  "compared in {archives} archives: {fetches} fetches, {pairs} pairs of them, {rows} rows: {problems} differences")
