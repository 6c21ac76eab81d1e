package parquetwriter

import (
	"sync"

	"github.com/klauspost/compress/zstd"
)

// pageCodec compresses the pages of all files.
var pageCodec pageZstd

// pageZstd compresses the pages of Parquet files in little memory: its encoders have a small window. The same page
// gives the same bytes, whichever encoder of whichever process compressed it.
type pageZstd struct {
	encoders sync.Pool // of *zstd.Encoder
}

// zstdWindow is how far an encoder looks back. Pages, and dictionaries with few exceptions,
// are smaller. At the level's own window, 4 MiB, the first larger one would make an
// encoder hold 8 MiB from then on.
const zstdWindow = 128 << 10

// compress compresses a page.
func (c *pageZstd) compress(dst, src []byte) ([]byte, error) {
	e, ok := c.encoders.Get().(*zstd.Encoder)
	if !ok {
		var err error
		e, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false),
			zstd.WithZeroFrames(true),
			// Digests and the like repeat nothing, but each byte of them has five bits, or four.
			zstd.WithAllLitEntropyCompression(true))
		if err != nil {
			return nil, err
		}
	}
	defer c.encoders.Put(e)
	return e.EncodeAll(src, dst[:0]), nil
}
