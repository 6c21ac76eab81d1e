// Package facts holds what is known of a set of archives: the rows that ingest writes
// and evaluate reads, and the private folder in which they lie.
//
// A task's folder has sorted runs of rows (package run), the bodies of policy captures
// (package pack) and a manifest. The plan of the output folder names the tasks that
// count. Open reads it. Facts are private: they are never migrated, but made again.
package facts
