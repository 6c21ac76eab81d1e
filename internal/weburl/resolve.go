package weburl

import (
	"bytes"
	"strings"
)

// Resolve gives the absolute URL that a reference, such as the Location of a redirect,
// means relative to a base URL (RFC 3986 §5.2), or "" where there is none. The fragment
// is dropped; spaces and other bytes stay as they are, and Key encodes them.
//
// A reference that has a scheme is taken as it stands, its dot segments too:
// that is the URL which a crawler records. So "http:path" is an absolute URL
// without authority; §5.2.2 calls the other reading a loophole.
func Resolve(base, ref string) string {
	ref = trim(ref)
	if _, _, ok := cutScheme(ref); ok {
		return ref
	}
	base = trim(base)
	scheme, rest, ok := cutScheme(base)
	if !ok || !strings.HasPrefix(rest, "//") {
		return ""
	}
	if strings.HasPrefix(ref, "//") {
		end := 2 + authorityEnd(ref[2:])
		return scheme + ":" + ref[:end] + withoutDotSegments(ref[end:])
	}
	end := len(base) - len(rest) + 2 + authorityEnd(rest[2:])
	authority, basePath := base[:end], base[end:]
	basePath, _, _ = strings.Cut(basePath, "?")
	switch {
	case ref == "":
		return base
	case ref[0] == '?':
		return authority + basePath + ref
	case ref[0] == '/':
		return authority + withoutDotSegments(ref)
	case basePath == "":
		return authority + withoutDotSegments("/"+ref)
	default:
		directory := basePath[:strings.LastIndexByte(basePath, '/')+1]
		return authority + withoutDotSegments(directory+ref)
	}
}

// withoutDotSegments removes "." and ".." from the path before a query
// (RFC 3986 §5.2.4). The path is empty or starts with a slash.
func withoutDotSegments(pathQuery string) string {
	path, _, _ := strings.Cut(pathQuery, "?")
	if !strings.Contains(path, "/.") {
		return pathQuery
	}
	query := pathQuery[len(path):]
	out := make([]byte, 0, len(pathQuery))
	for len(path) > 0 {
		end := 1 + strings.IndexByte(path[1:], '/')
		if end == 0 {
			end = len(path)
		}
		segment := path[:end]
		path = path[end:]
		switch segment {
		case "/.":
		case "/..":
			out = out[:max(0, bytes.LastIndexByte(out, '/'))]
		default:
			out = append(out, segment...)
			continue
		}
		if path == "" {
			out = append(out, '/')
		}
	}
	return string(append(out, query...))
}
