"""Starts the programs of a folder: scripts/make/run, scripts/check/run and scripts/bench/run.

    run [--limit SECONDS] WHAT [ARGUMENT...]     what WHAT says: run WHAT --help
    run                                          lists what there is

WHAT is a Python module with a function main, whose parameters are the command line, or a shell script.
The packages of requirements.txt, or of the file that the module's ENVIRONMENT names, go into a virtual
environment that is kept for the next run: in $ROBOTSAUDIT_VENVS, or else in the user's cache. One is
made for each content of the file. A program that takes longer than its LIMIT is ended.
"""

import argparse
import ast
import contextlib
import fcntl
import importlib
import inspect
import os
import platform
import shutil
import signal
import subprocess
import sys
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIMIT = 900  # seconds, unless a program has its own


class Program:
    """A file of a folder, by what stands in it; it is not imported."""

    def __init__(self, path):
        self.path, self.name, self.runs = path, path.stem, True
        self.environment, self.limit = "requirements.txt", LIMIT
        if path.suffix == ".sh":
            lines = path.read_text().split("\n\n")[0].splitlines()
            self.doc = "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines[1:] if line.startswith("#"))
            self.limit = 0
            return
        tree = ast.parse(path.read_text())
        self.doc = ast.get_docstring(tree) or ""
        mains = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "main"]
        self.runs = bool(mains)
        for node in tree.body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("ENVIRONMENT", "LIMIT"):
                setattr(self, node.targets[0].id.lower(), ast.literal_eval(node.value))


def programs(folder):
    found = [Program(path) for path in sorted((HERE / folder).iterdir()) if path.suffix in (".py", ".sh")]
    return [program for program in found if program.runs]


def named(folder, name):
    """The program of a name, or None."""
    paths = [path for path in (HERE / folder / f"{name}.py", HERE / folder / f"{name}.sh") if path.exists()]
    return next(filter(lambda program: program.runs, map(Program, paths)), None)


def kept():
    """The folder of what is kept between runs."""
    return Path(os.environ.get("ROBOTSAUDIT_VENVS") or
                Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "robotsaudit/venvs")


def made(name, mark, make):
    """The folder of a name and of what a file, its mark, holds: make(folder) makes it, once."""
    place = kept() / f"{name}-{zlib.crc32(mark.read_bytes()):08x}"
    place.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{place}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # programs run beside each other
        if not (place / "complete").exists():
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            make(place)
            (place / "complete").touch()
    return place


def python_of(requirements):
    """The path of a Python that has the packages of a file."""
    if not requirements:
        return sys.executable
    path = HERE / requirements

    def install(venv):
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                        "--requirement", path], check=True, stdout=sys.stderr)
    return str(made(f"{'.'.join(platform.python_version_tuple()[:2])}-{path.stem}", path, install) / "bin/python")


def start(folder, program, arguments, limit):
    """Runs a program in a process of its own, and ends it after the limit."""
    command = ["bash", program.path, *arguments]
    if program.path.suffix == ".py":
        command = [python_of(program.environment), __file__, "--inside", folder, program.name, *arguments]
    process = subprocess.Popen(command, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}, start_new_session=True)
    try:
        return process.wait(limit or None)
    except subprocess.TimeoutExpired:
        print(f"{program.name}: not done within {limit} s", file=sys.stderr)
    except KeyboardInterrupt:
        pass
    finally:
        stop(process)
    return 1


def stop(process):
    """Ends what is left of a program: it has some seconds to tidy up, and what it started none."""
    for number, seconds in ((signal.SIGTERM, 20), (signal.SIGKILL, 5)):
        with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
            if number == signal.SIGTERM:
                process.terminate()
            else:
                os.killpg(process.pid, number)
            process.wait(seconds)


def inside(folder, name, arguments):
    """Calls the function main of a module with what the command line gives. What it returns is wrong."""
    sys.path[:1] = [str(HERE / folder), str(HERE), str(HERE / "check"), str(HERE / "make")]
    module = importlib.import_module(name)
    parser = argparse.ArgumentParser(f"{folder}/run {name}", description=module.__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    several, positional, options = None, [], []
    for parameter in inspect.signature(module.main).parameters.values():
        default = parameter.default if parameter.default is not parameter.empty else None
        kind = parameter.annotation if parameter.annotation is not parameter.empty else str
        kind = existing if parameter.name == "binary" else kind
        if parameter.kind is parameter.VAR_POSITIONAL:
            several = parameter.name
            parser.add_argument(several, nargs="*", type=kind, metavar=several.upper())
        elif parameter.kind is parameter.KEYWORD_ONLY:
            options.append(parameter.name)
            how = {"action": "store_true"} if kind is bool else {"type": kind, "default": default}
            how |= {"nargs": "+"} if isinstance(default, (list, tuple)) else {}
            parser.add_argument("--" + parameter.name.replace("_", "-"), **how)
        else:
            positional.append(parameter.name)
            nargs = {} if parameter.default is parameter.empty else {"nargs": "?", "default": default}
            parser.add_argument(parameter.name, type=kind, metavar=parameter.name.upper(), **nargs)
    given = vars(parser.parse_intermixed_args(arguments))
    wrong = module.main(*(given[name] for name in positional), *(given[several] if several else ()),
                        **{name: given[name] for name in options})
    if isinstance(wrong, str):
        print(f"{name}: {wrong}")
    return 1 if wrong else 0


def existing(path):
    if not os.access(path, os.X_OK):
        raise argparse.ArgumentTypeError(f"{path} is no program")
    return Path(path).resolve()


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # temporary folders are removed then, and what it started ends
    arguments = sys.argv[1:]
    if arguments[0] == "--inside":
        return inside(arguments[1], arguments[2], arguments[3:])
    folder, arguments = arguments[0], arguments[1:]
    limit = None
    if arguments[:1] == ["--limit"] and len(arguments) > 1:
        limit, arguments = int(arguments[1]), arguments[2:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        print("\n".join(f"{program.name:16} {program.doc.splitlines()[0]}" for program in programs(folder)))
        return 0
    program = named(folder, arguments[0])
    if program is None:
        print(f"{folder}/run: no program {arguments[0]}: {folder}/run lists those that there are", file=sys.stderr)
        return 2
    if program.path.suffix == ".sh" and arguments[1:2] == ["--help"]:
        return print(program.doc)
    return start(folder, program, arguments[1:], program.limit if limit is None else limit)


if __name__ == "__main__":
    sys.exit(main())
