package report

import "iter"

// WriteTable writes rows to the file of a table in dir.
func WriteTable[T any](dir string, table TableOf[T], rows iter.Seq2[*T, error]) error {
	w := &tableWriter[T]{name: table.Name, dir: dir}
	for row, err := range rows {
		if err != nil {
			w.abandon()
			return err
		}
		if err := w.add(*row); err != nil {
			w.abandon()
			return err
		}
	}
	return w.finish(true)
}
