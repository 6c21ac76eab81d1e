package match

import (
	"fmt"
	"io"
	"strings"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// writeExplanation explains to a webmaster how a verdict came about.
func writeExplanation(w io.Writer, q *question) error {
	group := q.file.For(q.token)
	decision := group.Match(q.path)
	line := func(label, format string, a ...any) {
		fmt.Fprintf(w, "  %-8s  %s\n", label, console.OneLine(fmt.Sprintf(format, a...)))
	}
	line("profile", "%v", q.profile)
	line("path", "%s", q.profile.NormalPath(q.path))
	line("group", "%s", whyGroup(q, group))
	if decision.Reason == words.RobotsTxtItself {
		line("rule", "none needed: /robots.txt itself is always allowed")
	} else {
		explainRules(line, group.Matching(q.path))
	}
	readings, _ := group.Against(q.token, q.path, decision)
	for _, name := range readings.Strings() {
		line("open", "%s if %s (%s)", verdict(!decision.Allowed), openReadings[name], name)
	}
	if readings&robots.ReadAgentName != 0 {
		line("other", "%s", otherLines(q))
	}
	if q.file.Cut {
		line("note", "only the first %d bytes of the robots.txt were read", q.file.Limit())
	}
	for _, m := range robots.Modes {
		if g := q.file.ForMode(q.token, m); g != group && readings&robots.ReadAgentName == 0 &&
			g.Match(q.path).Allowed != decision.Allowed {
			line("but", "%s with token matching %v, which finds %s", verdict(!decision.Allowed), m, groupLines(g))
		}
	}
	for _, p := range robots.Profiles {
		file := robots.Parse(q.body, p)
		d := file.For(q.token).Match(q.path)
		if d.Allowed != decision.Allowed {
			line("but", "%s in profile %v (%s)", verdict(d.Allowed), p, why(d))
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

// openReadings states for each reading that the specifications leave open what it takes
// for granted.
var openReadings = map[string]string{
	"reserved_encoding":  "%2F and /, %3A and :, %21 and ! etc. were the same",
	"unsafe_encoding":    "%20 and a space, %7C and | etc. were the same",
	"lenient":            "misspelt lines, or lines without a colon, were read otherwise",
	"parse_limit":        "what lies beyond 512,000 bytes counted where it does not, or did not where it does",
	"agent_name":         "a line that holds the token among other words named it, too",
	"robots_txt_encoded": "the path were taken as /robots.txt itself",
	"content_usage":      "Content-Usage lines were rules that end a list of user-agent lines",
}

// whyGroup explains which groups govern the token and why.
func whyGroup(q *question, group *robots.Group) string {
	at, value := q.file.AgentLine(q.token, 0)
	switch {
	case at == 0:
		return fmt.Sprintf("none: no user-agent line names %q, and none is for *", q.token)
	case strings.HasPrefix(value, "*") && q.token == "":
		return fmt.Sprintf("%s, for every crawler (line %d: User-agent: %s)", groupLines(group), at, value)
	case strings.HasPrefix(value, "*"):
		return fmt.Sprintf("%s, for every crawler (line %d: User-agent: %s), as no group names %q", groupLines(group),
			at, value, q.token)
	default:
		return fmt.Sprintf("%s, which names %q (line %d: User-agent: %s)", groupLines(group), q.token, at, value)
	}
}

// otherLines names the groups that name the token among other words.
func otherLines(q *question) string {
	const few = 5
	var text []string
	lines := q.file.OtherLines(q.token)
	for _, l := range lines[:min(few, len(lines))] {
		text = append(text, fmt.Sprintf("the group from line %d", l))
	}
	if len(lines) > few {
		text = append(text, "and more")
	}
	return strings.Join(text, ", ")
}

func groupLines(g *robots.Group) string {
	switch lines := g.Lines(); len(lines) {
	case 0:
		return "no group"
	case 1:
		return fmt.Sprintf("the group from line %d", lines[0])
	default:
		list := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(lines), "[]")), ", ")
		return fmt.Sprintf("the groups from lines %s, read as one", list)
	}
}

// explainRules explains which rule won and why the others lost.
func explainRules(line func(label, format string, a ...any), rules []*robots.Rule) {
	if len(rules) == 0 {
		line("rule", "none matches: what no rule forbids is allowed")
		return
	}
	won := rules[0]
	line("rule", "line %d: %s (the most specific that matches, %d bytes)", won.Line, won.Text, len(won.Pattern))
	for _, r := range rules[1:] {
		because := fmt.Sprintf("less specific, %d bytes", len(r.Pattern))
		if len(r.Pattern) == len(won.Pattern) {
			because = "as specific; allow goes before disallow, then the first line before the others"
		}
		line("lost", "line %d: %s (%s)", r.Line, r.Text, because)
	}
}

func why(d robots.Decision) string {
	if d.Rule == nil {
		return d.Reason.String()
	}
	return fmt.Sprintf("%v, line %d: %s", d.Reason, d.Rule.Line, d.Rule.Text)
}
