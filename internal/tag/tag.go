// Package tag reads what a page says about its own use: Robots-Tag and
// X-Robots-Tag header fields, robots metas and usage signals
// (draft-illyes-repext-03).
//
// It is pure: no I/O, no logging, no clock. ingest asks Keep which header lines
// to store raw, so that tags can be judged later without reading the archive
// again.
package tag

import "strings"

// Version names the vocabulary that decides what ingest keeps. It is part of the
// facts' fingerprint: another vocabulary means reading the archives again.
const Version = "1"

// MaxLine is the number of octets kept of one header line. The draft asks for at
// least 8 KiB a field (draft-illyes-repext-03 §3.1).
const MaxLine = 8 << 10

// policyHeaders are the response header fields that carry a page's wishes.
var policyHeaders = map[string]bool{
	"robots-tag":      true,
	"x-robots-tag":    true,
	"content-usage":   true,
	"content-signal":  true,
	"tdm-reservation": true,
	"tdm-policy":      true,
}

// maxNameLen bounds the work of Keep for a field name of any length.
const maxNameLen = len("tdm-reservation")

// Keep reports whether a response header line with this name and value is kept.
// Of Link fields only those are that speak of a licence (RSL 1.0).
func Keep(name, value string) bool {
	if len(name) > maxNameLen {
		return false
	}
	name = strings.ToLower(name)
	if name == "link" {
		return strings.Contains(strings.ToLower(value), "license")
	}
	return policyHeaders[name]
}
