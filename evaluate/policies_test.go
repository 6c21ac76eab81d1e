package evaluate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// policyTokens are the tokens whose policies a recorder received, with group and outcome.
func policyTokens(s *recorder) (lines []string) {
	for _, call := range s.calls {
		if line, ok := strings.CutPrefix(call, "policy "); ok {
			lines = append(lines, strings.Join(strings.Fields(line)[1:4], " "))
		}
	}
	return lines
}

// TestPolicyCrawlers: of the crawlers of the archives, those with most fetches are asked for; of
// those with as many, the first in the alphabet.
func TestPolicyCrawlers(t *testing.T) {
	t.Parallel()
	a := archive{{url: home + "/robots.txt", at: "-1h", ua: "-", body: "User-agent: *\nDisallow:\n"}}
	name := func(i int) string { return fmt.Sprintf("Bot%c%c", 'A'+i/26, 'a'+i%26) }
	want := []string{"rules * wildcard"}
	for i := range maxPolicyCrawlers + 8 {
		fetches := 1
		if i >= maxPolicyCrawlers { // the last eight have two
			fetches = 2
		}
		for n := range fetches {
			a = append(a, rec{url: fmt.Sprintf("%s/%d/%d", home, i, n), at: "+0h", ua: name(i) + "/1.0"})
		}
		if i < maxPolicyCrawlers-8 || fetches > 1 {
			want = append(want, "rules "+name(i)+" wildcard")
		}
	}
	s, _ := check(t, DecideOptions{}, a)
	if got := policyTokens(s); !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	s, _ = check(t, DecideOptions{Crawler: "ZBot"}, a)
	if got := policyTokens(s); !slices.Equal(got, []string{"rules * wildcard", "rules ZBot wildcard"}) {
		t.Errorf("with --crawler: %q", got)
	}
}

// TestPolicyNames: a file may name more tokens than are read; an issue reports it.
func TestPolicyNames(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	for i := range maxPolicyNames + 1 {
		fmt.Fprintf(&body, "User-agent: Name%04d\n", i)
	}
	body.WriteString("Disallow: /\n")
	a := archive{{url: home + "/robots.txt", at: "-1h", body: body.String()}}
	s, _ := check(t, DecideOptions{Policies: PoliciesNamed}, a)
	got := policyTokens(s)
	if n := len(got); n != 2+maxPolicyNames || got[1] != "rules Name0000 named" ||
		got[n-2] != "rules Name0999 named" || got[n-1] != "rules TestBot none" {
		t.Errorf("%d tokens: %q … %q", n, got[:2], got[n-2:])
	}
	if !slices.Equal(s.issues, []string{"limit_reached"}) {
		t.Errorf("issues %q", s.issues)
	}
	s, _ = check(t, DecideOptions{}, a)
	if got := policyTokens(s); len(got) != 2 || len(s.issues) != 0 {
		t.Errorf("not asked for: %q, issues %q", got, s.issues)
	}
}

// TestPoliciesOfLogs: a line of a log is no capture.
func TestPoliciesOfLogs(t *testing.T) {
	t.Parallel()
	s, totals := auditLogs(t, DecideOptions{}, []archive{{{url: home + "/robots.txt", at: "-3h"}}},
		crawlLog(logged{home + "/robots.txt", "-1h", "-2"}))
	if got := policyTokens(s); totals.LogEvidence != 1 ||
		!slices.Equal(got, []string{"rules * none", "rules TestBot none"}) {
		t.Errorf("%d log lines: %q", totals.LogEvidence, got)
	}
}
