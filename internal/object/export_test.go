//go:build !wasip1

package object

import (
	"crypto/tls"
	"crypto/x509"
	"net/netip"
	"testing"
	"time"
)

// Hurry makes waits short for a test, and forgets what was known of servers.
func Hurry(t *testing.T) {
	before, host := limits, commonCrawl
	limits.firstWait, limits.longest, limits.tooFast, limits.stall = time.Millisecond, 20*time.Millisecond,
		2*time.Millisecond, 2*time.Second
	paces.Clear()
	t.Cleanup(func() { limits, commonCrawl = before, host })
}

// IsCommonCrawl makes a server Common Crawl's.
func IsCommonCrawl(host string) { commonCrawl = host }

// Stall sets for how long a server may send next to nothing.
func Stall(d time.Duration) { limits.stall = d }

// Small makes what is read at once small, so that small objects take many reads.
func Small() {
	limits.chunk, limits.block, limits.progress, limits.gap = 1<<10, 4<<10, 16<<10, 10<<10
}

// Trust trusts a server's certificate.
func Trust(t *testing.T, c *x509.Certificate) {
	pool := x509.NewCertPool()
	pool.AddCert(c)
	transport().TLSClientConfig = &tls.Config{RootCAs: pool}
	t.Cleanup(func() { transport().TLSClientConfig = nil })
}

// Public has an address count as one of the Internet.
func Public(t *testing.T, address string) {
	before := isPublic
	isPublic = func(a netip.Addr) bool { return a == netip.MustParseAddr(address) || before(a) }
	t.Cleanup(func() { isPublic = before })
}

// IsPublic reports whether an address is one of the Internet.
func IsPublic(address string) bool { return isPublic(netip.MustParseAddr(address)) }

// Patience sets for how long a transfer that does not get on is tried again.
func Patience(d time.Duration) { limits.patience = d }
