package reading

// targetSet is a bounded set of the redirect targets of robots.txt files, the
// oldest forgotten first.
type targetSet struct {
	keys  map[string]bool
	order []string
}

func (s *targetSet) add(key string) {
	if key == "" || s.keys[key] || len(key) > maxTarget {
		return
	}
	if s.keys == nil {
		s.keys = make(map[string]bool)
	}
	if len(s.order) == maxTargets {
		delete(s.keys, s.order[0])
		s.order = s.order[1:]
	}
	s.keys[key] = true
	s.order = append(s.order, key)
}
