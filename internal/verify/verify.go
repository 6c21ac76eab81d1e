// Package verify puts records in place of rows of indexes. evaluate.Suspected decides everything once and
// names the rows. Verification sorts them by archive and reads each record by its place, with one
// request and through the same extractor. What it finds lies next to the tasks, in folders like
// theirs, whose inputs are the indexes: records with TrustVerified, and copies of rows that were
// refuted or could not be read. All of them stand before the rows themselves, so the joiner leaves
// those out, and the tables are made by deciding once more.
package verify

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/alitto/pond/v2"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/reading"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/rowreading"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Options are the options of a Verification.
type Options struct {
	Base     string // URL or folder that the names of archives are meant from; "": see archivePaths
	Workers  int    // archives read at a time; 0: one a core
	Progress *Progress
}

// Progress counts the rows of indexes that were looked up. It may be read at any time.
type Progress struct{ Total, Done atomic.Int64 }

// Result is what a Verification came to, in rows of indexes.
type Result struct {
	Verified int64 // whose record was found
	Refuted  int64 // where there is none like it
	Unread   int64 // whose record could not be read
	Requests int64 // made of servers
	Bytes    int64 // got from them
}

// Verification reads the records that rows of indexes describe, each by its place, and keeps its findings
// next to the facts: the next ingest.OpenFacts has the records in place of the rows.
type Verification struct {
	Options
	set  *facts.Set
	root string // folder of the tasks
	tmp  string
	mu   sync.Mutex
	rows *run.Sorter[facts.Fetch]

	indexes []facts.InputResult // of the set, without counts
	number  map[int32]int32     // of each, in indexes, by its number in the set
}

// rowsByPlace is the order in which records are read: archive by archive.
var rowsByPlace = run.Spec[facts.Fetch]{
	Name: "suspected",
	Compare: func(a, b *facts.Fetch) int {
		return cmp.Or(cmp.Compare(a.Archive, b.Archive), cmp.Compare(a.Input, b.Input),
			cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Index, b.Index))
	},
	Bucket: func(*facts.Fetch) int { return 0 },
}

// New begins a verification of rows of a set. It is to be closed.
func New(set *facts.Set, opt Options) (*Verification, error) {
	if opt.Progress == nil {
		opt.Progress = new(Progress)
	}
	v := &Verification{
		Options: opt, set: set, root: filepath.Join(set.Dir, facts.FolderName(set.Fingerprint)),
		number: make(map[int32]int32),
	}
	i := int32(-1)
	for in, err := range set.Results(context.Background()) {
		if err != nil {
			return nil, err
		}
		if i++; in.Indexed > 0 {
			v.number[i] = int32(len(v.indexes))
			v.indexes = append(v.indexes, facts.InputResult{
				Input: set.Input(i), Container: in.Container, Fingerprint: in.Fingerprint,
			})
		}
	}
	var err error
	if err = facts.DropTemporary(v.root); err == nil {
		v.tmp, err = os.MkdirTemp(v.root, facts.TemporaryPrefix+"verify-*")
	}
	if err != nil {
		return nil, err
	}
	v.rows = run.NewSorter(v.tmp, rowsByPlace)
	return v, nil
}

// Close removes the temporary files.
func (v *Verification) Close() error { return os.RemoveAll(v.tmp) }

// Can reports whether a row names a record that can be looked for, and was not before.
func Can(f *facts.Fetch) bool { return f.NamesRecord() && f.Flags&facts.FlagRefuted == 0 }

// Add adds a row. Several goroutines may.
func (v *Verification) Add(f *facts.Fetch) error {
	row := *f
	row.Flags &^= facts.FlagUnread
	if row.UserAgentSource == facts.SourceRobotsSubset || row.UserAgentSource == facts.SourceWarcinfo {
		row.UserAgent, row.UserAgentSource = "", facts.SourceNone // it is found anew, whatever is read
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.Progress.Total.Add(1)
	return v.rows.Add(row)
}

const (
	maxLost    = 100  // archives in a row that cannot be had, after which no more records are verified
	maxAtPlace = 1000 // records at one place that is verified
	maxBeside  = 4    // records after it that may belong to it
	maxTries   = 256  // places before it at which its request may begin
)

const verifyBatch = 256 // rows of one archive that are read in a row

// Run reads the records. When ctx is done, ctx's error is returned, and what was found is kept.
func (v *Verification) Run(ctx context.Context) (result Result, err error) {
	requests, bytes := object.Traffic()
	c := &verifyCommitter{Verification: v, result: &result, began: time.Now()}
	c.closed = c.began
	defer c.abandon()
	err = v.each(ctx, c.take)
	if err == nil || ctx.Err() != nil {
		err = cmp.Or(c.close(ctx.Err() == nil), err)
	}
	after, got := object.Traffic()
	result.Requests, result.Bytes = after-requests, got-bytes
	return result, err
}

// each has the records read, some batches at a time, and calls take with what comes of each batch, in
// their order, until it returns false. Once ctx is done, it is called with what was read until then.
func (v *Verification) each(ctx context.Context, take func(*verifyBatchResult) (more bool, err error)) error {
	within, cancel := context.WithCancel(ctx)
	workers := reading.Workers(v.Workers)
	pool := pond.NewResultPool[*verifyBatchResult](workers, pond.WithQueueSize(workers))
	defer pool.StopAndWait()
	defer cancel() // of what nobody will take
	var pending []pond.ResultTask[*verifyBatchResult]
	takeUpTo := func(left int) (more bool, err error) {
		for more = true; more && err == nil && len(pending) > left; pending = pending[1:] {
			var r *verifyBatchResult
			if r, err = pending[0].Wait(); err == nil {
				v.Progress.Done.Add(int64(len(r.rows)))
				more, err = take(r)
			}
		}
		return more, err
	}
	for batch, err := range v.batches(within) {
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		pending = append(pending,
			pool.SubmitErr(func() (*verifyBatchResult, error) { return v.read(within, batch), nil }))
		if more, err := takeUpTo(2 * workers); err != nil || !more {
			return err
		}
	}
	_, err := takeUpTo(0)
	return cmp.Or(ctx.Err(), err)
}

// batches yields the rows, grouped by archive.
func (v *Verification) batches(ctx context.Context) func(yield func([]facts.Fetch, error) bool) {
	return func(yield func([]facts.Fetch, error) bool) {
		var batch []facts.Fetch
		for row, err := range v.rows.Sorted(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			if n := len(batch); n > 0 &&
				(n == verifyBatch || batch[0].Archive != row.Archive || batch[0].Input != row.Input) {
				if !yield(batch, nil) {
					return
				}
				batch = nil
			}
			batch = append(batch, *row)
		}
		if len(batch) > 0 {
			yield(batch, nil)
		}
	}
}

// verifyBatchResult is what came of rows of one archive.
type verifyBatchResult struct {
	rows    []facts.Fetch // of one archive and one index
	unread  string        // why nothing could be read of the rows that have no finding; "": they were not tried
	results []finding     // of the first rows
}

// finding is what came of a row.
type finding struct {
	record  facts.Fetch
	issues  []facts.Issue // of the record
	refuted string        // why there is no such record; "": there is
	unread  string        // why nothing is known of the record; "": it is
	runID   recordid.ID   // of the warcinfo record that the record names and its archive begins with; "": none
}

// read looks for the records of rows of one archive, until ctx is done.
func (v *Verification) read(ctx context.Context, rows []facts.Fetch) *verifyBatchResult {
	r := &verifyBatchResult{rows: rows}
	a, err := v.openNamed(ctx, v.set.Input(rows[0].Input), rows[0].Archive)
	if err == nil {
		for i := range rows {
			var f finding
			if f, err = a.find(&rows[i]); err != nil {
				break
			}
			if a.guessed && f.refuted != "" {
				f.unread = fmt.Sprintf("%s beside the index may be another archive (%.300s); say with --base where "+
					"the archives are", path.Base(rows[i].Archive), f.refuted)
			}
			r.results = append(r.results, f)
		}
		a.Close()
	}
	if err != nil && ctx.Err() == nil {
		r.unread = facts.AtMost(object.Cause(err).Error(), rowreading.MaxFault)
	}
	return r
}

// verifyCommitter keeps what was found. Findings are kept every now and then: what was kept is not
// looked for again after an interruption.
type verifyCommitter struct {
	*Verification
	result *Result
	found  *verifiedWriter // nil: nothing waits
	unread *verifiedWriter
	began  time.Time
	closed time.Time // when findings were kept last

	lost    int    // archives in a row that could not be had
	archive string // the last of them
}

// take adds findings. It returns false if no more are to be looked for.
func (c *verifyCommitter) take(r *verifyBatchResult) (more bool, err error) {
	for i := range r.results {
		if err := c.takeOne(&r.rows[i], &r.results[i]); err != nil {
			return false, err
		}
	}
	if r.unread == "" || len(r.results) > 0 {
		c.lost = 0
	} else if name := r.rows[0].Archive; c.lost == 0 || name != c.archive {
		c.lost, c.archive = c.lost+1, name
	}
	if left := r.rows[len(r.results):]; r.unread != "" {
		if err := c.takeUnread(left, r.unread); err != nil {
			return false, err
		}
	}
	if now := time.Now(); now.Sub(c.closed) > max(time.Minute, now.Sub(c.began)/8) {
		if err := c.keep(); err != nil {
			return false, err
		}
	}
	return c.lost < maxLost, nil
}

func (c *verifyCommitter) takeOne(row *facts.Fetch, f *finding) (err error) {
	if f.unread != "" {
		return c.takeUnread([]facts.Fetch{*row}, facts.AtMost(f.unread, rowreading.MaxFault))
	}
	if c.found == nil {
		if c.found, err = c.newWriter(); err != nil {
			return err
		}
	}
	if f.refuted != "" {
		c.result.Refuted++
		row.Flags |= facts.FlagRefuted
		return cmp.Or(c.found.fetch(row), c.found.issue(&facts.Issue{
			Input: row.Input, Entry: row.Entry, Offset: -1, Length: -1, RecordID: row.RecordID,
			Kind: words.IssueNotVerified,
			Detail: fmt.Sprintf("row %d, at %d of %.300s: %s", row.Index, row.Offset, row.Archive,
				facts.AtMost(f.refuted, rowreading.MaxFault)), Action: "counts as the word of an index",
		}))
	}
	c.result.Verified++
	for i := range f.issues {
		if err := c.found.issue(&f.issues[i]); err != nil {
			return err
		}
	}
	f.record.Run = c.found.runOf(f)
	return c.found.fetch(&f.record)
}

func (c *verifyCommitter) takeUnread(rows []facts.Fetch, why string) (err error) {
	if c.unread == nil {
		if c.unread, err = c.newWriter(); err != nil {
			return err
		}
	}
	for i := range rows {
		rows[i].Flags |= facts.FlagUnread
		if err := c.unread.fetch(&rows[i]); err != nil {
			return err
		}
	}
	c.result.Unread += int64(len(rows))
	first, which := &rows[0], fmt.Sprintf("row %d", rows[0].Index)
	if n := len(rows); n > 1 {
		which = fmt.Sprintf("%d rows, from row %d on", n, first.Index)
	}
	return c.unread.issue(&facts.Issue{
		Input: first.Input, Entry: first.Entry, Offset: -1, Length: -1, Kind: words.IssueNotVerified,
		Action: "counts as the word of an index",
		Detail: fmt.Sprintf("%s, of %.300s: %s", which, first.Archive, why),
	})
}

// keep makes what was found part of the facts.
func (c *verifyCommitter) keep() error {
	w := c.found
	c.found, c.closed = nil, time.Now()
	if w == nil {
		return nil
	}
	return w.publish(facts.VerifiedName(hex.EncodeToString(w.key.Sum(nil)[:8])))
}

// close keeps the rest, and, if all rows were tried, which of them could not be read.
func (c *verifyCommitter) close(complete bool) error {
	if err := c.keep(); err != nil || !complete {
		return err
	}
	w := c.unread
	c.unread = nil
	if w == nil {
		return os.RemoveAll(filepath.Join(c.root, facts.UnreadVerified))
	}
	return w.publish(facts.UnreadVerified)
}

func (c *verifyCommitter) abandon() {
	for _, w := range [...]*verifiedWriter{c.found, c.unread} {
		if w != nil {
			w.Abandon()
		}
	}
}

// verifiedWriter writes a folder of findings.
type verifiedWriter struct {
	*facts.Writer
	*Verification
	dir    string
	inputs []facts.InputResult // the indexes
	key    hash.Hash
}

func (v *Verification) newWriter() (*verifiedWriter, error) {
	w := &verifiedWriter{Verification: v, key: sha256.New(), inputs: slices.Clone(v.indexes)}
	var err error
	if w.dir, err = os.MkdirTemp(v.root, facts.TemporaryPrefix+"verified-*"); err != nil {
		return nil, err
	}
	w.Writer, err = facts.NewWriter(w.dir)
	return w, err
}

func (w *verifiedWriter) stats(input int32) *facts.InputStats {
	return &w.inputs[w.number[input]].InputStats
}

// runOf numbers the run of a record that was found. Archives that are verified at other times give it the
// same number.
func (w *verifiedWriter) runOf(f *finding) int32 {
	if f.runID == "" {
		return 0
	}
	sum := fnv.New32a()
	io.WriteString(sum, string(f.runID)) // packed
	run := facts.CrawlRun{Number: int32(sum.Sum32()>>2) | 1<<30, ID: f.runID.Key(), Entry: f.record.Entry}
	stats := w.stats(f.record.Input)
	if !slices.ContainsFunc(stats.Runs,
		func(r facts.CrawlRun) bool { return r.Number == run.Number && r.Entry == run.Entry }) {
		stats.Runs = append(stats.Runs, run)
	}
	return run.Number
}

func (w *verifiedWriter) fetch(f *facts.Fetch) error {
	fmt.Fprintf(w.key, "%s %s %d %d\n", w.set.Input(f.Input).Path, f.Entry, f.Index, f.Flags)
	if f.Type == facts.TypeRevisit || f.Status == 304 {
		w.stats(f.Input).Borrowed++
	}
	row := *f
	row.Input = w.number[f.Input]
	return w.Writer.Fetch(&row)
}

func (w *verifiedWriter) issue(i *facts.Issue) error {
	w.stats(i.Input).Issues++
	row := *i
	row.Input = w.number[i.Input]
	return w.Writer.Issue(row)
}

func (w *verifiedWriter) publish(name string) error {
	defer os.RemoveAll(w.dir)
	for i := range w.inputs {
		if err := w.Input(&w.inputs[i]); err != nil {
			return err
		}
	}
	if err := w.Writer.Close(&facts.Manifest{Fingerprint: w.set.Fingerprint}); err != nil {
		return err
	}
	return facts.Publish(w.root, w.dir, name)
}
