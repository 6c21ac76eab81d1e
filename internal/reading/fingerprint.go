package reading

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/wacz"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/challenge"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/rowreading"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// MaxHTTPHead is how many bytes of an HTTP head are read.
const MaxHTTPHead = maxHTTPHead

// Mode is how archives are read.
type Mode string

// Plain is the mode without options.
const Plain Mode = "without --verify-digests"

// Modes are all of them.
var Modes = [...]Mode{ModeOf(false), ModeOf(true)}

// ModeOf is the mode in which the digests of all records are compared, or of policy captures alone.
func ModeOf(verify bool) Mode {
	if verify {
		return "with --verify-digests"
	}
	return Plain
}

// Fingerprint identifies what shapes the facts besides the inputs: their schema, the limits, the vocabulary
// of tags, the mode. Facts of another fingerprint are not read.
func (m Mode) Fingerprint() string { return fingerprintOf(limits, m) }

func fingerprintOf(limits string, m Mode) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "schema %s, tags %s, challenges %s in %d bytes, limits %v, %s", facts.SchemaVersion,
		tag.Version, challenge.Data, challenge.MaxPage, borrowed,
		strings.Join([]string{warc.Limits, wacz.Limits, httpmsg.Limits, rowreading.Limits, limits, string(m)}, "\n")))
	return hex.EncodeToString(sum[:6])
}
