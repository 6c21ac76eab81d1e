package reading

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
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
	spoken string        // the languages that the crawler found in the content
	flags  facts.Flags
}

// extractMetadata reads the fields of a metadata record (WARC 1.1 §6.6), about itself or
// another record. Records of other content, or without any of the fields, are left alone.
func (e *extractor) extractMetadata(d *draft) error {
	r := d.record
	switch httpmsg.MediaType(r.ContentType) {
	case "application/warc-fields", "text/anvl", "":
	default:
		e.extractOther(d)
		return nil
	}
	m := metadata{id: r.ID.Key(), target: facts.AtMost(r.Target, warc.MaxURL), names: r.ConcurrentTo, millis: -1}
	if r.RefersTo != "" {
		m.names = append(m.names, r.RefersTo.Key())
	}
	block := bytes.NewBuffer(e.head)
	if _, err := block.ReadFrom(io.LimitReader(r.Block, maxMetadata)); err != nil {
		return err
	}
	b := block.Bytes()
	e.head = b[:0]
	if len(b) == maxMetadata {
		d.note(words.IssueValueCut, "the rest dropped", "a metadata record of %d bytes or more", maxMetadata)
		b = b[:bytes.LastIndexByte(b, '\n')+1] // the line that is cut holds something else
	}
	found := false
	for f := (warc.Fields{Rest: b}); f.Next(); {
		found = m.set(f.Name, f.Value) || found
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

// set stores a field and reports whether it is one that is kept.
func (m *metadata) set(name, value []byte) bool {
	switch {
	case warc.IsField(name, "via"):
		warc.First(&m.via, facts.AtMost(string(value), warc.MaxURL))
		m.flags |= facts.FlagDiscovery
	case warc.IsField(name, "hopsfromseed"):
		warc.First(&m.hops, facts.AtMost(string(value), maxHopsFromSeed))
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
		m.millis = max(m.millis, int32(n))
	case warc.IsField(name, "languages-cld2"): // of Common Crawl
		var found struct {
			Languages []struct {
				Code string `json:"code-iso-639-3"`
			}
		}
		if json.Unmarshal(value, &found) != nil {
			return false
		}
		var codes []string
		for _, l := range found.Languages {
			codes = append(codes, l.Code)
		}
		m.spoken = httpmsg.LanguageList(strings.Join(codes, ","))
	default:
		return false
	}
	return true
}

// describe takes over the statements of a fetch's metadata record. They are nearer
// than the word of a page list. Of a second one, a longer time counts.
func (x *exchange) describe(m *metadata) {
	if x.described {
		if m.millis > x.Millis {
			x.Millis, x.companions.Metadata = m.millis, m.at
		}
		return
	}
	x.described, x.describedSize = true, m.size()
	x.companions.Metadata = m.at
	x.Via, x.HopsFromSeed, x.Millis = m.via, m.hops, m.millis
	x.Languages = cmp.Or(x.Languages, m.spoken)
	if m.flags&facts.FlagDiscovery != 0 {
		x.Flags &^= facts.FlagSeed | facts.FlagSeedKnown
	}
	x.Flags |= m.flags
}

// size is what of the metadata may be long, in bytes.
func (m *metadata) size() int {
	return len(m.id) + len(m.target) + len(m.via) + len(m.hops) + idSize(m.names)
}
