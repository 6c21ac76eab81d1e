package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

func newMatchCommand() *cobra.Command {
	var profileName, format, batch string
	var explain bool
	cmd := &cobra.Command{
		Use:   "match ROBOTS_TXT TOKEN URL...",
		Short: "Say what one robots.txt says of URLs",
		Long: `Match decides, for each URL, whether a robots.txt allows a crawler to fetch it,
by which rule and why. No network is used: ROBOTS_TXT is a file, or - for
standard input. TOKEN is the crawler's product token ("GPTBot"), without a version,
or "" for a crawler without one: only the groups for * then apply. A URL may be a
path that begins with /.

With --batch, questions come as lines of JSON with the keys body_b64, agent, url
and optionally profile, and each is answered by a line of JSON.`,
		Example: `  robotsaudit match robots.txt GPTBot https://example.com/private/page
  robotsaudit match --profile google robots.txt Googlebot /a /b?c=d
  robotsaudit match --explain robots.txt CCBot https://example.com/page
  robotsaudit match --format json robots.txt CCBot / | jq .rule
  robotsaudit match --batch questions.jsonl`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			profile, err := robots.ParseProfile(profileName)
			if err != nil {
				return usageErrorf("--profile: %v", err)
			}
			if format != "text" && format != "json" {
				return usageErrorf("--format: unknown format %q: use text or json", format)
			}
			batched := cmd.Flags().Changed("batch")
			if explain && (batched || format == "json") {
				return usageErrorf("--explain is for people: it goes with neither --batch nor --format json")
			}
			log, err := newLogger(cmd)
			if err != nil {
				return err
			}
			warn := func(msg string) { log.Warn(msg) }
			out := bufio.NewWriter(cmd.OutOrStdout())
			switch {
			case !batched:
				err = matchURLs(out, cmd.InOrStdin(), args, profile, warn, printer(format, explain))
			case len(args) > 0:
				return usageErrorf("match --batch takes its questions from the file alone: drop %q", args[0])
			default:
				err = matchBatch(out, cmd.InOrStdin(), batch, profile, warn)
			}
			return errors.Join(err, out.Flush())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&profileName, "profile", robots.RFC9309.String(), "reading of the protocol: rfc9309 (or rep-12), rep-08 or google")
	flags.StringVar(&format, "format", "text", "text or json")
	flags.BoolVar(&explain, "explain", false, "explain each verdict: the group, the rules that lost, other profiles")
	flags.StringVar(&batch, "batch", "", "answer the questions in `FILE`, one JSON object a line; - is standard input")
	return cmd
}

// A question is one URL asked of one robots.txt.
type question struct {
	body    []byte
	file    *robots.File
	profile robots.Profile
	token   string
	url     string
	path    string // what of the URL is matched
}

func (q *question) answer() answer {
	return newAnswer(q.url, q.token, q.path, q.profile, q.file.For(q.token))
}

// printer returns what prints the answer to a question of a command line.
func printer(format string, explain bool) func(io.Writer, *question) error {
	switch {
	case format == "json":
		return func(w io.Writer, q *question) error { return q.answer().writeJSON(w) }
	case explain:
		return func(w io.Writer, q *question) error {
			if err := q.answer().writeText(w); err != nil {
				return err
			}
			return writeExplanation(w, q)
		}
	default:
		return func(w io.Writer, q *question) error { return q.answer().writeText(w) }
	}
}

// matchURLs answers for the URLs of a command line.
func matchURLs(out io.Writer, stdin io.Reader, args []string, profile robots.Profile, warn func(string), show func(io.Writer, *question) error) error {
	if len(args) < 3 {
		return usageErrorf("match needs ROBOTS_TXT, TOKEN and at least one URL, but got %d arguments", len(args))
	}
	name, token, urls := args[0], args[1], args[2:]
	if fault := tokenFault(token); token != "" && fault != "" {
		return usageErrorf("%q is no product token: %s", token, fault)
	}
	if doubt := tokenDoubt(token); doubt != "" {
		warn(doubt)
	}
	paths := make([]string, len(urls))
	for i, u := range urls {
		path, ok := matchedPath(u)
		if !ok {
			return usageErrorf("%q is neither a URL nor a path that begins with /", u)
		}
		paths[i] = path
	}
	body, err := readRobotsTxt(name, stdin)
	if err != nil {
		return err
	}
	file := robots.Parse(body, profile)
	for i, u := range urls {
		if err := show(out, &question{body, file, profile, token, u, paths[i]}); err != nil {
			return err
		}
	}
	return nil
}

// matchedPath returns what rules are matched against: the recorded path and
// query of a URL, or of a path given by itself.
func matchedPath(u string) (path string, ok bool) {
	if strings.HasPrefix(u, "/") {
		path, _, _ = strings.Cut(u, "#")
		return path, true
	}
	parsed, problem := weburl.Parse(u)
	if problem == weburl.NoScheme || problem == weburl.NoAuthority {
		return "", false
	}
	return parsed.PathQuery(), true
}

func readRobotsTxt(name string, stdin io.Reader) ([]byte, error) {
	if name == "-" {
		body, err := io.ReadAll(stdin)
		if err != nil {
			return nil, fmt.Errorf("reading robots.txt from standard input: %w", err)
		}
		return body, nil
	}
	body, err := os.ReadFile(name)
	if err != nil {
		return nil, fileError("robots.txt", name, err)
	}
	return body, nil
}

// fileError names a file that can't be read and says what to do.
func fileError(what, name string, err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	return fmt.Errorf("%s %q: %w: give the path of a readable file, or - for standard input", what, name, err)
}

// An answer is what match prints for one URL. Its keys are an interface.
type answer struct {
	URL       string  `json:"url"`
	Agent     string  `json:"agent"`
	Verdict   string  `json:"verdict"`
	Reason    string  `json:"reason"`
	Rule      *string `json:"rule"`
	RuleLine  *int    `json:"rule_line"`
	GroupLine *int    `json:"group_line"`
	Profile   string  `json:"profile"`
	// Readings that the specifications leave open and that would turn the verdict
	// round.
	Readings []string `json:"readings,omitempty"`

	allowed bool
}

func newAnswer(url, agent, path string, profile robots.Profile, group *robots.Group) answer {
	d := group.Match(path)
	a := answer{
		URL: url, Agent: agent, Verdict: verdict(d.Allowed), allowed: d.Allowed, Reason: d.Reason.String(), Profile: profile.String(),
		Readings: group.Against(agent, path, d).Strings(),
	}
	if d.Reason == robots.ReasonTooCostly {
		a.Verdict = "unknown"
	}
	if d.Rule != nil {
		a.Rule, a.RuleLine = &d.Rule.Text, &d.Rule.Line
	}
	if group.Matched() {
		line := group.Line(d.Rule)
		a.GroupLine = &line
	}
	return a
}

func verdict(allowed bool) string {
	if allowed {
		return "allowed"
	}
	return "disallowed"
}

func (a answer) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(a)
}

func (a answer) writeText(w io.Writer) error {
	reason := a.Reason
	if a.Rule != nil {
		reason = fmt.Sprintf("%s, line %d: %s", a.Reason, *a.RuleLine, *a.Rule)
	}
	if len(a.Readings) > 0 {
		reason += "; " + verdict(!a.allowed) + " by " + strings.Join(a.Readings, ", ")
	}
	_, err := fmt.Fprintf(w, "%-10s  %s  (%s)\n", a.Verdict, a.URL, reason)
	return err
}

// writeExplanation tells a webmaster how a verdict came about.
func writeExplanation(w io.Writer, q *question) error {
	group := q.file.For(q.token)
	decision := group.Match(q.path)
	line := func(label, format string, a ...any) {
		fmt.Fprintf(w, "  %-8s  %s\n", label, fmt.Sprintf(format, a...))
	}
	line("profile", "%v", q.profile)
	line("path", "%s", q.profile.NormalPath(q.path))
	line("group", "%s", whyGroup(q, group))
	if decision.Reason == robots.ReasonRobotsTxt {
		line("rule", "none needed: /robots.txt itself is always allowed")
	} else {
		explainRules(line, group.Matching(q.path))
	}
	for _, name := range group.Against(q.token, q.path, decision).Strings() {
		line("open", "%s if %s (%s)", verdict(!decision.Allowed), openReadings[name], name)
	}
	if q.file.Cut {
		line("note", "only the first %d octets of the robots.txt were read", robots.ParseLimit)
	}
	for _, m := range robots.Modes {
		if g := q.file.ForMode(q.token, m); g != group && g.Match(q.path).Allowed != decision.Allowed {
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

// openReadings says of each reading that the specifications leave open what it takes
// for granted.
var openReadings = map[string]string{
	"reserved_encoding":  "%2F and /, %3A and :, %21 and ! etc. were the same",
	"unsafe_encoding":    "%20 and a space, %7C and | etc. were the same",
	"lenient":            "misspelt lines, or lines without a colon, were read otherwise",
	"parse_limit":        "what lies beyond 512,000 bytes counted where it does not, or did not where it does",
	"robots_txt_encoded": "the path were taken as /robots.txt itself",
}

// whyGroup says which groups govern the token and why.
func whyGroup(q *question, group *robots.Group) string {
	at, value := q.file.AgentLine(q.token, 0)
	switch {
	case at == 0:
		return fmt.Sprintf("none: no user-agent line names %q, and none is for *", q.token)
	case strings.HasPrefix(value, "*") && q.token == "":
		return fmt.Sprintf("%s, for every crawler (line %d: User-agent: %s)", groupLines(group), at, value)
	case strings.HasPrefix(value, "*"):
		return fmt.Sprintf("%s, for every crawler (line %d: User-agent: %s), as no group names %q", groupLines(group), at, value, q.token)
	default:
		return fmt.Sprintf("%s, which names %q (line %d: User-agent: %s)", groupLines(group), q.token, at, value)
	}
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

// explainRules says which rule won and why the others lost.
func explainRules(line func(label, format string, a ...any), rules []*robots.Rule) {
	if len(rules) == 0 {
		line("rule", "none matches: what no rule forbids is allowed")
		return
	}
	won := rules[0]
	line("rule", "line %d: %s (the most specific that matches, %d octets)", won.Line, won.Text, len(won.Pattern))
	for _, r := range rules[1:] {
		because := fmt.Sprintf("less specific, %d octets", len(r.Pattern))
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

// matchBatch answers the questions of a file. The answers before a bad line are
// printed. A token that is none is asked for as it stands, with one warning for all.
func matchBatch(out io.Writer, stdin io.Reader, name string, profile robots.Profile, warn func(string)) error {
	in := stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return fileError("batch file", name, err)
		}
		defer file.Close()
		in = file
	}
	lines := bufio.NewReader(in)
	b := batchReader{profile: profile}
	warned := false
	for n := 1; ; n++ {
		line, readErr := lines.ReadBytes('\n')
		if readErr != nil && readErr != io.EOF {
			return fileError("batch file", name, readErr)
		}
		if len(line) == 0 {
			return nil
		}
		a, err := b.answer(bytes.TrimRight(line, "\r\n"))
		if err != nil {
			return fmt.Errorf("batch file %q, line %d: %w", name, n, err)
		}
		if fault := tokenFault(a.Agent); !warned && a.Agent != "" && fault != "" {
			warned = true
			warn(fmt.Sprintf("batch file %q, line %d: %q is no product token: %s", name, n, a.Agent, fault))
		}
		if err := a.writeJSON(out); err != nil {
			return err
		}
	}
}

// batchReader answers lines, and parses a body again only where it differs from
// the line before.
type batchReader struct {
	profile robots.Profile // of a line that names none

	body        string
	bodyProfile robots.Profile
	file        *robots.File
}

func (b *batchReader) answer(line []byte) (answer, error) {
	var q struct {
		Body    *string `json:"body_b64"`
		Agent   *string `json:"agent"`
		URL     *string `json:"url"`
		Profile *string `json:"profile"`
	}
	if err := json.Unmarshal(line, &q); err != nil {
		return answer{}, fmt.Errorf("no JSON object with the keys body_b64, agent, url: %w", err)
	}
	switch {
	case q.Body == nil:
		return answer{}, errors.New(`the key "body_b64" is missing`)
	case q.Agent == nil:
		return answer{}, errors.New(`the key "agent" is missing`)
	case q.URL == nil:
		return answer{}, errors.New(`the key "url" is missing`)
	}
	profile := b.profile
	if q.Profile != nil {
		var err error
		if profile, err = robots.ParseProfile(*q.Profile); err != nil {
			return answer{}, err
		}
	}
	path, ok := matchedPath(*q.URL)
	if !ok && *q.URL != "" {
		return answer{}, fmt.Errorf("%q is neither a URL nor a path that begins with /", *q.URL)
	}
	if err := b.parse(*q.Body, profile); err != nil {
		return answer{}, err
	}
	return newAnswer(*q.URL, *q.Agent, path, profile, b.file.For(*q.Agent)), nil
}

func (b *batchReader) parse(encoded string, profile robots.Profile) error {
	if b.file != nil && b.body == encoded && b.bodyProfile == profile {
		return nil
	}
	body, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return fmt.Errorf("body_b64 is no base64: %w", err)
	}
	b.file = robots.Parse(body, profile)
	b.body, b.bodyProfile = encoded, profile
	return nil
}
