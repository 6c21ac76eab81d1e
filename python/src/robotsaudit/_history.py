"""The history of a robots.txt in git, as a table for audits."""

from __future__ import annotations

import base64
import json
import os
import posixpath
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from ._options import Place, scratch
from ._tool import RobotsauditError, UsageError

MAX_BODY = 8 << 20  # bytes that an audit keeps of a body

# Nothing that the repository's own configuration names is run, and no server is asked.
OPTIONS = ("--no-pager", "--no-replace-objects", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}",
           "-c", "core.commitGraph=false", "-c", f"core.bigFileThreshold={MAX_BODY}", "-c", "log.showSignature=false", "-c", "log.follow=false")
SETTINGS = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
LOG = ("log", "-z", "--raw", "--first-parent", "--diff-merges=first-parent", "--root", "--no-abbrev", "--no-renames", "--no-ext-diff",
       "--no-textconv", "--no-mailmap", "--no-notes", "--no-color", "--no-decorate", "--format=%H %ct", "HEAD", "--")


def history(repository: Place, site: str, path: str = "robots.txt", *, to: Place | None = None, timeout: float = 600) -> Path:
    """
    The versions of a file in a git repository, as a table of robots.txt: `audit(access_log=…, robots=history(…))`.

    *The repository has to be your own, or one that you trust*: the program git reads it, and what it
    says is taken for what `site` ("https://example.org") served. `path` is the file that becomes
    robots.txt there.

    A version counts from the moment at which the branch that is checked out took it: the committer
    date of the commit, or of the merge. A commit that removes the file is a row with status 404. A
    link, or a file over 8 MiB, is a robots.txt of which nothing is known.

    The table is written to the file `to`, as JSON lines. Without `to`, it lasts as long as this
    process. A shallow clone, and whatever takes longer than `timeout` seconds, is an error.
    """
    url, folder, path = urlsplit(site), Path(os.path.realpath(repository)), posixpath.normpath(path)
    if url.scheme not in ("https", "http") or not url.hostname or url.path not in ("", "/") or url.query or url.fragment:
        raise UsageError(f"{site}: give a scheme and a host, as in https://example.org", 2)
    table = Path(to) if to is not None else scratch() / f"{os.urandom(8).hex()}.jsonl"
    part = table.with_name(f".{table.name}.{os.urandom(4).hex()}")
    try:
        with Git(folder, timeout) as git, part.open("x", encoding="ascii", newline="\n") as file:
            rows = 0
            for rows, (time, body) in enumerate(versions(git, path), 1):
                row: dict[str, object] = {"url": f"{url.scheme}://{url.netloc}/robots.txt", "time": time, "status": 404 if body is None else 200}
                if body:
                    row["body_b64"] = base64.b64encode(body[0]).decode()
                file.write(json.dumps(row, separators=(",", ":")) + "\n")
        if not rows:
            raise RobotsauditError(f"{repository}: the branch that is checked out never had {path}")
        part.replace(table)
    finally:
        part.unlink(missing_ok=True)
    return table


def versions(git: Git, path: str) -> Iterator[tuple[str, tuple[bytes] | tuple[()] | None]]:
    """The time of each version and its body, the last version first: (): nobody knows it; None: there is no file."""
    if git.line("rev-parse", "--is-shallow-repository") != "false":
        raise RobotsauditError(f"{git.folder} is a shallow clone, which lacks history: 'git fetch --unshallow' completes it")
    blobs, words = git.start("cat-file", "--batch"), words_of(git.start(*LOG, path))
    commit, seconds = "", ""
    for word in words:
        if not word.startswith(":"):
            commit, _, seconds = word.partition(" ")
            continue
        _, mode, _, blob, _ = word.split(" ")
        if next(words, None) != path:  # a file in a folder of that name
            continue
        try:
            time = datetime.fromtimestamp(int(seconds), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        except (ValueError, OverflowError, OSError):
            raise RobotsauditError(f"{git.folder}: commit {commit} has no date that can be read") from None
        if not blob.strip("0"):
            yield time, None
        else:
            yield time, git.read(blobs, blob) if mode.startswith("100") else ()


def words_of(log: subprocess.Popen[bytes]) -> Iterator[str]:
    """What git log -z prints between its zero bytes."""
    assert log.stdout
    rest = b""
    while part := os.read(log.stdout.fileno(), 1 << 16):
        *whole, rest = (rest + part).split(b"\0")
        yield from (word for text in whole if (word := os.fsdecode(text.strip(b"\n"))))


class Git:
    """Calls of git on a repository, all of which end with it, or when the time is over."""

    def __init__(self, folder: Path, timeout: float) -> None:
        self.folder, self.timeout = folder, timeout
        self.processes: list[subprocess.Popen[bytes]] = []
        self.late = False
        self.said: IO[bytes] = tempfile.TemporaryFile()
        self.timer = threading.Timer(timeout, self.end, [True])
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k.startswith("GIT_CONFIG_")}
        self.environment |= SETTINGS | {"GIT_CEILING_DIRECTORIES": str(folder.parent)}

    def __enter__(self) -> Git:
        self.timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        self.timer.cancel()
        codes = [] if kind else [self.code(process) for process in self.processes]
        self.end()
        self.said.seek(0)
        lines = self.said.read(1 << 16).decode(errors="replace").strip().splitlines()
        self.said.close()
        if self.late:
            raise RobotsauditError(f"{self.folder}: git took longer than {self.timeout:g} seconds") from None
        if any(codes) or isinstance(error, GitFailed):
            raise RobotsauditError(f"{self.folder}: git cannot read the repository ({lines[-1] if lines else error or codes})") from None

    def code(self, process: subprocess.Popen[bytes]) -> int:
        if process.stdin:
            process.stdin.close()
        return process.wait()

    def end(self, late: bool = False) -> None:
        self.late = self.late or late
        for process in self.processes:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe and not late:  # whoever reads it sees its end
                    pipe.close()

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        if self.late:
            raise GitFailed
        try:
            process = subprocess.Popen(["git", "-C", str(self.folder), *OPTIONS, *arguments], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=self.said, env=self.environment)
        except FileNotFoundError:
            raise RobotsauditError("the program git is not there, which reads the repository: install it") from None
        self.processes.append(process)
        if self.late:  # the timer has not seen it
            process.kill()
        return process

    def line(self, *arguments: str) -> str:
        """What a call prints."""
        process = self.start(*arguments)
        printed, _ = process.communicate()
        if process.returncode:
            raise GitFailed
        return printed.decode(errors="replace").strip()

    def read(self, blobs: subprocess.Popen[bytes], name: str) -> tuple[bytes] | tuple[()]:
        """The content of a file; (): it is too large."""
        assert blobs.stdin and blobs.stdout
        try:
            blobs.stdin.write(name.encode() + b"\n")
            blobs.stdin.flush()
        except OSError:
            raise GitFailed from None
        head = blobs.stdout.readline().split()
        if len(head) != 3:
            raise GitFailed(" ".join(map(os.fsdecode, head)))
        size, content = int(head[2]), b""
        if size <= MAX_BODY:
            content = blobs.stdout.read(size)
        else:
            left = size
            while left and (part := blobs.stdout.read(min(left, 1 << 16))):
                left -= len(part)
        if blobs.stdout.read(1) != b"\n":
            raise GitFailed
        return (content,) if size <= MAX_BODY else ()


class GitFailed(Exception):
    """git ended before its answer, or said that something is not there."""
