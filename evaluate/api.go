package evaluate

import "github.com/robotsaudit/robotsaudit/internal/facts"

// The types of the facts that results refer to. Package ingest makes them.
type (
	Facts     = facts.Set       // what is known of an output folder's archives: of ingest.OpenFacts
	Fetch     = facts.Fetch     // a captured exchange as the archive records it
	Capture   = facts.Capture   // a fetch whose payload is policy
	LogEvent  = facts.LogEvent  // what a crawler's log says that it did not fetch
	Issue     = facts.Issue     // what could not be read or trusted
	Time      = facts.Time      // a moment with the precision at which the archive gives it
	Precision = facts.Precision // its precision
)
