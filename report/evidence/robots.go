package evidence

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/report"
)

// Robots describes the output of WriteRobots.
type Robots struct {
	Captures int64 // of robots.txt, with all records that they came to
	Records  int64
	Archives int64
	Reported int64     // captures that are left out: an index or a list reports them, and no input holds them
	Lacking  int64     // captures and other records that are left out: no archive that is here holds them
	Missing  []Missing // archives
}

// WriteRobots writes a folder of archives that hold all captures of robots.txt of an audit, the records that
// redirects and revisits led to, and those that belong to both: an archive for each of which there are any, as those
// that Verify audits. All records stand in the order of their archives, so that an audit of the folder
// finds the same states of robots.txt. The folder is whole or not there.
func WriteRobots(ctx context.Context, dir, to string) (found *Robots, err error) {
	err = withWriter(ctx, &Options{Dir: dir}, func(w *writer, _ *report.Audit) error {
		found, err = w.writeRobots(ctx, to)
		return err
	})
	return found, err
}

func (w *writer) writeRobots(ctx context.Context, to string) (*Robots, error) {
	captures := robotsCollector{collector: w.collector}
	if err := w.evaluate(ctx, &captures); err != nil {
		return nil, err
	}
	if err := cmp.Or(w.gather(ctx), w.positions.Flush(), w.bodies.Flush()); err != nil {
		return nil, err
	}
	found := &captures.found
	found.Records, found.Archives = w.positions.count, int64(len(w.copied))
	found.Lacking, found.Missing = w.lacking, w.missingArchives()
	for _, a := range w.archives {
		for i := range int64(len(a.wanted)) * 64 {
			if !a.wanted.has(i) {
				continue
			}
			if n, err := w.positions.number(a.number, i); err != nil {
				return nil, err
			} else if n == 0 {
				found.Lacking++
			}
		}
	}
	return found, w.unpack(to)
}

// robotsCollector is a Sink that collects the places of captures of robots.txt.
type robotsCollector struct {
	evaluate.NoSink
	*collector
	found Robots
}

// Robots collects a capture.
func (c *robotsCollector) Robots(r *evaluate.RobotsRecord) error {
	if r.IsReportedByIndex() || r.Trust == facts.TrustLogged {
		c.found.Reported++
		return nil
	}
	c.here = c.here[:0]
	c.citeFetch(&r.Fetch, roleFetch)
	c.citeSteps(r.Steps())
	for _, twin := range r.Twins() {
		c.citePlace(twin, roleTwin)
	}
	there, err := c.want()
	if there && err == nil {
		c.found.Captures++
	}
	return err
}

// unpack puts the records copied into archives in a new folder.
func (w *writer) unpack(to string) (err error) {
	tmp, remove, err := durable.Temporary(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	dir := filepath.Join(tmp, "archives")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	u, err := newUnpacker(dir, w.copied, w.copier.newest)
	if err != nil {
		return err
	}
	defer u.close()
	u.plain = 1 << 62
	members := newMember(bufio.NewReaderSize(w.bodies.content(), 64<<10))
	for line, err := range w.records.lines() {
		var r record
		if err := cmp.Or(err, json.Unmarshal(line, &r)); err != nil {
			return err
		}
		if r.Archive == len(u.paths) {
			if err := u.begin(); err != nil {
				return err
			}
		}
		if err := cmp.Or(members.next(), u.record(members, &r)); err != nil {
			return err
		}
	}
	if err := u.finish(); err != nil {
		return err
	}
	for i, from := range u.paths {
		if err := os.Rename(from, filepath.Join(dir, w.copied[i].fileName(i))); err != nil {
			return err
		}
	}
	u.close()
	if err := os.Remove(u.positions.file.Name()); err != nil {
		return err
	}
	if err := durable.SyncFiles(dir); err != nil {
		return err
	}
	if err := os.Rename(dir, to); err != nil {
		return err
	}
	return durable.SyncFolder(filepath.Dir(to))
}

// fileName names the archive that is made of the records of another, the i-th: in the order of all.
func (a *archive) fileName(i int) string {
	name := path.Base(cmp.Or(a.Entry, a.Name))
	for _, ending := range [...]string{".gz", ".zst", ".bz2", ".warc", ".arc", ".log"} {
		name = strings.TrimSuffix(name, ending)
	}
	name = strings.Map(func(c rune) rune {
		if c < 0x80 && strings.ContainsRune("-_.", c) || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' {
			return c
		}
		return '_'
	}, name[:min(len(name), 100)])
	name = fmt.Sprintf("%05d-%s.robots.%s", i+1, name, a.Form)
	if !a.Forgeable {
		name += ".gz"
	}
	return name
}
