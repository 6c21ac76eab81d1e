package document

import (
	"compress/flate"
	"encoding/json"
)

// What findings and their excerpts may take up, compressed. With them an HTML page stays below
// 3 MB, whatever the archives put into their texts; 5,000 findings of usual texts fit.
const (
	violationsBudget = 800 << 10
	unprovenBudget   = 120 << 10
)

// fit returns as many of the first findings as fit a budget, with their excerpts.
func fit(list []Finding, excerpts []Excerpt, budget int) []Finding {
	var written size
	w, _ := flate.NewWriter(&written, flate.BestSpeed) // the level is a valid one
	e := json.NewEncoder(w)
	measured := make(map[int]bool)
	for i := range list {
		e.Encode(&list[i]) // a size fails at nothing, nor does plain data
		if x := list[i].Excerpt; !measured[x] {
			measured[x] = true
			e.Encode(&excerpts[x])
		}
		if int(written) > budget {
			return list[:i]
		}
	}
	return list
}

// size counts what is written to it.
type size int

func (s *size) Write(b []byte) (int, error) {
	*s += size(len(b))
	return len(b), nil
}

// dropUnused drops the excerpts that no finding has.
func dropUnused(excerpts []Excerpt, lists ...[]Finding) []Excerpt {
	used := []Excerpt{}
	numbers := make(map[int]int)
	for _, list := range lists {
		for i := range list {
			n, seen := numbers[list[i].Excerpt]
			if !seen {
				n = len(used)
				numbers[list[i].Excerpt] = n
				used = append(used, excerpts[list[i].Excerpt])
			}
			list[i].Excerpt = n
		}
	}
	return used
}
