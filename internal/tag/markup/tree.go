package markup

import (
	"bytes"
	"html"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// mode is the insertion mode of the tree builder, as far as it is followed.
type mode uint8

const (
	modeInitial    mode = iota // nothing yet
	modeBeforeHTML             // after the doctype
	modeBeforeHead             // after <html>
	modeHead
	modeHeadNoscript
	modeAfterHead // after </head>
	modeBody      // after the head for good
	modeFrameset  // where a frameset stands in place of a body
)

// A scanner reads a page token by token, up to stop.
type scanner struct {
	page []byte
	at   int
	stop int  // elements that begin after it need not be read
	head bool // but to know whether the head ends

	scripts   bool // those that hold licence documents are looked for
	scripting bool // as a browser reads that runs scripts: a noscript element holds text
	isTwofold bool // which makes a difference
	xml       bool // "/>" ends an element

	mode   mode
	found  tag.Found
	places []int // where the items begin

	source     sourceHead
	sourceFrom int  // the first item in it
	isPending  bool // an item after the head that a browser reads may be in that of the source

	template int // templates that are open
	noscript int // noscript elements after the head that are open
	kept     int // bytes kept

	attributes attributes

	visit   func(*Element) bool // of Walk; nil: metas and links are kept
	element *Element            // in hand; nil without visit
}

// sourceHead is what was read of the head as the source has it: from its start tag, or the beginning, to its end tag,
// or from its start tag to that of the body.
type sourceHead uint8

const (
	sourceBefore sourceHead = iota
	sourceWithin            // after the start tag
	sourceAfter
)

// isOpen reports whether the head goes on.
func (s *scanner) isOpen() bool { return s.mode < modeBody || s.source == sourceWithin }

// endSource ends the head of the source. What a browser moves behind its own head, because of a text or an image, is
// in that of the source.
func (s *scanner) endSource(isHead bool) {
	if isHead && s.source != sourceAfter {
		for i := s.sourceFrom; i < len(s.found.Items); i++ {
			switch it := &s.found.Items[i]; it.Place {
			case tag.PlaceBody:
				it.Place = tag.PlaceHead
			case tag.PlaceBodyNoscript:
				it.Place = tag.PlaceHeadNoscript
			}
		}
	}
	s.source, s.isPending = sourceAfter, false
}

func (s *scanner) run() {
	for s.at < len(s.page) && (s.at < s.stop || s.isPending || s.head && s.isOpen()) {
		n := bytes.IndexByte(s.page[s.at:], '<')
		if n < 0 {
			s.textNode(s.page[s.at:])
			return
		}
		s.textNode(s.page[s.at : s.at+n])
		s.at += n + 1
		if !s.opensMarkup() {
			s.textNode([]byte{'<'})
			continue
		}
		s.markup()
	}
}

// opensMarkup reports whether the "<" just read begins a tag, a comment or the like.
func (s *scanner) opensMarkup() bool {
	if s.at >= len(s.page) {
		return false
	}
	switch c := s.page[s.at]; {
	case c == '!' || c == '?':
		return true
	case c == '/':
		return s.at+1 < len(s.page)
	default:
		return ascii.IsLetter(c)
	}
}

// textNode takes text that stands between tags: all but white space ends the head.
func (s *scanner) textNode(text []byte) {
	if s.mode >= modeBody || s.template > 0 || len(text) == 0 {
		return
	}
	if bytes.IndexByte(text, '&') >= 0 {
		text = []byte(html.UnescapeString(string(text)))
	}
	for _, c := range text {
		if !isSpace(c) {
			s.mode = modeBody
			return
		}
	}
}

func (s *scanner) markup() {
	switch c := s.page[s.at]; {
	case c == '!':
		s.declaration()
	case c == '?':
		s.skipPast('>')
	case c != '/':
		s.startTag()
	case ascii.IsLetter(s.page[s.at+1]):
		s.at++
		s.endTag()
	default: // "</>" and "</ x>" are comments
		s.at++
		s.skipPast('>')
	}
}

// skipPast goes to the place after the next byte c, or to the end of the page.
func (s *scanner) skipPast(c byte) {
	if n := bytes.IndexByte(s.page[s.at:], c); n >= 0 {
		s.at += n + 1
	} else {
		s.at = len(s.page)
	}
}

// declaration skips a comment, a doctype or what is neither (HTML §13.2.5.42).
func (s *scanner) declaration() {
	s.at++
	if bytes.HasPrefix(s.page[s.at:], []byte("--")) {
		s.at += 2
		s.comment()
		return
	}
	doctype := len(s.page)-s.at >= 7 && strings.EqualFold(string(s.page[s.at:s.at+7]), "doctype")
	if !doctype || !s.xml || !s.skipSubset() {
		s.skipPast('>')
	}
	if doctype && s.mode == modeInitial {
		s.mode = modeBeforeHTML
	}
}

// skipSubset goes past a doctype of XML, whose internal subset (XML §2.8) holds declarations, comments and quoted text.
// It reports false, and stays, where that never ends.
func (s *scanner) skipSubset() bool {
	within := false
	for i := s.at; i < len(s.page); i++ {
		end, rest := "", s.page[i:]
		switch c := s.page[i]; {
		case c == '>' && !within:
			s.at = i + 1
			return true
		case c == '[' || c == ']':
			within = c == '['
		case c == '"' || c == '\'':
			end = string(c)
		case bytes.HasPrefix(rest, []byte("<!--")):
			end = "-->"
		case bytes.HasPrefix(rest, []byte("<?")):
			end = "?>"
		}
		if end != "" {
			n := bytes.Index(rest[1:], []byte(end))
			if n < 0 {
				return false
			}
			i += n + len(end)
		}
	}
	return false
}

// comment goes to the end of a comment whose "<!--" was read: "-->" and "--!>" end it, and at its beginning
// ">" and "->" do.
func (s *scanner) comment() {
	start := s.at
	switch rest := s.page[s.at:]; {
	case bytes.HasPrefix(rest, []byte(">")):
		s.at++
		return
	case bytes.HasPrefix(rest, []byte("->")):
		s.at += 2
		return
	}
	for {
		n := bytes.IndexByte(s.page[s.at:], '>')
		if n < 0 {
			s.at = len(s.page)
			return
		}
		s.at += n + 1
		body := s.page[start : s.at-1]
		if bytes.HasSuffix(body, []byte("--")) || bytes.HasSuffix(body, []byte("--!")) {
			return
		}
	}
}

// maxTag is the length of the longest name of an element that matters.
const maxTag = len("plaintext")

// tagName reads the name of a tag in lower case; it is empty for one longer than any
// that matters. buf holds the name.
func (s *scanner) tagName(buf *[maxTag]byte) []byte {
	start := s.at
	for s.at < len(s.page) && !endsName.has(s.page[s.at]) {
		s.at++
	}
	name := s.page[start:s.at]
	if len(name) > maxTag {
		return nil
	}
	for i, c := range name {
		buf[i] = ascii.LowerByte(c)
	}
	return buf[:len(name)]
}

func (s *scanner) startTag() {
	var buf [maxTag]byte
	begin := s.at
	name := s.tagName(&buf)
	if s.visit != nil {
		s.visitTag(name)
		return
	}
	link := string(name) == "link"
	if link || string(name) == "meta" {
		after, ok := s.attributes.read(s.page, s.at)
		s.at = after
		if ok {
			s.enter(name)
			if begin <= s.stop && s.attributes.maySpeak(link) {
				s.keep(s.attributes.item(link), begin)
			}
		}
		return
	}
	if s.scripts && string(name) == "script" {
		s.script(begin)
		return
	}
	if !s.skipTag() {
		return // the page ends in the tag: it is none
	}
	switch string(name) {
	case "head":
		if s.source == sourceBefore {
			s.source, s.sourceFrom = sourceWithin, len(s.found.Items)
		}
	case "body":
		s.endSource(s.source == sourceWithin)
	}
	s.enter(name)
	if s.isEmpty() {
		s.leave(name)
	} else {
		s.rawText(name)
	}
}

// isEmpty reports whether the start tag just read is the whole element, which it can be in XML alone.
func (s *scanner) isEmpty() bool { return s.xml && s.page[s.at-2] == '/' }

// script reads a script element, and keeps it if it holds a licence document.
func (s *scanner) script(begin int) {
	after, ok := s.attributes.read(s.page, s.at)
	s.at = after
	if !ok {
		return
	}
	s.enter([]byte("script"))
	if s.isEmpty() {
		return
	}
	s.skipScript()
	kind := ascii.Lower(strings.Trim(attributeText(s.attributes.kind, maxElementName), " \t\r\n\f\v\x00"))
	if begin > s.stop || kind != tag.RSLType {
		return
	}
	text := s.page[after:s.at]
	it := tag.Item{Script: true, Cut: s.at == len(s.page) || len(text) > maxScript}
	it.Content = string(text[:min(len(text), maxScript)])
	s.keep(it, begin)
}

// skipTag goes to the end of a tag whose name was read. It looks for the ">" first: if no quotation mark
// stands before it, that is the end.
func (s *scanner) skipTag() bool {
	n := bytes.IndexByte(s.page[s.at:], '>')
	if n < 0 {
		s.at = len(s.page)
		return false
	}
	inside := s.page[s.at : s.at+n]
	if bytes.IndexByte(inside, '"') < 0 && bytes.IndexByte(inside, '\'') < 0 {
		s.at += n + 1
		return true
	}
	for {
		key, _, after, ok := nextAttribute(s.page, s.at)
		if s.at = after; key == nil {
			return ok
		}
	}
}

// enter follows the tree builder over a start tag.
func (s *scanner) enter(name []byte) {
	if s.template > 0 {
		if string(name) == "template" {
			s.template++
		}
		return
	}
	if s.mode == modeHeadNoscript {
		switch string(name) { // belong into a noscript element of the head, or are ignored there (HTML §13.2.6.4.5)
		case "html", "basefont", "bgsound", "link", "meta", "noframes", "style", "head", "noscript":
			return
		}
		s.mode = modeHead
	}
	if s.mode >= modeBody {
		s.enterBody(name)
	} else {
		s.enterHead(name)
	}
}

// enterHead follows a start tag before the body (HTML §13.2.6.4.1 to §13.2.6.4.4
// and §13.2.6.4.6).
func (s *scanner) enterHead(name []byte) {
	switch string(name) {
	case "html":
		if s.mode < modeBeforeHead {
			s.mode = modeBeforeHead
		}
	case "head":
		if s.mode < modeHead {
			s.mode = modeHead
		}
	case "base", "basefont", "bgsound", "link", "meta", "title", "noframes", "style", "script":
		s.mode = max(s.mode, modeHead) // after </head> too: it goes into the head
	case "template":
		s.mode = max(s.mode, modeHead)
		s.template = 1
	case "noscript":
		switch {
		case s.mode == modeAfterHead:
			s.mode = modeBody
			s.enterBody(name)
		case s.scripting:
			s.mode = max(s.mode, modeHead)
		default:
			s.mode, s.isTwofold = modeHeadNoscript, !s.xml
		}
	case "frameset":
		s.mode = modeFrameset
	default:
		s.mode = modeBody
	}
}

func (s *scanner) enterBody(name []byte) {
	switch string(name) {
	case "template":
		s.template = 1
	case "noscript":
		if !s.scripting {
			s.noscript++
			s.isTwofold = s.isTwofold || s.source != sourceAfter && !s.xml
		}
	}
}

func (s *scanner) endTag() {
	var buf [maxTag]byte
	name := s.tagName(&buf)
	if s.skipTag() {
		if string(name) == "head" {
			s.endSource(true)
		}
		s.leave(name)
	}
}

// leave follows the tree builder over an end tag.
func (s *scanner) leave(name []byte) {
	if s.template > 0 {
		if string(name) == "template" {
			s.template--
		}
		return
	}
	switch string(name) {
	case "head":
		switch s.mode {
		case modeHead, modeInitial, modeBeforeHTML, modeBeforeHead:
			s.mode = modeAfterHead
		}
	case "body", "html":
		if s.mode < modeBody && s.mode != modeHeadNoscript {
			s.mode = modeBody
		}
	case "br":
		if s.mode < modeBody {
			s.mode = modeBody
		}
	case "noscript":
		if s.mode == modeHeadNoscript {
			s.mode = modeHead
		} else if s.noscript > 0 {
			s.noscript--
		}
	}
}

// rawText skips the text of an element that holds no markup (HTML §13.2.5.2 to
// §13.2.5.5). A noscript element does unless scripting is enabled.
func (s *scanner) rawText(name []byte) {
	switch string(name) {
	case "title", "textarea", "style", "xmp", "iframe", "noembed", "noframes":
		s.skipRaw(name)
	case "noscript":
		if s.scripting {
			s.skipRaw(name)
		}
	case "script":
		s.skipScript()
	case "plaintext":
		if s.mode == modeBody || s.template > 0 {
			s.at = len(s.page)
		}
	}
}

func (s *scanner) skipRaw(name []byte) {
	for {
		n := bytes.IndexByte(s.page[s.at:], '<')
		if n < 0 {
			s.at = len(s.page)
			return
		}
		s.at += n
		if s.closes(s.at, string(name)) {
			return
		}
		s.at++
	}
}

// closes reports whether the end tag of the name stands at i.
func (s *scanner) closes(i int, name string) bool {
	b := s.page[i:]
	return len(b) > 2 && b[0] == '<' && b[1] == '/' && hasName(b[2:], name)
}

// skipScript goes to the end tag of a script element. In "<!-- <script>" the next
// "</script>" ends only the inner one (HTML §13.2.5.4 and on).
func (s *scanner) skipScript() {
	escaped, double := false, false
	for s.at < len(s.page) {
		var n int
		if escaped {
			n = bytes.IndexAny(s.page[s.at:], "<-")
		} else {
			n = bytes.IndexByte(s.page[s.at:], '<')
		}
		if n < 0 {
			break
		}
		s.at += n
		rest := s.page[s.at:]
		switch {
		case !escaped && bytes.HasPrefix(rest, []byte("<!--")):
			escaped = true
			s.at += 2 // its dashes may be part of "-->"
		case escaped && bytes.HasPrefix(rest, []byte("-->")):
			escaped, double = false, false
			s.at += 3
		case s.closes(s.at, "script"):
			if !double {
				return
			}
			double = false
			s.at += len("</script>")
		case escaped && !double && rest[0] == '<' && hasName(rest[1:], "script"):
			double = true
			s.at += len("<script>")
		default:
			s.at++
		}
	}
	s.at = len(s.page)
}

func (s *scanner) keep(it tag.Item, at int) {
	if s.mode == modeFrameset || !it.Speaks() {
		return
	}
	it.Place = s.place()
	if len(s.found.Items) >= tag.MaxItems || s.kept+size(&it) > maxKept {
		s.found.More = true
		s.stop = s.at // no more can be kept
		return
	}
	s.found.Items, s.places = append(s.found.Items, it), append(s.places, at)
	s.isPending = s.isPending || s.source != sourceAfter && !it.Place.InHead() && it.Place != tag.PlaceTemplate
	s.kept += size(&it)
}

func (s *scanner) place() tag.Place {
	switch {
	case s.template > 0:
		return tag.PlaceTemplate
	case s.mode == modeHeadNoscript:
		return tag.PlaceHeadNoscript
	case s.mode < modeBody:
		return tag.PlaceHead
	case s.noscript > 0:
		return tag.PlaceBodyNoscript
	}
	return tag.PlaceBody
}
