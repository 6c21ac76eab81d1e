"""Read every table of an audit with DuckDB and with pyarrow, and count.

    readers DIR SCHEMA

SCHEMA is the output of `robotsaudit schema --format json`. Both readers must see its columns and no other values than
it lists; rows and sums must equal the totals of audit.json and the invariants that docs/SCHEMA.md states.
"""

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import duckdb
import pyarrow
import pyarrow.parquet as parquet

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def moment(text):
    """moment is a time of audit.json in microseconds since 1970."""
    return text and (datetime.fromisoformat(text) - EPOCH) // timedelta(microseconds=1)


class Checks:
    """Checks collects what is wrong, so that one run tells all of it."""

    def __init__(self, folder, schema):
        self.folder, self.wrong, self.done = folder, [], 0
        self.columns = {table["name"]: table["columns"] for table in schema["tables"]}
        self.joins = {table["name"]: table.get("joins", []) for table in schema["tables"]}
        self.types = {t["name"]: t["duckdb"] for t in schema["types"]}
        self.always = [table["name"] for table in schema["tables"] if not table["optional"]]
        self.what_if_tables = [table["name"] for table in schema["tables"] if table["optional"]]
        self.db = duckdb.connect()
        self.rows = {}

    def equal(self, what, left, right):
        self.done += 1
        if left != right:
            self.wrong.append(f"{what}: {left!r} is not {right!r}")

    def one(self, query):
        return self.all(query)[0][0]

    def all(self, query):
        return self.db.execute(query).fetchall()

    def same(self, what, here, there):
        """same: two queries give the same rows."""
        for one, other in ((here, there), (there, here)):
            self.equal(f"{what}: rows of one alone", self.all(f"({one}) except all ({other}) limit 3"), [])

    def table(self, name):
        """table opens a table with both readers and compares what they see."""
        path = self.folder / f"{name}.parquet"
        seen = parquet.read_table(path)
        seen.validate(full=True)  # strings are UTF-8, offsets lie inside
        self.db.execute(f"create view {name} as from read_parquet('{path}')")
        self.rows[name] = seen.num_rows
        self.equal(f"rows of {name}: pyarrow, DuckDB", seen.num_rows, self.one(f"select count(*) from {name}"))
        self.equal(f"columns of {name}: schema, DuckDB", [(c["name"], self.types[c["type"]]) for c in self.columns[name]],
                   [column[:2] for column in self.all(f"describe {name}")])
        self.equal(f"columns of {name}: pyarrow, schema", seen.column_names, [c["name"] for c in self.columns[name]])
        for column in seen.column_names:
            nulls = self.one(f'select count(*) filter ("{column}" is null) from {name}')
            self.equal(f"nulls of {name}.{column}: pyarrow, DuckDB", seen.column(column).null_count, nulls)
        for column in self.columns[name]:
            self.values(name, column)
        footer = parquet.read_metadata(path).metadata or {}
        self.equal(f"schema version of {name}", footer.get(b"robotsaudit.schema_version", b"").decode(), self.version)

    def values(self, name, column):
        """values compares a column with the schema: null where it may be, and the values that it may have."""
        quoted = '"' + column["name"] + '"'
        if not column["nullable"]:
            self.equal(f"nulls of {name}.{column['name']}", self.one(f"select count(*) from {name} where {quoted} is null"), 0)
        if "values" in column and column["type"] == "STRING":
            known, separator = {value["value"] for value in column["values"]}, column.get("separator")
            found = {value for (text,) in self.all(f"select distinct {quoted} from {name} where {quoted} is not null")
                     for value in (text.split(separator) if separator else [text])}
            self.equal(f"values of {name}.{column['name']} that the schema does not know", found - known, set())

    def run(self):
        audit = json.loads((self.folder / "audit.json").read_text())
        self.version, totals = audit["schema_version"], audit["totals"]
        what_if = any((self.folder / f"{name}.parquet").exists() for name in self.what_if_tables)
        for name in self.always + (self.what_if_tables if what_if else []):
            try:
                self.table(name)
            except (OSError, pyarrow.ArrowException, duckdb.Error) as unread:
                self.done += 1
                self.wrong.append(f"{name} can't be read: {unread}")
        if len(self.rows) < len(self.always):
            return
        self.totals(audit, totals)
        self.invariants()
        for name in self.rows:
            for join in self.joins[name]:
                self.leads(name, join)
        self.join()
        self.pages()
        if what_if:
            self.what_if()

    def totals(self, audit, totals):
        for name in ("fetches", "violations", "unproven", "exclusions", "issues"):
            self.equal(f"rows of {name}", self.rows[name], totals[name])
        kinds = dict(self.all("select kind, count(*) from restrictions group by kind"))
        asked = {"publication": totals["restrictions_publication"], "usage": totals["restrictions_usage"]}
        self.equal("rows of restrictions by kind", kinds, {kind: count for kind, count in asked.items() if count})
        self.equal("rows of robots", self.rows["robots"], totals["robots_captures"] + totals["log_evidence"])
        self.equal("rows of all tables", self.rows, audit["tables"])
        for name, pick in (("first", min), ("last", max)):
            times = [row[0] for row in self.all(f"select epoch_us({pick.__name__}(fetch_time)) from fetches")]
            self.equal(f"{name}_fetch_time", moment(totals[f"{name}_fetch_time"]), times[0])
        self.equal("fetches of the inputs less duplicates", sum(i["fetches"] for i in audit["inputs"])
                   - self.one("select count(*) from issues where kind = 'duplicate_record'"), totals["fetches"])
        for name in ("host_stats", "agent_stats"):
            counts = [c["name"] for c in self.columns[name] if c["type"] == "INT64" and c["name"] in totals]
            sums = self.all("select " + ", ".join(f"coalesce(sum({c}), 0)" for c in counts) + f" from {name}")[0]
            for column, total in zip(counts, sums):
                self.equal(f"sum of {name}.{column}", int(total), totals[column])

    def invariants(self):
        """invariants are those of Counts, recounted from fetches."""
        for name in ("host_stats", "agent_stats"):
            for rule in ("fetches = allowed + disallowed + unknown",
                         "fetches = evidence_fresh + evidence_stale + evidence_later + evidence_none",
                         "disallowed = violations_certain + violations_probable + possible + contested",
                         "robots_txt_itself <= allowed"):
                self.equal(f"{name} rows without {rule}", self.one(f"select count(*) from {name} where not ({rule})"), 0)
        recounted = {
            "fetches": "true", "tags_unknown": "tags_from = 'unknown'", "hinted": "hints is not null",
            "allowed": "verdict = 'allowed'", "disallowed": "verdict = 'disallowed'", "unknown": "verdict = 'unknown'",
            "evidence_fresh": "evidence = 'fresh'", "evidence_stale": "evidence = 'stale'",
            "evidence_later": "evidence = 'later'", "evidence_none": "evidence = 'none'",
            "violations_certain": "certainty = 'certain'", "violations_probable": "certainty = 'probable'",
            "possible": "certainty = 'possible'", "contested": "certainty = 'contested'",
            "robots_txt_itself": "reason = 'robots_txt_itself'",
            "allowed_unsafe_encoding": "verdict = 'allowed' and list_contains(notes, 'unsafe_encoding')",
            "allowed_named_group_forbids": "verdict = 'allowed' and list_contains(notes, 'named_group_forbids')",
        }
        names = ", ".join(recounted)
        counts = ", ".join(f"count(*) filter ({condition})" for condition in recounted.values())
        for name, key in (("host_stats", "origin"), ("agent_stats", "agent")):
            here, there = f"select {key}, {names} from {name}", f"select {key}, {counts} from fetches group by {key}"
            self.same(f"counts of {name}, counts of fetches", here, there)
        self.equal("disallowed fetches without a certainty, or others with one", self.one(
            "select count(*) from fetches where (certainty is not null) <> (verdict = 'disallowed')"), 0)

    def leads(self, name, join):
        """leads: every row has the row that the schema says its columns lead to, but for the exceptions named there."""
        if join["table"] not in self.rows or join["table"] == "agent_stats":  # where rare tokens share a row
            return
        here, there = (", ".join(f'"{column}"' for column in columns) for columns in (join["columns"], join["to"]))
        where = " and ".join(f'"{column}" is not null' for column in join["columns"])
        if join["columns"] == ["robots_id"]:
            where += " and robots_id <> 0"
        if name in ("robots", "robots_policies"):
            where += " and robots_id not in (select robots_id from robots where record_type = 'log')"
        if (name, join["columns"]) == ("exclusions", ["origin"]):
            where += " and origin in (select origin from fetches)"
        self.equal(f"rows of {name} whose {here} lead to no row of {join['table']}", self.one(
            f"select count(*) from {name} where {where} and ({here}) not in (select ({there}) from {join['table']})"), 0)

    def join(self):
        """join: violations and unproven are fetches, and every robots_id leads to the row of robots that is cited."""
        for name, certainties in (("violations", "('certain', 'probable')"), ("unproven", "('possible', 'contested')")):
            columns = "warc_filename, warc_record_offset, url, certainty, robots_id, reason"
            here, there = f"select {columns} from {name}", f"select {columns} from fetches where certainty in {certainties}"
            self.same(f"{name}, fetches with its certainties", here, there)
            self.equal(f"rows of {name} without a governing capture", self.one(
                f"select count(*) from {name} where robots_id is null"), 0)
        self.equal("robots_id given twice", self.one("select count(*) - count(distinct robots_id) from robots"), 0)
        for name in ("violations", "unproven", "restrictions"):
            self.equal(f"rows of {name} with a body and without its time and place", self.one(
                f"select count(*) from {name} where (robots_body_digest is null) <> (robots_body_time is null) "
                "or (robots_body_digest is null) <> (robots_body_warc_record_offset is null)"), 0)
        for name in ("violations", "unproven"):
            self.equal(f"rows of {name} that cite a copy without the note permitted_copy, or the reverse", self.one(
                f"select count(*) from {name} where (contested_time is not null) <> "
                "coalesce(list_contains(notes, 'permitted_copy'), false)"), 0)

    def pages(self):
        """pages: what is said of use is said of fetches, and counted as often."""
        for name in ("page_tags", "effective_tags", "usage_signals", "tag_conflicts", "restrictions"):
            self.equal(f"rows of {name} that are no fetch's", self.one(
                f"select count(*) from {name} anti join fetches using (warc_filename, warc_record_offset, url)"), 0)
        fetches = "select count(*) from (select distinct warc_filename, warc_record_offset, url from {})"
        for column, source in (("tagged", "effective_tags"), ("signalled", "usage_signals"), ("conflicting", "tag_conflicts")):
            self.equal(f"fetches of {source}", self.one(fetches.format(source)),
                       self.one(f"select coalesce(sum({column}), 0)::bigint from host_stats"))
        self.equal("tags of fetches that are not those of effective_tags", self.one("""
            select count(*) from fetches f
            left join effective_tags e on (e.warc_filename, e.warc_record_offset, e.url) = (f.warc_filename, f.warc_record_offset, f.url)
                and e.agent = lower(f.agent)
            left join effective_tags g on (g.warc_filename, g.warc_record_offset, g.url) = (f.warc_filename, f.warc_record_offset, f.url)
                and g.agent is null
            where coalesce(e.rules, g.rules) is distinct from f.tags"""), 0)
        self.equal("restrictions without a statement", self.one("select count(*) from restrictions where len(statements) = 0"), 0)

    def what_if(self):
        """what_if: joined, the two tables hold one verdict for each fetch and each agent."""
        agents = self.one("select count(distinct agent) from robots_agents")
        self.equal("verdicts of fetches and agents", self.one(
            "select count(*) from group_verdicts join robots_agents using (robots_id, \"group\")"),
            agents * self.rows["fetches"])
        self.equal("fetches with two verdicts for one agent", self.one("""
            select count(*) from (select warc_filename, warc_record_offset, agent
            from group_verdicts join robots_agents using (robots_id, "group") group by all having count(*) > 1)"""), 0)
        # Where other captures divide the tokens of a row, and these get other answers, the row is unknown. What a crawler
        # had only later shows in its own fetches alone.
        self.equal("verdicts for the crawler's own token that are not the fetch's", self.one("""
            select count(*) from group_verdicts v join robots_agents a using (robots_id, "group")
            join fetches f using (warc_filename, warc_record_offset)
            where lower(a.agent) = lower(f.agent) and ((v.verdict, v.reason) <> (f.verdict, f.reason) or v.evidence <> f.evidence and f.evidence <> 'later')
            and v.reason not in ('changed_between', 'conflicting_captures')"""), 0)


def main(tables: Path, schema: Path):
    checks = Checks(tables, json.loads(schema.read_text()))
    checks.run()
    print("\n".join(checks.wrong), end="\n" * bool(checks.wrong))
    rows = ", ".join(f"{count} {name}" for name, count in checks.rows.items())
    print(f"readers: {checks.done - len(checks.wrong)} of {checks.done} checks hold: {rows}")
    return len(checks.wrong) > 0
