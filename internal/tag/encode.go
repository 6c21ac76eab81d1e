package tag

import (
	"encoding/binary"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// The encoding of a Found, for one column of the facts: a byte of flags, then for each item a byte of flags
// and place, and its name, content and type, each after its length (uvarint). Nothing found is the empty
// string. It changes only with Version.
const (
	foundCut, foundOpen, foundMore = 1, 2, 4

	itemLink, itemCut, itemPlace, itemScript = 1, 2, 4, 32 // the place counts in fours, below itemScript
)

// Encode writes what was found as a string; Decode reads it.
func (f *Found) Encode() string { return string(f.Append(nil)) }

// Append appends the encoding to b.
func (f *Found) Append(b []byte) []byte {
	flags := bit(f.Cut, foundCut) | bit(f.Open, foundOpen) | bit(f.More, foundMore)
	if flags == 0 && len(f.Items) == 0 {
		return b
	}
	b = append(b, flags)
	for _, it := range f.Items {
		b = append(b, bit(it.Link, itemLink)|bit(it.Cut, itemCut)|bit(it.Script, itemScript)|byte(it.Place)*itemPlace)
		for _, s := range [...]string{it.Name, it.Content, it.Type} {
			b = binary.AppendUvarint(b, uint64(len(s)))
			b = append(b, s...)
		}
	}
	return b
}

func bit(set bool, value byte) byte {
	if set {
		return value
	}
	return 0
}

// Decode reads an encoding of Encode. ok is false for other text.
func Decode(s string) (f Found, ok bool) {
	if s == "" {
		return f, true
	}
	f.Cut, f.Open, f.More = s[0]&foundCut != 0, s[0]&foundOpen != 0, s[0]&foundMore != 0
	if s[0] > foundCut|foundOpen|foundMore {
		return Found{}, false
	}
	for s = s[1:]; s != ""; {
		flags := s[0]
		s = s[1:]
		it := Item{
			Link: flags&itemLink != 0, Cut: flags&itemCut != 0, Script: flags&itemScript != 0,
			Place: Place(flags &^ itemScript / itemPlace),
		}
		for _, to := range [...]*string{&it.Name, &it.Content, &it.Type} {
			if *to, s, ok = cutLength(s); !ok {
				return Found{}, false
			}
		}
		if it.Place > PlaceTemplate || len(f.Items) >= MaxItems {
			return Found{}, false
		}
		f.Items = append(f.Items, it)
	}
	return f, true
}

// cutLength cuts a length and the string after it from the beginning of s.
func cutLength(s string) (first, rest string, ok bool) {
	n, size := binary.Uvarint([]byte(s[:min(len(s), binary.MaxVarintLen64)]))
	if size <= 0 || n > uint64(len(s)-size) {
		return "", "", false
	}
	return s[size : size+int(n)], s[size+int(n):], true
}

// Read reads the kept metas and links as tags and signals.
func (f *Found) Read() Page {
	var p Page
	if f.More {
		p.Notes |= NoteMore
	}
	for i, it := range f.Items {
		l := fieldLine{value: it.Content, line: i + 1}
		if it.Cut {
			l.notes = NoteCut
			p.Notes |= NoteCut
		}
		p.readItem(it, l)
	}
	return p
}

func (p *Page) readItem(it Item, l fieldLine) {
	before := len(p.Signals)
	switch field := metaField(it.Name); {
	case it.Script:
		rsl := readRSL(it.Content, it.Cut)
		rsl.Place, rsl.Line = it.Place, l.line
		p.Licences = append(p.Licences, rsl)
	case it.Link:
		p.addSignals([]Signal{license(trim(it.Content), it.Type, it.Content)}, l, SourceLink)
	case field != nil:
		p.addSignals(field.meta(it.Content), l, SourceMeta)
	default:
		p.addMeta(it, l)
	}
	for i := before; i < len(p.Signals); i++ {
		p.Signals[i].Place, p.Signals[i].Mode = it.Place, ModeMeta
	}
}

// addMeta adds the rules of a meta. They are for everybody if its name is robots, else for the token in its
// name (draft-illyes-repext-03 §3.1.2). No token holds a comma or white space, so a name with some is a
// list of tokens.
func (p *Page) addMeta(it Item, l fieldLine) {
	agents := strings.FieldsFunc(it.Name, func(r rune) bool { return r == ',' || r < 0x80 && ascii.IsSpace(byte(r)) })
	if len(agents) > 1 {
		l.notes |= NoteSeparator
	}
	tags := metaTags(it.Content)
	for _, agent := range agents {
		if agent == "robots" {
			agent = ""
		}
		for _, t := range tags {
			t.Agent, t.Place = agent, it.Place
			p.addTag(t, SourceMeta, l)
		}
	}
}
