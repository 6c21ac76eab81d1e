"""What `export DIR robots` writes gives, alone, the states of robots.txt and the answers for other crawlers of all archives.

    extracted BINARY [WORLDS [SEED]]

Archives: testdata/warc, those of ../shared/warc, a WACZ, and random worlds of truth_worlds.py. Of each, the table robots of
the export must be that of the archives, but for places; and the verdicts on a list of URLs, each ten minutes after a
fetch, must be the same for each token; but for order_doubt, since clocks show in the pages alone.
"""

import zipfile

import duckdb
import truth_archives as archives
import truth_worlds as worlds
from lib import ARCHIVES, call, folder, shared

PLACES = ("robots_id", "warc_filename", "warc_record_offset", "warc_record_length", "body_warc_filename", "body_warc_record_offset")
TOKENS = [f"--agents={token}" for token in ("GPTBot", "CCBot", "ExampleBot", "Googlebot", "Wget", "harvest")]
ANSWERS = """
    SELECT v.url, f.fetch_time, robots_agents.agent, v.verdict, v.evidence, v.reason, v.rule, v.rule_line, v.group_line,
           list_filter(v.notes, lambda note: note <> 'order_doubt')
    FROM '{0}/group_verdicts.parquet' AS v JOIN '{0}/robots_agents.parquet' AS robots_agents USING (robots_id, "group")
    JOIN '{0}/fetches.parquet' AS f USING (warc_filename, warc_record_offset) WHERE f.trust = 'listed'"""


def states(of):
    return f"SELECT * EXCLUDE ({', '.join(PLACES)}) FROM '{of}/robots.parquet'"


def compare(binary, name, inputs, work):
    def audit(out, *given):
        call(binary, "audit", "--quiet", "-o", work / out, *given, *TOKENS)
        return work / out

    first = audit("first", *inputs)
    listed = work / "list.parquet"
    duckdb.sql(f"""COPY (SELECT DISTINCT url, strftime(fetch_time AT TIME ZONE 'UTC' + INTERVAL 10 MINUTE, '%Y-%m-%dT%H:%M:%SZ') AS date
                   FROM '{first}/fetches.parquet' WHERE fetch_time IS NOT NULL AND reason <> 'robots_txt_itself') TO '{listed}'""")
    call(binary, "export", first, "robots", "--to", work / "robots")
    if not any((work / "robots").iterdir()):
        assert not duckdb.sql(states(first)).limit(1).fetchall(), f"{name}: there are captures, and none was extracted"
        return 0, 0
    whole, alone = audit("whole", *inputs, "--urls", listed), audit("alone", work / "robots", "--urls", listed)
    counts = []
    for what, query in (("states", states), ("answers", ANSWERS.format)):
        for one, other in ((whole, alone), (alone, whole)):
            wrong = duckdb.sql(f"SELECT COLUMNS(*)::VARCHAR FROM ({query(one)} EXCEPT ALL {query(other)})").limit(3).fetchall()
            assert not wrong, f"{name}: {what} of {one.name} and not of {other.name}: {wrong}"
        counts.append(duckdb.sql(f"SELECT count(*) FROM ({query(whole)})").fetchall()[0][0])
    return counts


def main(binary, several: int = 10, seed: int = 1):
    with folder() as work:
        sets = {"testdata": ARCHIVES, **{path.name: [path] for path in shared("warc/real", "warc/hard")}}
        with zipfile.ZipFile(work / "testdata.wacz", "w") as wacz:
            for path in ARCHIVES:
                wacz.write(path, f"archive/{path.name}")
        sets["wacz"] = [work / "testdata.wacz"]
        for n in range(several):
            sets[f"world {seed + n}"] = [work / f"world-{n}"]
            (work / f"world-{n}").mkdir()
            archives.write(worlds.World(seed + n), work / f"world-{n}")
        total = [0, 0]
        for n, (name, inputs) in enumerate(sets.items()):
            (work / str(n)).mkdir()
            total = [a + b for a, b in zip(total, compare(binary, name, inputs, work / str(n)))]
    assert min(total) > 100, total
    print(f"extracted: {total[0]} states of robots.txt and {total[1]} answers are those of all archives, of {len(sets)} sets")
