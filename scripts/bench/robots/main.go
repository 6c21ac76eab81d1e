// Robots measures robots.txt parsers written in Go on a folder of bodies:
//
//	robots PEER MEASURE SECONDS BODY...   goes over the bodies for so long
//	robots median BODY...                 names the body with the median number of rules
//
// The measures:
//
//	parse     reads each body; the work is bytes
//	oneshot   reads each body and asks one path of it; bytes
//	match     asks paths of the bodies, read before where the peer has a form to keep; matches
//
// The output is one line: work, nanoseconds of processor time, objects allocated,
// checksum.
package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"syscall"

	"github.com/jimsmart/grobotstxt"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/temoto/robotstxt"
)

// The same as in google.cc.
const token = "ExampleBot"

var paths = [...]string{
	"/",
	"/index.html",
	"/folder/page.html?id=17&sort=name",
	"/images/2019/07/photo-large.jpg",
	"/en/products/category/item-12345/reviews",
	"/search?q=robots%20exclusion",
	"/wp-admin/admin-ajax.php",
	"/news/2019/07/14/a-long-title-of-an-article-that-somebody-wrote/",
}

// A peer does the same work as the others, in its own way. What it returns is
// summed up, so that nothing is optimised away.
type peer interface {
	parse(body []byte) int
	oneshot(body []byte, path int) bool
	// compile returns what answers for paths by their number.
	compile(body []byte) func(path int) bool
}

var peers = map[string]peer{
	"robotsaudit":        own{robots.RFC9309},
	"robotsaudit-google": own{robots.Google},
	"grobotstxt":         port{},
	"temoto":             temoto{},
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == "median" {
		fmt.Println(median(os.Args[2:]))
		return
	}
	if len(os.Args) < 5 || peers[os.Args[1]] == nil {
		fail("usage: robots PEER MEASURE SECONDS BODY...")
	}
	seconds, err := strconv.ParseFloat(os.Args[3], 64)
	if err != nil {
		fail(err)
	}
	var bodies [][]byte
	for _, name := range os.Args[4:] {
		bodies = append(bodies, read(name))
	}
	pass := passOver(peers[os.Args[1]], os.Args[2], bodies)
	runtime.GC()

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := processorTime()
	enough := int64(seconds * 1e9)
	var work, sum int
	for processorTime()-start < enough {
		w, s := pass()
		work, sum = work+w, sum+s
	}
	elapsed := processorTime() - start
	runtime.ReadMemStats(&after)
	fmt.Println(work, elapsed, after.Mallocs-before.Mallocs, sum)
}

// processorTime returns what this process has used, garbage collection
// included, in nanoseconds. Other processes disturb it less than the clock.
func processorTime() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		fail(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// passOver returns a function that does some of the work.
func passOver(p peer, measure string, bodies [][]byte) func() (work, sum int) {
	octets := 0
	for _, b := range bodies {
		octets += len(b)
	}
	switch measure {
	case "parse":
		return func() (_, sum int) {
			for _, body := range bodies {
				sum += p.parse(body)
			}
			return octets, sum
		}
	case "oneshot":
		return func() (_, sum int) {
			for i, body := range bodies {
				sum += number(p.oneshot(body, i%len(paths)))
			}
			return octets, sum
		}
	case "match":
		groups := make([]func(int) bool, len(bodies))
		for i, body := range bodies {
			groups[i] = p.compile(body)
		}
		asked := 0
		return func() (_, sum int) {
			const times = 1000
			for range times {
				sum += number(groups[asked%len(groups)](asked % len(paths)))
				asked++
			}
			return times, sum
		}
	}
	fail("no measure " + measure)
	return nil
}

// own is this repository's parser.
type own struct{ profile robots.Profile }

func (o own) parse(body []byte) int {
	return robots.Parse(body, o.profile).Rules
}

func (o own) oneshot(body []byte, path int) bool {
	f := robots.Parse(body, o.profile)
	return f.For(token).Match(paths[path]).Allowed
}

func (o own) compile(body []byte) func(int) bool {
	f := robots.Parse(body, o.profile)
	g := f.For(token)
	return func(path int) bool { return g.Match(paths[path]).Allowed }
}

// port is the Go port of Google's code. It reads strings, keeps no form of a
// file, and takes whole URLs.
type port struct{}

var urls = func() (all [len(paths)]string) {
	for i, p := range paths {
		all[i] = "https://example.com" + p
	}
	return all
}()

func (port) parse(body []byte) int {
	var t touch
	grobotstxt.Parse(string(body), &t)
	return t.sum
}

func (port) oneshot(body []byte, path int) bool {
	return grobotstxt.AgentAllowed(string(body), token, urls[path])
}

func (port) compile(body []byte) func(int) bool {
	text := string(body)
	return func(path int) bool { return grobotstxt.AgentAllowed(text, token, urls[path]) }
}

// touch does nothing but touch what it is given.
type touch struct{ sum int }

func (t *touch) add(line int, value string) {
	t.sum += line + len(value)
	if value != "" {
		t.sum += int(value[0])
	}
}

func (*touch) HandleRobotsStart()                          {}
func (*touch) HandleRobotsEnd()                            {}
func (t *touch) HandleUserAgent(line int, value string)    { t.add(line, value) }
func (t *touch) HandleAllow(line int, value string)        { t.add(line, value) }
func (t *touch) HandleDisallow(line int, value string)     { t.add(line, value) }
func (t *touch) HandleSitemap(line int, value string)      { t.add(line, value) }
func (t *touch) HandleUnknownAction(line int, a, v string) { t.add(line, a); t.add(line, v) }

// temoto rejects some bodies; that counts as reading them, and as no.
type temoto struct{}

func (temoto) parse(body []byte) int {
	if _, err := robotstxt.FromBytes(body); err != nil {
		return 0
	}
	return 1
}

func (temoto) oneshot(body []byte, path int) bool {
	d, err := robotstxt.FromBytes(body)
	return err == nil && d.TestAgent(paths[path], token)
}

func (temoto) compile(body []byte) func(int) bool {
	d, err := robotstxt.FromBytes(body)
	if err != nil {
		return func(int) bool { return false }
	}
	g := d.FindGroup(token)
	return func(path int) bool { return g.Test(paths[path]) }
}

// median returns the name of the middle body of those with a rule, by the
// number of rules that govern the token.
func median(names []string) string {
	rules := make(map[string]int)
	for _, name := range names {
		if f := robots.Parse(read(name), robots.RFC9309); f.Rules > 0 {
			rules[name] = f.Rules
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return rules[name] == 0 })
	slices.SortStableFunc(names, func(a, b string) int { return rules[a] - rules[b] })
	return names[len(names)/2]
}

func read(name string) []byte {
	body, err := os.ReadFile(name)
	if err != nil {
		fail(err)
	}
	return body
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

func fail(why any) {
	fmt.Fprintln(os.Stderr, "robots:", why)
	os.Exit(2)
}
