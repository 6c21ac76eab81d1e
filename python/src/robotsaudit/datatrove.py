"""A filter for pipelines of datatrove, which has to be installed, too: pip install 'robotsaudit[datatrove]'."""

from __future__ import annotations

from typing import Any

from datatrove.data import Document
from datatrove.pipeline.filters.base_filter import BaseFilter
from datatrove.pipeline.writers.disk_base import DiskWriter

from ._audit import Audit
from ._lookup import WRITTEN
from ._options import Place, takes


class RobotsFilter(BaseFilter):  # type: ignore[misc,unused-ignore]
    """
    Keeps the documents that the lists of an audit keep, and removes the others.

    `Audit.lookup` finds a document by its `id`. What stays undecided is kept only with
    `decide="all=keep"`, and so are documents that the audit does not have (`not_found`). The metadata
    of every document gets `robots_list` (keep, undecided or drop), `robots_reason` and
    `robots_detail`, as in the lists: docs/SCHEMA.md.

    Making the filter makes the lists, in `folder`, by default the output of the audit, where tasks
    on all machines read them. The other options are as in `Audit.export`.
    """

    name = "🤖 robots.txt"

    @takes("export", "to", *WRITTEN)
    def __init__(self, audit: Audit | Place, *, folder: Place | None = None,
                 exclusion_writer: DiskWriter | None = None, **options: Any) -> None:
        super().__init__(exclusion_writer)  # pyright: ignore[reportArgumentType]
        decide = options.get("decide", ())
        self.keeps_undecided = "all=keep" in ([decide] if isinstance(decide, str) else decide)
        self.lookup = (audit if isinstance(audit, Audit) else Audit(audit)).lookup(folder=folder, **options)

    def filter(self, doc: Document) -> bool | tuple[bool, str]:
        found = self.lookup[doc.id]
        doc.metadata |= {"robots_list": found.list, "robots_reason": found.reason, "robots_detail": found.detail}
        return found.list == "keep" or found.list == "undecided" and self.keeps_undecided or (False, f"robots_{found.reason}")
