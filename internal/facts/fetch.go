package facts

import (
	"math"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// RecordType is the kind of archive record that holds a fetch.
type RecordType uint8

// The record types that are fetches.
const (
	typeUnknown RecordType = iota
	TypeResponse
	TypeRevisit
	TypeResource
	TypeARC
	TypeLogLine
	TypeIndexed
	TypeRow   // of a table of robots.txt
	TypeOther // no fetch, though an index may have a row of it that looks like one
	TypeAccessLog
)

// RecordTypes is indexed by RecordType.
var RecordTypes = []words.Word{
	typeUnknown:   {Name: "unknown"},
	TypeResponse:  {Name: "response", Meaning: "A WARC response record."},
	TypeRevisit:   {Name: "revisit", Meaning: "A WARC revisit record."},
	TypeResource:  {Name: "resource", Meaning: "A WARC resource record."},
	TypeARC:       {Name: "arc", Meaning: "An ARC record."},
	TypeLogLine:   {Name: "log", Meaning: "A line of a crawler's log: of `robots` alone."},
	TypeIndexed:   {Name: "indexed", Meaning: "No record was read: an index or a list of URLs reports the fetch."},
	TypeRow:       {Name: "row", Meaning: "A row of a table of robots.txt: of `robots` alone."},
	TypeOther:     {Name: "other"},
	TypeAccessLog: {Name: "access_log", Meaning: "A line of an access log of the site."},
}

func (t RecordType) String() string { return words.Name(RecordTypes, t) }

// RevisitProfile is the kind of original that a revisit record states (WARC 1.1 §6.7).
type RevisitProfile uint8

// The revisit profiles.
const (
	RevisitNone RevisitProfile = iota
	RevisitIdenticalPayload
	RevisitNotModified
	RevisitOther
)

// Source is the kind of record that states the User-Agent.
type Source uint8

// Where a User-Agent came from.
const (
	SourceNone Source = iota
	SourceRequest
	SourceWarcinfo
	SourceRobotsSubset // of a row of an index: the one that all captures of robots.txt have
	SourceList         // the list of URLs itself
	SourceAccessLog    // the line of an access log
)

func (s Source) String() string {
	return [...]string{"none", "request", "warcinfo", "robots_subset", "list", "access_log"}[s]
}

// Trust is the certainty that a record stands at a true boundary of the archive. The
// zero value is an unbroken chain of verified records.
type Trust uint8

// The degrees of trust.
const (
	TrustChained Trust = iota
	TrustResynced
	TrustIndexed
	TrustListed
	TrustVerified
	TrustLogged
)

// Trusts is indexed by Trust.
var Trusts = []words.Word{
	TrustChained:  {Name: "chained", Meaning: "Every record before it was verified."},
	TrustResynced: {Name: "resynced", Meaning: "It was found again after damage, or its header contradicts itself."},
	TrustIndexed:  {Name: "indexed", Meaning: "No record was read: an index reports it."},
	TrustListed: {Name: "listed", Meaning: "No record was read: a list of URLs, or a table of robots.txt, " +
		"reports it."},
	TrustVerified: {
		Name:    "verified",
		Meaning: "An index or a list reports it, and the record was found there (`--verify`).",
	},
	TrustLogged: {Name: "logged", Meaning: "There is no record: the site's own access log reports it."},
}

func (t Trust) String() string { return words.Name(Trusts, t) }

// Flags of a fetch.
type Flags uint32

// Properties of a row besides its values.
const (
	FlagHTTPHead          Flags = 1 << iota // the block begins with a status line
	FlagURLCut                              // the URL is longer than the cap
	FlagPolicyHeadersCut                    // policy header lines were cut
	FlagBodyCut                             // the body is longer than the cap, or ends before its coding does
	FlagFalseChunked                        // declared chunked, and is not
	FlagFalseEncoding                       // a declared Content-Encoding could not be undone
	FlagUndeclaredGzip                      // a gzip body that no header declares
	FlagBodyKept                            // the body is in the pack
	FlagStreamed                            // the offset is one in a decompressed stream
	FlagUnsupportedScheme                   // a response of a scheme that robots.txt does not speak of
	FlagDigestMismatch                      // a digest of the record does not match what it holds
	FlagDiscovery                           // a metadata record states how the crawler came to the URL
	FlagSeed                                // it was a seed
	FlagForceFetch                          // it was fetched although the crawler had it already
	FlagPagesListed                         // the WACZ lists its pages, and whether this is one is known
	FlagPage                                // it is
	FlagSeedKnown                           // the list marks seeds among its pages
	// nobody can read the body: a coding that was not undone, or a binary format
	FlagUndecodable
	FlagSerial        // the archive was written by a crawler that makes one fetch after the other
	FlagHostMismatch  // the request names another host than the URL
	FlagForgeable     // the record stands after damage, and a page could hold it; or it states two dates or URLs
	FlagRefuted       // the record that this index row points to is missing or different
	FlagRequestUnread // the record was verified, and its request was not found next to it
	FlagUnread        // a row of an index: its record was to be verified, and could not be read
	FlagUnbound       // the record was verified, and names no warcinfo of its archive: it may be the content of a page
	FlagMayBeNoFetch  // a row of an index without a status: its record may be metadata, or a conversion
	FlagChallenge     // the answer is a test for crawlers, in place of the content
	FlagOperator      // a line of an access log: its address is the operator's whose crawler the User-Agent names
	FlagForged        // its address is not that operator's
	FlagNoZone        // a line of an access log: its time has no zone
	FlagAuthorized    // the request had credentials, and was answered with 2xx
)

// Fetch is a row of facts: one captured exchange as the archive records it.
// Strings are as recorded unless said otherwise; "" means absent.
type Fetch struct {
	HostReversed    string
	Origin          string // semantics: scheme, host, port
	Micros          int64
	Precision       Precision
	URL             string
	RecordID        recordid.ID
	Input           int32  // index into the task's inputs
	Entry           string // of a WACZ, by its name there; "" elsewhere
	Archive         string // that holds the record, as an index names it; "": the input does
	Offset          int64
	Index           int64 // of the record in its input or entry, in file order, from 1
	Run             int32 // number of the crawler's run in the input or entry (CrawlRun); 0: none is known
	Length          int64 // -1: not stated by the index
	PayloadSize     int64 // bytes of the payload, plus 1: see PayloadBytes; 0: not known
	DecodedSize     int64 // bytes that its codings leave, plus 1; 0: not known
	Type            RecordType
	Trust           Trust
	Flags           Flags
	Method          string // "": not stated by the index
	Status          int16  // -1: none could be read
	Location        string
	MIMEType        string
	DetectedType    string // media type that whoever wrote the archive or the index found in the content
	Languages       string // that they found in it, joined by commas
	PayloadDigest   string // as the record's header gives it
	Truncated       string // WARC-Truncated
	UserAgent       string
	UserAgentSource Source
	Claim           string // warcinfo robots:
	PolicyHeaders   string // raw lines, joined by \n
	Metas           string // what the page itself states of its use: tag.Found.Encode
	Profile         RevisitProfile
	RefersToURL     string
	RefersToMicros  int64
	RefersToPrec    Precision
	RefersToID      recordid.ID // recordid.Key of it
	Via             string      // of the metadata record: the page that led here
	HopsFromSeed    string      // a letter a hop
	Millis          int32       // that the fetch took; -1: not said; NoMillis: what is said is no such time
	// microseconds before its date at which it may have begun: its request is dated so, or a log states its end and
	// how long it took
	Lead    int64
	ListIDs string // the user's own names of its rows in lists of URLs: ListedIDs
	// since 1970, of the answer's Date field; 0: it has none, or has an Age field, so that a cache may have sent it
	ServerSeconds int64
}

// NoMillis stands for a duration that is negative, no number or too long: the fetch may have ended at
// any time.
const NoMillis = math.MaxInt32

// Time returns the fetch's WARC-Date.
func (f *Fetch) Time() Time { return Time{f.Micros, f.Precision} }

// PayloadBytes is the length of the payload as it was transferred: of the record's block, without the HTTP head,
// with all codings. False: nobody knows it, or the payload is not in the record.
func (f *Fetch) PayloadBytes() (int64, bool) { return f.PayloadSize - 1, f.PayloadSize > 0 }

// DecodedBytes is the length of the payload once its codings are undone. False: nobody knows it.
func (f *Fetch) DecodedBytes() (int64, bool) { return f.DecodedSize - 1, f.DecodedSize > 0 }

// IsCut reports whether the record holds a part of the payload, or something else.
func (f *Fetch) IsCut() bool {
	return f.PayloadSize == 0 || f.Flags&(FlagBodyCut|FlagDigestMismatch) != 0
}

// listIDEnd separates the names in ListIDs.
const listIDEnd = "\x00"

// maxListIDs bounds the bytes of the names of one fetch.
const maxListIDs = 64 << 10

// AddListIDs adds names of rows, each once, while there is room.
func (f *Fetch) AddListIDs(ids string) {
	for id := range strings.SplitSeq(ids, listIDEnd) {
		if id == "" || len(f.ListIDs)+len(id) >= maxListIDs || slices.Contains(f.ListedIDs(), id) {
			continue
		}
		if f.ListIDs != "" {
			f.ListIDs += listIDEnd
		}
		f.ListIDs += id
	}
}

// ListedIDs are the user's own names of the rows in lists of URLs that report the fetch.
func (f *Fetch) ListedIDs() []string {
	if f.ListIDs == "" {
		return nil
	}
	return strings.Split(f.ListIDs, listIDEnd)
}

// IsIndexed reports whether f comes from an index or a list, and its record was not
// read.
func (f *Fetch) IsIndexed() bool { return f.Type == TypeIndexed }

// NamesRecord reports whether a row of an index or a list names a record that can be looked for: by its place, and by
// its second, which shows that the row and the record are one fetch.
func (f *Fetch) NamesRecord() bool {
	return f.IsIndexed() && f.Archive != "" && f.Offset >= 0 && f.Precision >= PrecisionSecond
}

// IsReportedByIndex reports whether an index or a list reports f. Its record may have been read since.
func (f *Fetch) IsReportedByIndex() bool { return f.IsIndexed() || f.Trust == TrustVerified }

// RefersToDate returns the date of the original that a revisit names.
func (f *Fetch) RefersToDate() Time { return Time{f.RefersToMicros, f.RefersToPrec} }

// refersElsewhere reports whether f is a revisit of a record that need not come before
// it in the order of the facts, among the fetches of its own origin: it names a URL of
// another origin, a date that is not before its own, or, without URL and date (WARC 1.0
// §6.7), a record id alone.
func (f *Fetch) refersElsewhere() bool {
	date := f.RefersToDate()
	switch {
	case f.Type != TypeRevisit:
		return false
	case f.RefersToURL == "" || !date.Known():
		return f.RefersToID != "" && len(f.RefersToID) < recordid.MaxSize // a cut one names many
	case !f.Time().Known() || date.MicrosSince(f.Time()) >= 0:
		return true
	case f.RefersToURL == f.URL:
		return false
	}
	u, _ := weburl.Parse(f.RefersToURL)
	return u.Origin() != f.Origin
}

// RereadCost is about how many bytes it takes to read the body again: of a stream all
// that comes before the record.
func (f *Fetch) RereadCost() int64 {
	if f.Flags&FlagStreamed != 0 {
		return f.Offset + f.Length
	}
	return f.Length
}

// AtMost returns at most n bytes of s, and does not keep the rest in memory.
func AtMost(s string, n int) string {
	if len(s) > n {
		return strings.Clone(s[:n])
	}
	return s
}
