package robots

import "testing"

func TestTokenFromUserAgent(t *testing.T) {
	for _, c := range []struct{ ua, want string }{
		// Archive crawlers.
		{"CCBot/2.0 (https://commoncrawl.org/faq/)", "CCBot"},
		{"CCBot/1.0 (+http://www.commoncrawl.org/bot.html)", "CCBot"},
		{"Mozilla/5.0 (compatible; archive.org_bot +http://www.archive.org/details/archive.org_bot)", "archive.org_bot"},
		{"Mozilla/5.0 (compatible; archive.org_bot/3.3.0; +http://archive.org/details/archive.org_bot)", "archive.org_bot"},
		{"Mozilla/5.0 (compatible; heritrix/1.14.1 +http://www.webarchiv.cz)", "heritrix"},
		{"Mozilla/5.0 (compatible; heritrix/3.4.0-20210527 +https://example.org/crawl)", "heritrix"},
		{"Mozilla/5.0 (compatible; special_archiver/3.1.1 +http://www.archive.org/details/archive.org_bot)", "special_archiver"},
		{"Mozilla/5.0 (compatible; Arquivo-web-crawler (compatible; heritrix/1.14.3 +http://arquivo.pt))", "Arquivo-web-crawler"},
		{"Mozilla/5.0 (compatible; bl.uk_lddc_bot/3.3.0 +http://www.bl.uk/aboutus/legaldeposit/websites/)", "bl.uk_lddc_bot"},
		{"Mozilla/5.0 (compatible; bnf.fr_bot; +http://bibnum.bnf.fr/robot/bnf.html)", "bnf.fr_bot"},
		{"ia_archiver (+http://www.alexa.com/site/help/webmasters; crawler@alexa.com)", "ia_archiver"},
		{"ia_archiver", "ia_archiver"},
		{"Wget/1.21.3", "Wget"},
		{"Wget/1.12 (linux-gnu)", "Wget"},
		{"curl/7.68.0", "curl"},
		{"python-requests/2.25.1", "python-requests"},
		{"Python-urllib/3.8", "Python-urllib"},
		{"Scrapy/2.5.0 (+https://scrapy.org)", "Scrapy"},
		{"Go-http-client/1.1", "Go-http-client"},
		{"Apache-HttpClient/4.5.2 (Java/1.8.0_151)", "Apache-HttpClient"},

		// Search engines.
		{"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot"},
		{"Googlebot/2.1 (+http://www.google.com/bot.html)", "Googlebot"},
		{"Googlebot-Image/1.0", "Googlebot-Image"},
		{"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0.4844.84 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot"},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/99.0.4844.84 Safari/537.36", "Googlebot"},
		{"AdsBot-Google (+http://www.google.com/adsbot.html)", "AdsBot-Google"},
		{"Feedfetcher-Google; (+http://www.google.com/feedfetcher.html; 3 subscribers)", "Feedfetcher-Google"},
		{"Mediapartners-Google", "Mediapartners-Google"},
		{"SAMSUNG-SGH-E250/1.0 Profile/MIDP-2.0 Configuration/CLDC-1.1 UP.Browser/6.2.3.3.c.1.101 (GUI) MMP/2.0 (compatible; Googlebot-Mobile/2.1; +http://www.google.com/bot.html)", "Googlebot-Mobile"},
		{"DoCoMo/2.0 N905i(c100;TB;W24H16) (compatible; Googlebot-Mobile/2.1; +http://www.google.com/bot.html)", "Googlebot-Mobile"},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/103.0.5060.134 Safari/537.36", "bingbot"},
		{"msnbot/2.0b (+http://search.msn.com/msnbot.htm)", "msnbot"},
		{"Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)", "Slurp"},
		{"Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)", "YandexBot"},
		{"Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)", "Baiduspider"},
		{"Baiduspider+(+http://www.baidu.com/search/spider.htm)", "Baiduspider"},
		{"Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)", "Sogou web spider"},
		{"DuckDuckBot/1.0; (+http://duckduckgo.com/duckduckbot.html)", "DuckDuckBot"},
		{"Mozilla/5.0 (compatible;PetalBot;+https://webmaster.petalsearch.com/site/petalbot)", "PetalBot"},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)", "Applebot"},
		{"Mozilla/5.0 (Windows; U; Windows NT 5.1; fr; rv:1.8.1) VoilaBot BETA 1.2 (support.voilabot@orange-ftgroup.com)", "VoilaBot"},

		// Crawlers for models.
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.0; +https://openai.com/gptbot)", "GPTBot"},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot", "ChatGPT-User"},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36; compatible; OAI-SearchBot/1.3; +https://openai.com/searchbot", "OAI-SearchBot"},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)", "ClaudeBot"},
		{"Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)", "Bytespider"},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_10_1) AppleWebKit/600.2.5 (KHTML, like Gecko) Version/8.0.2 Safari/600.2.5 (Amazonbot/0.1; +https://developer.amazon.com/support/amazonbot)", "Amazonbot"},
		{"meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)", "meta-externalagent"},
		{"facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", "facebookexternalhit"},

		// Others, some with several candidates.
		{"Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)", "MJ12bot"},
		{"Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)", "SemrushBot"},
		{"Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)", "AhrefsBot"},
		{"LinkedInBot/1.0 (compatible; Mozilla/5.0; Jakarta Commons-HttpClient/3.1 +http://www.linkedin.com)", "LinkedInBot"},
		{"Twitterbot/1.0", "Twitterbot"},
		{"Screaming Frog SEO Spider/19.1", "Screaming Frog SEO Spider"},
		{"NutchCVS/0.7.1 (Nutch; http://lucene.apache.org/nutch/bot.html; nutch-agent@lucene.apache.org)", "NutchCVS"},
		{"Mozilla/5.0 (compatible; Nutch 1.12)", "Nutch"},
		{"Mozilla/5.0 (Windows; U; Windows NT 5.1; en-US; rv:1.8.0.11) Gecko/20070312 Firefox/1.5.0.11; 360Spider", "360Spider"},
		{"Mozilla/5.0 zgrab/0.x", "zgrab"},
		{"ExampleBot 1.2 (+https://example.com/)", "ExampleBot"},

		// Browsers, old and new.
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36", ""},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 Edg/120.0.0.0", ""},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/90.0.4430.93 Safari/537.36", ""},
		{"Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:15.0) Gecko/20100101 Firefox/15.0.1", ""},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/14.1.1 Safari/605.1.15", ""},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/119.0 Mobile/15E148 Safari/604.1", ""},
		{"Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1; SV1; .NET CLR 1.1.4322)", ""},
		{"Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Trident/5.0)", ""},
		{"Mozilla/5.0 (compatible; Konqueror/3.5; Linux) KHTML/3.5.5 (like Gecko)", ""},
		{"Opera/9.80 (Windows NT 6.0) Presto/2.12.388 Version/12.14", ""},
		{"Lynx/2.8.8dev.3 libwww-FM/2.14 SSL-MM/1.4.1", ""},
		{"Mozilla/5.0 (Linux; U; Android 4.0.3; de-de; Galaxy S II Build/GRJ22) AppleWebKit/534.30 (KHTML, like Gecko) Version/4.0 Mobile Safari/534.30", ""},
		{"Mozilla/4.61 [en] (X11; U; Linux 2.2.12 i686)", ""},
		{"Mozilla/5.0", ""},
		{"", ""},
		{" ;()", ""},
	} {
		got, ok := TokenFromUserAgent(c.ua)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s\n\tgot %q, %v; want %q", c.ua, got, ok, c.want)
		}
	}
}
