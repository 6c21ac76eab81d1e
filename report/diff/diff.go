// Package diff compares two audits: which fetches robots.txt disallows by one and not by the
// other.
//
// A fetch is known by its record ID, else by the name of its archive and the offset there, and
// by its URL. Numbers of robots.txt captures are valid in one audit alone and are not compared.
//
// The fetches of both are sorted by URL and record ID in temporary files (package run) and merged,
// so memory is bounded. What is listed is cut at 1,000 of a kind; what is counted is not.
package diff

import (
	"time"

	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
)

// MaxListed is how many changes of a kind and how many origins are listed.
const MaxListed = 1000

// Changes are the differences between two audits. A fetch is counted in one kind at most.
type Changes struct {
	Part string `json:"part,omitempty"` // of both audits, in words; "": all of them
	Old  Side   `json:"old"`
	New  Side   `json:"new"`
	// what was asked or read in another way: a verdict may differ for that alone
	Settings []Difference `json:"settings"`

	Common  int64 `json:"common"`   // fetches in both audits
	OnlyOld int64 `json:"only_old"` // fetches that the new audit has not
	OnlyNew int64 `json:"only_new"` // fetches that the old audit has not

	NewViolations  Kind `json:"new_violations"`  // violations by the new audit alone
	GoneViolations Kind `json:"gone_violations"` // violations by the old audit alone
	// with another verdict, certainty or rule, and none of the other kinds
	Changed         Kind `json:"changed"`
	NewlyUnknown    Kind `json:"newly_unknown"`     // unknown by the new audit alone
	NoLongerUnknown Kind `json:"no_longer_unknown"` // unknown by the old audit alone

	Origins     []OriginChanges `json:"origins"` // those with most changes first, then by name
	OriginCount int64           `json:"origin_count"`
}

// Side is one of the audits.
type Side struct {
	Dir            string     `json:"dir"`
	FirstFetchTime *time.Time `json:"first_fetch_time"`
	LastFetchTime  *time.Time `json:"last_fetch_time"`
	Inputs         int64      `json:"inputs"`
	Fetches        int64      `json:"fetches"`
	Violations     int64      `json:"violations"` // certain and probable
	Unproven       int64      `json:"unproven"`   // possible and contested
	Unknown        int64      `json:"unknown"`
}

// Difference is a setting, or the version of something, that differs.
type Difference struct {
	Name string `json:"name"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// Kind are the changes of one kind.
type Kind struct {
	Total   int64    `json:"total"`
	Absent  int64    `json:"absent"`  // of them fetches that the other audit has not
	Unknown int64    `json:"unknown"` // of them fetches that are unknown by the other audit
	List    []Change `json:"list"`    // certain ones first, then by origin, time and URL; at most MaxListed
}

// Change is one fetch.
type Change struct {
	URL              string     `json:"url"`
	Origin           string     `json:"origin"`
	FetchTime        *time.Time `json:"fetch_time"` // nil: no date
	Agent            string     `json:"agent"`      // "": not known
	WARCFilename     string     `json:"warc_filename"`
	WARCRecordOffset int64      `json:"warc_record_offset"`
	WARCRecordID     string     `json:"warc_record_id"` // "": not recorded
	Old              *State     `json:"old"`            // nil: the old audit has no such fetch
	New              *State     `json:"new"`            // nil: the new audit has no such fetch
}

// State is the verdict of an audit on a fetch.
type State struct {
	Verdict   string `json:"verdict"`
	Certainty string `json:"certainty"` // "": not disallowed
	Evidence  string `json:"evidence"`
	Reason    string `json:"reason"`
	Rule      string `json:"rule"`      // of a disallowed fetch; "": no rule decided
	RuleLine  int32  `json:"rule_line"` // 0: no rule decided
}

// OriginChanges counts the changes of an origin.
type OriginChanges struct {
	Origin          string `json:"origin"`
	NewViolations   int64  `json:"new_violations"`
	GoneViolations  int64  `json:"gone_violations"`
	Changed         int64  `json:"changed"`
	NewlyUnknown    int64  `json:"newly_unknown"`
	NoLongerUnknown int64  `json:"no_longer_unknown"`
}

// count is the count of a kind.
func (o *OriginChanges) count(k kind) *int64 {
	return [...]*int64{&o.NewViolations, &o.GoneViolations, &o.Changed, &o.NewlyUnknown, &o.NoLongerUnknown}[k]
}

func (o *OriginChanges) total() (n int64) {
	for k := range same {
		n += *o.count(k)
	}
	return n
}

// kind is the way in which a fetch changed.
type kind uint8

const (
	newViolation kind = iota
	goneViolation
	changed
	newlyUnknown
	noLongerUnknown
	same // and no kind of change
)

// names are the names of kinds, in words.
var names = [...]string{
	"New violations", "Violations no longer", "Changed in verdict, certainty or rule", "Newly unknown",
	"No longer unknown",
}

// kind is where the changes of a kind are gathered.
func (c *Changes) kind(k kind) *Kind {
	return [...]*Kind{&c.NewViolations, &c.GoneViolations, &c.Changed, &c.NewlyUnknown, &c.NoLongerUnknown}[k]
}

// kindOf compares the states of a fetch in two audits; nil: it has no such fetch.
func kindOf(before, after *State) kind {
	switch {
	case after.isViolation() && !before.isViolation():
		return newViolation
	case before.isViolation() && !after.isViolation():
		return goneViolation
	case before == nil || after == nil:
		return same
	case after.isUnknown() != before.isUnknown():
		if after.isUnknown() {
			return newlyUnknown
		}
		return noLongerUnknown
	case after.Verdict != before.Verdict, after.Certainty != before.Certainty,
		after.Rule != before.Rule:
		return changed
	}
	return same
}

func (s *State) isViolation() bool { return s != nil && words.IsViolation(s.Certainty) }

func (s *State) isUnknown() bool { return s != nil && s.Verdict == words.Unknown.String() }

func sideOf(dir string, a *report.Audit) Side {
	t := &a.Totals
	return Side{
		Dir: dir, FirstFetchTime: t.FirstFetchTime, LastFetchTime: t.LastFetchTime, Inputs: a.Inputs.Count(),
		Fetches: t.Fetches, Violations: t.Violations, Unproven: t.Unproven, Unknown: t.Unknown,
	}
}
