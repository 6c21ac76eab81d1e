"""Makes the wheel of the Python package for this machine in a folder.

    wheels OUTDIR [--all]

--all makes one for each system and processor, and the sdist.

The same commit gives the same bytes. python/hatch_build.py builds the program for each; its tags are there, too, and how
a tag of the commit, such as v0.2.0, becomes the version.
"""

import os
import sys
from pathlib import Path

from lib import ROOT, call

ENVIRONMENT = "requirements-package.txt"
LIMIT = 3600
PYTHON = ROOT / "python"
LARGEST = 15_000_000  # bytes of a wheel


def build(to, target, **environment):
    kept = {name: value for name, value in os.environ.items() if name not in ("GOOS", "GOARCH", "ROBOTSAUDIT_PROGRAM")}
    call(sys.executable, "-m", "hatchling", "build", "-t", target, "-d", Path(to).resolve(), cwd=PYTHON, env=kept | environment, codes=(0,))


def main(to: Path, *, all: bool = False):
    sys.path.append(str(PYTHON))
    from hatch_build import PLATFORMS

    if all:
        build(to, "sdist")
    for platform in PLATFORMS if all else ["/".join(call("go", "env", "GOOS", "GOARCH", codes=(0,)).split())]:
        system, processor = platform.split("/")
        build(to, "wheel", GOOS=system, GOARCH=processor)
    files = sorted(to.glob("robotsaudit-*"))
    for path in files:
        print(f"{path.stat().st_size:>10,} {path.name}")
    large = [path.name for path in files if path.stat().st_size > LARGEST]
    return f"larger than {LARGEST:,} bytes: {', '.join(large)}" if large else None
