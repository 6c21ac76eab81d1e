// Gunzip inflates gzip files member by member, checksums compared, and forgets what
// it read:
//
//	gunzip LIBRARY FILE...
//
// LIBRARY is inflate (internal/archive/inflate) or klauspost
// (github.com/klauspost/compress/gzip). The output is the number of bytes.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/robotsaudit/robotsaudit/internal/archive/inflate"
)

// libraries return the number of bytes inflated.
var libraries = map[string]func(io.Reader) (int64, error){
	"inflate":   own,
	"klauspost": klauspost,
}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 || libraries[os.Args[1]] == nil {
		log.Fatal("usage: gunzip inflate|klauspost FILE...")
	}
	var total int64
	for _, path := range os.Args[2:] {
		file, err := os.Open(path)
		if err != nil {
			log.Fatal(err)
		}
		n, err := libraries[os.Args[1]](file)
		if err != nil {
			log.Fatalf("%s: %v", path, err)
		}
		file.Close()
		total += n
	}
	fmt.Println(total)
}

func own(file io.Reader) (total int64, err error) {
	in := inflate.NewReader(file)
	for {
		switch err := in.NextMember(); err {
		case nil:
		case io.EOF:
			return total, nil
		default:
			return total, err
		}
		n, err := in.WriteTo(io.Discard)
		total += n
		if err != nil {
			return total, err
		}
	}
}

func klauspost(file io.Reader) (total int64, err error) {
	in := bufio.NewReaderSize(file, 256<<10)
	var member gzip.Reader
	for {
		switch err := member.Reset(in); err {
		case nil:
		case io.EOF:
			return total, nil
		default:
			return total, err
		}
		member.Multistream(false)
		n, err := member.WriteTo(io.Discard)
		total += n
		if err != nil {
			return total, err
		}
	}
}
