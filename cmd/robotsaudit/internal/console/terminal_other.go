//go:build !windows

package console

import "os"

// readsEscapes reports whether a terminal reads escape sequences.
func readsEscapes(*os.File) bool { return true }
