package report_test

import (
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/robotsaudit/robotsaudit/"

// public are the packages that other programs use.
var public = []string{strings.TrimSuffix(module, "/"), module + "ingest", module + "evaluate", module + "report"}

// exports loads the types of the public packages, as the compiler knows them.
func exports(t *testing.T) (list []*types.Package) {
	t.Helper()
	out, err := exec.Command("go",
		append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}"}, public...)...).Output()
	if err != nil {
		t.Skip("go list: ", err)
	}
	files := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		files[path] = file
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc",
		func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	for _, path := range public {
		p, err := from.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// TestPublicTypes: no exported function, method, field or variable of the public packages
// has a type of an internal package that none of them gives a name.
func TestPublicTypes(t *testing.T) {
	named := make(map[*types.Named]bool) // types of internal packages with a public name
	packages := exports(t)
	for _, p := range packages {
		for _, name := range p.Scope().Names() {
			if o, ok := p.Scope().Lookup(name).(*types.TypeName); ok && o.Exported() && o.IsAlias() {
				if n, ok := types.Unalias(o.Type()).(*types.Named); ok {
					named[n.Origin()] = true
				}
			}
		}
	}
	if len(named) == 0 {
		t.Fatal("no alias is known")
	}
	for _, p := range packages {
		for _, name := range p.Scope().Names() {
			if o := p.Scope().Lookup(name); o.Exported() {
				eachPublicType(o, func(what string, n *types.Named) {
					if n.Obj().Pkg() != nil && strings.Contains(n.Obj().Pkg().Path(), "/internal/") && !named[n.Origin()] {
						t.Errorf("%s.%s: no public name for %s", p.Name(), what, n)
					}
				})
			}
		}
	}
}

// eachPublicType calls f with the named types that whoever uses an object can come to.
func eachPublicType(o types.Object, f func(what string, n *types.Named)) {
	n, isNamed := o.Type().(*types.Named)
	if _, isType := o.(*types.TypeName); !isType || !isNamed {
		if !isType {
			walk(o.Name(), o.Type(), f)
		}
		return
	}
	walk(o.Name(), n.Underlying(), f)
	for m := range n.Methods() {
		if m.Exported() {
			walk(o.Name()+"."+m.Name(), m.Type(), f)
		}
	}
}

// walk calls f with the named types that a type is made of.
func walk(what string, t types.Type, f func(what string, n *types.Named)) {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		f(what, t)
		for arg := range t.TypeArgs().Types() {
			walk(what, arg, f)
		}
	case *types.Struct:
		for field := range t.Fields() {
			if field.Exported() {
				walk(what+"."+field.Name(), field.Type(), f)
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			walk(what+"."+m.Name(), m.Type(), f)
		}
	case *types.Signature:
		for v := range t.Params().Variables() {
			walk(what, v.Type(), f)
		}
		for v := range t.Results().Variables() {
			walk(what, v.Type(), f)
		}
	case *types.Map:
		walk(what, t.Key(), f)
		walk(what, t.Elem(), f)
	case interface{ Elem() types.Type }: // a pointer, slice, array or channel
		walk(what, t.Elem(), f)
	}
}
