"""The program: where it is, how it is called, and what its exit codes and log lines become here."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import platform
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from ._audit import Audit

Event: TypeAlias = Mapping[str, Any]
Progress: TypeAlias = "bool | Callable[[Event], object] | None"

# The program runs in a group of its own, so that an interrupt reaches it once, from here.
if sys.platform == "win32":
    GROUP, FLAGS, INTERRUPT = None, subprocess.CREATE_NEW_PROCESS_GROUP, signal.CTRL_BREAK_EVENT
else:
    GROUP, FLAGS, INTERRUPT = 0, 0, signal.SIGINT

log = logging.getLogger(__package__)


class RobotsauditError(Exception):
    """The program did not do its work. The text is its own sentence."""

    exit_code: int
    """As docs/OPERATIONS.md lists them: 1 failed, 2 mistake in the call, 10 violations found."""

    def __init__(self, sentence: str, exit_code: int = 1) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code


class UsageError(RobotsauditError, ValueError):
    """An argument or an option is wrong (exit code 2)."""


class ViolationsFound(RobotsauditError):
    """The audit is done and whole, and has what `fail_on` names (exit code 10)."""

    audit: Audit


class RobotsauditWarning(UserWarning):
    """Something that the program did otherwise than the caller may expect."""


class IncompleteInput(RobotsauditWarning):
    """The work is done, but some input could not be read completely (exit code 3): see the table `issues`."""

    exit_code = 3


def program() -> Path:
    """The path of the program: the one in this package, or the one that ROBOTSAUDIT_PROGRAM names."""
    if named := os.environ.get("ROBOTSAUDIT_PROGRAM"):
        return Path(named)
    path = Path(__file__).parent / "bin" / ("robotsaudit.exe" if os.name == "nt" else "robotsaudit")
    if not path.exists():
        raise RobotsauditError(f"this installation of robotsaudit has no program ({path} is missing): install a wheel "
                               f"for {here()}, or the sdist, which is built by Go")
    return path


def here() -> str:
    """The system and the processor of this machine."""
    return f"{platform.system()} on {platform.machine()}"


def cannot_start(path: Path, error: OSError) -> RobotsauditError:
    """The error of a program that is there and does not run."""
    return RobotsauditError(f"{path} does not run here ({error.strerror}): it is that of another system or processor, "
                            f"or cannot be executed; install the wheel of robotsaudit for {here()} anew")


def call(command: str, arguments: Sequence[str], *, stdin: bytes = b"", progress: Progress = False) -> bytes:
    """Runs a command of the program to its end and returns what it prints on standard output.

    Ctrl-C, or the interrupt of a kernel, ends the command as in a terminal: what it has read is
    kept, and the same call goes on from there.
    """
    path = program()
    argv = [str(path), command, "--log-format=json", "--progress=often", *arguments]
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as printed, Lines(progress) as lines:
        given.write(stdin)
        given.seek(0)
        try:
            process = subprocess.Popen(argv, stdin=given, stdout=printed, stderr=subprocess.PIPE,
                                       process_group=GROUP, creationflags=FLAGS)
        except OSError as error:
            raise cannot_start(path, error) from None
        with process:
            assert process.stderr
            try:
                for line in process.stderr:
                    lines.take(line)
                code = process.wait()
            except BaseException as error:
                interrupt(process, process.stderr, lines)
                if isinstance(error, KeyboardInterrupt):
                    raise KeyboardInterrupt("\n".join(lines.errors)) from None
                raise
        lines.conclude(code)
        printed.seek(0)
        return printed.read()


def interrupt(process: subprocess.Popen[bytes], stderr: IO[bytes], lines: Lines) -> None:
    """Ends a process in an orderly way, and a second interrupt at once."""
    try:
        process.send_signal(INTERRUPT)
        lines.errors += [entry["msg"] for entry in map(entry_of, stderr) if entry.get("level") == "ERROR"]
        process.wait()
    except KeyboardInterrupt:
        process.kill()


def entry_of(line: bytes) -> dict[str, Any]:
    """A log line as its fields. What is none, such as a crash of the program, has its text alone."""
    with contextlib.suppress(ValueError):
        entry: Any = json.loads(line)
        if isinstance(entry, dict) and "msg" in entry:
            return entry
    return {"level": "TEXT", "msg": line.decode(errors="replace").rstrip()}


class Lines:
    """What becomes of log lines: progress, warnings, entries of the logger `robotsaudit`, and errors for the end."""

    def __init__(self, progress: Progress) -> None:
        self.bar: Any = None
        self.errors: list[str] = []
        self.rest: list[str] = []
        self.observe: Callable[[Event], object] = lambda event: None
        if callable(progress):
            self.observe = progress
        elif progress or progress is None and (sys.stderr.isatty() or "ipykernel" in sys.modules):
            with contextlib.suppress(ImportError), warnings.catch_warnings(action="ignore"):  # that a notebook has no widgets
                from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]

                self.observe = lambda event: self.draw(event, tqdm)

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        self.end_bar()

    def take(self, line: bytes) -> None:
        entry = entry_of(line)
        level, text = entry.get("level"), str(entry["msg"])
        if level == "ERROR":
            self.errors.append(text)
        elif level == "WARN":
            warn(RobotsauditWarning(text))
        elif level == "INFO":
            if "event" not in entry:
                log.info(text)
            self.observe(entry)
        else:
            self.rest.append(text)

    def draw(self, event: Event, tqdm: Any) -> None:
        """Moves a bar: one for each stage."""
        if event.get("event") != "progress":
            return
        if self.bar is None or self.bar.desc != event["stage"]:
            self.end_bar()
            unit = {"bytes": "B"}.get(event["unit"], " " + event["unit"])
            self.bar = tqdm(desc=event["stage"], unit=unit, unit_scale=True)
            self.bar.desc = event["stage"]
        self.bar.total = event["total"]
        self.bar.update(event["done"] - self.bar.n)

    def end_bar(self) -> None:
        if self.bar is not None:
            self.bar.close()

    def conclude(self, code: int) -> None:
        """Raises or warns as an exit code demands."""
        sentence = "\n".join(self.errors)
        if code == 3:
            warn(IncompleteInput(sentence or "some input could not be read completely: see the table issues"))
        elif code == 2:
            raise UsageError(sentence, code)
        elif code == 10:
            raise ViolationsFound("there are violations of robots.txt that fail_on names", code)
        elif code == 130:
            raise KeyboardInterrupt(sentence)
        elif code != 0:
            rest = "\n".join(self.rest[:20])
            raise RobotsauditError(sentence or f"the program ended with exit code {code}\n{rest}".rstrip(), code)


def warn(warning: Warning) -> None:
    """Warns at the line outside of this package that called it."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(warning, stacklevel=level)
