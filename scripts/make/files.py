"""Makes man pages and shell completions in a folder, the same bytes for the same commit.

    files DIR
"""

import os
from pathlib import Path

from lib import ROOT, call

ENVIRONMENT = ""


def main(to: Path):
    to.mkdir(parents=True, exist_ok=True)
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or call("git", "log", "-1", "--format=%ct", cwd=ROOT, codes=(0,
                                                        )).strip()
    # Built as the release is, so that both share what is compiled.
    environment = {k: v for k, v in os.environ.items() if k not in ("GOOS", "GOARCH")} | {"SOURCE_DATE_EPOCH": epoch, "CGO_ENABLED": "0"}
    call("go", "run", "-trimpath", "-tags", "releasefiles", "./cmd/robotsaudit", to.resolve(), cwd=ROOT, env=environment, codes=(0,))
    for path in to.rglob("*"):
        if path.is_file():
            os.utime(path, (int(epoch), int(epoch)))
