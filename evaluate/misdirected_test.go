package evaluate

import "testing"

// TestMisdirected: what was asked of another host than the URL's is no robots.txt of the
// URL's origin, and no target of a redirect. A crawler that sends the Host of a redirect's
// source to its target gets the redirect again, or whatever that host answers, and may take it
// for the target's.
func TestMisdirected(t *testing.T) {
	t.Parallel()
	const other = "http://b.example"
	asking := func(r rec, host string) rec {
		r.asked = []string{"Host: " + host}
		return r
	}
	first := asking(redirect(home+"/robots.txt", "-1h", other+"/robots.txt"), "a.example")
	again := asking(redirect(other+"/robots.txt", "-1h", other+"/robots.txt"), "a.example")
	rules := rec{url: other + "/rules", at: "-1h", body: closed}
	toRules := redirect(home+"/robots.txt", "-1h", rules.url)
	for name, c := range map[string]struct {
		list archive
		want string
	}{
		"the target's own answer": {
			archive{first, again, asking(robotsAt(other, "-59m", closed), "b.example")},
			"unknown fresh unresolved_redirect",
		},
		"an earlier answer of the target": {
			archive{asking(dated(rules, "-2h"), "b.example"), toRules, dated(asking(rules, "a.example"), "-59m")},
			"unknown fresh unresolved_redirect",
		},
		"the same, where the target is a robots.txt": {
			archive{asking(robotsAt(other, "-2h", closed), "b.example"), first, dated(again, "-59m")},
			"unknown fresh unresolved_redirect",
		},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, DecideOptions{}, append(c.list, page(c.want)))
			// Where the target is not known to be one before it is read, it is found later.
			check(t, DecideOptions{}, append(archive{c.list[len(c.list)-1]},
				append(c.list[:len(c.list)-1:len(c.list)-1], page(c.want))...))
		})
	}
	inOneMoment := archive{first, asking(robotsAt(other, "-1h", closed), "b.example"), again}
	check(t, DecideOptions{}, append(inOneMoment, page("disallowed fresh rule probable +other_target")))
}

func robotsAt(origin, at, body string) rec {
	return rec{url: origin + "/robots.txt", at: at, body: body}
}

func dated(r rec, at string) rec {
	r.at = at
	return r
}
