"""Options of Python as flags of the program, and in the signatures of functions."""

from __future__ import annotations

import atexit
import difflib
import filecmp
import functools
import hashlib
import inspect
import itertools
import os
import shutil
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

from ._schema import CATEGORIES
from ._tool import RobotsauditWarning, UsageError, warn

F = TypeVar("F", bound=Callable[..., Any])
numbers = itertools.count(1)


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
        if name == "agents" and one not in CATEGORIES:
            yield f"--agent={one}"
        else:
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


def takes(options: type) -> Callable[[F], F]:
    """Puts the options of a command into the signature and the documentation of a function that takes them."""
    hints = get_type_hints(options, include_extras=True, localns={"DuckDBPyRelation": Any})
    meanings = {name: get_args(hint) for name, hint in hints.items()}  # each is an Annotated: a type and what it means

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def checked(*args: Any, **given: Any) -> Any:
            for name in given.keys() - signature.parameters.keys():
                close = difflib.get_close_matches(name, signature.parameters, 1)
                meant = f"; did you mean {close[0]}?" if close else ""
                raise TypeError(f"{function.__name__}() has no option {name!r}{meant}")
            return function(*args, **given)

        own = inspect.signature(function)
        named = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint)
                for name, (hint, _) in meanings.items()]
        signature = own.replace(parameters=named + more)
        checked.__signature__ = signature  # type: ignore[attr-defined]
        listed = "\n".join(textwrap.fill(f"{name}: {meaning}", 96, initial_indent="    ", subsequent_indent=" " * 8)
                           for name, (_, meaning) in meanings.items())
        checked.__doc__ = f"{inspect.cleandoc(function.__doc__ or '')}\n\nOptions, as of the program:\n{listed}\n"
        return checked  # type: ignore[return-value]

    return decorate
