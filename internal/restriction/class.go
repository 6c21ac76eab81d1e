// Package restriction says how far a robots.txt restricts a crawler, in one word: as
// its rules have it, and as three published studies count it.
//
// It is pure: no files, no clock, no network.
package restriction

import "github.com/robotsaudit/robotsaudit/internal/robots"

// A Class is how far a robots.txt restricts a crawler. The zero value is unknown.
type Class uint8

const (
	Unknown     Class = iota
	None              // no path is forbidden
	Partial           // some paths are
	Full              // all are
	Some              // Longpre et al.'s word for Partial
	All               // and for Full
	DisallowAll       // Common Crawl's three
	AllowAll
	AllowPart
)

var classNames = [...]string{
	Unknown: "unknown", None: "none", Partial: "partial", Full: "full", Some: "some", All: "all",
	DisallowAll: "disallow-all", AllowAll: "allow-all", AllowPart: "allow-part",
}

func (c Class) String() string { return classNames[c] }

// A File answers for one robots.txt and any number of tokens; "" and "*" are no
// tokens: the `*` groups govern them. Tokens that share rules share the work. It is
// for one goroutine.
type File struct {
	file     *robots.File
	semantic map[int]Class // by robots.Group.Key
	longpre  map[int]Class
	cc       map[int]Class

	google *robots.File // the body in Google's profile, for Liu
	liu    map[int]Class
	listed listing // the paths that Liu probes
}

// Of returns the File of a parsed robots.txt.
func Of(f *robots.File) *File {
	known := func() map[int]Class { return make(map[int]Class) }
	return &File{file: f, semantic: known(), longpre: known(), cc: known(), liu: known()}
}

// once returns the class of a group, worked out on first use.
func once(known map[int]Class, g *robots.Group, classify func(*robots.Group) Class) Class {
	if g.TooLarge() {
		return Unknown
	}
	c, ok := known[g.Key()]
	if !ok {
		c = classify(g)
		known[g.Key()] = c
	}
	return c
}
