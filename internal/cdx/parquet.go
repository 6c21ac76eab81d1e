package cdx

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/parquetfile"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

const parquetMagic = "PAR1"

const (
	// batchRows is how many rows are decoded at once, at most.
	batchRows = 1024

	// partRows is how many rows a part has at least, if there is more than one: as many as fill a run
	// of facts, and few enough that all cores end at about the same time.
	partRows = 100_000

	// remoteAtOnce is how many bytes of a column one request brings from a file on a network.
	remoteAtOnce = 1 << 20

	// maxListColumns is how many columns a list may have in JSON.
	maxListColumns = 10_000
)

// tableNames are the columns of Common Crawl's columnar index that are read. Older crawls lack some.
var tableNames = map[string]field{
	"url": fieldURL, "subset": fieldSubset,
	"fetch_time": fieldTime, "fetch_status": fieldStatus, "fetch_redirect": fieldRedirect,
	"content_digest": fieldDigest, "content_mime_type": fieldMIME, "content_mime_detected": fieldDetected,
	"content_languages": fieldLanguage,
	"warc_filename":     fieldFilename, "warc_record_offset": fieldOffset, "warc_record_length": fieldLength,
	"warc_record_id": fieldRecordID,
}

// IsParquet reports whether content begins as a Parquet file does.
func IsParquet(begin []byte) bool { return bytes.HasPrefix(begin, []byte(parquetMagic)) }

type parquetReader struct {
	format  Format
	file    *parquetfile.File
	parts   []part
	subset  string // of the path
	atOnce  int    // bytes of a column that are read at once; 0: few
	columns []*parquetfile.Column
	shape   []field // of the columns
	time    timeColumn
	isUUID  bool // the user's own names of rows are UUIDs in 16 bytes
	isReal  bool // statuses are real numbers, as pandas has numbers that may be missing

	lost  []string // columns, to be reported before the first row
	rows  *parquetfile.Rows
	row   int64 // number of the row before
	batch int   // rows decoded
	at    int   // of the batch
	texts [fields][]string
	ints  [fields][]int64
	nulls []bool // of the bodies
}

type part struct {
	from, to int   // numbers of the row groups
	before   int64 // rows before them
}

// resultKey is in the metadata of this program's own tables.
const resultKey = "robotsaudit.table"

func openParquet(f Format, r io.ReaderAt, size int64, opt FormatOptions) (Reader, error) {
	file, err := parquetfile.Open(r, size)
	if err != nil {
		return nil, err
	}
	if table, ok := file.Lookup(resultKey); ok {
		return nil, fmt.Errorf("it is the table %s of an audit, and no index", table)
	}
	p := &parquetReader{file: file, subset: subsetOfPath(opt.Path)}
	if object.IsRemote(opt.Path) {
		p.atOnce = remoteAtOnce
	}
	p.divide(cmp.Or(opt.PartRows, partRows))
	isTable := file.Column("url") != nil && file.Column("fetch_time") != nil &&
		(file.Column("fetch_status") != nil || file.Column("warc_filename") != nil)
	switch {
	case f == RobotsList:
		p.format = f
	case isTable && f != URLList:
		p.format = CCIndex
	case f == CCIndex:
		return nil, errors.New("it has not the columns of Common Crawl's index: url, fetch_time, warc_filename")
	case f == Parquet || f == URLList:
		p.format = URLList
	default:
		return nil, errors.New("it is a Parquet file")
	}
	if err := p.findColumns(opt.Columns); err != nil {
		return nil, err
	}
	p.rows = file.Rows(p.columns, batchRows, p.atOnce)
	return p, nil
}

// divide makes parts of the row groups, of at least so many rows each.
func (p *parquetReader) divide(partRows int64) {
	rows := int64(0)
	for i, g := range p.file.Groups {
		if n := len(p.parts); n == 0 || rows-p.parts[n-1].before >= partRows {
			p.parts = append(p.parts, part{from: i, before: rows})
		}
		rows += g.NumRows
		p.parts[len(p.parts)-1].to = i + 1
	}
	if n := len(p.parts); n > 1 && rows-p.parts[n-1].before < partRows {
		p.parts[n-2].to = p.parts[n-1].to
		p.parts = p.parts[:n-1]
	}
}

func (p *parquetReader) Format() Format { return p.format }

func (p *parquetReader) Parts() int { return len(p.parts) }

func (p *parquetReader) Rows() int64 { return p.file.NumRows }

func (p *parquetReader) Begin(part int) {
	at := p.parts[part]
	p.rows.Begin(at.from, at.to)
	p.row, p.batch, p.at = at.before, 0, 0
}

func (p *parquetReader) Another() Reader {
	return &parquetReader{ // p itself may be reading: what that changes is not copied
		format: p.format, file: p.file, parts: p.parts, subset: p.subset, atOnce: p.atOnce,
		columns: p.columns, shape: p.shape, time: p.time, isUUID: p.isUUID, isReal: p.isReal,
		rows: p.file.Rows(p.columns, batchRows, p.atOnce),
	}
}

func (p *parquetReader) findColumns(named string) error {
	columns := make([]*parquetfile.Column, 0, len(p.file.Columns)+len(p.file.Members))
	for _, list := range [...][]parquetfile.Column{p.file.Columns, p.file.Members} {
		for i := range list {
			columns = append(columns, &list[i])
		}
	}
	var names []string
	var shape []field
	for _, c := range columns {
		names = append(names, c.Name)
		shape = append(shape, tableNames[c.Name])
	}
	known := columnsOf(p.format)
	if p.format != CCIndex {
		as, err := parseColumns(named)
		if err != nil {
			return err
		}
		known = known.with(as)
		if shape, err = known.find(names); err != nil {
			return err
		}
	}
	isKnown := func(f field) bool { return slices.Contains(p.shape, f) }
	unread := make(map[field]string) // what is said of a field's column
	for i, f := range shape {
		c := columns[i]
		switch {
		case f == fieldNone:
			continue
		case isKnown(f):
			return fmt.Errorf("it has the column %s twice", c.Name)
		case !isRead(c, f):
			unread[f] = fmt.Sprintf("its column %s has a type that is not read: %s", c.Name, c.TypeName())
			if known.asked[f] {
				return errors.New(unread[f])
			}
			if c.Type == nil || !isNullType(c.Type) { // all of which says nothing
				p.lost = append(p.lost, unread[f])
			}
			continue
		case f == fieldTime:
			p.time = timeColumnOf(c.Type)
		case f == fieldStatus:
			p.isReal = c.Type.Type.V == format.Double // as text, row.set reads it
		case f == fieldListID:
			_, p.isUUID = c.Type.LogicalType.Value.(*format.UUIDType)
		}
		p.columns, p.shape = append(p.columns, c), append(p.shape, f)
	}
	for _, n := range known.needed {
		if i := slices.IndexFunc(n.fields, func(f field) bool { return unread[f] != "" }); i >= 0 &&
			!slices.ContainsFunc(n.fields, isKnown) {
			return errors.New(unread[n.fields[i]])
		}
	}
	return nil
}

// isRead reports whether a column has a type that a field may have.
func isRead(c *parquetfile.Column, f field) bool {
	if c.IsNested || c.IsList || c.Kind() == parquetfile.Unread {
		return false
	}
	isNumber := f == fieldTime || f == fieldStatus || f == fieldOffset || f == fieldLength
	switch c.Type.Type.V {
	case format.ByteArray, format.FixedLenByteArray:
		return !isNumber || f == fieldTime || f == fieldStatus
	case format.Int32, format.Int64:
		return isNumber || f == fieldListID
	case format.Int96:
		return isNumber
	case format.Double:
		return f == fieldStatus
	}
	return false
}

func (p *parquetReader) Next(row *Row) error {
	if p.row == 0 && p.at == 0 && len(p.lost) > 0 {
		detail := p.lost[0] + "; the rows count without it"
		p.lost = p.lost[1:]
		return &Fault{Offset: -1, Detail: detail}
	}
	if p.at == p.batch {
		if err := p.decode(); err != nil {
			return err
		}
	}
	p.row++
	*row = noRow
	row.Line = p.row
	fault := p.set(row, p.at)
	p.at++
	if fault == "" {
		fault = row.finish(p.format)
	}
	if fault != "" {
		return &Fault{Line: row.Line, Offset: -1, Detail: fault}
	}
	return nil
}

func (p *parquetReader) set(row *Row, i int) (fault string) {
	for f := range p.texts {
		if p.texts[f] == nil {
			continue
		}
		s := p.texts[f][i]
		if longest := maxRowOf(p.format); len(s) > longest {
			return fmt.Sprintf("a value is longer than %d bytes", longest)
		}
		switch {
		case field(f) == fieldBody || field(f) == fieldBodyBase64:
			if fault = row.set(field(f), s); fault != "" {
				return fault
			}
			row.HasBody = !p.nulls[i]
		case field(f) == fieldSubset:
			row.Subset = knownSubset(s)
		case field(f) == fieldRecordID && len(s) == 16:
			row.RecordID = recordid.OfBytes(s)
		case field(f) == fieldListID && p.isUUID && len(s) == 16:
			row.ListID = fmt.Sprintf("%x-%x-%x-%x-%x", s[:4], s[4:6], s[6:8], s[8:10], s[10:])
		case s != "":
			row.set(field(f), s)
		}
	}
	row.Subset = cmp.Or(row.Subset, p.subset)
	if v := p.ints[fieldStatus]; v != nil {
		status := v[i]
		if real := math.Float64frombits(uint64(status)); p.isReal && status != parquetfile.Null {
			if status = int64(real); real != real { // as pandas writes where there is none
				status = parquetfile.Null
			}
		}
		row.Status, row.NoAnswer = statusOf(status), status != parquetfile.Null && status <= 0
	}
	if v := p.ints[fieldOffset]; v != nil {
		row.Offset = max(v[i], -1)
	}
	if v := p.ints[fieldLength]; v != nil {
		row.Length = max(v[i], -1)
	}
	if v := p.ints[fieldListID]; v != nil && v[i] != parquetfile.Null {
		row.ListID = strconv.FormatInt(v[i], 10)
	}
	if v := p.ints[fieldTime]; v != nil {
		return p.time.set(row, v[i])
	}
	if isDigits(row.Time) && !isCDXTime(row.Time) {
		return noUnit
	}
	return ""
}

// decode decodes the next rows. It passes the rest of a damaged row group.
func (p *parquetReader) decode() (err error) {
	p.at = 0
	if p.batch, err = p.rows.Next(); errors.Is(err, parquetfile.ErrDamaged) {
		first, lost := p.row+1, p.rows.Pass()
		p.row += lost
		detail := strings.TrimPrefix(err.Error(), parquetfile.ErrDamaged.Error()+": ")
		detail = fmt.Sprintf("%s; %d rows of its row group are lost", detail, lost)
		return &Fault{Line: first, Offset: -1, Detail: detail}
	}
	if err != nil { // there is no batch
		return err
	}
	for i, v := range p.rows.Columns {
		f := p.shape[i]
		if v.Kind() == parquetfile.Texts {
			p.takeTexts(f, v)
			continue
		}
		ints := p.ints[f][:0]
		for range p.batch {
			ints = append(ints, parquetfile.Null)
		}
		v.Each(func(v *parquetfile.Values, row, value int) { ints[row] = v.Int(value) })
		p.ints[f] = ints
	}
	return nil
}

// takeTexts takes the texts of a field. Many are that of the row before.
func (p *parquetReader) takeTexts(f field, v *parquetfile.Values) {
	texts, last := append(p.texts[f][:0], make([]string, p.batch)...), ""
	if p.texts[f] = texts; f == fieldBody || f == fieldBodyBase64 {
		p.nulls = slices.Repeat([]bool{true}, p.batch)
	}
	v.Each(func(v *parquetfile.Values, row, value int) {
		if text := v.Text(value); string(text) != last {
			last = string(text)
		}
		if texts[row] = last; f == fieldBody || f == fieldBodyBase64 {
			p.nulls[row] = false
		}
	})
}

// timeColumn is how the numbers of a column of times are read.
type timeColumn struct {
	unit    time.Duration // 0: they are the digits of CDX
	isLocal bool          // they are declared not to be adjusted to UTC
}

const day = 24 * time.Hour

func timeColumnOf(t *format.SchemaElement) (c timeColumn) {
	switch t.ConvertedType.V {
	case deprecated.Date:
		c.unit = day
	case deprecated.TimestampMillis:
		c.unit = time.Millisecond
	case deprecated.TimestampMicros:
		c.unit = time.Microsecond
	}
	switch l := t.LogicalType.Value.(type) {
	case *format.DateType:
		c.unit = day
	case *format.TimestampType:
		c.isLocal = !l.IsAdjustedToUTC
		if l.Unit.Value != nil {
			c.unit = l.Unit.Value.Duration()
		}
	}
	if t.Type.V == format.Int96 {
		c.unit = time.Microsecond
	}
	return c
}

func (c timeColumn) set(row *Row, v int64) (fault string) {
	row.NoZone = c.isLocal
	switch {
	case v == parquetfile.Null:
		return ""
	case c.unit == time.Millisecond && (v > math.MaxInt64/1000 || v < math.MinInt64/1000):
		return "its time is out of range"
	case c.unit == time.Millisecond:
		row.Micros = v * 1000
	case c.unit == time.Microsecond:
		row.Micros = v
	case c.unit == time.Nanosecond:
		row.Micros = v / 1000
		if v%1000 < 0 {
			row.Micros--
		}
	case c.unit == day:
		row.Time = time.Unix(v*24*60*60, 0).UTC().Format(time.DateOnly)
	default:
		digits := strconv.FormatInt(v, 10)
		if !isCDXTime(digits) {
			return noUnit
		}
		row.Time = digits
	}
	return ""
}

// isNullType reports whether a column is declared to hold nothing but nulls.
func isNullType(t *format.SchemaElement) bool {
	_, is := t.LogicalType.Value.(*format.NullType)
	return is
}
