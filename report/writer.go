package report

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

const (
	temporary   = ".robotsaudit-results" // folder inside the output folder that holds tables until they are whole
	auditFile   = "audit.json"
	maxNotes    = 100     // notes kept of one robots.txt
	maxRuleText = 2 << 10 // octets kept of a rule's text
)

// Writer is an evaluate.Sink that writes the result tables of an output folder.
// They count once Commit has returned.
type Writer struct {
	dir     string
	tmp     string
	profile string
	names   []string // of the inputs

	fetches      *table[FetchRow]
	violations   *table[ViolationRow]
	contested    *table[ViolationRow]
	robots       *table[RobotsRow]
	hosts        *table[HostRow]
	agents       *table[AgentRow]
	issues       *table[IssueRow]
	verdicts     *table[GroupVerdictRow] // nil without a what-if
	robotsAgents *table[RobotsAgentRow]

	all     map[string]closer
	Summary *Summary
}

// NewWriter starts the tables of an output folder. whatIf adds the tables of the
// what-if.
func NewWriter(dir string, facts *ingest.Facts, profile string, whatIf bool) (w *Writer, err error) {
	w = &Writer{dir: dir, tmp: filepath.Join(dir, temporary), profile: profile, all: make(map[string]closer)}
	for _, in := range facts.Inputs {
		w.names = append(w.names, in.Name)
	}
	w.Summary = newSummary()
	if err := os.RemoveAll(w.tmp); err != nil {
		return nil, err
	}
	if err := os.Mkdir(w.tmp, 0o777); err != nil {
		return nil, err
	}
	w.fetches = start[FetchRow](w, "fetches", &err)
	w.violations = start[ViolationRow](w, "violations", &err)
	w.contested = start[ViolationRow](w, "contested", &err)
	w.robots = start[RobotsRow](w, "robots", &err)
	w.hosts = start[HostRow](w, "host_stats", &err)
	w.agents = start[AgentRow](w, "agent_stats", &err)
	w.issues = start[IssueRow](w, "issues", &err)
	if whatIf {
		w.verdicts = start[GroupVerdictRow](w, "group_verdicts", &err)
		w.robotsAgents = start[RobotsAgentRow](w, "robots_agents", &err)
	}
	if err != nil {
		w.Abandon()
	}
	return w, err
}

// start creates a table, unless one before it failed.
func start[T any](w *Writer, name string, err *error) *table[T] {
	if *err != nil {
		return nil
	}
	t, e := createTable[T](w.tmp, name)
	if e != nil {
		*err = e
		return nil
	}
	w.all[name] = t
	return t
}

// Abandon removes what was written. After Commit it does nothing.
func (w *Writer) Abandon() {
	for _, t := range w.all {
		_ = t.close() // the folder is removed whatever comes of it
	}
	w.all = nil
	os.RemoveAll(w.tmp)
}

// Commit closes the tables, moves them into the output folder and writes
// audit.json, last: tables beside an audit.json belong to it.
func (w *Writer) Commit(a *Audit) error {
	a.Tables = make(map[string]int64)
	var errs []error
	for name, t := range w.all {
		errs = append(errs, t.close())
		a.Tables[name] = t.count()
	}
	if err := errors.Join(errs...); err != nil {
		w.all = nil
		return err
	}
	if err := writeAudit(filepath.Join(w.tmp, auditFile), a); err != nil {
		return err
	}
	if err := remove(filepath.Join(w.dir, auditFile)); err != nil {
		return err
	}
	for _, name := range append(slices.Clone(tableNames), whatIfNames...) {
		target := filepath.Join(w.dir, tableFile(name))
		if _, written := w.all[name]; !written {
			if err := remove(target); err != nil { // of an earlier audit
				return err
			}
			continue
		}
		if err := os.Rename(filepath.Join(w.tmp, tableFile(name)), target); err != nil {
			return err
		}
	}
	w.all = nil
	if err := os.Rename(filepath.Join(w.tmp, auditFile), filepath.Join(w.dir, auditFile)); err != nil {
		return err
	}
	return errors.Join(os.Remove(w.tmp), syncFolder(w.dir))
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Result writes a fetch and, where it is one, its violation.
func (w *Writer) Result(r *evaluate.Result) error {
	u, _ := weburl.Parse(r.Fetch.URL)
	w.Summary.addResult(r)
	if err := w.fetches.add(w.fetchRow(r, u)); err != nil {
		return err
	}
	switch {
	case r.IsViolation():
		return w.violations.add(w.violationRow(r, u))
	case r.Certainty == evaluate.Contested:
		return w.contested.add(w.violationRow(r, u))
	}
	return nil
}

func (w *Writer) fetchRow(r *evaluate.Result, u weburl.URL) FetchRow {
	f := r.Fetch
	row := FetchRow{
		URL:              f.URL,
		HostName:         u.Host,
		RegisteredDomain: optional(u.RegisteredDomain()),
		Origin:           optional(f.Origin),
		FetchTime:        micros(f.Time()),
		FetchMethod:      f.Method,
		FetchStatus:      status(f.Status),
		RecordType:       f.Type.String(),
		ContentDigest:    optional(f.PayloadDigest),
		ContentMIMEType:  optional(f.MIMEType),
		WARCFilename:     w.names[f.Input],
		WARCRecordOffset: f.Offset,
		WARCRecordLength: f.Length,
		WARCRecordID:     optional(ingest.RecordIDText(f.RecordID)),
		Agent:            optional(r.Agent),
		AgentSource:      r.AgentSource.String(),
		Verdict:          r.Verdict.String(),
		Evidence:         r.Evidence.String(),
		Reason:           r.Reason.String(),
		Certainty:        optional(r.Certainty.String()),
		Notes:            commaList(r.Notes.Strings()),
		Trust:            f.Trust.String(),
	}
	if r.HasPrior {
		row.PriorVerdict = optional(r.Prior.String())
	}
	if r.Governing != nil {
		row.RobotsID = &r.Governing.ID
	}
	if r.Rule != nil {
		row.RuleLine = known(int32(r.Rule.Line), true)
	}
	return row
}

func (w *Writer) violationRow(r *evaluate.Result, u weburl.URL) ViolationRow {
	f, g := r.Fetch, r.Governing
	row := ViolationRow{
		Kind:             "fetch",
		URL:              f.URL,
		SURTKey:          u.SURTKey(),
		HostName:         u.Host,
		RegisteredDomain: optional(u.RegisteredDomain()),
		HostNameReversed: known(u.HostReversed(), u.HostIsName()),
		Protocol:         u.Scheme,
		Port:             known(int32(u.Port), u.Port != 0),
		Path:             u.Path,
		Query:            known(u.Query, u.HasQuery),
		Origin:           f.Origin,
		FetchTime:        f.Micros,
		FetchMethod:      f.Method,
		FetchStatus:      status(f.Status),
		FetchRedirect:    optional(f.Location),
		RecordType:       f.Type.String(),
		ContentDigest:    optional(f.PayloadDigest),
		ContentMIMEType:  optional(f.MIMEType),
		ContentTruncated: optional(f.Truncated),
		WARCFilename:     w.names[f.Input],
		WARCRecordOffset: f.Offset,
		WARCRecordLength: f.Length,
		WARCRecordID:     optional(ingest.RecordIDText(f.RecordID)),
		Agent:            optional(r.Agent),
		AgentSource:      r.AgentSource.String(),
		UserAgent:        optional(f.UserAgent),
		Claim:            optional(f.Claim),
		Verdict:          r.Verdict.String(),
		Evidence:         r.Evidence.String(),
		Reason:           r.Reason.String(),
		Certainty:        r.Certainty.String(),
		Notes:            commaList(r.Notes.Strings()),
		Trust:            f.Trust.String(),
		Profile:          w.profile,
		GroupLine:        known(int32(r.GroupLine), r.GroupLine != 0),
		RobotsID:         g.ID,
		RobotsURL:        g.URL,
		RobotsOutcome:    g.Outcome.String(),
		RobotsTime:       g.Micros,
		RobotsAge:        r.Age,
		RobotsStatus:     status(g.Status),
		RobotsHops:       g.Hops,
		RobotsFilename:   w.names[g.Input],
		RobotsOffset:     g.Offset,
		RobotsLength:     g.Length,
		RobotsRecordID:   optional(ingest.RecordIDText(g.RecordID)),
		RobotsAgent:      optional(g.Agent()),
	}
	row.Rule, row.RuleLine = rule(&r.Answer)
	row.RobotsBodyFile, row.RobotsBodyOffset, row.RobotsBodyDigest = w.body(g)
	if c := r.Contester; c != nil {
		row.ContestedFilename, row.ContestedOffset = &w.names[c.Input], &c.Offset
	}
	return row
}

func rule(a *evaluate.Answer) (text *string, line *int32) {
	if a.Rule == nil {
		return nil, nil
	}
	return optional(cutText(a.Rule.Text)), known(int32(a.Rule.Line), true)
}

// cutText cuts a rule's text at its cap, and says so.
func cutText(s string) string {
	if len(s) > maxRuleText {
		return s[:maxRuleText] + "… (cut)"
	}
	return s
}

// body tells where the body applied by a capture lies, and its digest.
func (w *Writer) body(s *evaluate.State) (file *string, offset *int64, digest *string) {
	if !s.HasBody {
		return nil, nil, nil
	}
	d := "sha256:" + hex.EncodeToString([]byte(s.BodyDigest))
	return &w.names[s.BodyInput], &s.BodyRecordOffset, &d
}

func micros(t ingest.Time) *int64 { return known(t.Micros, t.Known()) }

func status(s int16) *int16 { return known(s, s >= 0) }

// Robots writes a robots capture.
func (w *Writer) Robots(r *evaluate.RobotsRecord) error {
	u, _ := weburl.Parse(r.URL)
	row := RobotsRow{
		RobotsID:         r.ID,
		Origin:           r.Origin,
		URL:              r.URL,
		HostName:         u.Host,
		FetchTime:        micros(r.Time()),
		FetchStatus:      status(r.Status),
		RecordType:       r.Type.String(),
		ContentMIMEType:  optional(r.MIMEType),
		WARCFilename:     w.names[r.Input],
		WARCRecordOffset: r.Offset,
		WARCRecordLength: r.Length,
		WARCRecordID:     optional(ingest.RecordIDText(r.RecordID)),
		Agent:            optional(r.Agent()),
		Trust:            r.Trust.String(),
		Outcome:          r.Outcome.String(),
		HopURLs:          r.HopList(),
		FinalStatus:      status(r.FinalStatus),
		BodySize:         known(r.BodySize, r.HasBody),
	}
	if r.Outcome != evaluate.OutcomeRules {
		row.Reason = optional(r.Reason.String())
	}
	row.BodyFilename, row.BodyOffset, row.BodyDigest = w.body(r.State)
	if r.Parsed {
		row.Groups = known(int32(r.Groups), true)
		row.Rules = known(int32(r.Rules), true)
		row.NoteCount = known(int32(len(r.Notes)), true)
		for _, n := range r.Notes[:min(len(r.Notes), maxNotes)] {
			row.Notes = append(row.Notes, cutText(fmt.Sprintf("line %d: %s: %s", n.Line, n.Kind, n.Text)))
		}
	}
	return w.robots.add(row)
}

// GroupVerdict writes a what-if verdict.
func (w *Writer) GroupVerdict(v *evaluate.GroupVerdict) error {
	row := GroupVerdictRow{
		URL:              v.Fetch.URL,
		WARCFilename:     w.names[v.Fetch.Input],
		WARCRecordOffset: v.Fetch.Offset,
		WARCRecordID:     optional(ingest.RecordIDText(v.Fetch.RecordID)),
		Group:            int32(v.Group),
		Verdict:          v.Verdict.String(),
		Evidence:         v.Evidence.String(),
		Reason:           v.Reason.String(),
		GroupLine:        known(int32(v.GroupLine), v.GroupLine != 0),
	}
	if v.Governing != nil {
		row.RobotsID = v.Governing.ID
	}
	row.Rule, row.RuleLine = rule(&v.Answer)
	return w.verdicts.add(row)
}

// RobotsAgent writes that a group of a robots capture governs a token.
func (w *Writer) RobotsAgent(robotsID int64, group int, agent string) error {
	return w.robotsAgents.add(RobotsAgentRow{robotsID, int32(group), agent})
}

// Host writes an origin's counts.
func (w *Writer) Host(h *evaluate.HostStats) error {
	w.Summary.addHost(h)
	u, _ := weburl.Parse(h.Origin)
	return w.hosts.add(HostRow{
		Origin: h.Origin, HostName: u.Host, RegisteredDomain: optional(u.RegisteredDomain()),
		FirstFetchTime: micros(h.First), LastFetchTime: micros(h.Last), Counts: h.Counts,
	})
}

// Agent writes a product token's counts.
func (w *Writer) Agent(a *evaluate.AgentStats) error {
	w.Summary.addAgent(a)
	return w.agents.add(AgentRow{Agent: optional(a.Agent), Claims: slices.Sorted(maps.Keys(a.Claims)), Counts: a.Counts})
}

// Issue writes an issue.
func (w *Writer) Issue(i *ingest.Issue) error {
	return w.issue(w.names[i.Input], i)
}

// Failure writes an input that could not be read at all.
func (w *Writer) Failure(f ingest.Failure) error {
	return w.issue(f.Name, &ingest.Issue{
		Offset: -1, Length: -1, Kind: ingest.IssueUnreadable, Detail: f.Reason, Action: "not read",
	})
}

func (w *Writer) issue(name string, i *ingest.Issue) error {
	w.Summary.addIssue(name, i)
	return w.issues.add(IssueRow{
		WARCFilename: name, Offset: known(i.Offset, i.Offset >= 0), Length: known(i.Length, i.Length >= 0),
		RecordID: optional(ingest.RecordIDText(i.RecordID)), Kind: i.Kind.String(), Detail: i.Detail, Action: i.Action,
	})
}
