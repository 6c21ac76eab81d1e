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
	"strconv"
	"strings"
	"unicode"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// Explanation is the explanation of package evaluate, with its grounds.
type Explanation struct {
	*evaluate.Explanation
	Grounds      []Ground      `json:"grounds"`
	Restrictions []Restriction `json:"restrictions,omitempty"` // on uses, as the tables have them
	Hints        string        `json:"hints,omitempty"`        // uses that a statement without force speaks against
}

// Restriction is a statement of the page or its origin against a purpose of the audit.
type Restriction struct {
	Purpose    string   `json:"purpose"`
	Kind       string   `json:"kind"`
	Certainty  string   `json:"certainty"`
	Statements []string `json:"statements"`
	File       string   `json:"file,omitempty"`        // that holds tdmrep.json or the licence document
	FileOffset *int64   `json:"file_offset,omitempty"` // of its record
}

// New explains a fetch of an audit by its results and the facts that they were made from. The question may
// also give the number of a row of violations, from 1.
func New(ctx context.Context, r *results.Results, set *evaluate.Facts, q evaluate.Question) (*Explanation, error) {
	if err := r.CheckFacts(set); err != nil {
		return nil, err
	}
	a := r.Audit()
	opt, err := a.Settings.Options()
	if err != nil {
		return nil, err
	}
	if row, err := strconv.ParseInt(q.What, 10, 64); err == nil {
		if q.What, err = placeOfRow(ctx, r, row); err != nil {
			return nil, err
		}
	}
	x, err := evaluate.Explain(ctx, set, opt, q)
	if err != nil {
		return nil, err
	}
	explained := &Explanation{Explanation: x, Grounds: grounds(x)}
	if explained.Hints, err = agrees(ctx, r, x); err != nil {
		return nil, err
	}
	if len(a.Settings.Purposes) > 0 && x.Kind == evaluate.KindFetch {
		explained.Restrictions, err = restrictions(ctx, r, &x.Fetch.Record)
	}
	return explained, err
}

// restrictions are the rows of a fetch, by the place of its record.
func restrictions(ctx context.Context, r *results.Results, at *evaluate.ExplainedRecord) (list []Restriction,
	err error,
) {
	err = results.Each(ctx, r, report.RestrictionsTable, func(row *report.RestrictionRow) {
		if row.WARCFilename == at.File && row.WARCRecordOffset == at.Offset {
			list = append(list, Restriction{
				row.Purpose, row.Kind, row.Certainty, row.Statements, row.FileFilename,
				row.FileOffset,
			})
		}
	})
	return list, err
}

// agrees compares the verdict with the tables, and returns the hints of the fetch there. They differ if an
// archive is gone that held the body of a redirect's target: that body is not kept next to the tables.
func agrees(ctx context.Context, r *results.Results, x *evaluate.Explanation) (hints string, err error) {
	if x.Kind != evaluate.KindFetch {
		return "", nil
	}
	type fetch struct {
		WARCFilename     string `parquet:"warc_filename,dict"`
		WARCRecordOffset int64  `parquet:"warc_record_offset,delta"`
		Verdict          string `parquet:"verdict,dict"`
		Reason           string `parquet:"reason,dict"`
		Hints            string `parquet:"hints,optional,dict"`
	}
	at := &x.Fetch.Record
	for f, err := range results.Select[fetch](ctx, r, report.FetchesTable) {
		switch {
		case err != nil:
			return "", err
		case f.WARCFilename != at.File || f.WARCRecordOffset != at.Offset:
		case f.Verdict != x.Verdict || f.Reason != x.Reason:
			return "", fmt.Errorf("the tables in %s say %s (%s) of this fetch, and now it is %s (%s): an archive "+
				"cannot be read as it was; "+
				"put the archives back where they were, or run 'robotsaudit audit' again", r.Name(), f.Verdict,
				f.Reason, x.Verdict, x.Reason)
		default:
			return f.Hints, nil
		}
	}
	return "", nil
}

// NoRowError reports that violations has no such row.
type NoRowError struct{ Row, Rows int64 }

func (e *NoRowError) Error() string {
	if e.Rows == 0 {
		return fmt.Sprintf("violations has no row %d: it is empty; name a fetch by its URL or FILE:OFFSET", e.Row)
	}
	return fmt.Sprintf("violations has no row %d: it has %s, counted from 1", e.Row, report.Count(e.Rows, "row"))
}

// placeOfRow is the place of the fetch in a row of violations.
func placeOfRow(ctx context.Context, r *results.Results, row int64) (string, error) {
	n := int64(0)
	for v, err := range results.Rows(ctx, r, report.ViolationsTable) {
		if err != nil {
			return "", err
		}
		if n++; n == row {
			return fmt.Sprintf("%s:%d", v.WARCFilename, v.WARCRecordOffset), nil
		}
	}
	return "", &NoRowError{row, n}
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
