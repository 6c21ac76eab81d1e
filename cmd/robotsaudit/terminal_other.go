//go:build !windows

package main

import "os"

// readsEscapes reports whether a terminal reads escape sequences.
func readsEscapes(*os.File) bool { return true }
