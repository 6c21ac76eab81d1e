package forms

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/robotsaudit/robotsaudit/report/results"
)

// source is a table in SQL, by its place in the output folder.
func source(r *results.Results, table string) string {
	name := table + ".parquet"
	if files, err := r.Files(table); err == nil && len(files) > 0 && filepath.Base(filepath.Dir(files[0])) == table {
		name = path.Join(table, "*.parquet")
	}
	return "read_parquet('" + name + "')"
}

// literal is a text in SQL.
func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// condition is what rows of the part fulfil, in SQL.
func condition(p *results.Part) string {
	all := []string{"true"}
	moment := func(compare string, at time.Time) {
		all = append(all, "fetch_time "+compare+" TIMESTAMPTZ "+literal(at.UTC().Format("2006-01-02 15:04:05.999999")+"+00"))
	}
	if !p.Since.IsZero() {
		moment(">=", p.Since.First())
	}
	if !p.Until.IsZero() {
		moment("<=", p.Until.Last())
	}
	var hosts []string
	for _, h := range p.Hosts {
		if suffix, isMany := strings.CutPrefix(h, "*"); isMany {
			hosts = append(hosts, "ends_with(url_host_name, "+literal(suffix)+")")
		} else {
			hosts = append(hosts, "url_host_name = "+literal(h))
		}
	}
	if hosts != nil {
		all = append(all, "("+strings.Join(hosts, " OR ")+")")
	}
	if tokens := p.Tokens(); tokens != nil {
		for i, token := range tokens {
			tokens[i] = literal(strings.ToLower(token))
		}
		all = append(all, "lower(coalesce(agent, '-')) IN ("+strings.Join(tokens, ", ")+")")
	}
	return strings.Join(all, " AND ")
}

// setupOf has the views that queries use: audited are all fetches; content those that brought content, with size and
// name; payloads the distinct payloads of each name; names the list.
func setupOf(r *results.Results, measure string) []string {
	size := measure
	if measure == "warc_record_length" {
		size = "nullif(warc_record_length, -1)"
	}
	return []string{
		"SET TimeZone = 'UTC'",
		fmt.Sprintf("CREATE OR REPLACE TEMP VIEW audited AS SELECT *, %s AS size, "+
			"coalesce(url_host_registered_domain, url_host_name) AS name, row_number() OVER () AS number, "+
			"reason <> 'robots_txt_itself' AND refusal IS NULL AND fetch_method <> 'HEAD' AND "+
			"coalesce(fetch_status BETWEEN 200 AND 299, true) AS is_content "+
			"FROM %s WHERE %s", size, source(r, "fetches"), condition(r.Part())),
		"CREATE OR REPLACE TEMP VIEW content AS FROM audited WHERE is_content",
		"CREATE OR REPLACE TEMP VIEW payloads AS SELECT name, max(size) AS size FROM content " +
			"GROUP BY name, content_digest, CASE WHEN content_digest IS NULL THEN number END",
		"CREATE OR REPLACE TEMP VIEW names AS SELECT row_number() OVER (ORDER BY bytes_distinct DESC, bytes_all " +
			"DESC, fetches DESC, name) AS rank, * FROM (SELECT name, coalesce(sum(size), 0) AS bytes_distinct FROM " +
			"payloads GROUP BY name) JOIN (SELECT name, bool_or(url_host_registered_domain IS NOT NULL) AS " +
			"is_domain, coalesce(sum(size), 0) AS bytes_all, count(*) AS fetches, count(*) - count(size) AS " +
			"unknown FROM content GROUP BY name) USING (name) WHERE name <> ''",
	}
}
