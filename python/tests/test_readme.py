"""The Python lines of the documents run as they are written."""

import importlib.util
import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEEDS = {".datatrove": "datatrove", ".df()": "pandas", ".pl()": "polars", ".arrow()": "pyarrow"}


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("document", ["README.md", "python/README.md"])
def test_lines_of(document: str, archives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(archives, tmp_path / "testdata/warc")
    shutil.copy(archives / "crawl-c-1.warc.gz", tmp_path / "crawl.warc.gz")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(encoding="utf-8"), re.S)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        missing = [module for method, module in NEEDS.items() if method in block and not importlib.util.find_spec(module)]
        if not missing:
            exec(compile(block, document, "exec"), names)  # noqa: S102
