package finding

import (
	"fmt"
	"strings"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// inputOf finds the input that holds a record of a finding, and in a WACZ the entry. nil: none does.
type inputOf = func(file string) (in *report.AuditInput, entry string)

// Commands are the command lines that explain a finding and extract its records, for a POSIX shell in
// the folder of the archives. OUT stands for the folder of the tables. A file whose name a shell cannot
// be given in plain sight, or that reads as an option, has none. Of an archive that an index alone
// names, the tables know no place, and no bundle holds its records.
func (f *Case) Commands(records []document.Record, inputOf inputOf) []document.Term {
	if !prose.CanName(f.WARCFilename) {
		return nil
	}
	at := prose.ShellWord(fmt.Sprintf("%s:%d", f.WARCFilename, f.WARCRecordOffset))
	terms := []document.Term{document.NewTerm("Explain it", "robotsaudit explain OUT "+at)}
	if in, _ := inputOf(f.WARCFilename); in != nil && !report.HasRows(in.Container) {
		terms = append(terms, document.NewTerm("Bundle its evidence", "robotsaudit evidence OUT --to evidence.warc.gz "+at))
	}
	var own, lines []string
	for i, r := range records { // the fetch, and the robots.txt that governs it
		if in, _ := inputOf(r.File); in != nil && !report.HasRows(in.Container) && i < len(recordNames) {
			own = append(own, "robotsaudit explain OUT "+at+" --record "+recordNames[i])
		}
		if line := extract(r, inputOf); line != "" {
			lines = append(lines, line)
		}
	}
	if len(own) > 0 {
		terms = append(terms, document.NewTerm("Read its records", own...))
	}
	if len(lines) > 0 {
		terms = append(terms, document.NewTerm("Extract it without this program", lines...))
	}
	return terms
}

// recordNames are the first two records of a finding, for 'robotsaudit explain'.
var recordNames = [...]string{"fetch", "robots"}

// extract is the command line that writes a record to standard output.
func extract(r document.Record, inputOf inputOf) string {
	if r.Length == 0 || !prose.CanName(r.File) || len(r.File) > prose.MaxName {
		return ""
	}
	in, entry := inputOf(r.File)
	if in == nil {
		return ""
	}
	read := "dd if=" + prose.ShellWord(r.File)
	cut := fmt.Sprintf(" bs=1 skip=%d count=%d", r.Offset, r.Length)
	switch in.Container {
	case "warc.gz", "arc.gz":
		return read + cut + " | gzip -dc"
	case "warc", "arc":
		return read + cut
	case "warc.zst":
		return "" // its dictionary stands at the start of the file
	case "warc.bz2", "arc.bz2":
		return "bzip2 -dc " + prose.ShellWord(r.File) + " | dd" + cut
	case "warc in one gzip stream", "arc in one gzip stream":
		return "gzip -dc " + prose.ShellWord(r.File) + " | dd" + cut
	case "warc in one zstd frame", "arc in one zstd frame":
		return "zstd -dc " + prose.ShellWord(r.File) + " | dd" + cut
	case "wacz":
		line := fmt.Sprintf("unzip -p %s %s | dd%s", prose.ShellWord(in.Name), prose.ShellWord(entry), cut)
		if strings.HasSuffix(entry, ".gz") {
			line += " | gzip -dc"
		}
		return line
	}
	return ""
}
