package report

import "github.com/robotsaudit/robotsaudit/evaluate"

// Summary is what an audit came to, as plain data: the content of audit.json, and the counts
// and rankings for which a reader would have to go through the tables. Texts from archives are as
// recorded: whoever shows them makes them safe. Values have the names that they have in the tables.
// Lists are sorted by count, the largest first, then by name, unless they say otherwise.
type Summary struct {
	Audit        *Audit
	Verdicts     []Numbers     // fetches by evidence: fresh, stale, later, none
	Unknown      []Numbers     // fetches by reason
	Rules        []Numbers     // those with most violations
	Origins      []Numbers     // those with most violations: these, and all fetches
	Claims       []NamedCounts // fetches by what warcinfo claims; "": nothing
	Agents       []NamedCounts // the product tokens with most fetches; "": not known
	AgentCount   int
	Unnamed      Unnamed
	WhatIf       []AgentVerdicts // sorted by difference from what most have, then the best known first
	Exclusions   VerdictCounts
	Tags         []Numbers     // fetches by rule that restricts; sorted by rule
	Signals      []Numbers     // fetches for which signals restrict a purpose, and allow it; sorted by purpose
	Restrictions []Numbers     // on publication and on use, by purpose asked for; sorted by purpose
	Noted        []Numbers     // issues by kind, but for those by which fetches may be missing; sorted by kind
	Unread       []UnreadInput // the first of Audit.Totals.InputsNotWhollyRead
}

// Numbers are some that have a name in common.
type Numbers struct {
	Name   string
	Origin string // of a rule, or of a robots.txt that could not be had
	N      []int64
}

// NamedCounts are the counts of fetches that have a name in common.
type NamedCounts struct {
	Name string
	evaluate.Counts
}

// Unnamed counts what was made by crawlers whose token is not known.
type Unnamed struct {
	Fetches  int64 // without fetches of robots.txt itself
	Captures int64
}

// VerdictCounts counts by verdict.
type VerdictCounts struct {
	Allowed    int64
	Disallowed int64
	Unknown    int64
}

// Sum adds other counts.
func (c *VerdictCounts) Sum(o VerdictCounts) {
	c.Allowed += o.Allowed
	c.Disallowed += o.Disallowed
	c.Unknown += o.Unknown
}

// Of is the count of a verdict, by the name that it has in the tables.
func (c *VerdictCounts) Of(verdict string) *int64 {
	switch verdict {
	case "allowed":
		return &c.Allowed
	case "disallowed":
		return &c.Disallowed
	}
	return &c.Unknown
}

// AgentVerdicts counts what another crawler would have been allowed.
type AgentVerdicts struct {
	Agent string
	AgentAccess
}

// UnreadInput is an input with something that could not be read, and the first reason.
type UnreadInput struct {
	Name   string
	Kind   string // of issue
	Detail string
}
