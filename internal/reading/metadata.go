package reading

import (
	"bytes"
	"io"
	"strconv"

	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// metadata is a metadata record's account of how the crawler came to a URL. The
// field names are Heritrix's; other crawlers write some of them.
type metadata struct {
	index  int // of the record in its input
	at     Place
	id     recordid.ID // recordid.Key
	target string
	names  []recordid.ID // the records that it describes, by recordid.Key
	via    string        // the page that led to the URL
	hops   string        // how: a letter a hop from the seed, E an embed, P a prerequisite, L a link, R a redirect
	millis int32         // as that of facts.Fetch
	flags  facts.Flags
}

// extractMetadata reads the fields of a metadata record (WARC 1.1 §6.6), about itself or
// another record. Records of other content, or without any of the fields, are left alone.
func (e *extractor) extractMetadata(d *draft) error {
	r := d.record
	switch facts.MediaType(r.ContentType) {
	case "application/warc-fields", "text/anvl", "":
	case "application/json":
		return e.extractWAT(d)
	default:
		e.extractOther(d)
		return nil
	}
	m := metadata{id: r.ID.Key(), target: facts.AtMost(r.Target, warc.MaxURL), names: r.ConcurrentTo, millis: -1}
	if r.RefersTo != "" {
		m.names = append(m.names, r.RefersTo.Key())
	}
	found, full, err := e.readMetadata(r.Block, &m)
	if err != nil {
		return err
	}
	if full {
		d.note(words.IssueValueCut, "the rest dropped", "a metadata record of %d bytes or more", maxMetadata)
	}
	if len(m.via) == warc.MaxURL || len(m.hops) == maxHopsFromSeed {
		d.note(words.IssueValueCut, "the rest dropped", "via or hopsFromSeed of %d and %d bytes or more", len(m.via),
			len(m.hops))
	}
	if found {
		d.metadata = new(metadata)
		*d.metadata = m
	}
	return nil
}

// metadataPiece is how many bytes of a metadata record are looked at together: the record of a
// page with many links has half a million of them, few of them in fields to keep.
const metadataPiece = 16 << 10

// readMetadata stores the fields of a block, up to an empty line. It reports whether any of
// them is kept, and whether there were maxMetadata bytes or more.
func (e *extractor) readMetadata(block io.Reader, m *metadata) (found, full bool, err error) {
	var b []byte
	fieldsEnded := false
	for size, ended := 0, false; !ended; {
		held, more := len(b), min(metadataPiece, maxMetadata-size)
		if b, err = readUpTo(block, append(e.head[:0], b...), held+more); err != nil {
			return found, false, err
		}
		e.head = b[:0]
		size += len(b) - held
		full, ended = size == maxMetadata, size == maxMetadata || len(b) < held+more
		whole := len(b)
		switch {
		case full: // the line that is cut holds something else
			whole = bytes.LastIndexByte(b, '\n') + 1
		case !ended:
			whole = wholeFields(b)
		}
		f := warc.Fields{Rest: b[:whole]}
		for !fieldsEnded && f.Next() {
			found = m.set(f.Name, f.Value) || found
		}
		fieldsEnded = fieldsEnded || len(f.Rest) > 0
		b = b[whole:]
	}
	return found, full, nil
}

// wholeFields is the length of the fields in b that are whole: after them another one
// begins, not a line that is folded.
func wholeFields(b []byte) int {
	for end := len(b) - 1; end > 0; {
		end = bytes.LastIndexByte(b[:end], '\n') + 1
		if b[end] != ' ' && b[end] != '\t' {
			return end
		}
		end--
	}
	return 0
}

// set stores a field and reports whether it is one that is kept.
func (m *metadata) set(name, value []byte) bool {
	switch {
	case warc.IsField(name, "via"):
		warc.First(&m.via, string(firstBytes(value, warc.MaxURL)))
		m.flags |= facts.FlagDiscovery
	case warc.IsField(name, "hopsfromseed"):
		warc.First(&m.hops, string(firstBytes(value, maxHopsFromSeed)))
		m.flags |= facts.FlagDiscovery
	case warc.IsField(name, "seed"):
		m.flags |= facts.FlagDiscovery | facts.FlagSeed
	case warc.IsField(name, "force-fetch"):
		m.flags |= facts.FlagDiscovery | facts.FlagForceFetch
	case warc.IsField(name, "fetchtimems"):
		if len(value) == 0 {
			return false
		}
		n, err := strconv.ParseInt(string(value), 10, 32)
		if err != nil || n < 0 {
			n = facts.NoMillis
		}
		m.millis = int32(n)
	default:
		return false
	}
	return true
}

// describe takes over the statements of a fetch's metadata record. They are nearer
// than the word of a page list.
func (x *exchange) describe(m *metadata) {
	x.described, x.describedSize = true, m.size()
	x.companions.Metadata = m.at
	x.Via, x.HopsFromSeed, x.Millis = m.via, m.hops, m.millis
	if m.flags&facts.FlagDiscovery != 0 {
		x.Flags &^= facts.FlagSeed | facts.FlagSeedKnown
	}
	x.Flags |= m.flags
}

// size is what of the metadata may be long, in bytes.
func (m *metadata) size() int {
	return len(m.id) + len(m.target) + len(m.via) + len(m.hops) + idSize(m.names)
}
