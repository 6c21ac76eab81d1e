package evidence

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/reading"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

// Verification is the result of recomputing a bundle's verdicts.
type Verification struct {
	Settings   Settings
	Version    string // of the program that made it
	Archives   int64
	Records    int64
	Violations int64      // findings in the bundle
	Certainty  [4]int64   // of disallowed fetches that are proven: certain, probable, possible, contested
	ForOthers  int64      // proven, of what other crawlers would have been disallowed
	Restricted int64      // proven, of what pages and origins state against a purpose
	Proven     int64      // findings that came out the same
	Unproven   []Unproven // the others, at most maxUnproven of them
	Uncited    int64      // records on which no finding proven rests: what belongs to them is not proven
}

// Unproven is a finding that came out otherwise.
type Unproven struct {
	URL, Time string
	Reason    string
}

const maxUnproven = 20

// Certainties are the names of Verification.Certainty.
var Certainties = [4]evaluate.Certainty{evaluate.Certain, evaluate.Probable, evaluate.Possible, evaluate.Contested}

// RefusedError states why a bundle proves nothing.
type RefusedError struct {
	Reason   string
	NoBundle bool // it does not begin as a bundle does
}

func (e *RefusedError) Error() string { return e.Reason }

// refuse refuses a bundle of which a part cannot be read, unless it is the disk that failed: the bundle ends there,
// or the part is as otherwise says.
func refuse(err error, part, otherwise string) error {
	var refused *RefusedError
	if pathErr := (*os.PathError)(nil); errors.As(err, &pathErr) || errors.As(err, &refused) {
		return err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // of the bundle: see member
		return refusef("it ends before the end of %s", part)
	}
	return refusef("%s %s (%v)", part, otherwise, err)
}

func refusef(format string, args ...any) error {
	return &RefusedError{Reason: fmt.Sprintf(format, args...)}
}

// Verify recomputes the verdicts of a bundle, and calls each with every finding that is proven, unless it is nil. A
// bundle in which anything cited was changed is refused with a *RefusedError.
func Verify(ctx context.Context, path string, each func(*BundleFinding) error) (_ *Verification, err error) {
	tmp, remove, err := durable.Temporary("")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	return verify(ctx, path, tmp, each)
}

// verify does it with temporary files in tmp.
func verify(ctx context.Context, path, tmp string, each func(*BundleFinding) error) (*Verification, error) {
	dir := filepath.Join(tmp, "verify")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, err
	}
	bundle, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the bundle %s cannot be read (%w); check the path", path, object.Cause(err))
	}
	defer bundle.Close()
	members := newMember(bufio.NewReaderSize(bundle, 64<<10))
	m, date, err := openManifest(members, bundle)
	if err != nil {
		return nil, err
	}
	v := &Verification{Settings: m.head.Settings, Version: m.head.Version}
	archives, err := readArchives(m)
	if err != nil {
		return nil, err
	}
	v.Archives = int64(len(archives))
	u, err := newUnpacker(dir, archives, date)
	if err != nil {
		return nil, err
	}
	defer u.close()
	for {
		var r record
		err := m.next(&r)
		if err == io.EOF {
			break
		}
		if err := cmp.Or(err, ctx.Err(), v.unpackRecord(u, members, &r)); err != nil {
			return nil, err
		}
	}
	if !members.isLast() {
		return nil, refusef("bytes stand after its %d records", v.Records)
	}
	if len(u.paths) < len(u.archives) {
		return nil, refusef("%v: an archive without records", errManifest)
	}
	if err := u.finish(); err != nil {
		return nil, err
	}
	return v, v.recompute(ctx, m, u, dir, each)
}

// openManifest reads past the manifest, which is the block of the first record, and opens it by a reader
// of its own: its lines are read as what they are about is. None of it is written to the disk.
func openManifest(members *member, bundle io.ReaderAt) (m *manifestReader, date string, err error) {
	if err := members.next(); err != nil {
		if pathErr := (*os.PathError)(nil); errors.As(err, &pathErr) {
			return nil, "", err
		}
		const reason = "it does not begin with a gzip member, or its first bytes were changed (%v)"
		return nil, "", &RefusedError{Reason: fmt.Sprintf(reason, err), NoBundle: true}
	}
	if err := members.skipHeader(); err != nil {
		return nil, "", refuse(err, "its first record", "has no whole header")
	}
	h, _ := warc.ReadHeader(members.wrapper, false)
	if h.Target != manifestURL {
		return nil, "", errNoManifest
	}
	if err := members.read(io.Discard, io.Discard, max(h.ContentLength, 0), false); err != nil {
		return nil, "", refuse(err, "its manifest", "was changed")
	}
	if sum := "sha256:" + members.sum(); h.BlockDigest != sum {
		return nil, "", refusef("its manifest was changed: its digest is %s, and its header says %.80q", sum,
			h.BlockDigest)
	}
	if want := manifestHeader(h.Date, members.hash.Sum(nil), h.ContentLength); !bytes.Equal(members.wrapper, want) {
		return nil, "", refusef("its manifest was changed: the header around it is not of it: %s",
			firstDifference(members.wrapper, want))
	}
	if _, err := time.Parse(warcDateLayout, h.Date); err != nil {
		return nil, "", refusef("its manifest has the date %.40q", h.Date)
	}
	again := newMember(bufio.NewReaderSize(io.NewSectionReader(bundle, 0, 1<<62), 64<<10))
	if err := cmp.Or(again.next(), again.skipHeader()); err != nil {
		return nil, "", refuse(err, "its manifest", "was changed")
	}
	m, err = newManifestReader(io.LimitReader(again.in, h.ContentLength))
	return m, h.Date, err
}

// firstDifference shows the first line in which a header is not what it must be.
func firstDifference(is, want []byte) string {
	var line, other []byte
	for bytes.Equal(line, other) && len(is)+len(want) > 0 {
		line, is, _ = bytes.Cut(is, []byte("\r\n"))
		other, want, _ = bytes.Cut(want, []byte("\r\n"))
	}
	return fmt.Sprintf("%.200q, not %.200q", line, other)
}

// readArchives reads the list of archives.
func readArchives(m *manifestReader) (archives []archive, err error) {
	size := 0
	for {
		var a archive
		if err := m.next(&a); err == io.EOF {
			return archives, nil
		} else if err != nil {
			return nil, err
		}
		if size += len(a.Name) + len(a.Entry) + 256; size > maxArchives {
			return nil, m.damaged("it lists too many archives")
		}
		if a.Form != formWARC && a.Form != formARC && a.Form != formLog {
			return nil, m.damaged("an archive of form %.20q", a.Form)
		}
		if a.Size < 0 {
			return nil, m.damaged("an archive of %d bytes", a.Size)
		}
		archives = append(archives, a)
	}
}

// unpackRecord verifies the next record and adds it to its archive.
func (v *Verification) unpackRecord(u *unpacker, members *member, r *record) error {
	v.Records++
	if r.Number != v.Records || r.Archive < 0 || r.Archive >= len(u.archives) || r.Archive < len(u.paths)-1 ||
		r.Archive > len(u.paths) || r.Size < 0 {
		return refusef("%v: record %d is out of order", errManifest, r.Number)
	}
	if r.Archive == len(u.paths) {
		if err := u.begin(); err != nil {
			return err
		}
	}
	name := fmt.Sprintf("record %d (%s %s, at %d of %s)", r.Number, r.Type, cmp.Or(r.ID, r.URL), r.Offset,
		u.archives[r.Archive].place())
	if problem := u.misplaced(r); problem != "" {
		return refusef("%v: %s %s", errManifest, name, problem)
	}
	if err := members.next(); err != nil {
		return refuse(err, name, "was changed, or is missing")
	}
	if err := u.record(members, r); err != nil {
		return refuse(err, name, "was changed")
	}
	if sum := members.sum(); sum != r.SHA256 {
		return refusef("%s was changed: its SHA-256 is %s, and the manifest says %.80s", name, sum, r.SHA256)
	}
	if problem := u.contradicts(members, r); problem != "" {
		return refusef("%s is not what the manifest says: %s", name, problem)
	}
	return nil
}

// misplaced states why a record cannot stand where the manifest places it; "": it can.
func (u *unpacker) misplaced(r *record) string {
	isLog := u.archives[r.Archive].Form == formLog
	switch {
	case r.Offset < 0, r.Length < 0, min(r.Request, r.Second, r.Metadata, r.Warcinfo, r.Continues) < 0:
		return "has a negative number"
	case r.Index <= u.last && !(isLog && r.Index == 0 && u.index == 0):
		return fmt.Sprintf("has the index %d, after %d", r.Index, u.last)
	case isLog && (r.Index != r.Offset || r.Length != r.Size):
		return "is no line of a log"
	case isLog && (r.Resynced || r.Request|r.Second|r.Metadata|r.Warcinfo|r.Continues != 0):
		return "is a line of a log to which a record belongs"
	}
	return ""
}

// contradicts says in what the header of the record that m has read differs from what the manifest
// says of it; "": in nothing.
func (u *unpacker) contradicts(m *member, r *record) string {
	is := record{Type: facts.TypeLogLine.String()}
	form := u.archives[r.Archive].Form
	if form != formLog {
		h, ok := warc.ReadHeader(bytes.TrimLeft(m.begin.b, "\r\n"), form == formARC)
		if !ok {
			return "it has no header of its form, " + form
		}
		is.name(&h)
	}
	for _, field := range [...]struct{ name, is, says string }{
		{"type", is.Type, r.Type}, {"record_id", is.ID, r.ID}, {"url", is.URL, r.URL}, {"date", is.Date, r.Date},
	} {
		if string([]rune(field.is)) != field.says { // in JSON, bytes that are not UTF-8 become U+FFFD
			return fmt.Sprintf("its %s is %.200q, not %.200q", field.name, field.is, field.says)
		}
	}
	if r.Wrapped != (form != formWARC) {
		return fmt.Sprintf("it is of the form %s, and wrapped is %v", form, r.Wrapped)
	}
	is.Archive, is.Index, is.Offset = r.Archive, r.Index, r.Offset
	if r.Wrapped && !bytes.Equal(m.wrapper, is.wrapper(u.newest, r.Size)) {
		return "the header around it is not of it"
	}
	return ""
}

// recompute audits the archives made, and compares the findings.
func (v *Verification) recompute(ctx context.Context, m *manifestReader, u *unpacker, dir string,
	each func(*BundleFinding) error,
) (err error) {
	opt, err := v.Settings.options()
	if err != nil {
		return refusef("%v", err)
	}
	inputs, failures := ingest.Expand(ctx, u.paths, ingest.ExpandOptions{})
	if len(failures) > 0 {
		return failures[0]
	}
	c := &comparison{
		Verification: v, manifest: m, unpacker: u, listed: make(map[string]int64),
		cited: make([]bitmap, len(inputs)), last: -1, each: each,
	}
	c.keys = make(map[archiveKey]int)
	c.finder = finder{agents: v.Settings.Agents, found: c.compare, rows: make(map[string]int64)}
	if err := c.advance(); err != nil {
		return err
	}
	if len(inputs) > 0 {
		audit := filepath.Join(dir, "audit")
		release, locked := ingest.Lock(audit)
		if locked != nil {
			return locked
		}
		defer func() { err = errors.Join(err, release()) }()
		how := ingest.ReadOptions{Dir: audit, Workers: runtime.GOMAXPROCS(0)}
		if err := ingest.Ingest(ctx, inputs, how); err != nil {
			return err
		}
		set, err := ingest.OpenFacts(audit)
		if err != nil {
			return err
		}
		for i := range set.Inputs() { // in the order of their paths
			// The records of a bundle are too few to show which runs of its archives are unordered, whose
			// requests they hold, and how far their clocks were off.
			isUnordered := func(run recordid.ID) bool { return slices.Contains(u.archives[i].Unordered, run.String()) }
			set.OrderRuns(i, isUnordered)
			set.HearRuns(i, func(run recordid.ID) []facts.Voice { return u.archives[i].Voices[run.String()] })
			set.SetClocks(i, u.clocks[i])
		}
		if _, err := evaluate.Run(ctx, set, opt, c); err != nil {
			return err
		}
	}
	for !c.ended {
		if err := c.fail("the bundle does not show it, or it stands out of order"); err != nil {
			return err
		}
	}
	if newest := c.newest; newest.Known() && warcDate(newest) > u.newest {
		return refusef("its manifest is dated %.40q, and cites a record of %s", u.newest, warcDate(newest))
	}
	return c.pair(ctx, inputs, dir)
}

// comparison compares findings with a manifest, which has them in the same order.
type comparison struct {
	collector // of what findings cite
	*Verification
	manifest *manifestReader
	unpacker *unpacker
	want     violation        // the next one
	at       position         // of its fetch
	listed   map[string]int64 // the last rows that the manifest has, by table
	ended    bool
	cited    []bitmap                   // by archive the records on which findings rest that are proven
	each     func(*BundleFinding) error // gets those findings; nil: nobody does

	last, lastIndex int64 // archive and index of the fetch in hand

	grounded, groundless bool // there are findings with their grounds in the manifest, and without
}

// advance reads the next finding.
func (c *comparison) advance() error {
	c.want = violation{}
	err := c.manifest.next(&c.want)
	want := &c.want
	switch {
	case err == io.EOF:
		c.ended = true
		return nil
	case err != nil:
		return err
	case len(want.Records) == 0 || want.Records[0].Role != roleFetch:
		return c.manifest.damaged("a finding without its fetch")
	case want.Row < c.listed[want.Table],
		want.Row == c.listed[want.Table] && !isListed(want.Table):
		return c.manifest.damaged("row %d of %.20q stands after row %d", want.Row, want.Table, c.listed[want.Table])
	}
	c.listed[want.Table] = want.Row
	// A fetch has a finding of its own, one for each purpose and kind, and one for each token.
	if c.Violations++; c.Violations/int64(1+2*len(c.Settings.Purposes)+len(c.Settings.Agents)) > c.Records {
		return c.manifest.damaged("more findings than records")
	}
	for _, cites := range want.Records {
		if cites.Number < 1 || cites.Number > c.Records {
			return c.manifest.damaged("there is no record %d", cites.Number)
		}
	}
	c.at, err = c.unpacker.positions.at(want.Records[0].Number)
	return err
}

// Result compares the findings on a fetch.
func (c *comparison) Result(r *evaluate.Result) error {
	for c.isOnFetch() {
		if err := c.fail("the bundle does not show it"); err != nil {
			return err
		}
	}
	c.last, c.lastIndex = int64(r.Fetch.Input), r.Fetch.Index
	if r.Fetch.Type == facts.TypeLogLine {
		c.lastIndex = r.Fetch.Offset
	}
	if err := c.finder.Result(r); err != nil {
		return err
	}
	if !isListed(c.want.Table) && c.isOnFetch() {
		return c.fail(fmt.Sprintf("the bundle shows the verdict %s (%s)", r.Verdict, r.Reason))
	}
	return nil
}

// isOnFetch reports whether the next finding of the manifest is on the fetch in hand.
func (c *comparison) isOnFetch() bool {
	return !c.ended && c.at.Archive == c.last && c.at.Index == c.lastIndex
}

// compare compares a finding with the next one of the manifest, if that is on the same fetch, and of its kind.
func (c *comparison) compare(f *found) error {
	isKind := f.table == c.want.Table || !isListed(f.table) && !isListed(c.want.Table)
	if !isKind || !c.isOnFetch() {
		return nil
	}
	finding := f.finding()
	isGrounded := bytes.Contains(c.want.Finding, []byte(`"grounds":`))
	c.grounded = c.grounded || isGrounded
	if !isGrounded && len(finding.Grounds) > 0 { // of a bundle from before there were any
		c.groundless, finding.Grounds = true, nil
	}
	if c.grounded && c.groundless {
		return c.fail("the manifest states the grounds of other findings alone")
	}
	got, err := json.Marshal(finding)
	if err != nil {
		return err
	}
	c.cite(f)
	cites, err := citations(c.here, func(x *cited) (int64, error) {
		return c.unpacker.positions.number(int64(c.archives[x.Archive].input), x.Index)
	})
	switch {
	case err != nil:
		return err
	case !bytes.Equal(got, c.want.Finding):
		return c.fail(difference(got, c.want.Finding))
	case c.want.Table != f.table:
		return c.fail(fmt.Sprintf("it is one of the table %s, not %.20q", f.table, c.want.Table))
	case !slices.Equal(cites, c.want.Records):
		return c.fail(fmt.Sprintf("it rests on the records %.200s, and the manifest cites %.200s", fmt.Sprint(cites),
			fmt.Sprint(c.want.Records)))
	}
	for i := range c.here {
		x := &c.here[i]
		if a := c.archives[x.Archive]; !a.isLog {
			c.cited[a.input].add(x.Index)
		}
	}
	c.Proven++
	switch f.table {
	case tableRestrictions:
		c.Restricted++
	case tableGroupVerdicts:
		c.ForOthers++
	default:
		if i := slices.Index(Certainties[:], c.result.Certainty); i >= 0 {
			c.Certainty[i]++
		}
	}
	if c.each != nil {
		if err := c.each(&finding); err != nil {
			return err
		}
	}
	return c.advance()
}

// pair compares which records belong to those cited with what the manifest says of that.
func (c *comparison) pair(ctx context.Context, inputs []facts.Input, tmp string) error {
	number := int64(1)
	for i := range inputs {
		found := run.NewSorter(tmp, placedRuns)
		if c.unpacker.archives[i].Form == formLog { // nothing belongs to its lines
			number = c.unpacker.behind[i]
		} else {
			p := pairing{
				keys: map[string]*bitmap{"": &c.cited[i]}, told: map[string]*bitmap{"": new(bitmap)}, found: found,
			}
			if _, err := reading.Pair(ctx, inputs[i], p.pair); err != nil {
				return err
			}
		}
		for row, err := range found.Sorted(ctx) {
			if err == nil {
				number, err = c.compareTo(number, int64(i), row)
			}
			if err != nil {
				return err
			}
		}
		c.Uncited += c.unpacker.behind[i] - number
		number = c.unpacker.behind[i]
	}
	return nil
}

// compareTo compares the next record that belongs to a finding, from a number on, with the manifest, and
// returns the number after it. Nothing is known of the records before it.
func (c *comparison) compareTo(from, archive int64, row *placed) (behind int64, err error) {
	number, err := c.unpacker.positions.number(archive, row.Index)
	if err != nil {
		return 0, err
	}
	at, err := c.unpacker.positions.at(max(number, 1))
	if err != nil {
		return 0, err
	}
	for _, belongs := range [...]struct {
		name     string
		is, says int64
	}{
		{"request", row.Request, at.Request},
		{"second_request", row.Second, at.Second},
		{"metadata", row.Metadata, at.Metadata},
		{"warcinfo", row.Warcinfo, at.Warcinfo},
		{"continues", row.Continues, at.Continues},
	} {
		was, err := c.unpacker.was(archive, belongs.is)
		if err != nil {
			return 0, err
		}
		if was != belongs.says {
			return 0, refusef("%v: %s of record %d is the record with the index %d, not %d", errManifest, belongs.name,
				number, was, belongs.says)
		}
	}
	c.Uncited += number - from
	return number + 1, nil
}

// fail notes that the finding in hand is not proven.
func (c *comparison) fail(reason string) error {
	if len(c.Unproven) < maxUnproven {
		var f BundleFinding
		if err := json.Unmarshal(c.want.Finding, &f); err != nil {
			return c.manifest.damaged("%v", err)
		}
		c.Unproven = append(c.Unproven, Unproven{f.URL, f.FetchTime, reason})
	}
	return c.advance()
}

// difference lists the fields in which two findings differ.
func difference(got, want []byte) string {
	var a, b BundleFinding
	if json.Unmarshal(got, &a) != nil || json.Unmarshal(want, &b) != nil {
		return errManifest.Error()
	}
	var list []string
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			list = append(list, fmt.Sprintf("%s is %.200q, not %.200q", keyOf(x.Type().Field(i)), fmt.Sprint(x.Field(i)),
				fmt.Sprint(y.Field(i))))
		}
	}
	return cmp.Or(strings.Join(list, "; "), "its finding is written in another way")
}
