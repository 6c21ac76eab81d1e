package wacz

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
)

// The layout of a WACZ.
const (
	ArchiveFolder = "archive/"                   // where nothing but archives should be
	PackageFile   = "datapackage.json"           // lists the entries with their digests
	SkippedPages  = "reports/skippedPages.jsonl" // Browsertrix's list of the pages that it did not fetch
	pageLists     = "pages/"                     // WACZ 1.1.1 §5.2.3
)

// IsPageList recognises a page list by its name: a line of JSON has no other mark. It
// lists the pages that the maker of the WACZ made a browser load, without the resources
// that these pulled in. Browsertrix writes two, of seeds and of the pages that they led
// to.
func IsPageList(entry string) bool {
	return strings.HasPrefix(entry, pageLists) && strings.HasSuffix(entry, ".jsonl")
}

// IsSkippedPages recognises Browsertrix's list by its name, also in a WACZ that is an entry of
// another one.
func IsSkippedPages(entry string) bool {
	return entry == SkippedPages || strings.HasSuffix(entry, "/"+SkippedPages)
}

// Page is a line of a page list.
type Page struct {
	URL  string // "": the first line, which names the format
	Seed bool
}

// ParsePage reads a line of a page list.
func ParsePage(line []byte) (p Page, ok bool) {
	var fields struct {
		Format string
		URL    string
		Seed   bool
	}
	if err := json.Unmarshal(line, &fields); err != nil {
		return Page{}, false
	}
	return Page{fields.URL, fields.Seed}, fields.URL != "" || fields.Format != ""
}

// PackageTitle reads the title that a datapackage.json gives its WACZ; "" where it gives none.
func PackageTitle(e *Entry) (string, error) {
	var p struct{ Title string }
	if err := decodePackage(e, &p); err != nil {
		return "", err
	}
	return p.Title, nil
}

func decodePackage(e *Entry, into any) error {
	return json.NewDecoder(io.LimitReader(input.MarkFailures(e.Open()), maxPackage)).Decode(into)
}

// PackageDigests reads the digests by entry, in the form of WACZ 1.1, "hash", or of
// 1.0, "stats" and "hashing".
func PackageDigests(e *Entry) (map[string]string, error) {
	var p struct {
		Resources []struct {
			Path, Hash, Hashing string
			Stats               struct{ Hash string }
		}
	}
	if err := decodePackage(e, &p); err != nil {
		return nil, err
	}
	digests := make(map[string]string)
	for _, x := range p.Resources {
		digests[x.Path] = x.Hash
		if x.Hash == "" && x.Stats.Hash != "" {
			digests[x.Path] = x.Hashing + ":" + x.Stats.Hash
		}
	}
	return digests, nil
}
