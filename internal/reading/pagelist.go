package reading

import (
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/wacz"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// pageList knows the pages that a WACZ lists. It distinguishes fetches of pages from
// others. It does not cover robots.txt, and a page that was listed and not
// recorded is no fetch. A nil one knows nothing.
type pageList struct {
	seeds map[pageKey]bool // pages, and whether they are said to be seeds
	known bool             // some page is said to be one, so that the others are none
	part  bool             // some of it could not be read, or was too much
}

// pageKey stands for a URL, so that a page costs the same however long it is.
type pageKey [16]byte

func pageKeyOf(u weburl.URL) pageKey {
	sum := sha256.Sum256([]byte(u.Key()))
	return pageKey(sum[:len(pageKey{})])
}

// add takes a line of a list. Pages of other schemes (file:, of a screenshot) are no
// fetches.
func (l *pageList) add(line []byte) (fault string) {
	page, ok := wacz.ParsePage(line)
	if !ok {
		return "no JSON object with a URL"
	}
	url, _ := weburl.Parse(page.URL)
	if page.URL == "" || url.Host == "" || !weburl.IsFetchScheme(url.Scheme) { // the first line names the format
		return ""
	}
	key := pageKeyOf(url)
	if _, listed := l.seeds[key]; !listed && len(l.seeds) == maxPages {
		l.part = true
		return ""
	}
	l.seeds[key] = l.seeds[key] || page.Seed
	l.known = l.known || page.Seed
	return ""
}

// flags are the list's flags of a fetch.
func (l *pageList) flags(u weburl.URL) (f facts.Flags) {
	if l == nil {
		return 0
	}
	seed, listed := l.seeds[pageKeyOf(u)]
	switch {
	case listed:
		f = facts.FlagPagesListed | facts.FlagPage
	case !l.part:
		f = facts.FlagPagesListed
	}
	if listed && l.known {
		f |= facts.FlagSeedKnown
	}
	if seed {
		f |= facts.FlagSeed
	}
	return f
}

// readPageLists reads the page lists of a WACZ. There is no list where none names a
// page that could be a fetch.
func (r *waczReader) readPageLists(entries []wacz.Entry) error {
	list := &pageList{seeds: make(map[pageKey]bool)}
	for i := range entries {
		e := &entries[i]
		if !wacz.IsPageList(e.Local()) {
			continue
		}
		if e.Problem != "" { // which is reported in its turn
			list.part = true
			continue
		}
		if err := r.readPageList(e, list); err != nil {
			return err
		}
	}
	if len(list.seeds) > 0 {
		r.pages = list
	}
	return nil
}

func (r *waczReader) readPageList(e *wacz.Entry, list *pageList) error {
	content := e.Open()
	full := list.part
	before := r.account.Stats.Issues
	err := r.readLog(e, func(line []byte) (*facts.LogEvent, string) { return nil, list.add(line) },
		input.MarkFailures(content))
	if err != nil {
		return err
	}
	if list.part && !full {
		if err := r.report(e, words.IssueLimitReached, fmt.Sprintf("more than %d pages", maxPages),
			"the others not told from embeds"); err != nil {
			return err
		}
	}
	if err := r.verifyEnd(e, content, "the lines before it were read"); err != nil {
		return err
	}
	list.part = list.part || r.account.Stats.Issues > before
	return nil
}

// verifyEnd reads an entry to its end and reports what is wrong with it.
func (r *waczReader) verifyEnd(e *wacz.Entry, content *wacz.EntryReader, action string) error {
	if _, err := io.Copy(io.Discard, content); err != nil || content.Fault == nil {
		return err
	}
	return r.report(e, words.IssueBadEntry, content.Fault.Error(), action)
}
