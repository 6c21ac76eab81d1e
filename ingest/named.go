package ingest

import (
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/object"
)

// scope is where names may lead that stand inside an input: lines of lists on servers, parts of ZipNum
// clusters, archives in rows of indexes. Whoever made the input wrote them, not the user. So they lead
// to places below one that the user has named, and nowhere else. The user's own lists have no scope.
//
// Symbolic links are followed, as everywhere: whoever can make one in the user's folders needs no names.
type scope struct {
	base  string // folder or URL
	own   string // URL whose host or bucket full URLs may lead to, too; "": they may not
	plain bool   // names are of files right in base, and have no folders
}

// Why a name is refused.
var (
	errNoPlainName = errors.New("is no plain file name")
	errElsewhere   = errors.New("leads out of the place that names are meant from")
)

// resolve returns the path or URL to which a name leads.
func (s scope) resolve(name string) (string, error) {
	base := strings.TrimSuffix(filepath.ToSlash(s.base), "/") + "/"
	rest, below := strings.CutPrefix(filepath.ToSlash(name), base)
	isURL := strings.Contains(name, "://")
	switch {
	case s.plain:
		if name == "" || name == "." || strings.ContainsAny(name, `/\:`) || hasUpward(name) {
			return "", errNoPlainName
		}
	case isURL && (below || s.own != "" && hostOf(name) == hostOf(s.own)):
		if _, err := object.Clean(name); err != nil || hasUpward(name) {
			return "", errElsewhere
		}
		return name, nil
	case below:
		name = rest
	case isURL, strings.HasPrefix(name, "/"), filepath.IsAbs(name):
		return "", errElsewhere
	}
	if name == "" || hasUpward(name) || !object.IsRemote(s.base) && !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", errElsewhere
	}
	return located(s.base, name), nil
}

// hasUpward reports whether a name has a part that is two dots, escaped as in URLs or not.
func hasUpward(name string) bool {
	isSlash := func(r rune) bool { return r == '/' || r == '\\' }
	if slices.Contains(strings.FieldsFunc(name, isSlash), "..") {
		return true
	}
	raw, err := url.PathUnescape(name)
	return err == nil && slices.Contains(strings.FieldsFunc(raw, isSlash), "..")
}

// hostOf is the scheme and host of a URL, or its bucket.
func hostOf(arg string) string {
	scheme, rest, _ := strings.Cut(object.Shown(arg), "://")
	host, _, _ := strings.Cut(rest, "/")
	return strings.ToLower(scheme) + "://" + strings.ToLower(host)
}

// located is where a name lies below a folder or URL; "" is the working folder.
func located(base, name string) string {
	switch {
	case base == "":
		return name
	case !object.IsRemote(base):
		return filepath.Join(base, name)
	case !strings.HasPrefix(strings.ToLower(base), "s3:"): // whose keys are taken as they are
		name = (&url.URL{Path: name}).EscapedPath()
	}
	return strings.TrimSuffix(base, "/") + "/" + name
}
