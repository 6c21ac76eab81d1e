"""docs/recipes.sql and the notebooks of docs/notebooks run, and give what is committed; --write renders them anew.

    notebooks BINARY [NAME...] [--write] [--data DIR]

docs/notebooks holds NAME.py, the source in jupytext's percent format, and NAME.ipynb, the
same with outputs. They run in a folder of data that BINARY makes; --data keeps it, or takes what is there. An exception
fails a notebook, and so does a line on standard error: no reader should have to guess whether it matters.

Without --write, the sources of the committed .ipynb must be those of the .py, and
its tables and texts those of this execution. Pictures are not compared.
"""

import concurrent.futures
import os
import re
import shutil
import sys
from pathlib import Path

import jupytext
import nbclient
import nbformat

from lib import ARCHIVES, ROOT, TESTDATA, call, folder, script
from package import installed

ENVIRONMENT = "requirements-notebooks.txt"
FOLDER = ROOT / "docs/notebooks"
AGENTS = "GPTBot CCBot Google-Extended ClaudeBot anthropic-ai PerplexityBot Bytespider Applebot-Extended Meta-ExternalAgent Amazonbot"

LARGEST = 300_000  # bytes of a rendered notebook
SECONDS = 120  # that a cell may take
TEXTS = ("text/plain", "text/html", "text/markdown")


def execute(source, data):
    """The notebook of a source, executed, without anything that differs from run to run."""
    notebook = jupytext.read(source)
    notebook.metadata = nbformat.from_dict({"jupytext": {"formats": "ipynb,py:percent"},
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
        "language_info": {"name": "python"}})
    nbclient.NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", record_timing=False,
                            extra_arguments=["--IPKernelApp.log_level=ERROR"],  # not that loopback is unencrypted
                            resources={"metadata": {"path": str(data)}}).execute()
    notebook.metadata.language_info = nbformat.from_dict({"name": "python"})
    for number, cell in enumerate(notebook.cells, 1):
        cell.id = f"cell-{number}"
        cell.metadata = nbformat.from_dict({})
    return notebook


def outputs(cell):
    return cell.get("outputs", [])


def said(output):
    """What an output says, but for pictures."""
    if output.output_type == "stream":
        return output.name, output.text
    return sorted((kind, text) for kind, text in output.get("data", {}).items() if kind in TEXTS)


def complaints(notebook):
    for number, cell in enumerate(notebook.cells, 1):
        for output in outputs(cell):
            if output.output_type == "stream" and output.name == "stderr":
                yield f"cell {number} wrote to standard error: {output.text.strip()}"


def differences(committed, notebook):
    if [c.source for c in committed.cells] != [c.source for c in notebook.cells]:
        yield "its cells are not those of the .py"
        return
    for number, (old, new) in enumerate(zip(committed.cells, notebook.cells), 1):
        was, now = [said(o) for o in outputs(old)], [said(o) for o in outputs(new)]
        if was != now:
            yield f"cell {number} now gives\n{now}\nand not\n{was}"


def run(source, data, write, package):
    """What is wrong with a notebook, as text."""
    with folder() as home:
        os.environ["PYTHONPATH"] = package
        os.environ["IPYTHONDIR"] = os.environ["MPLCONFIGDIR"] = str(home)
        try:
            notebook = execute(source, data)
        except nbclient.exceptions.CellExecutionError as failure:
            return [re.sub(r"\x1b\[[0-9;]*m", "", str(failure))]  # without colours
    wrong = list(complaints(notebook))
    rendered = source.with_suffix(".ipynb")
    text = nbformat.writes(notebook, indent=1) + "\n"
    if len(text) > LARGEST:
        wrong.append(f"rendered, it has {len(text)} bytes; at most {LARGEST} are wanted")
    if wrong:
        return wrong
    if write:
        rendered.write_text(text, encoding="utf-8")
    elif not rendered.exists():
        return [f"{rendered.name} is missing: run with --write"]
    else:
        wrong = list(differences(nbformat.read(rendered, as_version=4), notebook))
        if wrong:
            wrong.append(f"{rendered.name} is out of date: run with --write, and look at what changed")
    return wrong


def make(binary, data):
    """Makes what is not in the folder of data yet."""
    def made(name, *command):
        if not (data / name).exists():
            call(*command)

    agents = [word for agent in AGENTS.split() for word in ("--agents", agent)]
    made("sites", ROOT / "scripts/make/run", "history", data / "sites")
    made("history", binary, "audit", data / "sites/archives", "-o", data / "history", *agents, "--purpose", "train")
    (data / "agents.json").write_text(call(binary, "agents", "--format", "json"))
    made("testdata", binary, "audit", TESTDATA, "-o", data / "testdata", "--agents", "ai", "--purpose", "train")
    for name, *by in (("all.parquet",), ("hosts.parquet", "--by", "host")):
        made(name, binary, "export", data / "testdata", "all", "--agents", "GPTBot", *by, "--to", data / name)
    made("corpus.parquet", ROOT / "scripts/make/run", "corpus", data / "corpus.parquet", *ARCHIVES)
    (data / "archives").mkdir(exist_ok=True)
    for archive in ARCHIVES:
        shutil.copy(archive, data / "archives")


def main(binary, *names, write: bool = False, data: Path = None):
    sources = [FOLDER / f"{name}.py" for name in names] or sorted(FOLDER.glob("*.py"))
    for source in sources:
        if not source.exists():
            sys.exit(f"notebooks: no notebook {source.stem}; there are {', '.join(p.stem for p in sorted(FOLDER.glob('*.py')))}")
    sourceless = {p.stem for p in FOLDER.glob("*.ipynb")} - {p.stem for p in FOLDER.glob("*.py")}
    if sourceless:
        sys.exit(f"notebooks: without a .py: {', '.join(sorted(sourceless))}")
    with folder() as work:
        data = (data or work / "data").resolve()
        data.mkdir(parents=True, exist_ok=True)
        make(binary, data)
        package = installed(binary, work)
        print(script("check", "recipes", data), end="", flush=True)
        failed = False
        with concurrent.futures.ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
            for source, wrong in zip(sources, pool.map(run, sources, *([each] * len(sources) for each in (data, write, package)))):
                print(f"{source.stem}: {'as committed' if not wrong and not write else 'rendered' if not wrong else 'FAILED'}")
                print("\n".join(wrong), end="\n" * bool(wrong))
                failed = failed or bool(wrong)
        return failed
