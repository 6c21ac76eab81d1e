package facts

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/object"
)

// Stdin is the path of the input that is read from standard input.
const Stdin = "-"

// Input is one archive to read.
type Input struct {
	Path    string `json:"path"` // real path: absolute, without symbolic links; a URL as object.Clean makes it; Stdin
	Name    string `json:"name"` // warc_filename in the tables
	Size    int64  `json:"size"`
	MTime   int64  `json:"mtime"`             // nanoseconds since 1970; 0 where there is a version
	Version string `json:"version,omitempty"` // entity tag of an object of a store or web server
	List    bool   `json:"list,omitempty"`    // the user calls it a list of URLs

	RobotsList bool   `json:"robots_list,omitempty"` // the user calls it a table of robots.txt
	Columns    string `json:"columns,omitempty"`     // of such a list or table: what the user calls its columns
	Bodies     string `json:"bodies,omitempty"`      // folder with the bodies that such a table names by their digests; "": none

	AccessLog string `json:"access_log,omitempty"` // the user calls it an access log: how it is to be read (AccessLog.String)

	Confined bool `json:"confined,omitempty"` // a list or index on a server names it, not the user: see object.Confined
}

func (in Input) context(ctx context.Context) context.Context {
	if in.Confined {
		return object.Confined(ctx)
	}
	return ctx
}

// Open opens the input as object.Open does.
func (in Input) Open(ctx context.Context) (object.Object, error) {
	return object.Open(in.context(ctx), in.Path, in.Object())
}

// Stat returns what is known of the object that holds the input now.
func (in Input) Stat(ctx context.Context) (object.Info, error) {
	return object.Stat(in.context(ctx), in.Path)
}

// Unchanged checks that the object is still the one that was planned. Of standard input nothing is known.
func (in Input) Unchanged(ctx context.Context) error {
	if in.Path == Stdin {
		return nil
	}
	return object.Unchanged(in.context(ctx), in.Path, in.Object())
}

// FindInput finds the file or object that a path names, as an input or an argument does. Its name is
// the path.
func FindInput(ctx context.Context, path string) (in Input, err error) {
	in = Input{Path: path, Name: object.Shown(path)}
	if object.IsRemote(path) {
		if in.Path, err = object.Clean(path); err != nil {
			return in, err
		}
	}
	info, err := object.Stat(ctx, in.Path)
	in.SetObject(info)
	return in, err
}

// Same reports whether two inputs are the same bytes, as far as the file system or the server shows
// it. Nothing is known of standard input, or without a version and a time from the server.
func (in Input) Same(other Input) bool {
	if in.Path != other.Path || in.Path == Stdin {
		return in.Path == other.Path
	}
	return in.Object() == other.Object() && in.List == other.List && in.Columns == other.Columns &&
		in.RobotsList == other.RobotsList && in.Bodies == other.Bodies &&
		in.AccessLog == other.AccessLog &&
		(in.MTime != 0 || in.Version != "" || !object.IsRemote(in.Path))
}

// IndexOf returns the index of the input of a path among others, which are sorted; -1: it is not among them.
func IndexOf(inputs []Input, path string) int {
	i, found := slices.BinarySearchFunc(inputs, path, func(in Input, path string) int {
		return strings.Compare(in.Path, path)
	})
	if !found {
		return -1
	}
	return i
}

// Compact returns the same input with texts that share memory where they can, and no other's.
func (in Input) Compact() Input {
	in.Path, in.Version = strings.Clone(in.Path), strings.Clone(in.Version)
	if strings.HasSuffix(in.Path, in.Name) {
		in.Name = in.Path[len(in.Path)-len(in.Name):]
	} else {
		in.Name = strings.Clone(in.Name)
	}
	return in
}

// Object is what is known of the object that holds the input.
func (in Input) Object() object.Info {
	return object.Info{Size: in.Size, MTime: in.MTime, Version: in.Version}
}

// SetObject fills in what is known of the object that holds the input.
func (in *Input) SetObject(info object.Info) {
	in.Size, in.MTime, in.Version = info.Size, info.MTime, info.Version
}

// InputResult is the result of reading one input.
type InputResult struct {
	Input
	Container   string `json:"container"`
	Fingerprint string `json:"fingerprint"`       // of the input's content, hexadecimal
	SHA256      string `json:"sha256,omitempty"`  // of the input's bytes, hexadecimal; "": not computed
	Refusal     string `json:"refusal,omitempty"` // why nothing of it was read
	InputStats
}

// Failure is an input that could not be read at all.
type Failure struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
	Path   string `json:"path,omitempty"` // of the input; "" where an argument named none
}

// FailedPaths are the paths of inputs that could not be read.
func FailedPaths(failures []Failure) map[string]bool {
	failed := make(map[string]bool)
	for _, f := range failures {
		failed[f.Path] = true
	}
	return failed
}

// InputStats counts the contents of an input.
type InputStats struct {
	Records map[string]int64 `json:"records"` // by WARC-Type
	Fetches int64            `json:"fetches"`
	Unnamed int64            `json:"unnamed,omitempty"` // fetches without a WARC-Record-ID
	// requests without a response
	Unanswered int64 `json:"unanswered,omitempty"`
	// fetches whose body is another's: revisits, and answers with status 304
	Borrowed int64       `json:"lent,omitempty"`
	Robots   int64       `json:"robots"`
	Issues   int64       `json:"issues"`
	Lossy    int64       `json:"lossy"`              // places that were not read
	Lost     []string    `json:"lost,omitempty"`     // the details of the first of them
	Resynced int64       `json:"resynced,omitempty"` // records whose trust is that
	Digests  DigestStats `json:"digests"`
	Events   int64       `json:"events,omitempty"` // log events
	Others   int64       `json:"others,omitempty"` // records of TypeOther
	Coarse   int64       `json:"coarse,omitempty"` // fetches whose date is coarser than a second, or none
	Crawls   []Crawl     `json:"crawls,omitempty"`
	Titles   []string    `json:"titles,omitempty"` // of a WACZ, and of those in it
	Runs     []CrawlRun  `json:"runs,omitempty"`

	// UserAgents of the captures of robots.txt, the first two; "": one without.
	RobotsAgents []string `json:"robots_agents,omitempty"`

	Indexed       int64 `json:"indexed,omitempty"`        // fetches in an index or a list, without a record here
	ListIDs       int64 `json:"list_ids,omitempty"`       // of them with a name of the user's own
	IndexedRobots int64 `json:"indexed_robots,omitempty"` // of them of robots.txt: no captures
	// monthly crawls of Common Crawl whose archives an index names
	CommonCrawls []string `json:"common_crawls,omitempty"`
	RobotsIn     []string `json:"robots_in,omitempty"` // archives that an index names for robots.txt, some of them
}

// Add adds the counts of another part of the same input.
func (s *InputStats) Add(other *InputStats) {
	AddCounts(s.Records, other.Records)
	Sum(s, other)
	s.Runs = append(s.Runs, other.Runs...)
	addOnce(&s.Crawls, MaxCrawls, other.Crawls...)
	addOnce(&s.Titles, MaxCrawls, other.Titles...)
	addOnce(&s.RobotsAgents, maxRobotsAgents, other.RobotsAgents...)
	addOnce(&s.CommonCrawls, MaxCrawls, other.CommonCrawls...)
	addOnce(&s.RobotsIn, MaxCrawls, other.RobotsIn...)
}

// addOnce adds to a list what it does not have yet, up to a length.
func addOnce[T comparable](list *[]T, most int, more ...T) {
	for _, one := range more {
		if len(*list) < most && !slices.Contains(*list, one) {
			*list = append(*list, one)
		}
	}
}

// maxRobotsAgents is how many User-Agents of captures of robots.txt are kept: two different ones suffice.
const maxRobotsAgents = 2

// AddRobotsAgent adds the User-Agent of a capture of robots.txt.
func (s *InputStats) AddRobotsAgent(userAgent string) {
	addOnce(&s.RobotsAgents, maxRobotsAgents, userAgent)
}

// AddCommonCrawl adds the name of a monthly crawl, as there are a few; "" is none.
func (s *InputStats) AddCommonCrawl(name string) { addName(&s.CommonCrawls, name) }

// AddTitle adds the title of a WACZ; "" is none.
func (s *InputStats) AddTitle(title string) { addName(&s.Titles, title) }

// AddRobotsIn adds an archive that holds some robots.txt, as there are a few; "" is none.
func (s *InputStats) AddRobotsIn(archive string) { addName(&s.RobotsIn, archive) }

func addName(list *[]string, name string) {
	if name != "" {
		addOnce(list, MaxCrawls, name)
	}
}

// MaxCrawls is how many different warcinfo records of one input are kept.
const MaxCrawls = 16

// AddCrawl adds a crawl that is not there yet.
func (s *InputStats) AddCrawl(w Crawl) { addOnce(&s.Crawls, MaxCrawls, w) }

// DigestStats counts digests that were compared with the bytes of their record.
type DigestStats struct {
	Block      int64 `json:"block"`      // WARC-Block-Digest that matched
	Stored     int64 `json:"stored"`     // WARC-Payload-Digest of the payload as stored
	Dechunked  int64 `json:"dechunked"`  // of the payload without its transfer coding
	Decoded    int64 `json:"decoded"`    // of the payload without its content coding, too
	Mismatched int64 `json:"mismatched"` // digests that matched nothing
	Unknown    int64 `json:"unknown"`    // digests that could not be read
}

// Sum adds the counts of another struct: all numbers, also of structs in it.
func Sum[T any](to, from *T) { sum(reflect.ValueOf(to).Elem(), reflect.ValueOf(from).Elem()) }

func sum(to, from reflect.Value) {
	for i := range to.NumField() {
		switch f := to.Field(i); {
		case f.CanInt():
			f.SetInt(f.Int() + from.Field(i).Int())
		case f.Kind() == reflect.Struct:
			sum(f, from.Field(i))
		}
	}
}

// AddCounts adds the counts of another map.
func AddCounts[K comparable](to, from map[K]int64) {
	for key, n := range from {
		to[key] += n
	}
}

// Crawl is a warcinfo record's description of the crawl that made the records after it
// (WARC 1.1 §6.2 and the fields that crawlers add). It is the crawler's word, never
// evidence.
type Crawl struct {
	Software  string `json:"software,omitempty"`
	UserAgent string `json:"user_agent,omitempty"` // http-header-user-agent
	From      string `json:"from,omitempty"`       // http-header-from
	Operator  string `json:"operator,omitempty"`
	IsPartOf  string `json:"is_part_of,omitempty"`
	Robots    string `json:"robots,omitempty"` // what it claims of obedience
}
