package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/index"
	"github.com/robotsaudit/robotsaudit/report"
)

// commands are the command lines that explain a finding and extract its records, for a POSIX shell in
// the folder of the archives. OUT stands for the folder of the tables. A file whose name a shell cannot
// be given in plain sight, or that reads as an option, has none. Of an archive that an index alone
// names, the tables know no place, and no bundle holds its records.
func (b *builder) commands(f *found, records []Record) []Term {
	if !canName(f.WARCFilename) {
		return nil
	}
	at := ShellWord(fmt.Sprintf("%s:%d", f.WARCFilename, f.WARCRecordOffset))
	terms := []Term{{"Explain it", []string{"robotsaudit explain -o OUT " + at}}}
	if in, _ := b.inputOf(f.WARCFilename); in != nil && !index.IsFormat(in.Container) {
		terms = append(terms, Term{
			"Bundle its evidence",
			[]string{"robotsaudit evidence -o OUT --to evidence.warc.gz " + at},
		})
	}
	var own, lines []string
	for _, r := range records {
		in, _ := b.inputOf(r.File)
		record := ShellWord(fmt.Sprintf("%s:%d", r.File, r.Offset))
		switch {
		case !canName(r.File) || len(r.File) > maxName || in != nil && index.IsFormat(in.Container):
			// a row, and no record
		case in == nil:
			own = append(own, "robotsaudit extract "+record)
		default:
			own = append(own, "robotsaudit extract -o OUT "+record)
		}
		if line := b.extract(r); line != "" {
			lines = append(lines, line)
		}
	}
	if len(own) > 0 {
		terms = append(terms, Term{"Read its records", own})
	}
	if len(lines) > 0 {
		terms = append(terms, Term{"Extract it without this program", lines})
	}
	return terms
}

// extract is the command line that writes a record to standard output.
func (b *builder) extract(r Record) string {
	if r.Length == 0 || !canName(r.File) || len(r.File) > maxName {
		return ""
	}
	in, entry := b.inputOf(r.File)
	if in == nil {
		return ""
	}
	read := "dd if=" + ShellWord(r.File)
	cut := fmt.Sprintf(" bs=1 skip=%d count=%d", r.Offset, r.Length)
	switch in.Container {
	case "warc.gz", "arc.gz":
		return read + cut + " | gzip -dc"
	case "warc", "arc":
		return read + cut
	case "warc.zst":
		return "" // its dictionary stands at the start of the file
	case "warc.bz2", "arc.bz2":
		return "bzip2 -dc " + ShellWord(r.File) + " | dd" + cut
	case "warc in one gzip stream", "arc in one gzip stream":
		return "gzip -dc " + ShellWord(r.File) + " | dd" + cut
	case "warc in one zstd frame", "arc in one zstd frame":
		return "zstd -dc " + ShellWord(r.File) + " | dd" + cut
	case "wacz":
		line := fmt.Sprintf("unzip -p %s %s | dd%s", ShellWord(in.Name), ShellWord(entry), cut)
		if strings.HasSuffix(entry, ".gz") {
			line += " | gzip -dc"
		}
		return line
	}
	return ""
}

// canName reports whether a command line can name a file.
func canName(file string) bool { return isPlain(file) && !strings.HasPrefix(file, "-") }

// ShellWord is a text as one word for a shell.
func ShellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:+,@%") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Option is an option with each of its values, as a command line has them after other words.
func Option(name string, values ...string) (line string) {
	for _, v := range values {
		line += " " + name + " " + ShellWord(v)
	}
	return line
}

// EvaluateCommand is the command line that decides anew, with the options of an audit, what lies in dir, a word for a
// shell. FILE stands for files whose names the audit does not hold.
func EvaluateCommand(dir string, s *report.Settings) string {
	line := "robotsaudit evaluate " + dir
	if s.Profile != "rfc9309" {
		line += Option("--profile", s.Profile)
	}
	if s.AsCrawler != "" {
		line += Option("--as-crawler", s.AsCrawler)
	}
	if s.Crawler != "" {
		line += Option("--crawler", s.Crawler)
	}
	if len(s.CrawlerMap) > 0 {
		line += " --crawler-map FILE"
	}
	tokens := s.Agents
	for _, category := range agents.Names() { // a hundred tokens are no command for a person
		all := agents.Tokens(category)
		others := slices.DeleteFunc(slices.Clone(tokens), func(t string) bool { return slices.Contains(all, t) })
		if len(others)+len(all) == len(tokens) {
			line += Option("--agents", category)
			tokens = others
		}
	}
	line += Option("--agent", tokens...) + Option("--purpose", s.Purposes...)
	if !s.AsOf.IsZero() {
		line += Option("--as-of", s.AsOf.String())
	}
	if s.Rate {
		line += " --rate"
	}
	if s.Policies != "" {
		line += Option("--policies", s.Policies)
	}
	if s.PolicyBodies {
		line += " --policy-bodies"
	}
	if s.Ranks.Name != "" {
		line += " --ranks FILE"
	}
	return line
}
