// Package stages audits in stages that are processes of their own, on one machine or many: plan,
// read shards of the inputs, resolve, decide ranges, finish. docs/SCALE.md describes
// them. Each stage is made of the functions that an audit in one process calls.
//
// Stages share a store: a folder, or the objects below a prefix. What an attempt at a task makes is
// below a prefix of its own, and counts once a small file, the commit, names it. That file is created
// only where there is none, so of several attempts the first counts. There are no locks, and nothing
// depends on clocks.
package stages
