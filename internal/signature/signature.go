// Package signature signs files as `ssh-keygen -Y sign -n file` does, and verifies such signatures
// and timestamps of RFC 3161. All cryptography is in the libraries that it calls.
package signature

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"github.com/robotsaudit/robotsaudit/internal/object"
)

// Ext is added to the name of a file for that of its signature.
const Ext = ".sig"

// namespace distinguishes signatures of files from signatures of mail, logins and so on.
// ssh-keygen's manual names it.
const namespace = "file"

// maxFile bounds keys, signatures, lists of signers, tokens and certificates, in bytes.
const maxFile = 1 << 20

// ReadFile reads a small file that an option names.
func ReadFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read (%w); check the path", path, object.Cause(err))
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(b) > maxFile {
		err = fmt.Errorf("%s has more than %d bytes; name another file", path, maxFile)
	}
	return b, err
}

// Key is a private key.
type Key struct{ signer ssh.Signer }

// ReadKey reads a private key that is not encrypted.
func ReadKey(path string) (*Key, error) {
	b, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	const instead = "leave out --sign, and sign what is written with: ssh-keygen -Y sign -n " + namespace +
		" -f %s FILE"
	signer, err := ssh.ParsePrivateKey(b)
	var encrypted *ssh.PassphraseMissingError
	_, _, _, _, public := ssh.ParseAuthorizedKey(b)
	switch {
	case errors.As(err, &encrypted):
		return nil, fmt.Errorf("the key %s is encrypted, and robotsaudit asks for no passphrase; "+instead, path, path)
	case public == nil:
		return nil, fmt.Errorf("%s is a public key; name the private one, or, if an agent has that, "+instead, path,
			path)
	case err != nil:
		return nil, fmt.Errorf("%s is no private key that can be used here (%v); for one that is in a device, "+
			instead, path, err, path)
	}
	return &Key{signer}, nil
}

// Sign signs the content of in.
func (k *Key) Sign(in io.Reader) ([]byte, error) {
	s, err := sshsig.Sign(in, k.signer, sshsig.HashSHA512, namespace)
	if err != nil {
		return nil, err
	}
	return sshsig.Armor(s), nil
}

func describe(key ssh.PublicKey) string { return key.Type() + " " + ssh.FingerprintSHA256(key) }

// Verify returns who of a list of allowed signers signed the content of in, and names the key. The
// signature counts as made at a time.
func Verify(in io.Reader, armored []byte, allowed Signers, at time.Time) (who, key string, err error) {
	s, err := sshsig.Unarmor(armored)
	if err != nil {
		return "", "", fmt.Errorf("it is no signature of ssh-keygen (%v)", err)
	}
	who, err = allowed.find(s.PublicKey, at)
	if err != nil {
		return "", "", err
	}
	if err := sshsig.Verify(in, s, s.PublicKey, s.HashAlgorithm, namespace); err != nil {
		return "", "", fmt.Errorf("it is not of these bytes (%w)", err)
	}
	return who, describe(s.PublicKey), nil
}

// Signers are the lines of a file of allowed signers: see ALLOWED SIGNERS in ssh-keygen(1).
type Signers []signer

type signer struct {
	principals    string
	key           ssh.PublicKey
	after, before time.Time // of its signatures; zero: any
}

// ParseSigners reads a file of allowed signers. Lines of certificate authorities and of other namespaces
// allow nobody here.
func ParseSigners(file []byte) (list Signers, err error) {
	for n, line := range bytes.Split(file, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		s, applies, err := parseSigner(string(line))
		if err != nil {
			return nil, fmt.Errorf("line %d %w", n+1, err)
		}
		if applies {
			list = append(list, s)
		}
	}
	return list, nil
}

// parseSigner reads a line. It reports whether the line allows anybody to sign files.
func parseSigner(line string) (s signer, applies bool, err error) {
	principals, rest := cutField(line)
	s.principals = strings.Trim(principals, `"`)
	key, _, options, _, err := ssh.ParseAuthorizedKey([]byte(rest))
	if err != nil {
		return s, false, errors.New("has no principals, options and public key")
	}
	s.key, applies = key, true
	for _, option := range options {
		name, value, _ := strings.Cut(option, "=")
		value = strings.Trim(value, `"`)
		switch strings.ToLower(name) {
		case "cert-authority":
			applies = false
		case "namespaces":
			applies = applies && matches(value, namespace)
		case "valid-after":
			s.after, err = parseTime(value)
		case "valid-before":
			s.before, err = parseTime(value)
		default:
			err = fmt.Errorf("has the unknown option %.40q", name)
		}
		if err != nil {
			return s, false, err
		}
	}
	return s, applies, nil
}

// cutField cuts off the text before unquoted white space.
func cutField(line string) (field, rest string) {
	quoted := false
	for i, c := range line {
		switch {
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ' ' || c == '\t'):
			return line[:i], strings.TrimLeft(line[i:], " \t")
		}
	}
	return line, ""
}

// parseTime reads a time as ssh-keygen does: YYYYMMDD[HHMM[SS]][Z], local without Z.
func parseTime(text string) (time.Time, error) {
	in := time.Local
	digits, isUTC := strings.CutSuffix(text, "Z")
	if isUTC {
		in = time.UTC
	}
	for _, layout := range [...]string{"20060102", "200601021504", "20060102150405"} {
		if t, err := time.ParseInLocation(layout, digits, in); err == nil && len(digits) == len(layout) {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("has the time %.40q, and not YYYYMMDD[HHMM[SS]][Z]", text)
}

// onlyStars leaves a pattern ? and * alone.
var onlyStars = strings.NewReplacer(`[`, `\[`, `\`, `\\`)

// matches reports whether one of a list of patterns fits a text without slashes, and none with ! before it
// does: see PATTERNS in ssh_config(5).
func matches(list, text string) bool {
	found := false
	for pattern := range strings.SplitSeq(list, ",") {
		pattern, negated := strings.CutPrefix(pattern, "!")
		if is, _ := path.Match(onlyStars.Replace(pattern), text); !is {
			continue
		}
		if negated {
			return false
		}
		found = true
	}
	return found
}

func (list Signers) find(key ssh.PublicKey, at time.Time) (string, error) {
	problem := errors.New("no line allows its key")
	for _, s := range list {
		switch {
		case !bytes.Equal(s.key.Marshal(), key.Marshal()):
		case !s.after.IsZero() && at.Before(s.after), !s.before.IsZero() && !at.Before(s.before):
			problem = errors.New("its key is not allowed at " + at.UTC().Format(time.RFC3339))
		default:
			return s.principals, nil
		}
	}
	return "", fmt.Errorf("it is by the key %s, and %w", describe(key), problem)
}
