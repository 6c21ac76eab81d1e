#!/usr/bin/env python3
"""A small crawler: requests, recorded by warcio's capture_http.

    fetcher.py ARCHIVE SEEDS [--obey] [--agent USER_AGENT]
"""

import argparse
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

from warcio.capture_http import capture_http  # isort: skip  (before requests: it replaces http.client's parts)
import requests
from protego import Protego

LEVELS = 3


class Links(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found += [value for name, value in attributes if tag == "a" and name == "href" and value]


class Fetcher:
    def __init__(self, agent, obey):
        self.session, self.obey, self.rules = requests.Session(), obey, {}
        if agent:
            self.session.headers["User-Agent"] = agent

    def permitted(self, url):
        if not self.obey or urlsplit(url).path == "/robots.txt":
            return True
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
        if origin not in self.rules:
            try:
                answer = self.session.get(origin + "/robots.txt", timeout=10)
                self.rules[origin] = Protego.parse(answer.text if answer.status_code < 400 else
                                                   "" if answer.status_code < 500 else "User-agent: *\nDisallow: /")
            except requests.RequestException:
                self.rules[origin] = Protego.parse("")
        return self.rules[origin].can_fetch(url, self.session.headers["User-Agent"])

    def crawl(self, seeds):
        seen, level = set(seeds), seeds
        for _ in range(LEVELS):
            following = []
            for url in filter(self.permitted, level):
                try:
                    answer = self.session.get(url, timeout=10)
                except requests.RequestException:
                    continue
                if "html" in answer.headers.get("Content-Type", ""):
                    links = (urldefrag(urljoin(answer.url, link))[0] for link in Links(answer.text).found)
                    fresh = [link for link in dict.fromkeys(links) if link.startswith("http://") and link not in seen]
                    seen.update(fresh)
                    following += fresh
            level = following


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive")
    parser.add_argument("seeds", type=Path, help="a file with one URL a line")
    parser.add_argument("--obey", action="store_true", help="obey robots.txt")
    parser.add_argument("--agent", help="the User-Agent (default: that of requests)")
    options = parser.parse_args()
    with capture_http(options.archive):
        Fetcher(options.agent, options.obey).crawl(options.seeds.read_text().split())


if __name__ == "__main__":
    main()
