"""Shares of the hosts of a history that name or restrict AI agents, by year: from robots_policies, and by Protego.

    shares BINARY HISTORY.jsonl.gz

The history becomes archives, BINARY audits them, and one query on robots_policies tells which hosts named each agent at
the end of each year, which restricted it and which restricted it fully: by the last capture till then, where that was a
file. BINARY audits the history as rows, too: as it is, and as Parquet. The same is worked out from the history itself,
with Protego. All must name the same hosts.

The history lacks the bodies of pages that hosts sent in place of robots.txt. The archives have a page there, which is a
file without rules; of the rows nothing is known then.
"""

import base64
import functools
import gzip
import json

import duckdb

import robots
import scenarios
from lib import audit, folder

AGENTS = ["GPTBot", "ChatGPT-User", "CCBot", "ClaudeBot", "anthropic-ai", "Google-Extended", "Bytespider",
          "PerplexityBot", "Amazonbot", "Applebot-Extended"]
YEARS = range(2020, 2026)

QUERY = """
WITH captures AS (
    SELECT * FROM read_parquet($table) WHERE list_contains($agents, agent)
), years AS (
    SELECT unnest(range(2020, 2026)) AS year
), last AS (
    SELECT year, url_host_name AS host, agent,
           arg_max(struct_pack(group_kind, restriction), (fetch_time, robots_id)) AS said
    FROM captures JOIN years ON extract(year FROM fetch_time AT TIME ZONE 'UTC') <= year
    GROUP BY ALL
)
SELECT year, host, agent, said.group_kind = 'named' AS named, said.restriction
FROM last WHERE said.group_kind IS NOT NULL
"""


def from_table(table):
    """from_table is {(year, agent): {host: (named, restriction)}} of robots_policies."""
    said = {}
    for year, host, agent, named, restriction in duckdb.execute(QUERY, {"table": str(table), "agents": AGENTS}).fetchall():
        said.setdefault((year, agent), {})[host] = named, restriction
    return said


def from_history(path, page):
    """from_history is the same of the history, by Protego. page is the body of a page in place of robots.txt."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        observations = sorted(map(json.loads, lines), key=lambda o: o["observed"])  # stable: file order within a day
    said, last, at = {}, {}, 0
    for year in YEARS:
        while at < len(observations) and observations[at]["observed"] <= f"{year}-12-31":
            o = observations[at]
            at += 1
            if o["outcome"] == "body":
                last[o["host"]] = base64.b64decode(o["body_b64"])
            elif o["outcome"] == "html_response_error":  # no archive holds a request error
                last[o["host"]] = page if 200 <= o["http_status"] < 300 and o["http_status"] != 202 else None  # 202: a challenge
        for agent in AGENTS:
            said[year, agent] = {host: by_protego(body, agent) for host, body in last.items() if body is not None}
    return said


@functools.cache
def by_protego(body, agent):
    """by_protego is (named, restriction): the latter by asking for a path of each rule that no other rule can mean."""
    body = robots.within_parse_limit(body)
    rules = [rule.value for rule in robots.rules_for(body, [agent]) or () if robots.usable(rule.value)]
    allows = robots.by_protego(body, agent)
    allowed = {allows(path) for path in [b"/jq", *map(typical, rules)] if path != b"/robots.txt"}
    return robots.has_group(body, agent), "partial" if len(allowed) == 2 else "none" if allowed == {True} else "full"


def typical(value):
    """typical is a path that the rule matches, with letters in the place of stars that rules hardly have."""
    anchored = value.endswith(b"$")
    path = value.removesuffix(b"$").replace(b"*", b"jqjq") + (b"" if anchored else b"jq")
    return path if path.startswith(b"/") else b"/" + path


def main(binary, history):
    different = compared = 0
    with folder() as work:
        scenarios.main(history, work / "archives", only_history=True)
        duckdb.execute(f"COPY (FROM read_json('{history}')) TO '{work}/history.parquet'")
        for name, page, given in [("archives", b"", [work / "archives"]), ("JSON lines", None, ["--robots", history]),
                                  ("Parquet", None, ["--robots", work / "history.parquet"])]:
            audit(binary, work / "out" / name, given, *(word for agent in AGENTS for word in ("--agents", agent)))
            table = from_table(work / "out" / name / "robots_policies.parquet")
            answers = from_history(history, page)
            for key in sorted(answers):
                ours, theirs = table.get(key, {}), answers[key]
                compared += len(theirs)
                for host in sorted(ours.keys() | theirs.keys()):
                    if ours.get(host) != theirs.get(host):
                        different += 1
                        print(f"{name}: {key[0]}, {key[1]}, {host}: robots_policies {ours.get(host)}, "
                              f"Protego {theirs.get(host)}")
    print(f"shares: {compared} answers of Protego, {different} differ from robots_policies")
    return different or not compared
