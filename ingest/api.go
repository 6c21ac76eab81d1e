package ingest

import (
	"github.com/robotsaudit/robotsaudit/internal/facts"

	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

// The types of the facts that a program which reads archives has to name. Package evaluate has the
// same types: evaluate.Run takes what OpenFacts returns.
type (
	Facts       = facts.Set         // what is known of an output folder's archives
	Input       = facts.Input       // an archive to read
	InputResult = facts.InputResult // what reading it came to
	Failure     = facts.Failure     // an input that could not be read at all
	RecordID    = recordid.ID       // a WARC-Record-ID; String gives its text
	Issue       = facts.Issue       // what could not be read or trusted
)

// Stdin is the path of the input that is read from standard input.
const Stdin = facts.Stdin
