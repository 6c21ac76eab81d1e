// Package warc reads records from web archives: WARC and ARC, as they are or compressed,
// by gzip or zstd member by member, or as one stream.
//
// Sniff tells the form of an input by its first bytes, and Form.Records reads its records
// in the order of the file. An archive may be damaged, or made to deceive. Damage comes as
// an error of type *Damage that says where it is; where Damage.More is true, Next goes on
// with the next record that proves that it is one. A record counts once Finish has
// returned: checksums stand behind what they cover. Failures of the file below are no
// damage: see IsReadError.
package warc
