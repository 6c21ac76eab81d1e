package use

import (
	"iter"
	"slices"
	"sort"

	"github.com/robotsaudit/robotsaudit/evaluate/verdict"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Bounds of licence documents.
const (
	maxLicences     = 8192    // captures in all archives
	maxLicenceTexts = 8 << 20 // bytes of their URLs, IDs and steps
	// documents that one page and its robots.txt name; captures of one moment that are compared
	maxNamed = 4
	maxRead  = 64 // documents that are kept as read
)

// Licences are the captures of licence documents in all archives, by URL and time.
type Licences map[string][]licence

type licence struct {
	facts.Capture
	isDoubtful bool           // the record is, or the one that a revisit stands for
	steps      []resolve.Step // records that it led to
}

// ReadLicences reads which licence documents there are. Of more than are kept the first are.
// issues may be nil.
func ReadLicences(states iter.Seq2[*resolve.State, error], issues *run.Sorter[facts.Issue]) (Licences, error) {
	all := make(Licences)
	captures, texts := 0, 0
	for s, err := range states {
		if err != nil {
			return nil, err
		}
		if s.Outcome != words.OutcomeRules || !s.HasBody || !s.Time().Known() {
			continue
		}
		u, _ := weburl.Parse(s.URL)
		list := all[u.Key()]
		if n := len(list); n > 0 && list[n-1].Time() == s.Time() && list[n-1].BodyDigest == s.BodyDigest {
			continue
		}
		captures++
		if texts += 2*len(s.URL) + len(s.RecordID) + len(s.StepText); captures > maxLicences ||
			texts > maxLicenceTexts {
			if issues == nil {
				return all, nil
			}
			return all, issues.Add(s.Issue(words.IssueLimitReached, "this one and others are not read",
				"more than %d captures of licence documents, or more than %d bytes of their URLs",
				maxLicences, maxLicenceTexts))
		}
		l := licence{isDoubtful: s.Mismatched || s.Resynced, steps: s.Steps()}
		l.Fetch = facts.Fetch{
			Origin: s.Origin, URL: s.URL, RecordID: s.RecordID, Input: s.Input, Entry: s.Entry, Offset: s.Offset,
			Length: s.Length, Index: s.Index,
			Micros: s.Micros, Precision: s.Precision,
		}
		l.Pack, l.BodyDigest, l.BodyOffset, l.BodySize = s.Pack, s.BodyDigest, s.BodyOffset, s.BodySize
		all[u.Key()] = append(list, l)
	}
	return all, nil
}

// at returns the capture of a licence document that counts at t: the latest at or before it. isSure is
// false if that is more than a day older, or there is none: then it is the nearest one. It is false, too, if
// captures of its moment differ, which are all returned.
func (all Licences) at(key string, t facts.Time) (list []*licence, isSure bool) {
	known := all[key]
	if len(known) == 0 {
		return nil, false
	}
	next := 0 // the first one after t
	if t.Known() {
		next = sort.Search(len(known), func(i int) bool { return known[i].Time().MicrosSince(t) > 0 })
	}
	i, isFresh := max(next-1, 0), false
	if next > 0 {
		age := t.MicrosSince(known[i].Time())
		isFresh = age <= verdict.FreshFor
		if !isFresh && next < len(known) && known[next].Time().MicrosSince(t) < age {
			i = next
		}
	}
	of := &known[i]
	for j := max(i-maxNamed, 0); j <= min(i+maxNamed, len(known)-1); j++ {
		l := &known[j]
		isThere := slices.ContainsFunc(list, func(o *licence) bool { return o.BodyDigest == l.BodyDigest })
		if !isThere && l.Time().MicrosSince(of.Time()) == 0 {
			list = append(list, l)
		}
	}
	return list, isFresh && len(list) == 1 && !of.isDoubtful
}

// A named licence is one whose URL a page, or its robots.txt, states.
type named struct {
	key   string
	scope tag.Scope
}

// namedBy lists the licences that signals of a page and of robots.txt name, each once.
func namedBy(f *facts.Fetch, own, origin []tag.Signal) (list []named) {
	for i, s := range slices.Concat(own, origin) {
		base, scope := f.URL, tag.ScopePage
		if i >= len(own) {
			base, scope = f.Origin+"/robots.txt", tag.ScopeOrigin
		}
		if s.Kind != tag.SignalLicense || s.Value == "" || !s.Binds() {
			continue
		}
		if key := weburl.KeyOf(base, s.Value); len(list) < tag.MaxItems &&
			!slices.ContainsFunc(list, func(n named) bool { return n.key == key }) {
			list = append(list, named{key, scope})
		}
	}
	return list
}

// readDocuments returns the statements of the licence documents that a page, or the robots.txt that governs it, names
// by its signals. more is true if they are more than are read.
func (p *Reader) readDocuments(
	r *verdict.Finding, page *Page, own, origin []tag.Signal,
) (list []Signal, more bool, err error) {
	if len(p.licences) == 0 {
		return nil, false, nil
	}
	number := 0
	for _, name := range namedBy(r.Fetch, own, origin) {
		captures, isSure := p.licences.at(name.key, r.Fetch.Time())
		if len(captures) == 0 {
			continue
		}
		if number++; number > maxNamed {
			return list, true, nil
		}
		for _, l := range captures {
			rsl, err := p.readLicence(l)
			if err != nil {
				return nil, false, err
			}
			page.documents = append(page.documents, Document{&l.Capture, l.steps})
			for _, s := range rsl.For(r.Fetch.Origin, r.Path) {
				s.Scope, s.Line = name.scope, number
				if !isSure {
					s.Doubt()
				}
				list = append(list, Signal{s, &l.Capture})
			}
		}
	}
	return list, false, nil
}

// readLicence reads a licence document. It keeps a few.
func (p *Reader) readLicence(l *licence) (*tag.RSL, error) {
	key := l.BodyDigest + l.Origin
	if rsl := p.read[key]; rsl != nil {
		return rsl, nil
	}
	body, err := p.store.Body(&l.Capture)
	if err != nil {
		return nil, err
	}
	if p.read == nil || len(p.read) == maxRead {
		p.read = make(map[string]*tag.RSL)
	}
	p.read[key] = tag.ReadRSL(body, l.Origin)
	return p.read[key], nil
}
