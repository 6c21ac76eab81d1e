"""The history of a robots.txt in git: a small repository, made here, and what its table says."""

import base64
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import robotsaudit
from robotsaudit import _history

OPERATIONS = Path(__file__).resolve().parents[2] / "docs/OPERATIONS.md"
SITE = "https://example.org"

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="git is not there")


def git(folder: Path, *arguments: str, day: int = 1) -> None:
    date = f"2024-05-{day:02}T12:00:00+02:00"
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "a"), ("EMAIL", "a@example.org"))}
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True,
                   env=os.environ | who | {"GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z", "GIT_COMMITTER_DATE": date})


def commit(folder: Path, day: int, **files: str | None) -> None:
    for name, text in files.items():
        path = folder / name.replace("_", ".")
        path.unlink() if text is None else path.write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "x", day=day)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site.git"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    commit(folder, 1, robots_txt="first\n")
    commit(folder, 2, other="x")
    git(folder, "checkout", "-q", "-b", "side")
    commit(folder, 3, robots_txt="draft, never served\n")
    commit(folder, 4, robots_txt="second\n")
    git(folder, "checkout", "-q", "main")
    commit(folder, 5, other="y")
    git(folder, "merge", "-q", "--no-ff", "side", day=6)
    commit(folder, 7, robots_txt="")
    git(folder, "mv", "robots.txt", "moved.txt")
    commit(folder, 8)
    commit(folder, 9, robots_txt="User-agent: *\nDisallow: /\n")
    return folder


WANT = [("09", 200, b"User-agent: *\nDisallow: /\n"), ("08", 404, None), ("07", 200, b""), ("06", 200, b"second\n"), ("01", 200, b"first\n")]


def rows(table: Path) -> list[tuple[str, int, bytes | None]]:
    read = [json.loads(line) for line in table.read_text().splitlines()]
    assert {row["url"] for row in read} <= {f"{SITE}/robots.txt"}
    assert all(re.fullmatch(r"2024-05-\d\dT10:00:00Z", row["time"]) for row in read)
    return [(row["time"][8:10], row["status"], base64.b64decode(row["body_b64"]) if "body_b64" in row else None) for row in read]


def children() -> list[int]:
    """The processes that this one has started and that are left."""
    tasks = Path("/proc/self/task")
    return [int(pid) for task in (tasks.iterdir() if tasks.exists() else ()) for pid in (task / "children").read_text().split()]


def test_branch(site: Path) -> None:
    assert rows(robotsaudit.history(site, SITE + "/")) == WANT
    assert not children()
    with pytest.raises(robotsaudit.RobotsauditError, match="never had nothing.txt"):
        robotsaudit.history(site, SITE, "nothing.txt")
    (site / "folder").mkdir()
    (site / "folder/robots.txt").write_text("below")
    commit(site, 10)
    assert rows(robotsaudit.history(site, SITE, "./folder/robots.txt")) == [("10", 200, b"below")]
    with pytest.raises(robotsaudit.RobotsauditError, match="never had folder"):
        robotsaudit.history(site, SITE, "folder")


def test_shell(site: Path, tmp_path: Path) -> None:
    """The lines of docs/OPERATIONS.md make the same table, byte by byte, and so the same audit."""
    [_, recipe] = OPERATIONS.read_text(encoding="utf-8").split("### robots.txt in git\n")
    [code, *_] = re.findall(r"```sh\n(.*?)```", recipe, re.S)
    subprocess.run(["sh", "-c", code], cwd=tmp_path, check=True)
    made = robotsaudit.history(site, SITE, to=tmp_path / "python.jsonl")
    assert made.read_bytes() == (tmp_path / "robots.jsonl").read_bytes()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    audit = robotsaudit.audit(robots=made, agents="GPTBot", tables="all")
    assert audit.summary["robots_outcomes"] == {"rules": 4, "unavailable": 1}


def test_links_and_large_files(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (site / "robots.txt").unlink()
    (site / "robots.txt").symlink_to("other")
    commit(site, 10)
    monkeypatch.setattr(_history, "MAX_BODY", 7)
    read = rows(robotsaudit.history(site, SITE))
    assert read[:2] == [("10", 200, None), ("09", 200, None)] and read[-1] == WANT[-1]


def test_shallow(site: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{site}", "shallow")
    with pytest.raises(robotsaudit.RobotsauditError, match="shallow clone"):
        robotsaudit.history(tmp_path / "shallow", SITE)
    git(tmp_path, "clone", "-q", "--bare", str(site), "bare")
    assert rows(robotsaudit.history(tmp_path / "bare", SITE)) == WANT


def test_refused(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("example.org", "ftp://example.org", "https://example.org/path"):
        with pytest.raises(robotsaudit.UsageError):
            robotsaudit.history(site, place)
    (tmp_path / "none").mkdir()
    with pytest.raises(robotsaudit.RobotsauditError, match="not a git repository"):
        robotsaudit.history(tmp_path / "none", SITE)
    blobs = subprocess.run(["git", "-C", str(site), "rev-parse", "HEAD:robots.txt"], check=True, capture_output=True, text=True).stdout.strip()
    (site / ".git/objects" / blobs[:2] / blobs[2:]).unlink()
    with pytest.raises(robotsaudit.RobotsauditError, match=f"{blobs} missing"):
        robotsaudit.history(site, SITE)
    assert not children()


def test_hostile(site: Path, tmp_path: Path) -> None:
    """Nothing that the repository names is run."""
    run, ran = tmp_path / "run", tmp_path / "ran"
    run.write_text(f"#!/bin/sh\necho $0 $* >> {ran}\ncat\n")
    run.chmod(0o755)
    names = ("core.pager", "core.fsmonitor", "core.sshCommand", "diff.external", "diff.x.textconv", "diff.x.command", "filter.x.smudge",
             "filter.x.clean", "gpg.program", "pager.log", "credential.helper", "core.editor")
    for name in names:
        git(site, "config", name, str(run))
    git(site, "config", "log.showSignature", "true")
    git(site, "config", "core.hooksPath", str(tmp_path))
    (site / ".git/info/attributes").write_text("* diff=x filter=x\n")
    assert rows(robotsaudit.history(site, SITE)) == WANT
    assert not ran.exists()


def test_timeout(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = tmp_path / "bin/git"
    slow.parent.mkdir()
    slow.write_text(f"#!/bin/sh\ncase \"$*\" in *' log '*) exec sleep 60; esac\nexec {shutil.which('git')} \"$@\"\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", str(slow.parent), prepend=os.pathsep)
    with pytest.raises(robotsaudit.RobotsauditError, match="longer than 0.5 seconds"):
        robotsaudit.history(site, SITE, to=tmp_path / "table", timeout=0.5)
    assert not children()
    assert not (tmp_path / "table").exists()
