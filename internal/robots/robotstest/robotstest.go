// Package robotstest gives tests the real robots.txt files of ../shared, next to the clone.
package robotstest

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A File is a robots.txt and the host it is of.
type File struct {
	Host string
	Body []byte
}

// folders are where the files may be, seen from the folder of a package.
var folders = []string{"../../../shared/robots", "../../../../shared/robots"}

// Wild returns 4,231 files of as many hosts, of 2019. A test skips where there are none.
func Wild() (all []File, err error) {
	err = unzip("wild-2019.tar.gz", func(z io.Reader) error {
		for archive := tar.NewReader(z); ; {
			h, err := archive.Next()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if h.Typeflag == tar.TypeReg {
				body, err := io.ReadAll(archive)
				if err != nil {
					return err
				}
				all = append(all, File{filepath.Base(h.Name), body})
			}
		}
	})
	return all, err
}

// History returns the files that 264 hosts had from 2020 to 2025, in the order of the
// history. A test skips where there are none.
func History() (all []File, err error) {
	err = unzip("history-2020-2025.jsonl.gz", func(z io.Reader) error {
		for d := json.NewDecoder(z); d.More(); {
			var line struct {
				Host, Outcome string
				Body          []byte `json:"body_b64"`
			}
			if err := d.Decode(&line); err != nil {
				return err
			}
			if line.Outcome == "body" {
				all = append(all, File{line.Host, line.Body})
			}
		}
		return nil
	})
	return all, err
}

func unzip(name string, read func(io.Reader) error) error {
	f, err := os.Open(filepath.Join(folders[0], name))
	if errors.Is(err, fs.ErrNotExist) {
		f, err = os.Open(filepath.Join(folders[1], name))
	}
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	return read(z)
}
