"""Makes the tables and options of the Python package, by the program's own description: python/src/robotsaudit/_schema.py.

    options BINARY [--check]

--check compares the file in the repository.
"""

import json
import textwrap

from lib import ROOT, call

ENVIRONMENT = ""
FILE = ROOT / "python/src/robotsaudit/_schema.py"
COMMANDS = ("audit", "evaluate", "report", "export", "explain", "evidence", "match")
# Options of terminals, and what functions of the package take or do themselves.
LEFT = {"output", "config", "log-format", "progress", "quiet", "full", "metrics"}
LEFT_OF = {
    "report": {"json"}, "export": {"to"}, "explain": {"format"}, "evidence": {"to"},
    "match": {"format", "explain", "batch", "keep-going"},
}
# Options of export that say what is written; the others, which decide, are those of all three lists.
WRITTEN = {"keep", "drop", "list", "by", "format", "documents", "crawl"}
HEAD = '''"""The tables and options of the program. Made by scripts/make/run options; not changed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

Place: TypeAlias = str | PathLike[str]
'''


def type_of(flag):
    kind = flag["type"]
    one = {"bool": "bool", "int": "int"}.get(kind, "str")
    if flag.get("choices") and flag["name"] not in ("agents", "fail-on"):
        one = f"Literal[{', '.join(map(json.dumps, flag['choices']))}]"
    elif flag.get("value") in ("FILE", "FOLDER", "KEY", "OLD", "PLACE"):
        one = "Place"
    elif flag.get("value") in ("DATE", "TIME") and flag["name"] in ("as-of", "at"):
        one = "str | date"
    if flag["name"] == "urls":
        return "Any"  # files, and tables in memory
    return f"{one} | Sequence[{one}]" if kind in ("stringArray", "stringSlice") else one


def meaning_of(flag):
    text = flag["meaning"].replace(" (repeatable)", "")
    if flag["name"] == "agents":
        text += ", and product tokens as they are"
    if flag["name"] == "urls":
        text += "; also a table in memory, of DuckDB, Arrow, Polars or pandas"
    if flag.get("value") in ("DATE", "TIME"):
        text += "; a datetime without a time zone is taken as UTC"
    return text


def wrapped(text, indent):
    return textwrap.fill(text, 110, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def options_of(name, base, whose, flags):
    yield from ("", f"class {name}({base}, total=False):", f'    """Options {whose}."""', "")
    for flag in flags:
        *pieces, last = textwrap.wrap(meaning_of(flag), 100, break_on_hyphens=False)
        parts = [json.dumps(part, ensure_ascii=False) for part in (*(piece + " " for piece in pieces), last)]
        yield from (f"    {flag['name'].replace('-', '_')}: Annotated[", f"        {type_of(flag)},",
                    *(f"        {part}" for part in parts), "    ]")
    yield ""


def made(binary):
    tables = json.loads(call(binary, "schema", "--format", "json"))["tables"]
    commands = {c["name"]: c for c in json.loads(call(binary, "schema", "--flags"))["commands"]}
    lines = [HEAD]
    categories = next(flag["choices"] for flag in commands["audit"]["flags"] if flag["name"] == "agents")
    lines += [f"CATEGORIES = ({', '.join(map(json.dumps, categories))})", '"""Categories of known crawlers."""', ""]
    for name in COMMANDS:
        left = LEFT | LEFT_OF.get(name, set())
        flags = [flag for flag in commands[name]["flags"] if flag["name"] not in left]
        base = "TypedDict"
        if name == "export":
            lines += options_of("ListOptions", base, "that decide what the three lists of export hold",
                                [flag for flag in flags if flag["name"] not in WRITTEN])
            base, flags = "ListOptions", [flag for flag in flags if flag["name"] in WRITTEN]
        lines += options_of(f"{name.capitalize()}Options", base, f"of the command {name}", flags)
    lines += ["", "class Tables:",
              '    """The tables of an audit, by name: docs/SCHEMA.md has their columns, with units and sources."""',
              "", "    def table(self, name: str) -> DuckDBPyRelation:", "        raise NotImplementedError"]
    for table in tables:
        order = (f"Key: {', '.join(table['key'])}. " if "key" in table else "") + f"Sorted by {table['sorted_by']}."
        lines += ["", "    @property", f"    def {table['name']}(self) -> DuckDBPyRelation:",
                  '        """', wrapped(table["meaning"], " " * 8), "", wrapped(order, " " * 8), '        """', f'        return self.table("{table["name"]}")']
    return "\n".join(lines) + "\n"


def main(binary, *, check: bool = False):
    text = made(binary)
    if not check:
        FILE.write_text(text)
    elif text != FILE.read_text():
        return f"{FILE.relative_to(ROOT)} is another: scripts/make/run options BINARY makes it"
    print("the Python package has the options of the program")
