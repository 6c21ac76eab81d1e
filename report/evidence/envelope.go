package evidence

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A report can carry its bundle, in a block that no browser runs or shows, just before the end of its body:
//
//	<script type="application/vnd.robotsaudit.evidence" data-bundle="sha256:…" data-report="sha256:…">
//	the bundle in base64, 76 characters a line
//	</script>
//
// The second digest is of all bytes before and after the block. The form leaves no choice: so every byte of the file
// counts.
const (
	envelopeBegin  = `<script type="application/vnd.robotsaudit.evidence" `
	envelopeDigest = `data-bundle="sha256:%x" data-report="sha256:%x">` + "\n"
	envelopeEnd    = "</script>\n"
	bodyEnd        = "\n</body>"
	lineBytes      = 57 // which are 76 characters
)

// WriteReport writes a report, an HTML file, with the bundle in it.
func WriteReport(w io.Writer, report []byte, bundle io.ReadSeeker) error {
	end := bytes.LastIndex(report, []byte(bodyEnd)) + 1
	if end == 0 || !bytes.HasPrefix(report, []byte(htmlBegin)) {
		return errors.New("the report is no page that can carry a bundle")
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, bundle); err != nil {
		return err
	}
	if _, err := bundle.Seek(0, io.SeekStart); err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	out.Write(report[:end])
	fmt.Fprintf(out, envelopeBegin+envelopeDigest, sum.Sum(nil), sha256.Sum256(report))
	content := make([]byte, lineBytes)
	line := make([]byte, base64.StdEncoding.EncodedLen(lineBytes))
	for {
		n, err := io.ReadFull(bundle, content)
		if n > 0 {
			base64.StdEncoding.Encode(line, content[:n])
			out.Write(line[:base64.StdEncoding.EncodedLen(n)])
			out.WriteByte('\n')
		}
		switch {
		case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
			out.WriteString(envelopeEnd)
			out.Write(report[end:])
			return out.Flush()
		case err != nil:
			return err
		}
	}
}

const htmlBegin = "<!DOCTYPE html>"

// unwrap returns a bundle, and takes it first out of the report that carries it, if one does, into a file in dir.
// Changed is not nil if the file states another digest of the bundle: what in it was changed, the bundle may show.
func unwrap(file *os.File, dir string) (bundle *os.File, inReport bool, changed, err error) {
	begin := make([]byte, len(htmlBegin))
	if _, err := file.ReadAt(begin, 0); err != nil || string(begin) != htmlBegin {
		return file, false, nil, nil
	}
	bundle, err = os.Create(filepath.Join(dir, "bundle"))
	if err != nil {
		return nil, true, nil, err
	}
	in := bufio.NewReaderSize(file, 64<<10)
	ofBundle, ofReport := sha256.New(), sha256.New()
	said, err := skipToBundle(in, ofReport)
	if err == nil {
		err = decodeBundle(io.MultiWriter(bundle, ofBundle), in)
	}
	if err == nil {
		if behind, _ := in.Peek(len(bodyEnd) - 1); string(behind) != bodyEnd[1:] {
			err = refusef("the report was changed: its bundle stands elsewhere than before %s", bodyEnd[1:])
		}
	}
	if err == nil {
		_, err = io.Copy(ofReport, in)
	}
	if err == nil {
		_, err = bundle.Seek(0, io.SeekStart)
	}
	switch is := fmt.Sprintf(envelopeDigest, ofBundle.Sum(nil), ofReport.Sum(nil)); {
	case err != nil:
		return nil, true, nil, errors.Join(err, bundle.Close())
	case is[strings.Index(is, " "):] != said[strings.Index(said, " "):]:
		err = refusef("the report around its bundle was changed: the digests are %.200q, and the file says %.200q", is, said)
		return nil, true, nil, errors.Join(err, bundle.Close())
	case is != said:
		changed = refusef("its bundle was changed: the digests are %.200q, and the file says %.200q", is, said)
	}
	return bundle, true, changed, nil
}

// skipToBundle reads the report up to the bundle, and returns the digests that the file states.
func skipToBundle(in *bufio.Reader, sum hash.Hash) (said string, err error) {
	for begins := true; ; {
		line, err := in.ReadSlice('\n')
		if said, is := strings.CutPrefix(string(line), envelopeBegin); begins && is {
			if len(said) != len(envelopeDigest)-len("%x%x")+4*sha256.Size || strings.Count(said, " ") != 1 {
				return "", refusef("the line before its bundle was changed: %.200q", line)
			}
			return said, nil
		}
		sum.Write(line)
		switch {
		case err == io.EOF:
			return "", refusef("it is a report without a bundle, or the line before its bundle was changed; " +
				"'robotsaudit report --with-proof FILE' writes one with it")
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
		begins = err == nil
	}
}

// decodeBundle reads the lines of a bundle up to its end.
func decodeBundle(w io.Writer, in *bufio.Reader) error {
	out := bufio.NewWriterSize(w, 64<<10)
	content := make([]byte, lineBytes)
	last := false // the line before was the last one of the bundle
	for number := 1; ; number++ {
		line, err := in.ReadSlice('\n')
		text, ends := bytes.CutSuffix(line, []byte("\n"))
		if string(line) == envelopeEnd {
			return out.Flush()
		}
		var pathErr *os.PathError
		if errors.As(err, &pathErr) {
			return err
		}
		n := 0
		if err == nil && ends && !last && len(text) > 0 && len(text) <= base64.StdEncoding.EncodedLen(lineBytes) &&
			!bytes.ContainsRune(text, '\r') { // which the decoder passes over
			n, err = base64.StdEncoding.Strict().Decode(content, text)
		}
		if n == 0 || err != nil {
			return refusef("line %d of the bundle in the report was changed, or is missing: %.80q", number, line)
		}
		last = n < lineBytes
		if _, err := out.Write(content[:n]); err != nil {
			return err
		}
	}
}
