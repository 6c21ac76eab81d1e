package finding

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/pack"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

const (
	linesAround   = 3        // a line that is marked
	maxLine       = 200      // bytes shown of a line
	maxBodyBudget = 64 << 20 // bytes of bodies that are read again, for one report
)

// excerptKey identifies an excerpt.
type excerptKey struct {
	url, digest string
	group, rule int32
}

// Excerpts collects the excerpts that findings need, each once.
type Excerpts struct {
	index map[excerptKey]int
	List  []document.Excerpt
	keys  []excerptKey // as list
}

func NewExcerpts() *Excerpts {
	return &Excerpts{index: make(map[excerptKey]int), List: []document.Excerpt{}}
}

// Of returns the index of a finding's excerpt.
func (t *Excerpts) Of(f *Case) int {
	key := excerptKey{f.RobotsURL, f.RobotsBodyDigest, f.GroupLine, f.RuleLine}
	if f.Reason == "unreachable" {
		key = excerptKey{url: f.RobotsURL, group: int32(prose.Value(f.failureStatus()))}
	}
	if i, known := t.index[key]; known {
		return i
	}
	e := document.Excerpt{Source: f.RobotsURL}
	switch status := f.failureStatus(); {
	case f.Reason == "unreachable" && status != nil:
		e.Missing = fmt.Sprintf("robots.txt answered with status %d: there is no line to show.", *status)
	case f.Reason == "unreachable":
		e.Missing = "robots.txt could not be had: there is no line to show."
	default:
		e.Source = fmt.Sprintf("%s (%s)", f.RobotsURL, prose.Visible(f.RobotsBodyDigest))
	}
	i := len(t.List)
	t.index[key] = i
	t.List, t.keys = append(t.List, e), append(t.keys, key)
	return i
}

// Fill reads the lines from the bodies in the facts next to the tables. The excerpt reports lines that are
// not there.
func (t *Excerpts) Fill(ctx context.Context, dir, fingerprint string, profile robots.Profile) error {
	wanted := make(map[string][]int) // excerpts by raw digest
	for i := range t.List {
		if t.List[i].Missing != "" {
			continue
		}
		t.List[i].Missing = "The content of this robots.txt is not kept next to the tables; read it from its record."
		digest, err := hex.DecodeString(strings.TrimPrefix(t.keys[i].digest, "sha256:"))
		if err == nil {
			wanted[string(digest)] = append(wanted[string(digest)], i)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	_, tasks, err := facts.OpenTasks(dir, fingerprint)
	if err != nil { // the facts were removed, or are another program's
		return nil
	}
	budget := int64(maxBodyBudget)
	for i := range tasks {
		if err := t.fillFrom(ctx, &tasks[i], wanted, &budget, profile); err != nil {
			return err
		}
	}
	return nil
}

// fillFrom reads the lines from the bodies that a task keeps. Those that it finds are no longer wanted.
func (t *Excerpts) fillFrom(
	ctx context.Context, task *facts.Task, wanted map[string][]int, budget *int64, profile robots.Profile,
) error {
	bodies, err := pack.Open(task.PackPath())
	if err != nil { // damaged facts: what they hold is missing in the report
		return nil
	}
	defer bodies.Close()
	for _, name := range task.Captures {
		captures := run.Merge(ctx, []string{task.Path(name)}, facts.CaptureRuns, run.MergeOptions[facts.Capture]{})
		for c, err := range captures {
			if err != nil || len(wanted) == 0 {
				break
			}
			excerpts := wanted[c.BodyDigest]
			if excerpts == nil || len(c.BodyDigest) != len(pack.Ref{}.Digest) {
				continue
			}
			if *budget < c.BodySize {
				for _, i := range excerpts {
					t.List[i].Missing = "This robots.txt is left out: those of this report are too long together; " +
						"read it from its record."
				}
				delete(wanted, c.BodyDigest)
				continue
			}
			ref := pack.Ref{Digest: [32]byte([]byte(c.BodyDigest)), Offset: c.BodyOffset, Size: c.BodySize}
			body, err := bodies.Get(ref)
			if err != nil {
				continue
			}
			*budget -= c.BodySize
			file := robots.Parse(body, profile)
			var texts []string
			for _, text := range file.Lines {
				texts = append(texts, text)
			}
			for _, i := range excerpts {
				t.List[i].Lines, t.List[i].Missing = linesOf(texts, int(t.keys[i].group), int(t.keys[i].rule)), ""
			}
			delete(wanted, c.BodyDigest)
		}
	}
	return ctx.Err()
}

// shown are the numbers of the lines of the group and of the rule, with three around each.
func shown(group, rule int) (numbers []int) {
	for _, marked := range [...]int{group, rule} {
		for n := max(1, marked-linesAround); marked > 0 && n <= marked+linesAround; n++ {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// linesOf are the lines that an excerpt shows, of the lines of a file.
func linesOf(texts []string, group, rule int) (lines []document.Line) {
	last := 0
	for _, n := range shown(group, rule) {
		if n > len(texts) {
			break
		}
		if left := n - last - 1; left > 0 {
			lines = append(lines, document.Line{Text: report.Count(int64(left), "line") + " left out"})
		}
		last = n
		l := document.Line{Number: n, Text: prose.Clip(strings.ReplaceAll(texts[n-1], "\t", "    "), maxLine)}
		switch n {
		case rule:
			l.Mark, l.Label = document.MarkRule, "rule"
		case group:
			l.Mark, l.Label = document.MarkGroup, "group"
		}
		lines = append(lines, l)
	}
	return lines
}
