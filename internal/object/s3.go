//go:build !wasip1

package object

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/logging"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// s3Object is an object of a store that speaks S3.
type s3Object struct{ bucket, key string }

func (o s3Object) host() string { return s3Scheme + o.bucket }

// client is made when it is first needed: this reads files, and may request credentials from the
// cloud.
var client struct {
	sync.Mutex
	*s3.Client
}

// s3Client returns the client, with the credentials that the environment and the user's
// configuration have.
func s3Client(ctx context.Context) (*s3.Client, error) {
	client.Lock()
	defer client.Unlock()
	if client.Client != nil {
		return client.Client, nil
	}
	opt := settings()
	load := []func(*config.LoadOptions) error{
		// failures are reported here, once and in the form of --log-format
		config.WithLogger(logging.Nop{}),
		config.WithHTTPClient(awshttp.NewBuildableClient().WithTransportOptions(tune)), // AWS_CA_BUNDLE needs one
		config.WithRetryer(func() aws.Retryer { return aws.NopRetryer{} }),             // persist tries again
		config.WithResponseChecksumValidation(aws.ResponseChecksumValidationWhenRequired),
		config.WithRequestChecksumCalculation(aws.RequestChecksumCalculationWhenRequired), // not all stores know them
	}
	if opt.S3Anonymous {
		load = append(load, config.WithCredentialsProvider(aws.AnonymousCredentials{}))
	}
	cfg, err := config.LoadDefaultConfig(ctx, load...)
	if err != nil {
		return nil, &fault{reason: "the configuration of AWS cannot be read; check its files (~/.aws) and the " +
			"variables AWS_…"}
	}
	cfg.Region = cmp.Or(cfg.Region, "us-east-1")
	if !opt.S3Anonymous {
		if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
			return nil, &fault{reason: "no credentials for S3 are found; set AWS_PROFILE, or AWS_ACCESS_KEY_ID and " +
				"AWS_SECRET_ACCESS_KEY; or read what is public with --s3-anonymous"}
		}
	}
	name, version, _ := strings.Cut(strings.Fields(opt.UserAgent)[0], "/")
	cfg.APIOptions = append(cfg.APIOptions, awsmiddleware.AddUserAgentKeyValue(name, version))
	client.Client = s3.NewFromConfig(cfg, func(o *s3.Options) {
		if opt.S3Endpoint != "" {
			o.BaseEndpoint = &opt.S3Endpoint
		}
		o.UsePathStyle = o.BaseEndpoint != nil
		if c, ok := o.HTTPClient.(*awshttp.BuildableClient); ok {
			o.HTTPClient = newClient(c.GetTransport(), checkStoreRedirect)
		}
	})
	return client.Client, nil
}

// s3Fault interprets an error of the client.
func s3Fault(bucket string, err error) error {
	var answer *smithyhttp.ResponseError
	if !errors.As(err, &answer) || answer.HTTPStatusCode() < 300 {
		return err
	}
	code := ""
	var api smithy.APIError
	if errors.As(err, &api) {
		code = api.ErrorCode()
	}
	return statusFault(s3Scheme+bucket, answer.HTTPStatusCode(), code, answer.Response.Header)
}

func (o s3Object) stat(ctx context.Context) (Info, error) {
	c, err := s3Client(ctx)
	if err != nil {
		return Info{}, err
	}
	h, err := c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &o.bucket, Key: &o.key})
	if err != nil {
		return Info{}, s3Fault(o.bucket, err)
	}
	return Info{Size: aws.ToInt64(h.ContentLength), Version: aws.ToString(h.ETag)}, nil
}

func (o s3Object) get(ctx context.Context, info Info, from, to int64) (*answer, error) {
	c, err := s3Client(ctx)
	if err != nil {
		return nil, err
	}
	in := &s3.GetObjectInput{Bucket: &o.bucket, Key: &o.key, Range: aws.String(fmt.Sprintf("bytes=%d-%d", from, to-1))}
	if info.Version != "" {
		in.IfMatch = &info.Version
	}
	a, err := c.GetObject(ctx, in)
	if err != nil {
		return nil, s3Fault(o.bucket, err)
	}
	whole := a.ContentRange == nil
	start, size := int64(0), aws.ToInt64(a.ContentLength)
	if !whole {
		start, size = contentRange(http.Header{"Content-Range": {*a.ContentRange}})
	}
	if err := cmpAnswer(info, Info{Version: aws.ToString(a.ETag)}, size, whole, start, from); err != nil {
		a.Body.Close()
		return nil, err
	}
	return &answer{body: a.Body, whole: whole}, nil
}

// List yields the objects whose names begin with a path's (IsPrefix), in the order of their
// names.
func List(ctx context.Context, path string) iter.Seq2[Entry, error] {
	bucket, prefix, _ := strings.Cut(strings.TrimPrefix(path, s3Scheme), "/")
	return func(yield func(Entry, error) bool) {
		in := &s3.ListObjectsV2Input{Bucket: &bucket, Prefix: &prefix}
		for {
			var page *s3.ListObjectsV2Output
			err := persist(ctx, s3Scheme+bucket, func(ctx context.Context) error {
				c, err := s3Client(ctx)
				if err == nil {
					page, err = c.ListObjectsV2(ctx, in)
				}
				return s3Fault(bucket, err)
			})
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, o := range page.Contents {
				key := aws.ToString(o.Key)
				if !strings.HasPrefix(key, prefix) {
					yield(Entry{}, &fault{reason: fmt.Sprintf("the store lists an object that does not lie there "+
						"(%.200q); list it with the store's own program", key)})
					return
				}
				if strings.HasSuffix(key, "/") { // made by programs that need folders
					continue
				}
				e := Entry{
					s3Scheme + bucket + "/" + key, strings.TrimPrefix(key, prefix),
					Info{Size: aws.ToInt64(o.Size), Version: aws.ToString(o.ETag)},
				}
				if !yield(e, nil) {
					return
				}
			}
			if !aws.ToBool(page.IsTruncated) || page.NextContinuationToken == nil {
				return
			}
			in.ContinuationToken = page.NextContinuationToken
		}
	}
}
