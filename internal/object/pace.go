package object

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// pace limits the requests to one server, by all its readers.
type pace struct {
	slots chan struct{} // a request holds one until its answer was read; nil: no bound

	mu    sync.Mutex
	until time.Time     // before which no request is made
	delay time.Duration // of the last pause
	since time.Time     // when it began
}

var paces sync.Map // by host

func paceOf(host string) *pace {
	if p, ok := paces.Load(host); ok {
		return p.(*pace)
	}
	p := new(pace)
	if host == commonCrawl {
		p.slots = make(chan struct{}, commonCrawlRequests)
	}
	shared, _ := paces.LoadOrStore(host, p)
	return shared.(*pace)
}

// enter waits until a request may be made, and returns that time. A series of pauses may last as
// long as a transfer without progress.
func (p *pace) enter(ctx context.Context) (began time.Time, err error) {
	if p.slots != nil {
		select {
		case <-ctx.Done():
			return began, ctx.Err()
		case p.slots <- struct{}{}:
		}
	}
	for first := time.Now(); ; {
		p.mu.Lock()
		wait := time.Until(p.until)
		p.mu.Unlock()
		if wait <= 0 {
			return time.Now(), nil
		}
		if time.Since(first)+wait > limits.patience {
			p.leave()
			return began, &fault{reason: "the server says again and again that requests come too fast; try again " +
				"later, or with fewer --workers"}
		}
		if err := sleep(ctx, wait); err != nil {
			p.leave()
			return began, err
		}
	}
}

func (p *pace) leave() {
	if p.slots != nil {
		<-p.slots
	}
}

// slow makes all requests wait. It ignores answers to requests from before the last pause: these
// requests caused it.
func (p *pace) slow(began time.Time, asked time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if began.Before(p.since) {
		return
	}
	p.delay = min(max(2*p.delay, limits.tooFast), limits.longest)
	p.since = time.Now()
	p.until = p.since.Add(max(p.delay+rand.N(p.delay/4+1), asked))
}

// went notes that a request was answered, so the next pause is shorter.
func (p *pace) went() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.delay /= 2; p.delay < limits.tooFast/4 {
		p.delay = 0
	}
}
