package inflate

import (
	"bytes"
	stdgzip "compress/gzip"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// corpora are archives, a member a record: pages of 40 to 400 KB, records of 3 to
// 5 KB, and real archives where there are any.
var corpora = sync.OnceValue(func() map[string][]byte {
	random := rand.New(rand.NewPCG(7, 8))
	all := map[string][]byte{"pages": nil, "records": nil}
	for len(all["pages"]) < 6<<20 {
		all["pages"] = append(all["pages"], zipped(page(random, 40_000+random.IntN(360_000)), 6, stdgzip.Header{})...)
	}
	for len(all["records"]) < 3<<20 {
		all["records"] = append(all["records"], zipped(page(random, 3000+random.IntN(2000)), 6, stdgzip.Header{})...)
	}
	real, _ := filepath.Glob("../../../../shared/warc/real/*.warc.gz")
	for _, name := range real {
		if b, err := os.ReadFile(name); err == nil {
			all["real"] = append(all["real"], b...)
		}
	}
	return all
})

// BenchmarkMembers reads every byte of every member, one member after the other,
// as ingest does. MB/s are of compressed bytes.
func BenchmarkMembers(b *testing.B) {
	ours, src := NewReader(nil), bytes.NewReader(nil)
	var std stdgzip.Reader
	var klauspost gzip.Reader
	buf := make([]byte, 64<<10)
	peers := []struct {
		name string
		read func() error
	}{
		{"inflate", func() error {
			ours.Reset(src)
			for {
				if err := ours.NextMember(); err != nil {
					return err
				}
				if _, err := ours.WriteTo(io.Discard); err != nil {
					return err
				}
			}
		}},
		{"klauspost", func() error {
			for {
				if err := klauspost.Reset(src); err != nil {
					return err
				}
				klauspost.Multistream(false)
				if err := drain(&klauspost, buf); err != io.EOF {
					return err
				}
			}
		}},
		{"compress-gzip", func() error {
			for {
				if err := std.Reset(src); err != nil {
					return err
				}
				std.Multistream(false)
				if err := drain(&std, buf); err != io.EOF {
					return err
				}
			}
		}},
	}
	for _, name := range []string{"pages", "records", "real"} {
		corpus := corpora()[name]
		if len(corpus) == 0 {
			b.Logf("%s: ../shared is absent", name)
			continue
		}
		for _, peer := range peers {
			b.Run(name+"/"+peer.name, func(b *testing.B) {
				b.SetBytes(int64(len(corpus)))
				b.ReportAllocs()
				for b.Loop() {
					src.Reset(corpus)
					if err := peer.read(); err != io.EOF {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// drain reads r to its end and returns io.EOF there.
func drain(r io.Reader, buf []byte) error {
	for {
		if _, err := r.Read(buf); err != nil {
			return err
		}
	}
}
