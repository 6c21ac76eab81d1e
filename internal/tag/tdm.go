package tag

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/robots"
)

// A TDMFile is a /.well-known/tdmrep.json.
type TDMFile struct {
	Entries []TDMEntry // in file order
	// Notes has NoteMalformed where the body is no such file, NoteValue where an
	// entry was dropped, NoteMore where there were more than are kept.
	Notes Notes
}

// A TDMEntry holds the statements of the file on the paths that match its location.
type TDMEntry struct {
	Location string
	Signals  []Signal // the reservation, and the policy where there is one

	pattern *pattern
}

// ReadTDMFile reads a tdmrep.json: an array of objects with location,
// tdm-reservation and tdm-policy (TDMRep §6). An object alone, as some publish it,
// is read as an array of one; without location it speaks of nothing.
func ReadTDMFile(body []byte) TDMFile {
	var f TDMFile
	if len(body) > maxTDMFile {
		f.Notes = NoteMore | NoteMalformed
		return f
	}
	body = bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF"))
	var list []json.RawMessage
	if err := json.Unmarshal(body, &list); err != nil {
		f.Notes = NoteMalformed
		if len(bytes.TrimSpace(body)) == 0 || bytes.TrimSpace(body)[0] != '{' {
			return f
		}
		list = []json.RawMessage{body}
	}
	for i, raw := range list {
		if len(f.Entries) >= maxTags {
			f.Notes |= NoteMore
			break
		}
		f.addEntry(i+1, raw)
	}
	return f
}

func (f *TDMFile) addEntry(number int, raw json.RawMessage) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		f.Notes |= NoteValue
		return
	}
	e := TDMEntry{Location: jsonText(fields["location"])}
	if e.Location == "" || e.Location[0] != '/' && e.Location[0] != '*' || len(e.Location) > MaxLine ||
		strings.ContainsAny(e.Location, "\r\n#") {
		f.Notes |= NoteValue
		return
	}
	e.pattern = newPattern(e.Location, robots.RFC9309)
	if v, ok := fields["tdm-reservation"]; ok {
		e.Signals = tdmReservation(jsonText(v))
	}
	if v := jsonText(fields["tdm-policy"]); v != "" {
		e.Signals = append(e.Signals, tdmPolicy(v)...)
	}
	for i := range e.Signals {
		s := &e.Signals[i]
		s.Source, s.Line, s.Scope, s.Path = SourceTDMFile, number, ScopePath, e.Location
		s.Raw = string(raw[:min(len(raw), MaxLine)])
	}
	f.Entries = append(f.Entries, e)
}

// jsonText is a JSON string's text, or a number as it stands: 1 and "1" say the same.
func jsonText(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return strings.TrimSpace(string(v[:min(len(v), 32)]))
}

// For returns the signals of the first entry whose location matches the path.
func (f *TDMFile) For(path string) []Signal {
	for _, e := range f.Entries {
		if e.pattern.match(path) >= 0 {
			return e.Signals
		}
	}
	return nil
}

// TDM joins the signals of a tdmrep.json, the header fields and the metas of a page. The page goes before
// the file, its metas before its headers, for the reservation and the policy alike. An absent or invalid
// value, or a meta that does not bind, resets nothing: it is listed next to the value that holds.
func TDM(file, headers, metas []Signal) (list []Signal) {
	for _, kind := range [...]SignalKind{SignalTDMReservation, SignalTDMPolicy} {
		decided := false
		for _, source := range [...][]Signal{metas, headers, file} {
			before := decided
			for _, s := range source {
				states := s.Binds() && s.Notes&NoteValue == 0
				if s.Kind != kind || states && before {
					continue
				}
				list = append(list, s)
				decided = decided || states
			}
		}
	}
	return list
}

// IsPolicyFile reports whether a path is that of a file that speaks of use in a way
// that is recognised, and hardly read: ai.txt.
func IsPolicyFile(path string) bool {
	switch path {
	case "/ai.txt", "/.well-known/ai.txt":
		return true
	}
	return false
}
