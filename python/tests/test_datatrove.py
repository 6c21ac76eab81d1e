"""The filter for pipelines of datatrove."""

import pickle
from pathlib import Path

import pytest

import robotsaudit

pytest.importorskip("datatrove")

from datatrove.data import Document

from robotsaudit.datatrove import RobotsFilter


@pytest.mark.filterwarnings("default")
def test_filter(audit: robotsaudit.Audit, tmp_path: Path) -> None:
    rows = {name: audit.export(name, purpose="train").select("id, reason, detail").fetchall()
            for name in ("keep", "drop", "undecided")}
    documents = [Document("", id) for listed in rows.values() for id, _, _ in listed] + [Document("", "of nothing")]
    for decision in ("drop", "keep"):
        made = RobotsFilter(audit, decide=f"all={decision}", folder=tmp_path, purpose="train")
        made = pickle.loads(pickle.dumps(made))
        kept = {document.id for document in made.run(iter(documents))}
        expected = {id for name in ("keep", "undecided")[:1 + (decision == "keep")] for id, _, _ in rows[name]}
        assert kept == expected | ({"of nothing"} if decision == "keep" else set())
    by_id = {document.id: document.metadata for document in documents}
    for id, reason, detail in rows["keep"] + rows["drop"]:
        assert (by_id[id]["robots_reason"], by_id[id]["robots_detail"]) == (reason, detail)
    assert by_id["of nothing"]["robots_reason"] == "not_found"
