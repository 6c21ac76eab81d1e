"""Audits, their tables and what is asked of them."""

import datetime
import html
import importlib.util
import json
import pickle
from pathlib import Path
from typing import Any

import duckdb
import pytest

import robotsaudit
from conftest import command


def test_tables_are_those_of_the_command(archives: Path, audit: robotsaudit.Audit, tmp_path: Path) -> None:
    done = command("audit", archives, "-o", tmp_path, "--agents", "GPTBot", "--purpose", "train")
    assert done.returncode == 0, done.stderr
    files = sorted(tmp_path.glob("[a-z]*.*"))
    assert {path.stem for path in files if path.suffix == ".parquet"} == set(audit.tables)
    for path in files:
        assert path.read_bytes() == (audit.output / path.name).read_bytes(), path.name


def test_every_table_by_name(audit: robotsaudit.Audit) -> None:
    for name, rows in audit.tables.items():
        table = getattr(audit, name)
        assert isinstance(table, duckdb.DuckDBPyRelation)
        assert table.aggregate("count(*)").fetchall() == [(rows,)], name


def test_relations_join_in_sql(audit: robotsaudit.Audit) -> None:
    violations, hosts = audit.violations, audit.host_stats
    assert violations is not None and hosts is not None
    rows = duckdb.sql("SELECT count(*) FROM violations JOIN hosts USING (origin)").fetchall()
    assert rows == [(audit.summary["violations"],)]
    assert {"violations", "summary"} <= set(dir(audit))
    with pytest.raises(AttributeError, match="'violation'"):
        audit.violation  # noqa: B018


def test_summary(audit: robotsaudit.Audit) -> None:
    assert audit.summary["violations"] == 42
    assert repr(audit).startswith("Audit of 284 fetches on 36 origins in ")


def test_a_table_that_is_not_there(archives: Path) -> None:
    few = robotsaudit.audit(archives, tables=["violations"])
    assert list(few.tables) == ["violations"]
    with pytest.raises(robotsaudit.RobotsauditError, match="has no table fetches: it has violations"):
        _ = few.fetches
    assert few._repr_html_() is None  # a report needs more tables


def test_tables_in_parts_and_odd_names(audit: robotsaudit.Audit, tmp_path: Path) -> None:
    folder = tmp_path / "crawl=1" / "[a]*"
    parts = folder / "violations.parquet"
    parts.mkdir(parents=True)
    (folder / "audit.json").write_bytes((audit.output / "audit.json").read_bytes())
    for part in ("1.parquet", "2.parquet"):
        (parts / part).write_bytes((audit.output / "violations.parquet").read_bytes())
    twice = robotsaudit.open(folder).violations
    assert twice.columns == audit.violations.columns
    assert twice.aggregate("count(*)").fetchall() == [(84,)]


def test_last_policies(audit: robotsaudit.Audit) -> None:
    """The last capture of each host and crawler in a period, or from up to so many before it."""
    captures = sorted((time.astimezone(datetime.UTC), id, host, agent) for time, id, host, agent in
                      audit.robots_policies.select("fetch_time, robots_id, url_host_name, agent").fetchall())
    assert len(captures) > len(hosts := {capture[2:] for capture in captures})
    for carry in (0, 1, 5):
        expected = {(of, month): id for month in range(3, 6) for time, id, *of in
                    ((t, i, h, a) for t, i, h, a in captures if month - carry <= t.month <= month)
                    for of in [tuple(of)]}
        found = audit.last_policies("month", carry).select("url_host_name, agent, month(period), robots_id").fetchall()
        assert len(found) == len(expected) and {((host, agent), month): id for host, agent, month, id in found} == expected
    last = audit.last_policies().select("url_host_name, agent, robots_id").fetchall()
    assert len(last) == len(hosts) and {(host, agent): id for host, agent, id in last} == {c[2:]: c[1] for c in captures}


def test_report(audit: robotsaudit.Audit, tmp_path: Path) -> None:
    report = audit.report(html=tmp_path / "report.html")
    assert "<html" in report.path.read_text(encoding="utf-8")[:1000]
    sentence = report.data["answer"]["sentence"]
    assert str(report).startswith(sentence) and "40" in sentence
    shown = report._repr_html_()
    for text in (f"<b>{html.escape(sentence)}</b>", "Contested, not proven", "http://down.example"):
        assert text in shown
    assert audit._repr_html_() == shown.replace(str(report.path), str(audit.output / "report.html"))


def test_report_escapes(audit: robotsaudit.Audit) -> None:
    answer = {"sentence": "<script>", "details": ["<b>"]}
    shown = robotsaudit.Report(Path("<p>"), {"answer": answer, "sections": [], "disclaimer": ""})._repr_html_()
    assert "<script>" not in shown and "<b><" not in shown and "<p></p>" not in shown


def test_lists(audit: robotsaudit.Audit, tmp_path: Path) -> None:
    lists = [audit.export("keep", purpose="train"), audit.export("drop", purpose="train"),
             audit.export("undecided", purpose=["train"])]
    counts = [count for rows in lists for (count,) in rows.aggregate("count(*)").fetchall()]
    assert all(counts) and sum(counts) == 181
    whole = audit.export("keep", purpose="train", decide=["all=drop", "tags_unknown=keep"], to=tmp_path / "keep.csv")
    assert len(whole.columns) == 12 and set(whole.columns) < set(lists[0].columns)
    assert (tmp_path / "keep.csv").read_text().count("\n") == counts[0] + 1
    urls = audit.export("drop", by="url", to=tmp_path / "drop.txt").fetchall()
    assert ("http://news.example/private/draft.html",) in urls
    assert audit.export("drop", agents="GPTBot", to=tmp_path / "drop.jsonl").columns == lists[0].columns


def test_lookup(audit: robotsaudit.Audit, tmp_path: Path) -> None:
    lookup = pickle.loads(pickle.dumps(audit.lookup(purpose="train", folder=tmp_path)))
    for name in ("keep", "drop", "undecided"):
        for id, reason, detail in audit.export(name, purpose="train").select("id, reason, detail").fetchall():
            assert lookup[id] == (name, reason, detail)
    assert lookup["of nothing"] == lookup[7] == ("undecided", "not_found", None)
    assert audit.lookup(purpose="train", folder=tmp_path).path == lookup.path  # made once
    (odd := tmp_path / "what? [it's] *").mkdir()
    assert audit.lookup(purpose="train", folder=odd)["of nothing"].reason == "not_found"


def test_lookup_of_ids_that_several_rows_have(archives: Path) -> None:
    """The worst row of an id counts."""
    rows = duckdb.sql("""SELECT 'http://news.example/' || path url, TIMESTAMPTZ '2025-03-20 12:00:30Z' date, id
                         FROM (VALUES ('a', 'both'), ('private/draft.html', 'both'), ('a', 'good')) rows(path, id)""")
    lookup = robotsaudit.audit(archives, urls=rows, tables="all").lookup()
    assert [lookup[id].list for id in ("both", "good")] == ["drop", "undecided"]


def test_explain(audit: robotsaudit.Audit) -> None:
    explanation = audit.explain(1)
    assert explanation.startswith("Disallowed, certain.")
    assert explanation.data["verdict"] == "disallowed"
    assert "<pre>Disallowed, certain." in explanation._repr_html_()
    at = datetime.datetime(2025, 3, 20, 13, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
    assert audit.explain("http://news.example/private/draft.html", at=at).data["moment"] == "2025-03-20T12:00:00Z"
    with pytest.warns(robotsaudit.RobotsauditWarning, match="has no time zone, and is taken as UTC"):
        audit.explain("http://news.example/private/draft.html", at=datetime.datetime(2025, 3, 20, 12))


def test_evidence(audit: robotsaudit.Audit, tmp_path: Path) -> None:
    bundle = tmp_path / "proof.warc.gz"
    said = audit.evidence(bundle, drop=True, agents="GPTBot", purpose="train")
    assert said.startswith(f"{bundle}: ")
    line = robotsaudit.verify(bundle).splitlines()[0]
    drop = audit.export("drop", agents="GPTBot", purpose="train").aggregate("count(*)").fetchall()[0][0]
    assert line.startswith(f"{bundle}: {drop} findings in this file are proven")
    assert audit.evidence(tmp_path / "one.warc.gz", 1).startswith(f"{tmp_path / 'one.warc.gz'}: 1 finding")
    bundle.write_bytes(bundle.read_bytes()[:-1000])
    with pytest.raises(robotsaudit.RobotsauditError, match="proof.warc.gz"):
        robotsaudit.verify(bundle)


def test_evaluate(archives: Path, tmp_path: Path) -> None:
    audit = robotsaudit.audit(archives, output=tmp_path / "out")
    other = robotsaudit.evaluate(audit, output=tmp_path / "other", agents=["ai"], as_of=datetime.date(2025, 3, 20))
    assert len(other.manifest["settings"]["agents"]) > 20 and "agents" not in audit.manifest["settings"]
    assert robotsaudit.evaluate(tmp_path / "out", profile="google").manifest == audit.manifest
    assert audit.manifest["settings"]["profile"] == "google"


def test_lists_of_urls_in_memory(audit: robotsaudit.Audit) -> None:
    source = duckdb.sql("SELECT 'http://news.example/private/draft.html' url, TIMESTAMPTZ '2025-03-20 12:00:30Z' date, 7 id")
    listed = robotsaudit.audit(urls=source, tables="all")
    assert listed.fetches.select("url, list_ids").fetchall() == [("http://news.example/private/draft.html", ["7"])]
    with pytest.warns(robotsaudit.RobotsauditWarning, match="the times in column date have no time zone"):
        naive = robotsaudit.audit(urls=source.select("url, date::TIMESTAMP AS date"), tables="all")
    assert naive.fetches.select("fetch_time").fetchall() == listed.fetches.select("fetch_time").fetchall()
    for module, frame in (("pandas", "df"), ("polars", "pl"), ("pyarrow", "arrow")):
        if importlib.util.find_spec(module):
            framed = robotsaudit.audit(urls=[getattr(source, frame)()], tables="all")
            assert framed.fetches.select("list_ids").fetchall() == [(["7"],)], module
    with pytest.warns(robotsaudit.RobotsauditWarning, match="the times in column date have no time zone"):
        robotsaudit.audit(urls=source.select("url, date::DATE AS date"), tables="all")
    with pytest.raises(robotsaudit.UsageError, match="^urls is neither a file nor a table"):
        robotsaudit.audit(urls=7)
    with pytest.warns(robotsaudit.IncompleteInput, match="none of the columns url"):
        robotsaudit.audit(urls=source.select("id"))


def test_lists_of_urls_in_memory_are_read_once(archives: Path, tmp_path: Path) -> None:
    """The same call again reads nothing, and one with other rows replaces the list."""
    def kept(rows: str) -> int:
        events: list[Any] = []
        made = robotsaudit.audit([], urls=duckdb.sql(f"SELECT 'http://a.example/' || n AS url, TIMESTAMPTZ '2025-03-20 12:00:00Z' AS date "
                                                     f"FROM range({rows}) t(n)"), output=tmp_path / "out", progress=events.append)
        assert made.summary["fetches"] == int(rows)
        kept: int = events[-1]["inputs_kept"]
        return kept

    assert [kept("3"), kept("3"), kept("4"), kept("4")] == [0, 1, 0, 1]


def test_match(tmp_path: Path) -> None:
    text = "User-agent: GPTBot\nDisallow: /private/\n"
    (tmp_path / "robots.txt").write_text(text)
    for robots in (text, text.encode(), tmp_path / "robots.txt"):
        private, public = robotsaudit.match(robots, "GPTBot", ["https://example.com/private/", "/-"])
        assert (private.allowed, private.rule, private.rule_line) == (False, "Disallow: /private/", 2)
        assert public.allowed and public.rule is None
    assert robotsaudit.match(text, "CCBot", "/private/")[0].reason == "no_matching_group"
    many = [f"/private/{n}" for n in range(5000)]
    assert [answer.url for answer in robotsaudit.match(text, "GPTBot", iter(many))] == many
    with pytest.raises(ValueError, match=r"Path\('robots.txt'\)"):
        robotsaudit.match("robots.txt", "GPTBot", "/")
    with pytest.raises(robotsaudit.UsageError, match="neither a URL nor a path"):
        robotsaudit.match(text, "GPTBot", "private")
