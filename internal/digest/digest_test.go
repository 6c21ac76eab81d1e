package digest

import (
	"encoding/hex"
	"strings"
	"testing"
)

// The digests of "abc" as published with the algorithms (RFC 1321 §A.5, RFC 3174
// §7.3, FIPS 180-2), in the forms that writers use.
func TestParse(t *testing.T) {
	const (
		md5    = "900150983cd24fb0d6963f7d28e17f72"
		sha1   = "a9993e364706816aba3e25717850c26c9cd0d89d"
		sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
		base32 = "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"
	)
	for field, want := range map[string]string{
		"md5:" + md5:                           md5,
		"MD5:" + strings.ToUpper(md5):          md5,
		"md5:SAAVBGB42JH3BVUWH56SRYL7OI":       md5,
		"md5:SAAVBGB42JH3BVUWH56SRYL7OI======": md5, // as long as in hexadecimal
		"sha1:" + base32:                       sha1,
		"sha1:" + strings.ToLower(base32):      sha1,
		"sha1: " + base32 + " ":                sha1,
		"SHA-1:" + base32:                      sha1,
		"sha1:" + sha1:                         sha1,
		"sha1:qZk+NkcGgWq6PiVxeFDCbJzQ2J0=":    sha1,
		"sha1:qZk-NkcGgWq6PiVxeFDCbJzQ2J0":     sha1,
		"sha256:" + sha256:                     sha256,
		"sha-256:" + sha256:                    sha256,
		"SHA256:XJ4BNP4PAHH6UQKBIDPF3LRCEOYAGYNDSYLXVHFUCD7WD4QACWWQ====": sha256,
		"sha256:XJ4BNP4PAHH6UQKBIDPF3LRCEOYAGYNDSYLXVHFUCD7WD4QACWWQ":     sha256,
	} {
		d, err := Parse(field)
		if err != nil || hex.EncodeToString([]byte(d.sum)) != want {
			t.Errorf("%s: %x, %v", field, d.sum, err)
			continue
		}
		h := d.NewHash()
		h.Write([]byte("ab"))
		if d.Matches(h) {
			t.Errorf("%s matches ab", field)
		}
		h.Write([]byte("c"))
		if !d.Matches(h) {
			t.Errorf("%s does not match abc", field)
		}
		if again, err := Parse(d.Text(h)); err != nil || again != d {
			t.Errorf("%s comes back from %s as %x, %v", field, d.Text(h), again.sum, err)
		}
	}
	if d, err := Parse(""); err != nil || d.Known() {
		t.Errorf("no digest: %v, %v", d, err)
	}
	for field, want := range map[string]error{
		sha1:                            errAlgorithm,
		"crc32:00000000":                errAlgorithm,
		":" + sha1:                      errAlgorithm,
		"sha1:":                         errValue,
		"sha1:" + md5:                   errValue,
		"sha1:" + base32[1:] + "1":      errValue,
		"sha1:" + sha1[1:] + "x":        errValue,
		"sha1:AB2CD3EF4GH5IJ6KL7MN8OPQ": errValue, // the example of WARC 1.1 §5.8
	} {
		if d, err := Parse(field); err != want || d.Known() {
			t.Errorf("%q: %v, %v, want %v", field, d, err, want)
		}
	}
}

// Digests of the same bytes are one key, and those of none are no key.
func TestKey(t *testing.T) {
	const sha1, empty = "a9993e364706816aba3e25717850c26c9cd0d89d", "da39a3ee5e6b4b0d3255bfef95601890afd80709"
	key := Key("sha1:" + sha1)
	for field, want := range map[string]string{
		"sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5": key, "sha1:vgmt4nsha2awvor6evyxqugcnsonbwe5": key,
		"sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ":  "",
		"SHA-1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5": key, "sha1:qZk+NkcGgWq6PiVxeFDCbJzQ2J0=": key,
		"": "", "sha1:" + empty: "", empty: "", "md5:1B2M2Y8AsgTpgAmY7PhCfg": "",
		"blake3:AbC": "blake3:abc", sha1: sha1,
	} {
		if got := Key(field); got != want {
			t.Errorf("%s: %q", field, got)
		}
	}
	if Key("sha256:"+sha1) == key || Key("sha1:"+strings.Replace(sha1, "a", "b", 1)) == key {
		t.Error("other digests have the same key")
	}
}
