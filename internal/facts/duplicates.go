package facts

// maxTwins bounds the records of one id, URL and time that are distinguished.
const maxTwins = 32

// Duplicates finds the copies of a record among rows in the order of the facts, where
// all rows of one id, URL and time are neighbours. The zero value has seen no row.
type Duplicates []Fetch

// First returns the earlier row that f is a copy of, or nil.
func (d *Duplicates) First(f *Fetch) *Fetch {
	if list := *d; len(list) > 0 &&
		!(list[0].RecordID == f.RecordID && list[0].Micros == f.Micros && list[0].URL == f.URL) {
		*d = list[:0]
	}
	for i := range *d {
		if first := &(*d)[i]; SameRecord(first, f) {
			return first
		}
	}
	if f.RecordID != "" && len(*d) < maxTwins {
		*d = append(*d, *f)
	}
	return nil
}

// Alone reports whether the row that First last received is the first of its id, URL and time.
func (d *Duplicates) Alone() bool { return len(*d) <= 1 }

// SameRecord reports whether two rows are copies of one record: the same id, URL
// and time are not enough, for there are writers that use an id twice. A whole copy stands before one that was cut.
func SameRecord(a, b *Fetch) bool {
	return a.RecordID != "" && a.RecordID == b.RecordID && a.Micros == b.Micros && a.Precision == b.Precision &&
		a.URL == b.URL && a.Type == b.Type && a.Status == b.Status && a.Location == b.Location &&
		(a.PayloadDigest == b.PayloadDigest || b.PayloadDigest == "" && b.IsCut())
}
