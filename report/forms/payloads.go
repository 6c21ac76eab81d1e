package forms

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"os"
)

// payloads adds up the sizes of distinct payloads: those of one name with one digest are one payload, as large as the
// largest. They wait in temporary files, a share of the digests each, so that one share at a time is in memory.
type payloads struct {
	files   []*os.File
	writers []*bufio.Writer
}

// payload is a line of a file.
type payload struct {
	Key  [16]byte // a hash of name and digest
	Name uint32
	Size int64 // -1: not known
}

const (
	sharePayloads = 2 << 20 // at most, on average: some 150 MB
	maxShares     = 256
)

// newPayloads prepares for some number of payloads.
func newPayloads(count int64) (*payloads, error) {
	p := new(payloads)
	for range min(1+count/sharePayloads, maxShares) {
		f, err := os.CreateTemp("", "robotsaudit-payloads-")
		if err != nil {
			return nil, errors.Join(err, p.close())
		}
		p.files = append(p.files, f)
		p.writers = append(p.writers, bufio.NewWriterSize(f, 1<<16))
	}
	return p, nil
}

func (p *payloads) add(name uint32, digest string, size int64) error {
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint32(nil, name), digest...))
	line := payload{[16]byte(sum[:16]), name, size}
	share := binary.BigEndian.Uint32(sum[16:]) % uint32(len(p.files))
	return binary.Write(p.writers[share], binary.BigEndian, &line)
}

// each calls f for each distinct payload, in no order.
func (p *payloads) each(f func(name uint32, size int64)) error {
	for i, file := range p.files {
		if err := p.writers[i].Flush(); err != nil {
			return err
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		largest := make(map[[16]byte]payload)
		for in := bufio.NewReaderSize(file, 1<<16); ; {
			var line payload
			err := binary.Read(in, binary.BigEndian, &line)
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
			if known, is := largest[line.Key]; !is || line.Size > known.Size {
				largest[line.Key] = line
			}
		}
		for _, line := range largest {
			f(line.Name, line.Size)
		}
	}
	return nil
}

func (p *payloads) close() (err error) {
	for _, f := range p.files {
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return err
}
