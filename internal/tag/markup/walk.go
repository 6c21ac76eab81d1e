package markup

import "github.com/robotsaudit/robotsaudit/internal/ascii"

// An Element is a start tag of a page, with the text of the script that it begins.
type Element struct {
	Name       []byte // in lower case; empty for a name longer than those that matter to a scanner
	Text       []byte // of a script
	attributes []attribute
	name       [maxTag]byte
}

// attribute is one as it stands in the page: character references are not decoded.
type attribute struct{ key, value []byte }

// maxAttributes bounds the attributes of one element that are looked at.
const maxAttributes = 32

// Attribute returns the value of an attribute, whose name is in lower case: the first counts (HTML
// §13.2.5.33).
func (e *Element) Attribute(name string) []byte {
	for i := range e.attributes {
		if ascii.IsWord(e.attributes[i].key, name) {
			return e.attributes[i].value
		}
	}
	return nil
}

// Walk calls visit for each element of a page in UTF-8, until that returns false. What stands in a comment,
// in the text of another element, in a template or in a noscript element is none.
func Walk(page []byte, visit func(*Element) bool) {
	s := scanner{page: page, stop: len(page), visit: visit, element: new(Element)}
	s.run()
}

// visitTag reads a start tag, and the text of the element where that holds no markup.
func (s *scanner) visitTag(name []byte) {
	e := s.element
	e.Name, e.Text, e.attributes = append(e.name[:0], name...), nil, e.attributes[:0]
	for {
		key, value, after, ok := nextAttribute(s.page, s.at)
		s.at = after
		if key == nil && !ok {
			return // the page ends in the tag: it is none
		}
		if key == nil {
			break
		}
		if len(e.attributes) < maxAttributes {
			e.attributes = append(e.attributes, attribute{key, value})
		}
	}
	s.enter(name)
	begin := s.at
	s.rawText(name)
	if string(name) == "script" {
		e.Text = s.page[begin:s.at]
	}
	if s.template == 0 && s.noscript == 0 && s.mode != modeHeadNoscript && !s.visit(e) {
		s.at = len(s.page)
	}
}
