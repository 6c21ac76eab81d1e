package cdx

import (
	"bytes"
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unsafe"

	"github.com/parquet-go/jsonlite"

	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// A line of an access log is what a web server answered to one request. Each server has its own words: lines of a
// format that Apache or nginx writes (accessformat.go), JSON (accessjson.go), or the extended format of W3C with a
// line of #Fields. Each line gives a request, and a request a Row.

// AccessLogOptions are what a log does not say itself.
type AccessLogOptions struct {
	// Sites are origins. Requests to other hosts are not the site's; a line without a host is of the only one.
	Sites []string
	// Format is that of the lines, in the syntax of nginx or Apache; "": the usual ones, JSON and W3C's.
	Format string
}

// Logged is what a row of an access log has besides.
type Logged struct {
	Client string // address, or the name that the server looked up
	Bytes  int64  // of the answer's body as it was sent; -1: not known
	// the URL's scheme is that of --site: the line has none
	SchemeGiven bool
	Challenged  bool // the answer asks for a proof that the client is no crawler
	// how long the exchange took from the time of the line, or before it, in microseconds; 0: not known
	TookAfter, TookBefore int64
}

// A part of a line.
type accessPart uint8

const (
	partNone accessPart = iota // of no use
	partClient
	partClientPort // with a port behind it
	partIdent      // who the client says it is: mostly -, or a host
	partUser
	partTime      // of any form
	partTimeLocal // 10/Oct/2000:13:55:36 -0700
	partSeconds   // since 1970
	partMillis
	partMicros
	partTook      // seconds, up to the time of the line
	partTookAfter // seconds, from the time of the line on
	partTookAfterMicros
	partDate // 2026-05-01, of W3C
	partClock
	partRequest // the request line
	partMethod
	partTarget // of the request line, or the whole URL
	partPath
	partQuery
	partStatus
	partBytes
	partHost
	partServer // name of the virtual host, where the client's word is missing
	partScheme
	partPort
	partTLS // "on", or whatever is there where TLS is used
	partAgent
	partAgentEncoded // percent-encoded
	partAction       // of Cloudflare's rules
	accessParts
)

// request is the parts of a line, as written but for escapes.
type request [accessParts]string

// A site is an origin whose requests count.
type site struct {
	origin       string
	scheme, name string
	port         string // "" for that of http or https
}

// accessLog reads the lines of a log.
type accessLog struct {
	sites   []site
	formats []*lineFormat // that a line may have; the last that fitted comes first
	given   bool          // there is one, which the user names
	escaped bool          // the line in hand has escapes: neither JSON nor W3C's format has them
	json    accessObjects
	fields  []accessPart // of W3C's #Fields

	lines int64    // that say something
	hosts []string // the first that --site does not name
	names []string // the fields of the first line of JSON without a request
	// unsited is the first fault for which --site is missing, or names too little.
	unsited string

	stamp       string // the last time of partTimeLocal, which follow one another
	micros      int64
	stampNoZone bool
	noZone      bool              // the time in hand has none: it is taken as UTC
	kept        map[string]string // methods and User-Agents of late, most of which come again
	req         request
}

// How many texts are kept, and of how many bytes.
const (
	maxKept     = 1024
	maxKeptText = 512
)

// keep is a copy of a text that outlives the line.
func (l *accessLog) keep(text string) string {
	kept, known := l.kept[text]
	if !known {
		if kept = strings.Clone(text); len(l.kept) == maxKept {
			clear(l.kept)
		}
		if len(kept) <= maxKeptText {
			l.kept[kept] = kept
		}
	}
	return kept
}

func newAccessLog(opt AccessLogOptions) (*accessLog, error) {
	l := &accessLog{formats: usualFormats(), given: opt.Format != "", kept: make(map[string]string)}
	for _, origin := range opt.Sites {
		u, problem := weburl.Parse(origin)
		if problem != 0 || u.Host == "" || !weburl.IsFetchScheme(u.Scheme) {
			return nil, fmt.Errorf("--site %s: it is no origin such as https://example.org", origin)
		}
		s := site{origin: u.Origin(), scheme: u.Scheme}
		s.name, s.port = cutPort(u.Origin()[len(u.Scheme)+len("://"):])
		l.sites = append(l.sites, s)
	}
	if l.given {
		f, err := parseFormat(configured(opt.Format))
		if err != nil {
			return nil, fmt.Errorf("--line-format: %w", err)
		}
		l.json.parts = f.names
		l.formats = []*lineFormat{f}
	}
	return l, nil
}

// CheckAccessLog returns what is wrong with options.
func CheckAccessLog(opt AccessLogOptions) error {
	_, err := newAccessLog(opt)
	return err
}

// parse makes a row of a line. A fault never quotes the line, which has an address.
func (l *accessLog) parse(line []byte, row *Row) (ok bool, fault string) {
	if len(bytes.TrimSpace(line)) == 0 {
		return false, ""
	}
	text := unsafe.String(&line[0], len(line)) // no copy: complete copies what a row keeps
	l.req, l.escaped = request{}, true
	l.lines++
	switch {
	case l.given && l.formats[0].names != nil:
		l.escaped = false
		if fault := l.json.read(text, &l.req); fault != "" {
			return false, fault
		}
	case l.given:
		if !l.formats[0].read(text, &l.req, false) {
			return false, "it is no line of the format of --line-format"
		}
	case text[0] == '#':
		l.header(text)
		return false, ""
	case text[0] == '{':
		l.escaped = false
		if fault := l.json.read(text, &l.req); fault != "" {
			return false, fault
		}
	case l.fields != nil:
		l.escaped = false
		if !l.split(text) {
			return false, "it has not as many fields as #Fields names"
		}
	case !l.usual(text):
		return false, "it is no line of a known format; name yours by --line-format"
	}
	ok, fault = l.complete(row)
	if l.unsited == "" && (fault == noHost || fault == noScheme || fault == severalSites) {
		l.unsited = fault
	}
	if fault == unknownRequest && text[0] == '{' && l.names == nil {
		l.json.each(text, func(name string, _ jsonlite.Kind) string {
			l.names = append(l.names, strings.Clone(name[:min(len(name), maxNameSeen)]))
			return ""
		})
	}
	return ok, fault
}

// What is shown of a log of which no line counted.
const (
	maxSeen     = 40 // names, and a tenth of them of hosts
	maxNameSeen = 60 // bytes of one
)

// nothing says why no line counted, and what to do; "": there is no line.
func (l *accessLog) nothing() string {
	switch {
	case l.lines == 0:
		return ""
	case len(l.hosts) > 0:
		return fmt.Sprintf("no line counted: --site does not name the hosts of its requests, such as %s; add --site https://%s",
			strings.Join(l.hosts, ", "), l.hosts[0])
	case len(l.names) > 0:
		names := l.names[:min(len(l.names), maxSeen)]
		return fmt.Sprintf("no line counted: none of its fields is known as the request; they are %s. Name them by "+
			"--line-format, as in this beginning, and take out what is guessed wrongly: '%s'", strings.Join(names, ", "),
			template(names))
	case l.unsited != "":
		return l.unsited
	case l.given:
		return "no line counted: what --line-format names does not give the method and the target of requests; log and " +
			"name $request, or $request_method and $request_uri"
	}
	return "no line counted: none is a request in a known format; name the format by --line-format"
}

// Nothing says why a Reader that is at its end has no row, and what to do; "": it had nothing to read.
func Nothing(r Reader) string {
	if t, ok := r.(*textReader); ok && t.log != nil {
		return t.log.nothing()
	}
	return ""
}

// Missing are the columns that the user has named, and no row of a Reader had that is at its end; "": there are none.
func Missing(r Reader) string {
	if t, ok := r.(*textReader); ok && t.objects != nil {
		return t.objects.missing(func(f field) bool { return t.objects.has[f] })
	}
	return ""
}

// template guesses what names of fields mean, as a format for --line-format to begin with.
func template(names []string) string {
	var members []string
	var used []string
	for _, name := range names {
		lower := strings.ToLower(name)
		for _, guess := range [...][2]string{
			{"method", "request_method"},
			{"status", "status"},
			{"code", "status"},
			{"agent", "http_user_agent"},
			{"ua", "http_user_agent"},
			{"host", "host"},
			{"authority", "host"},
			{"time", "time_iso8601"},
			{"date", "time_iso8601"},
			{"ip", "remote_addr"},
			{"addr", "remote_addr"},
			{"path", "request_uri"},
			{"uri", "request_uri"},
			{"url", "request_uri"},
			{"bytes", "body_bytes_sent"},
			{"size", "body_bytes_sent"},
		} {
			isWord := len(guess[0]) > 2 && strings.Contains(lower, guess[0]) || strings.HasSuffix(lower, guess[0])
			if isWord && !slices.Contains(used, guess[1]) {
				used = append(used, guess[1])
				members = append(members, fmt.Sprintf("%q: \"$%s\"", name, guess[1]))
				break
			}
		}
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// usual reads a line by the usual formats: first strictly, then with quotes that nothing escapes.
func (l *accessLog) usual(text string) bool {
	for _, lax := range [...]bool{false, true} {
		for i, f := range l.formats {
			if f.read(text, &l.req, !lax) && l.isRequest() {
				copy(l.formats[1:i+1], l.formats[:i])
				l.formats[0] = f
				return true
			}
			l.req = request{}
		}
	}
	return false
}

// isRequest reports whether the parts show that the line has the format that was tried.
func (l *accessLog) isRequest() bool {
	_, hasTime := l.time()
	_, hasStatus := l.status()
	port, client := l.req[partPort], l.req[partClient]
	if strings.IndexByte(client, ':') >= 0 { // a virtual host with its port
		if _, err := netip.ParseAddr(client); err != nil {
			return false
		}
	}
	return hasTime && hasStatus && l.req.placeHost() && (client != "" || l.req[partClientPort] != "") && (port == "" || isDigits(port))
}

// placeHost finds a host that stands before the client, or in the place of ident. false: nothing shows which is which.
func (r *request) placeHost() bool {
	client, ident := r[partClient], r[partIdent]
	switch isNamed := r[partServer] != ""; {
	case ident == "-" || ident == "":
	case isAddress(ident):
		if isNamed || isAddress(client) {
			return false
		}
		r[partServer], r[partClient] = client, ident
	case isNamed, !strings.Contains(ident, ".") || !IsHost(ident): // a user
	case isAddress(client):
		r[partServer] = ident
	case strings.Contains(r[partUser], " "): // - -
		r[partServer], r[partClient] = client, ident
	default:
		return false
	}
	return true
}

func isAddress(s string) bool {
	_, err := netip.ParseAddr(s)
	return err == nil
}

// IsHost reports whether a host can have this name.
func IsHost(name string) bool {
	name, _ = strings.CutPrefix(name, "[")
	for i := range len(name) {
		if c := name[i]; !isWord(c) && strings.IndexByte("-._:]", c) < 0 {
			return false
		}
	}
	return name != ""
}

// isAgent reports whether a text can name a crawler: no variable that nobody filled in, and no pattern.
func isAgent(text string) bool {
	return !strings.Contains(text, "${") && strings.ContainsFunc(text, unicode.IsLetter)
}

func (l *accessLog) status() (int, bool) {
	status, err := strconv.ParseUint(l.req[partStatus], 10, 16)
	return int(status), err == nil && status < 1000
}

// complete makes a row of the parts of a line.
func (l *accessLog) complete(row *Row) (ok bool, fault string) {
	r := &l.req
	row.Status, _ = l.status()
	row.Status = statusOf(int64(row.Status))
	row.Bytes = -1
	if n, err := strconv.ParseInt(r[partBytes], 10, 64); err == nil && n >= 0 {
		row.Bytes = n
	} else if r[partBytes] == "-" {
		row.Bytes = 0
	}
	if row.Client = strings.Clone(or(r[partClient], withoutPort(r[partClientPort]))); row.Client == "-" {
		row.Client = ""
	}
	method, target := r[partMethod], or(r[partTarget], joinQuery(r[partPath], r[partQuery]))
	if line := r[partRequest]; line != "" {
		var isHTTP bool
		if method, target, isHTTP = cutRequest(line); !isHTTP {
			return false, noRequest
		}
	}
	if r[partRequest] == "" && (method == "" || target == "") && (!l.escaped || l.given && !l.formats[0].hasMethod) {
		return false, unknownRequest
	}
	if method = l.unescape(method); !isMethod(method) || target == "" {
		return false, noRequest
	}
	if row.Method = http.MethodGet; method != row.Method {
		row.Method = l.keep(method)
	}
	switch strings.ToLower(r[partAction]) {
	case "challenge", "jschallenge", "managedchallenge", "challengefailed", "jschallengefailed":
		row.Challenged = true
	}
	if method == "CONNECT" || target == "*" || method == "PRI" {
		return false, "" // of no resource of the site
	}
	if fault := l.setURL(row, l.unescape(target)); fault != "" {
		return false, fault
	}
	var known bool
	l.noZone = false
	if row.Micros, known = l.time(); !known {
		return false, "its time cannot be read"
	}
	row.NoZone = l.noZone
	row.TookBefore = tookOf(r[partTook], 1e6)
	row.TookAfter = max(tookOf(r[partTookAfter], 1e6), tookOf(r[partTookAfterMicros], 1))
	agent := r[partAgent]
	if encoded := r[partAgentEncoded]; encoded != "" {
		agent = decodePercent(encoded)
	}
	if agent = l.unescape(agent); agent != "-" && agent != "" {
		if agent == "*" || strings.Contains(agent, "${") {
			return false, invalidAgent
		}
		row.Agent = l.keep(agent)
	}
	return true, ""
}

// The defects of lines that are whole, and of no request to the site.
const (
	noRequest    = "its request is not HTTP"
	anotherHost  = "its request names another host or port than --site does"
	noHost       = "nothing names the host: add --site https://…"
	noScheme     = "nothing names the scheme: add --site https://…"
	invalidHost  = "its host is no name of a host"
	severalSites = "it may be of several sites that --site names: log the host, and the scheme if they share it"
	invalidAgent = "its User-Agent is none"

	unknownRequest = "none of its fields is known as the method and the target of a request; name them by --line-format"
)

// isForeign reports whether a fault is that of a line that was read, of no request to the site.
func isForeign(fault string) bool {
	return fault == noRequest || fault == anotherHost || fault == invalidHost || fault == invalidAgent
}

// setURL gives a row the URL of a request's target (RFC 9112 §3.2).
func (l *accessLog) setURL(row *Row, target string) (fault string) {
	r := &l.req
	if len(l.sites) == 1 && target[0] == '/' && r.namesNoHost() {
		path, _, _ := strings.Cut(target, "#")
		row.URL, row.SchemeGiven = l.sites[0].origin+path, true
		return ""
	}
	host, path, scheme := or(r[partHost], r[partServer]), target, schemeOf(r[partScheme])
	if host == "-" || host == "_" {
		host = ""
	}
	name, port := cutPort(strings.ToLower(host))
	if target[0] != '/' { // absolute, as to a proxy
		u, problem := weburl.Parse(target)
		if problem != 0 || u.Host == "" || !weburl.IsFetchScheme(u.Scheme) {
			return noRequest
		}
		if host != "" && name != u.Host {
			return l.foreign(name)
		}
		if host == "" && len(l.sites) == 0 && scheme == "" { // but ALB, which has a type, writes all so
			return noHost
		}
		scheme, path = u.Scheme, u.PathQuery()
		name, port = cutPort(u.Origin()[len(scheme)+len("://"):])
	}
	if i := strings.IndexByte(path, '#'); i >= 0 {
		path = path[:i]
	}
	name = strings.TrimSuffix(name, ".")
	isNamed := port != "" // by the client; the server's own may stand behind a proxy
	if !isNamed {
		port = r[partPort]
	}
	switch {
	case scheme != "":
	case r[partTLS] != "" && r[partTLS] != "-" && r[partTLS] != "off", port == "443":
		scheme = "https"
	case port == "80":
		scheme = "http"
	}
	if port == "443" || port == "80" || !isNamed && !isDigits(port) {
		port = ""
	}
	switch {
	case name != "" && !IsHost(name), port != "" && !isDigits(port), name == "" && isNamed:
		return invalidHost
	case name == "" && len(l.sites) == 0:
		return noHost
	case scheme == "" && len(l.sites) == 0:
		return noScheme
	}
	if len(l.sites) > 0 {
		s, isOnly := l.siteOf(scheme, name, port, isNamed)
		switch {
		case s == nil:
			return l.foreign(name)
		case !isOnly:
			return severalSites
		}
		row.URL, row.SchemeGiven = s.origin+path, scheme != s.scheme
		return ""
	}
	if port != "" {
		name += ":" + port
	}
	row.URL = scheme + "://" + name + path
	return ""
}

// namesNoHost reports whether the site of a line is the only one.
func (r *request) namesNoHost() bool {
	return r[partHost] == "" && r[partServer] == "" && r[partScheme] == "" && r[partPort] == "" && r[partTLS] == ""
}

// siteOf is the site of a request; nil: none. The only one of its host counts, whatever scheme and port the server saw:
// a proxy may stand before it. Of several, that with the port and the scheme counts, if it is the only one.
func (l *accessLog) siteOf(scheme, name, port string, isNamed bool) (best *site, isOnly bool) {
	most := -1
	for i := range l.sites {
		s, fit := &l.sites[i], 0
		if name != "" && s.name != name || isNamed && s.port != port {
			continue
		}
		if s.port == port {
			fit += 2
		}
		if s.scheme == scheme {
			fit++
		}
		if isOnly = fit != most; fit < most {
			isOnly = true
			continue
		}
		best, most = s, fit
	}
	return best, isOnly
}

// foreign notes a host that --site does not name.
func (l *accessLog) foreign(name string) (fault string) {
	if len(l.hosts) < maxSeen/10 && len(name) <= maxNameSeen && !isAddress(name) && !slices.Contains(l.hosts, name) {
		l.hosts = append(l.hosts, strings.Clone(name))
	}
	return anotherHost
}

// schemeOf is http or https; "": neither is written.
func schemeOf(written string) string {
	written, _, _ = strings.Cut(written, ":") // the URL in CloudFront's real-time logs
	switch strings.ToLower(written) {
	case "http", "ws":
		return "http"
	case "https", "wss", "h2", "grpcs":
		return "https"
	}
	return ""
}

// time reads the time of a request, whichever part has it.
func (l *accessLog) time() (micros int64, known bool) {
	r := &l.req
	switch {
	case r[partTimeLocal] != "":
		return l.localTime(r[partTimeLocal])
	case r[partMicros] != "":
		return inUnits(r[partMicros], 1)
	case r[partMillis] != "":
		return inUnits(r[partMillis], 1e3)
	case r[partSeconds] != "":
		return inUnits(r[partSeconds], 1e6)
	case r[partClock] != "":
		return l.dated(r[partDate] + "T" + r[partClock] + "Z")
	}
	written := or(r[partTime], r[partDate])
	if len(written) > 0 && strings.Trim(written, "0123456789.eE+") == "" { // by its size; JSON may have it as 1.7e9
		n, err := strconv.ParseFloat(written, 64)
		switch {
		case err != nil || n <= 0:
			return 0, false
		case n < 1e11:
			return inUnits(written, 1e6)
		case n < 1e14:
			return inUnits(written, 1e3)
		case n < 1e17:
			return inUnits(written, 1)
		}
		return int64(n / 1e3), n < 1e20
	}
	if micros, known = l.dated(written); known {
		return micros, true
	}
	return l.localTime(strings.Trim(written, "[]"))
}

// tookOf reads a duration in a unit of so many microseconds; 0: it says none that can be true.
func tookOf(written string, unit float64) int64 {
	n, err := strconv.ParseFloat(written, 64)
	if n *= unit; err != nil || !(n > 0 && n <= maxTook) {
		return 0
	}
	return int64(n)
}

// maxTook is the longest duration that is believed: a day.
const maxTook = 24 * 60 * 60 * 1e6

// dated reads a date of ISO 8601.
func (l *accessLog) dated(written string) (int64, bool) {
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04:05Z0700"} {
		if t, err := time.Parse(layout, written); err == nil {
			return t.UnixMicro(), true
		}
	}
	t, err := time.Parse("2006-01-02T15:04:05", strings.Replace(written, " ", "T", 1))
	l.noZone = err == nil
	return t.UnixMicro(), err == nil
}

// inUnits reads a number of units since 1970.
func inUnits(written string, micros int64) (int64, bool) {
	whole, fraction, _ := strings.Cut(written, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		f, err := strconv.ParseFloat(written, 64)
		return int64(f * float64(micros)), err == nil && f > 0 && f < math.MaxInt64/1e7
	}
	part := int64(0)
	if fraction != "" {
		f, err := strconv.ParseFloat("0."+fraction, 64)
		if err != nil {
			return 0, false
		}
		part = int64(math.Round(f * float64(micros)))
	}
	return n*micros + part, n >= 0 && n < math.MaxInt64/micros-1
}

// localTime reads a time of the common log format.
func (l *accessLog) localTime(written string) (micros int64, known bool) {
	if written == l.stamp && written != "" {
		l.noZone = l.stampNoZone
		return l.micros, true
	}
	const layout = "02/Jan/2006:15:04:05 -0700"
	t, err := time.Parse(layout, written)
	if l.noZone = err != nil; err != nil {
		if t, err = time.Parse(layout[:len(layout)-len(" -0700")], written); err != nil {
			return 0, false
		}
	}
	l.stamp, l.micros, l.stampNoZone = strings.Clone(written), t.UnixMicro(), l.noZone
	return l.micros, true
}

// cutRequest divides a request line. One of HTTP/0.9 has no version.
func cutRequest(line string) (method, target string, isHTTP bool) {
	method, rest, found := strings.Cut(line, " ")
	if !found || rest == "" {
		return "", "", false
	}
	if i := strings.LastIndexByte(rest, ' '); i >= 0 {
		version, isHTTP := strings.CutPrefix(rest[i:], " HTTP/")
		isVersion := version == "1.1" || len(version) <= len("1.1") && strings.Trim(version, "0123456789.") == ""
		return method, rest[:i], isHTTP && i > 0 && isVersion
	}
	return method, rest, rest[0] == '/'
}

// isMethod reports whether a word may be a method: capitals, as all in use.
func isMethod(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'A' || c > 'Z') && c != '-' && c != '_' {
			return false
		}
	}
	return s != "" && len(s) <= 32
}

func joinQuery(path, query string) string {
	switch {
	case path == "" || query == "" || query == "-":
		return path
	case query[0] == '?':
		return path + query
	}
	return path + "?" + query
}

// cutPort divides the name of a host, or an address, and the port behind it.
func cutPort(host string) (name, port string) {
	i := strings.LastIndexByte(host, ':')
	if i < 0 || strings.IndexByte(host[i:], ']') >= 0 || host[0] != '[' && strings.IndexByte(host, ':') < i {
		return host, ""
	}
	return host[:i], host[i+1:]
}

// withoutPort is an address without the port behind it, and without brackets.
func withoutPort(address string) string {
	name, _ := cutPort(address)
	return strings.Trim(name, "[]")
}

func or(a, b string) string {
	if a == "" || a == "-" {
		return b
	}
	return a
}

// unescape undoes the escapes of Apache (\", \\, \n, \xhh) and nginx (\xHH).
func (l *accessLog) unescape(s string) string {
	if !l.escaped || strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			continue
		}
		i++
		if at := strings.IndexByte(`"\bnrtv`, s[i]); at >= 0 {
			b = append(b, "\"\\\b\n\r\t\v"[at])
			continue
		}
		if s[i] == 'x' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b = append(b, byte(n))
				i += 2
				continue
			}
		}
		b = append(b, '\\', s[i])
	}
	return string(b)
}

// decodePercent undoes the encoding that CloudFront gives User-Agents, some of them twice.
func decodePercent(s string) string {
	once, err := url.PathUnescape(s)
	if err != nil {
		return s
	}
	if twice, err := url.PathUnescape(once); err == nil && !strings.Contains(once, " ") {
		return twice
	}
	return once
}
