package finding

import (
	"cmp"
	"encoding/binary"
	"reflect"
	"slices"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// certainties, the most certain first.
var certainties = []string{"certain", "probable", "contested", "possible"}

// rank orders findings: the more certain first, by class, then by the number of doubts, then by the time between
// capture and fetch, then by place in the table.
type rank struct {
	class, doubts int
	distance      uint64
	row           int64
}

func rankOf(row *report.ViolationRow, number int64) rank {
	return rank{slices.Index(certainties, row.Certainty), len(row.Notes), distance(row.RobotsAge), number}
}

func (r rank) compare(o rank) int {
	return cmp.Or(cmp.Compare(r.class, o.class), cmp.Compare(r.doubts, o.doubts), cmp.Compare(r.distance, o.distance),
		cmp.Compare(r.row, o.row))
}

// distance is how far from the fetch a capture lies; unknown is farthest.
func distance(age *int64) uint64 {
	if age == nil {
		return 1 << 63
	}
	return uint64(max(*age, -*age))
}

// compareReading is the order in which findings are read: by class, then time, then place.
func compareReading(a, b *Case) int {
	return cmp.Or(
		cmp.Compare(slices.Index(certainties, a.Certainty), slices.Index(certainties, b.Certainty)),
		cmp.Compare(prose.Value(a.FetchTime), prose.Value(b.FetchTime)),
		cmp.Compare(a.Row, b.Row),
	)
}

// Selection keeps the most certain of many findings.
type Selection struct {
	rows  []packed // fewer than a quarter beyond the limit
	Limit int
	bound *rank // of the last of the most certain, once there are more: what comes after it is not kept
	Total int64

	buffer []byte // reused
}

// packed is a finding as bytes, which cost the garbage collector nothing. JSON would take six times the bytes, of
// thousands of findings in each range at hand.
type packed struct {
	rank
	bytes []byte
}

// Add offers the next row of the table, which is valid during the call. cite completes what is kept of it.
func (s *Selection) Add(row *report.ViolationRow, cite func(*Case)) {
	s.Total++
	r := rankOf(row, s.Total)
	if s.bound != nil && r.compare(*s.bound) >= 0 {
		return
	}
	s.buffer = appendPacked(s.buffer[:0], reflect.ValueOf(newCase(row, cite)).Elem())
	s.keep(packed{r, slices.Clone(s.buffer)})
}

func (s *Selection) keep(p packed) {
	if s.rows = append(s.rows, p); len(s.rows) >= s.Limit+s.Limit/4 {
		s.cut()
	}
}

// After returns a selection of rows that follow in the table.
func (s *Selection) After() Selection {
	o := Selection{Limit: s.Limit}
	if s.bound != nil {
		o.bound = new(*s.bound)
		o.bound.row = 0 // it comes before all of them
	}
	return o
}

// Join adds the rows that follow in the table.
func (s *Selection) Join(o *Selection) {
	for _, p := range o.rows {
		if p.row += s.Total; s.bound == nil || p.compare(*s.bound) < 0 {
			s.keep(p)
		}
	}
	s.Total += o.Total
}

// cut forgets the rows beyond the limit.
func (s *Selection) cut() {
	if len(s.rows) > s.Limit {
		slices.SortFunc(s.rows, func(a, b packed) int { return a.compare(b.rank) })
		s.rows = slices.Delete(s.rows, s.Limit, len(s.rows))
		s.bound = new(s.rows[s.Limit-1].rank)
	}
}

// Sorted are the rows kept, in the order of reading.
func (s *Selection) Sorted() (list []*Case) {
	s.cut()
	for _, p := range s.rows {
		f := new(Case)
		unpack(p.bytes, reflect.ValueOf(f).Elem())
		f.Row = p.row
		list = append(list, f)
	}
	slices.SortFunc(list, compareReading)
	return list
}

// appendPacked appends a value as bytes: a struct of texts, numbers, truth values, lists of texts, and pointers to
// these.
func appendPacked(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			b = appendPacked(b, v.Field(i))
		}
	case reflect.String:
		b = append(binary.AppendUvarint(b, uint64(v.Len())), v.String()...)
	case reflect.Slice:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		for i := range v.Len() {
			b = appendPacked(b, v.Index(i))
		}
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, 0)
		}
		b = appendPacked(append(b, 1), v.Elem())
	case reflect.Bool:
		b = append(b, 0)
		if v.Bool() {
			b[len(b)-1] = 1
		}
	default:
		b = binary.AppendVarint(b, v.Int())
	}
	return b
}

// unpack sets a value that is zero to what appendPacked has appended, and returns the rest.
func unpack(b []byte, v reflect.Value) []byte {
	length := func() int {
		n, size := binary.Uvarint(b)
		b = b[size:]
		return int(n)
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			b = unpack(b, v.Field(i))
		}
	case reflect.String:
		n := length()
		v.SetString(string(b[:n]))
		b = b[n:]
	case reflect.Slice:
		if n := length(); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for i := range v.Len() {
			b = unpack(b, v.Index(i))
		}
	case reflect.Pointer:
		known := b[0] != 0
		if b = b[1:]; known {
			v.Set(reflect.New(v.Type().Elem()))
			b = unpack(b, v.Elem())
		}
	case reflect.Bool:
		v.SetBool(b[0] != 0)
		b = b[1:]
	default:
		n, size := binary.Varint(b)
		v.SetInt(n)
		b = b[size:]
	}
	return b
}
