"""Makes a software bill of materials of a program of Go, in the JSON of CycloneDX 1.6: its modules, by its build information.

    sbom PROGRAM DOCUMENT

The same program gives the same bytes.
"""

import hashlib
import json
from pathlib import Path

from lib import call

ENVIRONMENT = ""


def component(kind, name, version):
    purl = f"pkg:golang/{name}@{version}"
    return {"type": kind, "bom-ref": purl, "name": name, **({"version": version} if version else {}), "purl": purl}


def main(program: Path, document: Path):
    first, *lines = call("go", "version", "-m", program, codes=(0,)).splitlines()
    modules = []
    for kind, name, version, *_ in (line.split("\t")[1:] + [""] for line in lines if line.split("\t")[1] in ("mod", "dep", "=>")):
        if kind == "=>":  # in place of the one before
            modules.pop()
        modules.append(component("library", name, version))
    go = first.rsplit(": ", 1)[1]
    library = component("library", "std", go) | {"bom-ref": f"pkg:golang/std@{go}"}
    own = modules[0] | {"type": "application", "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(program.read_bytes()).hexdigest()}]}
    bom = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": {"component": own}, "components": [library, *modules[1:]]}
    document.write_text(json.dumps(bom, indent=2) + "\n")
