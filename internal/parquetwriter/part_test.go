package parquetwriter

import (
	"bytes"
	"cmp"
	"os"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// TestParts: parts that end in another order make the file that one writer makes, where row groups end at the
// same rows, and leave no temporary file.
func TestParts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var want, got bytes.Buffer
	one, whole := New[agentRow](&want, testOptions(dir)), New[agentRow](&got, testOptions(dir))
	var parts []*Writer[agentRow]
	for range 3 {
		part := NewPart[agentRow](testOptions(dir))
		for i := range 2 * maxGroupRows {
			row := agentRow{ID: int64(i * len(parts)), Agent: string(rune('a' + i%1000))}
			if err := cmp.Or(one.Write(&row), part.Write(&row)); err != nil {
				t.Fatal(err)
			}
		}
		parts = append(parts, part)
	}
	for _, part := range slices.Backward(parts) {
		if err := part.End(); err != nil {
			t.Fatal(err)
		}
	}
	for _, part := range parts {
		if err := whole.Append(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmp.Or(one.Close(), whole.Close()); err != nil {
		t.Fatal(err)
	}
	if want.Len() == 0 || !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("%d bytes of %d, or others", got.Len(), want.Len())
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// TestTooManyGroups has one row group more than a file may have.
func TestTooManyGroups(t *testing.T) {
	t.Parallel()
	w := New[agentRow](new(bytes.Buffer), testOptions(t.TempDir()))
	w.footer.RowGroups = make([]format.RowGroup, parquet.MaxRowGroups-1)
	for _, want := range []error{nil, errTooManyGroups} {
		part := NewPart[agentRow](testOptions(t.TempDir()))
		if err := part.Write(new(agentRow)); err != nil {
			t.Fatal(err)
		}
		if err := w.Append(part); err != want {
			t.Error(err)
		}
	}
}
