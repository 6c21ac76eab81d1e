"""The Python lines of the documents run as they are written."""

import importlib.util
import re
import shutil
from pathlib import Path

import duckdb
import pytest

import robotsaudit

ROOT = Path(__file__).resolve().parents[2]
NEEDS = {"datasets": "datasets", "datatrove": "datatrove", "polars": "polars", ".df()": "pandas", ".pl()": "polars", ".arrow()": "pyarrow"}


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("document", ["README.md", "python/README.md"])
def test_lines_of(document: str, archives: Path, audit: robotsaudit.Audit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(archives, tmp_path / "testdata/warc")
    for name in ("crawl.warc.gz", "robots.warc.gz"):
        shutil.copy(archives / "crawl-c-1.warc.gz", tmp_path / name)
    monkeypatch.chdir(tmp_path)
    Path("documents").mkdir()
    rows = audit.fetches.select("""'<' || warc_record_id || '>' AS id, url AS text, url,
                                   strftime(fetch_time AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%SZ') AS date""")
    rows.write_parquet("fineweb.parquet")
    duckdb.sql("COPY (SELECT id, text FROM rows) TO 'documents/0.jsonl.gz'")
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(encoding="utf-8"), re.S)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        missing = [module for word, module in NEEDS.items() if word in block and not importlib.util.find_spec(module)]
        if not missing:
            exec(compile(block, document, "exec"), names)  # noqa: S102
