package ingest

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/cdx"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/reading"
)

// InputError is an argument that names no archive.
type InputError struct {
	Arg    string
	Reason string
}

func (e *InputError) Error() string { return fmt.Sprintf("%s: %s", e.Arg, e.Reason) }

// ExpandOptions are the options of Expand.
type ExpandOptions struct {
	// Base is a URL or a folder from which relative lines of lists of inputs are meant. "" is the
	// working folder, and for lists on servers their own host or bucket.
	Base string
	// URLs are files that the user calls lists of URLs, Robots files called tables of robots.txt.
	URLs, Robots []string
	// Columns is what the user calls the columns of these lists and tables: FIELD=COLUMN, with commas between.
	Columns string
	// Bodies is a folder with the bodies that the tables name by their digests; "": there is none.
	Bodies string
	// AccessLogs are files that the user calls access logs, to be read as AccessLog says.
	AccessLogs []string
	AccessLog  facts.AccessLog
}

// ColumnFields are the fields that ExpandOptions.Columns may name.
func ColumnFields() string { return cdx.ColumnFields() }

// CheckColumns checks ExpandOptions.Columns, where there are lists of URLs, tables of robots.txt, or both.
func CheckColumns(columns string, lists, tables bool) error {
	var formats []cdx.Format
	if lists {
		formats = append(formats, cdx.URLList)
	}
	if tables {
		formats = append(formats, cdx.RobotsList)
	}
	return cdx.CheckColumns(columns, formats...)
}

// Expand turns arguments into inputs, sorted by path, each file once: files,
// folders (recursively), globs, URLs (s3://BUCKET/KEY, https://…, http://…), prefixes of an
// object store (s3://BUCKET/PREFIX/), "-", and lists of them, "@list" or "*.paths.gz".
// Arguments that name nothing are returned as failures; the others stand. When ctx is done, requests to
// servers fail.
func Expand(ctx context.Context, args []string, opt ExpandOptions) (inputs []Input, failures []*InputError) {
	x := expander{base: opt.Base, seen: make(map[string]bool)}
	x.called = facts.Input{List: true, Columns: opt.Columns}
	for _, path := range opt.URLs {
		x.path(path)
	}
	x.called = facts.Input{RobotsList: true, Columns: opt.Columns, Bodies: opt.Bodies}
	for _, path := range opt.Robots {
		x.path(path)
	}
	x.called = facts.Input{AccessLog: opt.AccessLog.String()}
	for _, path := range opt.AccessLogs {
		if path == facts.Stdin {
			x.argument(ctx, path)
		} else {
			x.path(path)
		}
	}
	x.called = facts.Input{}
	for _, arg := range args {
		x.argument(ctx, arg)
	}
	if more := x.failed - maxFailures; more > 0 {
		x.failures = append(x.failures, &InputError{
			fmt.Sprintf("%d more inputs", more), "cannot be read either; correct what is named, and run this again",
		})
	}
	return sortInputs(x.inputs), x.failures
}

type expander struct {
	base     string
	inputs   []facts.Input
	failures []*InputError
	failed   int // of all; the first are in failures
	seen     map[string]bool
	called   facts.Input // what the user calls the files that the arguments name
}

// maxFailures bounds the failures that are named one by one: a list may have a million lines that name nothing.
const maxFailures = 10_000

func (x *expander) fail(arg, format string, args ...any) {
	if x.failed++; x.failed > maxFailures {
		return
	}
	x.failures = append(x.failures, &InputError{object.Shown(arg), fmt.Sprintf(format, args...)})
}

func (x *expander) argument(ctx context.Context, arg string) {
	switch {
	case arg == facts.Stdin:
		in := x.called
		in.Path, in.Name = facts.Stdin, facts.Stdin
		x.add(in)
	case strings.HasPrefix(arg, "@"):
		x.list(ctx, arg[1:])
	case strings.HasSuffix(object.Shown(arg), ".paths.gz"):
		x.list(ctx, arg)
	case object.IsPrefix(arg):
		x.prefix(ctx, arg)
	case object.IsRemote(arg):
		x.remotes(ctx, []remoteArg{{url: arg}})
	default:
		x.path(arg)
	}
}

// path takes a file, a folder, or a glob that the shell has not expanded.
func (x *expander) path(arg string) {
	_, err := os.Stat(arg)
	isMissing := errors.Is(err, fs.ErrNotExist) || err != nil && runtime.GOOS == "windows" // where no name has a *
	if isMissing && strings.ContainsAny(arg, "*?[") {
		x.glob(arg)
		return
	}
	x.named(arg)
}

// named takes a file or a folder.
func (x *expander) named(arg string) {
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir() && x.called.List:
		x.fail(arg, "is a folder; name a list of URLs")
	case err == nil && info.IsDir() && x.called.AccessLog != "":
		x.fail(arg, "is a folder; name access logs, or give a glob")
	case err == nil && info.IsDir() && x.called.RobotsList:
		x.fail(arg, "%s", whyNoTable(arg))
	case err == nil && info.IsDir():
		x.folder(arg)
	case err == nil:
		x.file(arg, filepath.Base(arg))
	case strings.Contains(arg, "://"):
		x.fail(arg, "no such file or folder; of URLs, s3://…, https://… and http://… can be read")
	case errors.Is(err, fs.ErrNotExist):
		x.fail(arg, "no such file or folder; check the path")
	default:
		x.fail(arg, "cannot be read (%v); check its permissions", object.Cause(err))
	}
}

func (x *expander) glob(pattern string) {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		x.fail(pattern, "is no pattern; a [ in it needs its ]")
		return
	}
	if len(paths) == 0 {
		x.fail(pattern, "matches no file; check the pattern")
	}
	for _, p := range paths {
		x.named(p)
	}
}

// list takes the lines of a list; "-" is standard input. A relative line is also the name that the
// tables give the file.
func (x *expander) list(ctx context.Context, path string) {
	if path == facts.Stdin {
		x.lines(ctx, path, os.Stdin)
		return
	}
	f, err := x.openList(ctx, path)
	if err != nil {
		x.fail(path, "the list cannot be read (%v); check the path", object.Cause(err))
		return
	}
	defer f.Close()
	if a, format := reading.Sniff(input.At(f, 0), object.Shown(path)); a.Readable() || isIndex(format) {
		what := "archive"
		if isIndex(format) {
			what = "index"
		}
		x.fail(path, "is an %s, not a list of archives; leave out the @", what)
		return
	}
	var r io.Reader = f
	if strings.HasSuffix(object.Shown(path), ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			x.fail(path, "the list cannot be read (%v); it is no gzip file", err)
			return
		}
	}
	x.lines(ctx, path, r)
}

func (x *expander) openList(ctx context.Context, path string) (object.Object, error) {
	if !object.IsRemote(path) {
		return object.Open(ctx, path, object.Info{})
	}
	path, err := object.Clean(path)
	if err != nil {
		return nil, err
	}
	info, err := object.Stat(ctx, path)
	if err != nil {
		return nil, err
	}
	return object.Open(ctx, path, info)
}

// lineOfList is a line of a list.
type lineOfList struct {
	list   string
	number int
	text   string
	scope  *object.Scope // where the lines may lead; nil: anywhere
}

func (l lineOfList) String() string { return fmt.Sprintf("line %d of %s", l.number, l.list) }

// scopeOf is where the lines of a list may lead. The user's own lists may lead anywhere.
func (x *expander) scopeOf(list string) *object.Scope {
	if !object.IsRemote(list) {
		return nil
	}
	return &object.Scope{Base: cmp.Or(x.base, object.Host(list)), Own: list}
}

// lineAt is where a line leads.
func (x *expander) lineAt(line *lineOfList) (string, error) {
	switch {
	case line.scope != nil:
		return line.scope.Resolve(line.text)
	case object.IsRemote(line.text), filepath.IsAbs(line.text):
		return line.text, nil
	}
	return object.Join(x.base, line.text), nil
}

func (x *expander) lines(ctx context.Context, path string, r io.Reader) {
	before := len(x.inputs) + x.failed
	var remote []remoteArg
	in := lineOfList{list: object.Shown(path), scope: x.scopeOf(path)}
	// editors of Windows write marks and UTF-16
	lines := bufio.NewScanner(transform.NewReader(r, unicode.BOMOverride(transform.Nop)))
	for lines.Scan() {
		in.number++
		if in.text = strings.TrimSpace(lines.Text()); in.text == "" || strings.HasPrefix(in.text, "#") {
			continue
		}
		at, err := x.lineAt(&in)
		switch {
		case err != nil:
			x.fail(in.text, "%v, and %s, which lies on a server, may name nothing else; give that place with "+
				"--base, or copy the list to this machine", err, in)
		case object.IsRemote(at):
			remote = append(remote, remoteArg{
				url: at, name: object.Shown(in.text), confined: in.scope != nil, list: in.list, line: in.number,
			})
		default:
			x.listed(in, at)
		}
	}
	if err := lines.Err(); err != nil {
		x.fail(path, "the list cannot be read to its end (%v)", err)
	}
	if c, ok := r.(io.Closer); ok {
		c.Close() // a server may bear no other request at the same time
	}
	x.remotes(ctx, remote)
	if len(x.inputs)+x.failed == before {
		x.fail(path, "the list names no archive; put one path on each line")
	}
}

// listed takes a file or folder that a line of a list names.
func (x *expander) listed(line lineOfList, at string) {
	info, err := os.Stat(at)
	switch {
	case err != nil:
		x.fail(line.text, "cannot be read (%v), though %s names it; correct the list, or say with --base where its lines are", object.Cause(err), line)
	case info.IsDir() && line.scope != nil:
		x.fail(line.text, "is a folder, and %s, which lies on a server, may name files alone; name it yourself, or "+
			"copy the list to this machine", line)
	case info.IsDir():
		x.folder(at)
	default:
		x.file(at, filepath.ToSlash(line.text))
	}
}

// folder takes the archives of a folder and its subfolders.
func (x *expander) folder(dir string) {
	failed := x.failed
	w := walk{expander: x, entered: make(map[string]bool)}
	w.enter(dir, "")
	for len(w.links) > 0 {
		next := w.links[0]
		w.links = w.links[1:]
		w.enter(next.path, next.name)
	}
	if w.archives == 0 && x.failed == failed {
		x.fail(dir, "the folder holds no archives; name a folder with .warc or .warc.gz files")
	}
}

// walk goes through a folder. It follows links to folders, and enters each folder
// once, so that loops end. Links come last: a folder that lies in the tree itself
// gives its archives its own name, not a link's.
type walk struct {
	*expander
	entered  map[string]bool // real paths
	links    []found         // to folders
	archives int             // and indexes
}

// found is a file or folder: where it is, and its name relative to the walk's root.
type found struct{ path, name string }

func (w *walk) enter(dir, name string) {
	real, err := realPath(dir)
	if err != nil {
		w.fail(dir, "cannot be read (%v); check its permissions", object.Cause(err))
		return
	}
	if w.entered[real] || filepath.Base(real) == facts.PrivateFolder { // of an output, which may lie among the archives
		return
	}
	w.entered[real] = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.fail(dir, "cannot be read (%v); check its permissions", object.Cause(err))
	}
	for _, e := range entries {
		w.entry(e, found{filepath.Join(dir, e.Name()), path.Join(name, e.Name())})
	}
}

func (w *walk) entry(e fs.DirEntry, at found) {
	switch {
	case e.IsDir():
		w.enter(at.path, at.name)
		return
	case e.Type()&fs.ModeSymlink != 0:
		info, err := os.Stat(at.path)
		if err != nil {
			w.fail(at.path, "is a link that leads nowhere (%v); mend or remove it", object.Cause(err))
			return
		}
		if info.IsDir() {
			w.links = append(w.links, at)
			return
		}
	}
	switch name := filepath.ToSlash(at.path); {
	case isArchive(at.path), isNamedIndex(name) && !isOutput(filepath.Dir(at.path)):
		w.archives++
		w.file(at.path, at.name)
	}
}

// isNamedArchive reports whether a file is named like an archive, or like a WAT, which who reads it refuses.
func isNamedArchive(name string) bool {
	name = strings.ToLower(path.Base(name))
	for _, part := range [...]string{".warc", ".arc", ".wacz", ".wat"} {
		if i := strings.LastIndex(name, part); i >= 0 {
			switch name[i+len(part):] {
			case "", ".gz", ".bz2", ".zst", ".xz", ".lz4":
				return true
			}
		}
	}
	return false
}

// isArchive picks the files of a folder: those named like an archive, and those that begin like an
// archive or an index.
func isArchive(path string) bool {
	if isNamedArchive(filepath.ToSlash(path)) {
		return true
	}
	// To open a pipe would be to wait for whoever writes to it.
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	form, format := reading.Sniff(input.At(f, 0), path)
	return form.Readable() || isIndex(format) && !isOutput(filepath.Dir(path))
}

// isIndex reports whether a file in a folder is an index with rows. Lists of URLs have to be named: any
// table with addresses and dates looks like one. The summary of a ZipNum cluster lies next to its parts.
func isIndex(format cdx.Format) bool {
	switch format {
	case cdx.None, cdx.URLList, cdx.ZipNum:
		return false
	}
	return true
}

// isOutput reports whether a folder holds the tables of an audit, which look like indexes.
func isOutput(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, facts.PrivateFolder))
	return err == nil && info.IsDir()
}

func (x *expander) file(path, name string) {
	var real string
	info, err := os.Stat(path)
	if err == nil && info.Mode().IsRegular() { // a pipe may have no real path
		real, err = realPath(path)
	}
	switch {
	case err != nil:
		x.fail(path, "cannot be read (%v)", object.Cause(err))
	case !info.Mode().IsRegular():
		x.fail(path, "is no regular file; give a pipe on standard input, as -")
	default:
		in := x.called
		in.Path, in.Name, in.Size, in.MTime = real, name, info.Size(), info.ModTime().UnixNano()
		x.add(in)
	}
}

// whyNoTable says why a folder is no table of robots.txt.
func whyNoTable(dir string) string {
	for _, git := range [...]string{".git", "HEAD"} { // of a work tree, and of a bare repository
		if _, err := os.Stat(filepath.Join(dir, git)); err == nil {
			return `is a git repository; make a table of its history by robotsaudit.history(repository, site, ` +
				`path="robots.txt") of the Python package, or as docs/OPERATIONS.md shows ("robots.txt in git")`
		}
	}
	return "is a folder; name a table of robots.txt"
}

// realPath returns the absolute path of a file without symbolic links. It has slashes on Windows, too:
// the order of inputs does not depend on the system.
func realPath(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	real, err = filepath.Abs(real)
	return filepath.ToSlash(real), err
}

func (x *expander) add(in facts.Input) {
	if x.seen[in.Path] {
		return
	}
	in = in.Compact()
	x.seen[in.Path] = true
	x.inputs = append(x.inputs, in)
}

// distinctNames gives inputs whose names collide their paths instead, so that a
// row's warc_filename always identifies its file.
func distinctNames(inputs []facts.Input) {
	count := make(map[string]int)
	for _, in := range inputs {
		count[in.Name]++
	}
	for i := range inputs {
		if count[inputs[i].Name] > 1 {
			inputs[i].Name = inputs[i].Path
		}
	}
}
