package reading

import "github.com/robotsaudit/robotsaudit/internal/weburl"

// targetSet is a bounded set of the redirect targets of robots.txt files, the
// oldest forgotten first.
type targetSet struct {
	keys  map[string]int // the record that first redirected there
	order []string
}

// has reports whether a record before another one redirects to a URL.
func (s *targetSet) has(url weburl.URL, before int) bool {
	if len(s.keys) == 0 {
		return false
	}
	at, known := s.keys[url.Key()]
	return known && at < before
}

func (s *targetSet) add(key string, at int) {
	if _, known := s.keys[key]; key == "" || known || len(key) > maxTarget {
		return
	}
	if s.keys == nil {
		s.keys = make(map[string]int)
	}
	if len(s.order) == maxTargets {
		delete(s.keys, s.order[0])
		s.order = s.order[1:]
	}
	s.keys[key] = at
	s.order = append(s.order, key)
}
