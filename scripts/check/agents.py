"""The list of agents has every name of ai.robots.txt's list.

    agents BINARY LIST

LIST is a copy of its robots.json or robots.txt. Prints each name that `agents` lacks. Exit code 1 where some are.
"""

import json
import pathlib
import re

from lib import call


def main(binary, listed):
    text = pathlib.Path(listed).read_text()
    names = json.loads(text) if text.lstrip().startswith("{") else re.findall(r"(?im)^user-agent:\s*(.*\S)", text)
    known = {a["token"].lower() for a in json.loads(call(binary, "agents", "--format", "json", codes=(0,)))}
    missing = sorted({n for n in names if n.lower() not in known}, key=str.lower)
    print(*missing, sep="\n")
    print("%d names, %d missing" % (len(names), len(missing)))
    return 1 if missing else 0
