//go:build !unix

package durable

import "io/fs"

// isOwn reports true: each user has a folder for temporary files.
func isOwn(fs.DirEntry) bool { return true }
