//go:build race

package robots

// underRace reports that the race detector runs, which empties sync.Pools at random.
const underRace = true
