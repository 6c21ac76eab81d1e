package ci

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// JUnit writes the audit as JUnit XML: a test case per origin, which fails where there are
// violations and is skipped where every verdict is unknown. Of more than 5,000 origins it has
// those with violations, up to as many.
func JUnit(ctx context.Context, w io.Writer, r *results.Results) error {
	suite := junitSuite{junitCounts: junitCounts{Name: "robots.txt"}}
	if part := r.Part().String(); part != "" {
		suite.Name += ": " + part
	}
	all := r.Audit().Totals.Origins <= maxFindings
	next, stop := iter.Pull2(results.Rows(ctx, r, report.ViolationsTable))
	defer stop()
	left := int64(0)
	for host, err := range results.Rows(ctx, r, report.HostStatsTable) {
		if err != nil {
			return err
		}
		found := host.Violations()
		details, err := detailsOf(next, host.Origin, found)
		if err != nil {
			return err
		}
		if !all && found == 0 || len(suite.Cases) == maxFindings {
			left++
			continue
		}
		suite.add(junitCaseOf(host, found, details))
	}
	if left > 0 {
		suite.Out = fmt.Sprintf("The table host_stats has %s.", report.Count(left, "more origin"))
	}
	suites := junitSuites{junitCounts: suite.junitCounts, Suites: []junitSuite{suite}}
	suites.Name = r.Audit().Tool
	text, err := xml.MarshalIndent(suites, "", " ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	return err
}

// detailsOf reads the violations of the next origin: both tables have one order of origins.
func detailsOf(next func() (*report.ViolationRow, error, bool), origin string, n int64) (string, error) {
	var b strings.Builder
	for i := range n {
		row, err, ok := next()
		if err != nil {
			return "", err
		}
		if !ok || row.Origin != origin {
			return "", errors.New("the tables host_stats and violations do not agree; audit again")
		}
		if i < maxCaseRows {
			fmt.Fprintf(&b, "%s %s:%d\n", sentence(row), shown(row.WARCFilename), row.WARCRecordOffset)
		}
	}
	if n > maxCaseRows {
		fmt.Fprintf(&b, "The table violations has %s.\n", report.Count(n-maxCaseRows, "more violation"))
	}
	return b.String(), nil
}

func junitCaseOf(host *report.HostRow, found int64, details string) junitCase {
	c := junitCase{
		Class: shown(cmp.Or(host.RegisteredDomain, host.HostName, "(none)")),
		Name:  shown(cmp.Or(host.Origin, "(no readable origin)")),
	}
	switch {
	case found > 0:
		c.Failure = &junitFailure{
			Message: fmt.Sprintf("%s of robots.txt: %d certain, %d probable", report.Count(found, "violation"),
				host.ViolationsCertain, host.ViolationsProbable),
			Type: "violation", Text: details,
		}
	case host.Unknown > 0 && host.Unknown == host.Fetches-host.RobotsTxtItself:
		c.Skipped = &junitSkipped{"what robots.txt said is unknown"}
	}
	return c
}

func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Skipped != nil {
		s.Skipped++
	}
}

type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	junitCounts
	Suites []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	junitCounts
	Skipped int         `xml:"skipped,attr"`
	Cases   []junitCase `xml:"testcase"`
	Out     string      `xml:"system-out,omitempty"`
}

type junitCounts struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"` // none: schemas require it
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure"`
	Skipped *junitSkipped `xml:"skipped"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}
