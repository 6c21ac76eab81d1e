package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

const (
	temporary = ".robotsaudit-results" // folder inside the output folder that holds tables until they are whole
	auditFile = "audit.json"
	maxNotes  = 100 // notes kept of one robots.txt
)

// Writer is an evaluate.Sink that writes the result tables of an output folder.
// They count once Commit has returned.
type Writer struct {
	dir     string
	tmp     string
	profile string
	names   []string // of the inputs
	site    site     // of the row in hand
	cited   cited    // by the row before

	fetches      *table[FetchRow]
	violations   *table[ViolationRow]
	unproven     *table[ViolationRow]
	restrictions *table[RestrictionRow]
	delays       *table[CrawlDelayRow]
	robots       *table[RobotsRow]
	tags         *table[PageTagRow]
	effective    *table[EffectiveTagsRow]
	signals      *table[UsageSignalRow]
	conflicts    *table[TagConflictRow]
	hosts        *table[HostRow]
	agents       *table[AgentRow]
	issues       *table[IssueRow]
	exclusions   *table[ExclusionRow]
	verdicts     *table[GroupVerdictRow] // nil without a what-if
	robotsAgents *table[RobotsAgentRow]

	open    []anyTable // what Commit or Abandon has to close
	Summary *Summary
}

// NewWriter starts the tables of an output folder. whatIf adds the tables of the
// what-if.
func NewWriter(dir string, facts *ingest.Facts, profile string, whatIf bool) (w *Writer, err error) {
	w = &Writer{dir: dir, tmp: filepath.Join(dir, temporary), profile: profile, Summary: newSummary()}
	for _, in := range facts.Inputs {
		w.names = append(w.names, locator(in.Name))
	}
	if err := os.RemoveAll(w.tmp); err != nil {
		return nil, err
	}
	if err := os.Mkdir(w.tmp, 0o777); err != nil {
		return nil, err
	}
	w.fetches = start[FetchRow](w, "fetches", &err)
	w.violations = start[ViolationRow](w, "violations", &err)
	w.unproven = start[ViolationRow](w, "unproven", &err)
	w.restrictions = start[RestrictionRow](w, "restrictions", &err)
	w.delays = start[CrawlDelayRow](w, "crawl_delays", &err)
	w.robots = start[RobotsRow](w, "robots", &err)
	w.tags = start[PageTagRow](w, "page_tags", &err)
	w.effective = start[EffectiveTagsRow](w, "effective_tags", &err)
	w.signals = start[UsageSignalRow](w, "usage_signals", &err)
	w.conflicts = start[TagConflictRow](w, "tag_conflicts", &err)
	w.hosts = start[HostRow](w, "host_stats", &err)
	w.agents = start[AgentRow](w, "agent_stats", &err)
	w.exclusions = start[ExclusionRow](w, "exclusions", &err)
	w.issues = start[IssueRow](w, "issues", &err)
	if whatIf {
		w.verdicts = start[GroupVerdictRow](w, "group_verdicts", &err)
		w.robotsAgents = start[RobotsAgentRow](w, "robots_agents", &err)
	}
	if err != nil {
		w.Abandon()
		return nil, err
	}
	return w, nil
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
	w.open = append(w.open, t)
	return t
}

// Abandon removes what was written. After Commit it does nothing.
func (w *Writer) Abandon() {
	for _, t := range w.open {
		t.abandon()
	}
	w.open = nil
	os.RemoveAll(w.tmp)
}

// Commit closes the tables, moves them into the output folder and writes
// audit.json, last: tables beside an audit.json belong to it. Until the new tables
// are whole, those of the audit before stay as they are.
func (w *Writer) Commit(a *Audit) error {
	w.Summary.audit = a
	if err := w.finishTables(a); err != nil {
		return err
	}
	if err := writeAudit(filepath.Join(w.tmp, auditFile), a); err != nil {
		return err
	}
	if err := w.moveTables(a); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(w.tmp, auditFile), filepath.Join(w.dir, auditFile)); err != nil {
		return err
	}
	return errors.Join(os.Remove(w.tmp), syncFolder(w.dir))
}

// finishTables completes the tables and counts their rows into a.
func (w *Writer) finishTables(a *Audit) error {
	a.Tables = make(map[string]int64)
	var errs []error
	for _, t := range w.open {
		errs = append(errs, t.finish())
		name, rows := t.about()
		a.Tables[name] = rows
	}
	w.open = nil
	return errors.Join(errs...)
}

// moveTables puts the tables of a in the place of those of the audit before, whose
// audit.json goes first. The folder is synced on either side, so that no loss of
// power leaves an audit.json beside another's tables.
func (w *Writer) moveTables(a *Audit) error {
	if err := remove(filepath.Join(w.dir, auditFile)); err != nil {
		return err
	}
	if err := syncFolder(w.dir); err != nil {
		return err
	}
	for _, name := range slices.Concat(tableNames, formerTables) {
		target := filepath.Join(w.dir, tableFile(name))
		move := func() error { return os.Rename(filepath.Join(w.tmp, tableFile(name)), target) }
		if _, written := a.Tables[name]; !written {
			move = func() error { return remove(target) } // of an audit with a what-if, or of an earlier version
		}
		if err := move(); err != nil {
			return err
		}
	}
	return syncFolder(w.dir)
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

// site is what the tables tell of a host. Rows come origin by origin, so one is
// kept.
type site struct {
	origin     string // as recorded
	host       string
	registered string
	reversed   string // "" where the host is no name
}

// siteOf returns the site of a URL of an origin.
func (w *Writer) siteOf(origin, url string) *site {
	if origin == "" || origin != w.site.origin {
		u, _ := weburl.Parse(url)
		w.site = site{
			origin: origin, host: locator(u.Host), registered: locator(u.RegisteredDomain()),
		}
		if u.HostIsName() {
			w.site.reversed = locator(u.HostReversed())
		}
	}
	return &w.site
}

// Result writes a fetch, and the rows that it has in other tables.
func (w *Writer) Result(r *evaluate.Result) error {
	w.Summary.addResult(r)
	if err := w.fetches.add(w.fetchRow(r)); err != nil {
		return err
	}
	var err error
	switch {
	case r.IsViolation():
		err = w.violations.add(w.violationRow(r))
	case r.IsUnproven():
		err = w.unproven.add(w.violationRow(r))
	}
	for i := range r.Restrictions {
		err = cmp.Or(err, w.restrictions.add(w.restrictionRow(r, &r.Restrictions[i])))
	}
	if r.TooSoon != nil {
		err = cmp.Or(err, w.delays.add(w.crawlDelayRow(r)))
	}
	if err == nil && r.Page != nil {
		err = w.page(r)
	}
	return err
}

func (w *Writer) fetchRow(r *evaluate.Result) FetchRow {
	f := r.Fetch
	site := w.siteOf(f.Origin, f.URL)
	row := FetchRow{
		URL:              locator(f.URL),
		HostName:         site.host,
		RegisteredDomain: site.registered,
		Origin:           locator(f.Origin),
		FetchTime:        micros(f.Time()),
		FetchMethod:      text(f.Method),
		FetchStatus:      status(f.Status),
		RecordType:       f.Type.String(),
		ContentDigest:    text(f.PayloadDigest),
		ContentMIMEType:  text(f.MIMEType),
		WARCFilename:     w.filename(f.Input, f.Entry),
		WARCRecordOffset: f.Offset,
		WARCRecordLength: f.Length,
		WARCRecordID:     text(ingest.RecordIDText(f.RecordID)),
		Agent:            text(r.Agent),
		AgentSource:      r.AgentSource.String(),
		Verdict:          r.Verdict.String(),
		Evidence:         r.Evidence.String(),
		Reason:           r.Reason.String(),
		Certainty:        r.Certainty.String(),
		Notes:            noteList(r.Notes),
		Trust:            f.Trust.String(),
		Via:              locator(f.Via),
		HopsFromSeed:     discovered(f, text(f.HopsFromSeed)),
		IsSeed:           known(f.Flags&ingest.FlagSeed != 0, f.Flags&(ingest.FlagDiscovery|ingest.FlagSeedTold) != 0),
		ForceFetch:       discovered(f, f.Flags&ingest.FlagForceFetch != 0),
		FetchDuration:    known(f.Millis, f.Millis >= 0),
		IsPage:           known(f.Flags&ingest.FlagPage != 0, f.Flags&ingest.FlagPagesListed != 0),
	}
	if r.HasPrior {
		row.PriorVerdict = r.Prior.String()
	}
	if r.Governing != nil {
		row.RobotsID = r.Governing.ID
	}
	if r.Rule != nil {
		row.RuleLine = int32(r.Rule.Line)
	}
	if r.Page != nil {
		row.Tags, row.TagsFrom = text(r.Page.Own.String()), r.Page.From.String()
	}
	return row
}

func (w *Writer) violationRow(r *evaluate.Result) ViolationRow {
	f := r.Fetch
	u, _ := weburl.Parse(f.URL)
	site := w.siteOf(f.Origin, f.URL)
	row := ViolationRow{
		URL:              locator(f.URL),
		SURTKey:          locator(u.SURTKey()),
		HostName:         site.host,
		RegisteredDomain: site.registered,
		HostNameReversed: site.reversed,
		Protocol:         locator(u.Scheme),
		Port:             known(int32(u.Port), u.Port != 0),
		Path:             locator(u.Path),
		Query:            known(locator(u.Query), u.HasQuery),
		Origin:           locator(f.Origin),
		FetchTime:        micros(f.Time()),
		FetchMethod:      text(f.Method),
		FetchStatus:      status(f.Status),
		FetchRedirect:    locator(f.Location),
		RecordType:       f.Type.String(),
		ContentDigest:    text(f.PayloadDigest),
		ContentMIMEType:  text(f.MIMEType),
		ContentTruncated: text(f.Truncated),
		WARCFilename:     w.filename(f.Input, f.Entry),
		WARCRecordOffset: f.Offset,
		WARCRecordLength: f.Length,
		WARCRecordID:     text(ingest.RecordIDText(f.RecordID)),
		Agent:            text(r.Agent),
		AgentSource:      r.AgentSource.String(),
		UserAgent:        text(f.UserAgent),
		Claim:            text(f.Claim),
		Verdict:          r.Verdict.String(),
		Evidence:         r.Evidence.String(),
		Reason:           r.Reason.String(),
		Certainty:        r.Certainty.String(),
		Notes:            noteList(r.Notes),
		Trust:            f.Trust.String(),
		Profile:          w.profile,
		GroupLine:        int32(r.GroupLine),
		AgentMatch:       r.Match.String(),
		Via:              locator(f.Via),
		HopsFromSeed:     discovered(f, text(f.HopsFromSeed)),
		IsSeed:           known(f.Flags&ingest.FlagSeed != 0, f.Flags&(ingest.FlagDiscovery|ingest.FlagSeedTold) != 0),
		ForceFetch:       discovered(f, f.Flags&ingest.FlagForceFetch != 0),
		FetchDuration:    known(f.Millis, f.Millis >= 0),
		IsPage:           known(f.Flags&ingest.FlagPage != 0, f.Flags&ingest.FlagPagesListed != 0),
	}
	row.Rule, row.RuleLine = rule(&r.Answer)
	if r.Governing != nil {
		row.RobotsAge, row.RobotsCitation = new(r.Age), w.cite(r.Governing)
	}
	if r.Contester != nil {
		row.ContestedCitation = w.contest(r.Contester)
	}
	return row
}

func noteList(n evaluate.Notes) string { return strings.Join(n.Strings(), ",") }

// rule returns the rule that decided. Its text is a copy: rows wait by the hundred, and
// a part of a robots.txt would keep the whole of it in memory.
func rule(a *evaluate.Answer) (text string, line int32) {
	if a.Rule == nil {
		return "", 0
	}
	return strings.Clone(ruleText(a.Rule.Text)), int32(a.Rule.Line)
}

// filename is the warc_filename of an input, or of an entry of it.
func (w *Writer) filename(input int32, entry string) string {
	if entry == "" {
		return w.names[input]
	}
	return w.names[input] + "/" + locator(entry)
}

// discovered is v where the archive tells how the crawler came to the URL.
func discovered[T any](f *ingest.Fetch, v T) *T { return known(v, f.Flags&ingest.FlagDiscovery != 0) }

func micros(t ingest.Time) *int64 { return known(t.Micros, t.Known()) }

func status(s int16) *int16 { return known(s, s >= 0) }

// Robots writes a robots capture.
func (w *Writer) Robots(r *evaluate.RobotsRecord) error {
	w.Summary.addRobots(r)
	row := RobotsRow{
		RobotsID:         r.ID,
		Origin:           locator(r.Origin),
		URL:              locator(r.URL),
		HostName:         w.siteOf(r.Origin, r.URL).host,
		FetchTime:        micros(r.Time()),
		FetchStatus:      status(r.Status),
		RecordType:       r.Type.String(),
		ContentMIMEType:  text(r.MIMEType),
		WARCFilename:     w.filename(r.Input, r.Entry),
		WARCRecordOffset: r.Offset,
		WARCRecordLength: r.Length,
		WARCRecordID:     text(ingest.RecordIDText(r.RecordID)),
		Agent:            text(r.Agent()),
		Trust:            r.Trust.String(),
		Outcome:          r.Outcome.String(),
		FinalStatus:      status(r.FinalStatus),
		BodySize:         known(r.BodySize, r.HasBody),
	}
	if r.Outcome != evaluate.OutcomeRules {
		row.Reason = r.Reason.String()
	}
	for _, hop := range r.HopList() {
		row.HopURLs = append(row.HopURLs, locator(hop))
	}
	if b := w.body(r.State); b != nil {
		row.BodyTime, row.BodyAgent, row.BodyDigest = b.time, b.agent, b.digest
		row.BodyFilename, row.BodyOffset, row.BodyRecordID = b.filename, b.offset, b.recordID
	}
	if r.Parsed {
		row.Groups, row.Rules, row.NoteCount = new(int32(r.Groups)), new(int32(r.Rules)), new(int32(len(r.Notes)))
		for _, n := range r.Notes[:min(len(r.Notes), maxNotes)] {
			row.Notes = append(row.Notes, text(fmt.Sprintf("line %d: %s: %s", n.Line, n.Kind, n.Text)))
		}
	}
	return w.robots.add(row)
}

// GroupVerdict writes a what-if verdict.
func (w *Writer) GroupVerdict(v *evaluate.GroupVerdict) error {
	row := GroupVerdictRow{
		URL:              locator(v.Fetch.URL),
		WARCFilename:     w.filename(v.Fetch.Input, v.Fetch.Entry),
		WARCRecordOffset: v.Fetch.Offset,
		WARCRecordID:     text(ingest.RecordIDText(v.Fetch.RecordID)),
		Group:            int32(v.Group),
		Verdict:          v.Verdict.String(),
		Evidence:         v.Evidence.String(),
		Reason:           v.Reason.String(),
		GroupLine:        int32(v.GroupLine),
		Notes:            noteList(v.Notes),
	}
	if v.Governing != nil {
		row.RobotsID = v.Governing.ID
	}
	row.Rule, row.RuleLine = rule(&v.Answer)
	w.Summary.addVerdict(row.RobotsID, v)
	return w.verdicts.add(row)
}

// RobotsAgent writes that a group of a robots capture governs a token.
func (w *Writer) RobotsAgent(robotsID int64, group int, agent string) error {
	w.Summary.whatIf.join(team{robotsID, group}, agent)
	return w.robotsAgents.add(RobotsAgentRow{robotsID, int32(group), text(agent)})
}

// Host writes an origin's counts. The origin's results are all written.
func (w *Writer) Host(h *evaluate.HostStats) error {
	w.Summary.addHost(h)
	site := w.siteOf(h.Origin, h.Origin)
	return w.hosts.add(HostRow{
		Origin: locator(h.Origin), HostName: site.host, RegisteredDomain: site.registered,
		FirstFetchTime: micros(h.First), LastFetchTime: micros(h.Last), Counts: h.Counts,
	})
}

// Agent writes a product token's counts.
func (w *Writer) Agent(a *evaluate.AgentStats) error {
	w.Summary.addAgent(a)
	row := AgentRow{Agent: text(a.Agent), Counts: a.Counts}
	for _, claim := range slices.Sorted(maps.Keys(a.Claims)) {
		row.Claims = append(row.Claims, text(claim))
	}
	return w.agents.add(row)
}

// Exclusion writes what a log says was not fetched.
func (w *Writer) Exclusion(x *evaluate.Exclusion) error {
	w.Summary.exclusions[x.Verdict]++
	site := w.siteOf(x.Fetch.Origin, x.Fetch.URL)
	row := ExclusionRow{
		URL:              locator(x.Fetch.URL),
		HostName:         site.host,
		RegisteredDomain: site.registered,
		Origin:           locator(x.Fetch.Origin),
		LogTime:          micros(x.Event.Time()),
		LogReason:        text(x.Event.Reason),
		WARCFilename:     w.filename(x.Event.Input, x.Event.Entry),
		LogLine:          x.Event.Line,
		Via:              locator(x.Event.Via),
		HopsFromSeed:     known(text(x.Event.HopsFromSeed), x.Event.HopsFromSeed != ""),
		Agent:            text(x.Agent),
		AgentSource:      x.AgentSource.String(),
		AgentMatch:       x.Match.String(),
		Verdict:          x.Verdict.String(),
		Evidence:         x.Evidence.String(),
		Reason:           x.Result.Reason.String(),
		GroupLine:        int32(x.GroupLine),
		Notes:            noteList(x.Notes),
	}
	row.Rule, row.RuleLine = rule(&x.Answer)
	if x.Governing != nil {
		row.RobotsID = x.Governing.ID
	}
	return w.exclusions.add(row)
}

// Issue writes an issue.
func (w *Writer) Issue(i *ingest.Issue) error {
	return w.issue(w.filename(i.Input, i.Entry), i)
}

// Failure writes an input that could not be read at all.
func (w *Writer) Failure(f ingest.Failure) error {
	return w.issue(locator(f.Name), &ingest.Issue{
		Offset: -1, Length: -1, Kind: ingest.IssueUnreadable, Detail: f.Reason, Action: "not read",
	})
}

func (w *Writer) issue(name string, i *ingest.Issue) error {
	w.Summary.addIssue(name, i)
	return w.issues.add(IssueRow{
		WARCFilename: name, Offset: known(i.Offset, i.Offset >= 0), Length: known(i.Length, i.Length >= 0),
		RecordID: text(ingest.RecordIDText(i.RecordID)), Kind: i.Kind.String(), Detail: text(i.Detail),
		Action: text(i.Action),
	})
}
