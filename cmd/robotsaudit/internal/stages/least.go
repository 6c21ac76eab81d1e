package stages

import "container/heap"

// least is a heap of shards: the one that has least comes first.
type least []shardSize

type shardSize struct {
	shard int
	size  int64
}

// give adds to the shard that has least, the first of several.
func (l *least) give(size int64) (shard int) {
	shard = (*l)[0].shard
	(*l)[0].size += size
	heap.Fix(l, 0)
	return shard
}

func (l least) Len() int { return len(l) }
func (l least) Less(i, j int) bool {
	return l[i].size < l[j].size || l[i].size == l[j].size && l[i].shard < l[j].shard
}
func (l least) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l *least) Push(any)     { panic("its length stays") }
func (l *least) Pop() any     { panic("its length stays") }
