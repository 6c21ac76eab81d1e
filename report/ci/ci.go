// Package ci writes the violations of an audit in formats that continuous-integration services
// show: SARIF 2.1.0 and JUnit XML.
//
// What comes from archives is escaped, so that it can be neither markup nor invisible. Services
// refuse large files, so what is written is bounded; the totals are always there.
package ci

import "github.com/robotsaudit/robotsaudit/report"

const (
	maxFindings = 5000 // violations in SARIF, as many as GitHub shows; origins in JUnit
	maxCaseRows = 20   // violations named in one test case
	maxText     = 1000 // bytes of a text from an archive
)

// shown makes a text from an archive safe to show, and short.
func shown(s string) string { return report.Shown(s, maxText) }
