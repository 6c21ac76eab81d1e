"""Fills the recipes of packaging/ for a release, in the folder DIST/recipes: its version, and the SHA-256 of its files.

    packagers DIST

DIST is what goreleaser made: checksums.txt names all files.
"""

import re
from pathlib import Path

from lib import ROOT

ENVIRONMENT = ""
RECIPES = ("robotsaudit.rb", "robotsaudit.json", "PKGBUILD", "recipe.yaml")


def main(dist: Path):
    sums = {name: digest for digest, name in (line.split() for line in (dist / "checksums.txt").read_text().splitlines())}
    version = next(found[1] for name in sums if (found := re.fullmatch(r"robotsaudit_(.+)_linux_amd64\.tar\.gz", name)))
    (dist / "recipes").mkdir(exist_ok=True)
    for name in RECIPES:
        text = (ROOT / "packaging" / name).read_text().replace("@version@", version)
        (dist / "recipes" / name).write_text(re.sub("@sha256:(.*?)@", lambda found: sums[found[1]], text))
