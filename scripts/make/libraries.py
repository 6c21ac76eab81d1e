"""Makes the libraries of the report (report/html/assets) and of the page (docs/app/vendor) from npm; --check compares the files in the repository.

    libraries [--check]

Needs Node.js 18 and npm. The versions are those of package-lock.json; the same ones give the same bytes.
"""

import shutil
from pathlib import Path

from lib import ROOT, call, folder

ENVIRONMENT = ""
HERE = Path(__file__).resolve().parent / "libraries"


def main(*, check: bool = False):
    with folder() as work:
        for name in ("package.json", "package-lock.json", "build.mjs", "libraries.js", "app.js"):
            shutil.copy(HERE / name, work)
        call("npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", cwd=work, codes=(0,))
        call("node", "build.mjs", "made", cwd=work, codes=(0,))
        for made in filter(Path.is_file, (work / "made").rglob("*")):
            kept = ROOT / made.relative_to(work / "made")
            if not check:
                shutil.copy(made, kept)
            elif made.read_bytes() != kept.read_bytes():
                return f"{kept} is another"
    print("the libraries are those of package-lock.json")
