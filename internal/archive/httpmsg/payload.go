package httpmsg

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// DecodeFile is Decode for a stored body of any length. It undoes one coding after the other,
// because only the end of the bytes shows whether they have it. The result is a temporary file that
// the caller removes, or stored itself where no coding was undone.
func DecodeFile(stored *os.File, h *Head, mayBeCut bool) (plain *os.File, met Faults, err error) {
	plain = stored
	next := func(coding string, fault Faults) (ok bool) {
		var to *os.File
		var cut, is bool
		to, cut, is, err = undoFile(coding, plain, mayBeCut || met&FaultCut != 0)
		switch {
		case !is:
			met |= fault
			return false
		case to == nil: // of nothing there is nothing to undo
			return false
		}
		if plain != stored {
			err = errors.Join(err, RemoveFile(plain))
		}
		plain = to
		if cut {
			met |= FaultCut
		}
		return err == nil
	}
	if h.Chunked() {
		next(chunked, FaultFalseChunked)
	}
	codings := h.Codings()
	if len(codings) > maxCodings {
		return plain, met | FaultFalseEncoding, err
	}
	for i := len(codings) - 1; i >= 0 && err == nil && next(codings[i], FaultFalseEncoding); i-- {
	}
	if err != nil && plain != stored {
		err = errors.Join(err, RemoveFile(plain))
	}
	return plain, met, err
}

// RemoveFile closes a temporary file and removes it.
func RemoveFile(f *os.File) error { return errors.Join(f.Close(), os.Remove(f.Name())) }

// undoFile undoes one coding of a file into another one, if it holds anything. is reports whether
// it has that coding.
func undoFile(coding string, from *os.File, mayBeCut bool) (to *os.File, cutShort, is bool, err error) {
	info, err := from.Stat()
	if err != nil || info.Size() == 0 {
		return nil, false, true, err
	}
	if to, err = os.CreateTemp(filepath.Dir(from.Name()), "payload-*"); err != nil {
		return nil, false, false, err
	}
	is, codingErr := copyPlain(coding, to, io.NewSectionReader(from, 0, info.Size()), mayBeCut)
	var failed *fs.PathError
	switch {
	case errors.As(codingErr, &failed):
		err = codingErr
	case is:
		return to, codingErr != nil, true, nil
	}
	return nil, false, false, errors.Join(err, RemoveFile(to))
}

// copyPlain undoes a coding, up to where it ends or breaks.
func copyPlain(coding string, to io.Writer, from io.Reader, mayBeCut bool) (is bool, err error) {
	r, err := decoder(coding, from)
	if err != nil {
		return false, err
	}
	defer r.Close()
	n, err := io.Copy(to, r)
	return err == nil || isCoded(coding, r, err, n, mayBeCut), err
}
