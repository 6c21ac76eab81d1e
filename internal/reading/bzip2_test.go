package reading

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// bzip2Archive is four captures of robots.txt, of hosts host0.example to
// host3.example, in one block of bzip2.
const bzip2Archive = "" +
	"QlpoMTFBWSZTWX508VIAAX9fgAASSBP//yxs1pA/79/gQAJ8GQADAaAAAaAAAAAANVPaAU9PRRoyAAAAAADAaAAAaAAAAAAFUiTJhTyaT1JgnoPUmjBoTIyb" +
	"RJkyO4pJkeRIiMD0NJUe50lAoO02GJoPOJ8pGpKJZEycoUEhWj7lyKDyRXXJw8VJccBxm+VcmzbsnU0ZnkYkxIkSF+XsV13Sa4J1Ve5rLTvMzYZGBI4zMnaZ" +
	"U3lwzJmOVBPSPPK4uwF0+ACLLyeBMUZOSAIsqBwBUmtDObKdE8biGOa1UgDlgQQC3wdWoOCGrIUKg6CivVQUHImnSkzamxXUqLVxMsb6ZWSutryxvyNw54xJ" +
	"d5M2kh/jE+xvmw0F5UapYYepDqPQhIi84SYoJnoSLTnPMh6mg6DQehQQsEZE3ThM9jsPkvLT5OUzPzZ18WFPNhnpjcV07Ov4Oyd3QbS3C3VfXafo4RuRxm9h" +
	"XjOys/AU5nBYj4KiNxeZCZ4mhDiRnwauTo8Jz2lx3IXlyHidRI1nyVlJmWGJxCxEjtNJYKUTKTmKDSbEJiQSImaEbxeiotH7I1nkcpeMR9BadJYXDE0GJifR" +
	"iUmk4DSXGs+w2l5YjeG8d6FRFBMwKC8SIqQ50KC4VmQ5yk1H0bDE0jAsJIeBEz/i7kinChIPzp4qQA=="

// The checksum of a bzip2 block follows its content. With these bits flipped
// the content is whole records of other URLs.
func TestBzip2Damage(t *testing.T) {
	archive, err := base64.StdEncoding.DecodeString(bzip2Archive)
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

// A record in the middle of a bzip2 stream is read again from the stream's start.
func TestRereadBzip2(t *testing.T) {
	archive, err := base64.StdEncoding.DecodeString(bzip2Archive)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.warc.bz2")
	if err := os.WriteFile(path, archive, 0o666); err != nil {
		t.Fatal(err)
	}
	whole := readFile(t, path)
	for i, c := range whole.captures {
		body, err := Reread(inputAt(t, path), &facts.Capture{Fetch: whole.fetches[i]})
		if err != nil || string(body) != whole.bodies[i] || c.URL != whole.fetches[i].URL || len(body) == 0 {
			t.Errorf("%s: %q, %v", c.URL, body, err)
		}
	}
}
