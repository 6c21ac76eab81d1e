package warc_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
)

// An archive of two records; the second one was cut short.
func Example() {
	archive := "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Date: 2024-05-01T12:00:00Z\r\n" +
		"WARC-Target-URI: http://a.example/\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n" +
		"WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 500\r\n\r\nhel"
	file := strings.NewReader(archive)
	src := input.At(file, 0)
	form := warc.Sniff(src, nil)
	records, err := form.Records(src, file)
	if err != nil {
		log.Fatal(err)
	}
	for {
		r, err := records.Next()
		if err == nil {
			header := r.Header
			if _, err = records.Finish(); err == nil {
				fmt.Println(header.Type, header.Target, header.Date)
				continue
			}
		}
		var damage *warc.Damage
		switch {
		case err == io.EOF:
			return
		case !errors.As(err, &damage):
			log.Fatal(err)
		}
		fmt.Println(damage)
		if !damage.More {
			return
		}
	}
	// Output:
	// resource http://a.example/ 2024-05-01T12:00:00Z
	// truncated_record at 130: the file ends 497 bytes before the record does
}
