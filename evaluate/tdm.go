package evaluate

import (
	"net/http"

	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/pack"
	"github.com/robotsaudit/robotsaudit/internal/run"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// tdmRuns is the specification of the runs of captures of tdmrep.json.
var tdmRuns = func() run.Spec[ingest.Capture] {
	spec := ingest.CaptureRuns
	spec.Name = "tdm"
	return spec
}()

// maxTDM bounds the captures of one origin's tdmrep.json that are remembered; of
// more, the first.
const maxTDM = 4096

// tdmLine is what is known of one origin's /.well-known/tdmrep.json in time.
type tdmLine struct {
	store    *store
	captures []ingest.Capture // by time; those without a body say that there is no file
	file     tag.TDMFile      // the one parsed last
	digest   string           // and its body's
}

// add takes the next capture in order of time. A revisit renews the one before it;
// what is neither a file nor the answer that there is none, changes nothing.
func (l *tdmLine) add(c *ingest.Capture) error {
	if c.Kind != ingest.CaptureTDMRep || c.Method != http.MethodGet || !c.Time().Known() || len(l.captures) >= maxTDM {
		return nil
	}
	kept := *c
	kept.PolicyHeaders, kept.Metas, kept.Via = "", "", ""
	switch {
	case c.Type == ingest.Revisit || c.Status == http.StatusNotModified:
		if len(l.captures) == 0 {
			return nil
		}
		last := &l.captures[len(l.captures)-1]
		kept.Flags, kept.Pack, kept.BodyDigest, kept.BodyOffset, kept.BodySize = last.Flags, last.Pack, last.BodyDigest, last.BodyOffset, last.BodySize
	case c.Status/100 == 2 && c.Flags&ingest.FlagBodyKept != 0:
	case c.Status/100 == 4:
		kept.Flags &^= ingest.FlagBodyKept
	default:
		return nil
	}
	l.captures = append(l.captures, kept)
	return nil
}

// at returns the capture of the file that was in force at t: the latest at or
// before it. It is nil where none is known, or the latest says that there is none.
func (l *tdmLine) at(t ingest.Time) *ingest.Capture {
	if l == nil || !t.Known() {
		return nil
	}
	for i := len(l.captures) - 1; i >= 0; i-- {
		c := &l.captures[i]
		if c.Time().MicrosSince(t) > 0 {
			continue
		}
		if c.Flags&ingest.FlagBodyKept == 0 {
			return nil
		}
		return c
	}
	return nil
}

// parsed reads the file of a capture.
func (l *tdmLine) parsed(c *ingest.Capture) (*tag.TDMFile, error) {
	if l.digest != c.BodyDigest {
		ref := pack.Ref{Offset: c.BodyOffset, Size: c.BodySize}
		copy(ref.Digest[:], c.BodyDigest)
		body, err := l.store.packs[c.Pack].Get(ref)
		if err != nil {
			return nil, err
		}
		l.file, l.digest = tag.ReadTDMFile(body), c.BodyDigest
	}
	return &l.file, nil
}
