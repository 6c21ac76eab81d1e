package warc

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
)

// TestXZ: streams of blocks, with each checksum, come back. With any bit flipped or anything cut off they are refused,
// or are the same.
func TestXZ(t *testing.T) {
	var text strings.Builder
	for i := range 3000 {
		text.WriteString(strings.Repeat(string(rune('a'+i%26)), i%7))
		text.WriteByte(byte(i * i >> 3))
	}
	read := func(b []byte) (string, error) {
		from := input.New(bytes.NewReader(b), nil)
		r, err := Decompressed(Form{}, from)
		if err != nil {
			return "", err
		}
		got, err := io.ReadAll(r)
		return string(got), err
	}
	for _, check := range []byte{xz.None, xz.CRC32, xz.CRC64, xz.SHA256} {
		var b bytes.Buffer
		for range 2 {
			config := xz.WriterConfig{DictCap: 4096, CheckSum: check, NoCheckSum: check == xz.None, BlockSize: 1500}
			w, err := config.NewWriter(&b)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte(text.String())); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			b.Write(make([]byte, 8)) // padding
		}
		file, want := b.Bytes(), text.String()+text.String()
		if got, err := read(file); got != want || err != nil {
			t.Errorf("check %d: %d bytes, want %d, %v", check, len(got), len(want), err)
		}
		random := rand.New(rand.NewPCG(1, uint64(check)))
		for range 500 {
			damaged := bytes.Clone(file)
			damaged[random.IntN(len(damaged))] ^= 1 << random.IntN(8)
			isChecked := check != xz.None && string(damaged[:6]) == string(magicXZ)
			if got, err := read(damaged); err == nil && got != want && isChecked {
				t.Fatalf("check %d: damage is read", check)
			}
			if got, err := read(file[:12+random.IntN(len(file)-20)]); err == nil && !strings.HasPrefix(want, got) {
				t.Fatalf("check %d: a part is read as another file", check)
			}
		}
	}
}
