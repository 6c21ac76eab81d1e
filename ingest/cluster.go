package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/index"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/reading"
)

// isClusterFile reports whether a file is named like those that describe a ZipNum cluster.
func isClusterFile(name string) bool {
	return strings.HasSuffix(name, ".idx") || strings.HasSuffix(name, ".loc")
}

// cluster takes the files of a ZipNum cluster, which its .idx or .loc names, and reports whether it is
// one. within is what the names of the files in the tables begin with.
func (x *expander) cluster(ctx context.Context, arg, within string) bool {
	parts, err := x.clusterParts(ctx, arg)
	if errors.Is(err, errNoCluster) {
		return false // whoever reads it as an input reports that
	}
	if err != nil {
		x.fail(arg, "cannot be read (%v); name the cluster's compressed files (cdx-*.gz) instead", err)
		return true
	}
	var places map[string][]string // of parts whose names are aliases
	if loc, ok := strings.CutSuffix(arg, ".idx"); ok {
		if aliases, err := x.clusterParts(ctx, loc+".loc"); err == nil {
			places = make(map[string][]string)
			for _, a := range aliases {
				places[a.Name] = a.Places
			}
		}
	}
	var remote []remoteArg
	for _, part := range parts {
		if part.Places == nil {
			part.Places = places[part.Name]
		}
		found, err := clusterPlaces(object.Folder(arg), part)
		switch {
		case err != nil:
			x.fail(arg, "line %d names %.200q as a file of the cluster, and that %v: such a file stands in the "+
				"folder of the %s; name the cluster's compressed files (cdx-*.gz) instead",
				part.Line, part.Name, err, path.Ext(object.Shown(arg)))
		case object.IsRemote(arg):
			remote = append(remote, remoteArg{
				url: found[0].path, others: found[1:], name: found[0].name,
				confined: true, from: fmt.Sprintf(" (line %d of %s)", part.Line, object.Shown(arg)),
			})
		default:
			x.clusterFile(arg, within, part, found)
		}
	}
	x.remotes(ctx, remote)
	return true
}

var errNoCluster = errors.New("it describes no ZipNum cluster")

// clusterParts reads an .idx or .loc.
func (x *expander) clusterParts(ctx context.Context, arg string) ([]index.ClusterPart, error) {
	if info, err := os.Stat(arg); !object.IsRemote(arg) && (err != nil || !info.Mode().IsRegular()) {
		return nil, errNoCluster // a pipe would be waited for
	}
	f, err := x.openList(ctx, arg)
	if err != nil {
		return nil, errNoCluster
	}
	defer f.Close()
	src := input.At(f, 0)
	if _, format := reading.Sniff(src, object.Shown(arg)); format != index.ZipNum {
		return nil, errNoCluster
	}
	return index.ClusterParts(src)
}

// clusterPlaces are where a file of a cluster may lie, the likeliest first: places that the .loc gives,
// below its own folder, and then the file of that name in the folder itself, since clusters are moved.
func clusterPlaces(folder string, part index.ClusterPart) (places []found, err error) {
	names := part.Places
	if names == nil {
		names = []string{part.Name}
	}
	add := func(s object.Scope, name string) {
		at, refused := s.Resolve(name)
		if refused == nil {
			places = append(places, found{at, strings.TrimPrefix(path.Clean(name), "./")})
		} else if err == nil {
			err = refused
		}
	}
	for _, name := range names {
		if part.Places != nil && strings.Contains(name, "/") {
			if !strings.Contains(name, "://") && !strings.HasPrefix(name, "/") {
				add(object.Scope{Base: folder}, name)
			}
			name = path.Base(name)
		}
		add(object.Scope{Base: folder, Plain: true}, name)
	}
	if len(places) > 0 {
		err = nil
	}
	return places, err
}

// clusterFile takes the first of the places of a part at which a file is.
func (x *expander) clusterFile(arg, within string, part index.ClusterPart, places []found) {
	var first error
	for _, p := range places {
		info, err := os.Stat(p.path)
		if err == nil && !info.Mode().IsRegular() {
			err = object.ErrNoFile
		}
		if err == nil {
			x.file(p.path, path.Join(within, p.name))
			return
		}
		if first == nil {
			first = err
		}
	}
	what := fmt.Sprintf("cannot be read (%v)", object.Cause(first))
	if errors.Is(first, fs.ErrNotExist) {
		what = "is not there"
	}
	x.fail(filepath.ToSlash(places[0].path),
		"%s, though line %d of %s names it as a file of the ZipNum cluster; fetch it, or name those files of the "+
			"cluster (cdx-*.gz) that are there", what, part.Line, arg)
}
