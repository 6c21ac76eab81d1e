// Package object reads files, objects in object stores (s3://bucket/key) and on web servers
// (https://…, http://…) in one way: in order and at random, always of one version.
//
// Access is one setting of the process (Configure): all readers share its connections and the
// pace of requests.
//
// An object has one connection at a time. Read streams. ReadAt reads blocks of
// 256 KiB and keeps eight of them. It streams once blocks are read in a row, over gaps of up to 2
// MiB; larger pieces it reads with one request, such as a megabyte of a column of Parquet.
// CopyLater makes a local file stand for an object: what OpenCopy reads of it is copied first, so
// facts and tables in a store are read as those in folders are. Every answer is compared with the
// version that was planned. URLs are cleaned of secrets (Clean) before anything else sees them.
// github.com/aws/aws-sdk-go-v2 signs requests and finds credentials, as all programs of AWS do. Its
// own attempts are off: persist makes them for stores and web servers alike. The stripped program
// has 36.3 MB with it, and 27.3 MB without. A client of our own that keeps its chain of credentials,
// roles included, would save 5.3 MB.
package object

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// Options control the access to object stores and web servers. The zero value has the
// defaults.
type Options struct {
	UserAgent   string // that servers receive
	S3Endpoint  string // URL of a store that is not Amazon's; "": from the environment
	S3Anonymous bool   // requests are not signed
}

// current are the settings of the process.
var current struct {
	sync.Mutex
	Options
}

func settings() Options {
	current.Lock()
	defer current.Unlock()
	opt := current.Options
	opt.UserAgent = cmp.Or(opt.UserAgent, "robotsaudit (+https://github.com/robotsaudit/robotsaudit)")
	return opt
}

// Info is what is known of an object without its content.
type Info struct {
	Size    int64
	MTime   int64  // nanoseconds since 1970; 0 where Version is more exact
	Version string // entity tag (RFC 9110 §8.8.3), or commit; "" for files, and where a server gives none
}

// Entry is an object that List found.
type Entry struct {
	Path string
	Name string // after the common prefix
	Info
}

// Object is the content at a place, in the version given to Open. Once another version is there,
// reading fails. One goroutine at a time may use it, but ReadAt of files may be called by many.
type Object interface {
	io.Reader
	io.ReaderAt
	io.Closer

	// Random reports whether ReadAt can be used: some servers send objects as a whole only. This is
	// known once something was read.
	Random() bool
}

// place is where an object lies.
type place interface {
	stat(ctx context.Context) (Info, error)

	// get requests the bytes from one offset up to another, in the version of info.
	get(ctx context.Context, info Info, from, to int64) (*answer, error)
	host() string
}

// answer is what a server answers.
type answer struct {
	body  io.ReadCloser
	whole bool // it begins at 0: the requested range was ignored
}

// Open opens the object at a path, as Stat or List describe it. No server gets a request before
// the first read.
func Open(ctx context.Context, path string, info Info) (Object, error) {
	if !IsRemote(path) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		return file{f}, nil
	}
	p, err := find(path)
	if err != nil {
		return nil, err
	}
	return &remote{ctx: ctx, place: p, info: info, next: -1}, nil
}

// Download copies an object to a file.
func Download(ctx context.Context, path string, info Info, file string) error {
	o, err := Open(ctx, path, info)
	if err != nil {
		return err
	}
	defer o.Close()
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, o)
	return errors.Join(err, f.Close())
}

// Stat describes the object at a path: the path of a file, or one that Clean has
// returned.
func Stat(ctx context.Context, path string) (info Info, err error) {
	if !IsRemote(path) {
		return statFile(path)
	}
	p, err := find(path)
	if err != nil {
		return Info{}, err
	}
	err = persist(ctx, p.host(), func(ctx context.Context) error {
		info, err = p.stat(ctx)
		return err
	})
	return info, err
}

// Unchanged checks, after the reading, that the object is still the one that info
// describes.
func Unchanged(ctx context.Context, path string, info Info) error {
	if strings.HasPrefix(path, s3Scheme) {
		return nil // every answer stated that version
	}
	now, err := Stat(ctx, path)
	if err != nil {
		return err
	}
	if now != info {
		if IsRemote(path) {
			return errChanged
		}
		return errFileChanged
	}
	return nil
}

type confined struct{}

// Confined returns a context in which redirects lead to no other host: for what a list or an index
// names, and not the user.
func Confined(ctx context.Context) context.Context {
	return context.WithValue(ctx, confined{}, true)
}

var traffic struct{ requests, bytes atomic.Int64 }

// Traffic returns how many requests this process has sent to servers, and how many bytes of
// objects it has received. The content of a list of objects does not count.
func Traffic() (requests, bytes int64) { return traffic.requests.Load(), traffic.bytes.Load() }

const s3Scheme = "s3://"

// IsRemote reports whether an argument is a URL of an object, as opposed to a path of a file.
func IsRemote(arg string) bool {
	return slices.ContainsFunc(schemes[:], func(scheme string) bool { return ascii.HasPrefixFold(arg, scheme) })
}

var schemes = [...]string{s3Scheme, "https://", "http://"}

// IsPrefix reports whether an argument names all objects of a store that begin alike.
func IsPrefix(arg string) bool {
	if !ascii.HasPrefixFold(arg, s3Scheme) {
		return false
	}
	bucket, key, found := strings.Cut(arg[len(s3Scheme):], "/")
	return bucket != "" && (!found || key == "" || strings.HasSuffix(key, "/"))
}

// secrets are the URLs that have more than their paths show, by path: they may give access to
// whoever has them, and are kept in memory alone.
var secrets sync.Map

// HasSecrets reports whether more than the path, as Clean returned it, is needed to open it: other
// processes cannot.
func HasSecrets(path string) bool {
	_, has := secrets.Load(path)
	return has
}

// Clean makes a path of an argument that is a URL: the part that outputs and logs may show,
// without user, password, query and fragment. Opening the path later in this process requests
// the URL as it was given.
func Clean(arg string) (path string, err error) {
	scheme, rest, _ := strings.Cut(arg, "://")
	scheme = strings.ToLower(scheme)
	if scheme == "s3" {
		bucket, key, _ := strings.Cut(rest, "/")
		if bucket == "" || strings.ContainsAny(bucket, "@?#:") {
			return "", fmt.Errorf("is no place in an object store; write s3://BUCKET/KEY")
		}
		return s3Scheme + bucket + "/" + key, nil
	}
	u, err := url.Parse(arg)
	if err != nil || u.Host == "" || u.Opaque != "" {
		return "", fmt.Errorf("is no URL; check its spelling")
	}
	u.Fragment, u.RawFragment = "", ""
	u.Scheme, u.Host = scheme, strings.ToLower(u.Host)
	full := u.String()
	u.User, u.RawQuery, u.ForceQuery = nil, "", false
	if path = u.String(); path != full {
		if other, known := secrets.LoadOrStore(path, full); known && other != full {
			return "", fmt.Errorf("stands for two URLs that differ only in what is never shown, such as the query; " +
				"read one of them by itself")
		}
	}
	return path, nil
}

// Shown is the part of an argument that may be shown: of a URL neither user, password, query nor
// fragment.
func Shown(arg string) string {
	list := ""
	if rest, ok := strings.CutPrefix(arg, "@"); ok {
		list, arg = "@", rest
	}
	if !IsRemote(arg) {
		return list + arg
	}
	scheme, rest, _ := strings.Cut(arg, "://")
	if !strings.EqualFold(scheme, "s3") {
		rest, _, _ = strings.Cut(rest, "?")
		rest, _, _ = strings.Cut(rest, "#")
	}
	host, path, slash := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	if slash {
		path = "/" + path
	}
	return list + scheme + "://" + host + path
}
