package reading

import "github.com/robotsaudit/robotsaudit/internal/archive/warc"

// Place is where a record stands in its archive. The zero value is no record.
type Place struct {
	Index     int64 // number of the record, from 1, as in facts.Fetch
	Offset    int64 // as in facts.Fetch
	Nth       int64 // records before it at the same offset: in the same compressed member
	Streamed  bool  // the offset is one in a decompressed stream
	Resynced  bool  // it stands after damage
	Forgeable bool  // and a page could hold it
}

// next is the place of the record that follows the one at p.
func (p Place) next(index int, r *warc.Record) Place {
	at := Place{
		Index: int64(index), Offset: r.Offset, Streamed: r.Streamed, Resynced: r.Resynced,
		Forgeable: r.Forgeable,
	}
	if p.Index > 0 && p.Offset == r.Offset {
		at.Nth = p.Nth + 1
	}
	return at
}

// Companions are the places of a fetch's record and of the records that belong to it. Second is that of
// a request with another User-Agent. Segments are listed for policy captures only.
type Companions struct {
	Own, Request, Second, Metadata, Warcinfo Place
	Segments                                 []Place // in order, without the first
}
