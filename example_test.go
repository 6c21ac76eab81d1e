package robotsaudit_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/robotsaudit/robotsaudit"
)

func ExampleAudit() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	archives := []string{"testdata/warc/crawl-c-2.warc.gz", "testdata/warc/crawl-c-3.warc.gz"}
	ctx := context.Background()
	res, err := robotsaudit.Audit(ctx, robotsaudit.Options{Inputs: archives, Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	for f, err := range res.Violations(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %s, line %d: %s\n", f.Certainty, f.URL, f.RuleLine, f.Rule)
	}
	// Output:
	// certain: http://redir.example/shut/a.html, line 2: Disallow: /shut/
	// certain: http://bots.example/bot/a.html, line 2: Disallow: /bot/
}
