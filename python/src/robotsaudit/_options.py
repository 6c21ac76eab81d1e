"""Options of Python as flags of the program, and in the signatures of functions."""

from __future__ import annotations

import atexit
import difflib
import filecmp
import functools
import hashlib
import inspect
import itertools
import json
import os
import shutil
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from types import MethodType
from typing import Any, TypeAlias, TypeVar

from ._tool import RobotsauditWarning, UsageError, call, warn

F = TypeVar("F", bound=Callable[..., Any])
Place: TypeAlias = str | os.PathLike[str]
numbers = itertools.count(1)
TERMINAL = {"output", "log-format", "progress", "quiet", "full", "metrics"}
"""Flags for terminals, and for what functions of the package take or do themselves."""


@functools.cache
def described() -> dict[str, Any]:
    """The tables and the commands of the program, as it describes them."""
    description: dict[str, Any] = json.loads(call("schema", ["--format=json"]))
    return description


@functools.cache
def flags_by_name(command: str) -> dict[str, dict[str, Any]]:
    """What the program says of each flag of a command."""
    return {flag["name"]: flag for each in described()["commands"] if each["name"] == command for flag in each["flags"]}


@functools.cache
def scratch() -> Path:
    """A folder that lasts as long as this process, for what the caller names no place for."""
    path = tempfile.mkdtemp(prefix="robotsaudit-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return Path(path)


def flags(options: Mapping[str, Any]) -> list[str]:
    """The options of a call as flags of a command line."""
    return [flag for name, value in options.items() for flag in flags_of(name, value)]


def flags_of(name: str, value: Any) -> Iterator[str]:
    for one in value if isinstance(value, (list, tuple)) else [value]:
        if one is None:
            continue
        yield f"--{name.replace('_', '-')}={text_of(one)}"


def text_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        if value.tzinfo is None:
            warn(RobotsauditWarning(f"{value} has no time zone, and is taken as UTC"))
            value = value.replace(tzinfo=UTC)
        value = value.astimezone(UTC).replace(tzinfo=None)
        return f"{value.isoformat()}Z"
    text: str = value.isoformat() if isinstance(value, date) else str(value)
    return text


def files_of(lists: Any, folder: Path | None) -> list[str]:
    """The files of lists of URLs: those that are named, and tables in memory as Parquet, in a folder or in passing."""
    return [str(each) if isinstance(each, (str, os.PathLike)) else file_of(each, folder, number)
            for number, each in enumerate(lists if isinstance(lists, (list, tuple)) else [lists], 1)]


def file_of(rows: Any, folder: Path | None, number: int) -> str:
    """The file of a table in memory. The same call finds the same file, so that it is not read again."""
    import duckdb

    own = duckdb.connect()  # the default connection cannot read a stream of its own
    place = folder or scratch()
    place.mkdir(parents=True, exist_ok=True)
    written = place / f".urls-{number}.parquet"
    try:
        relation: Any = rows if isinstance(rows, duckdb.DuckDBPyRelation) else own.from_query("FROM rows")
        relation.write_parquet(str(written))
    except duckdb.Error as error:
        raise UsageError(f"urls is neither a file nor a table that DuckDB can read: {error}", 2) from error
    for name, kind in zip(relation.columns, relation.types, strict=True):
        if str(kind) in ("DATE", "TIMESTAMP") or str(kind).startswith("TIMESTAMP_"):
            warn(RobotsauditWarning(f"the times in column {name} have no time zone, and are taken as UTC"))
    with written.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:16]
    path = place / f"urls-{number if folder else digest}.parquet"
    if path.exists() and filecmp.cmp(written, path, shallow=False):
        written.unlink()
    else:
        written.replace(path)
    return str(path)


def takes(command: str, *left: str) -> Callable[[F], F]:
    """Has a function take the flags of a command as options, but for some that it sets itself."""
    return lambda function: Described(function, command, {*TERMINAL, *left})  # type: ignore[return-value]


class Described:  # A function whose signature and documentation list the options that the program describes, once they are used.
    def __init__(self, function: Callable[..., Any], command: str, left: set[str]) -> None:
        functools.update_wrapper(self, function, ("__module__", "__name__", "__qualname__"))
        self.function, self.command, self.left = function, command, left

    def __call__(self, *args: Any, **given: Any) -> Any:
        for name in given.keys() - self.__signature__.parameters.keys():
            close = difflib.get_close_matches(name, self.__signature__.parameters, 1)
            meant = f"; did you mean {close[0]}?" if close else ""
            raise TypeError(f"{self.function.__name__}() has no option {name!r}{meant}")
        return self.function(*args, **given)

    def __get__(self, instance: object, owner: type) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __reduce__(self) -> str:
        return self.function.__qualname__

    @functools.cached_property
    def meanings(self) -> dict[str, dict[str, Any]]:
        return {name.replace("-", "_"): flag for name, flag in flags_by_name(self.command).items() if name not in self.left}

    @functools.cached_property
    def __signature__(self) -> inspect.Signature:
        own = inspect.signature(self.function)
        named = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None,
                                  annotation={"bool": bool, "int": int}.get(flag["type"], str))
                for name, flag in self.meanings.items()]
        return own.replace(parameters=named + more)

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        listed = "\n".join(textwrap.fill(f"{name}: {flag['meaning']}", 96, initial_indent="    ", subsequent_indent=" " * 8)
                           for name, flag in self.meanings.items())
        return f"{inspect.cleandoc(self.function.__doc__ or '')}\n\nOptions, as of the program:\n{listed}\n"
