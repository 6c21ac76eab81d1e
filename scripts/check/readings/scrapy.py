"""Answers lines of a body, tokens and paths: fields of base64, with a space between them, and commas in lists."""

import base64
import sys

from protego import Protego


def texts(field):
    return [base64.b64decode(text).decode() for text in field.split(",")]


for line in sys.stdin:
    body, tokens, paths = line.split(" ")
    rules = Protego.parse(base64.b64decode(body).decode(errors="ignore"))  # as Scrapy decodes it
    print("".join("a" if rules.can_fetch("http://example.org" + path, token) else "d" for token in texts(tokens) for path in texts(paths)))
