package tag

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

func TestKeep(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        bool
	}{
		{"x-robots-tag", "noindex", true},
		{"X-Robots-Tag", "otherbot: noindex", true},
		{"robots-tag", "*;noindex", true},
		{"content-usage", "train-ai=n", true},
		{"content-signal", "ai-train=no", true},
		{"tdm-reservation", "1", true},
		{"tdm-policy", "https://a.example/policy.json", true},
		{"link", `<https://a.example/l.xml>; rel="License"; type="application/rsl+xml"`, true},
		{"link", `<https://a.example/s.css>; rel="stylesheet"`, false},
		{"x-robots", "noindex", false},
		{"x-robots-tag-of-somebody-else", "noindex", false},
		{"content-type", "text/html", false},
		{"", "", false},
	} {
		if got := Keep([]byte(c.name), []byte(c.value)); got != c.want {
			t.Errorf("Keep(%q, %q) = %v, want %v", c.name, c.value, got, c.want)
		}
	}
}

// The package is pure, and so is that below it: what they import opens nothing and logs nothing, and of time
// they use no clock.
func TestImports(t *testing.T) {
	allowed := set(`"cmp"`, `"strings"`, `"slices"`, `"strconv"`, `"bytes"`, `"time"`, `"html"`, `"unicode/utf16"`,
		`"unicode/utf8"`, `"encoding/binary"`, `"encoding/json"`, `"encoding/xml"`, `"io"`, `"iter"`, `"math/bits"`,
		`"github.com/dunglas/httpsfv"`,
		`"github.com/robotsaudit/robotsaudit/internal/agents"`, // data
		`"github.com/robotsaudit/robotsaudit/internal/ascii"`,
		`"github.com/robotsaudit/robotsaudit/internal/robots"`,
		`"github.com/robotsaudit/robotsaudit/internal/tag"`,
		`"github.com/robotsaudit/robotsaudit/internal/words"`)
	clock := set("Now", "Since", "Until", "After", "AfterFunc", "Sleep", "Tick", "NewTimer", "NewTicker",
		"LoadLocation", "Local")
	var files []string
	for _, folder := range []string{".", "markup"} {
		more, err := filepath.Glob(folder + "/*.go")
		if err != nil || len(more) == 0 {
			t.Fatal(folder, err)
		}
		files = append(files, more...)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if !allowed[i.Path.Value] {
				t.Errorf("%s imports %s", name, i.Path.Value)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" && clock[s.Sel.Name] {
					t.Errorf("%s uses time.%s", name, s.Sel.Name)
				}
			}
			return true
		})
	}
}

// Metas of these names are kept whatever they say.
func TestSpeaks(t *testing.T) {
	for name := range metaAgents {
		if m := NewMeta(strings.ToUpper(name), ""); !m.Speaks() || !MayName([]byte(name)) {
			t.Errorf("a meta %s does not speak of use", name)
		}
	}
}
