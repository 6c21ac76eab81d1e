"""Native and WebAssembly say the same, with the same exit code, of the bundle of each scenario, whole and with an altered byte.

    bundles BINARY

Bundles are those of evaluate/scenario. Needs Go and Node.js 20 or later.
"""

import json
import os
import pathlib
import random
import subprocess

from lib import MEMORY, ROOT, Tally, call, folder

ENVIRONMENT = ""


def main(binary: pathlib.Path):
    tally, binary, chance = Tally(), binary.resolve(), random.Random(1)
    with folder(dir=MEMORY) as work:
        call("go", "build", "-trimpath", "-o", work / "wasm", "./cmd/robotsaudit", cwd=ROOT,
             env=os.environ | {"GOOS": "wasip1", "GOARCH": "wasm"}, codes=(0,))
        call("go", "test", "./evaluate/scenario", "-count=1", "-run", "TestExplain", cwd=ROOT, codes=(0,),
             env=os.environ | {"ROBOTSAUDIT_BUNDLES": str(work), "ROBOTSAUDIT_LONG_TESTS": "1"})
        bundles = sorted(path.name for path in work.glob("*.warc.gz"))
        files = []
        for name in bundles:
            content = bytearray((work / name).read_bytes())
            content[chance.randrange(len(content))] ^= 1
            (work / f"altered-{name}").write_bytes(content)
            files += [name, f"altered-{name}"]
        said = call("node", "--no-warnings", "--no-turbo-fast-api-calls", ROOT / "scripts/check/bundles.mjs", "wasm", *files,
                    cwd=work, codes=(0,))
        verified = 0
        for name, line in zip(files, said.splitlines(), strict=True):
            native = subprocess.run([binary, "verify", name, "--full"], cwd=work, capture_output=True, text=True)
            ours = {"code": native.returncode, "stdout": native.stdout, "stderr": native.stderr}
            if json.loads(line) != ours:
                tally.equal(name, json.loads(line), ours)
            verified += native.returncode == 0
            if name.startswith("altered") and native.returncode != 1:
                tally.check(f"{name} is refused", False, native.stdout)
        tally.check(f"{len(bundles)} bundles are verified, and with a byte altered refused, natively and as WebAssembly",
                    not tally.failed and verified == len(bundles) > 100, verified)
    return tally.failed
