//go:build race

package robots

// underRace says that the race detector runs, which empties sync.Pools at random.
const underRace = true
