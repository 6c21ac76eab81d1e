// Package challenge recognises answers by which a server asks for a proof that the client is no
// crawler, in place of what was asked for. It knows a few makers by marks of their own
// (markers.json): a header field that no other answer of theirs has, or an element or a variable of the
// page that they send. A title is no mark, and neither is a mark that a page quotes in its text.
package challenge

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag/markup"
)

// Data is the list of markers, as it shapes what is found.
//
//go:embed markers.json
var Data []byte

// marker holds the marks of a maker's challenges.
type marker struct {
	Name   string
	Header *struct {
		Name   string
		Values []string
	}
	Page      [][]mark // all of one list
	Source    string   // who says so
	Retrieved string   // when that was read
}

// mark is one that stands in a page: an attribute of an element, or a variable that a script sets.
type mark struct {
	Element   string // "": any
	Attribute string
	Value     string // that the attribute has
	Host      string // that its URL leads to, or to one below

	Assigns string // a variable
	Text    string // a string of the same script; "": any
}

var (
	markers = read(Data)
	needles = newFinder(markers)
)

func read(data []byte) (list []marker) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		panic("markers.json: " + err.Error()) // it is part of the program
	}
	return list
}

// InField reports whether a header field is the mark of a challenge.
func InField(name, value []byte) bool {
	for i := range markers {
		h := markers[i].Header
		if h == nil || len(name) != len(h.Name) || !strings.EqualFold(string(name), h.Name) {
			continue
		}
		return slices.ContainsFunc(h.Values,
			func(v string) bool { return strings.EqualFold(strings.TrimSpace(string(value)), v) })
	}
	return false
}

// MaxPage is how much of a page is looked at, in bytes. Challenges are short.
const MaxPage = 16 << 10

// InPage reports whether a page is a challenge. Text that is no HTML document is none.
func InPage(page []byte) bool {
	page = bytes.TrimPrefix(page[:min(len(page), MaxPage)], []byte("\xEF\xBB\xBF"))
	if start := bytes.TrimLeft(page, " \t\r\n\f"); len(start) == 0 || start[0] != '<' ||
		bytes.HasPrefix(start, []byte("<?")) {
		return false
	}
	if !needles.in(page) {
		return false
	}
	var seen marks
	markup.Walk(page, func(e *markup.Element) bool { return !seen.complete(e) })
	return seen.found
}

// InRobots reports whether the body of a robots.txt is a challenge. A page with a status that shows that the server has
// not completed the request (RFC 9110 §15.3.3) is one without any mark.
func InRobots(body []byte, status int16) bool {
	return InPage(body) || status == http.StatusAccepted && robots.IsHTML(body)
}

// marks are those that a page was found to have, a bit for each of a list.
type marks struct {
	has   map[*mark]bool
	found bool
}

// complete takes an element, and reports whether the page has all marks of some list.
func (m *marks) complete(e *markup.Element) bool {
	for i := range markers {
		for _, list := range markers[i].Page {
			missing := 0
			for j := range list {
				k := &list[j]
				if m.has[k] {
					continue
				}
				if !k.is(e) {
					missing++
					continue
				}
				if m.has == nil {
					m.has = make(map[*mark]bool)
				}
				m.has[k] = true
			}
			m.found = m.found || missing == 0
		}
	}
	return m.found
}

func (k *mark) is(e *markup.Element) bool {
	switch {
	case k.Assigns != "":
		return string(e.Name) == "script" && isScript(e.Attribute("type")) && assigns(e.Text, k.Assigns, k.Text)
	case k.Element != "" && string(e.Name) != k.Element:
		return false
	case k.Host != "":
		return isBelow(hostOf(e.Attribute(k.Attribute)), k.Host)
	}
	return string(e.Attribute(k.Attribute)) == k.Value
}

// isScript reports whether a script of a type is run, and not data.
func isScript(kind []byte) bool {
	k := ascii.Lower(strings.TrimSpace(string(kind)))
	return k == "" || k == "module" || strings.HasSuffix(k, "/javascript") || strings.HasSuffix(k, "/ecmascript")
}

// hostOf is the host of an absolute URL, or of one without a scheme.
func hostOf(url []byte) string {
	scheme, rest, ok := strings.Cut(ascii.Lower(strings.TrimSpace(string(url))), "//")
	if !ok || scheme != "" && scheme != "https:" && scheme != "http:" {
		return ""
	}
	if end := strings.IndexAny(rest, "/?#:"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

func isBelow(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain)
}
