package report

import (
	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// PageTagRow is a row of page_tags: one rule that a page states for itself.
type PageTagRow struct {
	URL              string `parquet:"url,delta"`
	FetchTime        *int64 `parquet:"fetch_time,optional,timestamp(microsecond),dict"`
	WARCFilename     string `parquet:"warc_filename,dict"`
	WARCRecordOffset int64  `parquet:"warc_record_offset,delta"`
	// Where the rule stands.
	Source string `parquet:"source,dict" values:"tag_source"`
	// From 1: the line among the response's policy header lines, or the number of the meta among those kept.
	Line int32 `parquet:"line"`
	// Product token that the tag is for, as written; for a meta, in lower case. A meta whose name is not a
	// token has no row. Null: for everybody.
	Agent string `parquet:"agent,optional,dict"`
	// The rule.
	Rule string `parquet:"rule,dict" values:"rule"`
	// The rule as written, lower case; of an `unknown` one what stands there.
	Word string `parquet:"word,dict"`
	// Value of the rule: `50` of `max-snippet:50`. Null: none.
	Value string `parquet:"value,optional,dict"`
	// The text that states the rule, as written, at most 8 KiB: all between two commas, with its prefix.
	Raw string `parquet:"raw,dict"`
	// How the rule was read.
	ParseMode string `parquet:"parse_mode,dict" values:"parse_mode"`
	// The meta stands in the head of the page as it was sent; one elsewhere binds nobody. Null: a
	// header field.
	InHead *bool `parquet:"in_head,optional"`
	// The meta stands in a noscript element. Null: a header field.
	InNoscript *bool `parquet:"in_noscript,optional"`
	// Whether the rule binds: a header field or a meta in the head, and not denied (`noindex=?0`).
	Binds bool `parquet:"binds"`
	// What a rule of this kind restricts, whatever its value, even if it does not bind. Null: nothing.
	Restricts string `parquet:"restricts,optional,dict" values:"restriction"`
	// Moment from which an `unavailable_after` [restricts](SIGNALS.md#dates). Null: the rule has no date, or one
	// that can't be read.
	RestrictsFrom *int64 `parquet:"restricts_from,optional,timestamp(microsecond)"`
	// The draft that defines the rule, or the vendor that documents it. Null: nobody known.
	DefinedBy string `parquet:"defined_by,optional,dict"`
	TagsFrom  string `parquet:"tags_from,optional,dict" values:"tags_from"`
	// What was wrong with the rule, joined by commas. Null: nothing.
	Notes string `parquet:"notes,optional,dict" values:"tag_note"`
}

func (b *rowBuilder) pageTagRow(r *evaluate.Result, t *tag.Tag) PageTagRow {
	row := PageTagRow{
		URL:              locator(r.Fetch.URL),
		FetchTime:        micros(r.Fetch.Time()),
		WARCFilename:     b.archive(r.Fetch),
		WARCRecordOffset: r.Fetch.Offset,
		Source:           t.Source.String(),
		Line:             int32(t.Line),
		Agent:            text(t.Agent),
		Rule:             t.Rule.String(),
		Word:             text(t.Word),
		Value:            text(t.Value),
		Raw:              rawText(t.Raw),
		ParseMode:        t.Mode.String(),
		InHead:           known(t.Place.InHead(), t.Place != 0),
		InNoscript:       known(t.Place.InNoscript(), t.Place != 0),
		Binds:            t.Binds(),
		DefinedBy:        t.Rule.Origin(),
		TagsFrom:         r.Page.From.String(),
		Notes:            t.Notes.String(),
	}
	if t.Rule.Restricts() && t.Rule.Kind() != 0 {
		row.Restricts = t.Rule.Kind().String()
	}
	if from, ok := t.Until(); ok {
		row.RestrictsFrom = new(from.UnixMicro())
	}
	return row
}

// EffectiveTagsRow is a row of effective_tags: what the tags of a page come to for a
// product token.
type EffectiveTagsRow struct {
	URL              string `parquet:"url,delta"`
	WARCFilename     string `parquet:"warc_filename,dict"`
	WARCRecordOffset int64  `parquet:"warc_record_offset,delta"`
	// Product token, lower case. Null: every token that no other row of the fetch names.
	Agent string `parquet:"agent,optional,dict"`
	// The rules that [bind](SIGNALS.md#which-rules-hold-for-a-token), as one tag would state them. Unknown words
	// come last.
	Rules string `parquet:"rules,dict"`
	// Contradictions between the tags, joined by commas. Null: none.
	Conflicts string `parquet:"conflicts,optional,dict" values:"tag_contradiction"`
	// Some rule binds the purpose `archive`: as of `--as-of`, else at the time of the fetch.
	RestrictsArchive bool `parquet:"restricts_archive"`
	// Some rule binds the purpose `index`: as of `--as-of`, else at the time of the fetch.
	RestrictsIndex bool `parquet:"restricts_index"`
	// Some rule binds the purpose `train`: as of `--as-of`, else at the time of the fetch.
	RestrictsTrain bool `parquet:"restricts_train"`
}

func (b *rowBuilder) effectiveRow(r *evaluate.Result, s *evaluate.AgentSet) EffectiveTagsRow {
	binds := func(u tag.Use) bool { return len(s.Set.Restrictions(u, r.Page.At)) > 0 }
	return EffectiveTagsRow{
		URL: locator(r.Fetch.URL), WARCFilename: b.archive(r.Fetch), WARCRecordOffset: r.Fetch.Offset,
		Agent: text(s.Agent), Rules: text(s.Set.String()), Conflicts: s.Set.Conflicts.String(),
		RestrictsArchive: binds(tag.UseArchive), RestrictsIndex: binds(tag.UseIndex),
		RestrictsTrain: binds(tag.UseTrain),
	}
}
