package facts

import (
	"strconv"
	"testing"
)

func TestSameRun(t *testing.T) {
	run := func(file string, fields ...string) *CrawlRun {
		r := &CrawlRun{File: file}
		for i := 0; i < len(fields); i += 2 {
			r.State([]byte(fields[i]), []byte(fields[i+1]))
		}
		known := r.Known()
		return &known
	}
	long := func(operator string) *CrawlRun {
		fields := []string{"hostname", "h"}
		for i := range maxStated {
			fields = append(fields, strconv.Itoa(i), "x")
		}
		return run("a", append(fields, "operator", operator)...)
	}
	host := run("a-1.warc.gz", "hostname", "h", "software", "Heritrix", "filename", "a-1", "created", "1")
	for name, c := range map[string]struct {
		a, b *CrawlRun
		want bool
	}{
		"itself":        {host, host, true},
		"itself, mixed": {&CrawlRun{Mixed: true}, &CrawlRun{Mixed: true}, false},
		"one ID":        {&CrawlRun{ID: "i"}, &CrawlRun{ID: "i"}, true},
		"no ID":         {&CrawlRun{}, &CrawlRun{}, false},
		"one host": {
			host,
			run("b", "HostName", " h", "software", "Heritrix", "filename", "a-2", "created", "2"), true,
		},
		"one host, another software": {host, run("b", "hostname", "h", "software", "Wget"), false},
		"one host, less stated":      {host, run("b", "hostname", "h"), true},
		"another host":               {host, run("b", "hostname", "g", "software", "Heritrix"), false},
		"different kinds of names":   {host, run("b", "operator", "h", "software", "Heritrix"), false},
		"empty operators":            {run("a", "operator", " "), run("b", "operator", " "), false},
		"empty arguments":            {run("a-1", "wget-arguments", ""), run("a-2", "wget-arguments", ""), false},
		"less stated, but empty":     {host, run("b", "hostname", "h", "software", ""), true},
		"one of two hosts": {
			run("a", "hostname", "h", "hostname", "i"),
			run("b", "hostname", "h", "hostname", "j"), false,
		},
		"the same two hosts": {
			run("a", "hostname", "h", "hostname", "i"),
			run("b", "hostname", "h", "hostname", "i"), true,
		},
		"too many fields to compare": {long("x"), long("y"), false},
		"software alone":             {run("a-1", "software", "Wget"), run("a-2", "software", "Wget"), false},
		"parts of one command": {
			run("a-00009.warc.gz", "wget-arguments", "x"),
			run("a-00010.warc.gz", "wget-arguments", "x"), true,
		},
		"one command, one file": {
			run("a-1.warc.gz", "wget-arguments", "x"),
			run("a-1.warc.gz", "wget-arguments", "x"), false,
		},
		"one command, other files": {
			run("a-1.warc.gz", "wget-arguments", "x"),
			run("b-1.warc.gz", "wget-arguments", "x"), false,
		},
		"another command": {
			run("a-1.warc.gz", "wget-arguments", "x"), run("a-2.warc.gz", "wget-arguments", "y"),
			false,
		},
	} {
		if c.a.isSame(c.b, "x", "x") != c.want || c.b.isSame(c.a, "x", "x") != c.want {
			t.Errorf("%s: want %v", name, c.want)
		}
	}
	for name, c := range map[[2]string]bool{
		{"x-9.warc", "x-10.warc"}: true, {"x-1.warc", "x-1.warc"}: false, {"1", "2"}: true, {"x", "y"}: false,
		{"x-1", "x-"}:      false,
		{"x-1-1", "x-2-2"}: false, {"x-19.warc", "x-29.warc"}: true, {"", ""}: false,
	} {
		if differInNumber(name[0], name[1]) != c {
			t.Errorf("%q: want %v", name, c)
		}
	}
}
