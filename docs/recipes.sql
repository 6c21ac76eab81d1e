-- Recipes: questions to the tables of an audit ('out' is its folder), for DuckDB
-- (https://duckdb.org). docs/SCHEMA.md describes the tables. The line before a statement is its
-- question, with "(maybe none)" where many audits have no such row.

SET TimeZone = 'UTC';

-- == Violations and their proof

-- How many violations has each host?
SELECT url_host_name, certainty, count(*) AS violations
FROM 'out/violations.parquet'
GROUP BY ALL
ORDER BY violations DESC, url_host_name, certainty;

-- Which rules were broken most?
SELECT origin, rule, count(*) AS violations, min(fetch_time) AS first, max(fetch_time) AS last
FROM 'out/violations.parquet'
GROUP BY ALL
ORDER BY violations DESC, origin, rule;

-- What proves a violation: which line, captured by whom and when, and where are both records?
SELECT url, fetch_time, agent, rule, rule_line, group_line, robots_url, robots_age_seconds,
  warc_filename, warc_record_offset, warc_record_length,
  COLUMNS('robots_body_(time|agent|warc_filename|warc_record_offset|warc_record_id|digest)')
FROM 'out/violations.parquet'
ORDER BY certainty, fetch_time, url
LIMIT 10;

-- Why are other disallowed fetches no violations?
SELECT certainty, evidence, notes, count(*) AS fetches
FROM 'out/unproven.parquet'
GROUP BY ALL
ORDER BY fetches DESC, certainty, evidence, notes;

-- How did each crawler do, month by month?
SELECT agent, date_trunc('month', fetch_time) AS month, count(*) AS fetches,
  count(*) FILTER (certainty IN ('certain', 'probable')) AS violations,
  count(*) FILTER (verdict = 'unknown') AS unknown
FROM 'out/fetches.parquet'
WHERE reason <> 'robots_txt_itself'
GROUP BY ALL
ORDER BY agent, month;

-- How did each claim of the archives' warcinfo records do, seeds apart?
SELECT claim, is_seed, count(*) AS fetches,
  count(*) FILTER (certainty IN ('certain', 'probable')) AS violations,
  count(*) FILTER (verdict = 'unknown') AS unknown
FROM 'out/fetches.parquet'
GROUP BY ALL
ORDER BY ALL;

-- == What is unknown

-- What is unknown, and why?
SELECT reason, count(*) AS fetches, count(DISTINCT origin) AS origins
FROM 'out/fetches.parquet'
WHERE verdict = 'unknown'
GROUP BY reason
ORDER BY fetches DESC, reason;

-- Which share of each site is disallowed: at least, and if all that is unknown was, at most?
SELECT coalesce(url_host_registered_domain, url_host_name) AS site,
  sum(fetches - robots_txt_itself)::BIGINT AS decidable,
  sum(disallowed) / decidable AS at_least, sum(disallowed + unknown) / decidable AS at_most
FROM 'out/host_stats.parquet'
GROUP BY ALL
HAVING decidable > 0
ORDER BY at_least DESC, at_most DESC, site;

-- What in the archives could not be read or trusted? (maybe none)
SELECT kind, warc_filename, count(*) AS issues, min(detail) AS example
FROM 'out/issues.parquet'
GROUP BY ALL
ORDER BY issues DESC, kind, warc_filename;

-- == Other crawlers (audit … --agents ai)

-- What would other crawlers have been allowed?
SELECT agent, count(*) FILTER (verdict = 'allowed') AS allowed,
  count(*) FILTER (verdict = 'disallowed') AS disallowed,
  count(*) FILTER (verdict = 'unknown') AS unknown
FROM 'out/group_verdicts.parquet' JOIN 'out/robots_agents.parquet' USING (robots_id, "group")
GROUP BY agent
ORDER BY disallowed DESC, agent;

-- == What may be kept (audit … --purpose train)

-- As robotsaudit export out keep --purpose train.
-- Which pages did robots.txt allow, and does no page or site reserve against training?
COPY (SELECT url, warc_filename, warc_record_offset, warc_record_length
      FROM 'out/fetches.parquet'
      ANTI JOIN (FROM 'out/restrictions.parquet' WHERE purpose = 'train')
        USING (warc_filename, warc_record_offset, url)
      WHERE verdict = 'allowed' AND reason <> 'robots_txt_itself' AND fetch_method <> 'HEAD'
        AND (fetch_status BETWEEN 200 AND 299 OR record_type = 'resource')
        AND NOT list_contains(notes, 'named_group_forbids')
        AND tags_from IS DISTINCT FROM 'unknown'
        AND NOT list_contains(string_split(coalesce(hints, ''), ','), 'train'))
TO 'keep.parquet';

-- Which pages say what against that purpose, and where?
SELECT url, purpose, kind, certainty, statements
FROM 'out/restrictions.parquet'
ORDER BY url, purpose, kind;

-- == Tags and usage signals

-- Which rules do pages state for themselves, and how?
SELECT source, rule, agent, count(*) AS rules, count(DISTINCT url) AS pages
FROM 'out/page_tags.parquet'
GROUP BY ALL
ORDER BY rules DESC, source, rule, agent;

-- What do sites and pages say on the use of their content?
SELECT protocol, source, purpose, preference, count(*) AS fetches
FROM 'out/usage_signals.parquet'
GROUP BY ALL
ORDER BY fetches DESC, protocol, source, purpose, preference;

-- == Pace and logs

-- Crawl-delay is not in RFC 9309, and no violation. Dates have seconds: the true gap may be a
-- second longer. Only a robots.txt that the crawler itself had in the 24 hours before counts.
-- Which fetches came sooner than Crawl-delay asks? (maybe none)
WITH paced AS (
  SELECT url, origin, agent, fetch_time, robots_id, evidence, notes,
    epoch(fetch_time - lag(fetch_time) OVER own) AS gap_seconds
  FROM 'out/fetches.parquet'
  WHERE reason <> 'robots_txt_itself' AND agent IS NOT NULL AND fetch_time IS NOT NULL
  WINDOW own AS (PARTITION BY origin, lower(agent)
                 ORDER BY fetch_time, warc_filename, warc_record_offset)
)
SELECT f.origin, f.agent, f.url, f.fetch_time, gap_seconds, crawl_delay_seconds
FROM paced f JOIN 'out/robots_policies.parquet' p
  ON p.robots_id = f.robots_id AND lower(p.agent) = lower(f.agent)
WHERE gap_seconds + 1 <= crawl_delay_seconds AND evidence = 'fresh'
  AND NOT list_has_any(coalesce(notes, []),
                       ['other_crawler', 'same_moment', 'order_doubt', 'coarse_date'])
ORDER BY f.origin, f.agent, f.fetch_time, f.url;

-- Which URLs did a crawler leave out for robots.txt, though the captures allow them? (maybe none)
SELECT url, log_time, agent, reason, rule
FROM 'out/exclusions.parquet'
WHERE verdict = 'allowed'
ORDER BY url, log_time;

-- == A site's access log (audit --access-log …)

-- null: no crawler that is known by name. Forged: in an operator's name from elsewhere.
-- Which crawlers came, did they ask for robots.txt, and what were they refused?
SELECT agent, count(*) AS requests, count(*) FILTER (reason = 'robots_txt_itself') AS robots_txt,
  count(*) FILTER (verdict = 'disallowed') AS disallowed,
  count(*) FILTER (certainty = 'certain') AS certain,
  count(*) FILTER (certainty = 'probable') AS probable,
  count(*) FILTER (fetch_status IN (401, 402, 403, 429)) AS refused,
  count(*) FILTER (reason = 'forged_agent') AS forged
FROM 'out/fetches.parquet'
GROUP BY agent
ORDER BY requests DESC, agent;

-- == For spreadsheets, catalogues and pipelines

-- Of any table. A text that a spreadsheet could take for a formula begins with an apostrophe.
-- How do people get a table as CSV?
COPY (SELECT CASE WHEN typeof(COLUMNS(*)) = 'VARCHAR'
                    AND regexp_matches(COLUMNS(*)::VARCHAR, '^ *[-=+@\t\r＝＋－＠]')
                  THEN '''' || COLUMNS(*)::VARCHAR ELSE COLUMNS(*)::VARCHAR END
      FROM 'out/violations.parquet')
TO 'violations.csv';

-- audit.json has all settings, and 'robotsaudit schema --format json' the meaning of each column.
-- What was the audit made of, for a catalogue or a dataset card?
COPY (SELECT i.name, i.container, i.size, i.fingerprint, i.sha256, tool, version
      FROM (SELECT unnest(inputs) AS i, tool, version FROM 'out/audit.json')
      ORDER BY i.name)
TO 'inputs.csv';

-- == Lists (robotsaudit export out all --agents GPTBot --to all.parquet)

-- A line for each document, in their order. Of several rows of an id, the worst counts.
-- How do lists become attributes of dolma documents?
COPY (WITH documents AS (
        SELECT row_number() OVER () AS line, id, source, length(text) AS characters
        FROM read_json('documents/0.jsonl.gz',
                       columns = {id: 'VARCHAR', source: 'VARCHAR', text: 'VARCHAR'})
      ), worst AS (
        SELECT id,
          arg_min((list, reason), list_position(['drop', 'undecided', 'keep'], list)) AS row
        FROM 'all.parquet'
        GROUP BY id
      )
      SELECT d.id, source,
        json_object('robotsaudit__export__' || coalesce(row[1], 'undecided'), spans,
                    'robotsaudit__export__' || coalesce(row[2], 'not_found'), spans) AS attributes
      FROM (SELECT *, json_array(json_array(0, characters, 1.0)) AS spans FROM documents) d
      LEFT JOIN worst ON worst.id = d.id
      ORDER BY line)
TO 'attributes.jsonl.gz' (FORMAT json);

-- hosts.parquet is the list with --by host. docs/SCHEMA.md ("Annotations") has the YAML.
-- What joins Common Crawl's host index, by annotate.py of cc-index-annotations?
COPY (SELECT surt_host_name, 'CC-MAIN-2026-17' AS crawl,
        COLUMNS(['list', 'reason', 'detail', 'agent', 'fetches', 'dropped', 'kept'])
          AS 'robotsaudit_\0'
      FROM 'hosts.parquet')
TO 'annotation-by-host.parquet';

-- Of several captures of a moment, the worst counts; no page counts last.
-- What joins its URL index?
COPY (SELECT url_surtkey, fetch_time, 'CC-MAIN-2026-17' AS crawl,
        COLUMNS(['list', 'reason', 'detail', 'agent']) AS 'robotsaudit_\0',
        count(*) OVER (PARTITION BY url_surtkey, fetch_time) AS robotsaudit_fetches
      FROM 'all.parquet'
      QUALIFY row_number() OVER (
        PARTITION BY url_surtkey, fetch_time
        ORDER BY reason IN ('not_a_page', 'status_unknown'),
          list_position(['drop', 'undecided', 'keep'], list),
          warc_filename, warc_record_offset, id) = 1
      ORDER BY url_surtkey, fetch_time)
TO 'annotation-by-url.parquet';

-- == Policies over time (audit … --agents GPTBot, on captures of many dates)

-- Of a host, the last capture of a month counts; hosts without one are not in that month. partial
-- may be a forbidden /wp-admin/ alone; full may come from the rules for everybody: named counts
-- files that name the crawler. unknown may be anything: the captures do not show it, or the server
-- failed, which forbids everything for a time and is no policy.
-- Which share of hosts restricts GPTBot, by month?
WITH last AS (
  SELECT date_trunc('month', fetch_time AT TIME ZONE 'UTC')::DATE AS month, *
  FROM 'out/robots_policies.parquet'
  WHERE agent = 'GPTBot'
  QUALIFY row_number() OVER (PARTITION BY month, url_host_name
                             ORDER BY fetch_time DESC, robots_id DESC) = 1
)
SELECT month, count(*) AS hosts, count(*) FILTER (group_kind = 'named') AS named,
  count(*) FILTER (restriction = 'full' AND outcome <> 'unreachable') AS "full",
  count(*) FILTER (restriction = 'partial') AS partial,
  count(*) FILTER (restriction = 'none') AS "none",
  count(*) FILTER (restriction IS NULL OR outcome = 'unreachable') AS unknown,
  "full" / nullif(hosts - unknown, 0) AS full_share
FROM last
GROUP BY month
ORDER BY month;

-- Lines of logs that say that it could not be had count.
-- Which outcomes did captures of robots.txt have, by year?
SELECT year(fetch_time AT TIME ZONE 'UTC') AS year, outcome, count(*) AS captures,
  captures / sum(captures) OVER (PARTITION BY year) AS share
FROM 'out/robots.parquet'
GROUP BY year, outcome
ORDER BY year, outcome;
