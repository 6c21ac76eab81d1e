package explain

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/finding"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// Limits of the text, unless all of it is asked for.
const (
	maxCaptures = 9  // lines of the timeline
	maxExcerpt  = 11 // lines of robots.txt
	maxLost     = 2  // rules that matched and lost
	maxWay      = 4  // steps to the content
	maxSaid     = 3  // statements against a purpose
	maxValue    = 160
	width       = 100
)

// WriteText writes the explanation for people, at most about 60 lines unless it is to be full.
func (x *Explanation) WriteText(w io.Writer, full bool) error {
	t := &text{Explanation: x, full: full, governing: governing(x.Explanation)}
	who := t.crawler(t.Crawler.Token)
	head := strings.ToUpper(t.Verdict[:1]) + t.Verdict[1:]
	if t.Certainty != "" {
		head += ", " + t.Certainty
	}
	switch t.Kind {
	case evaluate.KindWhatIf:
		t.line("%s: what held for %s, which did not make this fetch.", head, who)
	case evaluate.KindNone:
		t.line("%s: what would have held for %s. No archive holds this fetch.", head, who)
	default:
		t.line("%s.", head)
	}
	for _, s := range t.reasons() {
		for _, line := range wrapped(s, width) {
			t.line("%s", line)
		}
	}
	if t.Others > 0 {
		t.line("The same URL was fetched %s at other moments.", times(t.Others))
	}
	t.fetch()
	t.timeline()
	t.way()
	t.rules()
	t.readings()
	t.uses()
	t.lists()
	t.grounds()
	_, err := io.WriteString(w, t.b.String())
	return err
}

// text is an explanation on its way to a terminal.
type text struct {
	*Explanation
	full      bool
	governing *evaluate.ExplainedCapture
	b         strings.Builder
}

func (t *text) line(format string, a ...any) {
	t.b.WriteString(strings.TrimRight(fmt.Sprintf(format, a...), " "))
	t.b.WriteByte('\n')
}

// section begins a part with its heading.
func (t *text) section(format string, a ...any) {
	t.line("")
	t.line(format, a...)
}

// item writes a value with its label, wrapped.
func (t *text) item(label, format string, a ...any) {
	const indent = 17
	for i, line := range wrapped(fmt.Sprintf(format, a...), width-indent) {
		if i > 0 {
			label = ""
		}
		t.line("  %-*s%s", indent-2, label, line)
	}
}

// limit is a number of lines, unless all are asked for.
func (t *text) limit(n int) int {
	if t.full {
		return int(^uint(0) >> 1)
	}
	return n
}

// wrapped breaks a text at spaces. Words longer than a line stay whole.
func wrapped(s string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimLeft(line+" "+word, " ")
	}
	return append(lines, line)
}

// shown makes a value from an archive visible, and cuts it.
func (t *text) shown(s string) string {
	if t.full {
		return prose.Visible(s)
	}
	return prose.Clip(s, maxValue)
}

// crawler names a crawler by its token.
func (t *text) crawler(token string) string {
	return cmp.Or(t.shown(token), "a crawler that is not known by name")
}

// moment writes a time in UTC, as exact as it is known.
func moment(m evaluate.Moment) string {
	return cmp.Or(formatted(m, "2 January 2006, 15:04:05.999999 UTC"), "an unknown time")
}

// formatted writes a time by a layout, or as it is known; "": not at all.
func formatted(m evaluate.Moment, layout string) string {
	if at, err := time.Parse(time.RFC3339Nano, m.String()); err == nil {
		return at.Format(layout)
	}
	return m.String()
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return report.Count(int64(n), "time")
}

// reasons are the sentences of the answer.
func (t *text) reasons() []string {
	var list []string
	if t.Kind == evaluate.KindFetch {
		who := cmp.Or(t.shown(t.Crawler.Token), "A crawler that is not known by name")
		if t.Fetch.Type == facts.TypeIndexed.String() {
			who = "An index or a list alone says that " + t.crawler(t.Crawler.Token)
		}
		if t.Fetch.Trust == facts.TrustLogged.String() {
			who = "The site's access log says that " + t.crawler(t.Crawler.Token)
		}
		list = append(list, fmt.Sprintf("%s requested %s (%s).", who, t.shown(t.Fetch.URL), moment(t.Fetch.Time)))
	}
	list = append(list, t.why())
	switch {
	case t.Withdrawn == nil || t.Reason == "ambiguous_token":
	case t.Reason == "unread_capture":
		list = append(list, "The governing capture alone "+t.says(t.Withdrawn)+". What those marked ? say is not known.")
	default:
		list = append(list, "The governing capture alone "+t.says(t.Withdrawn)+". The capture marked ! speaks against it.")
	}
	if second := t.Crawler.SecondSays; second != nil {
		asked := "robots.txt"
		if t.Reason == "ambiguous_token" && !slices.Contains(t.governing.Roles, evaluate.RoleContradicts) {
			asked = "the capture marked !"
		}
		list = append(list, fmt.Sprintf("The User-Agent names %s, too: to that crawler %s %s.",
			t.shown(t.Crawler.Second), asked, t.says(second)))
	}
	if own := t.Own; own != nil && own.Verdict != t.Verdict && t.Verdict != words.Unknown.String() {
		why := ". No single difference from RFC 9309 decides."
		switch {
		case own.Difference != "":
			why = ": " + own.Difference + "."
		case t.governing.Outcome != words.OutcomeRules.String():
			why = ": it takes such an answer for no rules."
		}
		list = append(list, fmt.Sprintf("By the own reading of %s this was %s%s", t.shown(own.Software), own.Verdict, why))
	}
	if t.Prior != "" {
		list = append(list, fmt.Sprintf("The capture before it answers: %s. That is no verdict.", t.Prior))
	}
	if t.Certainty != "" {
		list = append(list, prose.Capital(t.Certainty)+": "+t.class())
	}
	return append(list, t.listed()...)
}

// listed are sentences on the lists that are asked about, and on others that say more than the verdict.
func (t *text) listed() (sentences []string) {
	for _, l := range t.grouped() {
		cause := words.CauseOf(l.Reason)
		switch {
		case isVerdict(l.Reason) && len(t.Lists) > 1:
			continue
		case l.List == words.Leave.String():
			l.List = "leave it undecided"
		default:
			l.List += " it"
		}
		why := plain(words.Causes[cause].Brief())
		if i := slices.IndexFunc(t.Restrictions, func(r evaluate.ExplainedRestriction) bool {
			return cause == words.CauseRestricted && slices.Contains(l.Purposes, r.Purpose)
		}); i >= 0 {
			why = fmt.Sprintf("“%s”", t.shown(t.Restrictions[i].Statements[0]))
		}
		sentences = append(sentences, fmt.Sprintf("Lists %s %s (%s): %s.", forPurposes(l.Purposes), l.List, cause, why))
	}
	return sentences
}

// class is why the finding is of its class.
func (t *text) class() string {
	if t.Certainty == words.Certain.String() || t.governing == nil {
		return plain(words.Find(words.Certainties, t.Certainty).Meaning)
	}
	return strings.Join(finding.Why(t.Certainty, t.ObjectionWords()), " ")
}

// why is the reason in one sentence.
func (t *text) why() string {
	s := plain(words.Find(words.Reasons, t.Reason).Meaning)
	if t.Reason == words.ReasonRule.String() {
		s = fmt.Sprintf("Line %d of robots.txt decides: “%s”.", t.RuleLine, t.shown(t.Rule))
	}
	if t.governing == nil || t.Age == nil {
		return s
	}
	by, version := t.crawler(t.governing.Agent), finding.Version(t.Fetch.Type, t.governing.Type)
	if t.governing.Agent == "" && t.Crawler.Token != "" && !slices.Contains(t.Notes, "other_crawler") {
		by = finding.OwnUnnamed
	}
	by = "a capture of robots.txt by " + by
	if version != "" {
		by = version
	}
	s += " This rests on " + by
	then, isAsOf := "the fetch", t.Moment != t.Fetch.Time
	if isAsOf {
		then = moment(t.Moment)
	}
	switch {
	case t.Evidence == "later" && !isAsOf && *t.Age == 0 && t.Fetch.Time.MicrosSince(t.governing.Time.Time) > 0:
		return s + ", requested before the fetch; the time that this took, or the server's clock, shows that the answer came after it."
	case t.Evidence == "later":
		return s + fmt.Sprintf(", %s after %s.", prose.Duration(-*t.Age), then)
	case isAsOf && *t.Age == 0 && t.Moment.Precision == facts.PrecisionDay:
		return s + ", of that day."
	}
	return s + fmt.Sprintf(", %s old at %s.", prose.Duration(*t.Age), then)
}

// plain takes the marks of code out of a text.
func plain(s string) string { return strings.ReplaceAll(s, "`", "") }

// says describes what a capture means for the fetch.
func (t *text) says(s *evaluate.Said) string {
	verb := map[string]string{"allowed": "allows it", "disallowed": "disallows it"}[s.Verdict]
	switch {
	case verb == "":
		return "shows nothing"
	case s.RuleLine > 0:
		verb += fmt.Sprintf(" (line %d)", s.RuleLine)
	}
	if len(s.Readings) > 0 {
		verb += ", not in the reading " + strings.Join(s.Readings, ", ")
	}
	return verb
}

// fetch writes the fetch.
func (t *text) fetch() {
	t.section("The fetch")
	t.item("URL", "%s", t.shown(t.Fetch.URL))
	status := ""
	if t.Fetch.Status != nil {
		status = fmt.Sprintf(", status %d", *t.Fetch.Status)
	}
	t.item("time", "%s", moment(t.Fetch.Time))
	if t.Moment != t.Fetch.Time {
		t.item("judged as of", "%s", moment(t.Moment))
	}
	switch at := t.record(&t.Fetch.Record); {
	case t.Kind == evaluate.KindNone:
	case t.Fetch.Trust == facts.TrustIndexed.String():
		t.item("record", "not among the inputs; an index says that it is %s%s", at, status)
	case t.Fetch.Trust == facts.TrustListed.String():
		t.item("record", "not among the inputs; a list of URLs reports the fetch: %s%s", at, status)
	case t.Fetch.Trust == facts.TrustLogged.String():
		t.item("record", "none; a line of the site's access log reports the request: %s (%s%s)", at, t.shown(t.Fetch.Method), status)
	case t.Fetch.Trust == facts.TrustVerified.String():
		t.item("record", "%s (%s%s), %s; not among the inputs, found where an index says", t.Fetch.Type,
			t.shown(t.Fetch.Method), status, at)
	default:
		t.item("record", "%s (%s%s), %s", t.Fetch.Type, t.shown(t.Fetch.Method), status, at)
	}
	made := t.Crawler.Token
	if t.Kind == evaluate.KindWhatIf {
		made = t.Crawler.Made
	}
	source := ""
	if by := words.Find(words.AgentSources, t.Crawler.Source).But; by != "" && t.Kind == evaluate.KindFetch {
		source = "; so named by " + by
	}
	t.item("crawler", "%s%s", t.crawler(made), source)
	if t.Fetch.UserAgent != "" {
		first, second, isSecond := strings.Cut(t.Fetch.UserAgent, "\n") // of one request, or of two that claim the record
		t.item("User-Agent", "%s", t.shown(first))
		if isSecond {
			t.item("or", "%s", t.shown(second))
		}
	}
	for i := range t.LedBy {
		lead := &t.LedBy[i]
		t.item("perhaps led by", "%s, redirected here (%s); %s", t.shown(lead.URL), moment(lead.Time),
			t.record(&lead.Record))
	}
}

func (t *text) record(r *evaluate.ExplainedRecord) string {
	s := t.shown(r.File)
	switch {
	case r.Offset >= 0 && r.Length > 0:
		s += fmt.Sprintf(", offset %d, %s", r.Offset, report.Count(r.Length, "byte"))
	case r.Offset >= 0:
		s += ", " + report.PlaceText(r.File, r.Offset, r.Length)
	default:
		s += fmt.Sprintf(", record number %d", r.Number)
	}
	if r.ID != "" {
		s += ", " + t.shown(r.ID)
	}
	return s
}

// rules writes the group, the rules and an excerpt of the file.
func (t *text) rules() {
	f := t.File
	if f == nil {
		return
	}
	t.section("What it says to %s", t.crawler(t.Crawler.Token))
	switch {
	case f.AgentLine == 0:
		t.item("group", "none: no user-agent line names this crawler, and none is for *")
	case strings.HasPrefix(f.AgentText, "*"):
		t.item("group", "that for every crawler (line %d)", f.AgentLine)
	default:
		t.item("group", "the one that names it (line %d: “%s”)", f.AgentLine, t.shown(f.AgentText))
	}
	for i, r := range f.Matching {
		switch {
		case i == 0:
			t.item("rule", "line %d: “%s” (%s; the longest match decides)", r.Line, t.shown(r.Text),
				report.Count(int64(r.Length), "byte"))
		case i <= t.limit(maxLost):
			because := "shorter"
			if r.Length == f.Matching[0].Length {
				because = "as long; allow goes before disallow, then the first line"
			}
			t.item("lost", "line %d: “%s” (%s; %s)", r.Line, t.shown(r.Text), report.Count(int64(r.Length), "byte"),
				because)
		}
	}
	if more := len(f.Matching) - 1 - t.limit(maxLost); more > 0 || f.More > 0 {
		t.item("lost", "%s more", report.Count(int64(max(more, 0)+f.More), "rule"))
	}
	lines := f.Excerpt
	limit := t.limit(maxExcerpt)
	for around := 2; len(lines) > limit && around >= 0; around-- {
		lines = near(lines, around)
	}
	last := 0
	for i, l := range lines {
		if i == limit {
			t.line("         …")
			break
		}
		if last > 0 && l.Number > last+1 {
			t.line("         …")
		}
		last = l.Number
		mark := map[string]string{"rule": ">", "agent": "#", "group": "#", "lost": "-", "other": "?"}[l.Mark]
		t.line("  %1s %5d  %s", mark, l.Number, t.shown(strings.ReplaceAll(l.Text, "\t", "    ")))
	}
}

// near keeps the lines that are at most so far from one that is marked.
func near(lines []evaluate.ExplainedLine, around int) (kept []evaluate.ExplainedLine) {
	for _, l := range lines {
		if slices.ContainsFunc(lines, func(m evaluate.ExplainedLine) bool {
			return m.Mark != "" && (m.Number == l.Number || m.Mark != "lost" &&
				max(m.Number-l.Number, l.Number-m.Number) <= around)
		}) {
			kept = append(kept, l)
		}
	}
	return kept
}

// readings writes which open readings were tried.
func (t *text) readings() {
	if len(t.Readings) == 0 {
		return
	}
	var allow, same []string
	for _, r := range t.Readings {
		if r.Allows {
			allow = append(allow, r.Name)
		} else {
			same = append(same, r.Name)
		}
	}
	t.section("Open readings that were tried")
	if len(allow) > 0 {
		t.item("would allow", "%s", strings.Join(allow, ", "))
	}
	if len(same) > 0 {
		t.item("no difference", "%s", strings.Join(same, ", "))
	}
}

// uses writes the statements of the page and its origin against uses.
func (t *text) uses() {
	if len(t.Restrictions) == 0 && len(t.Hints) == 0 && !t.TagsUnknown {
		return
	}
	t.section("What is said against its use, which makes no fetch a violation")
	for i := range t.Restrictions {
		r := &t.Restrictions[i]
		for _, statement := range r.Statements[:min(len(r.Statements), t.limit(maxSaid))] {
			t.item(r.Purpose, "%s, %s: %s", r.Kind, r.Certainty, t.shown(statement))
		}
		if r.FileOffset != nil {
			t.item("", "the file is the record in %s, offset %d", t.shown(r.File), *r.FileOffset)
		}
	}
	if len(t.Hints) > 0 {
		t.item("hints against", "%s: see usage_signals", strings.Join(t.Hints, ","))
	}
	if t.TagsUnknown {
		t.item("unknown", "some tags of the page may be missing")
	}
}

// lists writes in which lists of 'robotsaudit export' the fetch is, and why.
func (t *text) lists() {
	grouped := t.grouped()
	if len(grouped) == 0 || len(grouped) == 1 && len(t.Lists) > 1 && isVerdict(grouped[0].Reason) {
		return
	}
	t.section("Lists (robotsaudit export)")
	for _, l := range grouped {
		meaning := words.Causes[words.CauseOf(l.Reason)].Brief()
		t.item(l.List, "%s (%s): %s", forPurposes(l.Purposes), l.Reason, plain(meaning))
	}
}

// isVerdict reports whether the reason of a list is what the verdict states.
func isVerdict(reason string) bool {
	cause := words.CauseOf(reason)
	return cause == words.CauseDisallowed || cause == words.RobotsUnknown || cause == words.CauseAllowed
}

// grouped joins lists that make the same of the fetch for the same reason.
func (t *text) grouped() (list []Listed) {
	for _, l := range t.Lists {
		i := slices.IndexFunc(list, func(o Listed) bool { return o.List == l.List && o.Reason == l.Reason })
		if i < 0 {
			i = len(list)
			list = append(list, Listed{List: l.List, Reason: l.Reason})
		}
		if len(l.Purposes) == 0 {
			l.Purposes = []string{""}
		}
		list[i].Purposes = append(list[i].Purposes, l.Purposes...)
	}
	return list
}

// forPurposes is for what a list is made; "" among purposes stands for none.
func forPurposes(purposes []string) string {
	text := ""
	if purposes[0] == "" {
		text, purposes = "without --purpose", purposes[1:]
	}
	if len(purposes) == len(allUses) && text != "" {
		return "for all purposes and for none"
	}
	if len(purposes) > 0 {
		text = strings.TrimPrefix(text+", for "+strings.Join(purposes, ", "), ", ")
	}
	return text
}

// grounds writes the sentences that the verdict rests on.
func (t *text) grounds() {
	t.section("Why, by %s", semantics)
	for _, g := range t.Grounds {
		for i, line := range wrapped(fmt.Sprintf("%s: “%s” (%s)", g.Word, plain(g.Sentence), g.Section), width-4) {
			t.line("  %*s%s", 2*min(i, 1), "", line)
		}
	}
}
