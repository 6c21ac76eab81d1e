package ingest

import "github.com/robotsaudit/robotsaudit/internal/indexed"

// FindAccessLog completes how access logs are to be read with what the files hold that it names, and refuses what
// cannot be read so.
func FindAccessLog(how AccessLog) (AccessLog, error) { return indexed.FindAccessLog(how) }
