"""Read the Markdown of `robotsaudit report`.

    formats BINARY DIR

Markdown, as GitHub reads it, must be no more than headings, paragraphs, lists, tables and code, whatever names it has.
"""

import re
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options

from lib import call, folder

ELEMENTS = {"a", "h1", "h2", "p", "ul", "li", "strong", "code", "table", "thead", "tbody", "tr", "th", "td", "pre"}
TITLE = """- 'a': "b" #c <img src=x> [d](e) %f ---"""  # nothing of it may mean anything to YAML or Markdown


def check_markdown(path, text):
    assert len(text.encode()) <= 1 << 20, f"{path}: {len(text)} characters"
    html = cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE)
    others = set(re.findall(r"<(\w+)", html)) - ELEMENTS
    assert not others, f"{path}: elements {others}"
    for attributes in re.findall(r"<a ([^>]*)>", html):  # places in the report itself
        assert re.fullmatch(r'id="[a-z0-9-]+"|href="#[a-z0-9-]+"', attributes), f"{path}: <a {attributes}>"


def main(binary, tables: Path):
    with folder() as work:
        call(binary, "report", tables, "--markdown", work / "r.md", "--title", TITLE, codes=(0,))
        check_markdown(work / "r.md", (work / "r.md").read_text())
    print("formats: Markdown is no more than text, lists and tables")
