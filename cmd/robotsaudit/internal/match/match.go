// Package match is the command match, which says what one robots.txt says of URLs: those of a command line, or the
// questions of a file. It needs no archive, and can explain an answer.
package match

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// NewCommand makes the command.
func NewCommand() *cobra.Command {
	var profileName, format, batch string
	var full, keepGoing bool
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
  robotsaudit match --full robots.txt CCBot https://example.com/page
  robotsaudit match --format json robots.txt CCBot / | jq .rule
  robotsaudit match --batch questions.jsonl`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			profile, err := robots.ParseProfile(profileName)
			if err != nil {
				return usage.Errorf("--profile: %v", err)
			}
			batched := cmd.Flags().Changed("batch")
			if full && (batched || format == "json") {
				return usage.Errorf("--full is for people: it goes with neither --batch nor --format json")
			}
			if keepGoing && !batched {
				return usage.Errorf("--keep-going is for the lines of --batch")
			}
			warn := func(msg string) { console.Logger(cmd).Warn(msg) }
			if batched && len(args) > 0 {
				return usage.Errorf("match --batch takes its questions from the file alone: drop %q", args[0])
			}
			return console.WriteWhole(cmd, "-", func(out io.Writer) error {
				if batched {
					return answerBatch(out, cmd.InOrStdin(), batch, profile, keepGoing, warn)
				}
				return answerURLs(out, cmd.InOrStdin(), args, profile, warn, printer(format, full))
			})
		},
	}
	flags := cmd.Flags()
	usage.AddProfile(flags, &profileName)
	flags.StringVar(&format, "format", "text", "`FORMAT` of the output: text or json")
	flags.BoolVar(&full, "full", false, "explain each verdict: the group, the rules that lost, other profiles")
	flags.BoolVar(&keepGoing, "keep-going", false,
		"with --batch, leave out lines that are no question, and exit with 3 if there were any")
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
func printer(format string, full bool) func(io.Writer, *question) error {
	switch {
	case format == "json":
		return func(w io.Writer, q *question) error { return q.answer().writeJSON(w) }
	case full:
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

// answerURLs answers for the URLs of a command line.
func answerURLs(out io.Writer, stdin io.Reader, args []string, profile robots.Profile, warn func(string),
	show func(io.Writer, *question) error,
) error {
	if len(args) < 3 {
		return usage.Errorf("match needs ROBOTS_TXT, TOKEN and at least one URL, as in: robotsaudit match robots.txt " +
			"GPTBot /private/")
	}
	name, token, urls := args[0], args[1], args[2:]
	if _, err := os.Stat(name); err != nil && agents.TokenFault(name) == "" {
		if _, err := os.Stat(token); err == nil {
			return usage.Errorf("the robots.txt comes first, and then the token; write: robotsaudit match %s %s %s",
				prose.ShellWord(token), prose.ShellWord(name), prose.ShellWord(urls[0]))
		}
	}
	if fault := agents.TokenFault(token); token != "" && fault != "" {
		return usage.Errorf("%q is no product token: %s", token, fault)
	}
	if doubt := agents.TokenDoubt(token); doubt != "" {
		warn(doubt)
	}
	paths := make([]string, len(urls))
	for i, u := range urls {
		path, ok := matchedPath(u)
		if !ok {
			return usage.Errorf("%q is neither a URL nor a path that begins with /; write it as "+
				"https://example.com/private/ or as /private/", u)
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

// fileError names a file that can't be read and advises what to do.
func fileError(what, name string, err error) error {
	return fmt.Errorf("%s %q: %w: give the path of a readable file, or - for standard input", what, name,
		object.Cause(err))
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
	readings, _ := group.Against(agent, path, d)
	a := answer{
		URL: url, Agent: agent, Verdict: verdict(d.Allowed), allowed: d.Allowed, Reason: d.Reason.String(),
		Profile:  profile.String(),
		Readings: readings.Strings(),
	}
	if d.Reason == words.TooCostly {
		a.Verdict = words.Unknown.String()
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
		return words.Allowed.String()
	}
	return words.Disallowed.String()
}

func (a answer) writeJSON(w io.Writer) error {
	return console.Encoder(w, "").Encode(a)
}

func (a answer) writeText(w io.Writer) error {
	reason := a.Reason
	if a.Rule != nil {
		reason = fmt.Sprintf("%s, line %d: %s", a.Reason, *a.RuleLine, *a.Rule)
	}
	if len(a.Readings) > 0 {
		reason += "; " + verdict(!a.allowed) + " by " + strings.Join(a.Readings, ", ")
	}
	_, err := fmt.Fprintf(w, "%-10s  %s  (%s)\n", a.Verdict, console.OneLine(a.URL), console.OneLine(reason))
	return err
}
