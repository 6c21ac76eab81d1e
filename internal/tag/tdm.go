package tag

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/robots"
)

// A TDMFile is a /.well-known/tdmrep.json.
type TDMFile struct {
	Entries []TDMEntry // in file order
	// Notes has NoteMalformed where the body is no such file, NoteValue where an
	// entry was dropped, NoteMore where there were more than are kept.
	Notes Notes
}

// reservation is the key that states a reservation, in files, fields and metas.
const reservation = "tdm-reservation"

// A TDMEntry holds the statements of the file on the paths that match its location.
type TDMEntry struct {
	Location string
	Signals  []Signal // the reservation, and the policy where there is one

	pattern *pattern
}

// ReadTDMFile reads a tdmrep.json: an array of objects with location,
// tdm-reservation and tdm-policy (TDMRep §6). An object alone, as some publish it,
// is read as an array of one. What else breaks the form is a hint.
func ReadTDMFile(body []byte) TDMFile {
	var f TDMFile
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF")))
	list, rest := elements(body[:min(len(body), maxTDMFile)])
	isBroken := rest != nil || len(body) > maxTDMFile
	if isBroken || len(body) == 0 {
		f.Notes = NoteMalformed
	}
	if len(body) > maxTDMFile {
		f.Notes |= NoteMore
	} else if rest != nil && json.Valid(body) {
		list, rest, isBroken = []json.RawMessage{body}, nil, false
	}
	for i, raw := range list {
		if len(f.Entries) >= maxTags {
			f.Notes |= NoteMore
			break
		}
		f.addEntry(i+1, raw, isBroken)
	}
	f.guess(len(list)+1, rest)
	return f
}

// elements returns the elements of a JSON array, and from where on it is none; nil: it is one.
func elements(body []byte) (list []json.RawMessage, rest []byte) {
	in := json.NewDecoder(bytes.NewReader(body))
	if t, err := in.Token(); err != nil || t != json.Delim('[') {
		return nil, body
	}
	for at := in.InputOffset(); in.More(); at = in.InputOffset() {
		var raw json.RawMessage
		if in.Decode(&raw) != nil {
			return list, body[at:]
		}
		list = append(list, raw)
	}
	if _, err := in.Token(); err == nil && in.InputOffset() == int64(len(body)) {
		return list, nil
	}
	return list, body[in.InputOffset():]
}

func (f *TDMFile) addEntry(number int, raw json.RawMessage, isBroken bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		f.Notes |= NoteValue
		f.guess(number, raw)
		return
	}
	location := jsonText(fields["location"])
	if location == "" || location[0] != '/' && location[0] != '*' || len(location) > MaxLine ||
		strings.ContainsAny(location, "\r\n#") {
		f.Notes |= NoteValue
		location, isBroken = "", true
	}
	name := ""
	for key := range fields {
		if ascii.EqualFold(key, reservation) {
			name = max(name, key) // of several that in lower case
		}
	}
	var said []Signal
	if name != "" {
		said, isBroken = tdmReservation(jsonText(fields[name])), isBroken || name != reservation
	}
	if v := jsonText(fields["tdm-policy"]); v != "" {
		said = append(said, tdmPolicy(v)...)
	}
	f.add(number, location, raw, said, isBroken)
}

// guess looks for reservations in what is no entry: a value that is not 0 is a hint.
func (f *TDMFile) guess(number int, text []byte) {
	lower := ascii.Lower(string(text))
	for at := 0; ; at += len(reservation) {
		i := strings.Index(lower[at:], reservation)
		if i < 0 {
			return
		}
		at += i
		if value := strings.TrimLeft(lower[at+len(reservation):], "\"' \t\r\n:="); value == "" || value[0] != '0' {
			f.add(number, "", text[at:], tdmReservation(""), true)
			return
		}
	}
}

// add adds an entry; without a location it may be for any path.
func (f *TDMFile) add(number int, location string, raw []byte, said []Signal, isBroken bool) {
	e := TDMEntry{Location: location, Signals: said}
	scope := ScopeOrigin
	if location != "" {
		scope, e.pattern = ScopePath, newPattern(location, robots.RFC9309)
	}
	for i := range said {
		s := &said[i]
		s.Source, s.Line, s.Scope, s.Path = SourceTDMFile, number, scope, location
		s.Raw = string(raw[:min(len(raw), MaxLine)])
		if isBroken {
			s.weaken(NoteMalformed)
		}
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

// Signals are all that the file states.
func (f *TDMFile) Signals() (list []Signal) {
	for _, e := range f.Entries {
		list = append(list, e.Signals...)
	}
	return list
}

// For returns the signals of the first entry whose location matches the path, and before them the hints of
// entries that have none.
func (f *TDMFile) For(path string) (list []Signal) {
	for _, e := range f.Entries {
		if e.pattern.match(path) < 0 {
			continue
		}
		if list = append(list, e.Signals...); e.Location != "" {
			break
		}
	}
	return list
}

// TDM joins the signals of a tdmrep.json, the header fields and the metas of a page. The page goes before
// the file, its metas before its headers, for the reservation and the policy alike. An absent or invalid
// value, or a meta that does not bind, resets nothing: it is listed next to the value that holds, unless that
// goes before it.
func TDM(file, headers, metas []Signal) (list []Signal) {
	for _, kind := range [...]SignalKind{SignalTDMReservation, SignalTDMPolicy} {
		decided := false
		for _, source := range [...][]Signal{metas, headers, file} {
			before := decided
			for _, s := range source {
				if s.Kind != kind || before {
					continue
				}
				list = append(list, s)
				decided = decided || s.Binds() && s.Notes&(NoteValue|NoteMalformed) == 0
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
