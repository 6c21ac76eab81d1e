package ci

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// SARIF writes the violations as a SARIF 2.1.0 log: a result each, at the record in its archive.
// Of more than 5,000 it has the most certain ones.
func SARIF(ctx context.Context, w io.Writer, r *results.Results) error {
	rows, err := violations(ctx, r)
	if err != nil {
		return err
	}
	audit := r.Audit()
	run := sarifRun{
		Tool: sarifTool{sarifDriver{
			Name: audit.Tool, Version: audit.Version, Rules: sarifRules,
		}},
		ColumnKind:  "unicodeCodePoints",
		Invocations: []sarifInvocation{{Successful: true, Notifications: notifications(audit, len(rows))}},
		Results:     []sarifResult{},
		Properties: map[string]any{
			"violations": audit.Totals.Violations, "unproven": audit.Totals.Unproven, "unknown": audit.Totals.Unknown,
			"fetches": audit.Totals.Fetches,
		},
	}
	for i := range rows {
		run.Results = append(run.Results, sarifResultOf(&rows[i]))
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	return encoder.Encode(sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0", Runs: []sarifRun{run},
	})
}

// notifications state what is missing in the results.
func notifications(a *report.Audit, listed int) []sarifNotification {
	list := []sarifNotification{}
	if rest := a.Totals.Violations - int64(listed); rest > 0 {
		list = append(list, sarifNotification{
			"note",
			sarifText{fmt.Sprintf("The table violations has %s.", report.Count(rest, "more violation"))},
		})
	}
	if n := a.Totals.InputsNotWhollyRead; n > 0 {
		list = append(list, sarifNotification{
			"warning",
			sarifText{fmt.Sprintf("%s could not be read to the end; the table issues names them.",
				report.Count(n, "input"))},
		})
	}
	return list
}

var sarifRules = []sarifRule{
	{
		"certain", "CertainViolation",
		sarifText{"The crawler's own copy of robots.txt, at most 24 hours old, disallowed the fetch, and no copy allows it."},
		sarifLevel{"error"},
	},
	{
		"probable", "ProbableViolation",
		sarifText{"robots.txt disallowed the fetch; a doubt remains, which evidence and notes name."},
		sarifLevel{"warning"},
	},
}

// brackets escapes those that SARIF takes for links in its messages.
var brackets = strings.NewReplacer("[", `\[`, "]", `\]`)

func sarifResultOf(v *report.ViolationRow) sarifResult {
	result := sarifResult{
		RuleID: v.Certainty, Level: "warning", RuleIndex: 1, Message: sarifText{brackets.Replace(sentence(v))},
		Locations:    []sarifLocation{sarifRecord(v.WARCFilename, v.WARCRecordOffset, v.WARCRecordLength)},
		Fingerprints: map[string]string{"fetch/v1": fingerprint(v)},
		Properties: map[string]any{
			"url": shown(v.URL), "agent": shown(v.Agent), "evidence": v.Evidence, "notes": v.Notes,
			"rule": shown(v.Rule), "warc_record_id": shown(v.WARCRecordID),
		},
	}
	if v.Certainty == "certain" {
		result.Level, result.RuleIndex = "error", 0
	}
	if v.RobotsOffset != nil {
		robots := sarifRecord(v.RobotsFilename, *v.RobotsOffset, v.RobotsLength)
		robots.Message = &sarifText{brackets.Replace("The capture of robots.txt that governs the fetch: " +
			shown(v.RobotsURL))}
		result.Related = []sarifLocation{robots}
	}
	return result
}

// fingerprint is the same for a fetch in all audits.
func fingerprint(v *report.ViolationRow) string {
	place := v.WARCRecordID
	if place == "" {
		place = fmt.Sprintf("%s:%d", v.WARCFilename, v.WARCRecordOffset)
	}
	sum := sha256.Sum256([]byte(place + "\n" + v.URL))
	return hex.EncodeToString(sum[:16])
}

func sarifRecord(file string, offset, length int64) sarifLocation {
	name := url.URL{Path: file}
	return sarifLocation{Physical: sarifPhysical{sarifArtifact{name.String()}, sarifRegion{offset, length}}}
}

// What follows are the parts of the format that are used.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	ColumnKind  string            `json:"columnKind"`
	Results     []sarifResult     `json:"results"`
	Properties  map[string]any    `json:"properties"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Short   sarifText  `json:"shortDescription"`
	Default sarifLevel `json:"defaultConfiguration"`
}

type sarifLevel struct {
	Level string `json:"level"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications"`
}

type sarifNotification struct {
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Related      []sarifLocation   `json:"relatedLocations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Properties   map[string]any    `json:"properties"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
	Message  *sarifText    `json:"message,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	ByteOffset int64 `json:"byteOffset"`
	ByteLength int64 `json:"byteLength"`
}
