// Package evaluate reconstructs each origin's robots.txt in time and decides every
// fetch against it.
//
// Resolve comes first: every robots.txt capture is followed through revisits and
// redirects, across origins, to what it came to. After that the origins are
// independent: Decide takes a range of the fetches, loads one origin's timeline after the
// other and streams the origin's fetches past it. Finish adds the ranges up. Run does all
// of it. Origin loads one origin alone, to decide any fetch by it.
//
// Package verdict decides each fetch, package use reads what is said about its use. This one gives
// them the fetches and timelines, counts, and passes results to a Sink. It knows nothing of
// containers, HTML or tables.
//
// # Ranges
//
// Ranges share nothing but what resolving left, so they can be decided in any order. Their rows,
// one range after the other, are the rows of all. Four things make ranges add up. The IDs of
// captures number the states of all timelines in order, and resolving counts how many each bucket
// has. Counts are sums; of product tokens beyond 65,536, and of claims beyond 64, the first in the
// alphabet are kept. Issues are runs of rows, merged at the end. Caches are a range's own, and no
// result depends on them.
//
// A Cut lies before a bucket, before an origin, or inside an origin, before a new second: rows of
// one second depend on one another (duplicates, rows of indexes). What deciding carries from fetch
// to fetch, the originals of revisits, is a function of the fetches before, which
// evaluation.remember reads again until the oldest are forgotten. Captures, policies and issues
// belong to the range with the origin's beginning. It takes all fetches of an origin to know who
// made its exclusions, so no cut lies inside such an origin.
//
// # Other questions
//
// For the what-if, the tokens of each robots.txt are sorted by the groups that decide for them
// (parsed.TokenGroup). Each such set is decided once, unless other captures count. Copies of a record
// follow it in the order of the facts. It is decided once all its places are known, because each of
// them may show the order of records of one moment.
package evaluate

import (
	"github.com/robotsaudit/robotsaudit/evaluate/verdict"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Result is the verdict on one fetch, and what else is known of it.
type Result struct {
	verdict.Finding

	Refusal  Refusal
	Modality Modality

	Page         *Page         // what is said of the use of what was fetched; nil where that is nothing
	Restrictions []Restriction // that bind a purpose of the audit; no violations
}

// Counts are tallies of fetches. Every fetch is counted once in exactly one of
// Allowed, Disallowed and Unknown, and once in exactly one of the four kinds of
// evidence. ViolationsCertain, ViolationsProbable, Possible and Contested split
// Disallowed without rest.
type Counts struct {
	// All fetches.
	Fetches int64 `parquet:"fetches" json:"fetches"`
	// Fetches that are captures of robots.txt.
	RobotsCaptures int64 `parquet:"robots_captures" json:"robots_captures"`
	// Fetches with reason `robots_txt_itself`, which are allowed.
	RobotsTxtItself int64 `parquet:"robots_txt_itself" json:"robots_txt_itself"`
	// Fetches with verdict allowed.
	Allowed int64 `parquet:"allowed" json:"allowed"`
	// Fetches with verdict disallowed.
	Disallowed int64 `parquet:"disallowed" json:"disallowed"`
	// Fetches with verdict unknown.
	Unknown int64 `parquet:"unknown" json:"unknown"`
	// Requests of access logs with reason `no_crawler` or `forged_agent`.
	NoCrawler int64 `parquet:"no_crawler" json:"no_crawler"`
	// Fetches with evidence fresh.
	EvidenceFresh int64 `parquet:"evidence_fresh" json:"evidence_fresh"`
	// Fetches with evidence stale.
	EvidenceStale int64 `parquet:"evidence_stale" json:"evidence_stale"`
	// Fetches with evidence later.
	EvidenceLater int64 `parquet:"evidence_later" json:"evidence_later"`
	// Fetches with evidence none.
	EvidenceNone int64 `parquet:"evidence_none" json:"evidence_none"`
	// Rows of `violations` that are certain.
	ViolationsCertain int64 `parquet:"violations_certain" json:"violations_certain"`
	// Rows of `violations` that are probable.
	ViolationsProbable int64 `parquet:"violations_probable" json:"violations_probable"`
	// Violations of what was [new](#time-to-compliance) in a changed robots.txt.
	ViolationsAfterChange int64 `parquet:"violations_after_change" json:"violations_after_change"`
	// Rows of `unproven` that are possible.
	Possible int64 `parquet:"possible" json:"possible"`
	// Rows of `unproven` that are contested.
	Contested int64 `parquet:"contested" json:"contested"`
	// Allowed fetches with the note `unsafe_encoding`.
	UnsafeEncoding int64 `parquet:"allowed_unsafe_encoding" json:"allowed_unsafe_encoding"`
	// Allowed fetches with the note `named_group_forbids`.
	NamedGroupForbids int64 `parquet:"allowed_named_group_forbids" json:"allowed_named_group_forbids"`

	// Fetches with a tag that binds somebody.
	Tagged int64 `parquet:"tagged" json:"tagged"`
	// Fetches some of whose tags may be missing (`tags_from` `unknown`).
	TagsUnknown int64 `parquet:"tags_unknown" json:"tags_unknown"`
	// Fetches with a usage signal.
	Signalled int64 `parquet:"signalled" json:"signalled"`
	// Fetches whose tags restrict publication for their crawler, at `--as-of`.
	PublicationRestricted int64 `parquet:"publication_restricted" json:"publication_restricted"`
	// Fetches whose tags or signals restrict some use.
	UsageRestricted int64 `parquet:"usage_restricted" json:"usage_restricted"`
	// Fetches with `hints`.
	Hinted int64 `parquet:"hinted" json:"hinted"`
	// Fetches in `tag_conflicts`.
	Conflicting int64 `parquet:"conflicting" json:"conflicting"`
	// Fetches of an `ai.txt`, at the root or in `/.well-known/`, that got it.
	PolicyFiles int64 `parquet:"policy_files" json:"policy_files"`
	// Rows of `restrictions` of kind `publication`; 0 without `--purpose`.
	RestrictionsPublication int64 `parquet:"restrictions_publication" json:"restrictions_publication"`
	// Rows of `restrictions` of kind `usage`; 0 without `--purpose`.
	RestrictionsUsage int64 `parquet:"restrictions_usage" json:"restrictions_usage"`

	// Fetches that the server refused (`refusal`).
	Refused int64 `parquet:"refused" json:"refused"`
	// Fetches refused although robots.txt allowed them, for another reason than a payment.
	RefusedAllowed int64 `parquet:"refused_allowed" json:"refused_allowed"`
	// Fetches refused for a payment (402) although robots.txt allowed them.
	RefusedPayment int64 `parquet:"refused_payment" json:"refused_payment"`
	// Sum of `payload_bytes`, where known.
	PayloadBytes int64 `parquet:"payload_bytes" json:"payload_bytes"`
	// Fetches whose `payload_bytes` is null.
	PayloadUnknown int64 `parquet:"payload_unknown" json:"payload_unknown"`
	// Sum of `payload_bytes_decoded`, where known.
	PayloadBytesDecoded int64 `parquet:"payload_bytes_decoded" json:"payload_bytes_decoded"`
	// Fetches whose `payload_bytes_decoded` is null.
	PayloadDecodedUnknown int64 `parquet:"payload_decoded_unknown" json:"payload_decoded_unknown"`
	// Fetches with modality text.
	ModalityText int64 `parquet:"modality_text" json:"modality_text"`
	// Fetches with modality image.
	ModalityImage int64 `parquet:"modality_image" json:"modality_image"`
	// Fetches with modality audio.
	ModalityAudio int64 `parquet:"modality_audio" json:"modality_audio"`
	// Fetches with modality video.
	ModalityVideo int64 `parquet:"modality_video" json:"modality_video"`
	// Fetches with modality application.
	ModalityApplication int64 `parquet:"modality_application" json:"modality_application"`
	// Fetches with modality other.
	ModalityOther int64 `parquet:"modality_other" json:"modality_other"`
	// Fetches whose `modality` is null.
	ModalityUnknown int64 `parquet:"modality_unknown" json:"modality_unknown"`
}

// Countable is what of a fetch a row of `fetches` has, too, and counts are made of.
type Countable struct {
	Verdict   Verdict
	Reason    Reason
	Evidence  Evidence
	Certainty Certainty
	Notes     Notes
	Refusal   Refusal
	Modality  Modality

	PayloadSize, DecodedSize int64 // in bytes, plus 1; 0: not known
	TagsUnknown, Hinted      bool
}

// Add counts a result.
func (c *Counts) Add(r *Result) {
	is := Countable{
		r.Verdict, r.Reason, r.Evidence, r.Certainty, r.Notes, r.Refusal, r.Modality,
		r.Fetch.PayloadSize, r.Fetch.DecodedSize, false, false,
	}
	if r.Page != nil {
		is.TagsUnknown, is.Hinted = r.Page.From == PageUnknown, len(r.Page.Hints) > 0
		publication, usage := r.Page.Restricts()
		count(&c.Tagged, len(r.Page.Sets) > 0)
		count(&c.Signalled, len(r.Page.Signals) > 0)
		count(&c.PublicationRestricted, publication)
		count(&c.UsageRestricted, usage)
		count(&c.Conflicting, len(r.Page.Conflicts) > 0)
	}
	c.AddCountable(&is)
	count(&c.RobotsCaptures, r.RobotsCapture)
	count(&c.PolicyFiles, r.PolicyFile)
	count(&c.ViolationsAfterChange, r.IsAfterChange)
	for i := range r.Restrictions {
		c.AddRestriction(r.Restrictions[i].Kind == RestrictsPublication)
	}
}

// AddCountable counts a fetch.
func (c *Counts) AddCountable(r *Countable) {
	isAllowed := r.Verdict == Allowed
	c.Fetches++
	count(&c.Allowed, isAllowed)
	count(&c.Disallowed, r.Verdict == Disallowed)
	count(&c.Unknown, r.Verdict == Unknown)
	count(&c.EvidenceNone, r.Evidence == words.None)
	count(&c.EvidenceFresh, r.Evidence == Fresh)
	count(&c.EvidenceStale, r.Evidence == Stale)
	count(&c.EvidenceLater, r.Evidence == Later)
	count(&c.ViolationsCertain, r.Certainty == Certain)
	count(&c.ViolationsProbable, r.Certainty == Probable)
	count(&c.Possible, r.Certainty == Possible)
	count(&c.Contested, r.Certainty == Contested)
	count(&c.RobotsTxtItself, r.Reason == words.RobotsTxtItself)
	count(&c.NoCrawler, words.IsOfNobody(r.Reason.String()))
	count(&c.UnsafeEncoding, isAllowed && r.Notes&words.NoteUnsafeEncoding != 0)
	count(&c.NamedGroupForbids, isAllowed && r.Notes&words.NoteNamedGroupForbids != 0)
	count(&c.Refused, r.Refusal != NotRefused)
	isRefused := isAllowed && r.Reason != words.RobotsTxtItself && r.Refusal != NotRefused
	count(&c.RefusedAllowed, isRefused && r.Refusal != RefusedPayment)
	count(&c.RefusedPayment, isRefused && r.Refusal == RefusedPayment)
	count(&c.TagsUnknown, r.TagsUnknown)
	count(&c.Hinted, r.Hinted)
	count(&c.PayloadUnknown, r.PayloadSize == 0)
	count(&c.PayloadDecodedUnknown, r.DecodedSize == 0)
	c.PayloadBytes += max(0, r.PayloadSize-1)
	c.PayloadBytesDecoded += max(0, r.DecodedSize-1)
	*[...]*int64{
		&c.ModalityUnknown, &c.ModalityText, &c.ModalityImage, &c.ModalityAudio, &c.ModalityVideo,
		&c.ModalityApplication, &c.ModalityOther,
	}[r.Modality]++
}

// AddRestriction counts a restriction of a fetch: of publication, or else of usage.
func (c *Counts) AddRestriction(isOfPublication bool) {
	count(&c.RestrictionsPublication, isOfPublication)
	count(&c.RestrictionsUsage, !isOfPublication)
}

func count(n *int64, is bool) {
	if is {
		*n++
	}
}

// HostStats counts the fetches of one origin.
type HostStats struct {
	Origin      string // "" for URLs whose origin could not be read
	First, Last facts.Time
	Counts

	Begun, Unfinished bool // earlier ranges, or later ones, have the counts of other fetches of the origin
}

// Join adds the counts of later fetches of the origin.
func (h *HostStats) Join(o *HostStats) {
	h.Sum(&o.Counts)
	widen(&h.First, &h.Last, o.First)
	widen(&h.First, &h.Last, o.Last)
}

// AgentStats counts the fetches of one product token.
type AgentStats struct {
	Agent  string          // "": no token known
	Claims map[string]bool // claims of warcinfo records about obedience
	Forged int64           // requests in its name from addresses that are not its operator's
	Counts

	LongestAfterChange int64 // of all Result.AfterChange
}

// Sink takes results. Calls come one at a time, in an order that depends on the
// archives alone. What a pointer points to is the Sink's until it returns.
type Sink interface {
	Robots(*RobotsRecord) error
	Policies(*Policies) error // of a capture, after Robots; of none that stands for a log line
	Result(*Result) error
	GroupVerdict(*GroupVerdict) error
	RobotsAgent(robotsID int64, group int, agent string) error
	Host(*HostStats) error
	Agent(*AgentStats) error
	Exclusion(*Exclusion) error
	Issue(*Issue) error
}

// NoSink is a Sink that keeps nothing. Others embed it, for what they do not take.
type NoSink struct{}

func (NoSink) Robots(*RobotsRecord) error           { return nil }
func (NoSink) Policies(*Policies) error             { return nil }
func (NoSink) Result(*Result) error                 { return nil }
func (NoSink) GroupVerdict(*GroupVerdict) error     { return nil }
func (NoSink) RobotsAgent(int64, int, string) error { return nil }
func (NoSink) Host(*HostStats) error                { return nil }
func (NoSink) Agent(*AgentStats) error              { return nil }
func (NoSink) Exclusion(*Exclusion) error           { return nil }
func (NoSink) Issue(*Issue) error                   { return nil }

// RobotsRecord is a resolved robots capture with what its file holds.
type RobotsRecord struct {
	*State
	Parsed bool // Groups, Rules and Notes are known
	Groups int
	Rules  int
	Notes  []robots.Note
}
