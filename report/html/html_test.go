package html_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/document/documenttest"
	reporthtml "github.com/robotsaudit/robotsaudit/report/html"
)

func render(t *testing.T, doc *document.Document) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := reporthtml.Render(&out, doc); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func parse(t *testing.T, page []byte) *html.Node {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// all returns the elements of a name, in the order of the page.
func all(root *html.Node, name string) (found []*html.Node) {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == name {
			found = append(found, n)
		}
	}
	return found
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func text(n *html.Node) string {
	var out strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			out.WriteString(d.Data)
		}
	}
	return out.String()
}

// The outline is what a reader of the page, and of a screen, gets: sections with headings and
// tables, in order.
func TestOutline(t *testing.T) {
	root := parse(t, render(t, documenttest.Sample()))
	var outline []string
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "h1", "h2", "h3":
			outline = append(outline, n.Data+" "+text(n))
		case "table":
			outline = append(outline, fmt.Sprintf("  %s: %d rows", attribute(n, "id"), len(all(n, "tr"))-1))
		}
	}
	want := []string{
		"h1 Compliance of the test crawls<script>alert(1)</script>",
		"h2 The answer",
		"h2 What to do", "  actions-named: 4 rows", "  actions-path: 17 rows", "  actions-failed: 2 rows",
		"h2 How certain it is", "  classes: 7 rows",
		"h2 What was audited", "  crawlers: 2 rows", "  inputs: 8 rows",
		"h2 Over time", "  timeline-numbers: 7 rows",
		"h2 Changes since the audit before", "  changes-new: 20 rows", "  changes-origins: 13 rows",
		"h2 Sites and collections", "  sites-origins: 36 rows", "  sites-collections: 2 rows",
		"h2 Violations", "  violations-list: 84 rows",
		"h2 Disallowed, but not proven", "  unproven-list: 18 rows", "  unproven-causes: 6 rows",
		"h2 What is unknown", "  unknown-reasons: 5 rows",
		"h2 Restrictions on publication and use", "  use-pages: 8 rows", "  use-restrictions: 3 rows",
		"  use-signals: 5 rows",
		"h2 Other crawlers",
		"h2 What could not be read",
		"h2 Method and words",
		"h2 Sign-off",
	}
	if diff := cmp.Diff(want, outline); diff != "" {
		t.Error(diff)
	}
}

// Each finding has a name of its own, to be quoted, and every link leads to something.
func TestLinks(t *testing.T) {
	root := parse(t, render(t, documenttest.Sample()))
	there := make(map[string]int)
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && attribute(n, "id") != "" {
			there["#"+attribute(n, "id")]++
		}
	}
	named := 0
	for _, link := range all(root, "a") {
		href := attribute(link, "href")
		if there[href] != 1 {
			t.Errorf("%d elements for the link %s", there[href], href)
		}
		if strings.HasPrefix(href, "#f-") {
			named++
		}
	}
	if named != 51 {
		t.Errorf("%d findings have a name", named)
	}
}

// The policy names each script and style by its hash, and there is no other: no handler, no
// style attribute, nothing that is fetched.
func TestPolicy(t *testing.T) {
	root := parse(t, render(t, documenttest.Sample()))
	var policy string
	for _, meta := range all(root, "meta") {
		if attribute(meta, "http-equiv") == "Content-Security-Policy" {
			policy = attribute(meta, "content")
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy: %s", policy)
	}
	inline := all(root, "style")
	for _, script := range all(root, "script") {
		if attribute(script, "type") == "" {
			inline = append(inline, script)
		}
	}
	if len(inline) != 4 || strings.Count(policy, "sha256-") != 4 {
		t.Errorf("%d scripts and styles under the policy %s", len(inline), policy)
	}
	for _, n := range inline {
		sum := sha256.Sum256([]byte(text(n)))
		if hash := base64.StdEncoding.EncodeToString(sum[:]); !strings.Contains(policy, n.Data+"-src ") ||
			!strings.Contains(policy, "'sha256-"+hash+"'") {
			t.Errorf("the policy does not permit a %s of %d bytes with hash %s", n.Data, len(text(n)), hash)
		}
	}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "style" || a.Key == "src" || strings.HasPrefix(a.Key, "on") || a.Key == "href" &&
				!strings.HasPrefix(a.Val, "#") {
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
		}
	}
}

// Whatever an archive says reaches the page as text, and neither as an element nor as an
// attribute.
func TestHostileTextsStayText(t *testing.T) {
	root := parse(t, render(t, documenttest.Sample()))
	shown := text(root)
	for _, hostile := range documenttest.Hostile {
		if !strings.Contains(shown, hostile) {
			t.Errorf("%q is not shown as it is", hostile)
		}
	}
	for _, name := range []string{"img", "iframe", "object", "embed", "base", "link", "form"} {
		if n := len(all(root, name)); n > 0 {
			t.Errorf("%d elements <%s>", n, name)
		}
	}
	if n := len(all(root, "script")); n != 3 { // the libraries, the report's own, the data of the timeline
		t.Errorf("%d scripts", n)
	}
}

// manyFindings is a report of n violations, with texts that differ as texts of archives do.
func manyFindings(n int) *document.Document {
	doc := documenttest.Sample()
	list := &doc.Section("violations").Findings.List
	sample := *list
	*list = nil
	for i := range n {
		f := sample[i%len(sample)]
		f.ID = fmt.Sprint("f-", i+1)
		sum := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
		f.URL = fmt.Sprintf("%s&%x", f.URL, sum[:12])
		*list = append(*list, f)
	}
	return doc
}

// The first rows stand in the page; the packed ones follow them without a gap, with the values
// that their cells show.
func TestLongTablesArePacked(t *testing.T) {
	const findings = 1234
	root := parse(t, render(t, manyFindings(findings)))
	standing := 0
	for _, list := range all(root, "table") {
		if attribute(list, "id") == "violations-list" {
			standing = len(all(list, "tbody"))
		}
	}
	next := standing + 1
	for _, script := range all(root, "script") {
		if attribute(script, "data-table") != "violations" || attribute(script, "data-part") != "values" {
			continue
		}
		var values [][]any
		unpack(t, text(script), &values)
		var rows []string
		unpack(t, text(nextElement(script)), &rows)
		if len(values) != len(rows) {
			t.Fatalf("%d values of %d rows", len(values), len(rows))
		}
		for i, v := range values {
			if v[0] != fmt.Sprint("f-", next) {
				t.Fatalf("row %v follows row %d", v[0], next-1)
			}
			cell := fmt.Sprintf(`<td class="code">%s</td>`, html.EscapeString(v[3].(string)))
			if !strings.Contains(unescaped(strings.ReplaceAll(rows[i], "<wbr>", "")), unescaped(cell)) {
				t.Fatalf("row %d does not show %s:\n%s", next, v[3], rows[i])
			}
			next++
		}
	}
	if standing < 100 || next != findings+1 {
		t.Errorf("%d findings in the page, the last packed one is %d (want %d)", standing, next-1, findings)
	}
}

// unescaped makes texts alike that are escaped in different ways.
func unescaped(s string) string { return html.UnescapeString(s) }

func nextElement(n *html.Node) *html.Node {
	for n = n.NextSibling; n.Type != html.ElementNode; n = n.NextSibling {
	}
	return n
}

func unpack(t *testing.T, packed string, into any) {
	t.Helper()
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed)))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// A report can be mailed whatever is in it, and says which rows it has not.
func TestSizeIsBounded(t *testing.T) {
	doc := manyFindings(5000)
	list := doc.Section("violations").Findings.List
	for i := range list {
		f := &list[i]
		var noise strings.Builder
		for j := range 60 {
			sum := sha256.Sum256([]byte{byte(i), byte(i >> 8), byte(j)})
			noise.WriteString(base64.StdEncoding.EncodeToString(sum[:]))
		}
		f.UserAgent = noise.String()
	}
	page := render(t, doc)
	if len(page) > 3_000_000 {
		t.Errorf("%d bytes", len(page))
	}
	if found := regexp.MustCompile(`[\d,]+ of 5,000 rows are in this file`).FindString(text(parse(t,
		page))); found == "" {
		t.Error("does not say that rows are left out")
	}
}

func TestSameBytes(t *testing.T) {
	first, second := render(t, manyFindings(500)), render(t, manyFindings(500))
	if !bytes.Equal(first, second) {
		t.Error("two renderings of one document differ")
	}
}

// The charts show each class and period in proportion, and nothing for an empty document.
func TestCharts(t *testing.T) {
	root := parse(t, render(t, documenttest.Sample()))
	var widths []string
	for _, svg := range all(root, "svg") {
		if attribute(svg, "class") == "bar" {
			for _, rect := range all(svg, "rect") {
				widths = append(widths, attribute(rect, "width"))
			}
		}
	}
	if want := []string{"22.10%", "1.10%", "2.21%", "2.76%", "3.87%", "67.96%"}; !slices.Equal(widths, want) {
		t.Errorf("the bar has parts of %s, want %s", widths, want)
	}
	render(t, &document.Document{})
}

// TestBar: parts of parts, and what shares leave out, have no part in the bar.
func TestBar(t *testing.T) {
	doc := documenttest.Sample()
	doc.Section("certainty").Classes = []document.Class{
		{ID: "certain", Count: 1},
		{ID: "allowed", Count: 3},
		{ID: "refused", Count: 2},
		{ID: "robots", Count: 5},
		{ID: "nocrawler", Count: 4},
	}
	_, bar, _ := bytes.Cut(render(t, doc), []byte(`<svg class="bar"`))
	bar, _, _ = bytes.Cut(bar, []byte("</svg>"))
	if bytes.Count(bar, []byte("<rect")) != 2 || !bytes.Contains(bar, []byte(`width="75.00%"`)) {
		t.Errorf("%s", bar)
	}
}

// What shares a fill is one entry of the legend.
func TestLegend(t *testing.T) {
	doc := documenttest.Sample()
	doc.Section("timeline").Timeline.Claims = []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	for _, list := range all(parse(t, render(t, doc)), "ul") {
		if attribute(list, "class") == "legend" {
			if names := all(list, "li"); len(names) != 6 || text(names[5]) != "f, g, h" {
				t.Errorf("%d names, %q", len(names), text(list))
			}
			return
		}
	}
	t.Error("no legend")
}
