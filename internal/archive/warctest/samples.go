package warctest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Crawl is a warcinfo record, five pages with their requests, and a robots.txt with a body.
func Crawl(robots string) []Record {
	entries := []Record{Warcinfo("urn:i", "software: x\r\n")}
	for i := range 5 {
		url := fmt.Sprintf("http://h/%d", i)
		entries = append(entries,
			Response("urn:"+url, url,
				"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>"+url+"</html>"),
			Request("urn:r"+url, url, "bot/1"))
	}
	return append(entries, Response("urn:robots", "http://h/robots.txt", "HTTP/1.1 200 OK\r\n\r\n"+robots))
}

// Dictionary makes a zstd dictionary from records.
func Dictionary(t testing.TB) []byte {
	t.Helper()
	var samples [][]byte
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		e := Response(fmt.Sprintf("urn:%d", random.Uint64()), fmt.Sprintf("http://h/%d", i),
			fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n<html>%x</html>", i,
				random.Uint64()))
		samples = append(samples, []byte(e.String()))
	}
	d, err := zstd.BuildDict(zstd.BuildDictOptions{
		ID: 4711, Contents: samples, History: bytes.Join(samples[:50], nil),
		Offsets: [3]int{1, 4, 8},
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Skippable wraps content in a skippable frame of the nth magic number.
func Skippable(n byte, content []byte) []byte {
	b := append([]byte{0x50 | n}, 0x2a, 0x4d, 0x18)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(content))), content...)
}

// Bzip2Archive is four captures of robots.txt, of hosts host0.example to
// host3.example, in one block of bzip2.
const Bzip2Archive = "" +
	"QlpoMTFBWSZTWX508VIAAX9fgAASSBP//yxs1pA/79/gQAJ8GQADAaAAAaAAAAAANVPaAU9PRRoyAAAAAADAaAAAaAAAAAAFUiTJhTyaT1JgnoPUmjBoTIyb" +
	"RJkyO4pJkeRIiMD0NJUe50lAoO02GJoPOJ8pGpKJZEycoUEhWj7lyKDyRXXJw8VJccBxm+VcmzbsnU0ZnkYkxIkSF+XsV13Sa4J1Ve5rLTvMzYZGBI4zMnaZ" +
	"U3lwzJmOVBPSPPK4uwF0+ACLLyeBMUZOSAIsqBwBUmtDObKdE8biGOa1UgDlgQQC3wdWoOCGrIUKg6CivVQUHImnSkzamxXUqLVxMsb6ZWSutryxvyNw54xJ" +
	"d5M2kh/jE+xvmw0F5UapYYepDqPQhIi84SYoJnoSLTnPMh6mg6DQehQQsEZE3ThM9jsPkvLT5OUzPzZ18WFPNhnpjcV07Ov4Oyd3QbS3C3VfXafo4RuRxm9h" +
	"XjOys/AU5nBYj4KiNxeZCZ4mhDiRnwauTo8Jz2lx3IXlyHidRI1nyVlJmWGJxCxEjtNJYKUTKTmKDSbEJiQSImaEbxeiotH7I1nkcpeMR9BadJYXDE0GJifR" +
	"iUmk4DSXGs+w2l5YjeG8d6FRFBMwKC8SIqQ50KC4VmQ5yk1H0bDE0jAsJIeBEz/i7kinChIPzp4qQA=="
