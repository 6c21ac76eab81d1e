package object

import (
	"context"
	"iter"
)

// The program for WebAssembly reads and writes files alone: it has no sockets.

var errFilesOnly = &fault{reason: "this build reads files alone; download it first"}

func find(string) (place, error) { return nil, errFilesOnly }

// Configure has nothing to set here.
func Configure(Options) error { return nil }

// List yields an error.
func List(context.Context, string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) { yield(Entry{}, errFilesOnly) }
}

// Create returns an error.
func Create(context.Context, string, []byte) (bool, error) { return false, errFilesOnly }

// Put returns an error.
func Put(context.Context, string, string) error { return errFilesOnly }

// Copy returns an error.
func Copy(context.Context, string, string) error { return errFilesOnly }

// Remove returns an error.
func Remove(context.Context, string) error { return errFilesOnly }
