package challenge

import (
	"strings"
	"testing"
	"time"
)

// Challenges, reduced to their marks and what surrounds them.
var challenges = map[string]string{
	"Anubis": `<!doctype html><html lang="en"><head><title>Making sure you&#39;re not a bot!</title><style>body{margin:0}</style>` +
		`<script id="anubis_version" type="application/json">"v1.21.0"</script><script id="anubis_challenge" type="application/json">{"rules":{"difficulty":4}}</script></head><body id="top"></body></html>`,
	"DataDome": `<html lang="en"><head><title>a.example</title></head><body style="margin:0"><p id="cmsg">Please enable JS</p>` +
		`<script data-cfasync="false">var dd={'rt':'c','cid':'x'}</script><script data-cfasync="false" src="https://ct.captcha-delivery.com/c.js"></script></body></html>`,
	"DataDome, inlined": `<html><body><script>var dd={'rt':'i','host':'geo.captcha-delivery.com'}</script><script>run()</script></body></html>`,
	"DataDome, a frame": `<html><body><iframe src="//geo.captcha-delivery.com/captcha/?cid=x"></iframe></body></html>`,
	"PerimeterX":        `<!DOCTYPE html><html><head><title>Access denied</title></head><body><div id="px-captcha"></div><script>/* set "up" */ window._pxVid = ''; window._pxAppId = 'PX1';</script></body></html>`,
	"PerimeterX, later": `<!DOCTYPE html><html><head><meta name="description" content="px-captcha"></head><body><script>window._pxAppId='PX1';</script></body></html>`,
	"Akamai":            `<!DOCTYPE html><html><body><div id="sec-if-cpt-container" role="main"></div></body></html>`,
	"Sucuri":            `<html><title>You are being redirected...</title><noscript>Javascript is required.</noscript><script>var s={},u,e=eval,w=String.fromCharCode,sucuri_cloudproxy_js='',S='cD0i';</script></html>`,
	"Sucuri, formatted": "<html><script>\n    var s = {},\n        sucuri_cloudproxy_js = '',\n        S = " +
		"'cD0i';\n</script></html>",
}

func TestChallenges(t *testing.T) {
	for name, page := range challenges {
		for form, page := range map[string]string{
			"": page, "with a mark": "\xEF\xBB\xBF" + page, "behind a comment": "\r\n <!-- x -->" + page,
			"behind much": "<!--" + strings.Repeat("x", MaxPage/2) + "-->" + page,
			"in capitals": strings.NewReplacer("<script", "<SCRIPT", "<div", "<DIV", " id=", " ID=", "<iframe",
				"<IFRAME").Replace(page),
		} {
			if !InPage([]byte(page)) {
				t.Errorf("%s %s: none", name, form)
			}
		}
		if InPage([]byte("<!--" + strings.Repeat("x", MaxPage) + "-->" + page)) {
			t.Errorf("%s: found beyond the limit", name)
		}
	}
}

// A page that quotes a mark, in whatever way, is no challenge.
func TestQuotedMarksAreNone(t *testing.T) {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace
	quoteJS := strings.NewReplacer("\\", "\\\\", "'", "\\'", "\n", "\\n", "</script", "<\\/script").Replace
	for name, page := range challenges {
		for form, text := range map[string]string{
			"in text": "<html><body><p>" + escape(page) + "</p></body></html>",
			"in code": "<!doctype html><article><pre><code>" + escape(page) + "</code></pre></article>",
			"in a comment": "<html><body><!-- " + strings.ReplaceAll(page, "--", "") +
				" --><p>x</p></body></html>",
			"in a textarea": "<html><body><textarea>" + page + "</textarea></body></html>",
			"in a title": "<html><head><title>" + strings.ReplaceAll(page, "</title>", "") +
				"</title></head></html>",
			"in a template": "<html><body><template>" + page + "</template></body></html>",
			"in a noscript": "<html><body><p>x</p><noscript>" + strings.ReplaceAll(page, "noscript", "p") +
				"</noscript></body></html>",
			"in an attribute": `<html><body><div data-code="` + strings.ReplaceAll(page, `"`, "&quot;") +
				`"></div></body></html>`,
			"in a string": "<html><script>var page = '" + quoteJS(page) + "';</script></html>",
			"in a template string": "<html><script>var page = `" + quoteJS(strings.ReplaceAll(page, "`", "")) +
				"`;</script></html>",
			"in JSON": `<html><script type="application/ld+json">{"articleBody":"` +
				strings.ReplaceAll(quoteJS(page), `"`, `\"`) + `"}</script></html>`,
			"in a script comment": "<html><script>/* " + strings.ReplaceAll(quoteJS(page), "*/", "") + " */ // " +
				quoteJS(strings.ReplaceAll(page, "\n", "")) + "\n</script></html>",
			"as plain text": "# " + page,
			"as XML": "<?xml version='1.0'?><rss><description><![CDATA[" + page +
				"]]></description></rss>",
			"cut before its mark": page[:strings.LastIndex(page, "<script")+len("<script")],
		} {
			if strings.HasPrefix(name, "DataDome") && form == "cut before its mark" || name == "Akamai" &&
				form == "cut before its mark" {
				continue // the mark stands before
			}
			if InPage([]byte(text)) {
				t.Errorf("%s %s is a challenge", name, form)
			}
		}
	}
}

// Pages of sites that a maker protects, and what else is near a mark.
func TestNearMarksAreNone(t *testing.T) {
	for name, page := range map[string]string{
		"a title alone": "<!doctype html><html><head><title>Making sure you're not a " +
			"bot!</title></head><body>challenge</body></html>",
		"an Anubis error page":         `<!doctype html><html><head><script id="anubis_version" type="application/json">"v1"</script></head></html>`,
		"Anubis, no scripts":           `<html><div id="anubis_version"></div><div id="anubis_challenge"></div></html>`,
		"a link to DataDome":           `<html><a href="https://geo.captcha-delivery.com/captcha/">x</a><link rel=preconnect href=https://ct.captcha-delivery.com><img src=https://ct.captcha-delivery.com/x.png></html>`,
		"a policy that names DataDome": `<html><meta http-equiv="Content-Security-Policy" content="script-src https://ct.captcha-delivery.com"></html>`,
		"another host":                 `<html><script src="https://captcha-delivery.com.example/c.js"></script><script src="/x?u=https://ct.captcha-delivery.com/c.js"></script><script src=https://notcaptcha-delivery.com/></script></html>`,
		"a page with PerimeterX":       `<html><script>window._pxAppId = 'PX1'; var px = 'px-captcha';</script></html>`,
		"a form with its element":      `<html><form><div id="px-captcha"></div></form><script>if (window._pxAppId == 'x') y()</script></html>`,
		"a variable that is read":      `<html><script>f(sucuri_cloudproxy_js); x.sucuri_cloudproxy_js_ = 1; sucuri_cloudproxy_js === 1</script></html>`,
		"a class":                      `<html><div class="sec-if-cpt-container" name=sec-if-cpt-container></div></html>`,
		"an id with more":              `<html><div id="sec-if-cpt-container-2"></div></html>`,
		"dd and no host":               `<html><script>var dd={'host':'a.example'}</script></html>`,
		"a host and no dd":             `<html><script>block(['geo.captcha-delivery.com'])</script></html>`,
		"two scripts":                  `<html><script>var dd={}</script><script>block(['geo.captcha-delivery.com'])</script></html>`,
		"an unknown type":              `<html><script type="text/template">sucuri_cloudproxy_js=''</script></html>`,
		"a robots.txt":                 "User-agent: *\nDisallow: /anubis_challenge\nDisallow: /px-captcha\n",
		"nothing":                      "",
		"a regular expression": "<html><script>x.replace(/'/g, ''); var y = 'sucuri_cloudproxy_js = " +
			"1'</script></html>",
		"a page that ends in its script": "<html><script src=https://ct.captcha-delivery.com/c.js",
	} {
		if InPage([]byte(page)) {
			t.Errorf("%s is a challenge", name)
		}
	}
}

func TestFields(t *testing.T) {
	for field, want := range map[string]bool{
		"cf-mitigated: challenge":      true,
		"CF-Mitigated:  Challenge ":    true,
		"x-amzn-waf-action: challenge": true,
		"X-Amzn-WAF-Action: captcha":   true,

		"cf-mitigated: block":                       false,
		"cf-ray: 8f00-FRA":                          false,
		"server: cloudflare":                        false,
		"x-datadome: protected":                     false,
		"x-amzn-waf-action: allow":                  false,
		"x-amzn-requestid: x":                       false,
		"content-security-policy: cf-mitigated":     false,
		"x-cf-mitigated: challenge":                 false,
		"cf-mitigated: challenge, and much else":    false,
		"access-control-expose-headers: challenge":  false,
		"x-amzn-waf-action-was: captcha, challenge": false,
	} {
		name, value, _ := strings.Cut(field, ":")
		if got := InField([]byte(name), []byte(value)); got != want {
			t.Errorf("%s: %t", field, got)
		}
	}
}

// Each marker says where it is from, and when that was read.
func TestMarkers(t *testing.T) {
	for _, m := range markers {
		_, err := time.Parse(time.DateOnly, m.Retrieved)
		if m.Name == "" || !strings.HasPrefix(m.Source, "https://") || err != nil ||
			(m.Header == nil) == (len(m.Page) == 0) {
			t.Errorf("%+v", m)
		}
	}
}

// The finder finds each text at any place, and nothing else.
func TestFinder(t *testing.T) {
	for _, text := range needles.texts {
		for pad := range 2 * needles.stride {
			page := strings.Repeat("x", pad) + string(text)
			if !needles.in([]byte(page)) {
				t.Fatalf("%s behind %d bytes", text, pad)
			}
			for cut := range len(text) {
				if needles.in([]byte(page[:pad+cut])) {
					t.Fatalf("%s, cut to %d", text, cut)
				}
			}
		}
	}
}

// Scripts and tags without end take time in proportion.
func TestHostilePages(t *testing.T) {
	for name, page := range map[string]string{
		"marks":    "<html>" + strings.Repeat(`<script id="anubis_challenge">`, MaxPage),
		"strings":  "<html>anubis_challenge<script>" + strings.Repeat("'", MaxPage),
		"comments": "<html>anubis_challenge<script>" + strings.Repeat("/*", MaxPage),
		"names":    "<html>anubis_challenge<script>" + strings.Repeat("sucuri_cloudproxy_js ", MaxPage),
		"tags":     "<html>anubis_challenge" + strings.Repeat("<a b='", MaxPage),
		"near":     "<html>" + strings.Repeat("anubis_challeng", MaxPage),
	} {
		begin := time.Now()
		for range 20 {
			InPage([]byte(page))
		}
		if d := time.Since(begin); d > 2*time.Second {
			t.Errorf("%s: %v", name, d)
		}
	}
}

func FuzzInPage(f *testing.F) {
	for _, page := range challenges {
		f.Add([]byte(page))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		if InPage(page) && !strings.Contains(string(page), "<") {
			t.Fatal("text is a challenge")
		}
	})
}

func BenchmarkInPage(b *testing.B) {
	page := []byte("<html><head><title>t</title><meta charset=utf-8></head><body>" +
		strings.Repeat("<p class=x>some text</p>", 4<<10))
	b.SetBytes(MaxPage)
	b.ReportAllocs()
	for b.Loop() {
		InPage(page)
	}
}
