"""The Python package works where nothing but its wheel is installed; and its types hold.

    package BINARY [PYTHON...]

A wheel with BINARY is made twice, of the same bytes, and installed with its dependencies and pytest in an environment
of each PYTHON: unless some are named, of each version from 3.11 that is on the PATH or in pyenv. There the package's own
tests run, and the Python lines of both READMEs, without a network. In the first environment they run with the least DuckDB
that the package takes, too, and some once more with pandas, Polars and tqdm, and with what the package's extra for
datatrove installs; mypy and pyright check the types.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

from lib import ROOT, call, folder

ENVIRONMENT = "requirements-package.txt"
PYTHON = ROOT / "python"
NEWEST, PYTEST = "duckdb==2.0.1", "pytest==9.2.0"
DATATROVE = ("datatrove==0.10.1", "pyarrow==26.0.1", "regex==2026.11.15")
MORE = ("datasets==5.2.0", "mypy==2.4.1", "pandas==3.1.1", "polars==2.1.0", "pyright[nodejs]==1.1.414", "tqdm==4.70.1")


def pythons_here():
    """A Python of each version from 3.11, in their order."""
    folders = [*map(Path, os.get_exec_path()), *Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv").glob("versions/*/bin")]
    found = {}
    for path in (path for each in folders for path in each.glob("python3.*")):
        version = re.fullmatch(r"python3\.(\d+)", path.name)
        if version and int(version[1]) >= 11 and version[1] not in found and not subprocess.run(
                [path, "-c", "import ensurepip"], stderr=subprocess.DEVNULL).returncode:  # a shim of pyenv may find no Python
            found[version[1]] = path
    return [found[version] for version in sorted(found, key=int)]


def without_network():
    """The beginning of a command that has no network, empty where the system refuses one."""
    command = ["unshare", "--map-root-user", "--net"]
    if shutil.which(command[0]) and not subprocess.run([*command, "true"], stderr=subprocess.DEVNULL).returncode:
        return command
    print("this system refuses namespaces: the tests run with a network")
    return []


def wheel_with(binary, to):
    """The wheel of this machine with a program that is there."""
    call(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", to, cwd=PYTHON,
         env=os.environ | {"ROBOTSAUDIT_PROGRAM": str(binary)}, codes=(0,))
    [wheel] = to.iterdir()
    return wheel


def installed(binary, work):
    """A folder for PYTHONPATH, with the package of a wheel with a program."""
    call(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps",
         "--target", work / "package", wheel_with(binary, work / "wheel"), codes=(0,))
    return str(work / "package")


def check(wheel, python, work, *, more):
    """Tests a wheel in a new environment, whose Python is returned."""
    call(python, "-m", "venv", work / "venv", codes=(0,))
    inside, alone = work / "venv/bin/python", without_network()

    def install(*packages):
        call(inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages, codes=(0,))

    def test(*which):
        print(call(inside, "--version", codes=(0,)).strip(), call(*alone, inside, "-m", "pytest", "-q", "-p", "no:cacheprovider",
              PYTHON, *which, cwd=work, codes=(0,)).strip().splitlines()[-1], flush=True)

    if more:
        least = tomllib.loads((PYTHON / "pyproject.toml").read_text())["project"]["dependencies"][0]
        install(wheel, PYTEST, least.replace(">=", "=="))
        test()
    install(wheel, PYTEST, NEWEST)
    test()
    if more:
        install(f"{wheel}[datatrove]", *DATATROVE)
        test("-k", "lines_of or filter")
        install(*MORE)
        test("-k", "lines_of or bars or in_memory or relations or filter")
        print(call(inside, "-m", "mypy", "--cache-dir", work / "mypy", cwd=PYTHON, codes=(0,)).strip())
        print(call(inside, "-m", "pyright", "--pythonpath", inside, cwd=PYTHON, codes=(0,)).strip().splitlines()[-1])


def main(binary, *pythons):
    with folder() as work:
        first, again = (wheel_with(binary, work / name) for name in ("first", "again"))
        if first.read_bytes() != again.read_bytes():
            return "a wheel made twice has other bytes"
        [program] = (entry for entry in zipfile.ZipFile(first).infolist() if "/bin/" in entry.filename)
        if program.external_attr >> 16 != 0o100755:
            return f"the mode of {program.filename} is {program.external_attr >> 16:o}"
        for number, python in enumerate(pythons or pythons_here()):
            (work / str(number)).mkdir()
            check(first, python, work / str(number), more=number == 0)
