package weburl

import (
	"net/netip"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// toASCII is UTS 46 processing as the URL Standard calls it: non-transitional (ß is not
// ss), with joiner and bidi checks, without limits on hyphens ("r3---sn-x"),
// underscores or DNS lengths: all of these are met in the wild.
var toASCII = idna.New(
	idna.MapForLookup(),
	idna.BidiRule(),
	idna.Transitional(false),
	idna.CheckHyphens(false),
	idna.StrictDomainName(false),
)

// maxConvertible bounds the bytes given to UTS 46, whose Punycode step is
// quadratic. No name that DNS can hold is longer: its 253 bytes of Punycode
// stand for at most as many characters, of four bytes each.
const maxConvertible = 4 * 253

// convertHost brings a host to the form that origins are compared in. Where it
// cannot, it returns the bytes, lower-cased, and false.
func convertHost(host string) (string, bool) {
	if host[0] == '[' {
		return convertIPv6(host)
	}
	lower := ascii.Lower(host)
	if isPlainHost(lower) && !strings.Contains(lower, "xn--") {
		return lower, true
	}
	decoded := percentDecode(lower)
	if len(decoded) > maxConvertible || !utf8.ValidString(decoded) {
		return lower, false
	}
	// Decoding and mapping both can bring forth bytes that delimit a URL:
	// "a%2Fb", or U+FF0F, which maps to "/". Such a host would be read as
	// another one, so it stays as it is.
	ascii, err := toASCII.ToASCII(decoded)
	if err != nil || ascii == "" || !isPlainHost(ascii) {
		return lower, false
	}
	return ascii, true
}

// convertIPv6 writes an address in brackets as RFC 5952 requires, without a zone, which
// means something on the crawler's machine only (RFC 6874 §1).
func convertIPv6(host string) (string, bool) {
	lower := ascii.Lower(host)
	inner, closed := strings.CutSuffix(lower[1:], "]")
	inner, _, _ = strings.Cut(inner, "%")
	addr, err := netip.ParseAddr(inner)
	if !closed || err != nil || !addr.Is6() {
		return lower, false
	}
	return "[" + addr.String() + "]", true
}

// isPlainHost reports whether s is ASCII without the code points that the URL
// Standard forbids in a domain.
func isPlainHost(s string) bool {
	for i := range len(s) {
		if !plainHostByte[s[i]] {
			return false
		}
	}
	return true
}

var plainHostByte = func() (plain [256]bool) {
	for c := byte('!'); c < 0x7f; c++ {
		plain[c] = !strings.ContainsRune(`#%/:<>?@[\]^|`, rune(c))
	}
	return plain
}()

// percentDecode undoes each valid %XX once and leaves the others.
func percentDecode(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if c, ok := percentByte(s[i:]); ok {
			b = append(b, c)
			i += 2
			continue
		}
		b = append(b, s[i])
	}
	return string(b)
}

// percentByte reads the %XX that s starts with.
func percentByte[S string | []byte](s S) (octet byte, ok bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	hi, lo := ascii.Hex[s[1]], ascii.Hex[s[2]]
	return hi<<4 | lo, hi|lo != ascii.NotHex
}

// HostIsName reports whether the host is a domain name: neither an IP address
// nor bytes that kept a bad port.
func (u URL) HostIsName() bool {
	return strings.Trim(u.Host, "0123456789.") != "" && !strings.ContainsAny(u.Host, "[:")
}

// HostReversed is the host with its labels in reverse order, com.example.www,
// so that a domain's hosts sort together. A host that is no name (see
// [URL.HostIsName]) is kept whole; Common Crawl's columnar index has null in
// url_host_name_reversed there, and drops a final dot, which is kept here.
func (u URL) HostReversed() string {
	if !u.HostIsName() {
		return u.Host
	}
	return string(appendReversed(make([]byte, 0, len(u.Host)), u.Host, '.'))
}

// appendReversed appends the labels of a host in reverse order, with a separator between them.
func appendReversed(b []byte, host string, separator byte) []byte {
	for {
		dot := strings.LastIndexByte(host, '.')
		b = append(b, host[dot+1:]...)
		if dot < 0 {
			return b
		}
		b = append(b, separator)
		host = host[:dot]
	}
}

// RegisteredDomain is the host's public suffix and the label before it, taking
// the ICANN part of the Public Suffix List only: blogspot.com for
// x.blogspot.com, as url_host_registered_domain of Common Crawl's columnar
// index. It is "" for IP addresses, for a bare suffix, and for a name under a
// top-level domain that the list does not know.
func (u URL) RegisteredDomain() string {
	if !u.HostIsName() {
		return ""
	}
	host := strings.TrimSuffix(u.Host, ".")
	suffix, ok := icannSuffix(host)
	if !ok {
		return ""
	}
	above := strings.TrimSuffix(host[:len(host)-len(suffix)], ".")
	label := above[strings.LastIndexByte(above, '.')+1:]
	if label == "" {
		return ""
	}
	return host[len(above)-len(label):]
}

// icannSuffix finds the longest suffix of host in the list's ICANN part. The list gives
// the longest of both parts; below a private suffix lies the ICANN one. Only a look-up
// of the suffix itself shows its part: publicsuffix reports the part of the last label
// that it compared, and so takes us-east-1.amazonaws.com for an ICANN suffix of
// dualstack.us-east-1.amazonaws.com.
func icannSuffix(host string) (suffix string, ok bool) {
	for {
		suffix, icann := publicsuffix.PublicSuffix(host)
		_, parent, several := strings.Cut(suffix, ".")
		if several {
			_, icann = publicsuffix.PublicSuffix(suffix)
		}
		if icann || !several {
			return suffix, icann
		}
		host = parent
	}
}

// PublicSuffixVersion identifies the compiled-in Public Suffix List.
func PublicSuffixVersion() string {
	return publicsuffix.List.String()
}
