package tag_test

import (
	"fmt"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/tag/markup"
)

// What a page says of its use, in its HTML and in its header fields, and what it comes to
// for two crawlers.
func Example() {
	page := []byte("<html><head><meta name=robots content=noarchive><meta name=examplebot content='noindex, noai'></head>")
	found := new(markup.Scanner).Scan(page, "", false, false)
	metas := found.Read()
	headers := tag.ReadHeaders("X-Robots-Tag: nosnippet")
	at := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	tags := append(headers.Tags, metas.Tags...)
	for _, token := range []string{"ExampleBot", "OtherBot"} {
		set := tag.Effective(tags, token)
		fmt.Printf("%s: %s; against an archive: %v\n", token, &set, set.Restrictions(tag.UseArchive, at))
	}
	// Output:
	// ExampleBot: noindex, nosnippet, noarchive, noai; against an archive: [noarchive]
	// OtherBot: nosnippet, noarchive; against an archive: [noarchive]
}
