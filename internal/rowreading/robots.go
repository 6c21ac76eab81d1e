package rowreading

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/cdx"
	"github.com/robotsaudit/robotsaudit/internal/challenge"
	"github.com/robotsaudit/robotsaudit/internal/digest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// robotsPath is that of every robots.txt.
const robotsPath = "/robots.txt"

// addRobots makes captures of a row of a table of robots.txt: one, or one of each scheme if the row has a host and no
// URL. A row without an answer is no capture.
func (p *indexPart) addRobots(row *cdx.Row) error {
	urls := p.robotsURLs(row)
	if urls == nil {
		return nil
	}
	c := facts.Capture{Kind: facts.CaptureRobots, Fetch: p.rowOf(row, facts.TypeRow, facts.TrustListed)}
	c.Run, c.Method = int32(row.Line), http.MethodGet // their order shows nothing, as that of runs
	c.PayloadDigest = facts.AtMost(row.Digest, warc.MaxFieldValue)
	body, err := p.bodyOf(&c, row)
	if err != nil {
		return err
	}
	switch {
	case c.Status >= 0 || body != nil && row.Error == "":
	case row.Error == "" && row.Digest == "" && !row.NoAnswer:
		p.faultOf(row, words.IssueBadIndexRow, "row skipped", "it has neither a status nor a body, and no error says why")
		return nil
	default:
		p.none++
		return nil
	}
	h := p.head(&c, row)
	body = p.takeBody(&c, row, &h, body)
	if row.Agent != "" {
		c.UserAgent, c.UserAgentSource = facts.AtMost(row.Agent, MaxAgent), facts.SourceList
	}
	if len(row.Digest) > warc.MaxFieldValue || len(row.Agent) > MaxAgent || h.Cut != "" || h.PolicyCut {
		p.faultOf(row, words.IssueValueCut, "the rest dropped", "a value that is too long")
	}
	p.date(&c.Fetch, row)
	p.rows++
	for _, url := range urls {
		u, _ := weburl.Parse(url)
		c.URL, c.Origin, c.HostReversed = url, u.Origin(), u.HostReversed()
		p.stats.Robots++
		if err := p.out.Capture(&c, body); err != nil {
			return err
		}
	}
	return nil
}

// robotsURLs are the URLs of the robots.txt that a row reports: none if its URL is not that of a robots.txt or an
// origin, or its host is no host.
func (p *indexPart) robotsURLs(row *cdx.Row) (urls []string) {
	switch {
	case row.URL != "":
		urls = []string{row.URL}
	default:
		urls = []string{"https://" + row.Host + robotsPath, "http://" + row.Host + robotsPath}
	}
	for i, url := range urls {
		u, problem := p.urls.Parse(facts.AtMost(url, warc.MaxURL))
		if row.URL != "" && !u.HasQuery && (u.Path == "" || u.Path == "/") { // of the origin
			urls[i] = u.Origin() + robotsPath
			u.Path = robotsPath
		}
		isRobots := problem == 0 && cdx.IsHost(u.Host) && facts.KindOf(u) == facts.CaptureRobots &&
			len(url) <= warc.MaxURL
		if !isRobots {
			p.faultOf(row, words.IssueNoTargetURI, "row skipped", "%.200q is neither the URL of a robots.txt nor an origin, "+
				"nor a host", cmp.Or(row.URL, row.Host))
			return nil
		}
	}
	return urls
}

// bodyOf returns the body that a row has or names, and compares it with the digest; nil: nobody knows it.
func (p *indexPart) bodyOf(c *facts.Capture, row *cdx.Row) (body []byte, err error) {
	if row.HasBody {
		body = append([]byte{}, row.Body...)
	}
	written := digest.Labelled(strings.TrimSpace(row.Digest))
	d, fault := digest.Parse(written)
	switch {
	case fault != nil:
		p.faultOf(row, words.IssueUnknownDigest, "not verified", "digest %.150q: %v", row.Digest, fault)
	case body == nil && d.Known() && d.IsEmpty():
		return []byte{}, nil
	}
	if body == nil && p.bodies != nil && row.Digest != "" {
		if body, err = p.storedBody(row.Digest); err != nil {
			return nil, err
		}
		if body == nil {
			p.faultOf(row, words.IssueBadIndexRow, "kept without its body", "no file %.150q is in the folder of bodies",
				row.Digest)
		}
	}
	if body == nil || !d.Known() || len(body) > httpmsg.MaxBody { // of which no more is read
		return body, nil
	}
	h := d.NewHash()
	h.Write(body)
	if !d.Matches(h) {
		c.Flags |= facts.FlagDigestMismatch
		p.faultOf(row, words.IssueDigestMismatch, "kept; supports no violation", "its digest is %.150s, its body has %s",
			row.Digest, d.Text(h))
	}
	return body, nil
}

// storedBody reads the body of a digest as written: a file of that name, perhaps without the digest's label, perhaps
// with the ending .txt. nil: there is none.
func (p *indexPart) storedBody(written string) ([]byte, error) {
	_, sum, isLabelled := strings.Cut(written, ":")
	names := []string{written, written + ".txt"}
	if isLabelled {
		names = append(names, sum, sum+".txt")
	}
	for _, name := range names {
		if strings.ContainsAny(name, `/\`) {
			continue
		}
		info, err := p.bodies.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue // a name that no file can have, too
		}
		f, err := p.bodies.Open(name)
		if err != nil {
			return nil, &input.ReadError{Err: fmt.Errorf("the folder of bodies: %w", err)}
		}
		defer f.Close()
		body, err := io.ReadAll(io.LimitReader(f, httpmsg.MaxBody+1))
		if err != nil {
			return nil, &input.ReadError{Err: fmt.Errorf("the folder of bodies: %w", err)}
		}
		return body, nil
	}
	return nil, nil
}

// head takes what the row has of the HTTP head of its answer. Columns count before the header fields.
func (p *indexPart) head(c *facts.Capture, row *cdx.Row) httpmsg.Head {
	lines, ok := fieldLines(row.Headers)
	if !ok {
		p.faultOf(row, words.IssueBadHTTPHead, "header fields dropped", "%.100q is neither lines of fields nor JSON", row.Headers)
	}
	head := []byte("HTTP/1.1 200\r\n" + lines)
	h := httpmsg.ParseResponse(head, tag.Keep, nil)
	c.ETag, c.LastModified = h.Validators(head)
	c.ContentRange, c.PolicyHeaders = h.ContentRange, string(h.Policy)
	c.Location = facts.AtMost(cmp.Or(row.Redirect, h.Location), warc.MaxURL)
	c.MIMEType = facts.AtMost(httpmsg.MediaType(cmp.Or(row.MIME, h.ContentType)), warc.MaxFieldValue)
	if c.Status >= 0 {
		c.Flags |= facts.FlagHTTPHead
	}
	if h.Challenge {
		c.Flags |= facts.FlagChallenge
	}
	if h.PolicyCut {
		c.Flags |= facts.FlagPolicyHeadersCut
	}
	return h
}

// fieldLines are header fields as lines of an HTTP head: as they are written, or of a JSON object or array of pairs.
func fieldLines(headers string) (lines string, ok bool) {
	headers = strings.TrimSpace(headers)
	var b strings.Builder
	add := func(name string, value any) {
		list, isList := value.([]any)
		if !isList {
			list = []any{value}
		}
		for _, v := range list {
			fmt.Fprintf(&b, "%s: %s\r\n", oneLine(name), oneLine(fmt.Sprint(v)))
		}
	}
	switch {
	case headers == "":
	case len(headers) > httpmsg.MaxPolicyHeaders:
		return "", false
	case headers[0] == '{':
		d := json.NewDecoder(strings.NewReader(headers)) // in its order, which a map would lose
		if _, err := d.Token(); err != nil {
			return "", false
		}
		for d.More() {
			name, err := d.Token()
			var value any
			if err != nil || d.Decode(&value) != nil {
				return "", false
			}
			add(fmt.Sprint(name), value)
		}
	case headers[0] == '[':
		var pairs [][]string
		if json.Unmarshal([]byte(headers), &pairs) != nil {
			return "", false
		}
		for _, pair := range pairs {
			if len(pair) != 2 {
				return "", false
			}
			add(pair[0], pair[1])
		}
	case strings.Contains(headers, ":"):
		return headers + "\r\n", true
	default:
		return "", false
	}
	return b.String(), true
}

// spoilt says what a program made of a body while it wrote the table; "": nothing. No robots.txt looks so, and a parser
// would find no rule in it, by which everything is allowed.
func spoilt(body string) (as string) {
	body = strings.TrimSpace(body)
	isOneLine := !strings.ContainsAny(body, "\r\n")
	switch {
	case body == "":
	case cdx.IsNone(body):
		return "no body but " + body
	case len(body) > 2 && body[0] == 'b' && (body[1] == '\'' || body[1] == '"') && body[len(body)-1] == body[1]:
		return "written as Python shows bytes, b'…'"
	case isOneLine && strings.Contains(body, ":") && (strings.Contains(body, `\n`) || strings.Contains(body, `\r`)):
		return `one line, with \n for its line ends`
	case isOneLine && strings.Contains(body, "%0A") && strings.Contains(body, "%3A"):
		return "percent-encoded"
	case len(body) < len("Disallow: /") || strings.ContainsAny(body, ": #"):
	case isOneLine && strings.HasPrefix(body, `\x`) && isEncoded(hex.DecodeString(body[2:])),
		isEncoded(base64.RawStdEncoding.DecodeString(strings.TrimRight(body, "="))),
		isEncoded(base64.RawURLEncoding.DecodeString(strings.TrimRight(body, "="))):
		return "encoded text; name its column body_base64 if it is base64"
	}
	return ""
}

// isEncoded reports whether what was decoded is a robots.txt, or one in gzip, and not a word that looks encoded.
func isEncoded(text []byte, err error) bool {
	return err == nil && (bytes.HasPrefix(text, []byte("\x1f\x8b")) ||
		utf8.Valid(text) && bytes.ContainsAny(text, ":\n") && bytes.IndexByte(text, 0) < 0)
}

// oneLine is a text without line ends.
func oneLine(s string) string { return strings.NewReplacer("\r", " ", "\n", " ").Replace(s) }

// takeBody makes the body of a capture, by the rules of package reading. Most tables have undone the codings that
// header fields declare: a body without them is taken as it is. A file whose body nobody knows counts as a part.
func (p *indexPart) takeBody(c *facts.Capture, row *cdx.Row, h *httpmsg.Head, raw []byte) []byte {
	if raw == nil {
		if c.Status/100 == 2 {
			c.Flags |= facts.FlagBodyCut
			p.faultOf(row, words.IssueBodyCut, "taken for a part, of which nothing is known", "status %d without a body", c.Status)
		}
		raw = []byte{}
	}
	if len(raw) > httpmsg.MaxBody {
		raw = raw[:httpmsg.MaxBody]
		c.Flags |= facts.FlagBodyCut
		p.faultOf(row, words.IssueBodyCut, "the rest dropped", "the body is over %d bytes", httpmsg.MaxBody)
	}
	if fault := spoilt(string(raw)); fault != "" && (c.Status < 0 || c.Status/100 == 2) {
		c.Flags |= facts.FlagUndecodable
		p.faultOf(row, words.IssueBadIndexRow, "its body taken for unreadable", "its body is %s: write the file as it was served", fault)
	}
	body, met := httpmsg.Decode(raw, h, c.Flags&facts.FlagBodyCut != 0)
	c.Flags |= facts.FlagBodyKept
	if met&httpmsg.FaultCut != 0 {
		c.Flags |= facts.FlagBodyCut
	}
	if httpmsg.IsUndecodable(body, met) {
		c.Flags |= facts.FlagUndecodable
		p.faultOf(row, words.IssueUndeclaredBinary, "taken for unreadable",
			"the body is compressed, UTF-16 without a byte order mark, or in another binary format")
	}
	if challenge.InRobots(body, c.Status) {
		c.Flags |= facts.FlagChallenge
	}
	return body
}
