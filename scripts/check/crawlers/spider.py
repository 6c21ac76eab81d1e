"""A spider for Scrapy that follows every link, three levels deep.

    scrapy runspider spider.py -a seeds=FILE
"""

from pathlib import Path

import scrapy


class Spider(scrapy.Spider):
    name = "every-link"
    handle_httpstatus_list = list(range(400, 600))
    custom_settings = {"DEPTH_LIMIT": 2, "RETRY_ENABLED": False, "DOWNLOAD_TIMEOUT": 10, "LOG_LEVEL": "ERROR"}

    def start_requests(self):
        for url in Path(self.seeds).read_text().split():
            yield scrapy.Request(url, dont_filter=True)

    def parse(self, response):
        if isinstance(response, scrapy.http.HtmlResponse):
            for link in response.css("a::attr(href)").getall():
                yield response.follow(link)
