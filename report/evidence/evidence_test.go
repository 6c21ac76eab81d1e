package evidence

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/report"
)

const testdata = "../../testdata/warc"

// audited returns an output folder with the results of archives.
func auditOf(t *testing.T, archives ...string) string {
	t.Helper()
	out := t.TempDir()
	release, err := ingest.Lock(out)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	inputs, failures := ingest.Expand(archives)
	if len(failures) > 0 {
		t.Fatal(failures[0])
	}
	if err := ingest.Ingest(context.Background(), inputs, ingest.Options{Dir: out, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	set, err := ingest.OpenFacts(out)
	if err != nil {
		t.Fatal(err)
	}
	w, err := report.NewWriter(out, set, evaluate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	totals, err := evaluate.Run(context.Background(), set, evaluate.Options{Profile: robots.RFC9309}, w)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(totals); err != nil {
		t.Fatal(err)
	}
	return out
}

// write writes a bundle, which must prove all that is in it.
func write(t *testing.T, out string, what ...string) (path string, b *Bundle) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "bundle.warc.gz")
	b, err := Write(context.Background(), Options{Dir: out, To: path, What: what})
	if err != nil {
		t.Fatal(err)
	}
	if b.Violations == 0 || b.Proven != b.Violations || b.Lacking > 0 {
		t.Fatalf("%d of %d proven, %d left out: %+v", b.Proven, b.Violations, b.Lacking, b.Unproven)
	}
	return path, b
}

// TestChangedBytes: of a bundle in which one byte was changed, either Verify refuses it, or
// nothing of any record was changed.
func TestChangedBytes(t *testing.T) {
	changes := 1000
	if testing.Short() {
		changes = 50
	}
	path, _ := write(t, auditOf(t, testdata))
	bundle, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content := contentOf(bundle)
	random := rand.New(rand.NewPCG(1, 2))
	refused, harmless := 0, 0
	for range changes {
		changed := bytes.Clone(bundle)
		at := random.IntN(len(changed))
		changed[at] ^= byte(1 + random.IntN(255))
		if err := os.WriteFile(path, changed, 0o666); err != nil {
			t.Fatal(err)
		}
		v, err := Verify(context.Background(), path)
		var refusal *RefusedError
		switch {
		case errors.As(err, &refusal):
			refused++
		case err != nil:
			t.Errorf("byte %d: %v", at, err)
		case v.Proven != v.Violations || !bytes.Equal(contentOf(changed), content):
			t.Errorf("byte %d: %d of %d proven, of other content", at, v.Proven, v.Violations)
		default:
			harmless++
		}
	}
	t.Logf("%d refused, %d changed nothing cited", refused, harmless)
	if refused < changes*9/10 {
		t.Errorf("only %d of %d refused", refused, changes)
	}
}

// contentOf is what a bundle holds, decompressed; nil if it cannot be.
func contentOf(bundle []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(bundle))
	if err != nil {
		return nil
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	return content
}
