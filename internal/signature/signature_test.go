package signature

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/digitorus/timestamp"
	"golang.org/x/crypto/ssh"
)

const content = "a bundle\n"

// writeKey writes a private key and returns its path and the public key as a file has it.
func writeKey(t *testing.T, key crypto.Signer, passphrase string) (path, public string) {
	t.Helper()
	block, err := ssh.MarshalPrivateKey(key, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := ssh.NewPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return path, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(p)))
}

func keys(t *testing.T) map[string]crypto.Signer {
	t.Helper()
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]crypto.Signer{"ed25519": ed, "ecdsa": ec, "rsa": r}
}

func sign(t *testing.T, path string) []byte {
	t.Helper()
	key, err := ReadKey(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := key.Sign(strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func verify(t *testing.T, armored []byte, content, allowed string) (string, error) {
	t.Helper()
	signers, err := ParseSigners([]byte(allowed))
	if err != nil {
		t.Fatal(err)
	}
	who, _, err := Verify(strings.NewReader(content), armored, signers, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	return who, err
}

// TestSignatures: what is signed here ssh-keygen verifies, and the reverse.
func TestSignatures(t *testing.T) {
	for name, key := range keys(t) {
		path, public := writeKey(t, key, "")
		armored := sign(t, path)
		if who, err := verify(t, armored, content, "alice@example.org "+public); who != "alice@example.org" ||
			err != nil {
			t.Errorf("%s: %q, %v", name, who, err)
		}
		if _, err := verify(t, armored, content+" ", "alice "+public); err == nil ||
			!strings.Contains(err.Error(), "it is not of these bytes") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := exec.LookPath("ssh-keygen"); err != nil {
			t.Log("skipped: ssh-keygen is not installed")
			continue
		}
		dir := t.TempDir()
		file, allowed := filepath.Join(dir, "bundle"), filepath.Join(dir, "allowed")
		for path, text := range map[string]string{
			file: content, file + Ext: string(armored),
			allowed: "alice " + public + "\n",
		} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("ssh-keygen", "-Y", "verify", "-n", "file", "-f", allowed, "-I", "alice", "-s", file+Ext)
		cmd.Stdin = strings.NewReader(content)
		if out, err := cmd.CombinedOutput(); err != nil ||
			!strings.HasPrefix(string(out), `Good "file" signature for alice`) {
			t.Errorf("%s: %s %v", name, out, err)
		}
		for namespace, want := range map[string]string{
			"file":  "",
			"email": "it is not of these bytes (namespace does not match)",
		} {
			os.Remove(file + Ext)
			if out, err := exec.Command("ssh-keygen", "-Y", "sign", "-n", namespace, "-f", path,
				file).CombinedOutput(); err != nil {
				t.Fatalf("%s %v", out, err)
			}
			theirs, err := ReadFile(file + Ext)
			if err != nil {
				t.Fatal(err)
			}
			_, err = verify(t, theirs, content, "alice "+public)
			if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
				t.Errorf("%s %s: %v", name, namespace, err)
			}
		}
	}
}

// TestSigners: lines allow a key for files, in a time.
func TestSigners(t *testing.T) {
	key := keys(t)["ed25519"]
	path, public := writeKey(t, key, "")
	_, other := writeKey(t, keys(t)["ecdsa"], "")
	armored := sign(t, path)
	for _, c := range []struct{ allowed, who, err string }{
		{"# a comment\n\n  bob " + other + "\r\n\talice,carol " + public + " and a comment\r\n", "alice,carol", ""},
		{`"alice liddell" ` + public, "alice liddell", ""},
		{`alice namespaces="git,fi*" ` + public, "alice", ""},
		{`alice NAMESPACES=file,valid-after=20250101 ` + public, "alice", ""},
		{`alice namespaces="f?le",valid-before="20260101000001Z" ` + public, "alice", ""},
		{`alice namespaces="git" ` + public, "", "no line allows its key"},
		{`alice namespaces="file,!fil*" ` + public, "", "no line allows its key"},
		{`alice cert-authority ` + public, "", "no line allows its key"},
		{`alice valid-before="20260101000000Z" ` + public, "", "its key is not allowed at 2026-01-01T00:00:00Z"},
		{`alice valid-after=202601010001Z ` + public, "", "its key is not allowed at"},
		{"alice " + other, "", "no line allows its key"},
		{"", "", "it is by the key ssh-ed25519 SHA256:"},
	} {
		who, err := verify(t, armored, content, c.allowed)
		if who != c.who || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %q, %v", c.allowed, who, err)
		}
	}
	for _, c := range []struct{ file, err string }{
		{"alice", "line 1 has no principals, options and public key"},
		{"\n" + public, "line 2 has no principals"},
		{"alice valid-after=2026 " + public, `line 1 has the time "2026"`},
		{"alice no-pty " + public, `line 1 has the unknown option "no-pty"`},
	} {
		if _, err := ParseSigners([]byte(c.file)); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v", c.file, err)
		}
	}
}

// TestKeys: a key that cannot be used is named, with what to do instead.
func TestKeys(t *testing.T) {
	key := keys(t)["ed25519"]
	encrypted, public := writeKey(t, key, "secret")
	dir := t.TempDir()
	for _, c := range []struct{ text, err string }{
		{"", "is encrypted, and robotsaudit asks for no passphrase; leave out --sign, and sign what is written " +
			"with: ssh-keygen -Y sign -n file -f " + encrypted + " FILE"},
		{public + "\n", "is a public key; name the private one, or, if an agent has that, leave out --sign"},
		{"nothing", "is no private key that can be used here"},
		{strings.Repeat("x", maxFile+1), "has more than 1048576 bytes"},
	} {
		path := encrypted
		if c.text != "" {
			path = filepath.Join(dir, "file")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := ReadKey(path); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%v, want %q", err, c.err)
		}
	}
}

// authority is one that signs timestamps, with its own certificate and its issuer's.
type authority struct {
	key        crypto.Signer
	cert, root *x509.Certificate
}

func newAuthority(t testing.TB, usage []byte, critical bool, until time.Time) *authority {
	t.Helper()
	_, rootKey, _ := ed25519.GenerateKey(rand.Reader)
	make := func(c, parent *x509.Certificate, public crypto.PublicKey) *x509.Certificate {
		c.NotBefore, c.NotAfter = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), until
		der, err := x509.CreateCertificate(rand.Reader, c, parent, public, rootKey)
		if err != nil {
			t.Fatal(err)
		}
		made, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "root"}, IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	root = make(root, root, rootKey.Public())
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cert := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "clock"}}
	if usage != nil {
		cert.ExtraExtensions = []pkix.Extension{{
			Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: critical,
			Value: usage,
		}}
	}
	return &authority{key, make(cert, root, key.Public()), root}
}

func (a *authority) answer(t testing.TB, text string, at time.Time, withCertificate bool) []byte {
	t.Helper()
	sum := sha256.Sum256([]byte(text))
	stamp := timestamp.Timestamp{
		HashAlgorithm: crypto.SHA256, HashedMessage: sum[:], Time: at,
		Policy: asn1.ObjectIdentifier{1, 2, 3}, AddTSACertificate: withCertificate,
	}
	der, err := stamp.CreateResponseWithOpts(a.cert, a.key, crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// usages encodes extended key usages.
func usages(t testing.TB, ids ...asn1.ObjectIdentifier) []byte {
	t.Helper()
	b, err := asn1.Marshal(ids)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestTimestamps: a timestamp counts if an authority that is trusted gave it, for these bytes.
func TestTimestamps(t *testing.T) {
	stamping, signing := asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 8}, asn1.ObjectIdentifier{
		1, 3, 6, 1, 5, 5, 7,
		3, 3,
	}
	later := time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	right := newAuthority(t, usages(t, stamping), true, later)
	for _, c := range []struct {
		name    string
		who     *authority
		at      time.Time
		with    bool
		trusted []*x509.Certificate
		err     string
	}{
		{"right", right, at, true, []*x509.Certificate{right.root}, ""},
		{"its own certificate is trusted", right, at, false, []*x509.Certificate{right.root, right.cert}, ""},
		{"no certificate", right, at, false, []*x509.Certificate{right.root}, "it has no signer"},
		{
			"of another root", right, at, true,
			[]*x509.Certificate{newAuthority(t, nil, false, later).root},
			"unknown authority",
		},
		{
			"when the certificate had ended", right, later.AddDate(1, 0, 0), true,
			[]*x509.Certificate{right.root},
			"expired",
		},
		{"an authority for anything", newAuthority(t, nil, false, later), at, true, nil, "not for timestamps alone"},
		{
			"an authority for code, too", newAuthority(t, usages(t, stamping, signing), true, later), at, true, nil,
			"not for timestamps alone",
		},
		{"not critical", newAuthority(t, usages(t, stamping), false, later), at, true, nil, "not for timestamps alone"},
	} {
		trusted := c.trusted
		if trusted == nil {
			trusted = []*x509.Certificate{c.who.root}
		}
		der := c.who.answer(t, content, c.at, c.with)
		stamp, err := ParseTimestamp(der, trusted)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil || !stamp.Time.Equal(at) || stamp.Who != "CN=clock" {
			t.Errorf("%s: %+v, %v", c.name, stamp, err)
			continue
		}
		for text, want := range map[string]bool{content: true, content + "x": false} {
			if is, err := stamp.IsOf(strings.NewReader(text)); is != want || err != nil {
				t.Errorf("%s: %v, %v", c.name, is, err)
			}
		}
		for i := range der { // each byte of a timestamp's content counts
			changed := bytes.Clone(der)
			changed[i] ^= 1
			other, err := ParseTimestamp(changed, trusted)
			if err != nil {
				continue
			}
			if is, _ := other.IsOf(strings.NewReader(content)); !other.Time.Equal(at) || !is {
				t.Errorf("%s: byte %d changed: %+v", c.name, i, other)
			}
		}
	}
	if _, err := ParseAuthorities([]byte("nothing")); err == nil {
		t.Error("nothing is no certificate")
	}
}

// TestNested: a token made to take long takes no time.
func TestNested(t *testing.T) {
	for _, der := range [][]byte{
		bytes.Repeat([]byte{0x30, 0x80}, maxToken/2),
		bytes.Repeat([]byte{0x24, 0x80}, maxToken/2),
		append(bytes.Repeat([]byte{0x30, 0x80}, maxToken/4), make([]byte, maxToken/2)...),
	} {
		begin := time.Now()
		if _, err := ParseTimestamp(der, nil); err == nil {
			t.Error("no error")
		}
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("it took %v", took)
		}
	}
}

// FuzzTimestamp: no bytes are trusted, or make the reading panic.
func FuzzTimestamp(f *testing.F) {
	f.Add([]byte{0x30, 0x80, 0, 0})
	stamping := usages(f, asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 8})
	f.Add(newAuthority(f, stamping, true, time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)).answer(f, content,
		time.Unix(1<<30, 0), true))
	f.Fuzz(func(t *testing.T, der []byte) {
		if _, err := ParseTimestamp(der, nil); err == nil {
			t.Error("it is trusted")
		}
	})
}

// FuzzSignature: no bytes are a signature by nobody, or make the reading panic.
func FuzzSignature(f *testing.F) {
	f.Add([]byte("-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQ==\n-----END SSH SIGNATURE-----\n"),
		[]byte("alice namespaces=\"file\" ssh-ed25519 AAAA"))
	f.Fuzz(func(t *testing.T, armored, allowed []byte) {
		signers, _ := ParseSigners(allowed)
		if _, _, err := Verify(strings.NewReader(content), armored, signers, time.Time{}); err == nil {
			t.Error("it is signed")
		}
	})
}
