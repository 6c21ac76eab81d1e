import subprocess
import sys
from pathlib import Path

import pytest

import robotsaudit

TESTDATA = Path(__file__).resolve().parents[2] / "testdata/warc"


@pytest.fixture(scope="session")
def archives() -> Path:
    if not TESTDATA.exists():
        pytest.skip("testdata/warc of the repository is not here")
    return TESTDATA


@pytest.fixture(scope="session")
def audit(archives: Path, tmp_path_factory: pytest.TempPathFactory) -> robotsaudit.Audit:
    """An audit that no test changes."""
    return robotsaudit.audit(archives, agents=["GPTBot"], purpose="train", output=tmp_path_factory.mktemp("audit") / "out")


@pytest.fixture
def cut(archives: Path, tmp_path: Path) -> Path:
    """An archive that was cut short."""
    whole = (archives / "crawl-a-1.warc.gz").read_bytes()
    path = tmp_path / "cut.warc.gz"
    path.write_bytes(whole[:-100])
    return path


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The command robotsaudit, as on a command line."""
    return subprocess.run([str(Path(sys.executable).parent / "robotsaudit"), *map(str, arguments)], capture_output=True, text=True)
