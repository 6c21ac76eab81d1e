"""Answers lines of a body, tokens and paths: fields of base64, with a space between them, and commas in lists."""

import base64
import sys

from reppy.parser import Rules


def texts(field):
    return [base64.b64decode(text).decode() for text in field.split(",")]


def allowed(rules, agent, url):
    """As Brozzler asks: by the first name that stands in the User-Agent. What reppy fails on is allowed."""
    name = next((name for name in rules.agents if name in agent.lower()), "*")
    try:
        return rules.agents[name].allowed(url)
    except TypeError:  # two rules of one length
        return True


for line in sys.stdin:
    body, tokens, paths = line.split(" ")
    rules = Rules("http://example.org/robots.txt", 200, base64.b64decode(body), 0)
    print("".join("a" if allowed(rules, token, "http://example.org" + path) else "d" for token in texts(tokens) for path in texts(paths)))
