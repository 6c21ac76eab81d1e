package weburl

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// SURTKey is the sort key that Common Crawl's indexes hold as url_surtkey:
// com,example)/path?query. It follows the Python library surt 0.3 with its
// default canonicalizer, which drops scheme, userinfo, default port, fragment,
// a leading "www." or "www2.", session ids and a final slash, undoes percent
// encoding repeatedly and applies it once, resolves dot segments, lower-cases
// everything and sorts the query.
//
// It differs from that library
//   - in hosts outside ASCII: ours went through UTS 46, surt's through
//     IDNA 2003 (faß.de is fass.de there), and bytes that are no UTF-8 are
//     dropped there and percent-encoded here;
//   - in IPv6 addresses, which it keeps as written, zone included;
//   - in bad ports, where it raises an exception;
//   - where a port or userinfo has no host, as in http://:80/a;
//   - in spaces before a fragment, which Parse drops and surt encodes;
//   - in URLs that put "https//" after "http://": read as "https://" here.
func (u URL) SURTKey() string {
	switch {
	case u.Scheme == "filedesc" && u.Host == "":
		return "filedesc:" + u.PathQuery()
	case u.Scheme == "filedesc": // the first record of an ARC file
		return u.Origin() + u.PathQuery()
	case u.Scheme == "" && u.Path == "" && !u.HasQuery:
		return "-"
	case u.Scheme == "":
		u, _ = Parse("http://" + u.PathQuery())
	}
	u = u.withoutDoubledScheme()

	host, path := u.Host, u.Path
	if host == "" && strings.HasPrefix(u.Scheme, "http") {
		host, path, _ = strings.Cut(strings.TrimLeft(path, "/"), "/")
		path = "/" + path
	}
	key := make([]byte, 0, len(host)+len(path)+len(u.Query)+len(",)?:65535"))
	key = appendSURTHost(key, host)
	hasHost := len(key) > 0
	if hasHost {
		if u.Port != 0 && (u.Port != defaultPort(u.Scheme) || u.Scheme == "ftp") {
			key = strconv.AppendInt(append(key, ':'), int64(u.Port), 10)
		}
		key = append(key, ')')
	} else {
		key = append(append(key, u.Scheme...), ':')
	}
	pathStart := len(key)
	key = appendSURTPath(key, path, hasHost)
	return string(appendSURTQuery(key, u.Query, len(key) == pathStart))
}

// SURTKeys makes SURT keys of URLs. Most follow others of their origin: the common part is made once. If it were
// not, deciding and writing fetches would take 1.08 times the CPU.
type SURTKeys struct {
	origin string // of the key before
	host   string // its key as far as the path; "" if the keys of the origin have to be made whole
	key    []byte
}

// Key is the SURT key of a recorded URL, given the origin that Parse finds in it.
func (k *SURTKeys) Key(origin, raw string) string {
	if origin != k.origin {
		u, _ := Parse(origin)
		k.origin, k.host = strings.Clone(origin), ""
		if key, ok := strings.CutSuffix(u.SURTKey(), ")/"); ok && u.Origin() == origin && IsFetchScheme(u.Scheme) &&
			!isHTTP(u.Host) {
			k.host = key + ")"
		}
	}
	rest, ok := strings.CutPrefix(raw, origin)
	if k.host == "" || !ok || rest != "" && rest[0] != '/' && rest[0] != '?' {
		u, _ := Parse(raw)
		return u.SURTKey()
	}
	path, query, _ := strings.Cut(trim(rest), "?")
	k.key = appendSURTPath(append(k.key[:0], k.host...), cmp.Or(path, "/"), true)
	k.key = appendSURTQuery(k.key, query, len(k.key) == len(k.host))
	return string(k.key)
}

func isHTTP(scheme string) bool { return scheme == "http" || scheme == "https" }

// withoutDoubledScheme reads http://https://example.com/ as its second URL.
func (u URL) withoutDoubledScheme() URL {
	if !isHTTP(u.Scheme) || !isHTTP(u.Host) || u.Port != 0 || !strings.HasPrefix(u.Path, "//") {
		return u
	}
	scheme, rest := u.Host, u.PathQuery()
	for {
		if strings.HasPrefix(rest, "//http://") {
			scheme = "http"
		} else if strings.HasPrefix(rest, "//https://") {
			scheme = "https"
		} else {
			break
		}
		rest = rest[len("//:")+len(scheme):]
	}
	doubled, _ := Parse(scheme + ":" + rest)
	return doubled
}

// appendSURTHost appends the host with its labels reversed, commas between.
func appendSURTHost(dst []byte, host string) []byte {
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		host = host[1 : len(host)-1]
	}
	if strings.IndexByte(host, '%') >= 0 || !isPlainHost(host) {
		host = string(appendUnescaped(nil, host))
	}
	host = strings.Trim(strings.ReplaceAll(host, "..", "."), ".")
	if address, ok := ipv4Number(host); ok {
		host = address
	} else if !isPlainHost(host) {
		host = string(appendEscapedLower(nil, host))
	}
	return appendReversed(dst, withoutWWW(ascii.Lower(host)), ',')
}

// withoutWWW drops "www.", "www2.", "www10." at the start.
func withoutWWW(host string) string {
	rest, ok := strings.CutPrefix(host, "www")
	if !ok {
		return host
	}
	rest = strings.TrimLeft(rest, "0123456789")
	if name, ok := strings.CutPrefix(rest, "."); ok {
		return name
	}
	return host
}

// ipv4Number reads an IPv4 address in the forms of C's inet_aton without hexadecimal:
// one number, taken modulo 2^32, or two to four, octal after a leading zero; the last
// one fills the remaining bytes.
func ipv4Number(host string) (dotted string, ok bool) {
	if host == "" || strings.Trim(host, "0123456789.") != "" || strings.Count(host, ".") > 3 {
		return "", false
	}
	var address uint32
	parts := strings.Split(host, ".")
	if len(parts) == 1 {
		for _, digit := range []byte(host) {
			address = address*10 + uint32(digit-'0')
		}
		return dottedQuad(address), true
	}
	octal := parts[0] != "" && parts[0][0] == '0'
	for i, part := range parts {
		if octal && strings.ContainsAny(part, "89") {
			return "", false
		}
		base := 10
		if len(part) > 1 && part[0] == '0' {
			base = 8
		}
		bits := 8
		if i == len(parts)-1 {
			bits = 32 - 8*i
		}
		n, err := strconv.ParseUint(part, base, bits)
		if err != nil {
			return "", false
		}
		address = address<<bits | uint32(n)
	}
	return dottedQuad(address), true
}

func dottedQuad(address uint32) string {
	return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, address))).String()
}

// appendSURTPath appends the path; one without a host, as in dns:name, has no
// segments.
func appendSURTPath(dst []byte, path string, hasHost bool) []byte {
	start := len(dst)
	if isUnescaped(path) && !(hasHost && (strings.Contains(path, "//") || strings.Contains(path, "/."))) {
		dst = appendEscapedLower(dst, path) // without a copy, which most paths can do without
	} else {
		plain := appendUnescaped(make([]byte, 0, len(path)), path)
		if hasHost {
			plain = normalPath(plain)
		}
		dst = appendEscapedLower(dst, plain)
	}
	dst = append(dst[:start], withoutPathSession(dst[start:])...)
	if len(dst)-start > 1 && dst[len(dst)-1] == '/' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// normalPath resolves dot segments and drops empty segments. Its first segment,
// before the first slash, is empty. A ".." with nothing above it stays.
func normalPath(path []byte) []byte {
	if !bytes.Contains(path, []byte("//")) && !bytes.Contains(path, []byte("/.")) {
		return path
	}
	var kept [][]byte
	for _, segment := range bytes.Split(path, []byte("/"))[1:] {
		switch {
		case string(segment) == ".":
		case string(segment) == ".." && len(kept) > 0:
			kept = kept[:len(kept)-1]
		default:
			kept = append(kept, segment)
		}
	}
	out := make([]byte, 0, len(path))
	out = append(out, '/')
	for i, segment := range kept {
		out = append(out, segment...)
		if len(segment) > 0 && i < len(kept)-1 {
			out = append(out, '/')
		}
	}
	return out
}

// appendSURTQuery appends "?" and the query, and nothing for an empty one.
// With a query, an empty path becomes "/".
func appendSURTQuery(dst []byte, query string, pathEmpty bool) []byte {
	if query == "" {
		return dst
	}
	plain := appendUnescaped(make([]byte, 0, len(query)), query)
	escaped := appendEscapedLower(make([]byte, 0, len(plain)), plain)
	escaped = withoutQuerySession(escaped)
	if len(escaped) == 0 {
		return dst
	}
	if pathEmpty {
		dst = append(dst, '/')
	}
	dst = append(dst, '?')
	return appendSortedQuery(dst, escaped)
}

// appendSortedQuery sorts arguments by name, then those without "=" before
// those with, then by value.
func appendSortedQuery(dst, query []byte) []byte {
	if bytes.IndexByte(query, '&') < 0 {
		return append(dst, query...)
	}
	args := bytes.Split(query, []byte("&"))
	slices.SortStableFunc(args, func(a, b []byte) int {
		aName, aValue, aHas := bytes.Cut(a, []byte("="))
		bName, bValue, bHas := bytes.Cut(b, []byte("="))
		if c := bytes.Compare(aName, bName); c != 0 || aHas == bHas {
			return cmp.Or(c, bytes.Compare(aValue, bValue))
		}
		if aHas {
			return 1
		}
		return -1
	})
	return append(dst, bytes.Join(args, []byte("&"))...)
}

// pathSessions are the segments that ASP.NET puts before a page's name, /(s(24 characters))/ and /(24 characters)/,
// in a lower-cased path, as the library has them.
var pathSessions = [...]*regexp.Regexp{
	regexp.MustCompile(`^(.*/)\((?:[a-z]\([0-9a-z]{24}\))+\)/([^?]+\.aspx.*)$`),
	regexp.MustCompile(`^(.*/)\([0-9a-z]{24}\)/([^?]+\.aspx.*)$`),
}

// withoutPathSession drops the last segment of each kind.
func withoutPathSession(path []byte) []byte {
	if bytes.Contains(path, []byte("/(")) {
		for _, session := range pathSessions {
			path = session.ReplaceAll(path, []byte("$1$2"))
		}
	}
	return path
}

// querySessions are the ends of query arguments that carry a session, by the beginning of each. It may stand
// anywhere: "xsid=" ends with "sid=".
var querySessions = [...]struct {
	begin string
	all   *regexp.Regexp
}{
	{"jsessionid=", regexp.MustCompile(`^(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?$`)},
	{"phpsessid=", regexp.MustCompile(`^(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?$`)},
	{"sid=", regexp.MustCompile(`^(.*)sid=[0-9a-z]{32}(?:&(.*))?$`)},
	{"aspsessionid", regexp.MustCompile(`^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?$`)},
	{"cfid=", regexp.MustCompile(`^(.*)cfid=[^&]+&cftoken=[^&]+(?:&(.*))?$`)},
}

// withoutQuerySession drops, for each kind of session argument, the last one that ends
// its argument, with the "&" after it.
func withoutQuerySession(query []byte) []byte {
	for _, session := range querySessions {
		if bytes.Contains(query, []byte(session.begin)) {
			query = session.all.ReplaceAll(query, []byte("$1$2"))
		}
	}
	return query
}

// appendUnescaped undoes percent encoding until none is left, without TAB, LF
// and CR. Undoing at the end of what is already free of it takes linear time,
// also for "%252525…", and comes to the same as repeated passes: escapes never
// overlap, so their order makes no difference.
func appendUnescaped(dst []byte, s string) []byte {
	if isUnescaped(s) {
		return append(dst, s...)
	}
	start := len(dst)
	for i := range len(s) {
		if c := s[i]; c == '\t' || c == '\n' || c == '\r' {
			continue
		}
		dst = append(dst, s[i])
		for len(dst)-start >= 3 {
			octet, ok := percentByte(dst[len(dst)-3:])
			if !ok {
				break
			}
			dst = append(dst[:len(dst)-3], octet)
		}
	}
	return dst
}

// isUnescaped reports whether appendUnescaped would change nothing.
func isUnescaped(s string) bool {
	return strings.IndexByte(s, '%') < 0 && !strings.ContainsAny(s, "\t\n\r")
}

// appendEscapedLower percent-encodes bytes outside printable ASCII, and "#", "%" and
// the space, and lower-cases the whole.
func appendEscapedLower[S string | []byte](dst []byte, s S) []byte {
	const hex = "0123456789abcdef"
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7f || c == '#' || c == '%' {
			dst = append(dst, '%', hex[c>>4], hex[c&0xf])
			continue
		}
		dst = append(dst, ascii.LowerByte(c))
	}
	return dst
}

// SURTHost is the host in a SURT key, as Common Crawl's host index has it in surt_host_name:
// com,example for com,example)/path. It has no port, and is "" where the key has no host.
func SURTHost(key string) string {
	host, _, ok := strings.Cut(key, ")/")
	if !ok {
		return ""
	}
	if strings.Count(host, ":") == 1 { // an IPv6 address has more, and its port is ambiguous
		host, _, _ = strings.Cut(host, ":")
	}
	return host
}
