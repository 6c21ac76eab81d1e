// Package ingest reads archives, once, into facts (package facts). It knows nothing of rules and
// verdicts.
//
// Expand finds the inputs that arguments name: files, folders, lists, objects of stores. Ingest makes
// tasks of them and gives each to package reading, which writes rows to sorted runs and bodies to a pack.
// A task is written to a temporary folder, and renamed once it is whole.
// The plan names the tasks that count. So an interrupted run goes on, and only archives that were added
// or changed are read again. Merge makes a plan of the tasks of several output folders.
//
// Package records shows single records of archives, and checks archives without making facts. Package
// verify puts records in place of rows of indexes.
package ingest
