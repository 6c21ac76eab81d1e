// Package jsonld describes an audit for programs, in JSON-LD: as a dataset (Croissant 1.1 with its RAI vocabulary 1.0)
// and as an activity with all that it used and made (W3C PROV). docs/DOCUMENTS.md has both, field by field.
//
// A description holds what audit.json and the files of the tables hold, and nothing else: who publishes them, and under
// which license, no audit shows. The same results give the same bytes.
package jsonld

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// node is an object of JSON-LD. Its members are sorted by name.
type node = map[string]any

func ref(id string) node { return node{"@id": id} }

// parquetFormat is the media type by which mlcroissant knows Parquet.
const parquetFormat = "application/x-parquet"

// file is a file of the results.
type file struct {
	name, sha256 string // the name: relative to the output folder, with slashes
	size         int64
}

func newFile(ctx context.Context, r *results.Results, name string) (file, error) {
	f := file{name: name}
	from, err := object.OpenCopy(filepath.Join(r.Dir(), name)) // its ReadAt alone brings what a store has
	if err != nil {
		return f, err
	}
	defer from.Close()
	sum, all := sha256.New(), io.NewSectionReader(from, 0, math.MaxInt64)
	for err == nil && ctx.Err() == nil {
		var n int64
		n, err = io.CopyN(sum, all, 1<<26)
		f.size += n
	}
	if err == io.EOF {
		err = nil
	}
	f.sha256 = hex.EncodeToString(sum.Sum(nil))
	return f, cmp.Or(err, ctx.Err())
}

func (f *file) node(id, kind string) node {
	format := parquetFormat
	if f.name == report.AuditFile {
		format = "application/json"
	}
	return node{
		"@id": id, "@type": kind, "name": f.name, "encodingFormat": format, "sha256": f.sha256,
		"contentSize": fmt.Sprintf("%d B", f.size),
	}
}

// table is a table that the audit wrote.
type table struct {
	results.Table
	files   []file
	isParts bool // in a folder
}

// audit is what both descriptions are made of.
type audit struct {
	*results.Results
	file   file // audit.json
	tables []table
	left   []string // tables that the audit left out (--tables)
	base   string   // begins the IDs of what is in this audit alone
}

func readAudit(ctx context.Context, r *results.Results) (*audit, error) {
	tables, err := r.Tables()
	if err != nil {
		return nil, err
	}
	a := &audit{Results: r}
	if a.file, err = newFile(ctx, r, report.AuditFile); err != nil {
		return nil, err
	}
	s := a.file.sha256 // audit.json names all inputs and settings: a UUID of version 8 is made of its sum
	a.base = fmt.Sprintf("urn:uuid:%s-%s-8%s-8%s-%s#", s[:8], s[8:12], s[12:15], s[15:18], s[18:30])
	for _, t := range tables {
		made := table{Table: t}
		for _, name := range t.Files {
			f, err := newFile(ctx, r, name)
			if err != nil {
				return nil, err
			}
			made.files = append(made.files, f)
			made.isParts = name != t.File()
		}
		a.tables = append(a.tables, made)
	}
	for _, t := range report.Tables() {
		if _, written := r.Audit().Tables[t.Name]; !written && !t.Optional {
			a.left = append(a.left, t.Name)
		}
	}
	return a, nil
}

// activity is the audit itself: its program and its settings.
func (a *audit) activity() node {
	about := a.Audit()
	return node{
		"@id": a.base + "audit", "@type": "prov:Activity",
		"rdfs:label": "Audit of " + about.Inputs.String() + " against robots.txt",
		"prov:wasAssociatedWith": node{
			"@id": a.base + "program", "@type": []string{"prov:Agent", "prov:SoftwareAgent"},
			"rdfs:label": about.Tool, "softwareVersion": about.Version,
		},
		"prov:used": []any{node{
			"@id": a.base + "settings", "@type": "prov:Entity", "rdfs:label": "Settings",
			"prov:value": node{"@type": "@json", "@value": about.Settings},
		}},
	}
}

// write writes a node, whose last member is a list of the inputs: there may be hundreds of thousands.
func (a *audit) write(w io.Writer, n node, last string, before ...any) error {
	b, err := encode(n)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s,\n %q: [", bytes.TrimSuffix(b, []byte("\n}")), last)
	separator, number := "\n  ", 0
	add := func(item any) error {
		b, err := encode(item)
		fmt.Fprint(w, separator, strings.ReplaceAll(string(b), "\n", "\n  "))
		separator = ",\n  "
		return err
	}
	for _, item := range before {
		if err := add(item); err != nil {
			return err
		}
	}
	for in, err := range a.Inputs() {
		if err != nil {
			return err
		}
		number++
		n := node{
			"@id": fmt.Sprintf("%sinput-%d", a.base, number), "@type": "prov:Entity", "name": in.Name,
			"contentSize": fmt.Sprintf("%d B", in.Size), "dct:format": in.Container,
		}
		if in.SHA256 != nil {
			n["sha256"] = *in.SHA256
		}
		if in.Fingerprint != "" {
			n["identifier"] = "fingerprint " + in.Fingerprint
		}
		if err := add(n); err != nil {
			return err
		}
	}
	_, err = fmt.Fprint(w, "\n ]\n}\n")
	return err
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
