"""Makes the bill of materials of a program of Go: sbom/main.go.

    sbom PROGRAM DOCUMENT
"""

import os
from pathlib import Path

from lib import ROOT, call

ENVIRONMENT = ""


def main(program: Path, document: Path):
    environment = {k: v for k, v in os.environ.items() if k not in ("GOOS", "GOARCH")} | {"CGO_ENABLED": "0"}
    document.write_text(call("go", "run", "-trimpath", "./scripts/make/sbom", program.resolve(), cwd=ROOT, env=environment, codes=(0,)))
