package ci

import (
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/figures"
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
	left, named := int64(0), 0
	var details strings.Builder // of the origin in hand
	err := figures.EachViolation(ctx, r, func(v *report.ViolationRow, sentence func() string) {
		if named++; named <= maxCaseRows {
			fmt.Fprintf(&details, "%s %s:%d\n", sentence(), shown(v.WARCFilename), v.WARCRecordOffset)
		}
	}, func(host *report.HostRow) {
		if more := int64(named - maxCaseRows); more > 0 {
			fmt.Fprintf(&details, "The table violations has %s.\n", report.Count(more, "more violation"))
		}
		if !all && named == 0 || len(suite.Cases) == maxFindings {
			left++
		} else {
			suite.add(junitCaseOf(host, details.String()))
		}
		named = 0
		details.Reset()
	})
	if err != nil {
		return err
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

func junitCaseOf(host *report.HostRow, details string) junitCase {
	c := junitCase{
		Class: shown(cmp.Or(host.RegisteredDomain, host.HostName, "(none)")),
		Name:  shown(cmp.Or(host.Origin, "(no readable origin)")),
	}
	switch found := host.Violations(); {
	case found > 0:
		c.Failure = &junitNote{
			Message: fmt.Sprintf("%s of robots.txt: %d certain, %d probable", report.Count(found, "violation"),
				host.ViolationsCertain, host.ViolationsProbable),
			Type: "violation", Text: details,
		}
	case host.Undecided() > 0 && host.Undecided() == host.Fetches-host.RobotsTxtItself-host.NoCrawler:
		c.Skipped = &junitNote{Message: "what robots.txt said is unknown"}
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
	Class   string     `xml:"classname,attr"`
	Name    string     `xml:"name,attr"`
	Failure *junitNote `xml:"failure"`
	Skipped *junitNote `xml:"skipped"`
}

type junitNote struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}
