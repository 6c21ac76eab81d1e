package results

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/report"
)

// Limit returns the results of a part. Tables have the rows of its fetches alone; host_stats, agent_stats and the
// totals of audit.json are counted from these. What audit.json has of inputs and issues is of the whole audit, and so
// is the table issues. Tables whose rows do not show what they are of cannot be read in a part, but by InStep.
func (r *Results) Limit(ctx context.Context, part Part) (*Results, error) {
	if part.IsZero() {
		return r, nil
	}
	p := &Results{dir: r.dir, name: r.name, audit: r.audit, part: part, whole: r}
	return p, p.countTotals(ctx)
}

// Part is the part of the audit that the results are limited to.
func (r *Results) Part() *Part { return &r.part }

// Whole are the results of the whole audit.
func (r *Results) Whole() *Results {
	if r.whole == nil {
		return r
	}
	return r.whole
}

// keyed is a row that shows what part it is of.
type keyed interface {
	Key() (host string, at *int64, agent string)
}

// keyColumns are the columns of keys: a table has one of the times.
var keyColumns = []string{"url_host_name", "fetch_time", "log_time", "agent"}

// partOf is the part that the rows of a table are limited to.
func partOf[R any](r *Results, table report.TableOf[R]) (*Part, error) {
	if table.Name == report.IssuesTable.Name {
		return new(Part), nil
	}
	if _, isKeyed := any(new(R)).(keyed); !isKeyed && !r.part.IsZero() {
		return nil, fmt.Errorf("the table %s cannot be limited to %s: its rows do not show it", table.Name, &r.part)
	}
	return &r.part, nil
}

// has reports whether a row that shows it is of the part.
func (p *Part) has(row any) bool { return p.Keeps(row.(keyed).Key()) }

// Part is a part of an audit: the fetches of a period, from some hosts, by one crawler or all of one operator.
// The zero value is all of it.
type Part struct {
	// The first day or moment, and the last; zero: there is no bound. A fetch without a date is in no period.
	Since, Until evaluate.AsOf
	Hosts        []string // of ParseHost; none: all
	Crawler      string   // product token, in any letter case, or NoCrawler; "": all
	Operator     string   // of crawlers, as package agents knows it; "": all
}

// NoCrawler stands for the crawlers whose product token is not known.
const NoCrawler = "-"

// subdomains begins a host that stands for the subdomains of a name.
const subdomains = "*."

// ParseHost reads a host: a name, which stands for itself alone, or *.NAME, which stands for its subdomains.
func ParseHost(s string) (string, error) {
	name, isMany := strings.CutPrefix(s, subdomains)
	u, problem := weburl.Parse("http://" + name + "/")
	if problem != weburl.NoProblem || u.Port != 0 || strings.ContainsAny(name, `/?#@*\`) {
		return "", fmt.Errorf("%q is no host; write it as example.org, or *.example.org for its subdomains", s)
	}
	if isMany {
		return subdomains + u.Host, nil
	}
	return u.Host, nil
}

// isHost reports whether a host of ParseHost stands for the host of a URL.
func isHost(wanted, host string) bool {
	if suffix, isMany := strings.CutPrefix(wanted, "*"); isMany {
		return strings.HasSuffix(host, suffix)
	}
	return wanted == host
}

// IsZero reports whether the part is all of an audit.
func (p *Part) IsZero() bool {
	return p.Since.IsZero() && p.Until.IsZero() && len(p.Hosts) == 0 && p.Crawler == "" && p.Operator == ""
}

// Keeps reports whether a fetch from a host is in the part: made at a time, nil if it has no date, by a crawler.
func (p *Part) Keeps(host string, micros *int64, agent string) bool {
	switch {
	case !p.Since.IsZero() && (micros == nil || *micros < p.Since.First().UnixMicro()),
		!p.Until.IsZero() && (micros == nil || *micros > p.Until.Last().UnixMicro()):
		return false
	case len(p.Hosts) > 0 && !slices.ContainsFunc(p.Hosts, func(h string) bool { return isHost(h, host) }):
		return false
	case p.Operator != "":
		made, _ := agents.Find(agent)
		return made.Operator == p.Operator
	}
	return p.Crawler == "" || strings.EqualFold(p.Crawler, agent) || p.Crawler == NoCrawler && agent == ""
}

// Tokens are the product tokens of the crawlers that the part is limited to. nil: it is limited to none.
func (p *Part) Tokens() (tokens []string) {
	for _, a := range agents.All() {
		if p.Operator != "" && a.Operator == p.Operator {
			tokens = append(tokens, a.Token)
		}
	}
	if p.Crawler != "" {
		return []string{p.Crawler}
	}
	return tokens
}

// String describes the part: "May 2026, example.org only"; "" if it is all of an audit.
func (p *Part) String() string {
	var words []string
	if period := p.period(); period != "" {
		words = append(words, period)
	}
	const few = 3
	switch n := len(p.Hosts); {
	case n > few:
		words = append(words, fmt.Sprintf("%d hosts only", n))
	case n > 0:
		words = append(words, english.WordSeries(p.Hosts, "and")+" only")
	}
	if p.Operator != "" {
		words = append(words, "crawlers of "+p.Operator+" only")
	}
	switch p.Crawler {
	case "":
	case NoCrawler:
		words = append(words, "crawlers without a name only")
	default:
		words = append(words, "crawler "+report.Shown(p.Crawler, maxToken)+" only")
	}
	return strings.Join(words, ", ")
}

// Flags are the options of a command line that limit it to the part, each after a space.
func (p *Part) Flags() (flags string) {
	if !p.Since.IsZero() {
		flags += " --since " + p.Since.String()
	}
	if !p.Until.IsZero() {
		flags += " --until " + p.Until.String()
	}
	for _, h := range p.Hosts {
		flags += " --host '" + h + "'"
	}
	if p.Crawler != "" {
		flags += " --crawler-only " + p.Crawler
	}
	return flags
}

const maxToken = 60 // bytes shown of a product token

// period describes the time: whole months and years by their names.
func (p *Part) period() string {
	from, to := p.Since.First(), p.Until.Last()
	const month, year = "January 2006", "2006"
	next := to.Add(time.Microsecond)
	switch {
	case p.Since.IsZero() && p.Until.IsZero():
		return ""
	case p.Until.IsZero():
		return "since " + momentText(p.Since)
	case p.Since.IsZero():
		return "until " + momentText(p.Until)
	case from.YearDay() == 1 && from.AddDate(1, 0, 0).Equal(next):
		return from.Format(year)
	case from.Day() == 1 && from.AddDate(0, 1, 0).Equal(next):
		return from.Format(month)
	case p.Since == p.Until:
		return momentText(p.Since)
	}
	return momentText(p.Since) + " to " + momentText(p.Until)
}

func momentText(at evaluate.AsOf) string {
	const day = "2 January 2006"
	if at.First().Equal(at.Last()) {
		return at.First().Format(day + ", 15:04:05.999999 UTC")
	}
	return at.First().Format(day)
}

// InStep calls f for the rows of a table in the order of fetches, and states whether the fetch of a row is in the part.
// Names has the columns that are read; in a part, the place is, too.
func InStep[R any](ctx context.Context, r *Results, table report.TableOf[R], f func(row *R, kept bool) error,
	names ...string,
) error {
	whole := r.Whole()
	fetches := Follow(ctx, whole, report.FetchesTable, keyOfFetch...)
	defer fetches.Stop()
	if !r.part.IsZero() {
		names = withPlace[R](names)
	}
	for row, err := range Rows(ctx, whole, table, names...) {
		kept := true
		if err == nil && !r.part.IsZero() {
			kept, err = r.seek(fetches, any(row).(placed).Place(), table.Name)
		}
		if err == nil {
			err = f(row, kept)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var keyOfFetch = []string{"url_host_name", "fetch_time", "agent"}

// seek passes over fetches up to the one at a place, without its record ID, and reports whether it is in the part.
func (r *Results) seek(fetches *Follower[report.FetchRow], at report.Place, table string) (kept bool, err error) {
	for {
		f, err := fetches.Peek()
		switch {
		case err != nil:
			return false, err
		case f == nil:
			return false, disagree(table, at)
		case f.URL == at.URL && f.WARCFilename == at.Filename && f.WARCRecordOffset == at.Offset:
			return r.part.has(f), nil
		}
		fetches.Skip()
	}
}
