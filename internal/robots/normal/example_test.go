package normal_test

import (
	"fmt"

	"github.com/robotsaudit/robotsaudit/internal/robots/normal"
)

func Example() {
	for _, f := range []normal.Form{normal.RFC9309, normal.Raw, normal.Decoded} {
		fmt.Println(f.Pattern("/%61%2fé*"), f.Path("/%61%2fé?q"))
	}
	// Output:
	// /a%2F%C3%A9* /a%2F%C3%A9?q
	// /%61%2fé* /%61%2fé?q
	// /a%2fé* /a%2fé
}
