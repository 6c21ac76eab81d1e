package robots_test

import (
	"fmt"

	"github.com/robotsaudit/robotsaudit/internal/robots"
)

func Example() {
	file := robots.Parse([]byte("User-agent: ExampleBot\nDisallow: /private/\nAllow: "+
		"/private/public$\n\nUser-agent: *\nDisallow: /\n"), robots.RFC9309)
	for _, token := range []string{"ExampleBot", "OtherBot"} {
		group := file.For(token) // compiled once
		for _, path := range []string{"/private/x", "/private/public"} {
			d := group.Match(path)
			fmt.Printf("%s %s: allowed %v, by line %d: %s\n", token, path, d.Allowed, d.Rule.Line, d.Rule.Text)
		}
	}
	// Output:
	// ExampleBot /private/x: allowed false, by line 2: Disallow: /private/
	// ExampleBot /private/public: allowed true, by line 3: Allow: /private/public$
	// OtherBot /private/x: allowed false, by line 6: Disallow: /
	// OtherBot /private/public: allowed false, by line 6: Disallow: /
}

// What another reading of a file may turn on.
func ExampleFile_Notes() {
	file := robots.Parse([]byte("User-agent: *\nDisallow: /\nDisalow: /a\nAllow /b\n"), robots.RFC9309)
	for _, note := range file.Notes() {
		fmt.Println(note.Line, note.Kind, note.Text)
	}
	// Output:
	// 3 misspelt_record Disalow: /a
	// 4 missing_colon Allow /b
}
