package signature

import (
	"crypto"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/digitorus/pkcs7"
	"github.com/digitorus/timestamp"
)

// maxToken bounds a timestamp, in bytes: it has some certificates.
const maxToken = 64 << 10

// Authorities are the certificates that may end the chain of a timestamp.
type Authorities []*x509.Certificate

// ParseAuthorities reads certificates in PEM.
func ParseAuthorities(file []byte) (list Authorities, err error) {
	for {
		var block *pem.Block
		if block, file = pem.Decode(file); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil, errors.New("it holds no certificate in PEM")
	}
	return list, nil
}

// Timestamp is an RFC 3161 timestamp, whose signature is verified.
type Timestamp struct {
	Time time.Time
	Who  string // the authority
	hash crypto.Hash
	sum  []byte
}

// ParseTimestamp reads a timestamp, as an authority answers (.tsr) or the token in it. An authority
// of the list must have signed it, by a certificate for timestamps, when the whole chain was valid.
func ParseTimestamp(der []byte, trusted Authorities) (t *Timestamp, err error) {
	if len(der) > maxToken {
		return nil, fmt.Errorf("it has more than %d bytes", maxToken)
	}
	defer func() { // of what the libraries do not expect
		if p := recover(); p != nil {
			t, err = nil, fmt.Errorf("it cannot be read (%v)", p)
		}
	}()
	parsed, err := timestamp.ParseResponse(der)
	if err != nil {
		if token, tokenErr := timestamp.Parse(der); tokenErr == nil {
			parsed, err = token, nil
		}
	}
	if err != nil {
		return nil, err
	}
	p7, err := pkcs7.Parse(parsed.RawToken)
	if err != nil {
		return nil, err
	}
	p7.Certificates = append(p7.Certificates, trusted...) // the token may leave out the authority's
	who := p7.GetOnlySigner()
	if who == nil {
		return nil, errors.New("it has no signer, or several, or none with a certificate")
	}
	if !isForTimestamps(who) {
		return nil, fmt.Errorf("the certificate of %s is not for timestamps alone (RFC 3161 §2.3)", who.Subject)
	}
	opt := x509.VerifyOptions{
		Roots: x509.NewCertPool(), Intermediates: x509.NewCertPool(), CurrentTime: parsed.Time,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageTimeStamping},
	}
	for _, c := range trusted {
		opt.Roots.AddCert(c)
	}
	for _, c := range p7.Certificates {
		opt.Intermediates.AddCert(c)
	}
	if err := p7.VerifyWithOpts(opt); err != nil {
		return nil, err
	}
	switch parsed.HashAlgorithm {
	case crypto.SHA256, crypto.SHA384, crypto.SHA512:
	default:
		return nil, fmt.Errorf("it is of a digest that is no longer safe (%v)", parsed.HashAlgorithm)
	}
	return &Timestamp{parsed.Time, who.Subject.String(), parsed.HashAlgorithm, parsed.HashedMessage}, nil
}

// isForTimestamps reports whether a certificate is for timestamps and for nothing else, and marks
// this as critical.
func isForTimestamps(c *x509.Certificate) bool {
	extKeyUsage := asn1.ObjectIdentifier{2, 5, 29, 37}
	return slices.Equal(c.ExtKeyUsage, []x509.ExtKeyUsage{x509.ExtKeyUsageTimeStamping}) &&
		len(c.UnknownExtKeyUsage) == 0 &&
		slices.ContainsFunc(c.Extensions, func(e pkix.Extension) bool { return e.Id.Equal(extKeyUsage) && e.Critical })
}

// IsOf reports whether the timestamp is of the content of in.
func (t *Timestamp) IsOf(in io.Reader) (bool, error) {
	h := t.hash.New()
	_, err := io.Copy(h, in)
	return string(h.Sum(nil)) == string(t.sum), err
}
