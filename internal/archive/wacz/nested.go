package wacz

import (
	"archive/zip"
	"fmt"
	"io"
	"strings"
)

// Nested lists the entries of a stored entry that is a WACZ itself: Browsertrix makes one of
// several, for download. The names of its entries begin with the name of the entry.
func (e *Entry) Nested() (Listing, error) {
	list, err := Open(e.stored(), e.Size())
	for i := range list.Entries {
		n := &list.Entries[i]
		n.within = e.Name + "/"
		n.Name = n.within + n.Name
		if n.Problem == "" && len(n.Name) > maxEntryName {
			n.Problem = fmt.Sprintf("its name and that of the WACZ in which it lies have %d bytes, more than %d",
				len(n.Name), maxEntryName)
		}
	}
	return list, err
}

// Local is the name of the entry in the WACZ that holds it, which may be an entry of another one.
func (e *Entry) Local() string { return e.Name[len(e.within):] }

// Find finds an entry by its name, also in a WACZ that is an entry; nil: there is none that can be read.
func Find(at io.ReaderAt, size int64, name string) (*Entry, error) {
	list, err := Open(at, size)
	if err != nil {
		return nil, err
	}
	if e := list.find(name); e != nil {
		return e, nil
	}
	for i := range list.Entries {
		e := &list.Entries[i]
		if e.Problem != "" || e.Method != zip.Store || !strings.HasPrefix(name, e.Name+"/") {
			continue
		}
		inner, err := e.Nested()
		if err != nil {
			return nil, err
		}
		if found := inner.find(name); found != nil {
			return found, nil
		}
	}
	return nil, nil
}

func (l *Listing) find(name string) *Entry {
	for i := range l.Entries {
		if e := &l.Entries[i]; e.Name == name && e.Problem == "" {
			return e
		}
	}
	return nil
}
