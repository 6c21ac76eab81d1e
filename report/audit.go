package report

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// Audit is the content of audit.json: what was audited, how, and what came of it.
// It holds nothing of the run itself, no clock and no number of workers: the same
// program, archives and settings give the same bytes.
type Audit struct {
	Tool          string           `json:"tool"`
	Version       string           `json:"version"`
	SchemaVersion string           `json:"schema_version"`
	Settings      Settings         `json:"settings"`
	Inputs        Inputs           `json:"input_sums,omitzero"`
	Unreadable    []Unreadable     `json:"unreadable"`
	Totals        Totals           `json:"totals"`
	Tables        map[string]int64 `json:"tables"` // rows
}

// Settings are the options that shape results.
type Settings struct {
	Profile          string        `json:"profile"`
	Crawler          string        `json:"crawler,omitempty"`
	CrawlerMap       []string      `json:"crawler_map,omitempty"` // rules of the form PATTERN => TOKEN
	Agents           []string      `json:"agents,omitempty"`
	AsOf             evaluate.AsOf `json:"as_of,omitzero"`
	Purposes         []string      `json:"purposes,omitempty"`
	Policies         string        `json:"policies,omitempty"`
	PublicSuffixList string        `json:"public_suffix_list"`
	FactsFingerprint string        `json:"facts_fingerprint"`
}

// Unreadable is an input that could not be opened or read at all.
type Unreadable struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// NewSettings describes the options of an evaluation of facts.
func NewSettings(opt *evaluate.DecideOptions, factsFingerprint string) Settings {
	s := Settings{
		Profile: opt.Profile.String(), Crawler: opt.Crawler, CrawlerMap: opt.CrawlerMap.Lines(), Agents: opt.Agents,
		AsOf:             opt.AsOf,
		PublicSuffixList: weburl.PublicSuffixVersion(),
		FactsFingerprint: factsFingerprint,
	}
	if opt.Policies != evaluate.PoliciesAsked {
		s.Policies = opt.Policies.String()
	}
	for _, use := range opt.Uses {
		s.Purposes = append(s.Purposes, use.String())
	}
	return s
}

// Options are the options of the evaluation that the settings describe: the same fetches have the same
// verdicts. They contain nothing about policies.
func (s *Settings) Options() (opt evaluate.DecideOptions, err error) {
	if opt.Profile, err = evaluate.ParseProfile(s.Profile); err != nil {
		return opt, err
	}
	opt.Crawler, opt.Agents, opt.Policies = s.Crawler, s.Agents, evaluate.PoliciesNone
	opt.AsOf = s.AsOf
	for _, line := range s.CrawlerMap {
		i := strings.LastIndex(line, " => ")
		if i < 0 {
			return opt, fmt.Errorf("%q is no rule of a crawler map", line)
		}
		opt.CrawlerMap = append(opt.CrawlerMap,
			evaluate.CrawlerRule{Pattern: undash(line[:i]), Token: undash(line[i+len(" => "):])})
	}
	for _, name := range s.Purposes {
		use, ok := evaluate.ParseUse(name)
		if !ok {
			return opt, fmt.Errorf("%q is no purpose", name)
		}
		opt.Uses = append(opt.Uses, use)
	}
	return opt, nil
}

// undash reads a part of a rule of a crawler map.
func undash(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

// AuditInput is one archive. Fingerprint chains the checksums and lengths of its
// members, or the headers of its records where it has no members.
type AuditInput struct {
	Name        string           `json:"name"`
	Size        int64            `json:"size"`
	Fingerprint string           `json:"fingerprint"`
	SHA256      *string          `json:"sha256"` // of its bytes, hexadecimal; nil: not computed
	Container   string           `json:"container"`
	AccessLog   AuditLog         `json:"access_log,omitzero"` // how an access log was read
	Records     map[string]int64 `json:"records"`
	Fetches     int64            `json:"fetches"`
	Robots      int64            `json:"robots"`
	Issues      int64            `json:"issues"`
	Resynced    int64            `json:"resynced,omitempty"`       // records read after damage
	Unanswered  int64            `json:"requests_alone,omitempty"` // requests without a response
	LogEvents   int64            `json:"log_events,omitempty"`

	Indexed       int64    `json:"indexed,omitempty"`        // fetches in an index or a list
	IndexedRobots int64    `json:"indexed_robots,omitempty"` // of them of robots.txt
	CommonCrawls  []string `json:"common_crawls,omitempty"`  // whose archives an index names
	// archives that an index names for robots.txt, some of them
	RobotsIn []string `json:"robots_in,omitempty"`

	Digests DigestStats `json:"digests"`
	Crawls  []Crawl     `json:"crawls,omitempty"`
	Titles  []string    `json:"titles,omitempty"` // of a WACZ, and of those in it
}

// AuditLog is how an access log was read.
type AuditLog struct {
	Sites  []string    `json:"sites,omitempty"`       // whose requests count
	Format string      `json:"line_format,omitempty"` // "": found line by line
	Ranges []LogRanges `json:"ranges,omitempty"`
}

// LogRanges is a list of the addresses of a crawler's operator.
type LogRanges struct {
	Agent  string `json:"agent"`
	Name   string `json:"name"` // of the file
	SHA256 string `json:"sha256"`
}

// Facts about an archive as a whole.
type (
	DigestStats = facts.DigestStats // how many digests were compared with what they are of
	Crawl       = facts.Crawl       // statements of a warcinfo record
)

// Totals are counts over all inputs. Shares leave out the fetches of robots.txt itself and the requests of no known
// crawler: they are of Decidable. DisallowedShareOfKnown leaves unknown fetches out, DisallowedShare counts
// each of them as allowed, DisallowedOrUnknownShare as disallowed. They are null where there is nothing to
// divide by.
type Totals struct {
	evaluate.Counts
	Violations int64 `json:"violations"`
	Unproven   int64 `json:"unproven"`
	Decidable  int64 `json:"decidable"`
	Duplicates int64 `json:"duplicates"`
	Indexed    int64 `json:"indexed,omitempty"` // fetches only in an index or a list
	// rows of indexes and lists whose fetch is counted by its record, or by another row
	IndexJoined              int64                 `json:"index_joined,omitempty"`
	Verification             evaluate.Verification `json:"verification,omitzero"`
	LogEvidence              int64                 `json:"log_evidence"`
	Exclusions               int64                 `json:"exclusions"`
	Origins                  int64                 `json:"origins"`
	FirstFetchTime           *time.Time            `json:"first_fetch_time"`
	LastFetchTime            *time.Time            `json:"last_fetch_time"`
	RobotsOutcomes           map[string]int64      `json:"robots_outcomes"`
	DisallowedShareOfKnown   *float64              `json:"disallowed_share_of_known"`
	DisallowedShare          *float64              `json:"disallowed_share"`
	DisallowedOrUnknownShare *float64              `json:"disallowed_or_unknown_share"`
	Issues                   int64                 `json:"issues"`
	InputsNotWhollyRead      int64                 `json:"inputs_not_wholly_read"`
}

// version is that of a release: its linker sets it.
var version string

// Version is the program's version as its build knows it: of a release or of the module, else the
// revision that it was built from.
func Version() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	module := strings.Trim(info.Main.Version, "()")
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && (module == "" || module == "devel") {
			return s.Value
		}
	}
	return cmp.Or(module, "devel")
}

// releaseOf is the number of a release, or "devel": other builds of one program write the same
// bytes.
func releaseOf(version string) string {
	number, ok := strings.CutPrefix(version, "v")
	if !ok || strings.Trim(number, "0123456789.") != "" {
		return "devel"
	}
	return number
}

// newAudit describes an evaluation of facts, once all of it is written.
func newAudit(set *facts.Set, settings Settings, t *evaluate.Totals) *Audit {
	a := &Audit{
		Tool: "robotsaudit", Version: Version(), SchemaVersion: SchemaVersion, Settings: settings,
		Unreadable: []Unreadable{},
	}
	for _, f := range set.Failures {
		a.Unreadable = append(a.Unreadable, Unreadable{Name: locator(f.Name), Reason: f.Reason})
	}
	a.Totals = Totals{
		Counts:         t.Counts,
		Duplicates:     t.Duplicates,
		Indexed:        set.Totals.Indexed - t.Joined,
		IndexJoined:    t.Joined,
		Verification:   t.Verification,
		LogEvidence:    t.LogEvidence,
		Exclusions:     t.Exclusions,
		Origins:        t.Origins,
		FirstFetchTime: known(t.First.UTC(), t.First.Known()),
		LastFetchTime:  known(t.Last.UTC(), t.Last.Known()),
		RobotsOutcomes: t.RobotsByOutcome,
	}
	a.Totals.Complete()
	return a
}

// Complete sets the totals and shares that follow from the counts.
func (t *Totals) Complete() {
	t.Violations, t.Unproven = t.Counts.Violations(), t.Counts.Unproven()
	t.Decidable = t.Fetches - t.RobotsTxtItself - t.NoCrawler
	t.DisallowedShareOfKnown = share(t.Disallowed, t.Decidable-t.Undecided())
	t.DisallowedShare = share(t.Disallowed, t.Decidable)
	t.DisallowedOrUnknownShare = share(t.Disallowed+t.Undecided(), t.Decidable)
}

func share(part, whole int64) *float64 {
	if whole == 0 {
		return nil
	}
	return new(float64(part) / float64(whole))
}
