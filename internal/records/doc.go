// Package records reads records again, by their places: an Archive is opened, Find comes to a record, and its block
// and Finish follow. Explanations, bundles of evidence, --verify and bodies that were not kept all read so. IsMissing
// reports of an error that no whole record is there; failures of disk and network are other errors.
package records
