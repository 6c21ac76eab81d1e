package report

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// originShare is the part of an origin that a Part has, if several have fetches of it, without the rows:
// counts that Rest adds up, and rows that it writes once.
type originShare struct {
	Host   evaluate.HostStats
	Told   map[int64]bool   // captures whose token groups were reported
	Agents []RobotsAgentRow // of those; none where the part begins the origin, and wrote them itself
}

// RobotsAgent writes that a group of a robots capture governs a token. Of an origin that has begun in
// another part, which may have written it, that is left to the Rest.
func (p *Part) RobotsAgent(robotsID int64, group int, agent string) error {
	p.mapped[robotsID] = true
	if !p.begun || robotsID == 0 {
		return p.Writer.RobotsAgent(robotsID, group, agent)
	}
	p.agents = append(p.agents, RobotsAgentRow{robotsID, int32(group), text(agent)})
	return nil
}

// Host writes an origin's counts, unless other parts have some of its fetches.
func (p *Part) Host(h *evaluate.HostStats) error {
	if h.Begun || h.Unfinished {
		p.shares = append(p.shares, &originShare{*h, maps.Clone(p.mapped), p.agents})
		p.begun, p.agents = false, nil
	} else if err := p.Writer.Host(h); err != nil {
		return err
	}
	clear(p.mapped)
	return nil
}

// takeShare takes the next share, of the part in hand.
func (r *Rest) takeShare(s *originShare) error {
	if !s.Host.Begun {
		r.shared = s
		return nil
	}
	if r.shared == nil {
		return fmt.Errorf("part %d goes on with %s, which no part begins", r.taken, s.Host.Origin)
	}
	dir := filepath.Join(r.tmp, SharedFolder(r.taken))
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	w := r.another(dir, false)
	defer w.drop()
	var err error
	for _, row := range s.Agents {
		if !r.shared.Told[row.RobotsID] {
			err = cmp.Or(err, RobotsAgentsTable.add(w, row))
		}
	}
	maps.Copy(r.shared.Told, s.Told)
	if r.shared.Host.Join(&s.Host); !s.Host.Unfinished {
		err = cmp.Or(err, w.Host(&r.shared.Host))
		r.shared = nil
	}
	if err != nil {
		return err
	}
	rows, err := w.closeTables(func(string) bool { return false })
	facts.AddCounts(r.rows, rows)
	return err
}

// SharedFolder is the folder of a Rest for rows that come before the rows of the n-th part: of an origin
// that part goes on with.
func SharedFolder(n int) string { return fmt.Sprintf("shared-%05d", n) }

// SharedFile is the file of those rows in an output folder: by name, it comes before PartFile.
func (t Table) SharedFile(n int) string {
	return filepath.Join(t.Name, fmt.Sprintf("part-%05d-0.parquet", n))
}
