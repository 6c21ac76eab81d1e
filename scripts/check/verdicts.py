"""Verdicts on fetches: the reference of scripts/timeline, with Protego as the judge.

The reference knows the archives and the rule of docs/SEMANTICS.md, plainly and
slowly. Here what a robots.txt says is asked of PyPI's Protego instead of the
reference's own parser and matcher (see robotstxt.py).
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "timeline"))

import reference

import robotstxt


def protego(body, tokens, path, equal=b"", **reading):
    """protego answers as reference.judge_by_rules does."""
    named = [token for token in tokens if robotstxt.has_group(body, token, **reading)]
    token = named[0] if named else None
    allowed = robotstxt.allows(body, token, path.encode("utf-8"), equal, **reading)
    return ("allowed", "rule or none") if allowed else ("disallowed", "rule")


def judge(paths):
    """judge gives the archives, and each fetch with its finding."""
    archive = reference.Archive(reference.read_archives(paths), protego)
    return archive, [(fetch, reference.decide(archive, fetch)) for fetch in archive.fetches]
