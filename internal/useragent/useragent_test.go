package useragent_test

import (
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/useragent"
)

func TestTokens(t *testing.T) {
	for _, c := range []struct{ ua, token, other string }{
		// Archive crawlers.
		{"CCBot/2.0 (https://commoncrawl.org/faq/)", "CCBot", ""},
		{"CCBot/1.0 (+http://www.commoncrawl.org/bot.html)", "CCBot", ""},
		{
			"Mozilla/5.0 (compatible; archive.org_bot +http://www.archive.org/details/archive.org_bot)",
			"archive.org_bot", "",
		},
		{
			"Mozilla/5.0 (compatible; archive.org_bot/3.3.0; +http://archive.org/details/archive.org_bot)",
			"archive.org_bot", "",
		},
		{"Mozilla/5.0 (compatible; heritrix/1.14.1 +http://www.webarchiv.cz)", "heritrix", ""},
		{"Mozilla/5.0 (compatible; heritrix/3.4.0-20210527 +https://example.org/crawl)", "heritrix", ""},
		{
			"Mozilla/5.0 (compatible; special_archiver/3.1.1 +http://www.archive.org/details/archive.org_bot)",
			"special_archiver", "",
		},
		{
			"Mozilla/5.0 (compatible; Arquivo-web-crawler (compatible; heritrix/1.14.3 +http://arquivo.pt))",
			"Arquivo-web-crawler", "",
		},
		{
			"Mozilla/5.0 (compatible; bl.uk_lddc_bot/3.3.0 +http://www.bl.uk/aboutus/legaldeposit/websites/)",
			"bl.uk_lddc_bot", "",
		},
		{"Mozilla/5.0 (compatible; bnf.fr_bot; +http://bibnum.bnf.fr/robot/bnf.html)", "bnf.fr_bot", ""},
		{"ia_archiver (+http://www.alexa.com/site/help/webmasters; crawler@alexa.com)", "ia_archiver", ""},
		{"ia_archiver", "ia_archiver", ""},
		{"Wget/1.21.3", "Wget", ""},
		{"Wget/1.12 (linux-gnu)", "Wget", ""},
		{"curl/7.68.0", "curl", ""},
		{"python-requests/2.25.1", "python-requests", ""},
		{"Python-urllib/3.8", "Python-urllib", ""},
		{"Scrapy/2.5.0 (+https://scrapy.org)", "Scrapy", ""},
		{"Go-http-client/1.1", "Go-http-client", ""},
		{"Apache-HttpClient/4.5.2 (Java/1.8.0_151)", "Apache-HttpClient", ""},

		// Search engines.
		{"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot", ""},
		{"Googlebot/2.1 (+http://www.google.com/bot.html)", "Googlebot", ""},
		{"Googlebot-Image/1.0", "Googlebot-Image", ""},
		{
			"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) " +
				"Chrome/99.0.4844.84 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
			"Googlebot", "",
		},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; " +
			"+http://www.google.com/bot.html) Chrome/99.0.4844.84 Safari/537.36", "Googlebot", ""},
		{"AdsBot-Google (+http://www.google.com/adsbot.html)", "AdsBot-Google", ""},
		{"Feedfetcher-Google; (+http://www.google.com/feedfetcher.html; 3 subscribers)", "Feedfetcher-Google", ""},
		{"Mediapartners-Google", "Mediapartners-Google", ""},
		{"SAMSUNG-SGH-E250/1.0 Profile/MIDP-2.0 Configuration/CLDC-1.1 UP.Browser/6.2.3.3.c.1.101 (GUI) MMP/2.0 " +
			"(compatible; Googlebot-Mobile/2.1; +http://www.google.com/bot.html)", "Googlebot-Mobile", ""},
		{
			"DoCoMo/2.0 N905i(c100;TB;W24H16) (compatible; Googlebot-Mobile/2.1; +http://www.google.com/bot.html)",
			"Googlebot-Mobile", "",
		},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; " +
			"+http://www.bing.com/bingbot.htm) Chrome/103.0.5060.134 Safari/537.36", "bingbot", ""},
		{"msnbot/2.0b (+http://search.msn.com/msnbot.htm)", "msnbot", ""},
		{"Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)", "Slurp", ""},
		{"Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)", "YandexBot", ""},
		{"Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)", "Baiduspider", ""},
		{"Baiduspider+(+http://www.baidu.com/search/spider.htm)", "Baiduspider", ""},
		{"Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)", "Sogou web spider", ""},
		{"Sogou inst spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)", "Sogou", ""},
		{"Mozilla/5.0 (compatible; Kangaroo Bot/1.0; +https://kangaroollm.com.au/kangaroo-bot/)", "Kangaroo Bot", ""},
		{"Kangaroo Botanist/1.0", "Botanist", ""},
		{"sogou web spider", "sogou web spider", ""},
		{"Linguee Bot (http://www.linguee.com/bot; bot@linguee.com)", "Linguee Bot", ""},
		{"Mozilla/5.0 (compatible; Linguee Bot/1.0; Googlebot/2.1)", "Linguee Bot", "Googlebot"},
		{"Brightbot/1.0", "Brightbot", ""},
		{"Brightbot 1.0 (+https://example.org)", "Brightbot 1.0", ""},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 +Kangaroo Bot", "Kangaroo Bot", ""},
		{"\"Terra Cotta/1.0\"", "Terra Cotta", ""},
		{"DuckDuckBot/1.0; (+http://duckduckgo.com/duckduckbot.html)", "DuckDuckBot", ""},
		{"Mozilla/5.0 (compatible;PetalBot;+https://webmaster.petalsearch.com/site/petalbot)", "PetalBot", ""},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 " +
			"Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)", "Applebot", ""},
		{"Mozilla/5.0 (Windows; U; Windows NT 5.1; fr; rv:1.8.1) VoilaBot BETA 1.2 (support.voilabot@orange-ftgroup.com)", "VoilaBot", ""},

		// Crawlers for models.
		{
			"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.0; +https://openai.com/gptbot)",
			"GPTBot", "",
		},
		{
			"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot",
			"ChatGPT-User", "",
		},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 " +
			"Safari/537.36; compatible; OAI-SearchBot/1.3; +https://openai.com/searchbot", "OAI-SearchBot", ""},
		{
			"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
			"ClaudeBot", "",
		},
		{"Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; " +
			"Bytespider; spider-feedback@bytedance.com)", "Bytespider", ""},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_10_1) AppleWebKit/600.2.5 (KHTML, like Gecko) Version/8.0.2 " +
			"Safari/600.2.5 (Amazonbot/0.1; +https://developer.amazon.com/support/amazonbot)", "Amazonbot", ""},
		{
			"meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)",
			"meta-externalagent", "",
		},
		{"facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", "facebookexternalhit", ""},

		// Others, some with several candidates.
		{"Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)", "MJ12bot", ""},
		{"Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)", "SemrushBot", ""},
		{"Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)", "AhrefsBot", ""},
		{
			"LinkedInBot/1.0 (compatible; Mozilla/5.0; Jakarta Commons-HttpClient/3.1 +http://www.linkedin.com)",
			"LinkedInBot", "",
		},
		{"Twitterbot/1.0", "Twitterbot", ""},
		{"Screaming Frog SEO Spider/19.1", "Screaming Frog SEO Spider", ""},
		{
			"NutchCVS/0.7.1 (Nutch; http://lucene.apache.org/nutch/bot.html; nutch-agent@lucene.apache.org)", "NutchCVS",
			"",
		},
		{"Mozilla/5.0 (compatible; Nutch 1.12)", "Nutch", ""},
		{
			"Mozilla/5.0 (Windows; U; Windows NT 5.1; en-US; rv:1.8.0.11) Gecko/20070312 Firefox/1.5.0.11; 360Spider",
			"360Spider", "",
		},
		{"Mozilla/5.0 zgrab/0.x", "zgrab", ""},
		{"ExampleBot 1.2 (+https://example.com/)", "ExampleBot", ""},

		// The software of archives: alone, after a browser's string, and with a name of its own.
		{"Mozilla/4.5 (compatible; HTTrack 3.0x; Windows 98)", "HTTrack", ""},
		{"HTTrack 3.0x", "HTTrack", ""},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 " +
			"Scoop/0.6.59 (+https://github.com/harvard-lil/scoop)", "Scoop", ""},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 " +
			"Scoop @ Harvard Library Innovation Lab: 0.6.59", "Scoop", ""},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 " +
			"+MyCrawler, info@example.com", "MyCrawler", ""},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 +MyHarvest", "MyHarvest", ""},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 " +
			"+https://example.org/crawl", "", ""},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 " +
			"(+https://example.org/crawl)", "", ""},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 " +
			"Harvest 1.0 (contact: web@example.org)", "Harvest", ""},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 " +
			"Harvest/1.0 (A Library; +https://example.org/)", "Harvest", ""},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 " +
			"Harvest/1.0 web@example.org", "Harvest", ""},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 " +
			"(compatible; Harvest/1.0)", "Harvest", ""},
		// as likely an app
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Harvest/1.0", "", ""},
		{"Brozzler/1.5 (+https://github.com/internetarchive/brozzler)", "Brozzler", ""},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 " +
			"Brozzler/1.5 (+https://github.com/internetarchive/brozzler)", "Brozzler", ""},
		{"Brozzler/1.5 (+https://example.org) Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like " +
			"Gecko) Chrome/126.0.0.0 Safari/537.36", "Brozzler", ""},
		{"Mozilla/5.0 (Windows NT 6.1; WOW64; rv:70.0) Gecko/20100101 Firefox/70.0 grab-site/2.2.7", "grab-site", ""},
		{"grab-site/2.2.7", "grab-site", ""},
		{"Wpull/2.0.3 (gzip)", "Wpull", ""},
		{"ArchiveTeam ArchiveBot/20170106.02 (wpull 2.0.2) and not Mozilla/5.0 (Windows NT 6.1; WOW64) " +
			"AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.90 Safari/537.36", "ArchiveBot", ""},
		{"Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot) Zeno/5d8d8c7 warc/v0.8.40", "archive.org_bot", ""},
		{"Mozilla/5.0 (compatible; archive.org_bot; Wayback Machine Live Record; +http://archive.org/details/archive.org_bot)", "archive.org_bot", ""},
		{
			"Mozilla/5.0 (compatible; archive.org_bot/heritrix-1.15.5-x +http://pandora.nla.gov.au/crawl.html)",
			"archive.org_bot", "",
		},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10.9; rv:42.0) Gecko/20100101 Firefox/42.0 (archive.org_bot " +
			"+http://www.archive.org/details/archive.org_bot)", "archive.org_bot", ""},
		{
			"Mozilla/5.0 (compatible; NLNZ_IAHarvester2015 " +
				"+https://natlib.govt.nz/publishers-and-authors/web-harvesting/domain-harvest)", "NLNZ_IAHarvester2015",
			"",
		},
		{"Mozilla/5.0 (compatible; heritrix/1.14.0 +http://crawler.archive.org)", "heritrix", ""},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 " +
			"ArchiveBox/0.7.2 (+https://github.com/ArchiveBox/ArchiveBox/) wget/1.21", "ArchiveBox", ""},
		{"Wget/1.14 (darwin11.4.0)", "Wget", ""},
		{"Wget2/2.0.1", "Wget2", ""},
		{"SiteSucker for macOS/4.2.5", "SiteSucker", ""},
		{"savepagenow (https://github.com/pastpages/savepagenow)", "savepagenow", ""},
		{"LCC (+http://corpora.informatik.uni-leipzig.de/crawler_faq.html)", "LCC", ""},
		{"+MyCrawler, info@example.com", "MyCrawler", ""},

		{"PS_Daily/1.0 Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) " +
			"Chrome/123.0.0.0 Safari/537.36", "PS_Daily", ""},
		{"Mozilla/5.0 (X11; Linux x86_64) Nikto/2.5.0 (Evasions:None) (Test:Port Check)", "Nikto", ""},
		{"Mozilla/4.0 (compatible; grub-client-1.5.3; Crawl your own stuff with http://grub.org)", "grub-client", ""},
		{"Mozilla/5.0 (Windows NT 6.3; WOW64; Trident/7.0; rv:11.0; BingPreview/1.0b) like Gecko", "BingPreview", ""},

		// Two crawlers in one string, and what is none.
		{"robot;Owler;owler@example.com", "Owler", ""},
		{
			"yacybot (/global; amd64 Linux 3.16.0-4-amd64; java 1.7.0_79; Europe/de) http://yacy.net/bot.html", "yacybot",
			"",
		},
		{"FAST-WebCrawler/3.7 (atw-crawler at fast dot no; http://fast.no/support/crawler.asp)", "FAST-WebCrawler", ""},
		{"http.rb/2.2.2 (Mastodon/1.5.1; +https://example-masto-instance.org/)", "http.rb", ""},
		{"SentiBot www.sentibot.eu (compatible with Googlebot)", "SentiBot", ""},
		{"Gwene/1.0 (The gwene.org rss-to-news gateway) Googlebot", "Gwene", "Googlebot"},
		{
			"lkxscan/v0.1.0 (+https://leakix.net) l9explore/v1.0.0 (+https://github.com/LeakIX/l9explore)", "lkxscan",
			"l9explore",
		},
		{"bot/1.0 (compatible; ExampleBot/1.0)", "ExampleBot", ""},
		{"ExampleBot/1.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "ExampleBot", "Googlebot"},
		{"Mozilla/5.0 (compatible; ExampleBot/1.0; Googlebot/2.1)", "ExampleBot", "Googlebot"},
		{"Mozilla/5.0 (compatible; Googlebot/2.1; startmebot/1.0; +https://start.me/bot)", "Googlebot", "startmebot"},
		{
			"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html) Harvest/1.0 (+https://example.org)",
			"Googlebot", "Harvest",
		},
		{"Wget/1.21 (compatible; ExampleBot/1.0)", "Wget", "ExampleBot"},
		{"Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Trident/5.0); 360Spider(compatible; HaosouSpider; " +
			"http://www.haosou.com/help/help_3_2.html)", "360Spider", "HaosouSpider"},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 " +
			"Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0", "facebookexternalhit", "Facebot"},
		{"Googlebot-Image/1.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot-Image", ""},
		{
			"AdsBot-Google-Mobile (compatible; AdsBot-Google; +http://www.google.com/adsbot.html)",
			"AdsBot-Google-Mobile", "",
		},
		{"TelegramBot (like TwitterBot)", "TelegramBot", ""},
		{"ExampleFetch/1.0 like Googlebot/2.1", "ExampleFetch", ""},
		{"Go-http-client/1.1 (compatible; Googlebot/2.1)", "Go-http-client", "Googlebot"},
		{
			"serpstatbot/2.1 (advanced backlink tracking bot; https://serpstatbot.com/; abuse@serpstatbot.com)",
			"serpstatbot", "",
		},
		{"ZoominfoBot (zoominfobot at zoominfo dot com)", "ZoominfoBot", ""},
		{"ExampleBot/1.0 (compatible; crawler; https://example.org)", "ExampleBot", ""},

		// More crawlers.
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.0; " +
			"+https://perplexity.ai/perplexitybot)", "PerplexityBot", ""},
		{
			"Mozilla/5.0 (compatible; Google-Apps-Script; beanserver; +https://script.google.com; id: abc)",
			"Google-Apps-Script", "",
		},
		{
			"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) " +
				"Chrome/125.0.0.0 Mobile Safari/537.36 (compatible; Google-InspectionTool/1.0;)", "Google-InspectionTool",
			"",
		},
		{"Mozilla/5.0 (X11; Linux x86_64; Storebot-Google/1.0) AppleWebKit/537.36 (KHTML, like Gecko) " +
			"Chrome/79.0.3945.88 Safari/537.36", "Storebot-Google", ""},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 14_7_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
			"Version/14.1.2 Mobile/15E148 Safari/604.1 (compatible; AdsBot-Google-Mobile; " +
			"+http://www.google.com/mobile/adsbot.html)", "AdsBot-Google-Mobile", ""},
		{"GoogleOther-Image/1.0", "GoogleOther-Image", ""},
		{"APIs-Google (+https://developers.google.com/webmasters/APIs-Google.html)", "APIs-Google", ""},
		{"Google-Safety; (+http://www.google.com/bot.html)", "Google-Safety", ""},
		{"Mozilla/5.0 (compatible; YandexBot/3.0; MirrorDetector; +http://yandex.com/bots)", "YandexBot", ""},
		{"Mozilla/5.0 (compatible; YandexImages/3.0; +http://yandex.com/bots)", "YandexImages", ""},
		{
			"Mozilla/5.0 (compatible; Linux x86_64; Mail.RU_Bot/2.0; +https://help.mail.ru/webmaster/indexing/robots)",
			"Mail.RU_Bot", "",
		},
		{"Mozilla/5.0 (compatible; SeznamBot/4.0; +http://napoveda.seznam.cz/seznambot-intro/)", "SeznamBot", ""},
		{"Mozilla/5.0 (compatible; Qwantify/Bleriot/1.1; +https://help.qwant.com/bot)", "Qwantify", ""},
		{"Mozilla/5.0 (compatible; DotBot/1.2; +https://opensiteexplorer.org/dotbot; help@moz.com)", "DotBot", ""},
		{
			"rogerbot/1.2 (https://moz.com/help/guides/moz-procedures/what-is-rogerbot, rogerbot-crawler+x@moz.com)",
			"rogerbot", "",
		},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64; trendictionbot0.5.0; trendiction search; " +
			"http://www.trendiction.de/bot; please let us know of any problems; web at trendiction.com) " +
			"Gecko/20071127 Firefox/3.0.0.11", "trendictionbot", ""},
		{"Mozilla/5.0 (compatible; Seekport Crawler; http://seekport.com/)", "Seekport", ""},
		{"DoCoMo/2.0 SH902i (compatible; Y!J-SRD/1.0; http://help.yahoo.co.jp/help/jp/search/indexing/indexing-27.html)", "Y!J-SRD", ""},
		{"Mozilla/5.0 (compatible; Yahoo! Slurp China; http://misc.yahoo.com.cn/help.html)", "Slurp", ""},
		{"MauiBot (crawler.feedback+wc@gmail.com)", "MauiBot", ""},
		{"magpie-crawler/1.1 (U; Linux amd64; en-GB; +http://www.brandwatch.net)", "magpie-crawler", ""},
		{"Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", "Slackbot-LinkExpanding", ""},
		{"WhatsApp/2.23.20.0 A", "WhatsApp", ""},
		{"Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)", "Discordbot", ""},
		{"Mozilla/5.0 (compatible; CensysInspect/1.1; +https://about.censys.io/)", "CensysInspect", ""},
		{"Expanse, a Palo Alto Networks company, searches across the global IPv4 space", "Expanse", ""},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot)", "OAI-SearchBot", ""},
		{
			"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; +Claude-User@anthropic.com)",
			"Claude-User", "",
		},
		{"Mozilla/5.0 (compatible; Timpibot/0.9; +http://www.timpi.io)", "Timpibot", ""},
		{"DuckAssistBot/1.2; (+http://duckduckgo.com/duckassistbot.html)", "DuckAssistBot", ""},
		{"Mozilla/5.0 (compatible; AI2Bot/1.0; +https://www.allenai.org/crawler)", "AI2Bot", ""},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) " +
			"Chrome/79.0.3945.88 Safari/537.36 BitSightBot/1.0", "BitSightBot", ""},
		{"ExampleCrawl/1.0 (follows links; and a line)", "ExampleCrawl", ""},
		{"\"ExampleBot/1.0\"", "ExampleBot", ""},
		{"*", "", ""},
		{"GPTBot", "GPTBot", ""},
		{"ExampleFetch/1.0 follows links", "ExampleFetch", ""},
		{"Phone/1.0 Profile/MIDP-2.0 Configuration/CLDC-1.1 Mozilla/5.0 (compatible)", "", ""},

		// Browsers, old and new, and apps.
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
			"Mobile/15E148 " +
			"[FBAN/FBIOS;FBAV/463.1.0.45.108;FBBV/592990372;FBDV/iPhone14,5;FBMD/iPhone;FBSN/iOS;FBSV/17.5;FBSS/3;FBCR/;FBID/phone;FBLC/de_DE;FBOP/80]", "", ""},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
			"Mobile/15E148 Instagram 330.0.0.30.94 (iPhone14,5; iOS 17_5; de_DE; de; scale=3.00; 1170x2532; 595457838)", "", ""},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
			"GSA/317.0.634488990 Mobile/15E148 Safari/604.1", "", ""},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Ubuntu Chromium/79.0.3945.79 " +
			"Chrome/79.0.3945.79 Safari/537.36", "", ""},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Slack/4.38.125 " +
			"Chrome/124.0.6367.207 Electron/30.0.9 Safari/537.36", "", ""},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/117.0.0.0 " +
			"Safari/537.36 Brave/117", "", ""},
		{"Mozilla/5.0 (Linux; Android 13) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.71 " +
			"Mobile DuckDuckGo/5 Safari/537.36", "", ""},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
			"Version/17.5 Mobile/15E148 DuckDuckGo/7 Safari/605.1.15", "", ""},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 " +
			"Safari/605.1.15 Ddg/17.5", "", ""},
		{"Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) " +
			"SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36", "", ""},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 " +
			"YaBrowser/24.6.0.0 Safari/537.36", "", ""},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 " +
			"Safari/537.36 OPR/110.0.0.0", "", ""},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/90.0.4430.93 " +
			"Safari/537.36 Herring/90.1.4430.93", "", ""},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
			"Version/17.0 Mobile/15E148 Safari/604.1 (Ecosia ios@10.0.2.1819)", "", ""},
		{"Mozilla/5.0 (Linux; Android 7.0; CUBOT_NOTE_S Build/NRD90M) AppleWebKit/537.36 (KHTML, like Gecko) " +
			"Chrome/80.0.3987.99 Mobile Safari/537.36", "", ""},
		{"Mozilla/5.0 (Linux; Android 10; HD1913) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.6478.71 " +
			"Mobile Safari/537.36 EdgA/124.0.2478.64", "", ""},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 13_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
			"Mobile/15E148 MicroMessenger/7.0.4(0x17000428) NetType/WIFI Language/zh_CN", "", ""},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 16_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
			"Mobile/15E148 Snapchat/12.0 (like Safari/604.1)", "", ""},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/109.0.0.0 Safari/537.36 " +
			"Chrome-Lighthouse", "", ""},
		{
			"Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1", "",
			"",
		},
		{"Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; .NET4.0C; .NET4.0E; rv:11.0) like Gecko", "", ""},
		{"Mozilla/5.0 (SMART-TV; LINUX; Tizen 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Version/5.0 TV Safari/537.36", "", ""},
		{"Mozilla/5.0 (compatible; U; Linux x86_64)", "", ""},
		{"Mozilla/5.0 (Windows; U; Windows NT 5.1; en-US; rv:1.9.2.3) Gecko/20100401 Firefox/3.6.3 (.NET CLR 3.5.30729)", "", ""},
		{"Mozilla/5.0 (X11; Linux x86_64; rv:52.0) Gecko/20100101 Firefox/52.0", "", ""},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/537.36 (KHTML, like Gecko) " +
			"Chrome/56.0.2924.87 Safari/537.36", "", ""},
		{"Links (2.3pre1; Linux 2.6.38-8-generic x86_64; 170x48)", "", ""},
		{"ELinks/0.12 (textmode; Linux; 80x25)", "", ""},
		{"w3m/0.5.3+git20180125", "", ""},
		{"Dalvik/2.1.0 (Linux; U; Android 9; SM-G960F Build/PPR1.180610.011)", "", ""},
		{"Nokia6100/1.0 (04.01) Profile/MIDP-1.0 Configuration/CLDC-1.0", "", ""},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36", "", ""},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 " +
			"Safari/537.36 Edg/120.0.0.0", "", ""},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/90.0.4430.93 Safari/537.36", "", ""},
		{"Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:15.0) Gecko/20100101 Firefox/15.0.1", "", ""},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/14.1.1 " +
			"Safari/605.1.15", "", ""},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
			"CriOS/119.0 Mobile/15E148 Safari/604.1", "", ""},
		{"Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1; SV1; .NET CLR 1.1.4322)", "", ""},
		{"Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Trident/5.0)", "", ""},
		{"Mozilla/5.0 (compatible; Konqueror/3.5; Linux) KHTML/3.5.5 (like Gecko)", "", ""},
		{"Opera/9.80 (Windows NT 6.0) Presto/2.12.388 Version/12.14", "", ""},
		{"Lynx/2.8.8dev.3 libwww-FM/2.14 SSL-MM/1.4.1", "", ""},
		{"Mozilla/5.0 (Linux; U; Android 4.0.3; de-de; Galaxy S II Build/GRJ22) AppleWebKit/534.30 (KHTML, like " +
			"Gecko) Version/4.0 Mobile Safari/534.30", "", ""},
		{"Mozilla/4.61 [en] (X11; U; Linux 2.2.12 i686)", "", ""},
		{"Mozilla/5.0", "", ""},
		{"", "", ""},
		{" ;()", "", ""},
	} {
		token, other := useragent.Tokens(c.ua, agents.Leading)
		if token != c.token || other != c.other {
			t.Errorf("%s\n\tgot %q, %q; want %q, %q", c.ua, token, other, c.token, c.other)
		}
	}
}

// TestListedTokens finds each token of the list in the forms of a User-Agent that crawlers write, except
// for versions after "/", which are no part of a token.
func TestListedTokens(t *testing.T) {
	for _, a := range agents.All() {
		token, _, _ := strings.Cut(a.Token, "/")
		if useragent.IsCommon(strings.ToLower(token)) {
			continue
		}
		for _, form := range []string{
			"@", "@/1.0", "@ (+https://example.org/a)", "@/1.0(+https://example.org/a)", "Mozilla/5.0 (compatible; @)",
			"Mozilla/5.0 (compatible; @/1.0; +https://example.org/a)",
			"Mozilla/5.0 (compatible;@; +https://example.org/a)",
			"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; @/1.2; +https://example.org/a) " +
				"Chrome/126.0.0.0 Safari/537.36",
		} {
			ua := strings.ReplaceAll(form, "@", token)
			if got, other := useragent.Tokens(ua, agents.Leading); got != token || other != "" {
				t.Errorf("%s: %q, %q, want %q", ua, got, other, token)
			}
		}
	}
}

// A token stands in the User-Agent (RFC 9309 §2.2.1) and holds no space unless the list knows it, and
// a second one is another.
func FuzzTokens(f *testing.F) {
	f.Add("Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com) like Gecko, Foo/1.0")
	f.Add("A! +b@c.de (Yahoo! Slurp)[x]}){v1.0;")
	f.Add("(compatible; Sogou  web spider/4.0; Echobot Bot)")
	f.Add("\xaa CompAtiBle(\x93") // bytes that are no UTF-8, which are alike to Unicode
	f.Fuzz(func(t *testing.T, ua string) {
		token, other := useragent.Tokens(ua, agents.Leading)
		for _, name := range []string{token, other} {
			isSpaced := strings.Contains(name, " ")
			if isSpaced && agents.Leading(name) != name || !isSpaced && !strings.Contains(ua, name) ||
				strings.ContainsAny(name, "/;,()*#:") {
				t.Errorf("%q is the token of %q", name, ua)
			}
		}
		if other != "" && (token == "" || ascii.Lower(token) == ascii.Lower(other)) {
			t.Errorf("%q is no other than %q", other, token)
		}
	})
}
