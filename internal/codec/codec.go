// Package codec compresses the pages of Parquet files with zstd in little memory.
package codec

import (
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Zstd has encoders with a small window. The same page gives the same bytes, whichever
// encoder of whichever process compressed it.
type Zstd struct {
	encoders sync.Pool // of *zstd.Encoder
}

// window is how far an encoder looks back. Pages, and dictionaries with few exceptions,
// are smaller. At the level's own window, 4 MiB, the first larger one would make an
// encoder hold 8 MiB from then on.
const window = 128 << 10

// Encode compresses a page.
func (c *Zstd) Encode(dst, src []byte) ([]byte, error) {
	e, ok := c.encoders.Get().(*zstd.Encoder)
	if !ok {
		var err error
		e, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false), zstd.WithZeroFrames(true))
		if err != nil {
			return nil, err
		}
	}
	defer c.encoders.Put(e)
	return e.EncodeAll(src, dst[:0]), nil
}
