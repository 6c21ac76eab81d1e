"""Makes the libraries of the report, report/html/assets, from npm; --check compares the files in the repository.

    libraries [--check]

Needs Node.js 18 and npm. The versions are those of package-lock.json; the same ones give the same bytes.
"""

import shutil
from pathlib import Path

from lib import ROOT, call, folder

ENVIRONMENT = ""
HERE, ASSETS = Path(__file__).resolve().parent / "libraries", ROOT / "report/html/assets"


def main(*, check: bool = False):
    with folder() as work:
        for name in ("package.json", "package-lock.json", "build.mjs", "libraries.js"):
            shutil.copy(HERE / name, work)
        call("npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", cwd=work, codes=(0,))
        (work / "made").mkdir()
        call("node", "build.mjs", "made", cwd=work, codes=(0,))
        for made in (work / "made").iterdir():
            if not check:
                shutil.copy(made, ASSETS)
            elif made.read_bytes() != (ASSETS / made.name).read_bytes():
                return f"{made.name} is another"
    print("the libraries of the report are those of package-lock.json")
