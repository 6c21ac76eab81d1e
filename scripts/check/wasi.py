"""Tests of Go as WebAssembly, under Node's WASI: what the page in a browser runs.

    wasi                 those of packages that ask most of the system
    wasi ./...           all that can run there

Needs Node.js 20 or later.
"""

import os
import re
import resource

from lib import ROOT, call

ENVIRONMENT = ""
LIMIT = 3600
FIRST = [".", "./ingest", "./internal/durable", "./internal/facts/pack", "./internal/archive/wacz", "./internal/object",]
SKIPPED = {
    "two processes, or threads": ["TestDead", "TestLock", "TestIngestKeepsTheFirstOfATask"],
    "servers": ["TestListsOnServers", "TestRequestsOfFinish", "TestStore"],
    "Linux's words for a link that leads nowhere": ["TestExpandLinkedFolders"],
    "more than 2 GB": ["TestLargeDirectory"],
}
STACK = 60_000  # kB: each call in Go is one on Node's stack, too


def main(*packages: str):
    if packages == ("./...",):
        listed = call("go", "list", "./...", cwd=ROOT, codes=(0,)).split()
        packages = [p for p in listed if not re.search("/scripts/|/cmd/robotsaudit$", p)]  # whose tests start commands
    most = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (most, most))
    node = f"node --no-warnings --no-turbo-fast-api-calls --stack-size={STACK} {ROOT / 'scripts/check/wasi.mjs'}"
    skipped = "|".join(name for names in SKIPPED.values() for name in names)
    print(call("go", "test", "-exec", node, "-skip", f"^({skipped})$", *(packages or FIRST), cwd=ROOT, codes=(0,),
               env=os.environ | {"GOOS": "wasip1", "GOARCH": "wasm"}))
