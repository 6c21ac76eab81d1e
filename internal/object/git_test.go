package object_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/object"
)

// Without the program git, a repository is refused in words that help.
func TestWithoutGit(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	const want = "is a git repository, and the program git is not there; install it"
	if _, err := object.Stat(t.Context(), dir); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
