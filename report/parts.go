package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/robotsaudit/robotsaudit/evaluate"
)

// parts are what was written of ranges of buckets, each with tables of its own in a folder of
// its own. They are joined to one table of each name.
type parts struct {
	guard sync.Mutex
	of    map[int]*part // by range
}

// part is a Writer of a range. Several ranges may report the same ungoverned tokens; one is kept.
type part struct {
	*Writer
	rows       map[string]int64 // once it is closed
	ungoverned []string         // the tokens of robots ID 0
}

// Part starts the part of the n-th range.
func (w *Writer) Part(n int) (evaluate.Sink, error) {
	tmp := filepath.Join(w.tmp, fmt.Sprintf("part-%05d", n))
	if err := os.Mkdir(tmp, 0o777); err != nil {
		return nil, err
	}
	own := newWriter(w.dir, tmp, w.facts, w.opt)
	own.Rank(w.ranks)
	own.Only(w.only)
	p := &part{Writer: own}
	w.parts.add(n, p)
	return p, nil
}

// Done completes the tables of a part.
func (w *Writer) Done(n int) (err error) {
	w.parts.guard.Lock()
	p := w.parts.of[n]
	w.parts.guard.Unlock()
	p.rows, err = p.closeTables(false)
	return err
}

func (p *parts) add(n int, own *part) {
	p.guard.Lock()
	defer p.guard.Unlock()
	if p.of == nil {
		p.of = make(map[int]*part)
	}
	p.of[n] = own
}

// sorted are the parts in the order of their ranges.
func (p *parts) sorted() (list []*part) {
	for _, n := range slices.Sorted(maps.Keys(p.of)) {
		list = append(list, p.of[n])
	}
	return list
}

// RobotsAgent writes that a group of a robots capture governs a token. For those that none
// governs, that is left to who joins the parts.
func (p *part) RobotsAgent(robotsID int64, group int, agent string) error {
	if robotsID != 0 {
		return p.Writer.RobotsAgent(robotsID, group, agent)
	}
	p.tally.WhatIf.here.Join(TokenGroup{}, agent)
	p.ungoverned = append(p.ungoverned, agent)
	return nil
}

// takeParts adds up the counts of the parts.
func (w *Writer) takeParts() error {
	var ungoverned []string
	for _, p := range w.parts.sorted() {
		w.tally.add(p.tally)
		if ungoverned == nil {
			ungoverned = p.ungoverned
		}
	}
	var err error
	for _, agent := range ungoverned {
		err = cmp.Or(err, w.RobotsAgent(0, 0, agent))
	}
	return err
}

// joinParts joins the tables of the parts, in the order of their ranges, and those that w has
// itself. It adds their rows to rows.
func (w *Writer) joinParts(rows map[string]int64) error {
	if len(w.parts.of) == 0 {
		return nil
	}
	folders := []string{}
	for _, p := range w.parts.sorted() {
		folders = append(folders, p.tmp)
		for name, n := range p.rows {
			rows[name] += n
		}
	}
	for name := range rows {
		var files []string
		for _, folder := range append(folders, w.tmp) {
			files = append(files, filepath.Join(folder, tableFile(name)))
		}
		if err := w.joinTable(name, files); err != nil {
			return err
		}
	}
	for _, folder := range folders {
		if err := os.RemoveAll(folder); err != nil {
			return err
		}
	}
	return nil
}

// joinTable makes the last of files the whole table: of all files that are there.
func (w *Writer) joinTable(name string, files []string) error {
	own := files[len(files)-1]
	files = slices.DeleteFunc(files, func(path string) bool {
		_, err := os.Stat(path)
		return errors.Is(err, os.ErrNotExist)
	})
	if len(files) == 0 {
		i := slices.IndexFunc(tables, func(t anyTable) bool { return t.about().Name == name })
		return tables[i].create(w.tmp).finish(true)
	}
	joined := own + ".joined"
	if err := joinFiles(joined, files); err != nil {
		return err
	}
	return os.Rename(joined, own)
}
