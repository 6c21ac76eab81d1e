// Package ranks reads rankings of domains, such as Tranco's, and finds how high a domain stands.
package ranks

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// Strata are the names of the parts of a ranking, from its top.
var Strata = [...]string{"1k", "10k", "50k", "100k", "1M", "2M", beyond}

const beyond = "beyond"

// last are the last ranks of the strata before beyond.
var last = [...]int64{1_000, 10_000, 50_000, 100_000, 1_000_000, 2_000_000}

// A List is a ranking. It holds eight bytes a domain, of the first two million.
type List struct {
	Name    string // of the file, without its folder
	SHA256  string // of the file, hexadecimal
	Domains int64  // in the file

	// Sorted: of each domain 61 bits of its SHA-256, then the index of its stratum. That two of
	// two million domains look alike is as likely as one in a million.
	entries []uint64
}

const stratumBits = 3

// maxLine is how many bytes a line of a ranking has at most; the longest domain has 253.
const maxLine = 4 << 10

// Read reads a file of lines RANK,DOMAIN, as it stands or in gzip. An error states what is expected.
func Read(path string) (*List, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; check the path", path, object.Cause(err))
	}
	defer file.Close()
	hash := sha256.New()
	in := bufio.NewReader(io.TeeReader(file, hash))
	l := &List{Name: filepath.Base(path)}
	switch start, _ := in.Peek(4); {
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		zipped, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("%s: the gzip stream is damaged: %w", path, err)
		}
		err = l.read(zipped)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	case bytes.HasPrefix(start, []byte("PK\x03\x04")):
		return nil, fmt.Errorf("%s is a zip file: unpack it, and name the CSV file in it", path)
	default:
		if err := l.read(in); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if _, err := io.Copy(io.Discard, in); err != nil { // what stands behind a gzip stream
		return nil, err
	}
	l.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return l, nil
}

func (l *List) read(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	number := 0
	for lines.Scan() {
		number++
		line := lines.Text()
		if number == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		rank, domain, fault := parseLine(line)
		if fault != "" {
			return fmt.Errorf("line %d: %q: %s; a line is RANK,DOMAIN, as in 1,example.com, and there is no header "+
				"(Tranco's CSV)", number, shortened(line), fault)
		}
		l.Domains++
		if s := stratumOf(rank); s < len(last) {
			l.entries = append(l.entries, fingerprint(domain)|uint64(s))
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("line %d is longer than %d bytes; a line is RANK,DOMAIN, as in 1,example.com (Tranco's CSV)",
			number+1, maxLine)
	case err != nil && number == 0:
		return err
	case err != nil:
		return fmt.Errorf("after line %d: %w", number, err)
	case l.Domains == 0:
		return errors.New("it names no domain; a line is RANK,DOMAIN, as in 1,example.com (Tranco's CSV)")
	}
	slices.Sort(l.entries)
	l.entries = slices.Clip(slices.Clone(l.entries))
	return nil
}

// parseLine reads a line, and says what is wrong with it, if anything.
func parseLine(line string) (rank int64, domain, fault string) {
	number, domain, ok := strings.Cut(line, ",")
	if !ok {
		return 0, "", "there is no comma"
	}
	rank, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || rank < 1 {
		return 0, "", fmt.Sprintf("%q is no rank", shortened(number))
	}
	domain = strings.TrimSpace(domain)
	switch {
	case strings.Contains(domain, ","):
		return 0, "", "there are more than two columns"
	case domain == "" || strings.ContainsAny(domain, " \t/:\"'@?"), strings.Trim(domain, "0123456789.") == "":
		return 0, "", fmt.Sprintf("%q is no domain", shortened(domain))
	}
	return rank, domain, ""
}

func shortened(s string) string {
	const most = 60
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

func stratumOf(rank int64) int {
	s, _ := slices.BinarySearch(last[:], rank)
	return s
}

// fingerprint is what is kept of a domain; the bits of the stratum are zero.
func fingerprint(domain string) uint64 {
	u, _ := weburl.Parse("http://" + domain) // in the form that hosts of archives have
	sum := sha256.Sum256([]byte(strings.TrimSuffix(u.Host, ".")))
	return binary.BigEndian.Uint64(sum[:]) >> stratumBits << stratumBits
}

// Stratum returns the part of the ranking that a host belongs to: that of its pay-level domain,
// else its own. A list has blogs of one host as domains of their own if the public suffix list has;
// so they never stand as high as that host does. Of no host there is no stratum.
func (l *List) Stratum(u weburl.URL) string {
	if u.Host == "" {
		return ""
	}
	for _, name := range [...]string{u.PayLevelDomain(), u.Host} {
		if name == "" {
			continue
		}
		key := fingerprint(name)
		if i, _ := slices.BinarySearch(l.entries, key); i < len(l.entries) &&
			l.entries[i]>>stratumBits == key>>stratumBits {
			return Strata[l.entries[i]&(1<<stratumBits-1)]
		}
	}
	return beyond
}
