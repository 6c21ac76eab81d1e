package tag

import (
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/robots"
)

// A TrainingFile is what an ai.txt says of training in lines of Disallow-Training. Nothing specifies
// them: they are hints.
type TrainingFile struct {
	file  *robots.File   // a robots.txt that has a Disallow in place of each line
	lines map[int]string // their values as written, by line
	group *robots.Group  // of the last token
	token string
}

// ReadTraining reads an ai.txt. A line holds for a group of crawlers and a
// path, as in a robots.txt. One before any group holds for crawlers without a group.
func ReadTraining(body []byte) *TrainingFile {
	f := &TrainingFile{lines: make(map[int]string)}
	var asRobots strings.Builder
	asRobots.WriteString("\n") // before the first line, for a group
	number, isGrouped := 0, false
	for line := range strings.Lines(string(body[:min(len(body), maxTextFile)])) {
		number++
		text, _, _ := strings.Cut(line, "#")
		key, value, _ := strings.Cut(text, ":")
		value = trim(strings.TrimRight(value, "\r\n"))
		switch ascii.Lower(trim(key)) {
		case "user-agent":
			isGrouped = true
			asRobots.WriteString("User-agent: " + value)
		case "disallow-training":
			path, ok := trainingPath(value)
			if !ok || len(f.lines) == maxTags || len(value) > MaxLine {
				path, ok = "", false // which ends the names of a group, too
			}
			if !isGrouped {
				isGrouped = true
				old := asRobots.String()
				asRobots.Reset()
				asRobots.WriteString("User-agent: *" + old)
			}
			if ok {
				f.lines[number] = value
			}
			asRobots.WriteString("Disallow: " + path)
		}
		asRobots.WriteByte('\n')
	}
	if len(f.lines) > 0 {
		f.file = robots.Parse([]byte(asRobots.String()), robots.RFC9309)
	}
	return f
}

// trainingPath reads the value of a line: a path, or a word that means yes.
func trainingPath(value string) (path string, ok bool) {
	switch ascii.Lower(value) {
	case "yes", "true", "1", "y", "all":
		return "/", true
	}
	return value, value != "" && (value[0] == '/' || value[0] == '*')
}

// For returns the hint that the file has for a path and a token.
func (f *TrainingFile) For(token, path string) []Signal {
	if f.file == nil {
		return nil
	}
	if f.group == nil || f.token != token {
		f.group, f.token = f.file.For(token), token
	}
	d := f.group.Match(path)
	if d.Allowed || d.Rule == nil {
		return nil
	}
	s, of := trainingHint(f.lines[d.Rule.Line-1])
	s.Source, s.Line, s.Group = SourceAITxt, d.Rule.Line-1, f.file.GroupLine(d.Rule.Line)-1
	s.Scope, s.Path = ScopePath, of
	return []Signal{s}
}

// trainingHint is what a line says, and the path that it is for.
func trainingHint(value string) (s Signal, path string) {
	s = Signal{
		Kind: SignalTraining, Purpose: PurposeTrainAI, Preference: PreferenceHint, Label: "disallow-training",
		Value: value, Raw: value, Mode: ModeLegacy,
	}
	path, ok := trainingPath(value)
	if !ok {
		s.Preference, path = PreferenceUnstated, ""
	}
	return s, path
}
