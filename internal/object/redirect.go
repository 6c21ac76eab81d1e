//go:build !wasip1

package object

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"slices"
	"strings"
	"syscall"
)

// Where a server may send its readers is not up to the user. So redirects lead never away from https,
// never to another protocol, never from a public address to one of this machine or of a private
// network, and to another host only for what the user has named.

// newClient returns a client that follows redirects as far as they may lead.
func newClient(t *http.Transport, check func(*http.Request, []*http.Request) error) *http.Client {
	public := t.Clone()
	public.DialContext = (&net.Dialer{Timeout: limits.connect, Control: refusePrivate}).DialContext
	return &http.Client{Transport: &guard{any: t, public: public}, CheckRedirect: check}
}

// checkRedirect bounds redirects. The URL that led here is not shown: it may have
// secrets.
func checkRedirect(r *http.Request, via []*http.Request) error {
	r.Header.Del("Referer")
	last := via[len(via)-1].URL
	switch {
	case len(via) > limits.redirects:
		return &fault{reason: fmt.Sprintf("the server redirects more than %d times; give the URL where the file is",
			limits.redirects)}
	case r.URL.Scheme != "https" && r.URL.Scheme != "http":
		return &fault{reason: fmt.Sprintf("the server redirects to a URL of another kind (%.20s:); give the URL "+
			"where the file is", r.URL.Scheme)}
	case last.Scheme == "https" && r.URL.Scheme != "https":
		return &fault{reason: "the server redirects from https to http, where nobody knows who answers; give the " +
			"URL where the file is"}
	case r.Context().Value(confined{}) != nil && !strings.EqualFold(last.Host, r.URL.Host) &&
		!(strings.EqualFold(last.Hostname(), r.URL.Hostname()) && r.URL.Scheme == "https" && r.URL.Port() == ""):
		return &fault{reason: fmt.Sprintf("the server redirects to another host (%.100s), which is followed only "+
			"for what the command line names; give the URL where the file is", r.URL.Host)}
	}
	return nil
}

// checkStoreRedirect is checkRedirect for S3, whose client reads the other redirects itself.
func checkStoreRedirect(r *http.Request, via []*http.Request) error {
	if s := r.Response.StatusCode; s != http.StatusTemporaryRedirect && s != http.StatusPermanentRedirect {
		return http.ErrUseLastResponse
	}
	return checkRedirect(r, via)
}

// guard makes requests. What a server at a public address redirects goes to public addresses alone.
type guard struct{ any, public *http.Transport }

// ofPublic is the body of an answer that came from a public address.
type ofPublic struct{ io.ReadCloser }

func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	t, isRedirected := g.any, false
	if r.Response != nil { // the redirect
		_, isRedirected = r.Response.Body.(ofPublic)
	}
	fromPublic := !isPrivateName(r.URL.Hostname()) // if a proxy makes the connection
	switch proxy, err := g.any.Proxy(r); {
	case err != nil:
		return nil, err
	case proxy == nil:
		trace := &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
			a, err := netip.ParseAddrPort(c.Conn.RemoteAddr().String())
			fromPublic = err == nil && isPublic(a.Addr())
		}}
		r = r.WithContext(httptrace.WithClientTrace(r.Context(), trace))
		if isRedirected {
			t = g.public
		}
	case isRedirected && !fromPublic:
		return nil, errPrivate
	}
	a, err := t.RoundTrip(r)
	if err == nil && fromPublic {
		a.Body = ofPublic{a.Body}
	}
	return a, err
}

var errPrivate = &fault{reason: "the server redirects to an address of this machine or of a private network; give " +
	"the URL where the file is"}

// refusePrivate keeps a dialer from addresses that are not public.
func refusePrivate(_, address string, _ syscall.RawConn) error {
	if a, err := netip.ParseAddrPort(address); err != nil || !isPublic(a.Addr()) {
		return errPrivate
	}
	return nil
}

// isPrivateName reports whether a host is written as an address that is not public, or is this machine.
func isPrivateName(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && !isPublic(a) || strings.EqualFold(strings.TrimSuffix(host, "."), "localhost")
}

// isPublic reports whether an address is one of the Internet. Tests have others be public.
var isPublic = func(a netip.Addr) bool {
	a = a.Unmap()
	if nat64.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	return a.IsGlobalUnicast() && !a.IsPrivate() &&
		!slices.ContainsFunc(notPublic, func(p netip.Prefix) bool { return p.Contains(a) })
}

var nat64 = netip.MustParsePrefix("64:ff9b::/96") // RFC 6052: an IPv4 address in IPv6

// notPublic are addresses that are not globally reachable (IANA's special-purpose registries), beyond
// those that netip knows.
var notPublic = func() (list []netip.Prefix) {
	for _, text := range [...]string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4", "64:ff9b:1::/48", "100::/64",
		"2002::/16", "fec0::/10",
	} {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}()
