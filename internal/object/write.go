//go:build !wasip1

package object

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// Objects of a store are written as a whole, at most 5 GB each: that is what one request may bring.

// errConflict is the answer to one of two requests that create an object at the same time.
var errConflict = &fault{reason: "another process writes the object; try again", temporary: true}

// Create makes an object of a store where there is none, and reports whether it did. Where answers
// are lost, it may have, and report that it did not.
func Create(ctx context.Context, path string, content []byte) (made bool, err error) {
	err = write(ctx, path, func(c *s3.Client, o s3Object) error {
		_, err := c.PutObject(ctx,
			&s3.PutObjectInput{
				Bucket: &o.bucket, Key: &o.key, Body: bytes.NewReader(content),
				IfNoneMatch: aws.String("*"),
			})
		made = err == nil
		switch statusOf(err) {
		case http.StatusPreconditionFailed:
			return nil
		case http.StatusConflict:
			return errConflict
		}
		return err
	})
	return made, err
}

// Put makes a file an object of a store, in place of any that is there.
func Put(ctx context.Context, file, path string) error {
	return write(ctx, path, func(c *s3.Client, o s3Object) error {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = c.PutObject(ctx, &s3.PutObjectInput{Bucket: &o.bucket, Key: &o.key, Body: f})
		return err
	})
}

// Copy gives an object of a store another name in it, in place of any that is there.
func Copy(ctx context.Context, from, to string) error {
	source := (&url.URL{Path: strings.TrimPrefix(from, s3Scheme)}).EscapedPath()
	return write(ctx, to, func(c *s3.Client, o s3Object) error {
		_, err := c.CopyObject(ctx, &s3.CopyObjectInput{Bucket: &o.bucket, Key: &o.key, CopySource: &source})
		return err
	})
}

// Remove removes an object of a store. One that is not there is no error.
func Remove(ctx context.Context, path string) error {
	return write(ctx, path, func(c *s3.Client, o s3Object) error {
		_, err := c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &o.bucket, Key: &o.key})
		if statusOf(err) == http.StatusNotFound {
			return nil
		}
		return err
	})
}

// write makes a request that changes a store, as often as that helps. The request has no time limit
// of its own: sending may take long.
func write(ctx context.Context, path string, request func(*s3.Client, s3Object) error) error {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(path, s3Scheme), "/")
	o := s3Object{bucket, key}
	return persist(ctx, o.host(), func(context.Context) error {
		c, err := s3Client(ctx)
		if err == nil {
			err = request(c, o)
		}
		return s3Fault(bucket, err)
	})
}

// statusOf is the status of an answer that is an error; 0: there is none.
func statusOf(err error) int {
	var answer *smithyhttp.ResponseError
	if errors.As(err, &answer) {
		return answer.HTTPStatusCode()
	}
	return 0
}
