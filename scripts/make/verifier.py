"""Makes robotsaudit-verify.html: one file that verifies bundles of evidence in a browser, offline, from a disk.

    verifier FILE.html [--program ROBOTSAUDIT.WASM.GZ]

--program is the program as `app` builds it; else it is built.
"""

import base64
import hashlib
import html
import re
from pathlib import Path

from app import build_program, page_style
from lib import ROOT

ENVIRONMENT = ""
APP = ROOT / "docs/app"


def worker():
    """The worker's modules in one classic script: pages from a disk cannot load others."""
    libraries, names = re.fullmatch(r"(.*)export\{([^}]*)\};\s*", (APP / "vendor/libraries.js").read_text(), re.S).groups()
    pairs = dict(reversed(pair.split(" as ")) for pair in names.split(","))
    parts = [f"const {{{','.join(pairs)}}} = (() => {{{libraries}\n"
             f"return {{{','.join(f'{name}: {own}' for name, own in pairs.items())}}};}})();"]
    return "\n".join([*parts, joined("program.js", "verify-worker.js")])


def joined(*names):
    """Modules of the page in one script, without what they import from each other."""
    text = "\n".join((APP / name).read_text() for name in names)
    return re.sub(r"^export ", "", re.sub(r'^import .*? from "[^"]*";$', "", text, flags=re.M), flags=re.M)


def digest(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def main(to: Path, *, program: Path = None):
    style, script = page_style(), joined("verified.js", "verify.js")
    content = program.read_bytes() if program else build_program()
    parts = {
        "SCRIPT_HASH": digest(script), "STYLE_HASH": digest(style), "STYLE": style, "SCRIPT": script, "WORKER": worker(),
        "LICENCES": html.escape((APP / "vendor/licences.txt").read_text()), "PROGRAM": base64.b64encode(content).decode(),
    }
    for name in ("SCRIPT", "WORKER"):
        assert not re.search(r"</script|<!--", parts[name], re.I), f"{name} cannot stand in HTML"
    page = re.sub("|".join(parts), lambda found: parts[found[0]], (APP / "verify.html").read_text())
    to.write_text(page, newline="\n")
    print(f"{to}: {len(page):,} bytes")
