"""Builds the page that runs the program in a browser, docs/app, into a folder that any static server can serve.

    app OUTDIR [--zipped FILE.zip]

    python3 -m http.server --bind 127.0.0.1 --directory OUTDIR
"""

import gzip
import hashlib
import json
import os
import re
import shutil
import zipfile
from pathlib import Path

from lib import ARCHIVES, ROOT, call, folder

ENVIRONMENT = ""
MODULE = "github.com/robotsaudit/robotsaudit/..."
SMALL = ["-ldflags=-s -w", "-gcflags=all=-l", f"-gcflags={MODULE}="]  # calls are inlined in this module alone: 10 % less


def report_policy(sample):
    """The hashes of the scripts and styles of a report, which the page's policy must permit in its frame."""
    with folder() as out:
        call("go", "run", "./cmd/robotsaudit", "audit", "--quiet", "-o", out, *sample, cwd=ROOT)
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', (out / "report.html").read_text())[1]
    directives = dict(part.split(" ", 1) for part in policy.replace("&#39;", "'").replace("&#43;", "+").split("; "))
    return directives["script-src"], directives["style-src"]


def page_style():
    """The style of the pages, after the colours and letters of the report."""
    report = (ROOT / "report/html/assets/style.css").read_text()
    return re.match(r":root \{.*?\n\}\n@media [^\n]*\n  :root \{.*?\n\}\n", report, re.S)[0] + (ROOT / "docs/app/style.css").read_text()


def build_program():
    """The program as WebAssembly, compressed."""
    with folder() as work:
        environment = os.environ | {"GOOS": "wasip1", "GOARCH": "wasm"}
        call("go", "build", "-trimpath", *SMALL, "-o", work / "wasm", "./cmd/robotsaudit", cwd=ROOT, env=environment)
        return gzip.compress((work / "wasm").read_bytes(), 9, mtime=0)


def main(to: Path, *, zipped: Path = None):
    to = to.resolve()
    shutil.copytree(ROOT / "docs/app", to, dirs_exist_ok=True, ignore=shutil.ignore_patterns("verify.*", "verify-*"))
    scripts, styles = report_policy(ARCHIVES)
    page = (to / "index.html").read_text()
    (to / "index.html").write_text(page.replace("REPORT_SCRIPTS", scripts).replace("REPORT_STYLES", styles))
    (to / "style.css").write_text(page_style())
    (to / "sample").mkdir(exist_ok=True)
    for archive in ARCHIVES:
        shutil.copy(archive, to / "sample")
    program = build_program()
    (to / "robotsaudit.wasm.gz").write_bytes(program)
    files = sorted(path for path in to.rglob("*") if path.is_file() and path.name not in ("sw.js", "files.js"))
    digest = hashlib.sha256(b"".join(hashlib.sha256(path.read_bytes()).digest() for path in files)).hexdigest()
    names = [path.relative_to(to).as_posix() for path in files]
    sample = [name for name in names if name.startswith("sample/")]
    site = {"version": digest[:12], "files": ["./", "files.js", *names], "sample": sample}
    (to / "files.js").write_text(f"self.site = {json.dumps(site, indent=1)};\n")
    print(f"{to}: {len(program):,} bytes of program, {sum(path.stat().st_size for path in files):,} bytes in all")
    if zipped:  # the same bytes for the same files
        with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as packed:
            for name in sorted([*names, "files.js", "sw.js"]):
                packed.writestr(zipfile.ZipInfo(f"robotsaudit-app/{name}"), (to / name).read_bytes(), zipfile.ZIP_DEFLATED)
