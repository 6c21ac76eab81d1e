"""How the program is called: exit codes, progress, interrupts, options, installations that do not work."""

import inspect
import logging
import os
import pickle
import pydoc
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import robotsaudit
from conftest import command
from robotsaudit import _options, _tool


def test_the_command() -> None:
    version = command("version").stdout
    assert version.startswith("robotsaudit ")
    module = subprocess.run([sys.executable, "-m", "robotsaudit", "version"], capture_output=True, text=True)
    assert (module.returncode, module.stdout) == (0, version)
    assert command("audit").returncode == 2


def test_incomplete_input(cut: Path, tmp_path: Path) -> None:
    with pytest.warns(robotsaudit.IncompleteInput, match=r"cut\.warc\.gz") as warned:
        audit = robotsaudit.audit([cut], output=tmp_path / "out")
    assert warned[0].filename == __file__
    assert audit.summary["inputs_not_wholly_read"] == 1
    assert audit.issues.aggregate("count(*)").fetchall() != [(0,)]


def test_errors_have_the_sentence_and_the_exit_code(archives: Path, tmp_path: Path) -> None:
    with pytest.raises(robotsaudit.UsageError, match="^no archive given") as usage:
        robotsaudit.audit([], output=tmp_path / "out")
    assert usage.value.exit_code == 2
    with pytest.raises(robotsaudit.RobotsauditError, match="^absent.warc: no such file") as failed:
        robotsaudit.audit("absent.warc", output=tmp_path / "out")
    assert failed.value.exit_code == 1
    with pytest.raises(robotsaudit.ViolationsFound) as found:
        robotsaudit.audit(archives, output=tmp_path / "out", fail_on="violations")
    assert found.value.exit_code == 10 and found.value.audit.summary["violations"] == 42
    with pytest.raises(robotsaudit.RobotsauditError, match="holds no audit"):
        robotsaudit.open(tmp_path)
    with pytest.raises(TypeError, match="audit.. has no option 'agnet'; did you mean agent"):
        robotsaudit.audit(archives, agnet="GPTBot")


def test_warnings_of_the_program(archives: Path, tmp_path: Path) -> None:
    robotsaudit.audit(archives, output=tmp_path, agents="GPTBot")
    with pytest.warns(robotsaudit.RobotsauditWarning, match="asks about no other crawler"):
        robotsaudit.audit(archives, output=tmp_path)


def test_progress(archives: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    events: list[_tool.Event] = []
    with caplog.at_level(logging.INFO, "robotsaudit"):
        robotsaudit.audit(archives, output=tmp_path / "out", progress=events.append)
    stages = [event["stage"] for event in events if event.get("event") == "progress"]
    assert stages[0] == "reading" and stages[-1] == "deciding"
    assert sum(event.get("event") == "input_done" for event in events) == 8
    assert events[-1]["event"] == "summary"
    assert any(message.startswith("read 8 inputs") for message in caplog.messages)


def test_progress_bars(archives: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    robotsaudit.audit(archives, output=tmp_path / "out", progress=True)
    shown = capfd.readouterr().err
    assert "reading: 100%" in shown and "deciding: 100%" in shown


def test_a_function_for_progress_that_fails(archives: Path, tmp_path: Path) -> None:
    def fail(event: _tool.Event) -> None:
        raise LookupError(event["msg"])

    with pytest.raises(LookupError):
        robotsaudit.audit(archives, output=tmp_path / "out", progress=fail)


@pytest.mark.skipif(os.name == "nt", reason="a signal to one process is of Unix")
def test_an_interrupted_call_goes_on(archives: Path, tmp_path: Path) -> None:
    """An interrupt of the calling process alone, as a kernel gets it, reaches the program, and leaves no result. The same
    call again ends with the bytes of one that nothing interrupted."""
    pages = (archives / "crawl-a-1.warc.gz").read_bytes()
    (tmp_path / "a.warc.gz").write_bytes(pages)
    (tmp_path / "b.warc.gz").write_bytes(pages * 500)  # seconds, on any machine
    script = tmp_path / "call.py"
    script.write_text("import robotsaudit, sys\n"
                      "print('start', flush=True)\n"
                      "try:\n"
                      f"    robotsaudit.audit({str(tmp_path)!r} + '/?.warc.gz', output={str(tmp_path / 'out')!r}, workers=1)\n"
                      "except KeyboardInterrupt as error:\n"
                      "    print('interrupted', error)\n")
    caller = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True,
                              # a shell's job in the background ignores it
                              preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    assert caller.stdout and caller.stdout.readline() == "start\n"
    while not (tmp_path / "out/.robotsaudit").exists() and caller.poll() is None:
        time.sleep(0.01)
    caller.send_signal(signal.SIGINT)
    said = caller.communicate(timeout=20)[0]
    assert said == "interrupted interrupted; run the same command again, it goes on where it stopped\n"
    assert not (tmp_path / "out/audit.json").exists()
    again, whole = (robotsaudit.audit([tmp_path / "a.warc.gz", tmp_path / "b.warc.gz"], output=tmp_path / name)
                    for name in ("out", "whole"))
    assert again.tables == whole.tables and len(whole.tables) > 10
    for name in ("audit.json", *(f"{table}.parquet" for table in whole.tables)):
        assert (again.output / name).read_bytes() == (whole.output / name).read_bytes(), name


def test_a_program_that_is_missing_or_of_another_system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ROBOTSAUDIT_PROGRAM", raising=False)
    monkeypatch.setattr(_tool, "__file__", str(tmp_path / "_tool.py"))
    with pytest.raises(robotsaudit.RobotsauditError, match="has no program .* install a wheel for "):
        robotsaudit.match("", "GPTBot", "/")
    other = tmp_path / "program"
    other.write_bytes(b"\x7fELF, of another processor")
    other.chmod(0o755)
    monkeypatch.setenv("ROBOTSAUDIT_PROGRAM", str(other))
    with pytest.raises(robotsaudit.RobotsauditError, match="does not run here"):
        robotsaudit.match("", "GPTBot", "/")
    done = command("version")
    assert done.returncode == 1 and done.stderr.startswith(f"robotsaudit: {other} does not run here")


def test_a_program_that_crashes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if os.name == "nt":
        pytest.skip("a script is no program on Windows")
    crashing = tmp_path / "program"
    crashing.write_text("#!/bin/sh\necho 'panic: oh' >&2\nexit 7\n")
    crashing.chmod(0o755)
    monkeypatch.setenv("ROBOTSAUDIT_PROGRAM", str(crashing))
    with pytest.raises(robotsaudit.RobotsauditError, match="exit code 7\npanic: oh") as crashed:
        robotsaudit.match("", "GPTBot", "/")
    assert crashed.value.exit_code == 7


def test_signatures_have_the_options() -> None:
    assert "profile" in inspect.signature(robotsaudit.audit).parameters
    assert {"self", "to", "decide"} <= inspect.signature(robotsaudit.Audit.export).parameters.keys()
    assert "purpose: find what pages and origins say" in (robotsaudit.audit.__doc__ or "")
    assert "decide: keep or drop what is undecided" in pydoc.render_doc(robotsaudit.Audit.export)
    assert pickle.loads(pickle.dumps(robotsaudit.Audit.export)) is robotsaudit.Audit.export


def test_options_that_are_left_out_are_those_of_the_program() -> None:
    described = [each for each in (*vars(robotsaudit).values(), *vars(robotsaudit.Audit).values()) if isinstance(each, _options.Described)]
    assert len(described) == 8
    for each in described:
        assert each.left - _options.TERMINAL <= _options.flags_by_name(each.command).keys(), each.function
        assert each.left.isdisjoint(each.meanings)
    assert all(any(flag in _options.flags_by_name(each.command) for each in described) for flag in _options.TERMINAL)


def test_importing_starts_no_program() -> None:
    imported = subprocess.run([sys.executable, "-c", "import robotsaudit"], env=os.environ | {"ROBOTSAUDIT_PROGRAM": "absent"})
    assert imported.returncode == 0
