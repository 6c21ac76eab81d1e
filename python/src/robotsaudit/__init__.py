"""
What were crawlers allowed to fetch? Audits of web archives against robots.txt, with the proof.

    import robotsaudit

    a = robotsaudit.audit("crawl.warc.gz", agents=["GPTBot"], purpose="train", output="out")
    a.violations.df()
    a.export("keep", purpose="train", to="keep.parquet")
    print(a.explain("https://example.com/private/"))

The work is done by the program robotsaudit, which this package holds. docs/SEMANTICS.md of its
repository has every rule, docs/SCHEMA.md every table and column.
"""

from importlib.metadata import version as _version

from ._audit import Audit, Explanation, Match, Report, audit, evaluate, match, open, verify
from ._history import history
from ._tool import IncompleteInput, RobotsauditError, RobotsauditWarning, UsageError, ViolationsFound

__version__ = _version("robotsaudit")
__all__ = [
    "Audit",
    "Explanation",
    "IncompleteInput",
    "Match",
    "Report",
    "RobotsauditError",
    "RobotsauditWarning",
    "UsageError",
    "ViolationsFound",
    "audit",
    "evaluate",
    "history",
    "match",
    "open",
    "verify",
]
