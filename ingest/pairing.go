package ingest

// request is a request record that may belong to a fetch.
type request struct {
	index        int // of the record in its input
	id           string
	target       string
	concurrentTo []string
	method       string
	userAgent    string
	taken        bool
}

// exchange is a fetch that waits for its request record.
type exchange struct {
	Capture
	index        int // of the record in its input
	concurrentTo []string
	body         []byte
	hasBody      bool
	assembly     *assembly // of a policy capture in segments
	infoAgent    string    // http-header-user-agent of the warcinfo in force
}

// pairing finds the request record of each fetch: the one that WARC-Concurrent-To
// joins to it, in either direction, else the record right beside it of the same
// URL. It remembers the last pairingWindow records, and fewer where those hold
// more than maxPending octets.
type pairing struct {
	pending  map[int]*exchange    // fetches without a request, by record index
	byID     map[string]*exchange // the same by record id
	named    map[string]*exchange // the same by the ids that they name
	requests map[int]*request     // by record index
	ids      map[string]*request  // the same by record id
	naming   map[string]*request  // the same by the ids that they name
	oldest   int                  // no record before it is remembered
	waiting  int                  // octets that pending and requests hold
}

func newPairing() pairing {
	return pairing{
		pending: make(map[int]*exchange), byID: make(map[string]*exchange), named: make(map[string]*exchange),
		requests: make(map[int]*request), ids: make(map[string]*request), naming: make(map[string]*request),
		oldest: 1,
	}
}

// addExchange returns the fetch if its request is known already.
func (p *pairing) addExchange(x *exchange) (paired []*exchange) {
	if q := p.requestOf(x); q != nil {
		x.join(q)
		return []*exchange{x}
	}
	p.pending[x.index] = x
	p.waiting += x.size()
	if x.RecordID != "" {
		p.byID[x.RecordID] = x
	}
	for _, id := range x.concurrentTo {
		p.named[id] = x
	}
	return nil
}

// requestOf finds a request joined to a fetch by WARC-Concurrent-To.
func (p *pairing) requestOf(x *exchange) *request {
	if q := p.naming[x.RecordID]; q != nil && x.RecordID != "" {
		return q
	}
	for _, id := range x.concurrentTo {
		if q := p.ids[id]; q != nil {
			return q
		}
	}
	return nil
}

// addRequest returns the fetches that it belongs to, in file order.
func (p *pairing) addRequest(q *request) (paired []*exchange) {
	p.requests[q.index] = q
	p.waiting += q.size()
	if q.id != "" {
		p.ids[q.id] = q
		paired = p.pair(paired, q, p.named[q.id])
	}
	for _, id := range q.concurrentTo {
		p.naming[id] = q
		paired = p.pair(paired, q, p.byID[id])
	}
	return paired
}

func (p *pairing) pair(paired []*exchange, q *request, x *exchange) []*exchange {
	if x == nil || p.pending[x.index] != x {
		return paired
	}
	p.forget(x)
	x.join(q)
	return append(paired, x)
}

func (p *pairing) forget(x *exchange) {
	delete(p.pending, x.index)
	p.waiting -= x.size()
	if p.byID[x.RecordID] == x {
		delete(p.byID, x.RecordID)
	}
	for _, id := range x.concurrentTo {
		if p.named[id] == x {
			delete(p.named, id)
		}
	}
}

func (x *exchange) join(q *request) {
	q.taken = true
	x.Method, x.UserAgent = q.method, q.userAgent
	if q.userAgent != "" {
		x.UserAgentSource = SourceRequest
	}
}

// size is what of the fetch may be long, in octets.
func (x *exchange) size() int {
	return len(x.body) + len(x.URL) + len(x.Origin) + len(x.HostReversed) + len(x.RecordID) + len(x.Location) + len(x.PolicyHeaders) +
		len(x.RefersToURL) + idSize(x.concurrentTo)
}

// size is what of the request may be long, in octets.
func (q *request) size() int {
	return len(q.id) + len(q.target) + len(q.userAgent) + idSize(q.concurrentTo)
}

func idSize(ids []string) (n int) {
	for _, id := range ids {
		n += len(id)
	}
	return n
}

// expire forgets the records up to index upTo, and more while those that wait
// take too much memory. It returns the fetches among them, in file order, with the
// request beside them where there is one.
func (p *pairing) expire(upTo int) (expired []*exchange) {
	for p.oldest <= upTo || p.waiting > maxPending {
		if x := p.pending[p.oldest]; x != nil {
			p.forget(x)
			p.joinAdjacent(x)
			expired = append(expired, x)
		}
		// The request before a fetch is needed for as long as the fetch waits.
		p.forgetRequest(p.oldest - 1)
		p.oldest++
	}
	return expired
}

func (p *pairing) forgetRequest(index int) {
	q := p.requests[index]
	if q == nil {
		return
	}
	delete(p.requests, index)
	p.waiting -= q.size()
	if p.ids[q.id] == q {
		delete(p.ids, q.id)
	}
	for _, id := range q.concurrentTo {
		if p.naming[id] == q {
			delete(p.naming, id)
		}
	}
}

// joinAdjacent finds the request of a fetch that no WARC-Concurrent-To names: the
// record right before or behind it, of the same URL, that belongs to no other.
func (p *pairing) joinAdjacent(x *exchange) {
	for _, index := range [...]int{x.index - 1, x.index + 1} {
		if q := p.requests[index]; q != nil && !q.taken && q.target == x.URL {
			x.join(q)
			return
		}
	}
}
