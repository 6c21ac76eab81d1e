// Package explain explains how the verdict on one fetch came about: from results and the facts that they
// were made from, for people and for programs.
//
// Package evaluate decides; this one names the fetch as users do, adds the sentences of docs/SEMANTICS.md,
// and writes.
package explain

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/export"
	"github.com/robotsaudit/robotsaudit/report/finding"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// Explanation is the explanation of package evaluate, with its grounds.
type Explanation struct {
	*evaluate.Explanation
	Grounds []Ground `json:"grounds"`
	Lists   []Listed `json:"lists,omitempty"` // of 'robotsaudit export', in which the fetch is
}

// Listed is what becomes of the fetch in lists, unless the user decides otherwise.
type Listed struct {
	Purposes []string `json:"purposes"` // of the list; none: it is made for no purpose
	List     string   `json:"list"`     // keep, drop or undecided
	Reason   string   `json:"reason"`
}

// New explains a fetch of an audit by its results and the facts that they were made from. The question may
// also give the number of a row of violations, from 1, or the name of a finding.
func New(ctx context.Context, r *results.Results, set *evaluate.Facts, q evaluate.Question) (*Explanation, error) {
	if err := r.CheckFacts(set); err != nil {
		return nil, err
	}
	a := r.Audit()
	opt, err := a.Settings.Options()
	if err != nil {
		return nil, err
	}
	if id, is := finding.ParseName(q.What); is {
		if q.What, err = placeOfName(ctx, r, id); err != nil {
			return nil, err
		}
	} else if row, err := strconv.ParseInt(q.What, 10, 64); err == nil {
		if q.What, err = placeOfRow(ctx, r, row); err != nil {
			return nil, err
		}
	}
	if part := r.Part(); !part.IsZero() {
		q.Among = func(s *evaluate.Sighting) bool {
			u, _ := weburl.Parse(s.URL)
			var micros *int64
			if s.Time.Known() {
				micros = &s.Time.Micros
			}
			return part.Keeps(u.Host, micros, s.Agent)
		}
	}
	asked := q.Uses
	if len(asked) == 0 {
		q.Uses = allUses
	}
	x, err := evaluate.Explain(ctx, set, opt, q)
	if err != nil {
		return nil, err
	}
	return &Explanation{x, grounds(x), listed(x, asked)}, agrees(ctx, r, x)
}

// listed is what lists for some purposes together make of a fetch; or, where no purpose is asked about, lists for
// none and for each.
func listed(x *evaluate.Explanation, asked []evaluate.Use) (list []Listed) {
	if x.Kind == evaluate.KindNone || x.Reason == words.RobotsTxtItself.String() {
		return nil
	}
	var purposes []string
	for _, use := range asked {
		purposes = append(purposes, use.String())
	}
	if len(purposes) > 0 {
		return []Listed{listedFor(x, purposes)}
	}
	list = append(list, listedFor(x, []string{}))
	for _, use := range allUses {
		list = append(list, listedFor(x, []string{use.String()}))
	}
	return list
}

// listedFor is what a list for some purposes makes of a fetch.
func listedFor(x *evaluate.Explanation, purposes []string) Listed {
	k := export.Known{
		Restricted: slices.ContainsFunc(x.Restrictions,
			func(r evaluate.ExplainedRestriction) bool { return slices.Contains(purposes, r.Purpose) }),
		TagsUnknown: x.TagsUnknown && len(purposes) > 0,
		Hinted:      slices.ContainsFunc(x.Hints, func(use string) bool { return slices.Contains(purposes, use) }),
	}
	k.SetPage(x.Fetch.Method, x.Fetch.Status, x.Fetch.Type, x.Fetch.Trust)
	k.SetVerdict(x.Verdict, x.Reason)
	if x.Kind == evaluate.KindFetch {
		k.SetNotes(x.Notes)
	}
	fate, cause := export.Choices(nil).Decide(&k)
	return Listed{purposes, fate.String(), cause.String()}
}

// allUses are the purposes that are shown unless one is asked about.
var allUses = []evaluate.Use{evaluate.UseArchive, evaluate.UseIndex, evaluate.UseTrain}

// agrees compares the verdict with the tables. They differ if an archive is gone that held the body of a
// redirect's target: that body is not kept next to the tables.
func agrees(ctx context.Context, r *results.Results, x *evaluate.Explanation) error {
	if x.Kind != evaluate.KindFetch {
		return nil
	}
	at := &x.Fetch.Record
	for f, err := range results.Rows(ctx, r.Whole(), report.FetchesTable, "warc_filename", "warc_record_offset", "verdict",
		"reason") {
		switch {
		case err != nil:
			return err
		case f.WARCFilename != at.File || f.WARCRecordOffset != at.Offset:
		case f.Verdict != x.Verdict || f.Reason != x.Reason:
			return fmt.Errorf("the tables in %s say %s (%s) of this fetch, and now it is %s (%s): an archive "+
				"cannot be read as it was; "+
				"put the archives back where they were, or run 'robotsaudit audit' again", r.Name(), f.Verdict,
				f.Reason, x.Verdict, x.Reason)
		default:
			return nil
		}
	}
	return nil
}

// NoRowError reports that violations has no such row.
type NoRowError struct{ Row, Rows int64 }

func (e *NoRowError) Error() string {
	if e.Rows == 0 {
		return fmt.Sprintf("violations has no row %d: it is empty; name a fetch by its URL or FILE:OFFSET", e.Row)
	}
	return fmt.Sprintf("violations has no row %d: it has %s, counted from 1; give one of these numbers", e.Row, report.Count(e.Rows, "row"))
}

// placeOfRow is the place of the fetch in a row of violations.
func placeOfRow(ctx context.Context, r *results.Results, row int64) (string, error) {
	n := int64(0)
	for v, err := range results.Rows(ctx, r, report.ViolationsTable, "warc_filename", "warc_record_offset") {
		if err != nil {
			return "", err
		}
		if n++; n == row {
			return fmt.Sprintf("%s:%d", v.WARCFilename, v.WARCRecordOffset), nil
		}
	}
	return "", &NoRowError{row, n}
}

// NameError reports that a name is that of no finding, or of several.
type NameError struct {
	Name   string
	Places []string // of the fetches
}

func (e *NameError) Error() string {
	if len(e.Places) == 0 {
		return fmt.Sprintf("no row of violations or unproven has the name %s; it may be of another audit, or of other "+
			"options: name the fetch by its URL or FILE:OFFSET", e.Name)
	}
	return fmt.Sprintf("%s names %d fetches; give the place of one: %s", e.Name, len(e.Places), strings.Join(e.Places, ", "))
}

// placeOfName is the place of the fetch whose finding has a name.
func placeOfName(ctx context.Context, r *results.Results, id string) (string, error) {
	e := NameError{Name: id}
	for _, table := range [...]report.TableOf[report.ViolationRow]{report.ViolationsTable, report.UnprovenTable} {
		for v, err := range results.RowsIfWritten(ctx, r, table, "warc_filename", "warc_record_offset", "warc_record_id", "origin",
			"fetch_time") {
			if err != nil {
				return "", err
			}
			if finding.IDOf(v) == id {
				e.Places = append(e.Places, fmt.Sprintf("%s:%d", v.WARCFilename, v.WARCRecordOffset))
			}
		}
	}
	if len(e.Places) == 1 {
		return e.Places[0], nil
	}
	return "", &e
}

// WriteJSON writes the explanation for programs. Characters that cannot be seen are escapes.
func (x *Explanation) WriteJSON(w io.Writer) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(x); err != nil {
		return err
	}
	var out strings.Builder
	for _, r := range b.String() {
		switch {
		case r == '\n' || unicode.IsPrint(r):
			out.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xD800+(r-0x10000)>>10, 0xDC00+(r-0x10000)&0x3FF)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// slug is the link of a heading, as GitHub makes it.
func slug(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}
