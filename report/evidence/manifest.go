package evidence

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// formatName names the format of bundles and its version.
const formatName = "robotsaudit-evidence/1"

// The fields of a manifest that Verify proves by the records have the tag proven. All others are what
// whoever made the bundle claims.

// head is the beginning of a manifest.
type head struct {
	Format   string   `json:"format" proven:"yes"`
	Version  string   `json:"version"` // of the program
	Settings Settings `json:"settings"`
}

// Settings are the settings of the audit that shape verdicts.
type Settings struct {
	Profile          string   `json:"profile"`
	Agents           []string `json:"agents,omitempty"`   // whose verdicts are findings
	Purposes         []string `json:"purposes,omitempty"` // whose restrictions are findings
	Crawler          string   `json:"crawler,omitempty"`
	CrawlerMap       []string `json:"crawler_map,omitempty"` // rules of the form PATTERN => TOKEN
	PublicSuffixList string   `json:"public_suffix_list"`
	FactsFingerprint string   `json:"facts_fingerprint"`
}

// The forms of archives.
const (
	formWARC = "warc"
	formARC  = "arc"
	formLog  = "log"
)

// archive is an archive of the audit, or an entry of a WACZ.
type archive struct {
	Name        string `json:"name"`
	Entry       string `json:"entry,omitempty"`
	Form        string `json:"form" proven:"yes"` // warc, arc or log
	Container   string `json:"container"`         // of the input
	Size        int64  `json:"size"`
	Fingerprint string `json:"fingerprint"`
	// some of its records stand after damage, where a page could hold them
	Forgeable bool `json:"forgeable,omitempty"`

	// Unordered are the runs of a crawler whose records were sorted in another way than by date, by the
	// IDs of their warcinfo records; "": those without.
	Unordered []string `json:"unordered,omitempty"`

	// Voices are the User-Agents in the requests of runs that hold cited captures without one, by the same IDs.
	Voices map[string][]facts.Voice `json:"voices,omitempty"`
}

// place names the archive as tables do.
func (a *archive) place() string {
	if a.Entry != "" {
		return a.Name + "/" + a.Entry
	}
	return a.Name
}

// record is a record of the bundle and its place in its archive.
type record struct {
	Number   int64  `json:"number" proven:"yes"` // in the bundle, from 1
	Archive  int    `json:"archive"`             // index into archives
	Index    int64  `json:"index"`               // of the record in its archive, from 1; of a log the line's offset
	Offset   int64  `json:"offset"`
	Length   int64  `json:"length"`
	Type     string `json:"type" proven:"yes"`
	ID       string `json:"record_id,omitempty" proven:"yes"`
	URL      string `json:"url,omitempty" proven:"yes"`
	Date     string `json:"date,omitempty" proven:"yes"`
	Size     int64  `json:"size" proven:"yes"` // bytes that the SHA-256 is of
	SHA256   string `json:"sha256" proven:"yes"`
	Wrapped  bool   `json:"wrapped,omitempty" proven:"yes"` // the block holds it
	Resynced bool   `json:"resynced,omitempty"`
	Clock    int64  `json:"clock,omitempty"` // by how many seconds the clock was fast that dated it
	companions
}

// companions are the indexes of the records that belong to a record; 0: none.
type companions struct {
	Request   int64 `json:"request,omitempty" proven:"yes"`
	Second    int64 `json:"second_request,omitempty" proven:"yes"`
	Metadata  int64 `json:"metadata,omitempty" proven:"yes"`
	Warcinfo  int64 `json:"warcinfo,omitempty" proven:"yes"`
	Continues int64 `json:"continues,omitempty" proven:"yes"` // that it is a segment of
}

// citation is a record that a finding cites.
type citation struct {
	Number int64  `json:"number" proven:"yes"` // of the record
	Role   string `json:"role" proven:"yes"`
}

// violation is a finding with its proof.
type violation struct {
	Table   string          `json:"table" proven:"yes"` // that it is one of
	Row     int64           `json:"row"`                // see found
	Finding json.RawMessage `json:"finding" proven:"yes"`
	Records []citation      `json:"records" proven:"yes"` // the fetch first
}

// The tables that findings are from.
const (
	tableViolations    = "violations"
	tableUnproven      = "unproven"
	tableRestrictions  = "restrictions"
	tableGroupVerdicts = "group_verdicts"
	tableFetches       = "fetches" // whose rows the two before count
)

// BundleFinding is the finding of an audit on a fetch.
type BundleFinding struct {
	URL            string   `json:"url"`
	Origin         string   `json:"origin"`
	FetchTime      string   `json:"fetch_time"`
	Method         string   `json:"fetch_method"`
	RecordID       string   `json:"warc_record_id,omitempty"`
	Agent          string   `json:"agent,omitempty"`
	AgentSource    string   `json:"agent_source"`
	UserAgent      string   `json:"user_agent,omitempty"`
	Verdict        string   `json:"verdict"`
	Certainty      string   `json:"certainty"`
	Evidence       string   `json:"evidence"`
	Reason         string   `json:"reason"`
	Notes          []string `json:"notes,omitempty"`
	Grounds        []string `json:"grounds,omitempty"` // of the class, the strongest first
	Rule           string   `json:"rule,omitempty"`
	RuleLine       int      `json:"rule_line,omitempty"`
	GroupLine      int      `json:"group_line,omitempty"`
	RobotsURL      string   `json:"robots_url,omitempty"`
	RobotsTime     string   `json:"robots_time,omitempty"`
	RobotsRecordID string   `json:"robots_warc_record_id,omitempty"`
	RobotsOutcome  string   `json:"robots_outcome,omitempty"`
	RobotsHops     []string `json:"robots_hops,omitempty"`
	RobotsAgent    string   `json:"robots_agent,omitempty"`
	RobotsAge      int64    `json:"robots_age_seconds"`
	ContestedTime  string   `json:"contested_time,omitempty"` // of the copy that allows
	Restricts      string   `json:"restricts,omitempty"`      // publication or usage
	Purpose        string   `json:"purpose,omitempty"`
	Statements     []string `json:"statements,omitempty"`
}

// FindingOf describes the verdict on a fetch.
func FindingOf(r *evaluate.Result) BundleFinding {
	x := answerOf(r.Fetch, r.Agent, r.AgentSource, r.Evidence, &r.Answer, r.Governing)
	x.Certainty, x.Grounds, x.RobotsAge = r.Certainty.String(), groundsOf(r), r.Age
	if r.Contester() != nil {
		x.ContestedTime = timeText(r.Contester().Time().UTC())
	}
	return x
}

// answerOf describes what a capture that governs, maybe nil, answers to a fetch by an agent.
func answerOf(f *evaluate.Fetch, agent string, source evaluate.AgentSource, evidence evaluate.Evidence,
	a *evaluate.Answer, g *evaluate.State,
) BundleFinding {
	x := BundleFinding{
		URL: f.URL, Origin: f.Origin, FetchTime: timeText(f.Time().UTC()), Method: f.Method,
		RecordID: f.RecordID.String(),
		Agent:    agent, AgentSource: source.String(), UserAgent: f.UserAgent,
		Verdict: a.Verdict.String(), Evidence: evidence.String(), Reason: a.Reason.String(),
		Notes: a.Notes.Strings(), GroupLine: a.GroupLine,
	}
	if g != nil {
		x.RobotsURL, x.RobotsTime, x.RobotsRecordID = g.URL, timeText(g.Time().UTC()), g.RecordID.String()
		x.RobotsOutcome, x.RobotsHops, x.RobotsAgent = g.Outcome.String(), g.HopList(), g.Agent()
	}
	if a.Rule != nil {
		x.Rule, x.RuleLine = a.Rule.Text, a.Rule.Line
	}
	return x
}

// groundsOf are the words of the grounds of a finding, each once.
func groundsOf(r *evaluate.Result) (list []string) {
	for _, g := range r.Objections() {
		if !slices.Contains(list, g.Name()) {
			list = append(list, g.Name())
		}
	}
	return list
}

func timeText(t time.Time) string { return t.Format(time.RFC3339Nano) }

// sections are the lists of a manifest, in order. Each element stands on a line of its own.
var sections = [...]string{"archives", "records", "violations"}

// writeManifest writes a manifest: its head, and the sections, whose elements are encoded already.
func writeManifest(w *bufio.Writer, h head, sectionsOf ...iter.Seq2[[]byte, error]) error {
	b, err := json.Marshal(h)
	if err != nil {
		return err
	}
	w.Write(bytes.TrimSuffix(b, []byte("}"))) // Flush returns the first error
	for i, elements := range sectionsOf {
		fmt.Fprintf(w, ",\n%q:[", sections[i])
		separator := "\n"
		for line, err := range elements {
			if err != nil {
				return err
			}
			w.WriteString(separator)
			w.Write(line)
			separator = ",\n"
		}
		w.WriteString("\n]")
	}
	w.WriteString("}\n")
	return w.Flush()
}

// Bounds of what is read of a manifest at a time, and held.
const (
	maxLine     = 8 << 20  // bytes of a line: its URLs have at most 64 KiB, escaped
	maxArchives = 16 << 20 // bytes of the list of archives
)

var errManifest = errors.New("its manifest is damaged")

// manifestReader reads a manifest line by line.
type manifestReader struct {
	lines *bufio.Scanner
	count int // of the lines read
	head  head
	left  int // sections after the one in hand
}

func newManifestReader(r io.Reader) (*manifestReader, error) {
	m := &manifestReader{lines: bufio.NewScanner(r), left: len(sections) - 1}
	m.lines.Buffer(nil, maxLine)
	line, err := m.line()
	if err != nil {
		return nil, err
	}
	begin, isHead := bytes.CutSuffix(line, []byte(","))
	if !isHead || !bytes.HasPrefix(begin, []byte(`{"format":"robotsaudit-evidence/`)) {
		return nil, errNoManifest
	}
	begin = append(bytes.Clone(begin), '}')
	if json.Unmarshal(begin, &m.head) == nil && m.head.Format != formatName {
		return nil, refusef("it is of format %.40q, not %s; verify it with the version that made it (%.40q)",
			m.head.Format, formatName, m.head.Version)
	}
	return m, cmp.Or(m.decode(begin, &m.head), m.begin())
}

// errNoManifest refuses a file that is no bundle.
var errNoManifest = &RefusedError{Reason: "its first record is no manifest", NoBundle: true}

// damaged refuses the line in hand.
func (m *manifestReader) damaged(format string, args ...any) error {
	return refusef("%v at line %d: %s", errManifest, m.count, fmt.Sprintf(format, args...))
}

func (m *manifestReader) line() ([]byte, error) {
	m.count++
	if m.lines.Scan() {
		return m.lines.Bytes(), nil
	}
	if err := m.lines.Err(); err != nil {
		return nil, m.damaged("%v", err)
	}
	return nil, m.damaged("it ends here")
}

// begin reads the line with the name of a section.
func (m *manifestReader) begin() error {
	line, err := m.line()
	if name := sections[len(sections)-1-m.left]; err == nil && string(line) != fmt.Sprintf("%q:[", name) {
		err = m.damaged("%.80q stands here, and not the list of %s", line, name)
	}
	return err
}

// next decodes the next element into v, which is of the zero value; io.EOF at the end of the
// section.
func (m *manifestReader) next(v any) error {
	line, err := m.line()
	if err != nil {
		return err
	}
	switch string(line) {
	case "],":
		if m.left--; m.left < 0 {
			return m.damaged("more than %d lists", len(sections))
		}
		return cmp.Or(m.begin(), io.EOF)
	case "]}":
		if m.left != 0 || m.lines.Scan() {
			return m.damaged("it ends too early or too late")
		}
		return io.EOF
	}
	return m.decode(bytes.TrimSuffix(line, []byte(",")), v)
}

// decode decodes a value that all readers of JSON understand alike: it is written as encoding/json writes it, which
// reads more, such as keys in any case, and of two the last one.
func decode(line []byte, v any) error {
	if err := json.Unmarshal(line, v); err != nil {
		return err
	}
	again, err := json.Marshal(v)
	if err != nil {
		return err
	}
	plain := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(`\ufffd`), []byte("\uFFFD")) } // of no UTF-8
	if !bytes.Equal(plain(again), plain(line)) {
		return errors.New("a key that is unknown, stands twice or is spelt otherwise, a null, or a text that is not Unicode")
	}
	if x, is := v.(*violation); is {
		return decode(x.Finding, new(BundleFinding))
	}
	return nil
}

// decode decodes the line in hand, or most of it.
func (m *manifestReader) decode(line []byte, v any) error {
	if err := decode(line, v); err != nil {
		return m.damaged("%v in %.80q", err, line)
	}
	return nil
}

// Fields lists the fields of a manifest: proven by the records, and only claimed by the maker of the
// bundle. A line names the fields of one list or object.
func Fields() (proven, claimed []string) {
	for _, part := range [...]struct {
		name string
		of   reflect.Type
	}{
		{"", reflect.TypeFor[head]()},
		{"settings: ", reflect.TypeFor[Settings]()},
		{"archives[]: ", reflect.TypeFor[archive]()},
		{"records[]: ", reflect.TypeFor[record]()},
		{"violations[]: ", reflect.TypeFor[violation]()},
	} {
		var lists [2][]string
		for _, f := range reflect.VisibleFields(part.of) {
			if f.Anonymous || f.Type == reflect.TypeFor[Settings]() {
				continue
			}
			list := &lists[1]
			if f.Tag.Get("proven") != "" {
				list = &lists[0]
			}
			*list = append(*list, keyOf(f))
		}
		for i, to := range [...]*[]string{&proven, &claimed} {
			if len(lists[i]) > 0 {
				*to = append(*to, part.name+strings.Join(lists[i], ", "))
			}
		}
	}
	return proven, claimed
}

// keyOf is the key of a field.
func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return key
}
