// Package warc reads records from web archives: WARC and ARC, as they are or compressed,
// by gzip or zstd member by member, or as one stream.
//
// Sniff recognises the form of an input by its first bytes, and Form.Records reads its
// records in the order of the file. An archive may be damaged, or made to deceive. Damage
// comes as an error of type *Damage that states its place; where Damage.More is true, Next
// goes on with the next record that proves that it is one. A record counts once Finish has
// returned: checksums follow the bytes that they cover. Failures of the file below are no
// damage: see input.IsReadError.
//
// # Containers and framings
//
// A codec decompresses members (gzip, zstd). A framing separates records (WARC, ARC). Record
// readers take both as values. To add a compression with members, implement codec; another record
// syntax is a framing; a stream around all records is a case in Decompressed. Sniff recognises a
// form by its first bytes, Container reports whether its records have offsets in the file and
// whether its proof comes after them. github.com/slyrz/warc frames the records of streams, over a
// reader that bounds headers, counts bytes and never reads past the record in hand (boundedReader):
// there, offsets refer to the decompressed stream.
//
// Bytes are examined in place: readers peek into a block and skip it without copying. A zstd frame
// is walked block by block, so that the decompressor gets exactly one frame and its end is known
// exactly. A member with several records is decompressed ahead, in memory up to 1 MiB, and
// otherwise twice. A NUL byte after the line ends of a record is skipped if nothing follows, or
// another record: StormCrawler wrote one after each record until 2018 (CC-NEWS).
//
// # One large archive on all cores
//
// Cores that no task needs inflate parts of 1 MiB further on in the file. Each part begins where
// something looks like a member. The result is a store of whole, verified members by offset. The
// one reader, in file order, takes a member from the store if the chain from the beginning of the
// file arrives at exactly that offset. Otherwise it inflates the member itself. A forged boundary
// therefore costs time at most, and records are the same for any number of cores. Of each member,
// the first 40 KiB and the last bytes are kept; if more is needed, it is inflated again. At most
// two more parts than workers are in flight, each of at most 16 MiB. Parts of 8 MiB take as long as
// parts of 1 MiB and need 100 MB in place of 36.
//
// # Damage
//
// docs/FORMATS.md states what counts after damage, and why. Uncompressed archives have no checksum,
// so block digests are always computed there. A record counts if another record or the end of the
// file follows directly, or if its block digest matches. If the digest does not match, the ends
// before each record that follows are tried; the one that makes it match is the true end. If none
// does, the declared end stands: the block was changed, or its writer computes digests wrongly, and
// that must not cost a whole archive.
package warc
