package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/reading"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/records"
)

// archivePaths lists the possible places of the archive that an index names: below the base; without a
// base, among the inputs and next to the index (scope). The last path has the last part of the name alone,
// if byLastPart is true.
func (v *Verification) archivePaths(index *facts.Input, name string) (paths []string, byLastPart bool) {
	within := object.Scope{Base: v.Base}
	if name = filepath.ToSlash(name); !strings.Contains(name, "://") {
		name = path.Clean(name)
	}
	if v.Base == "" {
		paths = v.inputPaths(name)
		if index.Path == facts.Stdin {
			return paths, false
		}
		within.Base = object.Folder(index.Path)
	}
	at, err := within.Resolve(name)
	if err != nil {
		return paths, false
	}
	paths = append(paths, at)
	if file := path.Base(name); !object.IsRemote(within.Base) && file != name {
		return append(paths, object.Join(within.Base, file)), true
	}
	return paths, false
}

// inputPaths lists the inputs that an index may mean by a name.
func (v *Verification) inputPaths(name string) (paths []string) {
	for i, in := range v.set.Inputs() {
		if !v.isIndex(i) && in.Path != facts.Stdin &&
			(in.Name == name || in.Path == name || strings.HasSuffix(in.Path, "/"+name)) {
			paths = append(paths, in.Path)
		}
	}
	return paths
}

func (v *Verification) isIndex(input int32) bool {
	_, is := v.number[input]
	return is
}

// namedArchive is an archive that an index names.
type namedArchive struct {
	*records.Archive
	head    window
	guessed bool // it may be another one than the index means

	info   reading.Warcinfo // that the archive begins with
	infoID recordid.ID      // "": it begins with none
}

// openNamed finds and opens an archive that an index names.
func (v *Verification) openNamed(ctx context.Context, index facts.Input, name string) (*namedArchive, error) {
	paths, byLastPart := v.archivePaths(&index, name)
	if len(paths) == 0 {
		return nil, errors.New("its name leads out of the place that names are meant from; give that place with --base")
	}
	var first error
	for i, p := range paths {
		a, err := v.openAt(ctx, p)
		if err == nil {
			a.guessed = v.Base == "" && byLastPart && i == len(paths)-1
			return a, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		if first == nil {
			first = fmt.Errorf("%s: %w", object.Shown(p), object.Cause(err))
		}
	}
	if v.Base == "" {
		return nil, fmt.Errorf("%w; say with --base where the archives are", first)
	}
	return nil, first
}

// openAt opens an archive: a file, or an entry of a WACZ.
func (v *Verification) openAt(ctx context.Context, file string) (*namedArchive, error) {
	ctx = object.Confined(ctx) // an index has named it
	in, err := facts.FindInput(ctx, file)
	entry := ""
	if i := strings.Index(strings.ToLower(file), ".wacz/"); err != nil && i >= 0 {
		at := i + len(".wacz")
		entry = file[at+1:]
		in, err = facts.FindInput(ctx, file[:at])
	}
	if err != nil {
		return nil, err
	}
	a := new(namedArchive)
	if entry == "" {
		a.Archive, err = records.OpenFile(ctx, in)
	} else {
		a.Archive, err = records.Open(ctx, in, entry, v.tmp)
	}
	if err == nil {
		if err = a.begin(); err != nil {
			a.Close()
		}
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

const headBytes = 16 << 10 // that are read of an archive's beginning

// begin reads the beginning of the archive: its form, and the warcinfo record there.
func (a *namedArchive) begin() (err error) {
	if a.head, err = a.window(0, headBytes); err != nil {
		return err
	}
	s := &section{Until: a.Until, windows: [2]window{a.head}, more: a}
	r := records.In(s, s.Until, warc.Form{})
	defer r.Close()
	err = r.Sniff()
	a.Form = r.Form
	switch {
	case err != nil:
		return err
	case !a.Form.Readable():
		return errors.New(a.Form.Refusal)
	case a.Form.Container == warc.ContainerZip:
		return errors.New("it is a WACZ, and the index names no entry of it")
	case !a.Form.Addressable() && a.Form.Container != warc.ContainerGzip:
		return fmt.Errorf("it is a %s, in which no record has a place of its own", a.Form)
	}
	rec, err := r.First()
	if err != nil || rec.Type != "warcinfo" || rec.ID == "" {
		return readFailure(err)
	}
	c := reading.NewCommitter(facts.NewAccount(0, "", facts.Discard{}), reading.Options{})
	id := rec.ID.Key()
	if err := c.Take(r, rec); err != nil {
		return readFailure(err)
	}
	a.info, a.infoID = c.Latest(), id
	return nil
}

// readFailure is the failure of a file or network; what else is wrong with a record is none.
func readFailure(err error) error {
	if input.IsReadError(err) {
		return err
	}
	return nil
}

// window is a part of an archive that was read with one request.
type window struct {
	from int64
	b    []byte
	last bool // nothing follows it
}

func (w *window) end() int64 { return w.from + int64(len(w.b)) }

// window reads a part of the archive.
func (a *namedArchive) window(from, size int64) (w window, err error) {
	w = window{from: from, b: make([]byte, size)}
	n, err := a.ReadRange(w.b, from)
	w.b = w.b[:n]
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) && n > 0 {
		w.last, err = true, nil
	}
	if err != nil {
		err = &input.ReadError{Err: err}
	}
	return w, err
}

// section is an archive with parts in memory. It may return fewer bytes than requested:
// its readers read again, or have enough.
type section struct {
	reading.Until
	windows [2]window
	more    io.ReaderAt // the rest; nil: the archive is taken to end with its windows
}

func (s *section) ReadAt(p []byte, offset int64) (int, error) {
	if err := s.Err(); err != nil {
		return 0, err
	}
	for i := range s.windows {
		if w := &s.windows[i]; offset >= w.from && offset < w.end() {
			return copy(p, w.b[offset-w.from:]), nil
		}
	}
	if s.more == nil {
		return 0, io.EOF
	}
	return s.more.ReadAt(p, offset)
}

// lastBefore is the offset of the last occurrence of magic before an offset, in the window that holds
// what stands there; -1: there is none.
func (w *window) lastBefore(magic []byte, offset int64) int64 {
	end := min(offset, w.end()) - w.from
	if end <= 0 {
		return -1
	}
	if i := bytes.LastIndex(w.b[:end], magic); i >= 0 {
		return w.from + int64(i)
	}
	return -1
}
