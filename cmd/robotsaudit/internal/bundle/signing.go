package bundle

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/signature"
)

// timestampExt is added to the name of a file for that of its timestamp.
const timestampExt = ".tsr"

// SignFlag is the option of commands that sign the files that they write.
type SignFlag struct {
	Path string
	key  *signature.Key // nil: nothing is signed
}

// AddTo adds the flag; what is signed is in its help.
func (f *SignFlag) AddTo(flags *pflag.FlagSet, what string) {
	flags.StringVar(&f.Path, "sign", "",
		"sign "+what+" with the SSH key in the file `KEY`, as 'ssh-keygen -Y sign -n file' does; the signature is "+
			"in a file next to it, whose name ends in "+signature.Ext)
}

// Read reads the key, before hours of work.
func (f *SignFlag) Read() (err error) {
	if f.Path != "" {
		if f.key, err = signature.ReadKey(f.Path); err != nil {
			return usage.Errorf("--sign: %v", err)
		}
	}
	return nil
}

// Sign signs a file, if that is asked for.
func (f *SignFlag) Sign(cmd *cobra.Command, path string) error {
	if f.key == nil {
		return nil
	}
	var armored []byte
	err := reading(path, func(in io.Reader) (err error) { armored, err = f.key.Sign(in); return err })
	if err != nil {
		return err
	}
	return writeBytes(cmd, path+signature.Ext, armored)
}

func writeBytes(cmd *cobra.Command, path string, b []byte) error {
	return console.WriteWhole(cmd, path, func(w io.Writer) error { _, err := w.Write(b); return err })
}

// reading calls f with the content of a file.
func reading(path string, f func(io.Reader) error) error {
	in, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%s cannot be read (%w); check the path", path, object.Cause(err))
	}
	defer in.Close()
	return f(in)
}

// vouchFlags define who must vouch for a file, and for its age.
type vouchFlags struct {
	signers     string
	timestamp   string
	authorities string

	allowed signature.Signers
	token   []byte
	stamp   *signature.Timestamp // nil: none is asked for
}

func (f *vouchFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.signers, "signer", "",
		"with --verify, who must have signed the bundle: one of the allowed signers in `FILE`, as ssh-keygen reads it")
	flags.StringVar(&f.timestamp, "timestamp", "",
		"timestamp of the bundle, or of its signature, in `FILE` (RFC 3161): checked, and with --to put next to the "+
			"bundle; with --verify, the one next to it if this is left out")
	flags.StringVar(&f.authorities, "timestamp-ca", "",
		"certificates in PEM, in `FILE`, of whom timestamps are trusted")
}

// read reads the files that the options name, for the bundle of a name.
func (f *vouchFlags) read(bundle string) error {
	if f.signers != "" {
		b, err := signature.ReadFile(f.signers)
		if err == nil {
			f.allowed, err = signature.ParseSigners(b)
		}
		if err != nil {
			return usage.Errorf("--signer %s: %v", f.signers, err)
		}
	}
	if f.authorities == "" {
		if f.timestamp != "" {
			return usage.Errorf("--timestamp: add --timestamp-ca FILE, the certificates of whom timestamps are trusted")
		}
		return nil
	}
	if f.timestamp == "" {
		f.timestamp = bundle + timestampExt
	}
	b, err := signature.ReadFile(f.authorities)
	if err != nil {
		return usage.Errorf("--timestamp-ca: %v", err)
	}
	trusted, err := signature.ParseAuthorities(b)
	if err != nil {
		return usage.Errorf("--timestamp-ca %s: %v", f.authorities, err)
	}
	if f.token, err = signature.ReadFile(f.timestamp); err != nil {
		return usage.Errorf("--timestamp: %v", err)
	}
	if f.stamp, err = signature.ParseTimestamp(f.token, trusted); err != nil {
		return fmt.Errorf("the timestamp %s is refused: %v", f.timestamp, console.OneLine(err.Error()))
	}
	return nil
}

// check reports who vouches for a bundle, and for its age.
func (f *vouchFlags) check(out io.Writer, bundle string) error {
	signed := time.Now()
	if f.stamp != nil {
		what, err := f.stamped(bundle)
		if err != nil {
			return err
		}
		if what != bundle {
			signed = f.stamp.Time
		}
		fmt.Fprintf(out, "Timestamped: %s was there at %s, by the word of %s.\n", what,
			f.stamp.Time.UTC().Format(time.RFC3339), console.OneLine(f.stamp.Who))
	}
	if f.signers == "" {
		if _, err := os.Stat(bundle + signature.Ext); err == nil {
			fmt.Fprintf(out, "Not checked: the signature %s%s. --signer FILE names who must have signed.\n", bundle,
				signature.Ext)
		}
		return nil
	}
	armored, err := signature.ReadFile(bundle + signature.Ext)
	if err != nil {
		return err
	}
	var who, key string
	err = reading(bundle, func(in io.Reader) (err error) {
		who, key, err = signature.Verify(in, armored, f.allowed, signed)
		return err
	})
	if err != nil {
		return fmt.Errorf("the signature %s%s is refused: %v", bundle, signature.Ext, console.OneLine(err.Error()))
	}
	fmt.Fprintf(out, "Signed by %s, with the key %s.\n", console.OneLine(who), key)
	return nil
}

// stamped names what the timestamp is of: the bundle or its signature.
func (f *vouchFlags) stamped(bundle string) (of string, err error) {
	for _, path := range [...]string{bundle, bundle + signature.Ext} {
		is := false
		if _, missing := os.Stat(path); missing != nil && path != bundle {
			continue
		}
		if err := reading(path, func(in io.Reader) (err error) { is, err = f.stamp.IsOf(in); return err }); err != nil {
			return "", err
		}
		if is {
			return path, nil
		}
	}
	return "", fmt.Errorf("the timestamp %s is of other bytes than %s and its signature", f.timestamp, bundle)
}

// put puts the timestamp next to a bundle, if it belongs to it.
func (f *vouchFlags) put(cmd *cobra.Command, bundle string) error {
	if f.stamp == nil {
		return nil
	}
	if _, err := f.stamped(bundle); err != nil {
		return err
	}
	return writeBytes(cmd, bundle+timestampExt, f.token)
}
