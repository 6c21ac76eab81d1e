//go:build !wasip1

package object

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// webObject is an object on a web server.
type webObject struct{ url *url.URL }

func (o webObject) host() string { return o.url.Host }

// tune sets the options common to all connections. HTTP/1.1 alone is spoken: a stream then has
// a connection of its own, whose buffers bound unrequested data.
func tune(t *http.Transport) {
	t.Proxy = http.ProxyFromEnvironment
	t.DialContext = (&net.Dialer{Timeout: limits.connect}).DialContext
	t.TLSHandshakeTimeout = limits.connect
	t.MaxIdleConnsPerHost = 16
	t.IdleConnTimeout = 90 * time.Second
	t.MaxResponseHeaderBytes = limits.header
	t.DisableCompression = true // what an object holds is what is sent of it
	t.ForceAttemptHTTP2 = false
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true)
}

// transport is the transport to web servers.
var transport = sync.OnceValue(func() *http.Transport {
	t := new(http.Transport)
	tune(t)
	return t
})

var webClient = sync.OnceValue(func() *http.Client {
	return newClient(transport(), checkRedirect)
})

// request requests the bytes from one offset up to another.
func (o webObject) request(ctx context.Context, info Info, from, to int64) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url.String(), nil)
	if err != nil {
		return nil, errors.New("is no URL; check its spelling")
	}
	r.Header.Set("User-Agent", settings().UserAgent)
	r.Header.Set("Accept-Encoding", "identity")
	r.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", from, to-1))
	if info.Version != "" && !strings.HasPrefix(info.Version, "W/") { // RFC 9110 §13.1.1
		r.Header.Set("If-Match", info.Version)
	}
	return webClient().Do(r)
}

// stat requests the first byte: that also works for servers that refuse HEAD and for URLs
// signed for GET.
func (o webObject) stat(ctx context.Context) (info Info, err error) {
	a, err := o.request(ctx, Info{}, 0, 1)
	if err != nil {
		return info, err
	}
	defer a.Body.Close()
	info = versionOf(a.Header)
	switch a.StatusCode {
	case http.StatusOK:
		info.Size = a.ContentLength
	case http.StatusPartialContent, http.StatusRequestedRangeNotSatisfiable:
		_, info.Size = contentRange(a.Header)
		if a.StatusCode != http.StatusPartialContent && info.Size != 0 {
			return info, statusFault(o.host(), a.StatusCode, "", a.Header)
		}
	default:
		return info, statusFault(o.host(), a.StatusCode, "", a.Header)
	}
	if info.Size < 0 {
		return info, &fault{reason: "the server does not tell its size; copy the file to a disk first"}
	}
	return info, nil
}

func (o webObject) get(ctx context.Context, info Info, from, to int64) (*answer, error) {
	a, err := o.request(ctx, info, from, to)
	if err != nil {
		return nil, err
	}
	size, start := a.ContentLength, int64(0)
	switch a.StatusCode {
	case http.StatusOK:
	case http.StatusPartialContent:
		start, size = contentRange(a.Header)
	default:
		a.Body.Close()
		return nil, statusFault(o.host(), a.StatusCode, "", a.Header)
	}
	whole := a.StatusCode == http.StatusOK
	if err := cmpAnswer(info, versionOf(a.Header), size, whole, start, from); err != nil {
		a.Body.Close()
		return nil, err
	}
	return &answer{body: a.Body, whole: whole}, nil
}

// cmpAnswer checks that an answer has the requested version, and where it begins.
func cmpAnswer(info, now Info, size int64, whole bool, start, from int64) error {
	switch {
	case info.Version != "" && now.Version != "" && bareTag(info.Version) != bareTag(now.Version),
		info.Version == "" && info.MTime != now.MTime,
		size >= 0 && size != info.Size:
		return errChangedFault
	case info.Version != "" && now.Version == "":
		return &fault{reason: "the server no longer tells the version of what it sends (ETag); copy the file to a disk first"}
	case !whole && start != from:
		return &fault{reason: "the server sends another range than was asked for; copy the file to a disk first"}
	}
	return nil
}

var errChangedFault = &fault{reason: errChanged.Error()}

// bareTag is an entity tag without its mark as weak and without quotes.
func bareTag(tag string) string { return strings.Trim(strings.TrimPrefix(tag, "W/"), `"`) }

// versionOf returns the version of an answer.
func versionOf(h http.Header) (info Info) {
	if info.Version = h.Get("ETag"); info.Version == "" {
		if t, err := http.ParseTime(h.Get("Last-Modified")); err == nil {
			info.MTime = t.UnixNano()
		}
	}
	return info
}

// contentRange reads where an answer begins and how long the whole is; -1: not said.
func contentRange(h http.Header) (start, size int64) {
	text, _ := strings.CutPrefix(h.Get("Content-Range"), "bytes ")
	span, whole, _ := strings.Cut(text, "/")
	first, _, _ := strings.Cut(span, "-")
	return number(first), number(whole)
}

func number(s string) int64 {
	n, err := strconv.ParseUint(strings.TrimSpace(s), 10, 62)
	if err != nil {
		return -1
	}
	return int64(n)
}

// find returns the place of a path's object.
func find(path string) (place, error) {
	if bucket, ok := strings.CutPrefix(path, s3Scheme); ok {
		bucket, key, _ := strings.Cut(bucket, "/")
		return s3Object{bucket, key}, nil
	}
	if full, ok := secrets.Load(path); ok { // the URL as it was given
		path = full.(string)
	}
	u, err := url.Parse(path)
	if err != nil {
		return nil, errors.New("is no URL; check its spelling")
	}
	return webObject{u}, nil
}

// Configure sets how object stores and web servers are reached, before any of them is.
func Configure(opt Options) error {
	if opt.S3Endpoint != "" {
		u, err := url.Parse(opt.S3Endpoint)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return errors.New("is no URL of a store, such as https://s3.example.org")
		}
		if u.User != nil || u.RawQuery != "" {
			return errors.New("has a user or a query; give credentials as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
		}
	}
	current.Lock()
	defer current.Unlock()
	current.Options = opt
	client.Lock()
	client.Client = nil
	client.Unlock()
	paces.Clear()
	return nil
}

// statusFault interprets a status that is no success.
func statusFault(host string, status int, code string, h http.Header) *fault {
	said := strconv.Itoa(status)
	if code != "" {
		said += " " + code
	}
	f := &fault{wait: retryAfter(h)}
	switch {
	case host == commonCrawl && status == http.StatusForbidden:
		f.temporary, f.tooFast = true, true
		f.reason = "Common Crawl says that requests come too fast (403); wait some hours, or read s3://commoncrawl/ with an account of AWS"
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		f.temporary, f.tooFast = true, true
		f.reason = "the server says that requests come too fast or that it is not available (" + said +
			"); try again later, or with fewer --workers"
	case status >= 500 && status != http.StatusNotImplemented, status == http.StatusRequestTimeout:
		f.temporary = true
		f.reason = "the server fails (" + said + "); try again later"
	case status == http.StatusNotFound, status == http.StatusGone:
		f.missing = true
		f.reason = "there is no such object (" + said + "); check the name; a name of all objects below it ends in /"
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		f.reason = "access is denied (" + said +
			"); check the credentials, whether the signature of the URL has expired, and the name; stores say so of what is not there, too"
	case status == http.StatusPreconditionFailed, status == http.StatusRequestedRangeNotSatisfiable:
		f.reason = errChanged.Error()
	case status == http.StatusMovedPermanently && h.Get("X-Amz-Bucket-Region") != "":
		f.reason = "the bucket is in another region; set AWS_REGION=" + h.Get("X-Amz-Bucket-Region")
	default:
		f.reason = "the server answers " + said + "; check the name"
	}
	if f.temporary && f.wait > limits.asked {
		f.temporary = false
		f.reason = fmt.Sprintf("the server asks to wait for %v (%s, Retry-After), longer than the %v that are "+
			"waited; run again then", f.wait, said, limits.asked)
	}
	return f
}

// retryAfter is how long a server requests to wait (RFC 9110 §10.2.3), at most a year.
func retryAfter(h http.Header) time.Duration {
	const most = 365 * 24 * time.Hour
	written := strings.TrimSpace(h.Get("Retry-After"))
	if written != "" && strings.Trim(written, "0123456789") == "" {
		seconds, err := strconv.ParseUint(written, 10, 32)
		if err != nil || seconds > uint64(most/time.Second) {
			return most
		}
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(written)
	if err != nil {
		return 0
	}
	return min(max(time.Until(until), 0).Round(time.Second), most)
}
