package reading

import (
	"bytes"
	"encoding/base64"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
)

// The checksum of a bzip2 block follows its content. With these bits flipped
// the content is whole records of other URLs.
func TestBzip2Damage(t *testing.T) {
	archive, err := base64.StdEncoding.DecodeString(warctest.Bzip2Archive)
	if err != nil {
		t.Fatal(err)
	}
	urls := []string{
		"http://host0.example/robots.txt", "http://host1.example/robots.txt",
		"http://host2.example/robots.txt", "http://host3.example/robots.txt",
	}
	flipped := func(at int, bit byte) []byte {
		b := bytes.Clone(archive)
		b[at] ^= bit
		return b
	}
	for name, c := range map[string]struct {
		archive      []byte
		urls, issues []string
	}{
		"whole":        {archive, urls, nil},
		"two streams":  {bytes.Repeat(archive, 2), append(urls, urls...), nil},
		"bytes behind": {append(bytes.Clone(archive), "junk"...), urls, []string{"skipped_range"}},
		"a bit":        {flipped(228, 1<<1), nil, []string{"damaged_stream", "skipped_range"}},
		"another bit":  {flipped(259, 1<<3), nil, []string{"damaged_stream", "skipped_range"}},
		"in the second block": {
			append(bytes.Clone(archive), flipped(228, 1<<1)...), urls[:3],
			[]string{"damaged_stream", "skipped_range"},
		},
		"cut": {archive[:len(archive)-20], nil, []string{"truncated_record"}},
	} {
		for _, got := range []*collected{read(t, c.archive), readPipe(t, c.archive)} {
			equal(t, name, got.urls(), c.urls)
			equal(t, name+": issues", got.kinds(), c.issues)
		}
	}
}
