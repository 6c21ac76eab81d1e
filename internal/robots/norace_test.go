//go:build !race

package robots

const underRace = false
