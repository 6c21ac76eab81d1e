package evaluate

import (
	"github.com/robotsaudit/robotsaudit/evaluate/crawler"
	"github.com/robotsaudit/robotsaudit/evaluate/use"
	"github.com/robotsaudit/robotsaudit/evaluate/verdict"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/restriction"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// The types of the facts that results refer to. Package ingest makes them.
type (
	Facts     = facts.Set       // what is known of an output folder's archives: of ingest.OpenFacts
	Fetch     = facts.Fetch     // a captured exchange as the archive records it
	Capture   = facts.Capture   // a fetch whose payload is policy
	LogEvent  = facts.LogEvent  // what a crawler did not fetch, by its log
	Issue     = facts.Issue     // what could not be read or trusted
	Time      = facts.Time      // a moment with the precision at which the archive gives it
	Precision = facts.Precision // its precision
	Source    = facts.Source    // where what is known of a crawler stands
	Cut       = facts.Cut       // what divides fetches into ranges
	Spot      = facts.Spot      // where a record stands: input, entry of a WACZ, number
)

// A verdict on a fetch, and the captures of robots.txt that it rests on.
type (
	State        = verdict.State        // a capture of a timeline: what it came to, and who made it
	Answer       = verdict.Answer       // the answer of one robots capture for a path and a token
	GroupVerdict = verdict.GroupVerdict // what a fetch would have been for the tokens of a group
	Ground       = verdict.Ground       // what a verdict rests on
)

// Who made a fetch.
type (
	CrawlerMap  = crawler.Map  // names crawlers by their User-Agent
	CrawlerRule = crawler.Rule // one rule of a CrawlerMap
)

// The words of a verdict.
type (
	Word        = words.Word        // a word of the tables, and its meaning
	Verdict     = words.Verdict     // whether robots.txt permitted a fetch
	Evidence    = words.Evidence    // how near in time the governing capture lies
	Certainty   = words.Certainty   // how sure it is that a disallowed fetch violated robots.txt
	Reason      = words.Reason      // why the verdict is what it is, and why a capture came to its outcome
	Notes       = words.Notes       // remarks on a verdict, as a set
	AgentSource = words.AgentSource // how the crawler's token is known
	Match       = words.Match       // how the group was found that decides for a token
	Outcome     = words.Outcome     // what a capture came to, after revisits and redirects
)

// What other programs need of a verdict. Reasons, notes and outcomes are distinguished by their names.
const (
	Unknown    = words.Unknown
	Allowed    = words.Allowed
	Disallowed = words.Disallowed

	Fresh = words.Fresh // captured at most 24 h before the fetch (RFC 9309 §2.4)
	Stale = words.Stale // longer before
	Later = words.Later // received after the fetch

	NoCertainty = words.NoCertainty // the fetch is not disallowed
	Certain     = words.Certain     // a violation
	Probable    = words.Probable    // a violation; a doubt remains
	Possible    = words.Possible    // no violation
	Contested   = words.Contested   // no violation
)

// Profile is a reading of the Robots Exclusion Protocol. The zero value reads as RFC9309.
type Profile = robots.Profile

// The profiles.
const (
	RFC9309 = robots.RFC9309 // rfc9309: RFC 9309
	REP08   = robots.REP08   // rep-08: draft-koster-rep-08
	Google  = robots.Google  // google: Google's published parser and matcher
)

// Profiles lists them.
var Profiles = robots.Profiles

// ParseProfile returns the profile of a name, as the constants have it.
func ParseProfile(name string) (Profile, error) { return robots.ParseProfile(name) }

// What robots.txt files hold.
type (
	Rule   = robots.Rule // an allow or disallow line
	Remark = robots.Note // a linter's remark on a file
)

// RestrictionClass is how far a robots.txt restricts a product token. The zero value is unknown.
type RestrictionClass = restriction.Class

// RestrictionKind is what a page or origin speaks against.
type RestrictionKind = tag.Kind

// The kinds of restriction.
const (
	RestrictsPublication = tag.KindPublication // showing what was fetched
	RestrictsUsage       = tag.KindUsage       // using it
)

// Use is a purpose that what was fetched may serve.
type Use = tag.Use

// The uses.
const (
	UseArchive = tag.UseArchive // keep copies and show them
	UseIndex   = tag.UseIndex   // build a public search index
	UseTrain   = tag.UseTrain   // train models
)

// ParseUse returns the use of a name: archive, index or train.
func ParseUse(name string) (use Use, ok bool) { return tag.ParseUse(name) }

// The statements of pages and origins about the use of what was fetched.
type (
	Tag         = tag.Tag    // a rule that a page states
	TagSet      = tag.Set    // the tags of a page that are in effect for one product token
	TagSource   = tag.Source // where a tag or signal stands
	UsageSignal = tag.Signal // a preference on a purpose
)

// What a page and its origin say about the use of what was fetched.
type (
	Page        = use.Page        // all of it
	AgentSet    = use.AgentSet    // the tags of a page that are in effect for a product token
	Signal      = use.Signal      // a usage signal that holds for a fetch
	Conflict    = use.Conflict    // a contradiction
	Restriction = use.Restriction // what speaks against a purpose of the audit
)

// ConflictKinds is indexed by ConflictKind.
var ConflictKinds = use.ConflictKinds

// What a capture came to, and why.
type (
	CaptureState = resolve.State // a capture and what it came to
	Step         = resolve.Step  // a record that a capture led to
	StepKind     = resolve.StepKind
	Lead         = resolve.Lead // a redirect that may have led to another record than the one that counts
)

// The kinds of step.
const (
	StepHop      = resolve.StepHop      // the target of a redirect
	StepOriginal = resolve.StepOriginal // the original of a revisit
	StepCopy     = resolve.StepCopy     // the copy that a 304 renews
	StepRival    = resolve.StepRival    // another record to which the redirect of the hop before may have led
	StepNamed    = resolve.StepNamed    // what a revisit names, and what has another payload
)

// PageSource states where the tags of a fetch are from. The zero value is its own
// record, all of whose head was read.
type PageSource = resolve.Source

// Where tags are from.
const (
	PageOwn      = resolve.SourceOwn
	PageOriginal = resolve.SourceOriginal // the original of a revisit or 304 (draft-illyes-repext-03 §3.1.4)
	// some may be missing: no original, a coding not undone, a head that does not end, more than are kept
	PageUnknown = resolve.SourceUnknown
)
