package index

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/parquetfile"
)

const parquetMagic = "PAR1"

const (
	// batchRows is how many rows are decoded at once, at most.
	batchRows = 1024

	// partRows is how many rows a part has at least, if there is more than one: as many as fill a run
	// of facts, and few enough that all cores end at about the same time.
	partRows = 100_000

	// maxRowsPerByte is how many rows a file may have for each of its bytes. Runs of one value, or of
	// none, cost nothing there.
	maxRowsPerByte = 256

	// remoteAtOnce is how many bytes of a column one request brings from a file on a network.
	remoteAtOnce = 1 << 20

	// maxListColumns is how many columns a list may have in JSON.
	maxListColumns = 10_000
)

// tableNames are the columns of Common Crawl's columnar index that are read. Older crawls lack some.
var tableNames = [...]name{
	{"url", fieldURL},
	{"fetch_time", fieldTime},
	{"fetch_status", fieldStatus},
	{"fetch_redirect", fieldRedirect},
	{"content_digest", fieldDigest},
	{"content_mime_type", fieldMIME},
	{"warc_filename", fieldFilename},
	{"warc_record_offset", fieldOffset},
	{"warc_record_length", fieldLength},
	{"warc_record_id", fieldRecordID},
	{"subset", fieldSubset},
}

// isParquet reports whether a file begins as one of Parquet does.
func isParquet(r io.ReaderAt) bool {
	var magic [len(parquetMagic)]byte
	n, _ := r.ReadAt(magic[:], 0)
	return string(magic[:n]) == parquetMagic
}

// parquetReader reads the rows of a Parquet file.
type parquetReader struct {
	format Format
	file   io.ReaderAt
	size   int64
	all    []format.RowGroup
	parts  []part
	rows   int64             // of all row groups
	groups []format.RowGroup // still to come
	subset string            // of the path
	atOnce int               // bytes of a column that are read at once; 0: few

	columns [fields]*column
	leaves  [fields]int // numbers of the columns

	row   int64 // number of the row before
	left  int64 // rows of the row group that are not decoded
	batch int   // rows decoded
	at    int   // of the batch
	texts [fields][]string
	ints  [fields][]int64
}

// part is row groups that follow one another.
type part struct {
	from, to int   // numbers of the row groups
	before   int64 // rows before them
}

// resultKey is in the metadata of this program's own tables.
const resultKey = "robotsaudit.table"

func openParquet(f Format, r io.ReaderAt, size int64, opt Options) (p *parquetReader, err error) {
	defer recovered(&err)
	file, err := parquetfile.OpenForeign(r, size)
	if err != nil {
		return nil, err
	}
	if table, ok := file.Lookup(resultKey); ok {
		return nil, fmt.Errorf("it is the table %s of an audit, and no index", table)
	}
	p = &parquetReader{file: r, size: size, all: file.Metadata().RowGroups, subset: subsetOfPath(opt.Path)}
	if object.IsRemote(opt.Path) {
		p.atOnce = remoteAtOnce
	}
	if err := p.divide(size*maxRowsPerByte, cmp.Or(opt.PartRows, partRows)); err != nil {
		return nil, err
	}
	p.groups = p.all
	root := file.Root()
	isTable := root.Column("url") != nil && root.Column("fetch_time") != nil &&
		(root.Column("fetch_status") != nil || root.Column("warc_filename") != nil)
	switch {
	case isTable && f != URLList:
		p.format = CCIndex
		err = p.openColumns(root, func(columns []string) ([]field, error) {
			shape := make([]field, len(columns))
			for i, c := range columns {
				shape[i] = nameOf(tableNames[:], c)
			}
			return shape, nil
		})
	case f == CCIndex:
		err = errors.New("it has not the columns of Common Crawl's index: url, fetch_time, warc_filename")
	case f == Parquet || f == URLList:
		p.format = URLList
		err = p.openColumns(root, listColumns)
	default:
		err = errors.New("it is a Parquet file")
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// divide makes parts of the row groups, of at least so many rows each. All may have at most so many.
func (p *parquetReader) divide(most, partRows int64) error {
	for i, g := range p.all {
		if g.NumRows < 0 || g.NumRows > most-p.rows {
			return damaged("more rows than its %d bytes can have", p.size)
		}
		if n := len(p.parts); n == 0 || p.rows-p.parts[n-1].before >= partRows {
			p.parts = append(p.parts, part{from: i, before: p.rows})
		}
		p.rows += g.NumRows
		p.parts[len(p.parts)-1].to = i + 1
	}
	if n := len(p.parts); n > 1 && p.rows-p.parts[n-1].before < partRows {
		p.parts[n-2].to = p.parts[n-1].to
		p.parts = p.parts[:n-1]
	}
	return nil
}

func (p *parquetReader) Parts() int { return len(p.parts) }

func (p *parquetReader) Rows() int64 { return p.rows }

func (p *parquetReader) Begin(part int) {
	at := p.parts[part]
	p.groups, p.row = p.all[at.from:at.to], at.before
	p.left, p.batch, p.at = 0, 0, 0
}

func (p *parquetReader) Another() Divided {
	other := &parquetReader{
		format: p.format, file: p.file, size: p.size, all: p.all, parts: p.parts, rows: p.rows, subset: p.subset,
		leaves: p.leaves, atOnce: p.atOnce,
	}
	shared := new(inflater)
	for f, c := range p.columns {
		if c != nil {
			other.addColumn(field(f), c.another(), shared)
		}
	}
	return other
}

// addColumn adds a column, whose pages an inflater decodes that others share.
func (p *parquetReader) addColumn(f field, c *column, shared *inflater) {
	c.pages.inflater, c.pages.atOnce = shared, p.atOnce
	p.columns[f] = c
	if c.text {
		p.texts[f] = make([]string, batchRows)
	} else {
		p.ints[f] = make([]int64, batchRows)
	}
}

// recovered makes a panic of the Parquet library, which some damaged files cause, an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = damaged("%v", p)
	}
}

// openColumns makes readers of the columns that are fields.
func (p *parquetReader) openColumns(root *parquet.Column, shapeOf func([]string) ([]field, error)) error {
	var names []string
	for _, c := range root.Columns() {
		names = append(names, c.Name())
	}
	shape, err := shapeOf(names)
	if err != nil {
		return err
	}
	shared := new(inflater)
	for i, leaf := range root.Columns() {
		f := shape[i]
		if f == fieldNone {
			continue
		}
		number := f == fieldTime || f == fieldStatus || f == fieldOffset || f == fieldLength
		c := newColumn(leaf, !number)
		if c == nil || p.columns[f] != nil || c.text && number && f != fieldTime {
			return fmt.Errorf("its column %s has a type that is not read: %s", leaf.Name(), leaf.Type())
		}
		c.uuid = f == fieldRecordID
		p.leaves[f] = leaf.Index()
		p.addColumn(f, c, shared)
	}
	return nil
}

func (p *parquetReader) Format() Format { return p.format }

func (p *parquetReader) Close() error {
	for _, c := range p.columns {
		if c != nil && c.pages.zstd != nil {
			c.pages.zstd.Close()
			c.pages.zstd = nil
		}
	}
	return nil
}

func (p *parquetReader) Next(row *Row) error {
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

// set copies the fields of row i of the batch to row.
func (p *parquetReader) set(row *Row, i int) (fault string) {
	for f := range p.texts {
		if p.texts[f] == nil {
			continue
		}
		s := p.texts[f][i]
		if len(s) > maxRow {
			return fmt.Sprintf("a value is longer than %d bytes", maxRow)
		}
		if field(f) == fieldSubset {
			row.Subset = knownSubset(s)
		} else if s != "" {
			row.set(field(f), s)
		}
	}
	if row.Subset == "" {
		row.Subset = p.subset
	}
	if v := p.ints[fieldStatus]; v != nil {
		row.Status = statusOf(v[i])
	}
	if v := p.ints[fieldOffset]; v != nil {
		row.Offset = max(v[i], -1)
	}
	if v := p.ints[fieldLength]; v != nil {
		row.Length = max(v[i], -1)
	}
	if v := p.ints[fieldTime]; v != nil {
		return p.columns[fieldTime].setTime(row, v[i])
	}
	if isDigits(row.Time) && !isCDXTime(row.Time) {
		return noUnit
	}
	return ""
}

// decode decodes the next rows. It passes the rest of a damaged row group.
func (p *parquetReader) decode() error {
	for p.left == 0 {
		if len(p.groups) == 0 {
			return io.EOF
		}
		if err := p.openGroup(); err != nil {
			return p.lose(err)
		}
	}
	n := int(min(batchRows, p.left))
	for _, c := range p.columns {
		if c == nil {
			continue
		}
		ready, err := c.ready()
		if err != nil {
			return p.lose(fmt.Errorf("column %s: %w", c.leaf.Name(), err))
		}
		n = min(n, ready)
	}
	for f, c := range p.columns {
		switch {
		case c == nil:
		case c.text:
			c.texts(p.texts[f][:n])
		default:
			c.ints(p.ints[f][:n])
		}
	}
	p.left -= int64(n)
	p.batch, p.at = n, 0
	return nil
}

// openGroup starts on the next row group.
func (p *parquetReader) openGroup() error {
	g := &p.groups[0]
	p.groups = p.groups[1:]
	p.left = g.NumRows
	p.batch, p.at = 0, 0
	for f, c := range p.columns {
		if c == nil {
			continue
		}
		if p.leaves[f] >= len(g.Columns) {
			return damaged("a row group lacks the column %s", c.leaf.Name())
		}
		if err := c.open(p.file, p.size, &g.Columns[p.leaves[f]]); err != nil {
			return fmt.Errorf("column %s: %w", c.leaf.Name(), err)
		}
	}
	return nil
}

// lose passes the rest of a damaged row group.
func (p *parquetReader) lose(err error) error {
	if !errors.Is(err, parquetfile.ErrDamaged) {
		return err
	}
	first := p.row + 1
	p.row += p.left
	lost := p.left
	p.left, p.batch, p.at = 0, 0, 0
	detail := strings.TrimPrefix(err.Error(), parquetfile.ErrDamaged.Error()+": ")
	return &Fault{Line: first, Offset: -1, Detail: fmt.Sprintf("%s; %d rows of its row group are lost", detail, lost)}
}
