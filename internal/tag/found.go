package tag

import (
	"bytes"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// A Place is where in a page an element stands.
type Place uint8

const (
	_                 Place = iota
	PlaceHead               // in the head
	PlaceHeadNoscript       // in a noscript element of the head
	PlaceBody               // after the head
	PlaceBodyNoscript       // in a noscript element after the head
	PlaceTemplate           // in a template, which is inert wherever it stands
)

// InHead reports whether the element is one of the head of the initial HTML, which alone binds
// (draft-illyes-repext-03 §4), in any reading of it.
func (p Place) InHead() bool { return p == PlaceHead || p == PlaceHeadNoscript }

// InNoscript reports whether the element is seen only by those that run no scripts.
func (p Place) InNoscript() bool { return p == PlaceHeadNoscript || p == PlaceBodyNoscript }

// An Item is a meta or link element that is kept.
type Item struct {
	Link    bool   // a link element with rel=license
	Script  bool   // a script element that holds a licence document; else a meta
	Name    string // of a meta, in lower case, or the relations of a link
	Content string // of a meta, the text of a script, or the address of a link; character references are decoded
	Type    string // of a link: its media type
	Place   Place
	Cut     bool // Content was longer than MaxLine, or a script than is kept of one
}

// Found is the part of a page that is kept: what package markup finds in it.
type Found struct {
	Items []Item
	// Cut reports that the page goes on after the scanned part, Open that the head had not ended there:
	// then nothing can be concluded from absence.
	Cut, Open bool
	// More reports that there were more items than are kept.
	More bool
}

// NewMeta returns a meta of a name and a content.
func NewMeta(name, content string) Item {
	name = strings.Trim(decoded(name), quotes+blanks+"\v\x00")
	return Item{Name: ascii.Lower(name), Content: decoded(content)}.cut()
}

// NewLink returns a link with its relations, its address and its media type.
func NewLink(rel, href, kind string) Item {
	return Item{Link: true, Name: ascii.Lower(rel), Content: href, Type: kind}.cut()
}

func (it Item) cut() Item {
	if len(it.Content) > MaxLine {
		it.Content, it.Cut = cutMembers(it.Content), true
	}
	return it
}

// Speaks reports whether the item speaks of use: it is kept.
func (it Item) Speaks() bool {
	switch {
	case it.Script:
		return true
	case it.Link:
		return hasLicense(it.Name)
	case it.Name == "" || isOtherName(it.Name) || strings.IndexByte(it.Name, ':') >= 0:
		return false
	case metaAgents[it.Name]:
		return true
	}
	// Else one of the rules that the meta states must be of the vocabulary.
	return slices.ContainsFunc(metaTags(it.Content), func(t Tag) bool { return t.Rule != RuleUnknown })
}

// MayLicense reports whether license may be among the relations of a link, as they stand in the page.
func MayLicense(rel []byte) bool {
	return len(rel) >= len("license") && (hasLicense(rel) || bytes.IndexByte(rel, '&') >= 0)
}

// MayName reports whether a meta of a name, as it stands in the page, may speak of use.
func MayName(name []byte) bool {
	return len(name) > 0 && !isOtherName(name) && bytes.IndexByte(name, ':') < 0
}
