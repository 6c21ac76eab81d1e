package ingest

import (
	"bytes"
	"strconv"
)

// metadata is what a metadata record tells of how the crawler came to a URL. The
// field names are Heritrix's; other crawlers write some of them.
type metadata struct {
	index  int // of the record in its input
	id     string
	target string
	names  []string // the records that it describes
	via    string   // the page that led to the URL
	hops   string   // how: a letter a hop from the seed, E an embed, P a prerequisite, L a link, R a redirect
	millis int32    // that the fetch took; -1: not said
	flags  Flags
	texts  *texts // where its strings lie
}

// extractMetadata reads the fields of a metadata record (WARC 1.1 §6.6). Records of
// other content, and those without any of the fields, are left alone.
func (c *committer) extractMetadata(r *record, d *draft) error {
	switch mimeType(r.contentType) {
	case "application/warc-fields", "text/anvl", "":
	default:
		return nil
	}
	b, err := readUpTo(r.block, c.head, maxMetadata)
	if err != nil {
		return err
	}
	c.head = b[:0]
	full := len(b) == maxMetadata
	if full { // the line that is cut says something else
		b = b[:bytes.LastIndexByte(b, '\n')+1]
	}
	m := metadata{id: r.id, target: cut(r.target, maxURL), names: r.concurrentTo, millis: -1, texts: r.texts}
	if r.refersTo != "" {
		m.names = r.passing.add(m.names, r.refersTo)
	}
	found := false
	f := fields{rest: b}
	for f.next() {
		found = m.set(f.name, f.value) || found
	}
	if full {
		d.note(r, IssueValueCut, "the rest dropped", "a metadata record of %d octets or more", maxMetadata)
	}
	if len(m.via) == maxURL || len(m.hops) == maxHopsFromSeed {
		d.note(r, IssueValueCut, "the rest dropped", "via or hopsFromSeed of %d and %d octets or more", len(m.via), len(m.hops))
	}
	if found {
		d.metadata = c.metadata.new()
		*d.metadata = m
	}
	return nil
}

// set stores a field and reports whether it is one that is kept.
func (m *metadata) set(name, value []byte) bool {
	switch {
	case isField(name, "via"):
		first(&m.via, m.texts.of(cutOctets(value, maxURL)))
		m.flags |= FlagDiscovery
	case isField(name, "hopsfromseed"):
		first(&m.hops, m.texts.of(cutOctets(value, maxHopsFromSeed)))
		m.flags |= FlagDiscovery
	case isField(name, "seed"):
		m.flags |= FlagDiscovery | FlagSeed
	case isField(name, "force-fetch"):
		m.flags |= FlagDiscovery | FlagForceFetch
	case isField(name, "fetchtimems"):
		n, err := strconv.ParseInt(string(value), 10, 32)
		if err != nil || n < 0 {
			return false
		}
		m.millis = int32(n)
	default:
		return false
	}
	return true
}

// describe takes over what the metadata record of a fetch says. It is nearer than
// the word of a page list.
func (x *exchange) describe(m *metadata) {
	x.described, x.describedSize = true, m.size()
	x.Via, x.HopsFromSeed, x.Millis = m.via, m.hops, m.millis
	if m.flags&FlagDiscovery != 0 {
		x.Flags &^= FlagSeed | FlagSeedTold
	}
	x.Flags |= m.flags
}

// size is what of the metadata may be long, in octets.
func (m *metadata) size() int {
	return len(m.id) + len(m.target) + len(m.via) + len(m.hops) + idSize(m.names)
}
