package reading

import (
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// request is a request record that may belong to a fetch.
type request struct {
	index        int // of the record in its input
	at           Place
	id           recordid.ID // recordid.Key
	target       string
	time         facts.Time
	concurrentTo []recordid.ID
	method       string
	userAgent    string
	host         string         // that it names
	run          int32          // of its crawler
	authorized   bool           // it has credentials for the site
	claims       bool           // a response
	of           []recordid.ID  // of the first fetches whose request it is; "" of those without one
	first        [1]recordid.ID // the memory of that, as nearly always

	ifNoneMatch, ifModifiedSince string
}

// exchange is a fetch that waits for its request and its metadata record.
type exchange struct {
	facts.Capture
	index         int // of the record in its input
	concurrentTo  []recordid.ID
	body          []byte
	hasBody       bool
	missing       int64     // bytes that its Content-Length has and the body has not
	pageCut       bool      // the page lacks bytes of its Content-Length
	assembly      *assembly // of a policy capture in segments
	infoAgent     string    // http-header-user-agent of the warcinfo in force
	host          string    // that the request of this URL names; "": none
	requested     bool      // its request has been found
	isTarget      bool      // a robots.txt before it redirects to its URL
	second        *request  // that claims it, too, and has another User-Agent
	described     bool      // its metadata record has been found
	describedSize int       // bytes of it
	companions    Companions
}

// key is the record id, as others refer to it.
func (x *exchange) key() recordid.ID { return x.RecordID.Key() }

// pairing finds the request and the metadata record of each fetch: the ones that
// WARC-Concurrent-To joins to it, in either direction, else the adjacent record
// of the same URL. It remembers the last pairingWindow records, and fewer where
// those hold more than maxPending bytes. If several claim a fetch, the first
// in the file counts, of its URL before others, and the User-Agent of a second one of its URL is kept, too.
// One may claim several fetches, but of one id only one.
type pairing struct {
	pending  map[int]*exchange           // fetches that wait, by record index
	byID     map[recordid.ID][]*exchange // pending by record id
	named    map[recordid.ID][]*exchange // pending by the ids that they name
	requests map[int]*request            // by record index
	ids      map[recordid.ID]*request    // requests by record id
	naming   map[recordid.ID][]*request  // requests by the ids that they name
	metadata []*metadata                 // that name a fetch not seen yet, of the last metadataWindow records
	last     *metadata                   // the record before, where it is metadata that names nothing
	oldest   int                         // no record before it is remembered
	settled  int                         // no fetch up to here waits for metadata alone
	waiting  int                         // bytes that pending, requests and metadata hold
	alone    []*request                  // that are forgotten, and claim no response
	claims   []*request                  // reused: the requests of the record in hand
	mine     []*exchange                 // reused: the fetches of the record in hand
	done     []*exchange                 // reused: those that need nothing more; valid until the next call
}

func newPairing() pairing {
	return pairing{
		pending: make(map[int]*exchange), byID: make(map[recordid.ID][]*exchange),
		named:    make(map[recordid.ID][]*exchange),
		requests: make(map[int]*request), ids: make(map[recordid.ID]*request),
		naming: make(map[recordid.ID][]*request),
		oldest: 1,
	}
}

func (p *pairing) addExchange(x *exchange) {
	p.joinNamed(x)
	p.describe(x)
	p.pending[x.index] = x
	p.waiting += x.size()
	if x.RecordID != "" {
		p.byID[x.key()] = append(p.byID[x.key()], x)
	}
	for _, id := range x.concurrentTo {
		p.named[id] = append(p.named[id], x)
	}
}

// joinNamed joins to a fetch the request that WARC-Concurrent-To joins to it.
func (p *pairing) joinNamed(x *exchange) {
	list := p.claims[:0]
	if x.RecordID != "" {
		list = append(list, p.naming[x.key()]...)
	}
	for _, id := range x.concurrentTo {
		if q := p.ids[id]; q != nil {
			list = append(list, q)
		}
	}
	p.claims = list
	best, fit := (*request)(nil), fitNone
	for _, q := range list {
		if f := q.fit(x); f > fit {
			best, fit = q, f
		}
	}
	if best == nil {
		return
	}
	x.join(best)
	for _, q := range list {
		x.claim(q)
	}
}

// A fit grades the requests that are joined to a fetch by an id. Some writers use an id twice.
type fit uint8

const (
	fitNone  fit = iota // it is that of another fetch of that id
	fitNamed            // it is of another URL
	fitTaken            // it is of the URL, and that of another fetch, too
	fitURL
)

func (q *request) fit(x *exchange) fit {
	switch {
	case x.RecordID != "" && slices.Contains(q.of, x.key()):
		return fitNone
	case q.target != x.URL:
		return fitNamed
	case len(q.of) > 0:
		return fitTaken
	}
	return fitURL
}

// addRequest returns the fetches that have waited for their request alone.
func (p *pairing) addRequest(q *request) (done []*exchange) {
	p.requests[q.index] = q
	p.waiting += q.size()
	mine := p.mine[:0]
	if q.id != "" {
		if first := p.ids[q.id]; first == nil || len(first.of) > 0 { // some writers use an id twice
			p.ids[q.id] = q
		}
		mine = append(mine, p.named[q.id]...)
	}
	for _, id := range q.concurrentTo {
		if len(p.naming[id]) < maxSameID {
			p.naming[id] = append(p.naming[id], q)
		}
		same := p.byID[id][:min(len(p.byID[id]), maxSameID)]
		if i := slices.IndexFunc(same, func(x *exchange) bool { return !x.requested && x.URL == q.target }); i > 0 {
			mine = append(mine, same[i])
		}
		mine = append(mine, same...)
	}
	p.mine, done = mine, p.done[:0]
	for _, x := range mine {
		switch {
		case x.requested:
			x.claim(q)
		case q.fit(x) != fitNone:
			x.join(q)
			if x.index <= q.index-metadataWindow {
				p.forget(x)
				done = append(done, x)
			}
		}
	}
	p.done = done
	return done
}

func (p *pairing) addMetadata(m *metadata) {
	mine := p.mine[:0]
	if m.id != "" {
		mine = append(mine, p.named[m.id]...)
	}
	for _, id := range m.names {
		mine = append(mine, p.byID[id]...)
	}
	switch {
	case len(mine) == 0 && len(m.names) == 0:
		if x := p.describedBeside(m); x != nil {
			mine = append(mine, x)
		} else {
			p.last = m
		}
	case len(mine) == 0:
		p.metadata = append(p.metadata, m)
		p.waiting += m.size()
	}
	p.mine = mine
	for _, x := range mine {
		if !x.described {
			p.waiting += m.size() // as the fetch grows
		}
		x.describe(m)
	}
}

// describe takes over metadata before a fetch that belongs to it.
func (p *pairing) describe(x *exchange) {
	for _, m := range p.metadata {
		if x.RecordID != "" && slices.Contains(m.names, x.key()) || m.id != "" &&
			slices.Contains(x.concurrentTo, m.id) {
			x.describe(m)
		}
	}
	if m := p.last; m != nil && !x.described && m.index == x.index-1 && m.target == x.URL {
		x.describe(m)
	}
}

// describedBeside finds the fetch right before metadata that names none, or before
// the request between them.
func (p *pairing) describedBeside(m *metadata) *exchange {
	index := m.index - 1
	if q := p.requests[index]; q != nil && q.target == m.target {
		index--
	}
	if x := p.pending[index]; x != nil && !x.described && x.URL == m.target {
		return x
	}
	return nil
}

func (p *pairing) forget(x *exchange) {
	delete(p.pending, x.index)
	p.waiting -= x.size()
	x.joinSecond()
	drop(p.byID, x.key(), x)
	for _, id := range x.concurrentTo {
		drop(p.named, id, x)
	}
}

// drop removes x from the list of a key. Records leave about in the order in which
// they came, so it is looked for from the front.
func drop[R *exchange | *request](m map[recordid.ID][]R, key recordid.ID, x R) {
	list := m[key]
	i := slices.Index(list, x)
	switch {
	case i < 0:
	case len(list) == 1:
		delete(m, key)
	case i == 0:
		m[key] = list[1:]
	default:
		m[key] = slices.Delete(list, i, i+1)
	}
}

// claim remembers a request that claims the fetch beside its own.
func (x *exchange) claim(q *request) {
	q.claims = true
	if x.second == nil && q.userAgent != "" && q.userAgent != x.UserAgent && q.fit(x) == fitURL {
		x.second = q
	}
}

func (x *exchange) join(q *request) {
	x.requested, q.claims = true, true
	if q.of == nil {
		q.of = q.first[:0]
	}
	if len(q.of) < maxSameID {
		q.of = append(q.of, x.key())
	}
	x.companions.Request = q.at
	x.Method, x.UserAgent = q.method, q.userAgent
	if q.userAgent != "" {
		x.UserAgentSource = facts.SourceRequest
	}
	if q.authorized && x.Status/100 == 2 {
		x.Flags |= facts.FlagAuthorized
	}
	if x.Kind != facts.CaptureNone {
		x.IfNoneMatch, x.IfModifiedSince = q.ifNoneMatch, q.ifModifiedSince
	}
	if q.target == "" || q.target == x.URL {
		x.host = q.host
		x.Lead = max(x.Time().MicrosSince(q.time), 0)
	}
}

// joinSecond adds the User-Agent of a second request that claims the fetch, unless it has turned out to be
// that of another one. Nothing shows which of the two was answered, as with two User-Agents of one request.
func (x *exchange) joinSecond() {
	q := x.second
	if q == nil || len(q.of) > 0 || strings.Contains(x.UserAgent, "\n") {
		return
	}
	for agent := range strings.SplitSeq(q.userAgent, "\n") {
		if agent != x.UserAgent {
			x.UserAgent = facts.AtMost(strings.TrimPrefix(x.UserAgent+"\n"+agent, "\n"), httpmsg.MaxUserAgent)
			x.UserAgentSource = facts.SourceRequest
			x.companions.Second = q.at
			return
		}
	}
}

// isMisdirected reports whether the request of the fetch names another host than its URL
// does: then the answer is not the answer of that URL's origin.
func (x *exchange) isMisdirected() bool { return x.host != "" && !namesHost(x.host, x.Origin) }

// namesHost reports whether a Host field names the host of an origin, in any of the forms
// in which requests write it. The port may be left out.
func namesHost(host, origin string) bool {
	scheme, authority, _ := strings.Cut(origin, "://")
	if host == authority {
		return true
	}
	if strings.Count(host, ":") > 1 && host[0] != '[' { // an IPv6 address without its brackets
		host = "[" + host + "]"
	}
	named, _ := weburl.Parse(scheme + "://" + host + "/")
	meant, _ := weburl.Parse(origin)
	if strings.TrimSuffix(named.Host, ".") != strings.TrimSuffix(meant.Host, ".") {
		return false
	}
	isDefault := named.Origin() == scheme+"://"+named.Host
	return named.Port == 0 || named.Port == meant.Port || meant.Port == 0 && isDefault
}

// size is what of the fetch may be long, in bytes.
func (x *exchange) size() int {
	return len(x.body) + len(x.URL) + len(x.Origin) + len(x.HostReversed) + len(x.RecordID) + len(x.Location) +
		len(x.PolicyHeaders) + len(x.Metas) +
		len(x.RefersToURL) + len(x.RefersToID) + len(x.ETag) + len(x.LastModified) + idSize(x.concurrentTo) +
		x.describedSize
}

// size is what of the request may be long, in bytes.
func (q *request) size() int {
	return len(q.id) + len(q.target) + len(q.userAgent) + len(q.host) + len(q.ifNoneMatch) + len(q.ifModifiedSince) +
		idSize(q.concurrentTo)
}

func idSize(ids []recordid.ID) (n int) {
	for _, id := range ids {
		n += len(id)
	}
	return n
}

// expire forgets the records up to index upTo, and more while those that wait
// take too much memory. It returns the fetches among them, in file order, with the
// adjacent request where there is one.
func (p *pairing) expire(upTo int) (expired []*exchange) {
	expired = p.done[:0]
	for p.oldest <= upTo || p.waiting > maxPending {
		if x := p.pending[p.oldest]; x != nil {
			p.forget(x)
			if !x.requested {
				p.joinAdjacent(x)
			}
			expired = append(expired, x)
		}
		p.forgetMetadata(p.oldest)
		// The request before a fetch is needed for as long as the fetch waits.
		p.forgetRequest(p.oldest - 1)
		p.oldest++
	}
	p.done = expired
	return expired
}

// settle returns, in file order, the fetches up to index upTo that have their request, and so wait
// for metadata or a second request alone: they stand near, where there are any.
func (p *pairing) settle(upTo int) (done []*exchange) {
	done = p.done[:0]
	for ; p.settled < upTo; p.settled++ {
		if x := p.pending[p.settled+1]; x != nil && x.requested {
			p.forget(x)
			done = append(done, x)
		}
	}
	p.forgetMetadata(upTo)
	p.done = done
	return done
}

func (p *pairing) forgetMetadata(upTo int) {
	for len(p.metadata) > 0 && p.metadata[0].index <= upTo {
		p.waiting -= p.metadata[0].size()
		p.metadata = p.metadata[1:]
	}
}

func (p *pairing) forgetRequest(index int) {
	q := p.requests[index]
	if q == nil {
		return
	}
	delete(p.requests, index)
	p.waiting -= q.size()
	if !q.claims {
		p.alone = append(p.alone, q)
	}
	if p.ids[q.id] == q {
		delete(p.ids, q.id)
	}
	for _, id := range q.concurrentTo {
		drop(p.naming, id, q)
	}
}

// joinAdjacent finds the request of a fetch that no WARC-Concurrent-To names: the
// record right before or after it, of the same URL, that belongs to no other.
func (p *pairing) joinAdjacent(x *exchange) {
	for _, index := range [...]int{x.index - 1, x.index + 1} {
		if q := p.requests[index]; q != nil && len(q.of) == 0 && q.target == x.URL {
			x.join(q)
			return
		}
	}
}
