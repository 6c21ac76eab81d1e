"""Answers lines of a body, tokens and paths: fields of base64, with a space between them, and commas in lists."""

import base64
import urllib.robotparser


def decoded(text):
    return base64.b64decode(text).decode(errors="surrogateescape")


def answer(line):
    body, tokens, paths = line.split(" ")
    rules = urllib.robotparser.RobotFileParser()
    rules.parse(decoded(body).splitlines())
    return "".join("a" if rules.can_fetch(decoded(token), "http://example.org" + decoded(path)) else "d"
                   for token in tokens.split(",") for path in paths.split(","))


def answers(text):
    return "\n".join(map(answer, text.splitlines()))
