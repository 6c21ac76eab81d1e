package jsonld

import (
	"context"
	"fmt"
	"io"

	"github.com/robotsaudit/robotsaudit/report/results"
)

// Prov writes the audit as an activity of W3C PROV (PROV-O): the program, what it used, and the files that it made.
func Prov(ctx context.Context, w io.Writer, r *results.Results) error {
	a, err := readAudit(ctx, r)
	if err != nil {
		return err
	}
	n := a.activity()
	n["@context"] = node{
		"@vocab": schemaOrg, "dct": dublinCore, "prov": provOntology, "rdfs": rdfSchema,
	}
	made := []node{a.made(&a.file, "Settings, inputs and totals of the audit.")}
	for _, t := range a.tables {
		for i := range t.files {
			made = append(made, a.made(&t.files[i], t.Doc))
		}
	}
	n["@reverse"] = node{"prov:wasGeneratedBy": made}
	used := n["prov:used"].([]any)
	delete(n, "prov:used")
	return a.write(w, n, "prov:used", used...)
}

func (a *audit) made(f *file, about string) node {
	n := f.node(fmt.Sprint(a.base, f.name), "prov:Entity")
	n["description"] = about
	return n
}
