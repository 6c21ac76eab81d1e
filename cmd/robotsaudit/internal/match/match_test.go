package match

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/internal/robots"
)

const matchExample = `User-agent: *
Disallow: /a*
Allow: /a/b # why not

User-agent: Foo Bar
Allow: /

User-agent: *
Disalow: /c
`

// runMatch runs the command in a folder that holds the example as robots.txt.
func runMatch(t *testing.T, stdin string, args ...string) (code usage.ExitCode, stdout, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("robots.txt", []byte(matchExample), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	root := &cobra.Command{Use: "robotsaudit", SilenceErrors: true, SilenceUsage: true}
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return usage.Check(cmd) }
	console.AddFlags(root.PersistentFlags())
	root.AddCommand(NewCommand())
	usage.SetUp(root)
	root.SetArgs(append([]string{"match"}, args...))
	root.SetIn(strings.NewReader(stdin))
	root.SetOut(&out)
	root.SetErr(&errs)
	cmd, err := root.ExecuteC()
	var status usage.ExitCode
	if err != nil && !errors.As(err, &status) {
		console.Logger(cmd).Error(err.Error())
	}
	return usage.CodeOf(err), out.String(), errs.String()
}

func TestMatchText(t *testing.T) {
	code, stdout, stderr := runMatch(t, "", "robots.txt", "Foo", "http://x/a/c", "/a/b/d#f", "http://x?q",
		"/robots.txt")
	want := "disallowed  http://x/a/c  (rule, line 2: Disallow: /a*; allowed by agent_name)\n" +
		"allowed     /a/b/d#f  (rule, line 3: Allow: /a/b)\n" +
		"allowed     http://x?q  (no_matching_rule)\n" +
		"allowed     /robots.txt  (robots_txt_itself)\n"
	if code != 0 || stdout != want || stderr != "" {
		t.Errorf("code %d\n%s%s", code, stdout, stderr)
	}
}

// TestMatchHostile has a robots.txt that would command the terminal.
func TestMatchHostile(t *testing.T) {
	body := "User-agent: *\nDisallow: /\x1b[31m\u202e\nDisallow: /\x1b\n"
	for _, profile := range []string{"rfc9309", "rep-08"} {
		_, stdout, _ := runMatch(t, body, "--full", "--profile", profile, "-", "Foo", "/\x1b[31m\u202e")
		if strings.ContainsAny(stdout, "\x1b\u202e") || !strings.Contains(stdout, `Disallow: /\x1b[31m\u202e`) {
			t.Errorf("%s: %q", profile, stdout)
		}
	}
}

func TestMatchJSON(t *testing.T) {
	code, stdout, _ := runMatch(t, "", "--format", "json", "--profile", "rep-12", "robots.txt", "Foo",
		"http://x/a/<>&", "/c")
	want := `{"url":"http://x/a/<>&","agent":"Foo","verdict":"disallowed","reason":"rule","rule":"Disallow: /a*","rule_line":2,"group_line":1,"profile":"rfc9309","readings":["agent_name"]}
{"url":"/c","agent":"Foo","verdict":"allowed","reason":"no_matching_rule","rule":null,"rule_line":null,"group_line":1,"profile":"rfc9309"}
`
	if code != 0 || stdout != want {
		t.Errorf("code %d\n%s", code, stdout)
	}
	_, stdout, _ = runMatch(t, "User-agent: Bar\nDisallow: /\n", "--format", "json", "-", "Foo", "/")
	want = `{"url":"/","agent":"Foo","verdict":"allowed","reason":"no_matching_group","rule":null,"rule_line":null,"group_line":null,"profile":"rfc9309"}` + "\n"
	if stdout != want {
		t.Error(stdout)
	}
}

func TestMatchExplain(t *testing.T) {
	code, stdout, stderr := runMatch(t, "", "--full", "robots.txt", "Foo", "/%61/b")
	want := `allowed     /%61/b  (rule, line 3: Allow: /a/b)
  profile   rfc9309
  path      /a/b
  group     the groups from lines 1, 8, read as one, for every crawler (line 1: User-agent: *), as no group names "Foo"
  rule      line 3: Allow: /a/b (the most specific that matches, 4 bytes)
  lost      line 2: Disallow: /a* (less specific, 3 bytes)

`
	if code != 0 || stdout != want {
		t.Errorf("code %d\n%s%s", code, stdout, stderr)
	}
	_, stdout, _ = runMatch(t, "", "--full", "robots.txt", "Foo", "/c", "/a/c")
	for _, want := range []string{
		"  rule      none matches: what no rule forbids is allowed\n",
		"  open      allowed if a line that holds the token among other words named it, too (agent_name)\n",
		"  other     the group from line 5\n",
		"  but       allowed in profile google (rule, line 6: Allow: /)\n",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout, "disallowed in profile rep-08") {
		t.Errorf("rep-08 obeys the second global group:\n%s", stdout)
	}
	_, stdout, _ = runMatch(t, "User-agent: Goo\nAllow: /\nUser-agent: *\nDisallow: /\n", "--full", "-", "Foogoo",
		"/")
	if want := "  but       allowed with token matching substring, which finds the group from line 1\n"; !strings.Contains(stdout, want) {
		t.Errorf("no %q in\n%s", want, stdout)
	}
}

// batchLine is one line of JSON for match --batch.
func batchLine(body, agent, url, more string) string {
	return fmt.Sprintf(`{"body_b64":%q,"agent":%q,"url":%q%s}`, base64.StdEncoding.EncodeToString([]byte(body)), agent,
		url, more) + "\n"
}

func TestMatchBatch(t *testing.T) {
	in := batchLine(matchExample, "Foo", "http://x/c", "") +
		batchLine(matchExample, "Foo", "http://x/c", `,"profile":"google","id":"ignored"`) +
		batchLine("", "Foo", "", `,"profile":"rep-08"`)
	in = strings.TrimSuffix(in, "\n") // a last line needs no ending
	want := `{"url":"http://x/c","agent":"Foo","verdict":"allowed","reason":"no_matching_rule","rule":null,"rule_line":null,"group_line":1,"profile":"rfc9309"}
{"url":"http://x/c","agent":"Foo","verdict":"allowed","reason":"rule","rule":"Allow: /","rule_line":6,"group_line":5,"profile":"google"}
{"url":"","agent":"Foo","verdict":"allowed","reason":"no_matching_group","rule":null,"rule_line":null,"group_line":null,"profile":"rep-08"}
`
	if code, stdout, stderr := runMatch(t, in, "--batch", "-"); code != 0 || stdout != want {
		t.Errorf("code %d\n%s%s", code, stdout, stderr)
	}
}

// TestMatchBatchMistakes: the answers before a bad line are printed, and the
// line is named.
func TestMatchBatchMistakes(t *testing.T) {
	good := batchLine(matchExample, "Foo", "/c", "")
	for name, bad := range map[string]string{
		"no JSON":      "zzz\n",
		"empty line":   "\n",
		"no object":    "17\n",
		"null":         "null\n",
		"no body":      `{"agent":"a","url":"/"}` + "\n",
		"no agent":     `{"body_b64":"","url":"/"}` + "\n",
		"no url":       `{"body_b64":"","agent":"a"}` + "\n",
		"bad base64":   `{"body_b64":"*","agent":"a","url":"/"}` + "\n",
		"bad profile":  batchLine("", "a", "/", `,"profile":"x"`),
		"bad url":      batchLine("", "a", "x/y", ""),
		"a wrong type": `{"body_b64":"","agent":1,"url":"/"}` + "\n",
	} {
		code, stdout, stderr := runMatch(t, good+bad+good, "--batch", "-")
		if code != 1 || strings.Count(stdout, "\n") != 1 || strings.Count(stderr, "\n") != 1 ||
			!strings.Contains(stderr, "line 2:") {
			t.Errorf("%s: code %d\n%s%s", name, code, stdout, stderr)
		}
		code, stdout, stderr = runMatch(t, good+bad+good, "--batch", "-", "--keep-going")
		if code != 3 || strings.Count(stdout, "\n") != 2 || strings.Count(stderr, "\n") != 1 ||
			!strings.Contains(stderr, "line 2 is left out:") {
			t.Errorf("--keep-going: %s: code %d\n%s%s", name, code, stdout, stderr)
		}
	}
	if code, _, stderr := runMatch(t, good, "--batch", "-", "--keep-going"); code != 0 || stderr != "" {
		t.Errorf("--keep-going: no bad line: code %d\n%s", code, stderr)
	}
}

func TestMatchMistakes(t *testing.T) {
	for _, c := range []struct {
		args []string
		code usage.ExitCode
		says string
	}{
		{[]string{"absent.txt", "Foo", "/"}, 1, `"absent.txt": ` + syscall.ENOENT.Error() + ": give"},
		{[]string{".", "Foo", "/"}, 1, ": give the path of a readable file"},
		{[]string{"--batch", "absent.jsonl"}, 1, `"absent.jsonl": ` + syscall.ENOENT.Error() + ": give"},
		{[]string{"--batch", "-", "robots.txt"}, 2, "drop"},
		{[]string{"robots.txt", "Foo"}, 2, "at least one URL"},
		{[]string{}, 2, "needs ROBOTS_TXT"},
		{[]string{"robots.txt", "Foo", "x"}, 2, `"x" is neither`},
		{[]string{"--profile", "rep-9", "robots.txt", "Foo", "/"}, 2, `unknown profile "rep-9"`},
		{[]string{"--format", "xml", "robots.txt", "Foo", "/"}, 2, `unknown format "xml"`},
		{[]string{"--full", "--format", "json", "robots.txt", "Foo", "/"}, 2, "--full"},
		{[]string{"--keep-going", "robots.txt", "Foo", "/"}, 2, "--batch"},
		{[]string{"--nonsense"}, 2, "--nonsense"},
	} {
		code, stdout, stderr := runMatch(t, "", c.args...)
		if code != c.code || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.says) {
			t.Errorf("%q: code %d, want %d\n%s%s", c.args, code, c.code, stdout, stderr)
		}
	}
}

// TestMatchVectors runs Google's conformance suite through the command.
func TestMatchVectors(t *testing.T) {
	name, err := filepath.Abs("../../../../../shared/vectors/rep-spec-test.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	suite, err := os.ReadFile(name)
	if err != nil {
		t.Skipf("no conformance suite: %v", err)
	}
	_, stdout, stderr := runMatch(t, "", "--batch", name)
	answers := strings.Split(stdout, "\n")
	for i, line := range strings.Split(strings.TrimSpace(string(suite)), "\n") {
		var v struct {
			ID      string
			RFC9309 string
		}
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		if i >= len(answers)-1 {
			t.Fatalf("%d answers: %s", len(answers)-1, stderr)
		}
		if v.RFC9309 != "" && !strings.Contains(answers[i], `"verdict":"`+v.RFC9309+`ed"`) {
			t.Errorf("%s: want %s: %s", v.ID, v.RFC9309, answers[i])
		}
	}
}

// TestMatchReadings shows what would turn a verdict round.
func TestMatchReadings(t *testing.T) {
	const body = "User-agent: *\nDisallow: /a\nAllow: /a!b\nDisallow: /b/*?*|\n"
	_, stdout, stderr := runMatch(t, body, "-", "Foo", "/a%21b", "/b/x?y%7C", "/a")
	want := "disallowed  /a%21b  (rule, line 2: Disallow: /a; allowed by reserved_encoding)\n" +
		"allowed     /b/x?y%7C  (no_matching_rule; disallowed by unsafe_encoding)\n" +
		"disallowed  /a  (rule, line 2: Disallow: /a)\n"
	if stdout != want {
		t.Errorf("%s%s", stdout, stderr)
	}
	_, stdout, _ = runMatch(t, body, "--format", "json", "-", "Foo", "/a%21b")
	if !strings.HasSuffix(stdout, `,"profile":"rfc9309","readings":["reserved_encoding"]}`+"\n") {
		t.Error(stdout)
	}
	_, stdout, _ = runMatch(t, body, "--full", "-", "Foo", "/a%21b")
	if want := "  open      allowed if %2F and /, %3A and :, %21 and ! etc. were the same (reserved_encoding)\n"; !strings.Contains(stdout, want) {
		t.Errorf("no %q in\n%s", want, stdout)
	}
	for i := range 5 {
		if name := (robots.Readings(1) << i).Strings()[0]; openReadings[name] == "" {
			t.Errorf("nothing is said of %s", name)
		}
	}
}
