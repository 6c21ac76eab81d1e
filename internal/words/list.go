package words

// Fate is what becomes of a fetch of a page in the lists of 'robotsaudit export'. A greater one prevails. The zero
// value is none.
type Fate uint8

// The fates.
const (
	NoFate Fate = iota
	Keep
	Leave
	Drop
)

// Fates is indexed by Fate.
var Fates = []Word{
	NoFate: {},
	Keep:   {Name: "keep", Meaning: "The page may be kept."},
	Leave:  {Name: "undecided", Meaning: "Nobody knows, or it is no page: it is in neither of the other lists."},
	Drop:   {Name: "drop", Meaning: "The page is to be dropped."},
}

func (f Fate) String() string { return Fates[f].Name }

// ParseFate returns the fate of a name; NoFate for any other text.
func ParseFate(name string) Fate { return Parse[Fate](Fates, name) }

// Cause is why a fetch of a page is kept, dropped or undecided. Where several hold, the greatest fate counts, and
// among its causes the first in this order.
type Cause uint8

// The causes.
const (
	NoCause Cause = iota
	CauseDisallowed
	CauseRestricted
	NotAPage
	StatusUnknown
	RobotsUnknown
	CauseChallenge
	UnnamedCrawler
	TagsUnknown
	CauseHint
	CauseAllowed
)

// Causes is indexed by Cause.
var Causes = []Word{
	NoCause: {},
	CauseDisallowed: {
		Name:    "disallowed",
		Meaning: "robots.txt forbids it: to the crawler that made the fetch or, with `--agents`, to one of them.",
	},
	CauseRestricted: {
		Name:    "restricted",
		Meaning: "The page or its site restricts a `--purpose` (table `restrictions`).",
	},
	NotAPage: {
		Name: "not_a_page",
		Meaning: "The answer has no status of 2xx, or is one to HEAD: a redirect, an error, a 304. Only " +
			"`--decide not_a_page=keep` or `=drop` decides it.",
	},
	StatusUnknown: {
		Name:    "status_unknown",
		Meaning: "The index states no status: there may be no page.",
	},
	RobotsUnknown: {
		Name:    "robots_unknown",
		Meaning: "The verdict is unknown; `detail` names the reason.",
	},
	CauseChallenge: {
		Name:    "challenge",
		Meaning: "robots.txt is a challenge: a page that asks for a proof that the client is no crawler.",
	},
	UnnamedCrawler: {
		Name: "unnamed_crawler",
		Meaning: "robots.txt forbids it to a crawler that it names; that one may have made the fetch. `--agents` " +
			"decides it, too.",
	},
	TagsUnknown: {
		Name:    "tags_unknown",
		Meaning: "Some tags of the page may be missing (`tags_from` is `unknown`), and a `--purpose` is asked for.",
	},
	CauseHint: {
		Name:    "hint",
		Meaning: "A statement without force speaks against a `--purpose` (`fetches.hints`).",
	},
	CauseAllowed: {Name: "allowed", Meaning: "robots.txt permits it, and nothing known speaks against it."},
}

func (c Cause) String() string { return Causes[c].Name }

// Fate is what the cause makes of a fetch, unless the user decides otherwise.
func (c Cause) Fate() Fate {
	switch c {
	case CauseDisallowed, CauseRestricted:
		return Drop
	case CauseAllowed:
		return Keep
	}
	return Leave
}

// CauseOf returns the cause of a name; NoCause for any other text.
func CauseOf(name string) Cause { return Parse[Cause](Causes, name) }
