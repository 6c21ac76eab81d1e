package jsonld_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
	"github.com/robotsaudit/robotsaudit/report/jsonld"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// entity is a file or an input.
type entity struct {
	ID          string `json:"@id"`
	Type        string `json:"@type"`
	Name        string
	ContentURL  string
	ContentSize string
	SHA256      string
	Identifier  string
	Includes    string
}

type dataset struct {
	Name         string
	Distribution []entity
	RecordSet    []struct {
		Name  string
		Field []struct {
			ID          string `json:"@id"`
			Name        string
			Description string
			DataType    string
			IsArray     bool
			Source      struct {
				FileObject, FileSet struct {
					ID string `json:"@id"`
				}
				Extract struct{ Column string }
			}
		}
	}
	Missing   string   `json:"rai:dataCollectionMissingData"`
	Timeframe []string `json:"rai:dataCollectionTimeframe"`
	TimeFrame []string `json:"rai:dataCollectionTimeFrame"`
	From      []entity `json:"prov:wasDerivedFrom"`
}

type activity struct {
	Used []entity `json:"prov:used"`
	Made struct {
		By []entity `json:"prov:wasGeneratedBy"`
	} `json:"@reverse"`
}

// describe describes the results in a folder in both ways.
func describe(t *testing.T, dir string) (d dataset, a activity) {
	t.Helper()
	r, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var croissant, prov bytes.Buffer
	if err := jsonld.Croissant(t.Context(), &croissant, r, "A title"); err != nil {
		t.Fatal(err)
	}
	if err := jsonld.Prov(t.Context(), &prov, r); err != nil {
		t.Fatal(err)
	}
	for text, v := range map[*bytes.Buffer]any{&croissant: &d, &prov: &a} {
		if err := json.Unmarshal(text.Bytes(), v); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
	return d, a
}

// fileOf is a file as its bytes are.
func fileOf(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	return fmt.Sprintf("%s %d B %s", name, len(b), hex.EncodeToString(sum[:]))
}

func texts(list []entity, kind string) (texts []string) {
	for _, e := range list {
		if e.Type == kind && !strings.HasSuffix(e.ID, "#settings") {
			texts = append(texts, fmt.Sprintf("%s %s %s", e.Name, e.ContentSize, e.SHA256))
		}
	}
	return texts
}

// The files of all tables stand there with their sums, one in parts too, and a field for each column: none is left out,
// and none invented.
func TestTables(t *testing.T) {
	dir := audittest.Audit(t, audittest.Everything, "../../testdata/warc")
	parts := filepath.Join(dir, "fetches")
	if err := os.Mkdir(parts, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"part 1%.parquet", "part-2.parquet"} {
		b, err := os.ReadFile(filepath.Join(dir, "fetches.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(parts, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "fetches.parquet")); err != nil {
		t.Fatal(err)
	}
	d, a := describe(t, dir)
	want := []string{
		fileOf(t, dir, report.AuditFile), fileOf(t, dir, "fetches/part 1%.parquet"),
		fileOf(t, dir, "fetches/part-2.parquet"),
	}
	for _, name := range report.TableNames()[1:] {
		want = append(want, fileOf(t, dir, name+".parquet"))
	}
	if got := texts(d.Distribution, "cr:FileObject"); !slices.Equal(got, want) {
		t.Errorf("Croissant has %q, want %q", got, want)
	}
	if got := texts(a.Made.By, "prov:Entity"); !slices.Equal(got, want) {
		t.Errorf("PROV has %q, want %q", got, want)
	}
	if url := d.Distribution[1].ContentURL; url != "fetches/part%201%25.parquet" {
		t.Errorf("the URL of a part is %q", url)
	}
	schema, err := report.LoadSchema()
	if err != nil {
		t.Fatal(err)
	}
	for i, set := range d.RecordSet {
		table := schema.Tables[i]
		if set.Name != table.Name || len(set.Field) != len(table.Columns) {
			t.Fatalf("%s has %d fields, want %d of %s", set.Name, len(set.Field), len(table.Columns), table.Name)
		}
		for j, f := range set.Field {
			c := table.Columns[j]
			from := f.Source.FileObject.ID + f.Source.FileSet.ID
			if wanted := map[bool]string{true: "fetches-parts", false: table.File()}[i == 0]; from != wanted {
				t.Errorf("%s is read from %q, want %q", f.ID, from, wanted)
			}
			if f.Name != c.Name || f.Source.Extract.Column != c.Name || f.DataType == "" ||
				f.IsArray != strings.HasPrefix(c.Type, "LIST of ") || !strings.Contains(f.Description, c.Null) {
				t.Errorf("%+v is not the column %+v", f, c)
			}
		}
	}
	if len(d.RecordSet) != len(schema.Tables) {
		t.Errorf("%d record sets for %d tables", len(d.RecordSet), len(schema.Tables))
	}
	if want := []string{"2025-03-03T09:00:00Z", "2025-05-06T12:00:03Z"}; !slices.Equal(d.Timeframe, want) ||
		!slices.Equal(d.TimeFrame, want) {
		t.Errorf("collected %q and %q, want %q", d.Timeframe, d.TimeFrame, want)
	}
}

// Inputs have the names that tables have, whatever characters are in them, and a SHA-256 only where the audit has it.
func TestInputs(t *testing.T) {
	const name = "a \"b\"\\ <c> ?#%20 ü\u202e\x01.warc.gz"
	b, err := os.ReadFile("../../testdata/warc/crawl-a-1.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(archive, b, 0o666); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	for digested, sum := range map[bool]string{true: hex.EncodeToString(sum[:]), false: ""} {
		dir := audittest.AuditRead(t, ingest.ReadOptions{DigestInputs: digested}, evaluate.DecideOptions{}, archive)
		d, a := describe(t, dir)
		want := []string{fmt.Sprintf("%s %d B %s", name, len(b), sum)}
		if got := texts(d.From, "prov:Entity"); !slices.Equal(got, want) {
			t.Errorf("Croissant has %q, want %q", got, want)
		}
		if got := texts(a.Used, "prov:Entity"); !slices.Equal(got, want) {
			t.Errorf("PROV has %q, want %q", got, want)
		}
		if in := d.From[0]; !strings.HasPrefix(in.Identifier, "fingerprint ") || !strings.HasSuffix(in.ID, "#input-1") {
			t.Errorf("the input is %+v", in)
		}
		if strings.Contains(d.Missing, "Inputs without a SHA-256, which --digest-inputs computes: 1.") == digested {
			t.Errorf("what is missing, digested %v: %s", digested, d.Missing)
		}
	}
}

// Tables that the audit left out are named, and not described.
func TestLeftOut(t *testing.T) {
	dir := audittest.Audit(t, evaluate.DecideOptions{}, "../../testdata/warc/crawl-a-1.warc.gz")
	b, err := os.ReadFile(filepath.Join(dir, report.AuditFile))
	if err != nil {
		t.Fatal(err)
	}
	var about map[string]any
	if err := json.Unmarshal(b, &about); err != nil {
		t.Fatal(err)
	}
	delete(about["tables"].(map[string]any), "robots") // as with --tables
	if b, err = json.Marshal(about); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, report.AuditFile), b, 0o666); err != nil {
		t.Fatal(err)
	}
	d, _ := describe(t, dir)
	if !strings.Contains(d.Missing, "Tables that the audit left out: robots.") {
		t.Error(d.Missing)
	}
	for _, e := range d.Distribution {
		if e.Name == "robots.parquet" {
			t.Error("robots.parquet is described")
		}
	}
}
