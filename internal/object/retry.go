package object

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"time"
)

// fault is a request that came to nothing.
type fault struct {
	reason    string
	temporary bool          // another attempt may succeed
	tooFast   bool          // the server requests a slower pace
	wait      time.Duration // that the server requests
	missing   bool          // there is no such object
}

// Is maps a missing object to fs.ErrNotExist.
func (f *fault) Is(target error) bool { return f.missing && target == fs.ErrNotExist }

func (f *fault) Error() string { return f.reason }

var (
	errSlow = &fault{
		reason:    "the server sends next to nothing; try again later, or copy the file to a disk first",
		temporary: true,
	}
	errShort = &fault{reason: "the server ends before all is there that it promised; check the file there, or copy " +
		"it to a disk first", temporary: true}
	errWhole = &fault{reason: "the server gives files as a whole alone, no ranges of them; copy the file to a disk first"}
)

// faultOf interprets an error of a connection. A broken connection may pass; an answer that is no
// HTTP, a certificate or a name that nobody knows stays as it is. The error leaves out the URL,
// which may have secrets.
func faultOf(ctx context.Context, err error) error {
	var f *fault
	if errors.As(err, &f) {
		return f // that the server answered
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil:
		return err
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
		return errShort
	}
	var in *url.Error
	for errors.As(err, &in) {
		err = in.Err
	}
	text := err.Error()
	for _, secret := range [...]string{"?", "@"} { // an error that quotes a URL after all
		if i := strings.Index(text, secret); i >= 0 {
			text = text[:i] + "…"
		}
	}
	var network net.Error
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &name) && name.IsNotFound:
		return &fault{reason: fmt.Sprintf("there is no such host (%s); check its spelling", text)}
	case errors.As(err, &certificate):
		return &fault{reason: fmt.Sprintf("the server cannot prove who it is (%s); check the URL", text)}
	case errors.As(err, &network), strings.Contains(text, "server closed idle connection"):
		return &fault{reason: fmt.Sprintf("the connection fails (%s); try again later", text), temporary: true}
	}
	return &fault{reason: fmt.Sprintf("the server's answer cannot be used (%s); check the URL, or copy the file to "+
		"a disk first", text)}
}

// attempts are those in a row in which one transfer did not get on.
type attempts struct {
	failed int
	first  time.Time // when the first one failed
}

// again waits before the next attempt; an error ends the transfer.
func (a *attempts) again(ctx context.Context, host string, began time.Time, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var f *fault
	if !errors.As(err, &f) || !f.temporary {
		return err
	}
	if a.failed == 0 {
		a.first = time.Now()
	}
	a.failed++
	wait := limits.firstWait << (a.failed - 1)
	wait = max(min(wait/2+rand.N(wait), limits.longest), f.wait)
	if a.failed >= limits.attempts || time.Since(a.first)+wait > limits.patience {
		return fmt.Errorf("given up after %d attempts: %w", a.failed, f)
	}
	if f.tooFast {
		paceOf(host).slow(began, f.wait)
	}
	return sleep(ctx, wait)
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// persist makes a request until it succeeds, or another attempt makes no sense.
func persist(ctx context.Context, host string, request func(context.Context) error) error {
	var a attempts
	for {
		began, err := once(ctx, host, request)
		if err == nil {
			return nil
		}
		if err := a.again(ctx, host, began, err); err != nil {
			return err
		}
	}
}

// once makes one attempt at a request, which reads all of its answer, and fails where it takes too long.
func once(ctx context.Context, host string, request func(context.Context) error) (began time.Time, err error) {
	p := paceOf(host)
	if began, err = p.enter(ctx); err != nil {
		return began, err
	}
	defer p.leave()
	traffic.requests.Add(1)
	within, cancel := context.WithTimeoutCause(ctx, limits.stall, errSlow)
	defer cancel()
	if err := request(within); err != nil {
		return began, faultOf(within, err)
	}
	p.went()
	return began, nil
}
