package tag

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/robots"
)

// An RSL is a licence document (RSL 1.0) that a page holds or names.
type RSL struct {
	Place    Place
	Line     int    // of the element among those kept
	origin   string // of the document; empty: the page holds it
	contents []rslContent
}

// rslContent holds the statements of a content element on the URLs that match.
type rslContent struct {
	origin  string // empty: the document's own
	pattern *pattern
	isAny   bool // the url can't be read: what it restricts is a hint, whatever the URL
	signals []Signal
}

const (
	rslSpace    = "https://rslstandard.org/rsl"
	maxRSLDepth = 32

	// RSLType is the media type of licence documents.
	RSLType = "application/rsl+xml"
)

// rslAI is all use by AI that RSL knows.
var rslAI = of(PurposeTrainAI, PurposeAIInput, PurposeAIIndex)

// rslLabels are the uses of RSL 1.0, and what earlier versions called them.
var rslLabels = map[string]label{
	"all":      {PurposeAutomated, specRSL, rslAI | of(PurposeAI, PurposeSearch)},
	"ai-all":   {PurposeAI, specRSL, rslAI},
	"ai-train": {PurposeTrainAI, specRSL, 0},
	"ai-input": {PurposeAIInput, specRSL, 0},
	"ai-index": {PurposeAIIndex, specRSL, 0},
	"search":   {PurposeSearch, specRSL, 0},

	"train-ai":     {PurposeTrainAI, specRSL09, 0},
	"train-genai":  {PurposeTrainGenAI, specRSL09, 0},
	"ai-use":       {PurposeAIInput, specRSL09, 0},
	"ai-summarize": {PurposeAIInput, specRSL09, 0},
}

// rslUses are the uses that a list of permitted ones may leave out.
var rslUses = [...]Purpose{PurposeTrainAI, PurposeAIInput, PurposeAIIndex, PurposeSearch}

// ReadRSL reads a licence document that is a file of an origin.
func ReadRSL(body []byte, origin string) *RSL {
	r := readRSL(string(body[:min(len(body), maxLicence)]), len(body) > maxLicence)
	r.origin = origin
	return r
}

// IsRSL reports whether an XML document that begins so has the root element of a licence document.
func IsRSL(begin []byte) bool {
	if !bytes.Contains(begin, []byte(rslSpace)) {
		return false
	}
	for in := newXML(bytes.NewReader(begin)); ; {
		token, err := in.Token()
		if e, ok := token.(xml.StartElement); ok {
			return e.Name.Local == "rsl" && e.Name.Space == rslSpace
		}
		if err != nil {
			return false
		}
	}
}

// newXML returns a reader of a document in UTF-8, whatever it says of its coding: what is none is not
// well-formed.
func newXML(in io.Reader) *xml.Decoder {
	d := xml.NewDecoder(in)
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	return d
}

// readRSL reads a licence document. Of one that is not well-formed, has a document type or is in
// another namespace, restrictions are hints, and nothing is allowed. What could not be read of its terms hints at all.
func readRSL(document string, isCut bool) *RSL {
	r := rslReader{xml: newXML(strings.NewReader(document)), isBroken: isCut}
	r.read()
	if rest := document[r.at:]; isCut || strings.Contains(rest, "prohibits") || strings.Contains(rest, "permits") {
		r.contents = append(r.contents, rslContent{signals: []Signal{{
			Kind: SignalRSL, Label: "prohibits", Raw: "prohibits", Draft: specRSL, Mode: ModeXML,
			Purpose: PurposeAutomated, Preference: PreferenceHint,
		}}})
	}
	if r.isBroken {
		for _, c := range r.contents {
			for i := range c.signals {
				c.signals[i].weaken(NoteMalformed)
			}
		}
	}
	return &RSL{contents: r.contents}
}

type rslReader struct {
	xml      *xml.Decoder
	at       int64  // where the token in hand begins
	space    string // namespace of the root element
	depth    int
	isBroken bool
	contents []rslContent
	signals  int

	content  *rslContent // in hand; nil outside any
	licences int         // of the content
	limiting int         // of them those that list what they permit
	named    purposes    // by any of them

	inLicence bool
	licence   rslLicence // in hand
	words     *[]string  // where the text of the element in hand goes; nil: nowhere
}

type rslLicence struct {
	permits, prohibits []string // uses
	permitsUses        bool
	isLimited          bool // to some users or countries
	isPaid             bool
}

func (r *rslReader) read() {
	for {
		r.at = r.xml.InputOffset()
		token, err := r.xml.Token()
		if err != nil && err != io.EOF || r.depth > maxRSLDepth || r.signals > maxTags || len(r.contents) > MaxItems {
			r.isBroken = true
			if r.content != nil {
				r.endLicence()
			}
			return
		}
		switch t := token.(type) {
		case nil:
			return
		case xml.StartElement:
			r.depth++
			r.start(&t)
		case xml.EndElement:
			r.end()
			r.depth--
		case xml.CharData:
			if r.words != nil {
				*r.words = append(*r.words, strings.FieldsFunc(string(t), isRSLSpace)...)
			}
		case xml.Directive:
			r.isBroken = true
		}
	}
}

// isRSLSpace reports whether a character stands between uses. RSL 0.9 had commas.
func isRSLSpace(c rune) bool { return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func (r *rslReader) start(e *xml.StartElement) {
	r.words = nil
	name := e.Name.Local
	if r.depth == 1 {
		r.space = e.Name.Space
		r.isBroken = r.isBroken || r.space != rslSpace || name != "rsl"
	}
	if r.depth == 3 {
		r.inLicence = r.content != nil && name == "license" && e.Name.Space == r.space
	}
	if e.Name.Space != r.space {
		return
	}
	kind := ascii.Lower(trim(attributeOf(e, "type")))
	switch {
	case r.depth == 2 && name == "content":
		c := contentFor(attributeOf(e, "url"))
		r.contents = append(r.contents, c)
		r.content, r.licences, r.limiting, r.named = &r.contents[len(r.contents)-1], 0, 0, 0
	case r.depth != 4 || !r.inLicence:
	case name == "permits" && kind == "usage":
		r.licence.permitsUses = true
		r.words = &r.licence.permits
	case name == "prohibits" && kind == "usage":
		r.words = &r.licence.prohibits
	case name == "permits" || name == "prohibits":
		r.licence.isLimited = true
	case name == "payment":
		r.licence.isPaid = r.licence.isPaid || kind != "free"
	}
}

func attributeOf(e *xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Space == "" && a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (r *rslReader) end() {
	r.words = nil
	switch {
	case r.content == nil:
	case r.depth == 3 && r.inLicence:
		r.endLicence()
	case r.depth == 2:
		r.endContent()
		r.content = nil
	}
}

func (r *rslReader) endLicence() {
	l := &r.licence
	r.licences++
	if l.permitsUses {
		r.limiting++
	}
	for _, word := range l.prohibits {
		s := rslSignal("prohibits", word, PreferenceRestrict)
		if l.isLimited {
			s.Preference = PreferenceHint
		}
		r.add(s)
	}
	for _, word := range l.permits {
		s := rslSignal("permits", word, PreferenceAllow)
		if l.isLimited || l.isPaid {
			s.Preference, s.Notes = PreferenceUnstated, s.Notes|NoteConditional
		}
		r.add(s)
	}
	*l = rslLicence{}
}

// endContent hints at the uses that no licence of the content names, where all list what they
// permit (RSL 1.0 §3.5).
func (r *rslReader) endContent() {
	if r.licences == 0 || r.limiting < r.licences {
		return
	}
	for _, p := range rslUses {
		if !r.named.has(p) {
			r.add(Signal{
				Kind: SignalRSL, Label: "permits", Raw: "permits", Draft: specRSL, Mode: ModeXML, Purpose: p,
				Preference: PreferenceHint,
			})
		}
	}
}

func (r *rslReader) add(s Signal) {
	r.signals++
	r.named |= s.covers | of(s.Purpose)
	if r.content.isAny {
		s.weaken(NoteMalformed)
	}
	if s.Purpose == 0 {
		s.Preference = PreferenceUnstated
	}
	r.content.signals = append(r.content.signals, s)
}

func rslSignal(what, word string, p Preference) Signal {
	s := Signal{
		Kind: SignalRSL, Label: ascii.Lower(word), Value: what, Raw: what + " " + word, Mode: ModeXML,
		Preference: p,
	}
	s.isOf(rslLabels[s.Label])
	return s
}

// contentFor reads the url of a content element: a path or a URL with wildcards; empty is whatever the
// document stands in.
func contentFor(url string) (c rslContent) {
	url, _, _ = strings.Cut(trim(url), "#")
	path := url
	if scheme, rest, ok := strings.Cut(url, "://"); ok {
		n := strings.IndexAny(rest, "/?*$")
		if n < 0 {
			n = len(rest)
		}
		scheme, host := ascii.Lower(scheme), ascii.Lower(rest[:n])
		if port, known := map[string]string{"http": ":80", "https": ":443"}[scheme]; known {
			host = strings.TrimSuffix(host, port)
		}
		c.origin, path = scheme+"://"+host, rest[n:]
		if path == "" || path[0] == '?' {
			path = "/" + path
		}
	}
	switch {
	case path == "":
	case strings.HasPrefix(path, "//") || path[0] != '/' && path[0] != '*':
		c.isAny = true
	default:
		c.pattern = newPattern(inLine(path), robots.RFC9309)
	}
	return c
}

// inLine encodes the bytes of a pattern that can't stand in a line of robots.txt.
func inLine(path string) string {
	return ascii.Escaped(path, func(c byte) bool { return c <= ' ' || c == 0x7F })
}

// length is that of the pattern, -1 where the content element is not for the URL.
func (c *rslContent) length(origin, path string) int {
	if c.origin != "" && c.origin != origin {
		return -1
	}
	return c.pattern.match(path)
}

// For returns what the document states of the page that it stands in, or that names it, whose origin and
// path these are. Paths of a document of another origin may be meant as paths there: what they restrict is a hint.
// What a longer path states of a use goes before what a shorter one states of it, and a
// restriction there before a permission here for a part of the use (RSL 1.0 §3.1.1, §4.9).
func (r *RSL) For(origin, path string) (list []Signal) {
	var stated, restricted [lastPurpose + 1]int // one more than the longest path
	lengths := make([]int, len(r.contents))
	for i := range r.contents {
		c := &r.contents[i]
		lengths[i] = 1 + c.length(origin, path)
		for _, s := range c.signals {
			if lengths[i] == 0 || s.Preference < PreferenceAllow {
				continue
			}
			stated[s.Purpose] = max(stated[s.Purpose], lengths[i])
			for p := range s.covers.all() {
				if s.Preference == PreferenceRestrict {
					restricted[p] = max(restricted[p], lengths[i])
				}
			}
		}
	}
	for i := range r.contents {
		for _, s := range r.contents[i].signals {
			if lengths[i] == 0 || stated[s.Purpose] > lengths[i] || s.Preference == PreferenceAllow &&
				restricted[s.Purpose] > lengths[i] {
				continue
			}
			s.Source, s.Scope, s.Line, s.Place = SourceScript, ScopePage, r.Line, r.Place
			if r.origin != "" {
				s.Source = SourceLicence
			}
			if r.isElsewhere(&r.contents[i], origin) {
				s.Doubt()
			}
			list = append(list, s)
		}
	}
	return list
}

// isElsewhere reports whether the origin of a content element's path is unknown.
func (r *RSL) isElsewhere(c *rslContent, origin string) bool {
	return r.origin != "" && r.origin != origin && c.origin == "" && c.pattern != nil
}

// Doubt marks a signal that may not hold: a restriction becomes a hint, a permission states nothing.
func (s *Signal) Doubt() { s.weaken(NoteDoubt) }
