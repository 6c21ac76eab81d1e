"""Execute notebooks, and render them or compare them with what is committed.

    notebooks.py FOLDER DATA [--write] [NAME...]

FOLDER holds NAME.py, the source in jupytext's percent format, and NAME.ipynb, the
same with outputs. A notebook runs in the folder DATA. An exception fails it, and so
does a line on standard error: no reader should have to guess whether it matters.

Without --write, the sources of the committed .ipynb must be those of the .py, and
its tables and texts those of this execution. Pictures are not compared.
"""

import argparse
import concurrent.futures
import os
import re
import sys
import tempfile
from pathlib import Path

import jupytext
import nbclient
import nbformat

LARGEST = 300_000  # bytes of a rendered notebook
SECONDS = 120  # that a cell may take
TEXTS = ("text/plain", "text/html", "text/markdown")


def execute(source, data):
    """The notebook of a source, executed, without anything that differs from run to run."""
    notebook = jupytext.read(source)
    notebook.metadata = nbformat.from_dict({
        "jupytext": {"formats": "ipynb,py:percent"},
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
        "language_info": {"name": "python"},
    })
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


def run(source, data, write):
    """What is wrong with a notebook, as text."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["IPYTHONDIR"] = os.environ["MPLCONFIGDIR"] = home
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


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("names", nargs="*", metavar="NAME")
    args = arguments.parse_args()

    sources = [args.folder / f"{name}.py" for name in args.names] or sorted(args.folder.glob("*.py"))
    for source in sources:
        if not source.exists():
            sys.exit(f"notebooks: no notebook {source.stem}; there are {', '.join(p.stem for p in sorted(args.folder.glob('*.py')))}")
    sourceless = {p.stem for p in args.folder.glob("*.ipynb")} - {p.stem for p in args.folder.glob("*.py")}
    if sourceless:
        sys.exit(f"notebooks: without a .py: {', '.join(sorted(sourceless))}")
    failed = False
    with concurrent.futures.ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        for source, wrong in zip(sources, pool.map(run, sources, [args.data] * len(sources), [args.write] * len(sources))):
            print(f"{source.stem}: {'as committed' if not wrong and not args.write else 'rendered' if not wrong else 'FAILED'}")
            for text in wrong:
                print(text)
            failed = failed or bool(wrong)
    sys.exit(failed)


if __name__ == "__main__":
    main()
