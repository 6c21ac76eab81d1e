package jsonld

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/url"
	"strings"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/markdown"
	"github.com/robotsaudit/robotsaudit/report/results"
)

const (
	schemaOrg    = "https://schema.org/" // as mlcroissant has it; appendix 1 has http
	dublinCore   = "http://purl.org/dc/terms/"
	provOntology = "http://www.w3.org/ns/prov#"
	partsID      = "-parts" // ends the ID of a FileSet
	rdfSchema    = "http://www.w3.org/2000/01/rdf-schema#"
)

// vocabulary is the context of appendix 1 of Croissant 1.1, and the vocabularies of provenance.
var vocabulary = func() node {
	n := node{
		"@language": "en", "@vocab": schemaOrg, "sc": schemaOrg, "cr": "http://mlcommons.org/croissant/",
		"rai": "http://mlcommons.org/croissant/RAI/", "dct": dublinCore, "prov": provOntology, "rdfs": rdfSchema,
		"conformsTo": "dct:conformsTo",
		"data":       node{"@id": "cr:data", "@type": "@json"}, "examples": node{"@id": "cr:examples", "@type": "@json"},
		"dataType": node{"@id": "cr:dataType", "@type": "@vocab"},
	}
	for _, name := range strings.Fields("annotation arrayShape citeAs column containedIn equivalentProperty excludes " +
		"extract field fileProperty fileObject fileSet format includes isArray isLiveDataset jsonPath key md5 " +
		"parentField recordSet references regex readLines sdVersion separator source subField transform unArchive value") {
		n[name] = "cr:" + name
	}
	return n
}()

// dataTypes has Croissant's types of columns.
var dataTypes = map[string]string{
	"STRING": "sc:Text", "LIST of STRING": "sc:Text", "LIST of INT64": "sc:Integer", "BOOLEAN": "sc:Boolean", "INT16": "sc:Integer",
	"INT32": "sc:Integer", "INT64": "sc:Integer", "DOUBLE": "sc:Float", "TIMESTAMP": "sc:DateTime",
}

// Croissant writes the tables as a dataset of Croissant 1.1, for a file next to them.
func Croissant(ctx context.Context, w io.Writer, r *results.Results, title string) error {
	a, err := readAudit(ctx, r)
	if err != nil {
		return err
	}
	distribution, sets := []node{a.resource(&a.file)}, []node{}
	for i := range a.tables {
		t := &a.tables[i]
		for i := range t.files {
			distribution = append(distribution, a.resource(&t.files[i]))
		}
		if t.isParts {
			distribution = append(distribution, node{
				"@id": t.Name + partsID, "@type": "cr:FileSet", "name": t.Name,
				"encodingFormat": parquetFormat, "includes": t.Name + "/*.parquet",
			})
		}
		if len(t.files) > 0 {
			sets = append(sets, t.recordSet())
		}
	}
	t := &r.Audit().Totals
	n := node{
		"@context": vocabulary, "@type": "sc:Dataset",
		"conformsTo": []string{"http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"},
		"name":       document.TitleOf(title),
		"description": markdown.Words("about") + fmt.Sprintf(" %d fetches: %d violations, %d disallowed but not proven, "+
			"%d unknown. ", t.Fetches, t.Violations, t.Unproven, t.Unknown) + document.Disclaimer,
		"keywords":     []string{"robots.txt", "web archive", "WARC", "crawling"},
		"distribution": distribution, "recordSet": sets, "prov:wasGeneratedBy": a.activity(),
	}
	a.addCollection(n)
	return a.write(w, n, "prov:wasDerivedFrom")
}

// addCollection adds what Croissant's RAI vocabulary states of data that was collected.
func (a *audit) addCollection(n node) {
	about := a.Audit()
	n["rai:dataCollection"] = "Crawlers fetched pages and robots.txt; web archives, indexes, logs and lists of URLs hold " +
		"what they fetched and when. robotsaudit reads these, and gives each fetch a verdict."
	n["rai:dataCollectionType"] = []string{"Web Scraping", "Secondary Data analysis"}
	n["rai:dataCollectionRawData"] = fmt.Sprintf("%s, %d bytes: see prov:wasDerivedFrom.", &about.Inputs, about.Inputs.Size)
	n["rai:dataCollectionMissingData"] = strings.Join(a.missing(), " ")
	n["rai:dataLimitations"] = markdown.Words("limits")
	n["rai:personalSensitiveInformation"] = markdown.Words("personal")
	if first, last := about.Totals.FirstFetchTime, about.Totals.LastFetchTime; first != nil && last != nil {
		n["rai:dataCollectionTimeframe"] = []any{first, last}
		n["rai:dataCollectionTimeFrame"] = []any{first, last} // so mlcroissant calls it, up to 1.1.1 at least
	}
}

// missing are sentences on what the tables lack.
func (a *audit) missing() []string {
	about := a.Audit()
	t, list := &about.Totals, []string(nil)
	counted := func(n int64, text string) {
		if n > 0 {
			list = append(list, fmt.Sprintf(text, n))
		}
	}
	counted(t.Undecided(), "Fetches of which the archives do not show whether robots.txt allowed them (verdict unknown): %d.")
	counted(t.Indexed, "Fetches that an index or a list alone reports, whose records were not read: %d.")
	counted(t.InputsNotWhollyRead, "Inputs that could not be read to the end (table issues): %d.")
	counted(int64(len(about.Unreadable)), "Inputs that could not be read at all (audit.json): %d.")
	counted(int64(about.Inputs.Unhashed), "Inputs without a SHA-256, which --digest-inputs computes: %d.")
	if a.left != nil {
		list = append(list, "Tables that the audit left out: "+strings.Join(a.left, ", ")+".")
	}
	return append(list, "What null means, the description of each field says.")
}

func (a *audit) resource(f *file) node {
	n := f.node(f.name, "cr:FileObject")
	n["contentUrl"] = (&url.URL{Path: f.name}).String()
	return n
}

// recordSet describes the rows of a table.
func (t *table) recordSet() node {
	source := node{"fileObject": ref(t.files[0].name)}
	if t.isParts {
		source = node{"fileSet": ref(t.Name + partsID)}
	}
	fields := []node{}
	for _, c := range t.Columns {
		from := maps.Clone(source)
		from["extract"] = node{"column": c.Name}
		f := node{
			"@id": t.Name + "/" + c.Name, "@type": "cr:Field", "name": c.Name, "description": describe(&c),
			"dataType": dataTypes[c.Type], "source": from,
		}
		if strings.HasPrefix(c.Type, "LIST") {
			f["isArray"], f["arrayShape"] = true, "-1"
		}
		fields = append(fields, f)
	}
	return node{
		"@id": t.Name, "@type": "cr:RecordSet", "name": t.Name, "field": fields,
		"description": t.Doc + " " + report.Count(t.Rows, "row") + ".",
	}
}

// describe is the meaning of a column, with its unit and what null means.
func describe(c *report.Column) string {
	text := c.Meaning
	if c.Unit != "" {
		text += " Unit: " + c.Unit + "."
	}
	if c.Nullable {
		text += " Null: " + c.Null + "."
	}
	return text
}
