package report

import (
	"github.com/robotsaudit/robotsaudit/evaluate"
)

// GroupVerdictRow is a row of group_verdicts: what a fetch would have been for
// every token that robots_agents maps to (robots_id, group).
type GroupVerdictRow struct {
	URL              string `parquet:"url,delta"`
	WARCFilename     string `parquet:"warc_filename,dict"`
	WARCRecordOffset int64  `parquet:"warc_record_offset"`
	// The governing capture, in `robots`; 0: none.
	RobotsID int64 `parquet:"robots_id"`
	// Number of the deciding group in its file; 0: none; one that no group has, where the notes of its tokens differ.
	Group int32 `parquet:"group"`
	Decision
	// Deciding line as its file gives it. Null: no rule decided.
	Rule string `parquet:"rule,optional,dict"`
	// Its line, from 1. Null: no rule decided.
	RuleLine int32 `parquet:"rule_line,optional"`
	// First user-agent line of the group that holds the rule; without a rule, of the first group that governs. Null:
	// no group.
	GroupLine int32    `parquet:"group_line,optional"`
	Notes     []string `parquet:"notes,list" values:"note"`
}

func (b *rowBuilder) groupVerdictRow(v *evaluate.GroupVerdict) GroupVerdictRow {
	row := GroupVerdictRow{
		URL:              locator(v.Fetch.URL),
		WARCFilename:     b.archive(v.Fetch),
		WARCRecordOffset: v.Fetch.Offset,
		RobotsID:         robotsID(v.Governing),
		Group:            int32(v.Group),
		Decision:         decision(v.Evidence, &v.Answer),
		GroupLine:        int32(v.GroupLine),
		Notes:            b.noteList(v.Notes),
	}
	row.Rule, row.RuleLine = rule(&v.Answer)
	return row
}

// RobotsAgentRow is a row of robots_agents: the token is governed by the group.
type RobotsAgentRow struct {
	// The capture, as in `group_verdicts`.
	RobotsID int64 `parquet:"robots_id"`
	// Number of the group that governs the token, as in `group_verdicts`.
	Group int32 `parquet:"group"`
	// Token as given with the option.
	Agent string `parquet:"agent,dict"`
}
