package evidence

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/reading"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// Options of Write.
type Options struct {
	Dir      string   // output folder of the audit
	To       string   // the bundle's file
	What     []string // which fetches: see selection; none: all
	Drop     bool     // prove what lists drop, and not violations alone
	Agents   []string // with Drop: what these tokens would have been disallowed, in place of the crawler's own
	Purposes []string // with Drop: and what pages and origins state against these
	Archives string   // folder in which the archives are now; "": where they were
}

// Bundle describes the output of Write.
type Bundle struct {
	Verification
	Lacking int64     // findings left out for lack of records
	Missing []Missing // archives that hold some of the lacking records
}

// IsEmpty reports whether nothing was written, for lack of records of every fetch.
func (b *Bundle) IsEmpty() bool { return b.Lacking > 0 && b.Violations == 0 }

// Missing is an archive that could not be read as it was when it was audited.
type Missing struct {
	Name, Reason string
	Affected     int64  // findings that need it
	Cure         string // what to do where it is no record of an input; "": to say where that is now
}

// CureOfTable is the Missing.Cure of a table of robots.txt.
const CureOfTable = "audit an archive that holds these robots.txt"

// CureOfLog is the Missing.Cure of an access log.
const CureOfLog = "keep the log, and show its lines with what 'robotsaudit explain' says of them"

// NotFoundError reports names without a finding.
type NotFoundError struct {
	Names  []string
	Listed bool // what lists drop was looked for
}

func (e *NotFoundError) Error() string {
	what := "that robots.txt disallowed"
	if e.Listed {
		what = "that the list drops"
	}
	return fmt.Sprintf("no fetch %s is %q; name one by its URL, its WARC-Record-ID, "+
		"FILE:OFFSET, its name in a report or its row in violations, from 1", what, e.Names[0])
}

// Write writes a bundle and verifies it. The file is whole or not there. If the bundle would be empty
// for lack of records, the file stays as it was.
func Write(ctx context.Context, opt Options) (b *Bundle, err error) {
	err = withWriter(ctx, &opt, func(w *writer, audit *report.Audit) error {
		b, err = w.write(ctx, &opt, audit)
		return err
	})
	return b, err
}

// write collects what is asked for, copies it, and puts the bundle together.
func (w *writer) write(ctx context.Context, opt *Options, audit *report.Audit) (*Bundle, error) {
	if of := audit.Settings.AsOf; !of.IsZero() && len(opt.Agents)+len(opt.Purposes) > 0 {
		return nil, fmt.Errorf("the audit is as of %s, and a bundle proves what held when a page was fetched; "+
			"run 'robotsaudit evaluate' without --as-of", of)
	}
	if err := w.evaluate(ctx, w.collector); err != nil {
		return nil, err
	}
	if n := w.rows[tableViolations]; n != audit.Totals.Violations {
		return nil, fmt.Errorf("the audit counted %d violations, and this version of robotsaudit counts %d; "+
			"run 'robotsaudit evaluate' again", audit.Totals.Violations, n)
	}
	if missed := w.selected.missed(); len(missed) > 0 {
		return nil, &NotFoundError{missed, w.selected.drop}
	}
	if err := w.gather(ctx); err != nil {
		return nil, err
	}
	manifest, err := w.spool("manifest")
	if err != nil {
		return nil, err
	}
	err = cmp.Or(w.positions.Flush(), writeManifest(manifest.Writer, head{formatName, report.Version(), w.settings},
		func(yield func([]byte, error) bool) {
			for i := range w.copied {
				if !yield(json.Marshal(&w.copied[i])) {
					return
				}
			}
		}, w.records.lines(), w.violations()))
	if err != nil {
		return nil, err
	}
	b := &Bundle{Lacking: w.lacking, Missing: w.missingArchives()}
	if w.lacking > 0 && w.listed == 0 {
		return b, nil
	}
	return b, durable.Replace(opt.To, func(tmp string) error {
		file, err := os.Create(tmp)
		if err != nil {
			return err
		}
		if err := errors.Join(w.assemble(file, manifest), file.Close()); err != nil {
			return err
		}
		v, err := verify(ctx, tmp, w.tmp, nil)
		if err == nil {
			b.Verification = *v
		}
		return err
	})
}

// missingArchives lists what could not be read of what is evidence.
func (w *writer) missingArchives() (all []Missing) {
	for _, i := range slices.Sorted(maps.Keys(w.missing)) {
		if w.affected[i] > 0 {
			all = append(all, Missing{w.inputs[i].Name, w.missing[i], w.affected[i], ""})
		}
	}
	add := func(affected map[string]int64, reason, cure string) {
		for _, name := range slices.Sorted(maps.Keys(affected)) {
			all = append(all, Missing{name, reason, affected[name], cure})
		}
	}
	add(w.unheld, "an index or a list names it, and it is not among the inputs", "audit it together with the index")
	add(w.logs, "an access log has lines and no records, so it proves nothing to others", CureOfLog)
	add(w.tables, "a table of robots.txt has rows and no records, so it proves nothing", CureOfTable)
	return all
}

// withWriter calls do with a writer of records of the audit in opt.Dir.
func withWriter(ctx context.Context, opt *Options, do func(*writer, *report.Audit) error) (err error) {
	r, err := results.Open(opt.Dir)
	if err != nil {
		return err
	}
	set, err := ingest.OpenFacts(opt.Dir)
	if err != nil {
		return err
	}
	if err := r.CheckFacts(set); err != nil {
		return err
	}
	tmp, remove, err := set.MakeTemporary()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	w, err := newWriter(ctx, set, &r.Audit().Settings, tmp, opt)
	defer w.close()
	if err != nil {
		return err
	}
	return do(w, r.Audit())
}

// options are the options of the evaluation that s describes.
func (s *Settings) options() (evaluate.DecideOptions, error) {
	settings := report.Settings{
		Profile: s.Profile, Agents: s.Agents, Purposes: s.Purposes, Crawler: s.Crawler, CrawlerMap: s.CrawlerMap,
	}
	return settings.Options()
}

// Foreign lists the settings that this program does not have: they are of another version, or of none.
func (s *Settings) Foreign() (list []string) {
	if own := weburl.PublicSuffixVersion(); s.PublicSuffixList != own {
		list = append(list, fmt.Sprintf("public_suffix_list %.200q", s.PublicSuffixList))
	}
	isOurs := func(m reading.Mode) bool { return s.FactsFingerprint == m.Fingerprint() }
	if !slices.ContainsFunc(reading.Modes[:], isOurs) {
		list = append(list, fmt.Sprintf("facts_fingerprint %.200q", s.FactsFingerprint))
	}
	return list
}

// writer makes a bundle.
type writer struct {
	*collector
	settings  Settings
	copier    *copier
	copied    []archive
	positions *positions
	records   *spool   // lines of the manifest
	bodies    *spool   // the records themselves
	files     []*spool // temporary
	listed    int64    // findings in the manifest
}

// newWriter makes temporary files, and finds the inputs. The writer is to be closed, also after an error.
func newWriter(
	ctx context.Context, set *facts.Set, s *report.Settings, tmp string, opt *Options,
) (w *writer, err error) {
	w = &writer{settings: Settings{
		Profile: s.Profile, Agents: opt.Agents, Purposes: opt.Purposes, Crawler: s.Crawler, CrawlerMap: s.CrawlerMap,
		PublicSuffixList: s.PublicSuffixList, FactsFingerprint: s.FactsFingerprint,
	}}
	w.collector = &collector{
		set: set, selected: newSelection(opt), missing: make(map[int32]string), tmp: tmp,
		keys: make(map[archiveKey]int), affected: make(map[int32]int64), unheld: make(map[string]int64),
		tables: make(map[string]int64), logs: make(map[string]int64),
	}
	w.finder = finder{agents: opt.Agents, found: w.collect, rows: make(map[string]int64)}
	w.positions = new(positions)
	for _, f := range [...]struct {
		file **spool
		name string
	}{{&w.findings, "findings"}, {&w.records, "records"}, {&w.bodies, "bodies"}, {&w.positions.spool, "positions"}} {
		if *f.file, err = w.spool(f.name); err != nil {
			return w, err
		}
	}
	w.copier = &copier{
		out: w.bodies, gzip: gzip.NewWriter(io.Discard), member: newMember(bufio.NewReader(nil)),
	}
	for i, in := range set.Inputs() {
		if reason := locate(ctx, &in, opt.Archives); reason != "" {
			w.missing[i] = reason
		}
		w.inputs = append(w.inputs, in)
		if durable.Same(opt.To, in.Path) {
			return w, fmt.Errorf("the bundle cannot be written to %s: that is an archive of the audit", opt.To)
		}
	}
	return w, nil
}

// spool makes a temporary file.
func (w *writer) spool(name string) (*spool, error) {
	s, err := newSpool(w.tmp, name)
	if err == nil {
		w.files = append(w.files, s)
	}
	return s, err
}

func (w *writer) close() {
	for _, f := range w.files {
		f.file.Close()
	}
}

// locate finds out where an input is now, or why it is not there.
func locate(ctx context.Context, in *facts.Input, dir string) (missing string) {
	if in.Path == facts.Stdin {
		return "it was read from standard input"
	}
	tried := []string{in.Path}
	if dir != "" {
		tried = []string{filepath.Join(dir, in.Name), filepath.Join(dir, filepath.Base(in.Name)), in.Path}
	}
	missing = "there is no file " + strings.Join(slices.Compact(slices.Clone(tried)), ", nor ")
	for _, path := range tried {
		if object.IsRemote(path) { // reading it shows whether it exists; most are not read
			return ""
		}
		now, err := facts.FindInput(ctx, path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			missing = fmt.Sprintf("%s cannot be read (%v)", path, object.Cause(err))
			continue
		}
		if now.Size == in.Size {
			in.Path = now.Path
			in.SetObject(now.Object())
			return ""
		}
		missing = fmt.Sprintf("it has %d bytes, and had %d when it was audited", now.Size, in.Size)
	}
	return missing
}

// evaluate decides again, for a sink.
func (w *writer) evaluate(ctx context.Context, sink evaluate.Sink) error {
	opt, err := w.settings.options()
	if err == nil {
		_, err = evaluate.Run(ctx, w.set, opt, sink)
	}
	return err
}

// violations yields the findings, with the numbers of the records that they cite, as elements of a manifest.
func (w *writer) violations() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for line, err := range w.findings.lines() {
			if err == nil {
				line, err = w.numbered(line)
			}
			if (line != nil || err != nil) && !yield(line, err) {
				return
			}
		}
	}
}

// numbered gives the citations of a collected finding their numbers; nil: it lacks a record.
func (w *writer) numbered(line []byte) ([]byte, error) {
	var v collected
	err := json.Unmarshal(line, &v)
	if err != nil {
		return nil, err
	}
	var lacks *citedArchive // the first one
	v.Records, err = citations(v.Cited, func(x *cited) (int64, error) {
		a := w.archives[x.Archive]
		n, err := w.positions.number(a.number, x.Index)
		if n == 0 && (lacks == nil ||
			cmp.Or(cmp.Compare(a.input, lacks.input), cmp.Compare(a.entry, lacks.entry)) < 0) {
			lacks = a
		}
		return n, err
	})
	switch {
	case err != nil:
		return nil, err
	case lacks != nil:
		w.lacking++
		w.affected[lacks.input]++
		return nil, nil
	}
	w.listed++
	return json.Marshal(&v.violation)
}

// manifestURL is the WARC-Target-URI of the manifest.
const manifestURL = "urn:robotsaudit:evidence:manifest"

// assemble writes the manifest, and the records after it.
func (w *writer) assemble(out io.Writer, manifest *spool) error {
	sum := sha256.New()
	size, err := io.Copy(sum, manifest.content())
	if err != nil {
		return err
	}
	member := gzip.NewWriter(out)
	if _, err := member.Write(manifestHeader(warcDate(w.newest), sum.Sum(nil), size)); err != nil {
		return err
	}
	if _, err := io.Copy(member, manifest.content()); err != nil {
		return err
	}
	if _, err := io.WriteString(member, "\r\n\r\n"); err != nil {
		return err
	}
	if err := cmp.Or(member.Close(), w.bodies.Flush()); err != nil {
		return err
	}
	_, err = io.Copy(out, w.bodies.content())
	return err
}

// manifestHeader is the header of the record that holds a manifest.
func manifestHeader(date string, sha256 []byte, size int64) []byte {
	digest := fmt.Sprintf("sha256:%x", sha256)
	return header("resource", uuidOf(digest), date, manifestURL, "WARC-Block-Digest: "+digest+"\r\n",
		"application/json", size)
}

// header is the header of a record that is no copy.
func header(kind, id, date, url, more, contentType string, size int64) []byte {
	return fmt.Appendf(nil, "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <%s>\r\nWARC-Date: %s\r\n"+
		"WARC-Target-URI: %s\r\n%sContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
		kind, id, date, url, more, contentType, size)
}
