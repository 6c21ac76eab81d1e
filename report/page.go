package report

import (
	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// page writes what is said of the use of what was fetched.
func (w *Writer) page(r *evaluate.Result) error {
	for i := range r.Page.Tags {
		if err := w.tags.add(w.pageTagRow(r, &r.Page.Tags[i])); err != nil {
			return err
		}
	}
	for i := range r.Page.Sets {
		if err := w.effective.add(w.effectiveRow(r, &r.Page.Sets[i])); err != nil {
			return err
		}
	}
	for i := range r.Page.Signals {
		if err := w.signals.add(w.signalRow(r, &r.Page.Signals[i])); err != nil {
			return err
		}
	}
	for _, c := range r.Page.Conflicts {
		row := TagConflictRow{
			URL: locator(r.Fetch.URL), WARCFilename: w.filename(r.Fetch.Input, r.Fetch.Entry), WARCRecordOffset: r.Fetch.Offset,
			Agent: text(r.Agent), Kind: c.Kind.String(), Detail: text(c.Detail), RobotsID: robotsID(r),
		}
		if err := w.conflicts.add(row); err != nil {
			return err
		}
	}
	return nil
}

// robotsID is the governing capture's number; 0, which the tables write as null,
// where there is none.
func robotsID(r *evaluate.Result) int64 {
	if r.Governing == nil {
		return 0
	}
	return r.Governing.ID
}

func (w *Writer) pageTagRow(r *evaluate.Result, t *tag.Tag) PageTagRow {
	row := PageTagRow{
		URL:              locator(r.Fetch.URL),
		FetchTime:        micros(r.Fetch.Time()),
		WARCFilename:     w.filename(r.Fetch.Input, r.Fetch.Entry),
		WARCRecordOffset: r.Fetch.Offset,
		Source:           t.Source.String(),
		Line:             int32(t.Line),
		Agent:            text(t.Agent),
		Rule:             t.Rule.String(),
		Word:             text(t.Word),
		Value:            text(t.Value),
		Raw:              rawText(t.Raw),
		ParseMode:        t.Mode.String(),
		InHead:           known(t.Place.InHead(), t.Source == tag.SourceMeta),
		InNoscript:       known(t.Place.InNoscript(), t.Source == tag.SourceMeta),
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

func (w *Writer) effectiveRow(r *evaluate.Result, s *evaluate.AgentSet) EffectiveTagsRow {
	binds := func(u tag.Use) bool { return len(s.Set.Restrictions(u, r.Page.At)) > 0 }
	return EffectiveTagsRow{
		URL: locator(r.Fetch.URL), WARCFilename: w.filename(r.Fetch.Input, r.Fetch.Entry), WARCRecordOffset: r.Fetch.Offset,
		Agent: text(s.Agent), Rules: text(s.Set.String()), Conflicts: s.Set.Conflicts.String(),
		RestrictsArchive: binds(tag.UseArchive), RestrictsIndex: binds(tag.UseIndex), RestrictsTrain: binds(tag.UseTrain),
	}
}

func (w *Writer) signalRow(r *evaluate.Result, s *evaluate.Signal) UsageSignalRow {
	row := UsageSignalRow{
		URL:              locator(r.Fetch.URL),
		FetchTime:        micros(r.Fetch.Time()),
		WARCFilename:     w.filename(r.Fetch.Input, r.Fetch.Entry),
		WARCRecordOffset: r.Fetch.Offset,
		Protocol:         s.Kind.String(),
		Source:           s.Source.String(),
		Line:             int32(s.Line),
		GroupLine:        int32(s.Group),
		Scope:            s.Scope.String(),
		Path:             ruleText(s.Path),
		Purpose:          s.Purpose.String(),
		Preference:       s.Preference.String(),
		Label:            text(s.Label),
		Value:            text(s.Value),
		Raw:              rawText(s.Raw),
		Draft:            s.Draft,
		ParseMode:        s.Mode.String(),
		InHead:           known(s.Place.InHead(), s.Source == tag.SourceMeta || s.Source == tag.SourceLink),
		Binds:            s.Binds(),
		Notes:            s.Notes.String(),
	}
	if s.Source == tag.SourceRobotsTxt {
		row.RobotsID = robotsID(r)
	}
	if f := s.File; f != nil {
		row.FileFilename, row.FileOffset = w.filename(f.Input, f.Entry), new(f.Offset)
	}
	return row
}

// rawText is a tag or signal as written: the reader has cut it at its own cap.
func rawText(s string) string {
	if len(s) > tag.MaxLine {
		s = cut(s, tag.MaxLine) + cutMark
	}
	return locator(s)
}
