package document

import "testing"

// A table of one row is a sentence: abbreviations keep their case, and one period ends it.
func TestTableInWords(t *testing.T) {
	table := NewTable("x", "Archives", "None.", Code.Columns("File"), Words.Columns("SHA-256", "Settle"), Number.Columns("Times"))
	table.Add("a", "0f", "Add archives.", int64(0))
	if table.PutInWords(); table.Empty != "Archives: a; SHA-256: 0f; settle: Add archives." {
		t.Error(table.Empty)
	}
}
