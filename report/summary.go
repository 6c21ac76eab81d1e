package report

import "github.com/robotsaudit/robotsaudit/evaluate"

// Summary is what an audit came to, as plain data: the content of audit.json, and the counts
// and rankings for which a reader would have to go through the tables. Renderers show it. Texts
// from archives are as recorded: each renderer makes them safe in its own way. Values have the
// names that they have in the tables. Lists are sorted by count, the largest first, then by
// name, unless they say otherwise.
type Summary struct {
	Audit        *Audit              `json:"audit"`
	Verdicts     []VerdictEvidence   `json:"verdicts"`
	Unknown      []NameCount         `json:"unknown"` // fetches by reason
	Rules        []RuleCount         `json:"rules"`   // those with most violations
	Origins      []OriginCount       `json:"origins"` // those with most violations
	Claims       []NamedCounts       `json:"claims"`  // fetches by what warcinfo claims; "": nothing
	Agents       []NamedCounts       `json:"agents"`  // the product tokens with most fetches; "": not known
	AgentCount   int                 `json:"agent_count"`
	Unnamed      Unnamed             `json:"unnamed"`
	WhatIf       []AgentVerdicts     `json:"what_if"` // sorted by difference from what most have, then the best known first
	Exclusions   VerdictCounts       `json:"exclusions"`
	Tags         []NameCount         `json:"tags"`         // fetches by rule that restricts; sorted by rule
	Signals      []SignalCount       `json:"signals"`      // sorted by purpose
	Restrictions []RestrictionCounts `json:"restrictions"` // sorted by purpose
	Issues       []IssueCount        `json:"issues"`       // sorted by kind
	Unread       []UnreadInput       `json:"unread"`       // the first of Audit.Totals.InputsNotWhollyRead
}

// VerdictEvidence counts the fetches of a verdict by evidence.
type VerdictEvidence struct {
	Verdict string `json:"verdict"`
	Fresh   int64  `json:"fresh"`
	Stale   int64  `json:"stale"`
	Later   int64  `json:"later"`
	None    int64  `json:"none"`
}

// NameCount counts fetches.
type NameCount struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// RuleCount counts the violations of a rule, or of a robots.txt that could not be had.
type RuleCount struct {
	Rule       string `json:"rule"`
	Origin     string `json:"origin"`
	Violations int64  `json:"violations"`
}

// OriginCount counts the violations and fetches of an origin.
type OriginCount struct {
	Origin     string `json:"origin"`
	Violations int64  `json:"violations"`
	Fetches    int64  `json:"fetches"`
}

// NamedCounts are the counts of fetches that have a name in common.
type NamedCounts struct {
	Name string `json:"name"`
	evaluate.Counts
}

// Unnamed counts what was made by crawlers whose token is not known.
type Unnamed struct {
	Fetches  int64 `json:"fetches"` // but for those of robots.txt itself
	Captures int64 `json:"captures"`
}

// VerdictCounts counts by verdict.
type VerdictCounts struct {
	Allowed    int64 `json:"allowed"`
	Disallowed int64 `json:"disallowed"`
	Unknown    int64 `json:"unknown"`
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
	Agent string `json:"agent"`
	VerdictCounts
}

// SignalCount counts the fetches for which signals state a preference on a purpose.
type SignalCount struct {
	Purpose    string `json:"purpose"`
	Restricted int64  `json:"restricted"`
	Allowed    int64  `json:"allowed"`
}

// RestrictionCounts counts the rows of restrictions on a purpose asked for.
type RestrictionCounts struct {
	Purpose     string `json:"purpose"`
	Publication int64  `json:"publication"`
	Usage       int64  `json:"usage"`
}

// IssueCount counts the issues of a kind. Lossy ones mean that fetches may be missing.
type IssueCount struct {
	Kind  string `json:"kind"`
	Lossy bool   `json:"lossy"`
	Count int64  `json:"count"`
}

// UnreadInput is an input of which something could not be read, with the first reason.
type UnreadInput struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"` // of issue
	Detail string `json:"detail"`
}
