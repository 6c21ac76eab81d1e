// Package facts holds what is known of a set of archives: the rows that ingest writes
// and evaluate reads, and the private folder in which they lie.
//
// A task's folder has sorted runs of rows (package run), the bodies of policy captures
// (package pack) and a manifest. The plan of the output folder names the tasks that
// count. Open reads it. Facts are private: they are never migrated, but made again.
//
// The name of the facts' folder has their schema version and a fingerprint of whatever shapes them:
// limits and the vocabulary of tags. Facts with another name are removed and the archives read
// again; the log reports it.
//
// # Tasks
//
// A task is written to a temporary folder, synced, and renamed once. Its key is made of the paths,
// sizes and modification times of its inputs, and of the fingerprint. The next run keeps a task if
// all of its inputs are still wanted and unchanged. The inputs that no task holds form new tasks.
// An interrupted run therefore resumes; what it had begun counts for nothing. Results do not depend
// on the grouping: facts have a total order, in which the place of a file is that of its path.
// Tasks hold about 128 MiB, or one larger input. A folder of middle-sized archives therefore
// occupies all workers, without a second kind of parallelism inside a task. The price is more
// folders: a few thousand per terabyte.
//
// A task with inputs that changed or are no longer wanted is replaced by a task of the others
// (Rewrite): their rows and bodies are copied, and no archive is read. Small tasks are joined in
// the same way once there are 64 of them, as after as many nights. Facts that cannot be copied,
// because they are damaged, are made anew. The plan names the tasks that count and the inputs that
// were wanted. A path stands for one archive: folders that hold different ones of the same path are
// not merged.
//
// # Rows
//
// A Fetch is one captured exchange. A Capture is a policy capture with a reference into the pack:
// robots.txt, the targets of its redirects, tdmrep.json, ai.txt, and licence
// documents. Inputs are numbered in the order of their paths. The rows of a task have its own
// numbers, which the merge translates.
//
// What depends on other inputs waits until the facts of all are read as one (Reader). There, the
// row of an index gets the User-Agent that its archive's warcinfo or all captures of robots.txt
// name, and is left out if its record, or another row, reports the same fetch (joiner). For that,
// rows stand after all records of their second in the order of the facts. A row of a robots.txt is
// a LogEvent, too. It counts as a capture that nobody can read, unless it may stand for a capture
// of its second that the inputs hold, or for a record that is no capture (Unread): IDs, statuses
// and digests are compared.
package facts
