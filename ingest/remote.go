package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
)

// remoteArg is a URL that names one object.
type remoteArg struct {
	url      string
	name     string // that the tables give it; "": the last part of its path
	confined bool   // the user has not named it
	list     string // that names it; "": an argument
	line     int    // of that list
}

// askedAtOnce bounds the servers' answers that are waited for at a time. It shapes no fact.
const askedAtOnce = 16

// remotes takes objects. Servers are asked about many of them at a time; the order of what comes of
// it is that of the arguments.
func (x *expander) remotes(ctx context.Context, args []remoteArg) {
	for part := range slices.Chunk(args, 1024) {
		x.ask(ctx, part)
	}
}

func (x *expander) ask(ctx context.Context, args []remoteArg) {
	inputs, errs := make([]facts.Input, len(args)), make([]error, len(args))
	var asked sync.WaitGroup
	slots := make(chan struct{}, askedAtOnce)
	for i, arg := range args {
		slots <- struct{}{}
		asked.Go(func() {
			defer func() { <-slots }()
			inputs[i], errs[i] = statRemote(ctx, arg)
		})
	}
	asked.Wait()
	for i, in := range inputs {
		if errs[i] != nil {
			from := ""
			if args[i].list != "" {
				from = fmt.Sprintf(" (%s)", lineOfList{list: args[i].list, number: args[i].line})
			}
			x.fail(args[i].url, "%v%s", errs[i], from)
			continue
		}
		x.add(in)
	}
}

func statRemote(ctx context.Context, arg remoteArg) (in facts.Input, err error) {
	if object.IsPrefix(arg.url) {
		return in, errors.New("a list names single objects; give a prefix as an argument of its own")
	}
	if in.Path, err = object.Clean(arg.url); err != nil {
		return in, err
	}
	in.Name = cmp.Or(arg.name, remoteName(in.Path))
	in.Confined = arg.confined
	info, err := in.Stat(ctx)
	in.SetObject(info)
	return in, err
}

// remoteName is the last part of a URL's path, as people would name the file.
func remoteName(clean string) string {
	name := clean
	if u, err := url.Parse(clean); err == nil && u.Scheme != "s3" {
		name = u.Path
	}
	if name = path.Base(name); name == "." || name == "/" {
		return clean
	}
	return name
}

// prefix takes the objects below a prefix that are named like what folders are searched for: to look
// into all others would be a request each.
func (x *expander) prefix(ctx context.Context, arg string) {
	clean, err := object.Clean(arg)
	if err != nil {
		x.fail(arg, "%v", err)
		return
	}
	found := false
	for e, err := range object.List(ctx, clean) {
		if err != nil {
			x.fail(arg, "cannot be listed (%v)", err)
			return
		}
		if !isNamedArchive(e.Name) && (!isNamedIndex(e.Name) || isTable(e.Name)) &&
			!strings.HasPrefix(path.Base(e.Name), "crawl.log") {
			continue
		}
		found = true
		in := facts.Input{Path: e.Path, Name: e.Name}
		in.SetObject(e.Info)
		x.add(in)
	}
	if !found {
		x.fail(arg, "no object below it is named like an archive or an index; name objects one by one, or in a list (@FILE)")
	}
}

// isNamedIndex reports whether a file or object is named like an index: by its ending, or as Common
// Crawl names the parts of its indexes.
func isNamedIndex(name string) bool {
	name, packed := strings.CutSuffix(strings.ToLower(path.Base(name)), ".gz")
	switch path.Ext(name) {
	case ".cdx", ".cdxj", ".parquet":
		return true
	}
	return strings.HasPrefix(name, "cdx-") && packed
}

// isTable reports whether an object is named like a Parquet file that is no part of Common Crawl's index.
func isTable(name string) bool {
	name = strings.ToLower(path.Base(name))
	return strings.Contains(name, ".parquet") &&
		!(strings.HasPrefix(name, "part-") && strings.HasSuffix(name, ".parquet"))
}
