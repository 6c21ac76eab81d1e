package rowreading

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/cdx"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// FindAccessLog completes how logs are to be read with what the files hold that it names.
func FindAccessLog(a facts.AccessLog) (facts.AccessLog, error) {
	if err := cdx.CheckAccessLog(cdx.AccessLogOptions{Sites: a.Sites, Format: a.Format}); err != nil {
		return a, err
	}
	for i := range a.Ranges {
		r := &a.Ranges[i]
		_, sum, err := readRanges(r.Path)
		if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
			err = fmt.Errorf("%w; check the path", failed.Err)
		}
		if err != nil {
			return a, fmt.Errorf("--ranges %s: %w", r.Path, err)
		}
		r.Sum = sum
		if r.Path, err = filepath.Abs(r.Path); err != nil {
			return a, err
		}
	}
	return a, nil
}

// readRanges reads the addresses in a file: every text of JSON that is an address or a prefix, as all operators
// publish them, or every line. It never holds the file, which may be long.
func readRanges(path string) (list []netip.Prefix, sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	of := sha256.New()
	if _, err := io.Copy(of, f); err != nil {
		return nil, "", err
	}
	add := func(text string) {
		if p, err := netip.ParsePrefix(text); err == nil {
			list = append(list, p.Masked())
		} else if a, err := netip.ParseAddr(text); err == nil {
			list = append(list, netip.PrefixFrom(a, a.BitLen()))
		}
	}
	for _, read := range [...]func(io.Reader, func(string)) error{textsOfJSON, linesOf} {
		list = nil
		if _, err = f.Seek(0, io.SeekStart); err != nil {
			return nil, "", err
		}
		if err = read(f, add); err == nil {
			break
		}
	}
	if len(list) == 0 {
		return nil, "", cmp.Or(err, errors.New("no address in it; it should be the list of an operator, as published"))
	}
	return list, hex.EncodeToString(of.Sum(nil)), nil
}

// textsOfJSON calls add for every text in one value of JSON that is no name of a member.
func textsOfJSON(r io.Reader, add func(string)) error {
	d := json.NewDecoder(r)
	var isObject []bool // of each object and array that has not ended
	isName := false     // the next text is one
	for {
		t, err := d.Token()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				isName = t == '{'
				isObject = append(isObject, isName)
				continue
			}
			isObject = isObject[:len(isObject)-1]
		case string:
			if isName {
				isName = false
				continue
			}
			add(t)
		}
		if len(isObject) == 0 {
			break
		}
		isName = isObject[len(isObject)-1]
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one value")
	}
	return nil
}

// linesOf calls add for every line, without white space around it.
func linesOf(r io.Reader, add func(string)) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadSlice('\n')
		add(strings.TrimSpace(string(line))) // one that is too long comes in parts
		if err == io.EOF {
			return nil
		}
		if err != nil && err != bufio.ErrBufferFull {
			return err
		}
	}
}

// ranges are the addresses of one crawler.
type ranges struct {
	token    string         // in lower case
	prefixes []netip.Prefix // in order; none holds another one
}

func (r *ranges) add(list []netip.Prefix) {
	all := append(list, r.prefixes...)
	slices.SortFunc(all, netip.Prefix.Compare)
	r.prefixes = all[:0]
	for _, p := range all {
		if n := len(r.prefixes); n == 0 || !r.prefixes[n-1].Contains(p.Addr()) {
			r.prefixes = append(r.prefixes, p)
		}
	}
}

func (r *ranges) hold(a netip.Addr) bool {
	n := sort.Search(len(r.prefixes), func(i int) bool { return r.prefixes[i].Addr().Compare(a) > 0 })
	return n > 0 && r.prefixes[n-1].Contains(a)
}

// clients knows which clients of a log are the operators of crawlers. No address leaves it.
type clients struct {
	ranges []*ranges
}

func newClients(a *facts.AccessLog) (*clients, error) {
	c := new(clients)
	byToken := make(map[string]*ranges)
	for _, file := range a.Ranges {
		list, sum, err := readRanges(file.Path)
		if err == nil && sum != file.Sum {
			err = fmt.Errorf("it has changed since the inputs were planned")
		}
		if err != nil {
			return nil, &input.ReadError{Err: fmt.Errorf("the addresses of %s: %w", file.Token, err)}
		}
		token := strings.ToLower(file.Token)
		r := byToken[token]
		if r == nil {
			r = &ranges{token: token}
			byToken[token], c.ranges = r, append(c.ranges, r)
		}
		r.add(list)
	}
	return c, nil
}

// flags are FlagOperator where a request came from an address of the operator whose crawler its User-Agent names, and
// FlagForged where it did not. If it names several, all operators have to have the address. Of a crawler without
// ranges, and of a client without an address, nothing is known.
func (c *clients) flags(userAgent, client string) (flags facts.Flags) {
	if len(c.ranges) == 0 || userAgent == "" {
		return 0
	}
	a, err := netip.ParseAddr(client)
	if err != nil {
		return 0
	}
	a, userAgent = a.Unmap().WithZone(""), strings.ToLower(userAgent)
	for _, r := range c.ranges {
		switch {
		case !names(userAgent, r.token):
		case r.hold(a):
			flags |= facts.FlagOperator
		default:
			return facts.FlagForged
		}
	}
	return flags
}

// names reports whether a User-Agent names a crawler: by a whole word, both in lower case.
func names(userAgent, token string) bool {
	for rest := userAgent; ; {
		i := strings.Index(rest, token)
		if i < 0 {
			return false
		}
		end := i + len(token)
		if (i == 0 || !isTokenByte(rest[i-1])) && (end == len(rest) || !isTokenByte(rest[end])) {
			return true
		}
		rest = rest[i+1:]
	}
}

func isTokenByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

// addLogged makes a fetch of a line of an access log, and a capture of one for robots.txt that the server answered.
func (p *indexPart) addLogged(row *cdx.Row) error {
	target := facts.AtMost(row.URL, warc.MaxURL)
	url, problem := p.urls.Parse(target)
	if url.Host == "" || !weburl.IsFetchScheme(url.Scheme) {
		p.fault(words.IssueBadLogLine, row.At, fmt.Sprintf("row %d: its URL cannot be read", row.Line), "row skipped")
		return nil
	}
	if problem != 0 {
		p.fault(words.IssueBadURL, row.At, fmt.Sprintf("row %d: %s", row.Line, problem), "kept as recorded")
	}
	f := &p.made
	*f = p.rowOf(row, facts.TypeAccessLog, facts.TrustLogged)
	p.locate(f, target, &url)
	f.Method, f.Flags = facts.AtMost(row.Method, MaxWord), p.clients.flags(row.Agent, row.Client)
	if row.Challenged {
		f.Flags |= facts.FlagChallenge
	}
	f.Lead = row.TookBefore
	if row.TookAfter > 0 {
		f.Millis = int32((row.TookAfter + 999) / 1000)
	}
	if row.Bytes >= 0 {
		f.PayloadSize = row.Bytes + 1
	}
	if row.Agent != "" {
		f.UserAgent, f.UserAgentSource = facts.AtMost(row.Agent, MaxAgent), facts.SourceAccessLog
	}
	if len(row.URL) > warc.MaxURL || len(row.Agent) > MaxAgent {
		if len(row.URL) > warc.MaxURL {
			f.Flags |= facts.FlagURLCut
		}
		p.fault(words.IssueValueCut, row.At, fmt.Sprintf("row %d: a value that is too long", row.Line), "the rest dropped")
	}
	p.date(f, row)
	p.logged++
	if facts.KindOf(url) == facts.CaptureRobots && showsRobots(f, row) {
		c := facts.Capture{Kind: facts.CaptureRobots, Fetch: *f}
		c.Run = int32(row.Line) // the order of lines shows nothing: a server writes them when it has answered
		c.Flags |= facts.FlagHTTPHead
		p.stats.Robots++
		if err := p.out.Capture(&c, nil); err != nil {
			return err
		}
	}
	return p.out.Fetch(f)
}

// Statuses that servers log where they sent none.
const (
	noResponse    = 444 // of nginx: it closed the connection
	awsClientGone = 460 // of Amazon's load balancers: the client did
	clientGone    = 499 // of nginx, Traefik and Cloudflare: the client closed it
)

// showsRobots reports whether an answer shows something of robots.txt: that there is none, or that this client was
// served it, whose bytes are to be found. A redirect does not name its target, and in a log without
// schemes it may be the one from http to https.
func showsRobots(f *facts.Fetch, row *cdx.Row) bool {
	switch {
	case f.Method != http.MethodGet, f.Status == noResponse, f.Status == awsClientGone, f.Status == clientGone:
		return false
	case f.Status == http.StatusOK, f.Status == http.StatusNotModified, f.Status/100 == 4, f.Status/100 == 5:
		return true
	}
	return f.Status/100 == 3 && !row.SchemeGiven
}
