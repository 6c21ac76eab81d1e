package ci

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/figures"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	for i, m := range o {
		b.WriteByte("{,"[min(i, 1)])
		if err := encoder.Encode(m.name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := encoder.Encode(m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func sarifText(text string) object { return object{{"text", text}} }

// SARIF writes the violations as a SARIF 2.1.0 log: a result each, at the record in its archive.
// Of more than 5,000 it has the most certain ones.
func SARIF(ctx context.Context, w io.Writer, r *results.Results) error {
	var certain, probable []object
	err := figures.EachViolation(ctx, r, func(v *report.ViolationRow, sentence func() string) {
		list := &probable
		if v.Certainty == words.Certain.String() {
			list = &certain
		}
		if len(*list) < maxFindings {
			*list = append(*list, sarifResult(v, sentence()))
		}
	}, func(*report.HostRow) {})
	if err != nil {
		return err
	}
	list := append([]object{}, slices.Concat(certain, probable)...)
	list = list[:min(len(list), maxFindings)]
	audit := r.Audit()
	run := object{
		{"tool", object{{"driver", object{{"name", audit.Tool}, {"version", audit.Version}, {"rules", sarifRules}}}}},
		{"invocations", []object{
			{{"executionSuccessful", true}, {"toolExecutionNotifications", notifications(r, len(list))}},
		}},
		{"columnKind", "unicodeCodePoints"},
		{"results", list},
		{"properties", map[string]any{
			"violations": audit.Totals.Violations, "unproven": audit.Totals.Unproven, "unknown": audit.Totals.Unknown,
			"fetches": audit.Totals.Fetches,
		}},
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	return encoder.Encode(object{
		{"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
		{"version", "2.1.0"},
		{"runs", []object{run}},
	})
}

// notifications state what is missing in the results.
func notifications(r *results.Results, listed int) []object {
	a := r.Audit()
	list := []object{}
	note := func(level, text string) {
		list = append(list, object{{"level", level}, {"message", sarifText(text)}})
	}
	if part := r.Part().String(); part != "" {
		note("note", "The results are of a part of the audit: "+part+".")
	}
	if rest := a.Totals.Violations - int64(listed); rest > 0 {
		note("note", fmt.Sprintf("The table violations has %s.", report.Count(rest, "more violation")))
	}
	if n := a.Totals.InputsNotWhollyRead; n > 0 {
		note("warning", fmt.Sprintf("%s could not be read to the end; the table issues names them.",
			report.Count(n, "input")))
	}
	return list
}

// levels has the level of each class, in the order of sarifRules.
var levels = map[string]string{"certain": "error", "probable": "warning"}

var sarifRules = []object{
	sarifRule(words.Certainties[words.Certain], "CertainViolation"),
	sarifRule(words.Certainties[words.Probable], "ProbableViolation"),
}

func sarifRule(class words.Word, name string) object {
	return object{
		{"id", class.Name},
		{"name", name},
		{"shortDescription", sarifText(class.Meaning)},
		{"defaultConfiguration", object{{"level", levels[class.Name]}}},
	}
}

// brackets escapes those that SARIF takes for links in its messages.
var brackets = strings.NewReplacer("[", `\[`, "]", `\]`)

func sarifResult(v *report.ViolationRow, sentence string) object {
	rule := 1
	if v.Certainty == words.Certain.String() {
		rule = 0
	}
	result := object{
		{"ruleId", v.Certainty},
		{"ruleIndex", rule},
		{"level", levels[v.Certainty]},
		{"message", sarifText(brackets.Replace(sentence))},
		{"locations", []object{sarifRecord(v.WARCFilename, v.WARCRecordOffset, v.WARCRecordLength)}},
	}
	if v.RobotsOffset != nil {
		text := sarifText(brackets.Replace("The capture of robots.txt that governs the fetch: " + shown(v.RobotsURL)))
		robots := append(sarifRecord(v.RobotsFilename, *v.RobotsOffset, v.RobotsLength), member{"message", text})
		result = append(result, member{"relatedLocations", []object{robots}})
	}
	return append(result,
		member{"partialFingerprints", map[string]string{"fetch/v1": fingerprint(v)}},
		member{"properties", map[string]any{
			"url": shown(v.URL), "agent": shown(v.Agent), "evidence": v.Evidence, "notes": v.Notes,
			"rule": shown(v.Rule), "warc_record_id": shown(v.WARCRecordID),
		}})
}

// fingerprint is the same for a fetch in all audits.
func fingerprint(v *report.ViolationRow) string {
	place := cmp.Or(v.WARCRecordID, fmt.Sprintf("%s:%d", v.WARCFilename, v.WARCRecordOffset))
	sum := sha256.Sum256([]byte(place + "\n" + v.URL))
	return hex.EncodeToString(sum[:16])
}

func sarifRecord(file string, offset, length int64) object {
	name := url.URL{Path: file}
	return object{{"physicalLocation", object{
		{"artifactLocation", object{{"uri", name.String()}}},
		{"region", object{{"byteOffset", offset}, {"byteLength", length}}},
	}}}
}
