package warctest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// A CDXJLine is a record's line of a CDXJ index, as pywb's cdxj-indexer writes it.
type CDXJLine struct {
	Key       string    `json:"-"` // SURT
	Time      time.Time `json:"-"`
	URL       string    `json:"url,omitempty"`
	MediaType *string   `json:"mime,omitempty"`
	Status    string    `json:"status,omitempty"`
	Digest    string    `json:"digest,omitempty"`
	Length    int64     `json:"length,string"`
	Offset    int64     `json:"offset,string"`
	Filename  string    `json:"filename"`
}

// Append appends a line.
func (r CDXJLine) Append(b []byte) []byte {
	r.URL = strings.ReplaceAll(r.URL, " ", "%20")
	members, err := json.Marshal(&r)
	if err != nil {
		panic(err)
	}
	return fmt.Appendf(b, "%s %s %s\n", r.Key, r.Time.UTC().Format("20060102150405"), members)
}
