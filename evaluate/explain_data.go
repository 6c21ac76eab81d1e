package evaluate

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/robotsaudit/robotsaudit/evaluate/verdict"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// Explanation is how the verdict on one fetch came about, as plain data. Texts are as the
// archives have them.
type Explanation struct {
	Kind      ExplanationKind  `json:"kind"`
	Profile   string           `json:"profile"`
	Fetch     ExplainedFetch   `json:"fetch"`
	Crawler   ExplainedCrawler `json:"crawler"` // whose rules are asked for
	Moment    Moment           `json:"moment"`  // at which: the fetch's time, or that of the what-if
	Evidence  string           `json:"evidence"`
	Age       *int64           `json:"age_seconds"` // of the governing capture
	Certainty string           `json:"certainty,omitempty"`
	Notes     []string         `json:"notes,omitempty"`
	// why the class is what it is, the strongest first
	Objections  []ExplainedObjection `json:"objections,omitempty"`
	CopiesAsked int                  `json:"copies_asked,omitempty"` // of a disallowed fetch
	Said                             // the verdict
	// the answer of the governing capture alone, where others show that it may be wrong
	Withdrawn *Said `json:"withdrawn,omitempty"`
	// where the governing capture shows nothing: the verdict by the one before it
	Prior string        `json:"prior_verdict,omitempty"`
	Own   *ExplainedOwn `json:"own_reading,omitempty"` // of the governing capture, by the crawler's own parser
	// of the origin, by time: those considered, and the nearest
	Captures []ExplainedCapture `json:"captures"`
	Skipped  int                `json:"skipped"` // captures after the last one listed
	// captures without a usable date, which count nowhere
	Undated int `json:"undated"`
	// that an index reports and no input holds, the nearest
	Unread   []Moment           `json:"unread_captures,omitempty"`
	LedBy    []ExplainedLead    `json:"redirects,omitempty"`     // of robots.txt, which may have led to the fetch
	File     *ExplainedFile     `json:"robots_txt,omitempty"`    // of the governing capture
	Readings []ExplainedReading `json:"readings,omitempty"`      // that the specifications leave open
	Others   int                `json:"other_fetches,omitempty"` // of the same URL, at other times

	Restrictions []ExplainedRestriction `json:"restrictions,omitempty"` // on the uses that are asked about
	Hints        []string               `json:"hints,omitempty"`        // uses that a statement without force speaks against
	TagsUnknown  bool                   `json:"tags_unknown,omitempty"` // some tags of the page may be missing
}

// ExplainedOwn is what the crawler's own parser makes of the governing capture.
type ExplainedOwn struct {
	Software   string `json:"software"`
	Verdict    string `json:"verdict"`
	Difference string `json:"difference,omitempty"` // from RFC 9309, without which it would answer otherwise
}

// ExplainedRestriction is what the page or its origin states against a use.
type ExplainedRestriction struct {
	Purpose    string   `json:"purpose"`
	Kind       string   `json:"kind"`
	Certainty  string   `json:"certainty"`
	Statements []string `json:"statements"`
	File       string   `json:"file,omitempty"`        // that holds tdmrep.json or the licence document
	FileOffset *int64   `json:"file_offset,omitempty"` // of its record
}

// ExplanationKind names what is explained.
type ExplanationKind string

// What can be explained.
const (
	KindFetch  ExplanationKind = "fetch"    // a fetch, for the crawler that made it
	KindWhatIf ExplanationKind = "what_if"  // a fetch, for another crawler
	KindNone   ExplanationKind = "no_fetch" // a fetch that no archive holds
)

// Moment is a time as an archive gives it. In JSON it is a date of its own precision, or null.
type Moment struct{ facts.Time }

// MarshalJSON writes the date.
func (m Moment) MarshalJSON() ([]byte, error) {
	if !m.Known() {
		return []byte("null"), nil
	}
	return json.Marshal(m.String())
}

// String returns the date, in UTC, at its own precision.
func (m Moment) String() string {
	if m.Precision >= facts.PrecisionSecond {
		return m.UTC().Format(time.RFC3339Nano)
	}
	return m.UTC().Format([...]string{
		"", "2006", "2006-01", "2006-01-02", "2006-01-02T15Z", "2006-01-02T15:04Z",
	}[m.Precision])
}

// ExplainedFetch is the fetch in question.
type ExplainedFetch struct {
	URL       string          `json:"url"`
	Origin    string          `json:"origin"`
	Time      Moment          `json:"time"`
	Method    string          `json:"method"`
	Status    *int16          `json:"status"`
	Type      string          `json:"record_type,omitempty"`
	Trust     string          `json:"trust,omitempty"`
	UserAgent string          `json:"user_agent,omitempty"`
	Record    ExplainedRecord `json:"record"`
}

// ExplainedObjection is a ground of a class.
type ExplainedObjection struct {
	Word     string `json:"word"`
	RobotsID int64  `json:"robots_id,omitempty"` // of the capture that it is about; 0: it is about the fetch
}

// ObjectionWords are the words of the grounds of the class, each once, the strongest first.
func (x *Explanation) ObjectionWords() (names []string) {
	for _, o := range x.Objections {
		if !slices.Contains(names, o.Word) {
			names = append(names, o.Word)
		}
	}
	return names
}

// ExplainedRecord is the place of a record.
type ExplainedRecord struct {
	File   string `json:"file,omitempty"` // as in the tables
	Offset int64  `json:"offset"`         // -1: not known
	Length int64  `json:"length,omitempty"`
	Number int64  `json:"number,omitempty"` // of the record in its archive, from 1
	ID     string `json:"record_id,omitempty"`
}

// ExplainedCrawler is who is asked about.
type ExplainedCrawler struct {
	Token  string `json:"token"`
	Source string `json:"source,omitempty"`       // of the token
	Second string `json:"second_token,omitempty"` // of another crawler that the User-Agent names
	// the answer to that one, of the governing capture or of the one marked as contradicting
	SecondSays *Said  `json:"second_says,omitempty"`
	Made       string `json:"made_by,omitempty"` // in a what-if: the crawler that made the fetch
}

// Said is the answer of one capture to the fetch.
type Said struct {
	Verdict   string   `json:"verdict"`
	Reason    string   `json:"reason,omitempty"`
	Match     string   `json:"agent_match,omitempty"`
	Rule      string   `json:"rule,omitempty"`
	RuleLine  int      `json:"rule_line,omitempty"`
	GroupLine int      `json:"group_line,omitempty"`
	Readings  []string `json:"open_readings,omitempty"` // that turn the verdict round
}

// ExplainedCapture is a capture of the origin's robots.txt.
type ExplainedCapture struct {
	ID      int64           `json:"robots_id"`
	Skipped int             `json:"skipped,omitempty"` // captures left out before this one
	Time    Moment          `json:"time"`
	URL     string          `json:"url,omitempty"`   // of the target of a redirect; else it is robots.txt
	Agent   string          `json:"agent,omitempty"` // of the crawler that made it
	Own     bool            `json:"own"`             // that is the crawler of the fetch
	After   bool            `json:"after"`           // it counts as after the fetch
	Roles   []string        `json:"roles,omitempty"`
	Copy    bool            `json:"permitted_copy"` // the crawler may have acted on it (RFC 9309 §2.4)
	Outcome string          `json:"outcome"`
	Reason  string          `json:"reason,omitempty"` // of an outcome without rules
	Status  *int16          `json:"status"`
	Type    string          `json:"record_type"`
	Record  ExplainedRecord `json:"record"`
	Way     []ExplainedStep `json:"way,omitempty"`          // to the record that holds the content
	Final   *int16          `json:"final_status,omitempty"` // at the end of redirects
	Content Moment          `json:"content_time"`           // the oldest content applied, from which age counts
	Body    *ExplainedBody  `json:"body,omitempty"`         // the content applied, unless it is the record's own
	Doubts  []string        `json:"doubts,omitempty"`
	Says    *Said           `json:"says,omitempty"`
	governs bool
}

// The roles of a capture that decides, besides the governing one.
const (
	RoleContests    = verdict.RoleContests    // a permitted copy that allows
	RoleContradicts = verdict.RoleContradicts // for it the verdict is withdrawn
	rolePrior       = "prior"                 // the one before a governing capture that shows nothing
)

// Governs reports whether the capture governs the fetch.
func (c *ExplainedCapture) Governs() bool { return c.governs }

// IsDecisive reports whether the capture decides the verdict or its certainty.
func (c *ExplainedCapture) IsDecisive() bool {
	return c.governs || slices.ContainsFunc(c.Roles, func(role string) bool {
		return role == RoleContests || role == RoleContradicts || role == rolePrior
	})
}

// ExplainedStep is a record that a capture led to.
type ExplainedStep struct {
	// redirect; rival: it may have led there instead; original: of a revisit or 304; named: by a revisit with
	// another payload digest
	Kind   string           `json:"kind"`
	URL    string           `json:"url,omitempty"` // of a redirect
	Record *ExplainedRecord `json:"record"`        // null: not in these archives
}

// ExplainedLead is a redirect of robots.txt that may have led to the fetch.
type ExplainedLead struct {
	URL    string          `json:"url"`
	Time   Moment          `json:"time"`
	Record ExplainedRecord `json:"record"` // of the capture of robots.txt that it began with
}

// ExplainedBody is the content that a capture stands for.
type ExplainedBody struct {
	Time   Moment          `json:"time"`
	Agent  string          `json:"agent,omitempty"`
	Record ExplainedRecord `json:"record"`
}

// ExplainedFile is the robots.txt that governs.
type ExplainedFile struct {
	Size int64 `json:"size"`
	// first user-agent line of each group that governs the token
	Groups    []int           `json:"group_lines"`
	AgentLine int             `json:"agent_line,omitempty"` // the user-agent line that names it
	AgentText string          `json:"agent_value,omitempty"`
	Matching  []ExplainedRule `json:"matching_rules,omitempty"` // of the group, the one that decides first
	More      int             `json:"more_matching_rules,omitempty"`
	Excerpt   []ExplainedLine `json:"excerpt,omitempty"`
}

// ExplainedRule is a rule that matches the path.
type ExplainedRule struct {
	Line   int    `json:"line"`
	Text   string `json:"text"`
	Allow  bool   `json:"allow"`
	Length int    `json:"length"` // bytes of the normalised pattern, by which rules are compared
}

// ExplainedLine is a line of robots.txt.
type ExplainedLine struct {
	Number int    `json:"line"`
	Text   string `json:"text"`
	Mark   string `json:"mark,omitempty"` // group, agent, rule, lost or other
}

// ExplainedReading is a reading that was tried.
type ExplainedReading struct {
	Name   string `json:"reading"`
	Allows bool   `json:"allows"` // by itself, or together with the others that allow
}
