package pack

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// bodies are of many sizes, from empty to larger than the window.
func bodies() [][]byte {
	rng := rand.New(rand.NewPCG(1, 1))
	var all [][]byte
	for _, size := range []int{0, 1, 2, 255, 256, 257, 4096, 65_535, 65_536, 66_000, 500 << 10, 1<<20 + 1, 9 << 20} {
		random := make([]byte, size)
		for i := range random {
			random[i] = byte(rng.Uint32())
		}
		all = append(all, random, bytes.Repeat([]byte("Disallow: /a\n"), size/13+1), make([]byte, size))
	}
	return all
}

// pack writes bodies to a pack.
func pack(tb testing.TB, path string, bodies [][]byte) []Ref {
	tb.Helper()
	w, err := Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	refs := make([]Ref, len(bodies))
	for i, body := range bodies {
		if refs[i], err = w.Put(body); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return refs
}

func open(tb testing.TB, path string) *Reader {
	tb.Helper()
	r, err := Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { r.Close() })
	return r
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bodies")
	all := bodies()
	refs := pack(t, path, all)
	r := open(t, path)
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range all {
				i = (i + worker*7) % len(all)
				body, err := r.Get(refs[i])
				if err != nil || !bytes.Equal(body, all[i]) {
					t.Errorf("body %d of %d bytes: %d bytes, %v", i, len(all[i]), len(body), err)
				}
				if len(body) < large && cap(body) > len(body)+len(body)/8+2*bytes.MinRead {
					t.Errorf("body %d of %d bytes keeps %d", i, len(all[i]), cap(body))
				}
				if refs[i].Digest != sha256.Sum256(all[i]) || refs[i].Size != int64(len(all[i])) {
					t.Errorf("body %d: ref %+v", i, refs[i])
				}
			}
		})
	}
	group.Wait()
}

func TestEachBodyOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bodies")
	a, b := []byte("User-agent: *\n"), []byte("Disallow: /\n")
	refs := pack(t, path, [][]byte{a, b, a, nil, {}, b})
	if refs[0] != refs[2] || refs[1] != refs[5] || refs[3] != refs[4] || refs[0] == refs[1] {
		t.Errorf("refs %+v", refs)
	}
	single := filepath.Join(t.TempDir(), "single")
	pack(t, single, [][]byte{a, b, nil})
	x, _ := os.ReadFile(path)
	y, _ := os.ReadFile(single)
	if !bytes.Equal(x, y) || len(x) == 0 {
		t.Errorf("packs of the same distinct bodies differ: %d and %d bytes", len(x), len(y))
	}
}

func TestWrongRefs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bodies")
	refs := pack(t, path, [][]byte{[]byte("first body"), bytes.Repeat([]byte("x"), 3000), []byte("third body")})
	r := open(t, path)
	good := refs[1]
	for name, change := range map[string]func(*Ref){
		"next frame":      func(ref *Ref) { ref.Offset = refs[2].Offset },
		"inside a frame":  func(ref *Ref) { ref.Offset++ },
		"before the pack": func(ref *Ref) { ref.Offset = -1 },
		"after the pack":  func(ref *Ref) { ref.Offset = r.size },
		"far away":        func(ref *Ref) { ref.Offset = math.MaxInt64 },
		"shorter":         func(ref *Ref) { ref.Size-- },
		"longer":          func(ref *Ref) { ref.Size++ },
		"two frames":      func(ref *Ref) { ref.Size += refs[2].Size },
		"negative size":   func(ref *Ref) { ref.Size = -1 },
		"endless":         func(ref *Ref) { ref.Size = math.MaxInt64 },
		"other digest":    func(ref *Ref) { ref.Digest[31] ^= 1 },
	} {
		ref := good
		change(&ref)
		if body, err := r.Get(ref); err == nil || body != nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %d bytes, error %v", name, len(body), err)
		}
	}
	if _, err := r.Get(good); err != nil {
		t.Errorf("after errors: %v", err)
	}
}

func TestDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bodies")
	body := []byte(strings.Repeat("User-agent: examplebot\nDisallow: /private/\n", 40))
	random := make([]byte, 300)
	rng := rand.New(rand.NewPCG(2, 2))
	for i := range random {
		random[i] = byte(rng.Uint32())
	}
	all := [][]byte{append(body, random...), random}
	refs := pack(t, path, all)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, content []byte, mustFail bool) {
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		failed := false
		for i, ref := range refs {
			got, err := r.Get(ref)
			failed = failed || err != nil
			if err == nil && !bytes.Equal(got, all[i]) {
				t.Errorf("%s: another body without an error", what)
			}
		}
		if mustFail && !failed {
			t.Errorf("%s: no error", what)
		}
	}
	for size := range whole {
		check(fmt.Sprint("cut to ", size), whole[:size], true)
	}
	for at := range whole {
		content := bytes.Clone(whole)
		content[at] ^= 1 << rng.IntN(8)
		check(fmt.Sprint("flipped byte ", at), content, false)
	}
}

// TestBomb has a frame whose content is far longer than its ref allows, and
// one whose header, alike, claims far more than it has.
func TestBomb(t *testing.T) {
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	bomb := encoder.EncodeAll(make([]byte, 256<<20), nil)
	// A window of 1 KB, a content of 2^40 bytes, a last block of one byte.
	claim := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xc0, 0x00, 0, 0, 0, 0, 0, 1, 0, 0, 0x09, 0, 0, 'a'}
	path := filepath.Join(t.TempDir(), "bodies")
	if err := os.WriteFile(path, append(claim, bomb...), 0o666); err != nil {
		t.Fatal(err)
	}
	r := open(t, path)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, ref := range []Ref{{Offset: int64(len(claim)), Size: 100}, {Size: 1 << 40}} {
		if _, err := r.Get(ref); err == nil {
			t.Errorf("%+v: no error", ref)
		}
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
		t.Errorf("%d MB allocated", used>>20)
	}
}

func TestWriteErrors(t *testing.T) {
	if _, err := Create(filepath.Join(t.TempDir(), "absent", "bodies")); err == nil {
		t.Error("no folder: no error")
	}
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/full")
	}
	path := filepath.Join(t.TempDir(), "bodies")
	if err := os.Symlink("/dev/full", path); err != nil {
		t.Fatal(err)
	}
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Put([]byte("a")); err == nil {
		t.Error("Put on a full disk: no error")
	}
	if _, err := w.Put([]byte("a")); err == nil {
		t.Error("Put after an error: no error")
	}
	if err := w.Close(); err == nil {
		t.Error("Close after an error: no error")
	}
	if err := w.Close(); err == nil {
		t.Error("second Close: no error")
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("a file is left")
	}
}

func FuzzGet(f *testing.F) {
	path := filepath.Join(f.TempDir(), "bodies")
	refs := pack(f, path, [][]byte{[]byte("User-agent: *\nDisallow:\n"), {}, bytes.Repeat([]byte("ab"), 300)})
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	for _, ref := range refs {
		f.Add(whole, ref.Digest[:], ref.Offset, ref.Size)
	}
	f.Fuzz(func(t *testing.T, content, digest []byte, offset, size int64) {
		path := filepath.Join(t.TempDir(), "bodies")
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		ref := Ref{Offset: offset, Size: size}
		copy(ref.Digest[:], digest)
		body, err := open(t, path).Get(ref)
		if err == nil && (int64(len(body)) != size || sha256.Sum256(body) != ref.Digest) {
			t.Errorf("%d bytes that are not those of %+v", len(body), ref)
		}
	})
}

func BenchmarkGet(b *testing.B) {
	path := filepath.Join(b.TempDir(), "bodies")
	body := []byte(strings.Repeat("User-agent: examplebot\nDisallow: /private/\n", 40))
	refs := pack(b, path, [][]byte{body})
	r := open(b, path)
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := r.Get(refs[0]); err != nil {
			b.Fatal(err)
		}
	}
}
