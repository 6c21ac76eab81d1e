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
	"fmt"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// MaxListed is how many changes of a kind and how many origins are listed.
const MaxListed = 1000

// Changes are the differences between two audits. A fetch is counted in one kind at most.
type Changes struct {
	Part string `json:"part,omitempty"` // of both audits, in words; "": all of them
	// The part of the old audit where it has no fetch of the period, and so is not cut by it; nil: as Part.
	OldPart *string `json:"old_part,omitempty"`
	Old     Side    `json:"old"`
	New     Side    `json:"new"`
	// what was asked or read in another way: a verdict may differ for that alone
	Settings []Difference `json:"settings"`

	Common  int64 `json:"common"`   // fetches in both audits
	OnlyOld int64 `json:"only_old"` // fetches that the new audit has not
	OnlyNew int64 `json:"only_new"` // fetches that the old audit has not

	// violations of URLs that did not violate before
	NewViolations Kind `json:"new_violations"`
	// Repeated counts the violations by the new audit alone of URLs that violated before, at another moment.
	Repeated int64 `json:"repeated_violations"`

	// violations before, of fetches that the new audit has not, by what it has of their URLs
	AgainForbidden Kind `json:"again_forbidden"` // fetched again, at least once while it was disallowed
	AgainAllowed   Kind `json:"again_allowed"`   // fetched again, and always allowed
	AgainUnknown   Kind `json:"again_unknown"`   // fetched again, and nothing shows whether that was allowed
	NotAgain       Kind `json:"not_again"`       // not fetched any more

	GoneViolations Kind `json:"gone_violations"` // violations before, of fetches that the new audit judges otherwise
	// with another verdict, certainty or rule, and in no other kind
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
	Decidable      int64      `json:"decidable"`  // of them those that robots.txt could forbid
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
	AgainForbidden  int64  `json:"again_forbidden"`
	AgainAllowed    int64  `json:"again_allowed"`
	AgainUnknown    int64  `json:"again_unknown"`
	NotAgain        int64  `json:"not_again"`
	GoneViolations  int64  `json:"gone_violations"`
	Changed         int64  `json:"changed"`
	NewlyUnknown    int64  `json:"newly_unknown"`
	NoLongerUnknown int64  `json:"no_longer_unknown"`
}

// counts are the counts of kinds.
func (o *OriginChanges) counts() [same]*int64 {
	return [...]*int64{
		&o.NewViolations, &o.AgainForbidden, &o.AgainAllowed, &o.AgainUnknown, &o.NotAgain, &o.GoneViolations,
		&o.Changed, &o.NewlyUnknown, &o.NoLongerUnknown,
	}
}

func (o *OriginChanges) total() (n int64) {
	for _, count := range o.counts() {
		n += *count
	}
	return n
}

// kind is the way in which a fetch changed.
type kind uint8

const (
	newViolation kind = iota
	againForbidden
	againAllowed
	againUnknown
	notAgain
	goneViolation
	changed
	newlyUnknown
	noLongerUnknown
	same // and no kind of change
)

// A Named is the changes of one kind, with its names.
type Named struct {
	ID, Name, Meaning string
	*Kind
}

// Kinds are the changes by kind.
func (c *Changes) Kinds() [same]Named {
	return [...]Named{
		{"new", "New violations", "Violations of URLs that did not violate before.", &c.NewViolations},
		{"again-forbidden", "Fetched again and forbidden", "Violations before, whose URLs were fetched again while robots.txt " +
			"disallowed it.", &c.AgainForbidden},
		{"again-allowed", "Fetched again and allowed", "Violations before, whose URLs were fetched again, and robots.txt " +
			"allowed it each time.", &c.AgainAllowed},
		{"again-unknown", "Fetched again, and unknown", "Violations before, whose URLs were fetched again, and nothing shows " +
			"whether robots.txt allowed it.", &c.AgainUnknown},
		{"not-again", "Not fetched any more", "Violations before, whose URLs were not fetched again.", &c.NotAgain},
		{
			"gone", "Judged otherwise", "Violations before, of fetches that are in both audits, and none by this one.",
			&c.GoneViolations,
		},
		{"changed", "Changed in verdict, certainty or rule", "Fetches in both audits, of no kind before.", &c.Changed},
		{"newly-unknown", "Newly unknown", "Unknown by the new audit alone.", &c.NewlyUnknown},
		{"no-longer-unknown", "No longer unknown", "Unknown by the old audit alone.", &c.NoLongerUnknown},
	}
}

// Sentence is what changed, in one.
func (c *Changes) Sentence() string {
	of := func(s *Side) string {
		return prose.Number(s.Violations) + " of " + report.Count(s.Decidable, "fetch") + prose.OfWhole(s.Violations, s.Decidable)
	}
	before, now := of(&c.Old), prose.Number(c.New.Violations)+" of "+prose.Number(c.New.Decidable)+
		prose.OfWhole(c.New.Violations, c.New.Decidable)
	return fmt.Sprintf("Violations: %s before, %s now.", before, now)
}

// Text counts the fetches that robots.txt could forbid.
func (s *Side) Text() string {
	return fmt.Sprintf("%s, %s, %s unproven, %s unknown", report.Count(s.Decidable, "fetch"),
		report.Count(s.Violations, "violation"), prose.Number(s.Unproven), prose.Number(s.Unknown))
}

// PartText says which part is compared; "": all of both audits.
func (c *Changes) PartText() string {
	switch {
	case c.Part == "":
		return ""
	case c.OldPart == nil:
		return "Both audits are cut to " + c.Part + "."
	case *c.OldPart == "":
		return "The new audit is cut to " + c.Part + ". The one before has no fetch of it, and is not cut."
	}
	return "The new audit is cut to " + c.Part + ". The one before has no fetch of it, and is cut to " + *c.OldPart + " alone."
}

// kindOf compares the states of a fetch in two audits; nil: it has no such fetch.
func kindOf(before, after *State, url *summary) kind {
	switch {
	case after.isViolation() && !before.isViolation():
		switch {
		case !url.violated:
			return newViolation
		case before == nil:
			return same
		}
		return changed
	case before.isViolation() && after == nil:
		switch {
		case !url.fetched:
			return notAgain
		case url.forbidden:
			return againForbidden
		case url.unknown:
			return againUnknown
		}
		return againAllowed
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
		Fetches: t.Fetches, Decidable: t.Decidable, Violations: t.Violations, Unproven: t.Unproven, Unknown: t.Unknown,
	}
}
