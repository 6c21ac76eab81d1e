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
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/object"
)

// Verification is what recomputing a bundle's verdicts came to.
type Verification struct {
	Settings   Settings
	Version    string // of the program that made it
	Archives   int64
	Records    int64
	Violations int64      // disallowed fetches in the bundle
	Certainty  [4]int64   // of those proven: certain, probable, possible, contested
	Proven     int64      // of which the same finding came out
	Unproven   []Unproven // the others, at most maxUnproven of them
}

// Unproven is a disallowed fetch of which another finding came out.
type Unproven struct {
	URL, Time string
	Reason    string
}

const maxUnproven = 20

// Certainties are the names of Verification.Certainty.
var Certainties = [4]evaluate.Certainty{evaluate.Certain, evaluate.Probable, evaluate.Possible, evaluate.Contested}

// RefusedError says why a bundle proves nothing.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return e.Reason }

func refusef(format string, args ...any) error { return &RefusedError{fmt.Sprintf(format, args...)} }

// Verify recomputes the verdicts of a bundle. A bundle in which anything cited was changed is
// refused with a *RefusedError.
func Verify(ctx context.Context, path string) (*Verification, error) {
	tmp, err := os.MkdirTemp("", "robotsaudit-evidence-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	return verify(ctx, path, tmp)
}

// verify does it with temporary files in tmp.
func verify(ctx context.Context, path, tmp string) (*Verification, error) {
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
	manifest, err := extractManifest(members, dir)
	if err != nil {
		return nil, err
	}
	defer manifest.Close()
	m, err := newManifestReader(io.NewSectionReader(manifest, 0, 1<<62))
	if err != nil {
		return nil, refusef("%v", err)
	}
	v := &Verification{Settings: m.head.Settings, Version: m.head.Version}
	archives, err := readArchives(m)
	if err != nil {
		return nil, err
	}
	v.Archives = int64(len(archives))
	u, err := newUnpacker(dir, archives)
	if err != nil {
		return nil, err
	}
	defer u.close()
	if err := v.unpack(ctx, m, members, u); err != nil {
		return nil, err
	}
	return v, v.recompute(ctx, m, u, dir)
}

// extractManifest writes the manifest, which is the block of the first record, to a file.
func extractManifest(members *member, dir string) (*os.File, error) {
	if err := members.next(); err != nil {
		return nil, refusef("it does not begin with a gzip member; it is no bundle, or its first bytes were changed")
	}
	f, err := os.Create(filepath.Join(dir, "manifest"))
	if err != nil {
		return nil, err
	}
	begin := &prefixWriter{limit: 4 << 10}
	if err := members.read(io.MultiWriter(f, begin), io.Discard, -1, true); err != nil {
		f.Close()
		return nil, refusef("its manifest was changed (%v)", err)
	}
	if !bytes.HasPrefix(begin.b, []byte(`{"format":"robotsaudit-evidence/`)) {
		f.Close()
		return nil, refusef("its first record is no manifest; it is no bundle of 'robotsaudit evidence'")
	}
	return f, nil
}

// prefixWriter keeps the first bytes that are written.
type prefixWriter struct {
	b     []byte
	limit int
}

func (p *prefixWriter) Write(b []byte) (int, error) {
	p.b = append(p.b, b[:min(len(b), p.limit-len(p.b))]...)
	return len(b), nil
}

// unpack verifies the records and puts them into archives of their own.
func (v *Verification) unpack(ctx context.Context, m *manifestReader, members *member, u *unpacker) error {
	for {
		var r record
		err := m.next(&r)
		if err == io.EOF {
			break
		}
		if err != nil {
			return refusef("%v", err)
		}
		if err := cmp.Or(ctx.Err(), v.unpackRecord(u, members, &r)); err != nil {
			return err
		}
	}
	if !members.isLast() {
		return refusef("bytes stand behind its %d records", v.Records)
	}
	if len(u.paths) < len(u.archives) {
		return refusef("%v: an archive without records", errManifest)
	}
	return u.finish()
}

// readArchives reads the list of archives.
func readArchives(m *manifestReader) (archives []archive, err error) {
	size := 0
	for {
		var a archive
		if err := m.next(&a); err == io.EOF {
			return archives, nil
		} else if err != nil {
			return nil, refusef("%v", err)
		}
		if size += len(a.Name) + len(a.Entry) + 256; size > maxArchives {
			return nil, refusef("its manifest lists too many archives")
		}
		if a.Form != formWARC && a.Form != formARC && a.Form != formLog {
			return nil, refusef("%v: an archive of form %.20q", errManifest, a.Form)
		}
		archives = append(archives, a)
	}
}

// unpackRecord verifies the next record and adds it to its archive.
func (v *Verification) unpackRecord(u *unpacker, members *member, r *record) error {
	v.Records++
	if r.Number != v.Records || r.Archive < 0 || r.Archive >= len(u.archives) || r.Archive < len(u.paths)-1 || r.Archive > len(u.paths) || r.Size < 0 {
		return refusef("%v: record %d is out of order", errManifest, r.Number)
	}
	if r.Archive == len(u.paths) {
		if err := u.begin(); err != nil {
			return err
		}
	}
	name := fmt.Sprintf("record %d (%s %s, at %d of %s)", r.Number, r.Type, cmp.Or(r.ID, r.URL), r.Offset, u.archives[r.Archive].place())
	if err := members.next(); err != nil {
		return refusef("%s was changed, or is missing (%v)", name, err)
	}
	if err := u.record(members, r); err != nil {
		if pathErr := (*os.PathError)(nil); errors.As(err, &pathErr) {
			return err
		}
		return refusef("%s was changed (%v)", name, err)
	}
	if sum := members.sum(); sum != r.SHA256 {
		return refusef("%s was changed: its SHA-256 is %s, and the manifest says %.80s", name, sum, r.SHA256)
	}
	return nil
}

// recompute audits the archives made, and compares the findings.
func (v *Verification) recompute(ctx context.Context, m *manifestReader, u *unpacker, dir string) error {
	opt, err := v.Settings.options()
	if err != nil {
		return refusef("%v", err)
	}
	c := &comparison{Verification: v, manifest: m, unpacker: u}
	if err := c.advance(); err != nil {
		return err
	}
	if len(u.paths) > 0 {
		if err := audit(ctx, u, filepath.Join(dir, "audit"), opt, c); err != nil {
			return err
		}
	}
	for !c.ended {
		if err := c.fail("the fetch is not in the bundle, is not disallowed by it, or stands out of order"); err != nil {
			return err
		}
	}
	return nil
}

// audit reads the archives made and decides their fetches.
func audit(ctx context.Context, u *unpacker, dir string, opt evaluate.Options, sink evaluate.Sink) (err error) {
	inputs, failures := ingest.Expand(u.paths)
	if len(failures) > 0 {
		return failures[0]
	}
	release, err := ingest.Lock(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := ingest.Ingest(ctx, inputs, ingest.Options{Dir: dir, Workers: runtime.GOMAXPROCS(0)}); err != nil {
		return err
	}
	set, err := ingest.OpenFacts(dir)
	if err != nil {
		return err
	}
	for i := range set.Inputs { // in the order of their paths
		u.archives[i].setOrder(set.Inputs[i].Runs)
	}
	_, err = evaluate.Run(ctx, set, opt, sink)
	return err
}

// comparison compares results with the findings of a manifest, which have the same order.
type comparison struct {
	nothing
	*Verification
	manifest *manifestReader
	unpacker *unpacker
	want     violation // the next one
	at       position  // of its fetch
	ended    bool
}

// advance reads the next finding.
func (c *comparison) advance() error {
	c.want = violation{}
	err := c.manifest.next(&c.want)
	switch {
	case err == io.EOF:
		c.ended = true
		return nil
	case err != nil:
		return refusef("%v", err)
	case len(c.want.Records) == 0 || c.want.Records[0].Role != roleFetch:
		return refusef("%v: a finding without its fetch", errManifest)
	}
	c.Violations++
	if number := c.want.Records[0].Number; number < 1 || number > c.Records {
		return refusef("%v: there is no record %d", errManifest, number)
	}
	c.at, err = c.unpacker.position(c.want.Records[0].Number)
	return err
}

// Result compares a result.
func (c *comparison) Result(r *evaluate.Result) error {
	if c.ended || r.Fetch.Input != c.at.input || r.Fetch.Index != c.at.index {
		return nil
	}
	if r.Verdict != evaluate.Disallowed {
		return c.fail(fmt.Sprintf("the bundle shows the verdict %s (%s)", r.Verdict, r.Reason))
	}
	got, err := json.Marshal(findingOf(r))
	if err != nil {
		return err
	}
	if !bytes.Equal(got, c.want.Finding) {
		return c.fail(difference(got, c.want.Finding))
	}
	c.Proven++
	for i, certainty := range Certainties {
		if r.Certainty == certainty {
			c.Certainty[i]++
		}
	}
	return c.advance()
}

// fail notes that the finding in hand is not proven.
func (c *comparison) fail(reason string) error {
	if len(c.Unproven) < maxUnproven {
		var f Finding
		if err := json.Unmarshal(c.want.Finding, &f); err != nil {
			return refusef("%v", errManifest)
		}
		c.Unproven = append(c.Unproven, Unproven{f.URL, f.FetchTime, reason})
	}
	return c.advance()
}

// difference tells in which fields two findings differ.
func difference(got, want []byte) string {
	var a, b Finding
	if json.Unmarshal(got, &a) != nil || json.Unmarshal(want, &b) != nil {
		return errManifest.Error()
	}
	var list []string
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			name, _, _ := strings.Cut(x.Type().Field(i).Tag.Get("json"), ",")
			list = append(list, fmt.Sprintf("%s is %.200q, not %.200q", name, fmt.Sprint(x.Field(i)), fmt.Sprint(y.Field(i))))
		}
	}
	return cmp.Or(strings.Join(list, "; "), "its finding is written in another way")
}
