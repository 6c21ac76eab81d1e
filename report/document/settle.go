package document

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// cause is why a disallowed fetch is not proven to be a violation, and what would settle it.
type cause struct {
	why  string // a sentence
	but  string // the same, within the sentence of a finding
	cure string
}

var (
	causeNoToken = cause{"The crawler is not known by name: robots.txt may allow it by name.", "robots.txt may allow this crawler by a name that is not known", "The crawler’s product token: audit again with --crawler or --crawler-map."}
	causeLater   = cause{"robots.txt was captured only after the fetch.", "nothing shows that the crawler was told before", "An archive that holds this robots.txt as captured before the fetch, best at most 24 hours before; or the crawler’s log, if it names the moment at which it read robots.txt."}
	causeOther   = cause{"The capture is not known to be this crawler’s own, is more than 24 hours old, and no later one confirms it.", "nothing shows that this crawler was told, or that robots.txt still said so", "This crawler’s own capture of robots.txt from before the fetch, or any capture at most 30 days after it."}
	causeOld     = cause{"The capture is more than 30 days old, and no later one confirms it.", "nothing shows that robots.txt still said so", "A capture of robots.txt from the 30 days before the fetch, or the 30 days after it."}
	causeDamage  = cause{"A record was found behind damage, where it may be the content of a page.", "a record was found behind damage, and may be the content of a page", "An undamaged copy of the archive."}
	causeUnread  = cause{"An index tells of another robots.txt before the fetch. No input holds it, and it may say otherwise.", "an index tells of another robots.txt before the fetch, which was not read and may say otherwise", "The archive that holds that robots.txt."}
	causeAltered = cause{"A digest of the capture, or of a record on the way to it, does not match its content, or a revisit names a record with another digest: the server may have sent something else.", "a digest shows that robots.txt may have said something else", "Another copy of the archive, or another archive that holds this robots.txt."}
	causeMoment  = cause{"An index tells of the fetch, and robots.txt is of the same second: nothing shows which came first.", "nothing shows that this crawler was told before", "The archive that the index names: the order of its records tells which came first."}
	causeAbsent  = cause{"The record that an index or a list names was looked for, and is not there: nothing shows that the fetch was made.", "its record was looked for and is not there, so nothing shows that the fetch was made", "The archive that holds the record; or an index that says where it is."}
	causeRow     = cause{"The row of the index has no status: the record that it names may not be that of a fetch.", "the row of the index has no status, so nothing shows that the fetch was made", "The archive that the index names, or --verify: its record tells."}
	causeLead    = cause{"At most an hour before, or in the same second, robots.txt redirected to this URL: the fetch may have been made to get robots.txt.", "a redirect of robots.txt may have led to it", "The crawler’s log, if it tells from where the crawler came to each URL."}
	causeCopy    = cause{"A copy of robots.txt that the crawler may have used allows the fetch.", "another copy that the crawler may have used allows it", "The crawler’s log or cache, if it shows which copy it used."}
	causeReading = cause{"A reading that the standard leaves open allows the fetch.", "a reading that the standard leaves open allows it", "No archive: how the site meant the line and how the crawler reads it, in its documentation."}
)

const oldAge = 30 * 24 * 3600

// causes tells why the finding is not proven: one or more.
func (f *found) causes() (list []cause) {
	if f.Certainty == "contested" {
		if f.has("permitted_copy") {
			list = append(list, causeCopy)
		}
		if slices.ContainsFunc(strings.Split(f.Notes, ","), func(note string) bool { return note != "permitted_copy" && slices.Contains(allowingNotes, note) }) {
			list = append(list, causeReading)
		}
		return list
	}
	for _, c := range []struct {
		holds bool
		cause cause
	}{
		{f.Agent == "", causeNoToken},
		{f.Evidence == "later", causeLater},
		{f.Evidence == "stale" && !f.isOwn() && !f.has("bracketed"), causeOther},
		{f.Evidence == "stale" && value(f.Age) > oldAge && !f.has("bracketed"), causeOld},
		{f.has("forgeable"), causeDamage},
		{f.has("unread_capture"), causeUnread},
		{f.has("digest_mismatch"), causeAltered},
		{f.has("no_status"), causeRow},
		{f.has("no_record"), causeAbsent},
		{f.has("redirect_target"), causeLead},
	} {
		if c.holds {
			list = append(list, c.cause)
		}
	}
	if len(list) == 0 { // what is left is a fetch that an index tells of, in the second of robots.txt
		list = append(list, causeMoment)
	}
	return list
}

// A Doubted finding is one that is not certain, with what tells why.
type Doubted struct {
	Certainty, Evidence string
	Agent, RobotsAgent  string // product tokens of the fetch and of the governing capture
	Age                 *int64 // of the governing capture, in seconds
	Notes               []string
}

// Why tells in sentences what keeps the finding from being certain.
func (f Doubted) Why() (list []string) {
	row := found{Certainty: f.Certainty, Evidence: f.Evidence, Agent: f.Agent, Age: f.Age, Notes: strings.Join(f.Notes, ",")}
	row.RobotsAgent = f.RobotsAgent
	if f.Certainty == "probable" {
		return row.doubtTexts()
	}
	for _, c := range row.causes() {
		list = append(list, c.why)
	}
	return list
}

// settleTally counts unproven fetches by cause.
type settleTally map[cause]int64

func (t settleTally) add(f *found) {
	for _, c := range f.causes() {
		t[c]++
	}
}

func (t settleTally) table() Table {
	table := Table{
		ID: "unproven-causes", Rows: [][]Cell{}, Caption: "Why they are not proven, and what would settle them", Columns: []Column{{"Why", Words}, {"Fetches", Number}, {"What would settle it", Words}},
		Empty: "There is none.", Notes: []string{"A fetch may count in several rows."},
	}
	for _, c := range slices.SortedFunc(maps.Keys(t), func(a, b cause) int { return cmp.Or(cmp.Compare(t[b], t[a]), cmp.Compare(a.why, b.why)) }) {
		table.Rows = append(table.Rows, []Cell{{Text: c.why}, count(t[c]), {Text: c.cure}})
	}
	return table
}
