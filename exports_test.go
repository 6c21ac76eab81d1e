package robotsaudit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// promised are the packages whose exported names are for users: doc.go.
var promised = []string{".", "ingest", "evaluate", "report"}

// standard are methods that packages outside of the module call.
var standard = strings.Fields("As Close Discard Enabled Error Format Handle Is Len Less MarshalJSON MarshalText " +
	"Peek Pop Push Read ReadAt ReadByte ReadFrom RoundTrip Seek Set Stat String Swap Type UnmarshalJSON " +
	"UnmarshalText Unwrap WithAttrs WithGroup Write WriteString WriteTo")

// TestExports finds exported names of packages below the promised ones that no other package uses:
// neither by name, nor as part of what it uses. Of methods it compares the names alone.
func TestExports(t *testing.T) {
	const module = "github.com/robotsaudit/robotsaudit"
	declared := map[string]*exported{} // by "folder.Name", methods by "folder.Type.Name"
	used := map[string]bool{}
	called := map[string][]string{} // the folders that call a method of a name, or have it in an interface
	for name, file := range parseAll(t) {
		folder := path.Dir(name)
		for _, name := range selected(file, module) {
			used[name] = true
		}
		calls(called, folder, file)
		if !strings.HasSuffix(name, "_test.go") && !slices.Contains(promised, folder) {
			declare(declared, folder, file)
		}
	}
	for _, name := range slices.Collect(maps.Keys(used)) {
		spread(declared, used, name)
	}
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		_, own, _ := strings.Cut(path.Base(name), ".")
		of, method, isMethod := strings.Cut(own, ".")
		folders := called[method]
		if isMethod && (!ast.IsExported(of) || slices.Contains(standard, method) || slices.Contains(folders, "") ||
			slices.ContainsFunc(folders, func(f string) bool { return !strings.HasPrefix(name, f+".") })) {
			continue
		}
		if !used[name] {
			t.Errorf("%s is exported, and no other package uses it", name)
		}
	}
}

// exported is a name on the level of a package, with the names of its package in what it shows.
type exported struct{ shows []string }

// parseAll parses the files of the module.
func parseAll(t *testing.T) map[string]*ast.File {
	files := map[string]*ast.File{}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || name == "scripts"):
			return filepath.SkipDir
		case !strings.HasSuffix(name, ".go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		files[filepath.ToSlash(name)] = file
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// selected returns the names of other packages of the module that a file uses.
func selected(file *ast.File, module string) (names []string) {
	folders := map[string]string{} // by the name under which a file imports
	for _, one := range file.Imports {
		imported, _ := strconv.Unquote(one.Path.Value)
		folder, ok := strings.CutPrefix(imported, module+"/")
		if !ok {
			continue
		}
		name := path.Base(folder)
		if one.Name != nil {
			name = one.Name.Name
		}
		folders[name] = folder
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if from, ok := selector.X.(*ast.Ident); ok && folders[from.Name] != "" {
				names = append(names, folders[from.Name]+"."+selector.Sel.Name)
			}
		}
		return true
	})
	return names
}

// calls adds the methods that a file calls. Methods of its interfaces count as called anywhere ("").
func calls(called map[string][]string, folder string, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			called[n.Sel.Name] = append(called[n.Sel.Name], folder)
		case *ast.InterfaceType:
			for _, method := range n.Methods.List {
				for _, name := range method.Names {
					called[name.Name] = append(called[name.Name], "")
				}
			}
		}
		return true
	})
}

// declare adds the exported names that a file declares.
func declare(declared map[string]*exported, folder string, file *ast.File) {
	add := func(name string, shown ...ast.Node) {
		e := declared[folder+"."+name]
		if e == nil {
			e = &exported{}
			declared[folder+"."+name] = e
		}
		for _, node := range shown {
			e.shows = append(e.shows, shownBy(folder, node)...)
		}
	}
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil && ast.IsExported(name) { // what a method shows, its type does
				of := receiver(d.Recv.List[0].Type)
				add(of + "." + name)
				name = of
			}
			if ast.IsExported(name) {
				add(name, d.Type)
			}
		case *ast.GenDecl:
			enumeration := "" // the type of the constants
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						add(s.Name.Name, s.Type)
					}
				case *ast.ValueSpec:
					if of, ok := s.Type.(*ast.Ident); ok && d.Tok == token.CONST {
						enumeration = of.Name
					}
					for _, name := range s.Names {
						if name.IsExported() && s.Type != nil {
							add(name.Name, s.Type)
						} else if name.IsExported() {
							add(name.Name)
						}
						if ast.IsExported(enumeration) && name.IsExported() { // a type shows its values
							add(enumeration, name)
						}
					}
				}
			}
		}
	}
}

func receiver(e ast.Expr) string {
	for {
		switch t := e.(type) {
		case *ast.StarExpr:
			e = t.X
		case *ast.IndexExpr:
			e = t.X
		case *ast.IndexListExpr:
			e = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// shownBy returns the names of its own package that a type shows.
func shownBy(folder string, node ast.Node) (names []string) {
	ast.Inspect(node, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok && name.IsExported() {
			names = append(names, folder+"."+name.Name)
		}
		return true
	})
	return names
}

// spread marks what a used name shows as used, too.
func spread(declared map[string]*exported, used map[string]bool, name string) {
	if declared[name] == nil {
		return
	}
	for _, shown := range declared[name].shows {
		if !used[shown] {
			used[shown] = true
			spread(declared, used, shown)
		}
	}
}
