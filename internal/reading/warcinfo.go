package reading

import (
	"io"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// isSerial reports whether the crawler is known to make one fetch after the other, and to
// write them as they are made. Where several connections share an archive, records stand
// in it as they ended: one of robots.txt in front of a page that was asked for before it.
func isSerial(w *Warcinfo) bool { return strings.HasPrefix(w.Software, "Wget/1.") && !w.isOfTwo }

func (e *extractor) extractWarcinfo(d *draft) error {
	r := d.record
	b, err := io.ReadAll(io.LimitReader(r.Block, maxWarcinfo))
	if err != nil {
		return err
	}
	fields := warc.EachField
	if r.Type == warc.TypeARCInfo {
		fields = warc.EachARCField
	}
	if len(b) == maxWarcinfo {
		d.note(words.IssueValueCut, "the rest dropped", "a warcinfo record of %d bytes or more", maxWarcinfo)
	}
	w := Warcinfo{id: r.ID.Key(), run: facts.CrawlRun{File: strings.Clone(r.Filename)}}
	var arguments string
	fields(b, func(name, value []byte) {
		w.run.State(name, value)
		v := facts.AtMost(string(value), httpmsg.MaxUserAgent)
		if len(v) < len(value) && !warc.IsField(name, "wget-arguments") && !d.noted(words.IssueValueCut) {
			d.note(words.IssueValueCut, "the rest dropped", "%.40q of %d bytes", ascii.Lower(string(name)), len(value))
		}
		switch {
		case warc.IsField(name, "software"):
			w.isOfTwo = warc.First(&w.Software, v) || w.isOfTwo
		case warc.IsField(name, "http-header-user-agent"):
			if warc.First(&w.UserAgent, v) && !strings.Contains(w.UserAgent, "\n") { // as those of a request
				w.UserAgent = facts.AtMost(w.UserAgent+"\n"+v, httpmsg.MaxUserAgent)
			}
		case warc.IsField(name, "http-header-from"):
			warc.First(&w.From, v)
		case warc.IsField(name, "operator"):
			warc.First(&w.Operator, v)
		case warc.IsField(name, "ispartof"):
			warc.First(&w.IsPartOf, v)
		case warc.IsField(name, "robots"):
			warc.First(&w.Robots, v)
		case warc.IsField(name, "wget-arguments"):
			warc.First(&arguments, string(value))
		}
	})
	if claim := wgetClaim(arguments); claim != "" {
		warc.First(&w.Robots, claim)
	}
	d.info, d.infoID = &w, r.ID.Key()
	return nil
}

// wgetClaim reads from the arguments of GNU wget whether robots.txt was switched
// off: `-e robots=off`. Releases that write a robots field state the same there. The
// arguments themselves are not kept: passwords may be among them.
func wgetClaim(arguments string) string {
	for word := range strings.FieldsSeq(strings.NewReplacer(`"`, " ", "'", " ").Replace(arguments)) {
		word = strings.TrimPrefix(strings.TrimPrefix(word, "--execute="), "-e")
		if value, ok := strings.CutPrefix(strings.ToLower(word), "robots="); ok {
			switch value {
			case "off", "no", "0":
				return "off"
			case "on", "yes", "1":
				return "classic"
			}
		}
	}
	return ""
}

// Warcinfo is a warcinfo record that may be in force.
type Warcinfo struct {
	facts.Crawl
	isOfTwo bool // it names two programs
	at      Place
	id      recordid.ID
	run     facts.CrawlRun
}

// addWarcinfo puts a warcinfo in force. It reports false where there are too many to
// find it by its id.
func (c *Committer) addWarcinfo(id recordid.ID, w Warcinfo) (remembered bool) {
	c.latest = w
	c.Stats.AddCrawl(w.Crawl)
	if id != "" && len(c.warcinfos) >= warc.MaxWarcinfos {
		return false
	}
	if id != "" {
		c.warcinfos[id] = w
	}
	return true
}

// Know lets records name a warcinfo that was read elsewhere.
func (c *Committer) Know(id recordid.ID, w Warcinfo) { c.warcinfos[id] = w }

// Latest is the warcinfo that was put in force last.
func (c *Committer) Latest() Warcinfo { return c.latest }

// warcinfoOf finds the warcinfo in force: the one that the record names, and none if the input does not
// hold that, or too many; the latest before a record that names none.
func (c *Committer) warcinfoOf(r *warc.Record) Warcinfo {
	if r.WarcinfoID == "" || r.WarcinfoID == c.latest.id {
		return c.latest
	}
	return c.warcinfos[r.WarcinfoID]
}

// credit fills in what the warcinfo in force states about a fetch.
func (c *Committer) credit(x *exchange, r *warc.Record) {
	info := c.warcinfoOf(r)
	x.infoAgent, x.Claim, x.companions.Warcinfo = info.UserAgent, info.Robots, info.at
	x.Run = c.runs.add(&x.Capture, &info, r.WarcinfoID)
	if isSerial(&info) {
		x.Flags |= facts.FlagSerial
	}
}
