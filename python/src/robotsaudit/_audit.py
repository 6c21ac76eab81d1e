"""Audits: making them, their tables, and what is asked of them."""

from __future__ import annotations

import contextlib
import functools
import glob
import hashlib
import html
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ._lookup import WRITTEN, Lookup, lookup_of
from ._options import Place, described, files_of, flags, numbers, scratch, takes
from ._tool import Progress, RobotsauditError, ViolationsFound, call

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

Inputs: TypeAlias = "Place | Sequence[Place]"


class Audit:
    """
    The results in an output folder. Tables are read when they are used, so they are from the last run there.

    Each table is a DuckDB relation, of a query that has not run: `a.violations.filter("certainty =
    'certain'")`, `a.fetches.aggregate("verdict, count(*)")`; `.df()`, `.pl()` and `.arrow()` make it
    a frame of pandas or Polars, or batches of Arrow. Times are in UTC, with their zone; lengths are
    in bytes, delays in seconds. docs/SCHEMA.md has every column, what null means, and its source.
    """

    output: Path
    """The folder."""

    def __init__(self, output: Place) -> None:
        self.output = Path(output)
        if not (self.output / "audit.json").is_file():
            raise RobotsauditError(f"{self.output} holds no audit: it has no audit.json")

    def __getattr__(self, name: str) -> DuckDBPyRelation:
        if name.startswith("_") or all(name != table["name"] for table in described()["tables"]):
            raise AttributeError(f"an audit has no table and nothing else of the name {name!r}")
        return self.table(name)

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self.tables]

    @property
    def manifest(self) -> dict[str, Any]:
        """audit.json: the version, the settings, the inputs, the totals, and the rows of each table."""
        manifest: dict[str, Any] = json.loads((self.output / "audit.json").read_bytes())
        return manifest

    @property
    def summary(self) -> dict[str, Any]:
        """The totals: counts of fetches by verdict and certainty, shares between 0 and 1, first and last time."""
        totals: dict[str, Any] = self.manifest["totals"]
        return totals

    @property
    def tables(self) -> dict[str, int]:
        """The names of the tables that are here, with the number of rows of each."""
        rows: dict[str, int] = self.manifest["tables"]
        return rows

    def table(self, name: str, connection: DuckDBPyConnection | None = None) -> DuckDBPyRelation:
        """A table by its name, in the default connection of DuckDB or in another one."""
        import duckdb

        path = self.output / f"{name}.parquet"
        if not path.exists():
            raise RobotsauditError(f"{self.output} has no table {name}: it has {', '.join(self.tables)}")
        pattern = glob.escape(str(path)) + "/*.parquet" * path.is_dir()
        return (connection or duckdb).read_parquet(pattern, hive_partitioning=False)

    def last_policies(self, every: Literal["year", "quarter", "month"] | None = None, carry: int = 0) -> DuckDBPyRelation:
        """
        The rows of `robots_policies` that are the last of their host and crawler: of all, or in each period.

        With `every`, the column `period` has the first day of the period, in UTC. A capture counts in its
        own period and in `carry` more, until there is a newer one: for archives that hold a capture only
        where something changed. A host without a capture in them has no row.
        """
        policies, key = self.robots_policies.filter("fetch_time IS NOT NULL"), "agent, url_host_name"
        if every:
            begin = f"date_trunc('{every}', fetch_time AT TIME ZONE 'UTC')"
            policies = policies.select(f"""
                unnest(generate_series({begin}, {begin} + INTERVAL {carry} {every}, INTERVAL 1 {every}))::DATE AS period,
                *, max(fetch_time AT TIME ZONE 'UTC') OVER () AS newest""").filter("period <= newest").select("* EXCLUDE newest")
            key += ", period"
        place = f"row_number() OVER (PARTITION BY {key} ORDER BY fetch_time DESC, robots_id DESC)"
        return policies.select(f"*, {place} AS place").filter("place = 1").select("* EXCLUDE place")

    @takes("report", "json")
    def report(self, **options: Any) -> Report:
        """
        Writes the report for people, report.html in the folder unless `html` names another file, and returns it.

        In a notebook it shows the answer, the classes of certainty, and the worst sites and rules.
        """
        path = Path(options.setdefault("html", self.output / "report.html"))
        return Report(path, json.loads(call("report", ["--json=-", *flags(options), "--", str(self.output)])))

    @takes("export", "to")
    def export(self, list: str, to: Place | None = None, **options: Any) -> DuckDBPyRelation:
        """
        The list keep, drop or undecided, or all of them, with the reason in each row; or that of a cause.

        `a.export("keep", purpose="train")`. Every fetch of a page is in exactly one of the three
        lists made with the same options. The list is written to the file `to`, whose name decides
        the format unless `format` does. Without `to`, it lasts as long as this process.
        """
        kind = options.get("format") or (Path(to).suffix[1:] if to else "parquet")
        path = Path(to) if to else scratch() / f"list-{next(numbers)}.{kind}"
        call("export", [f"--to={path}", *flags({**options, "format": kind}), "--", str(self.output), list])
        return read_list(path, kind)

    @takes("export", "to", *WRITTEN)
    def lookup(self, *, folder: Place | None = None, **options: Any) -> Lookup:
        """
        What the three lists say of documents, by id: `a.lookup(purpose="train")[id].reason`.

        The id is the WARC-Record-ID, as in FineWeb, or that of the row in a list of URLs. Of several
        rows with one id, the worst counts. `decide` is that of `export`, as in
        `["all=drop", "tags_unknown=keep"]`. The lists lie in `folder`, by default the output
        of the audit, in files that processes and machines share, and are made once.
        """
        return lookup_of(self, Path(folder or self.output), options)

    @takes("explain", "format")
    def explain(self, what: str | int, **options: Any) -> Explanation:
        """
        Why a fetch got its verdict, step by step: the captures of robots.txt, the rule, what each copy says.

        What is a URL, a WARC-Record-ID, FILE:OFFSET as in the tables, or the number of a row of
        violations, from 1. Of a URL that was fetched several times, `at` says which fetch is meant.
        """
        arguments = [*flags(options), "--", str(self.output), str(what)]
        return Explanation(call("explain", arguments).decode(), arguments)

    @takes("evidence", "to")
    def evidence(self, to: Place, *what: str | int, **options: Any) -> str:
        """
        Bundles the records that violations rest on in one WARC file, and returns in words what it holds.

        What is as in `explain`; without any, all violations. `drop=True` bundles what
        `export("drop")` lists with the same options. `verify` needs the bundle and nothing else.
        """
        return call("evidence", [f"--to={to}", *flags(options), "--", str(self.output), *map(str, what)]).decode().strip()

    def __repr__(self) -> str:
        t = self.summary
        return (f"Audit of {t['fetches']:,} fetches on {t['origins']:,} origins in {str(self.output)!r}: "
                f"{t['violations']:,} violations, {t['unproven']:,} unproven, {t['unknown']:,} unknown")

    def _repr_html_(self) -> str | None:
        with contextlib.suppress(RobotsauditError):  # without the tables that a report needs
            data = json.loads(call("report", ["--json=-", "--", str(self.output)]))
            return Report(self.output / "report.html", data)._repr_html_()
        return None


def read_list(path: Path, kind: str) -> DuckDBPyRelation:
    """A list that export has written, as a relation."""
    import duckdb

    name = glob.escape(str(path))
    match kind:
        case "parquet":
            return duckdb.read_parquet(name, hive_partitioning=False)
        case "csv":
            return duckdb.read_csv(name, hive_partitioning=False)
        case "txt":
            return duckdb.read_csv(name, header=False, names=["line"], sep="\x01", quotechar="",
                                   hive_partitioning=False)
    return duckdb.read_json(name, hive_partitioning=False)


@dataclass(frozen=True)
class Report:
    """A report for people."""

    path: Path
    """The HTML file: one file, which needs no network."""
    data: dict[str, Any]
    """All of it as data: the answer and its details, and sections with classes, tables and findings."""

    def __str__(self) -> str:
        answer = self.data["answer"]
        return "\n".join([answer["sentence"], *answer.get("details", []), f"The whole report is {self.path}."])

    def _repr_html_(self) -> str:
        answer, text = self.data["answer"], html.escape
        classes = [c for section in self.data["sections"] if section["id"] == "certainty" for c in section["classes"]]
        rows = (f'<tr><th style="text-align:left">{text(c["label"])}</th><td>{text(c["words"])}</td>'
                f'<td style="text-align:left">{text(c["meaning"])}</td></tr>' for c in classes)
        return "\n".join([f"<p><b>{text(answer['sentence'])}</b></p>",
                          *(f"<p>{text(detail)}</p>" for detail in answer.get("details", [])),
                          "<table>", *rows, "</table>",
                          f"<p>{text(self.data['disclaimer'])} The whole report: {text(str(self.path))}.</p>"])


class Explanation(str):
    """An explanation as the program prints it; `data` has it as JSON."""

    arguments: list[str]

    def __new__(cls, text: str, arguments: list[str]) -> Explanation:
        explanation = super().__new__(cls, text)
        explanation.arguments = arguments
        return explanation

    @functools.cached_property
    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(call("explain", ["--format=json", *self.arguments]))
        return data

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self)}</pre>"


@takes("audit")
def audit(inputs: Inputs = (), *, output: Place | None = None, progress: Progress = None,
          **options: Any) -> Audit:
    """
    Audits web archives: what was each crawler allowed to fetch, and what proves it?

    Inputs are archives, folders, globs, indexes, lists of inputs (`"@list.txt"`) or URLs
    (`"s3://…"`, `"https://…"`); `urls` are lists of URLs with times, as files or tables in memory. The
    results are in the folder `output`, and so are tables given as `urls`. A later call there reads
    only what is new, also after an interruption. Without `output`, they last as long as this process, in which the same call goes on there.

    `agents` are crawlers that are asked about, by product token, or categories of known ones:
    `agents=["GPTBot", "archive"]`. `progress` is a bar of tqdm where there is a terminal or a
    notebook; False is none, True one everywhere, and a function gets each event of the program
    (docs/OPERATIONS.md). What could not be read completely is a warning, IncompleteInput.
    """
    names = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    if "urls" in options:
        options["urls"] = files_of(options["urls"], Path(output, ".robotsaudit", "urls") if output else None)
    arguments = [*flags(options), "--", *(os.fspath(name) for name in names)]
    if output is None:
        where = hashlib.sha256("\0".join([os.getcwd(), *arguments]).encode("utf-8", "surrogateescape"))
        output = scratch() / where.hexdigest()[:16]
    return run("audit", [f"--output={os.fspath(output)}", *arguments], output, progress)


@takes("evaluate")
def evaluate(audit: Audit | Place, *, output: Place | None = None, progress: Progress = None,
             **options: Any) -> Audit:
    """
    Decides every fetch of an audit again, with other options, without reading archives.

    The new tables replace the old ones of the audit. With `output`
    they are in that folder, and the audit stays as it is.
    """
    folder = str(audit.output if isinstance(audit, Audit) else audit)
    if output is None:
        return run("evaluate", [*flags(options), "--", folder], folder, progress)
    return run("merge", [f"--output={os.fspath(output)}", *flags(options), "--", folder], output, progress)


def verify(bundle: Place, *findings: str, full: bool = False) -> str:
    """
    Decides every fetch of a bundle of evidence again, by its records alone, and returns what is proven so.

    `full` lists each finding, and names of `findings`, as reports have them, list those. A bundle that
    proves anything else than it claims is a RobotsauditError.
    """
    return call("verify", [*(["--full"] if full else []), "--", str(bundle), *findings]).decode()


def run(command: str, arguments: list[str], output: Place, progress: Progress) -> Audit:
    try:
        call(command, arguments, progress=progress)
    except ViolationsFound as found:
        found.audit = Audit(output)
        raise
    return Audit(output)


def open(output: Place) -> Audit:
    """The audit in a folder that `robotsaudit audit`, or audit() here, has written."""
    return Audit(output)


@dataclass(frozen=True, slots=True)
class Match:
    """What a robots.txt says of one URL."""

    url: str
    agent: str
    verdict: str
    """allowed or disallowed."""
    reason: str
    """docs/SEMANTICS.md lists them: rule, no_matching_rule, no_matching_group, …"""
    rule: str | None
    """The line that decides."""
    rule_line: int | None
    """Its number in the file, from 1."""
    group_line: int | None
    """The number of the first line of its group."""
    profile: str

    @property
    def allowed(self) -> bool:
        return self.verdict == "allowed"


@takes("match", "format", "batch", "keep-going")
def match(robots: str | bytes | os.PathLike[str], agent: str, urls: str | Iterable[str],
          **options: Any) -> list[Match]:
    """
    Whether a robots.txt allows a crawler to fetch URLs, by which rule and why: a Match for each, in order.

    `robots` is the text of robots.txt, or the path of a file as a Path. `agent` is the product token
    of the crawler, without a version ("GPTBot"), or "" for one without. A URL may be a path that
    begins with /.
    """
    if isinstance(robots, os.PathLike):
        body = Path(robots).read_bytes()
    elif isinstance(robots, str):
        if robots.strip() and ":" not in robots:
            raise ValueError(f"{robots!r} holds no line of robots.txt; for a file, give Path({robots!r})")
        body = robots.encode()
    else:
        body = robots
    names = {field.name for field in fields(Match)}
    return [Match(**{name: answer[name] for name in names})
            for part in batches([urls] if isinstance(urls, str) else urls)
            for answer in map(json.loads, call("match", ["--format=json", *flags(options), "--", "-", agent, *part],
                                               stdin=body).splitlines())]


def batches(urls: Iterable[str]) -> Iterator[list[str]]:
    """Parts of URLs that fit into a command line, which Windows limits to 32,767 characters."""
    part, size = list[str](), 0
    for url in urls:
        if part and size + len(url) > 20_000:
            yield part
            part, size = [], 0
        part.append(url)
        size += len(url) + 3
    if part:
        yield part
