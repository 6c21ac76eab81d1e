package main

import (
	"time"

	"github.com/robotsaudit/robotsaudit/ingest"
)

// parseAsOf reads the moment of --as-of: an RFC 3339 date-time, or a date alone,
// which is its first moment in UTC. It is exact, whatever it leaves out.
func parseAsOf(s string) (ingest.Time, error) {
	if s == "" {
		return ingest.Time{}, nil
	}
	for _, layout := range [...]string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil && t.UTC().Year() >= 1 {
			return ingest.Time{Micros: t.UnixMicro(), Precision: ingest.PrecisionMicrosecond}, nil
		}
	}
	return ingest.Time{}, usageErrorf("--as-of %q is no date; write it as 2025-03-01, or with a time and a zone as 2025-03-01T12:00:00Z", s)
}
