//go:build unix

package durable

import (
	"io/fs"
	"os"
	"syscall"
)

// isOwn reports whether this user made a folder: only this user's are removed, and looked into.
func isOwn(e fs.DirEntry) bool {
	info, err := e.Info()
	if err != nil {
		return false
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
