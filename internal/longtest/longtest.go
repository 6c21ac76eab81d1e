// Package longtest says whether the tests that take long are to run. 'go test ./...' runs a sample of
// them; CONTRIBUTING.md says how long each takes.
package longtest

import "os"

// Run reports whether all of each long test is to run: ROBOTSAUDIT_LONG_TESTS is set.
func Run() bool { return os.Getenv("ROBOTSAUDIT_LONG_TESTS") != "" }
