package ingest

import (
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/rowreading"
)

// The types of the facts that a program which reads archives has to name. Package evaluate has the
// same types: evaluate.Run takes what OpenFacts returns.
type (
	Facts       = facts.Set         // what is known of an output folder's archives
	Input       = facts.Input       // an archive to read
	InputResult = facts.InputResult // what reading it came to
	Failure     = facts.Failure     // an input that could not be read at all
	AccessLog   = facts.AccessLog   // how access logs are to be read
	LogRanges   = facts.LogRanges   // a file with the addresses of a crawler's operator
)

// FindAccessLog completes how access logs are to be read by what the files hold that it names, and refuses what
// cannot be read so.
func FindAccessLog(how AccessLog) (AccessLog, error) { return rowreading.FindAccessLog(how) }
