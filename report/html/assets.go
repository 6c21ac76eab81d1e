package html

import (
	"crypto/sha256"
	_ "embed" // of the assets
	"encoding/base64"
	"html/template"
	"strings"
)

// Bundled from npm by scripts/make/libraries.py, with the licences that must go with every copy.
var (
	//go:embed assets/libraries.js
	libraries string
	//go:embed assets/licences.txt
	licences string
)

var (
	//go:embed assets/report.js
	script string
	//go:embed assets/style.css
	styleSheet string
)

// The scripts and the style of every report.
var (
	scripts = []template.JS{template.JS("/*\n" + licences + "*/\n" + libraries), template.JS(script)}
	style   = template.CSS(styleSheet)
)

// policyWith permits the scripts, the style and another one, and nothing else.
func policyWith(footer string) string {
	var hashes []string
	for _, s := range scripts {
		hashes = append(hashes, hashSource(string(s)))
	}
	return strings.Join([]string{
		"default-src 'none'",
		"script-src " + strings.Join(hashes, " "),
		"style-src " + hashSource(string(style)) + " " + hashSource(footer),
		"base-uri 'none'",
		"form-action 'none'",
	}, "; ")
}

// hashSource names an inline script or style in a policy.
func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
