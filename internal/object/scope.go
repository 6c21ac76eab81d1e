package object

import (
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// Scope is where names may lead that stand inside an input: lines of lists on servers,
// archives in rows of indexes. Whoever made the input wrote them, not the user. So they lead to places
// below one that the user has named, and nowhere else. The user's own lists have no scope.
//
// Symbolic links are followed, as everywhere: whoever can make one in the user's folders needs no names.
type Scope struct {
	Base string // folder or URL
	Own  string // URL whose host or bucket full URLs may lead to, too; "": they may not
}

// errElsewhere is why a name is refused.
var errElsewhere = errors.New("leads out of the place that names are meant from")

// Resolve returns the path or URL to which a name leads.
func (s Scope) Resolve(name string) (string, error) {
	base := strings.TrimSuffix(filepath.ToSlash(s.Base), "/") + "/"
	rest, below := strings.CutPrefix(filepath.ToSlash(name), base)
	isURL := strings.Contains(name, "://")
	switch {
	case isURL && (below || s.Own != "" && Host(name) == Host(s.Own)):
		if _, err := Clean(name); err != nil || hasUpward(name) {
			return "", errElsewhere
		}
		return name, nil
	case below:
		name = rest
	case isURL, strings.HasPrefix(name, "/"), filepath.IsAbs(name):
		return "", errElsewhere
	}
	if name == "" || hasUpward(name) || !IsRemote(s.Base) && !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", errElsewhere
	}
	return Join(s.Base, name), nil
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

// Host is the scheme and host of a URL, or its bucket.
func Host(arg string) string {
	scheme, rest, _ := strings.Cut(Shown(arg), "://")
	host, _, _ := strings.Cut(rest, "/")
	return strings.ToLower(scheme) + "://" + strings.ToLower(host)
}

// Join is where a name lies below a folder or URL; "" is the working folder.
func Join(base, name string) string {
	switch {
	case base == "":
		return name
	case !IsRemote(base):
		return filepath.Join(base, name)
	case !strings.HasPrefix(strings.ToLower(base), "s3:"): // whose keys are taken as they are
		name = (&url.URL{Path: name}).EscapedPath()
	}
	return strings.TrimSuffix(base, "/") + "/" + name
}

// Folder is the folder, or the prefix, in which a file lies.
func Folder(arg string) string {
	if !IsRemote(arg) {
		return filepath.Dir(arg)
	}
	arg, _, _ = strings.Cut(arg, "?")
	return arg[:strings.LastIndexByte(arg, '/')]
}
