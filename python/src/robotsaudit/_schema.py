"""The tables and options of the program. Made by scripts/make/run options; not changed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

Place: TypeAlias = str | PathLike[str]

CATEGORIES = ("ai", "archive", "search", "client", "all")
"""Categories of known crawlers."""


class AuditOptions(TypedDict, total=False):
    """Options of the command audit."""

    access_log: Annotated[
        Place | Sequence[Place],
        "FILE with the requests to a site, as its server logs them: the common or combined format of Apache "
        "or nginx, JSON lines, W3C's #Fields; also compressed, and - for standard input; see docs/FORMATS.md"
    ]
    add: Annotated[
        bool,
        "keep what DIR holds of archives not named now"
    ]
    address_key: Annotated[
        Place,
        "FILE with a key of at least 16 bytes: the addresses of clients come hashed by it; without it they "
        "are left out"
    ]
    agent: Annotated[
        str | Sequence[str],
        "also decide what product token TOKEN would have been allowed"
    ]
    agents: Annotated[
        str | Sequence[str],
        "more such tokens: all that 'robotsaudit agents' lists of CATEGORY ai, archive, search, client, all, "
        "and product tokens as they are"
    ]
    agents_file: Annotated[
        Place,
        "FILE of more such tokens, one a line; # begins a comment"
    ]
    as_crawler: Annotated[
        Literal["auto", "none", "heritrix-3.9", "heritrix", "browsertrix", "wget", "nutch-1.19", "nutch", "stormcrawler-2", "stormcrawler", "scrapy-protego-0.6", "scrapy", "urllib-3.12", "urllib", "httrack-3.49", "httrack", "brozzler"],
        "whose own parser own_reading is of: auto (what the archives name: warcinfo, else the User-Agent), "
        "none, or NAME of one of the parsers that differ from RFC 9309"
    ]
    as_of: Annotated[
        str | date,
        "judge the what-if (--agent, --agents) and restrictions (--purpose) as of DATE, in place of each "
        "fetch's own time: 2025-03-01 (the whole day, UTC), 2025-03-01T12:00:00Z, today or now; a datetime "
        "without a time zone is taken as UTC"
    ]
    base: Annotated[
        Place,
        "PLACE that relative lines of lists, and for --verify the archives that indexes name, are meant from: "
        "a URL such as s3://commoncrawl/, or a folder"
    ]
    crawler: Annotated[
        str,
        "product TOKEN of the crawler that made the archives, instead of the one in each request's User-Agent"
    ]
    crawler_map: Annotated[
        Place,
        "FILE of the same for some User-Agents, one rule a line: PATTERN => TOKEN (see above)"
    ]
    digest_inputs: Annotated[
        bool,
        "write the SHA-256 of each archive to audit.json, for which it is read once more"
    ]
    fail_on: Annotated[
        str | Sequence[str],
        "WHAT decides the exit code: violations (10), new-violations (10 for those that the run before in DIR "
        "did not have), unread (3 for unread input, as without this flag), or several, as in "
        "unread,violations: the first that there is"
    ]
    force: Annotated[
        bool,
        "replace files of other programs in DIR that bear the names of results"
    ]
    https_requests: Annotated[
        int,
        "N requests at a time to one web server, for https://… (default: 4 to data.commoncrawl.org, elsewhere "
        "as many as are needed)"
    ]
    id_column: Annotated[
        str,
        "column NAME of the lists in --urls, with your own id of each row, which comes back in 'robotsaudit "
        "export'; without it, id if there is one"
    ]
    keep_addresses: Annotated[
        bool,
        "keep the addresses of clients as they are"
    ]
    line_format: Annotated[
        str,
        "TEXT that is the format of the lines in --access-log, in the syntax of nginx's log_format or "
        "Apache's LogFormat; without it, the usual formats"
    ]
    policies: Annotated[
        Literal["asked", "named", "none"],
        "WHOM the table robots_policies is about: asked (*, the crawlers of the archives, --agent and the "
        "like), named (these, and all that the file names) or none"
    ]
    policy_bodies: Annotated[
        bool,
        "put the text of each robots.txt into robots_policies, in the row of *"
    ]
    profile: Annotated[
        Literal["rfc9309", "rep-08", "google"],
        "PROFILE of the Robots Exclusion Protocol: rfc9309, rep-08 or google"
    ]
    prune: Annotated[
        bool,
        "remove what DIR holds of archives not named now, without a warning"
    ]
    purpose: Annotated[
        Literal["archive", "index", "train"] | Sequence[Literal["archive", "index", "train"]],
        "what the archives are for: archive, index or train; what pages and origins say against PURPOSE is "
        "then a row of restrictions, of kind publication or usage"
    ]
    ranges: Annotated[
        Place | Sequence[Place],
        "FILE with the addresses of a crawler, as its operator publishes them (gptbot.json), or TOKEN=FILE, "
        "where its name is not the crawler's; requests in that name from elsewhere count as forged"
    ]
    ranks: Annotated[
        Place,
        "FILE of lines RANK,DOMAIN, such as Tranco's CSV, as it is or in gzip: fills the column rank_stratum "
        "of host_stats and robots_policies"
    ]
    reread: Annotated[
        bool,
        "read all archives again, also those that were read before"
    ]
    robots: Annotated[
        Place | Sequence[Place],
        "FILE with captures of robots.txt as rows: Parquet, CSV or JSON lines, with columns url or host, "
        "time, status and body; or a git repository whose history holds them, a file each; see "
        "docs/FORMATS.md"
    ]
    robots_bodies: Annotated[
        str,
        "folder DIR with the bodies that the tables in --robots name by their digests: a file each, of that "
        "name"
    ]
    s3_anonymous: Annotated[
        bool,
        "do not sign requests to object stores: for what is public"
    ]
    s3_endpoint: Annotated[
        str,
        "URL of an object store that is not Amazon's, for s3://…"
    ]
    site: Annotated[
        str | Sequence[str],
        "ORIGIN whose requests count, such as https://example.org; it is needed where the lines name no host, "
        "or neither scheme nor port"
    ]
    sizes: Annotated[
        bool,
        "decode all payloads, for fetches.payload_bytes_decoded; without it, those alone that are decoded "
        "anyway"
    ]
    tables: Annotated[
        str | Sequence[str],
        "write these TABLES alone, by name as in violations,host_stats, or by set: verdicts (what report.html "
        "needs) or all; without this flag verdicts where indexes report nine of ten fetches, else all"
    ]
    trust_lists: Annotated[
        bool,
        "lists of inputs that lie on servers may name anything, as those on this machine may; else only what "
        "lies below --base, or in the list's own host or bucket"
    ]
    urls: Annotated[
        Any,
        "FILE with a list of URLs: Parquet, CSV or JSON lines, with columns url, time and perhaps agent and "
        "id; also a table in memory, of DuckDB, Arrow, Polars or pandas"
    ]
    verify: Annotated[
        bool,
        "read the records of suspected violations that an index reports, where the index says that they are"
    ]
    verify_digests: Annotated[
        bool,
        "compare the digests of all records, not of robots.txt alone, with what they hold"
    ]
    wait_lock: Annotated[
        bool,
        "wait for folders that another robotsaudit uses, instead of failing"
    ]
    workers: Annotated[
        int,
        "N archives read at a time"
    ]


class EvaluateOptions(TypedDict, total=False):
    """Options of the command evaluate."""

    agent: Annotated[
        str | Sequence[str],
        "also decide what product token TOKEN would have been allowed"
    ]
    agents: Annotated[
        str | Sequence[str],
        "more such tokens: all that 'robotsaudit agents' lists of CATEGORY ai, archive, search, client, all, "
        "and product tokens as they are"
    ]
    agents_file: Annotated[
        Place,
        "FILE of more such tokens, one a line; # begins a comment"
    ]
    as_crawler: Annotated[
        Literal["auto", "none", "heritrix-3.9", "heritrix", "browsertrix", "wget", "nutch-1.19", "nutch", "stormcrawler-2", "stormcrawler", "scrapy-protego-0.6", "scrapy", "urllib-3.12", "urllib", "httrack-3.49", "httrack", "brozzler"],
        "whose own parser own_reading is of: auto (what the archives name: warcinfo, else the User-Agent), "
        "none, or NAME of one of the parsers that differ from RFC 9309"
    ]
    as_of: Annotated[
        str | date,
        "judge the what-if (--agent, --agents) and restrictions (--purpose) as of DATE, in place of each "
        "fetch's own time: 2025-03-01 (the whole day, UTC), 2025-03-01T12:00:00Z, today or now; a datetime "
        "without a time zone is taken as UTC"
    ]
    base: Annotated[
        Place,
        "PLACE that the archives that indexes name are meant from: a URL such as s3://commoncrawl/, or a "
        "folder"
    ]
    crawler: Annotated[
        str,
        "product TOKEN of the crawler that made the archives, instead of the one in each request's User-Agent"
    ]
    crawler_map: Annotated[
        Place,
        "FILE of the same for some User-Agents, one rule a line: PATTERN => TOKEN (see above)"
    ]
    fail_on: Annotated[
        str | Sequence[str],
        "WHAT decides the exit code: violations (10), new-violations (10 for those that the run before in DIR "
        "did not have), unread (3 for unread input, as without this flag), or several, as in "
        "unread,violations: the first that there is"
    ]
    force: Annotated[
        bool,
        "replace files of other programs in DIR that bear the names of results"
    ]
    https_requests: Annotated[
        int,
        "N requests at a time to one web server, for https://… (default: 4 to data.commoncrawl.org, elsewhere "
        "as many as are needed)"
    ]
    policies: Annotated[
        Literal["asked", "named", "none"],
        "WHOM the table robots_policies is about: asked (*, the crawlers of the archives, --agent and the "
        "like), named (these, and all that the file names) or none"
    ]
    policy_bodies: Annotated[
        bool,
        "put the text of each robots.txt into robots_policies, in the row of *"
    ]
    profile: Annotated[
        Literal["rfc9309", "rep-08", "google"],
        "PROFILE of the Robots Exclusion Protocol: rfc9309, rep-08 or google"
    ]
    purpose: Annotated[
        Literal["archive", "index", "train"] | Sequence[Literal["archive", "index", "train"]],
        "what the archives are for: archive, index or train; what pages and origins say against PURPOSE is "
        "then a row of restrictions, of kind publication or usage"
    ]
    ranks: Annotated[
        Place,
        "FILE of lines RANK,DOMAIN, such as Tranco's CSV, as it is or in gzip: fills the column rank_stratum "
        "of host_stats and robots_policies"
    ]
    s3_anonymous: Annotated[
        bool,
        "do not sign requests to object stores: for what is public"
    ]
    s3_endpoint: Annotated[
        str,
        "URL of an object store that is not Amazon's, for s3://…"
    ]
    tables: Annotated[
        str | Sequence[str],
        "write these TABLES alone, by name as in violations,host_stats, or by set: verdicts (what report.html "
        "needs) or all; without this flag verdicts where indexes report nine of ten fetches, else all"
    ]
    verify: Annotated[
        bool,
        "read the records of suspected violations that an index reports, where the index says that they are"
    ]
    wait_lock: Annotated[
        bool,
        "wait for folders that another robotsaudit uses, instead of failing"
    ]
    workers: Annotated[
        int,
        "N parts of the hosts decided at a time"
    ]


class ReportOptions(TypedDict, total=False):
    """Options of the command report."""

    ab2013: Annotated[
        Place,
        "write the documentation of California's AB 2013, as far as archives show it, to FILE"
    ]
    against: Annotated[
        Place,
        "output OLD of an earlier audit: the report shows what changed since"
    ]
    brief: Annotated[
        bool,
        "write the report in two pages of print, without the findings one by one"
    ]
    crawler_only: Annotated[
        str,
        "only fetches by the crawler with product token TOKEN; - is crawlers without a name"
    ]
    croissant: Annotated[
        Place,
        "write the tables as a Croissant dataset to FILE, mostly DIR/croissant.json"
    ]
    csv: Annotated[
        Place,
        "write CSV files into FOLDER, made where there is none"
    ]
    dataset_card: Annotated[
        Place,
        "write a dataset card of the Hugging Face Hub to FILE, mostly DIR/README.md"
    ]
    date: Annotated[
        str,
        "DATE of the report, as it is to be written; a datetime without a time zone is taken as UTC"
    ]
    eu_summary: Annotated[
        Place,
        "write the EU's public summary of training content, as far as archives show it, into FOLDER"
    ]
    host: Annotated[
        str | Sequence[str],
        "only fetches from HOST: example.org, without www.example.org; or *.example.org, its subdomains"
    ]
    html: Annotated[
        Place,
        "write the report as HTML to FILE"
    ]
    junit: Annotated[
        Place,
        "write the origins as JUnit XML to FILE"
    ]
    markdown: Annotated[
        Place,
        "write the report as Markdown to FILE"
    ]
    operator: Annotated[
        str,
        "WHO ran the crawl, for this report and later ones"
    ]
    operator_of: Annotated[
        str,
        "only fetches by the crawlers of the operator of TOKEN: GPTBot is all of OpenAI (see 'robotsaudit "
        "agents')"
    ]
    prov: Annotated[
        Place,
        "write how the tables were made, as W3C PROV, to FILE"
    ]
    s3_anonymous: Annotated[
        bool,
        "do not sign requests to object stores: for what is public"
    ]
    s3_endpoint: Annotated[
        str,
        "URL of an object store that is not Amazon's, for s3://…"
    ]
    sarif: Annotated[
        Place,
        "write the violations as SARIF to FILE"
    ]
    since: Annotated[
        str,
        "only fetches from DATE on: 2025-05-01, a day in UTC, or a moment as 2025-05-01T12:00:00Z; or today "
        "or now; a datetime without a time zone is taken as UTC"
    ]
    sme: Annotated[
        bool,
        "--eu-summary of a small or medium-sized enterprise: the top 5 % of domain names, at most 1,000"
    ]
    text: Annotated[
        Place,
        "write the summary, as 'robotsaudit audit' prints it, to FILE"
    ]
    title: Annotated[
        str,
        "TITLE of this report and of later ones"
    ]
    until: Annotated[
        str,
        "only fetches up to DATE, that day or moment included; a datetime without a time zone is taken as UTC"
    ]


class ListOptions(TypedDict, total=False):
    """Options that decide what the three lists of export hold."""

    agent: Annotated[
        str | Sequence[str],
        "what robots.txt says to product token TOKEN counts"
    ]
    agents: Annotated[
        str | Sequence[str],
        "more such tokens: all that 'robotsaudit agents' lists of CATEGORY ai, archive, search, client, all, "
        "and product tokens as they are"
    ]
    agents_file: Annotated[
        Place,
        "FILE of more such tokens, one a line; # begins a comment"
    ]
    as_of: Annotated[
        str | date,
        "make sure that --agent and --purpose are judged as of DATE, as the audit was made; a datetime "
        "without a time zone is taken as UTC"
    ]
    crawler_only: Annotated[
        str,
        "only fetches by the crawler with product token TOKEN; - is crawlers without a name"
    ]
    host: Annotated[
        str | Sequence[str],
        "only fetches from HOST: example.org, without www.example.org; or *.example.org, its subdomains"
    ]
    operator_of: Annotated[
        str,
        "only fetches by the crawlers of the operator of TOKEN: GPTBot is all of OpenAI (see 'robotsaudit "
        "agents')"
    ]
    purpose: Annotated[
        Literal["archive", "index", "train"] | Sequence[Literal["archive", "index", "train"]],
        "what pages and origins say against PURPOSE counts, too: archive, index or train"
    ]
    s3_anonymous: Annotated[
        bool,
        "do not sign requests to object stores: for what is public"
    ]
    s3_endpoint: Annotated[
        str,
        "URL of an object store that is not Amazon's, for s3://…"
    ]
    since: Annotated[
        str,
        "only fetches from DATE on: 2025-05-01, a day in UTC, or a moment as 2025-05-01T12:00:00Z; or today "
        "or now; a datetime without a time zone is taken as UTC"
    ]
    undecided: Annotated[
        str | Sequence[str],
        "what becomes of the undecided, DECISION: keep, drop or leave; or of those with a reason, as in "
        "tags_unknown=keep (repeatable, or with commas)"
    ]
    unknown: Annotated[
        Literal["drop", "keep"],
        "keep or drop what is UNKNOWN: robots_unknown, tags_unknown and hint"
    ]
    until: Annotated[
        str,
        "only fetches up to DATE, that day or moment included; a datetime without a time zone is taken as UTC"
    ]


class ExportOptions(ListOptions, total=False):
    """Options of the command export."""

    by: Annotated[
        Literal["record", "url", "host", "origin", "domain"],
        "what a row is, BY record, url, host, origin or domain"
    ]
    crawl: Annotated[
        str,
        "crawl that --format annotation is of, ID, such as CC-MAIN-2026-17"
    ]
    documents: Annotated[
        Place,
        "FILE of dolma documents, whose attributes --format dolma writes"
    ]
    drop: Annotated[
        bool,
        "list what to drop"
    ]
    format: Annotated[
        Literal["parquet", "csv", "jsonl", "txt", "dolma", "annotation"],
        "FORMAT of the list: parquet, csv, jsonl, txt, dolma or annotation"
    ]
    keep: Annotated[
        bool,
        "list what to keep"
    ]
    list: Annotated[
        Literal["keep", "drop", "undecided", "named", "whole", "path", "failed", "ignored", "parser", "unproven", "unknown", "use", "unread"],
        "which LIST: keep, drop or undecided; or a cause of the report: named, whole, path, failed, ignored, "
        "parser, unproven, unknown, use or unread"
    ]


class ExplainOptions(TypedDict, total=False):
    """Options of the command explain."""

    agent: Annotated[
        str,
        "explain what held for the product token TOKEN, not for the crawler that made the fetch"
    ]
    at: Annotated[
        str | date,
        "TIME of the fetch: 2025-03-01T12:00:00Z, or 2025-03-01 for its first moment; a datetime without a "
        "time zone is taken as UTC"
    ]
    crawler_only: Annotated[
        str,
        "only fetches by the crawler with product token TOKEN; - is crawlers without a name"
    ]
    host: Annotated[
        str | Sequence[str],
        "only fetches from HOST: example.org, without www.example.org; or *.example.org, its subdomains"
    ]
    https_requests: Annotated[
        int,
        "N requests at a time to one web server, for https://… (default: 4 to data.commoncrawl.org, elsewhere "
        "as many as are needed)"
    ]
    operator_of: Annotated[
        str,
        "only fetches by the crawlers of the operator of TOKEN: GPTBot is all of OpenAI (see 'robotsaudit "
        "agents')"
    ]
    purpose: Annotated[
        Literal["archive", "index", "train"] | Sequence[Literal["archive", "index", "train"]],
        "explain what a list of 'export' with --purpose PURPOSE makes of the page: archive, index or train; "
        "all are shown otherwise"
    ]
    s3_anonymous: Annotated[
        bool,
        "do not sign requests to object stores: for what is public"
    ]
    s3_endpoint: Annotated[
        str,
        "URL of an object store that is not Amazon's, for s3://…"
    ]
    since: Annotated[
        str,
        "only fetches from DATE on: 2025-05-01, a day in UTC, or a moment as 2025-05-01T12:00:00Z; or today "
        "or now; a datetime without a time zone is taken as UTC"
    ]
    until: Annotated[
        str,
        "only fetches up to DATE, that day or moment included; a datetime without a time zone is taken as UTC"
    ]


class EvidenceOptions(TypedDict, total=False):
    """Options of the command evidence."""

    agent: Annotated[
        str | Sequence[str],
        "what robots.txt says to product token TOKEN counts"
    ]
    agents: Annotated[
        str | Sequence[str],
        "more such tokens: all that 'robotsaudit agents' lists of CATEGORY ai, archive, search, client, all, "
        "and product tokens as they are"
    ]
    agents_file: Annotated[
        Place,
        "FILE of more such tokens, one a line; # begins a comment"
    ]
    archives: Annotated[
        str,
        "folder DIR in which the archives are now, if they have been moved"
    ]
    drop: Annotated[
        bool,
        "bundle what 'export --drop' lists with the same options: also what is unproven"
    ]
    https_requests: Annotated[
        int,
        "N requests at a time to one web server, for https://… (default: 4 to data.commoncrawl.org, elsewhere "
        "as many as are needed)"
    ]
    purpose: Annotated[
        Literal["archive", "index", "train"] | Sequence[Literal["archive", "index", "train"]],
        "what pages and origins say against PURPOSE counts, too: archive, index or train"
    ]
    s3_anonymous: Annotated[
        bool,
        "do not sign requests to object stores: for what is public"
    ]
    s3_endpoint: Annotated[
        str,
        "URL of an object store that is not Amazon's, for s3://…"
    ]


class MatchOptions(TypedDict, total=False):
    """Options of the command match."""

    profile: Annotated[
        Literal["rfc9309", "rep-08", "google"],
        "PROFILE of the Robots Exclusion Protocol: rfc9309, rep-08 or google"
    ]


class Tables:
    """The tables of an audit, by name: docs/SCHEMA.md has their columns, with units and sources."""

    def table(self, name: str) -> DuckDBPyRelation:
        raise NotImplementedError

    @property
    def fetches(self) -> DuckDBPyRelation:
        """
        One row per captured exchange for an http, https or ftp URL, with the verdict for the crawler that
        made it. Responses of other schemes that have a host have a row, too.

        Key: warc_filename, warc_record_offset. Sorted by origin, in the order of a hash of its host, then
        fetch_time.
        """
        return self.table("fetches")

    @property
    def violations(self) -> DuckDBPyRelation:
        """
        One row per certain or probable violation of robots.txt, with all its proof.

        Key: warc_filename, warc_record_offset. Sorted by origin, in the order of a hash of its host, then
        fetch_time.
        """
        return self.table("violations")

    @property
    def unproven(self) -> DuckDBPyRelation:
        """
        One row per disallowed fetch that is no violation as far as these archives show: possible or
        contested.

        Key: warc_filename, warc_record_offset. Sorted by origin, in the order of a hash of its host, then
        fetch_time.
        """
        return self.table("unproven")

    @property
    def restrictions(self) -> DuckDBPyRelation:
        """
        One row per fetch, purpose and kind of restriction: what the page or its site states against that
        purpose. No violations.

        Key: kind, purpose, warc_filename, warc_record_offset. Sorted by origin, in the order of a hash of its
        host, then fetch_time.
        """
        return self.table("restrictions")

    @property
    def robots(self) -> DuckDBPyRelation:
        """
        One row per capture of /robots.txt, with its outcome, and per log line that reports that robots.txt
        could not be fetched.

        Key: robots_id. Sorted by robots_id.
        """
        return self.table("robots")

    @property
    def robots_policies(self) -> DuckDBPyRelation:
        """
        One row per capture of /robots.txt and product token: what it means for `*`, for the crawlers of the
        archives and for what-if tokens, whether or not it governs a fetch. With `--policies named` also for
        the tokens that it names.

        Key: robots_id, agent. Sorted by robots_id, then agent: `*` first, then in the alphabet, in any case.
        """
        return self.table("robots_policies")

    @property
    def page_tags(self) -> DuckDBPyRelation:
        """
        One row per rule that a page states for itself, in a Robots-Tag or X-Robots-Tag field or in a meta
        element.

        Sorted by origin, in the order of a hash of its host, then fetch_time.
        """
        return self.table("page_tags")

    @property
    def effective_tags(self) -> DuckDBPyRelation:
        """
        One row per page and product token that its tags name: the rules in effect for that token.

        Key: agent, warc_filename, warc_record_offset. Sorted by origin, in the order of a hash of its host,
        then fetch_time.
        """
        return self.table("effective_tags")

    @property
    def usage_signals(self) -> DuckDBPyRelation:
        """
        One row per fetch and statement on its use that holds for it, made by the page or its origin.

        Sorted by origin, in the order of a hash of its host, then fetch_time.
        """
        return self.table("usage_signals")

    @property
    def tag_conflicts(self) -> DuckDBPyRelation:
        """
        One row per contradiction between statements on the use of a fetch, for the crawler that made it. The
        restriction holds.

        Sorted by origin, in the order of a hash of its host, then fetch_time.
        """
        return self.table("tag_conflicts")

    @property
    def host_stats(self) -> DuckDBPyRelation:
        """
        One row per origin, with counts of its fetches. URLs whose origin could not be read share rows with an
        empty one.

        Key: origin. Sorted by origin, in the order of fetches.
        """
        return self.table("host_stats")

    @property
    def agent_stats(self) -> DuckDBPyRelation:
        """
        One row per product token, in any letter case, with counts of its fetches. Tokens beyond the first
        65,536 in the alphabet share the row (others).

        Key: agent. Sorted by agent.
        """
        return self.table("agent_stats")

    @property
    def exclusions(self) -> DuckDBPyRelation:
        """
        One row per URL that a crawler left out because of robots.txt, as its log reports, with the verdict by
        the captures. No fetches.

        Key: warc_filename, log_line. Sorted by origin, in the order of fetches, then log_time.
        """
        return self.table("exclusions")

    @property
    def issues(self) -> DuckDBPyRelation:
        """
        One row per problem: something in the archives that could not be read or trusted.

        Sorted by warc_filename, in the order of inputs, then offset.
        """
        return self.table("issues")

    @property
    def group_verdicts(self) -> DuckDBPyRelation:
        """
        One row per fetch and group of its robots.txt that decides for some what-if token: the verdict for all
        tokens that robots_agents maps to the group.

        Key: robots_id, group, warc_filename, warc_record_offset. Sorted by origin, in the order of a hash of
        its host, then fetch_time.
        """
        return self.table("group_verdicts")

    @property
    def robots_agents(self) -> DuckDBPyRelation:
        """
        One row per capture of robots.txt and what-if token: the group that governs the token.

        Key: robots_id, agent. Sorted by origin, in the order of fetches; rows of robots_id 0 anywhere.
        """
        return self.table("robots_agents")
