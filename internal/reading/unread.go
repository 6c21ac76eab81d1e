package reading

import (
	"io"
)

// unread is what has been read ahead of a reader, and the rest of it.
type unread struct {
	ahead []byte
	rest  io.Reader
}

// of fills u, which is used again, with the bytes ahead and the rest.
func (u *unread) of(ahead []byte, rest io.Reader) io.Reader {
	*u = unread{ahead, rest}
	return u
}

func (u *unread) Read(p []byte) (int, error) {
	if len(u.ahead) > 0 {
		n := copy(p, u.ahead)
		u.ahead = u.ahead[n:]
		return n, nil
	}
	return u.rest.Read(p)
}
