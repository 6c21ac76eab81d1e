package evidence

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/audittest"
	"github.com/robotsaudit/robotsaudit/internal/robots"
)

const testdata = "../../testdata/warc"

var rfc9309 = evaluate.Options{Profile: robots.RFC9309}

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
	path, _ := write(t, audittest.Audit(t, rfc9309, testdata))
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

// TestContainers: the records of an archive are the same in a bundle whatever it is compressed
// with, and each of these bundles proves the same.
func TestContainers(t *testing.T) {
	plain, err := os.ReadFile(filepath.Join(testdata, "crawl-b-2.warc"))
	if err != nil {
		t.Fatal(err)
	}
	records := recordsOf(t, plain)
	forms := map[string][]byte{
		"plain.warc":      plain,
		"members.warc.gz": gzipped(records...),
		"stream.warc.gz":  gzipped(string(plain)),
		"three.warc.gz":   gzipped(inThrees(records)...),
		"halves.warc.gz":  gzipped(inHalves(records)...),
		"frame.warc.zst":  zstandard(t, string(plain)),
		"frames.warc.zst": zstandard(t, records...),
		"stored.wacz":     zipped(t, zip.Store, "archive/data.warc", plain),
		"deflated.wacz":   zipped(t, zip.Deflate, "archive/data.warc.gz", gzipped(records...)),
	}
	var want []string
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		archive := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(archive, forms[name], 0o666); err != nil {
			t.Fatal(err)
		}
		path, b := write(t, audittest.Audit(t, rfc9309, archive))
		got := bundled(t, path)
		if want == nil {
			want = got
		}
		if b.Proven != 6 || !slices.Equal(got, want) {
			t.Errorf("%s: %d findings proven by %d records, of other content than in the form before", name, b.Proven, len(got))
		}
		for i, record := range got {
			if !slices.Contains(records, record) {
				t.Errorf("%s: record %d is not in the archive as it stands", name, i+1)
			}
		}
	}
}

// TestMembersAreCopied: a gzip member that holds one record stands in the bundle byte for byte.
func TestMembersAreCopied(t *testing.T) {
	archive := filepath.Join(testdata, "crawl-b-1.warc.gz")
	path, _ := write(t, audittest.Audit(t, rfc9309, archive))
	whole, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	members := splitMembers(t, bundle)[1:]
	for i, m := range members {
		if !bytes.Contains(whole, m) {
			t.Errorf("member %d of %d is not in the archive", i+1, len(members))
		}
	}
}

// TestRefusals: a bundle that lacks a record, has one too many, or in which records were
// exchanged or made anew, is refused, and the record is named.
func TestRefusals(t *testing.T) {
	path, _ := write(t, audittest.Audit(t, rfc9309, filepath.Join(testdata, "crawl-b-1.warc.gz")))
	bundle, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	members := splitMembers(t, bundle)
	join := func(parts ...[][]byte) []byte { return bytes.Join(slices.Concat(parts...), nil) }
	third := string(unzipped(t, members[3]))
	for _, c := range []struct {
		name   string
		bundle []byte
		reason string
	}{
		{"without the last", join(members[:len(members)-1]), "was changed, or is missing"},
		{"without the third", join(members[:3], members[4:]), "record 3 (response urn:uuid:"},
		{"one too many", join(members, members[3:4]), "bytes stand behind its"},
		{"exchanged", join(members[:3], members[4:5], members[3:4], members[5:]), "record 3 (response urn:uuid:"},
		{"one letter", join(members[:3], [][]byte{gzipped(strings.Replace(third, "Disallow", "Disallov", 1))}, members[4:]), "record 3 (response urn:uuid:7aee49c8-e044-467d-b26b-03a2b1a976e3, at 1997 of crawl-b-1.warc.gz) was changed"},
		{"more behind a record", join(members[:3], [][]byte{gzipped(third + "Allow: /")}, members[4:]), "record 3 (response urn:uuid:"},
		{"without a manifest", join(members[1:]), "its first record is no manifest"},
		{"cut", bundle[:len(bundle)-1], "was changed"},
		{"empty", nil, "it does not begin with a gzip member"},
		{"of another format", edited(t, members, Format, "robotsaudit-evidence/9"), `it is of format "robotsaudit-evidence/9"`},
		{"a record out of order", edited(t, members, `{"number":2,`, `{"number":9,`), "record 9 is out of order"},
		{"an archive out of range", edited(t, members, `{"number":2,"archive":0`, `{"number":2,"archive":7`), "is out of order"},
		{"a negative size", edited(t, members, `"size":959`, `"size":-9`), "is out of order"},
		{"an unknown form", edited(t, members, `"form":"warc"`, `"form":"../x"`), `an archive of form "../x"`},
		{"an unknown field", edited(t, members, `"form":"warc"`, `"from":"warc"`), "its manifest is damaged"},
		{"a record that is not there", edited(t, members, `[{"number":5,"role":"fetch"}`, `[{"number":500,"role":"fetch"}`), "there is no record 500"},
		{"a finding without a fetch", edited(t, members, `[{"number":5,"role":"fetch"}`, `[{"number":5,"role":"copy"}`), "a finding without its fetch"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(path, c.bundle, 0o666); err != nil {
				t.Fatal(err)
			}
			tmp := t.TempDir()
			t.Setenv("TMPDIR", tmp)
			t.Setenv("TMP", tmp) // of Windows, which removes no open file
			v, err := Verify(t.Context(), path)
			if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
			var refusal *RefusedError
			if !errors.As(err, &refusal) || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("%v %v, want %q", v, err, c.reason)
			}
		})
	}
}

// TestForgedFindings: a manifest that says other things than the records is not proven, and
// what differs is said.
func TestForgedFindings(t *testing.T) {
	path, b := write(t, audittest.Audit(t, rfc9309, filepath.Join(testdata, "crawl-b-1.warc.gz")), "http://wild.example/paper.pdf")
	if b.Violations != 1 {
		t.Fatal(b.Violations)
	}
	bundle, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	members := splitMembers(t, bundle)
	for _, c := range []struct{ old, with, reason string }{
		{`"certainty":"certain"`, `"certainty":"probable"`, `certainty is "certain", not "probable"`},
		{`"rule_line":`, `"rule_line":1`, `rule_line is "`},
		{`"url":"http://wild.example/paper.pdf","origin"`, `"url":"http://tame.example/","origin"`, `url is "http://wild.example/paper.pdf", not "http://tame.example/"`},
		{`"profile":"rfc9309"`, `"profile":"rfc9309","crawler":"OtherBot"`, `agent is "OtherBot"`},
		{`[{"number":5,"role":"fetch"}`, `[{"number":3,"role":"fetch"}`, "the bundle shows the verdict allowed (robots_txt_itself)"},
		{`[{"number":5,"role":"fetch"}`, `[{"number":4,"role":"fetch"}`, "the fetch is not in the bundle"},
	} {
		if err := os.WriteFile(path, edited(t, members, c.old, c.with), 0o666); err != nil {
			t.Fatal(err)
		}
		v, err := Verify(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", c.with, err)
			continue
		}
		if v.Proven != 0 || len(v.Unproven) != 1 || !strings.Contains(v.Unproven[0].Reason, c.reason) {
			t.Errorf("%s: %+v, want %q", c.with, v.Unproven, c.reason)
		}
	}
}

// edited is a bundle with a change in its manifest.
func edited(t *testing.T, members [][]byte, old, with string) []byte {
	t.Helper()
	manifest := string(unzipped(t, members[0]))
	if !strings.Contains(manifest, old) {
		t.Fatalf("the manifest does not hold %s", old)
	}
	return bytes.Join(append([][]byte{gzipped(strings.Replace(manifest, old, with, 1))}, members[1:]...), nil)
}

// bundled returns the records of a bundle.
func bundled(t *testing.T, path string) (records []string) {
	t.Helper()
	bundle, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range splitMembers(t, bundle)[1:] {
		records = append(records, string(unzipped(t, m)))
	}
	return records
}

// splitMembers cuts a file into its gzip members.
func splitMembers(t *testing.T, file []byte) (members [][]byte) {
	t.Helper()
	for len(file) > 0 {
		src := bytes.NewReader(file)
		r, err := gzip.NewReader(src)
		if err != nil {
			t.Fatal(err)
		}
		r.Multistream(false)
		if _, err := io.Copy(io.Discard, r); err != nil {
			t.Fatal(err)
		}
		n := len(file) - src.Len()
		members, file = append(members, file[:n]), file[n:]
	}
	return members
}

func unzipped(t *testing.T, member []byte) []byte {
	t.Helper()
	content := contentOf(member)
	if content == nil {
		t.Fatal("a member cannot be read")
	}
	return content
}

// recordsOf cuts an uncompressed archive into its records.
func recordsOf(t *testing.T, archive []byte) (records []string) {
	t.Helper()
	begins := regexp.MustCompile(`(?m)^WARC/1\.[01]\r\n`).FindAllIndex(archive, -1)
	for i, at := range begins {
		end := len(archive)
		if i+1 < len(begins) {
			end = begins[i+1][0]
		}
		records = append(records, string(archive[at[0]:end]))
	}
	if len(records) < 30 {
		t.Fatalf("%d records", len(records))
	}
	return records
}

// inThrees joins records, three at a time.
func inThrees(records []string) (members []string) {
	for three := range slices.Chunk(records, 3) {
		members = append(members, strings.Join(three, ""))
	}
	return members
}

// inHalves cuts each record in two.
func inHalves(records []string) (members []string) {
	for _, r := range records {
		members = append(members, r[:100], r[100:])
	}
	return members
}

// gzipped makes a gzip member of each text.
func gzipped(members ...string) []byte {
	var b bytes.Buffer
	for _, m := range members {
		w := gzip.NewWriter(&b)
		io.WriteString(w, m) // to memory: no error
		w.Close()
	}
	return b.Bytes()
}

// zstandard makes a frame of each text.
func zstandard(t *testing.T, frames ...string) (b []byte) {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range frames {
		b = w.EncodeAll([]byte(f), b)
	}
	return b
}

// zipped makes a zip file of one entry.
func zipped(t *testing.T, method uint16, name string, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
	if err != nil {
		t.Fatal(err)
	}
	w.Write(content) // to memory: no error
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestChangedArchive: what rests on an archive whose content has changed since the audit is left
// out, and the archive is named; what other archives prove is written.
func TestChangedArchive(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"crawl-b-1.warc.gz", "crawl-c-1.warc.gz"} {
		content, err := os.ReadFile(filepath.Join(testdata, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out := audittest.Audit(t, rfc9309, dir)
	_, whole := write(t, out)
	changed := filepath.Join(dir, "crawl-b-1.warc.gz")
	content, err := os.ReadFile(changed)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/2] ^= 1
	if err := os.WriteFile(changed, content, 0o666); err != nil {
		t.Fatal(err)
	}
	b, err := Write(t.Context(), Options{Dir: out, To: filepath.Join(t.TempDir(), "bundle.warc.gz")})
	if err != nil {
		t.Fatal(err)
	}
	const reason = "its content is not what it was when it was audited"
	if len(b.Missing) != 1 || b.Missing[0].Name != "crawl-b-1.warc.gz" || b.Missing[0].Reason != reason || b.Missing[0].Affected != b.Lacking {
		t.Errorf("%+v, %d left out", b.Missing, b.Lacking)
	}
	if b.Proven != b.Violations || b.Proven == 0 || b.Lacking == 0 || b.Proven+b.Lacking != whole.Proven {
		t.Errorf("%d of %d proven, %d left out, of %d before", b.Proven, b.Violations, b.Lacking, whole.Proven)
	}
}
