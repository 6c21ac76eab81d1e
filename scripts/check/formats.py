"""Read what `robotsaudit report` writes for other programs, and compare it with the tables.

    formats BINARY DIR

SARIF must be valid by its schema, JUnit XML by a reader of it and by junit-10.xsd, which is Jenkins's, as pytest 8.4.2 has
it. CSV must hold the rows of the tables, with no cell that a spreadsheet takes for a formula. Markdown, as GitHub reads it,
must be no more than headings, paragraphs, lists, tables and code. So must a dataset card below its YAML, which must name
the file of each table that has rows.
"""

import csv
import re
from pathlib import Path

import cmarkgfm
import junitparser
import pyarrow.parquet as parquet
import xmlschema
import yaml
from cmarkgfm.cmark import Options
from pydantic_sarif import model

from lib import call, folder

ELEMENTS = {"a", "h1", "h2", "p", "ul", "li", "strong", "code", "table", "thead", "tbody", "tr", "th", "td", "pre"}
TITLE = """- 'a': "b" #c <img src=x> [d](e) %f ---"""  # nothing of it may mean anything to YAML or Markdown
JUNIT = xmlschema.XMLSchema(Path(__file__).with_name("junit-10.xsd"))
FORMULAS = tuple("=+-@\t\r＝＋－＠")


def check_sarif(path, violations):
    log = model.StaticAnalysisResultsFormatSarifVersion210JsonSchema.model_validate_json(path.read_text())
    results = log.runs[0].results
    found = {(r.locations[0].physicalLocation.artifactLocation.uri, r.locations[0].physicalLocation.region.byteOffset,
              r.level.value) for r in results}
    want = {(row["warc_filename"], row["warc_record_offset"], "error" if row["certainty"] == "certain" else "warning")
            for row in violations}
    assert len(results) == len(violations) and found == want, f"{path}: {len(results)} results, {len(violations)} violations"


def check_junit(path, origins, violations):
    JUNIT.validate(str(path))
    suites = junitparser.JUnitXml.fromfile(str(path))
    failed = {case.name for suite in suites for case in suite for result in case.result if isinstance(result, junitparser.Failure)}
    assert failed == {row["origin"] for row in violations}, f"{path}: {failed}"
    assert suites.tests == len(origins) and suites.failures == len(failed), f"{path}: its totals differ"


def check_csv(path, table):
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    assert len(rows) == table.num_rows, f"{path}: {len(rows)} rows, not {table.num_rows}"
    for line, row in zip(rows, table.to_pylist()):
        assert line.keys() == row.keys(), f"{path}: other columns"
        for name, cell in line.items():
            value = row[name]
            if isinstance(value, int) and not isinstance(value, bool):
                assert cell == str(value), f"{path}: {name} is {cell}, not {value}"
            elif value is None:
                assert cell == "", f"{path}: {name} is {cell}, not null"
            else:
                assert not cell.lstrip(" ").startswith(FORMULAS), f"{path}: {name} may be a formula: {cell}"


def check_markdown(path, text):
    assert len(text.encode()) <= 1 << 20, f"{path}: {len(text)} characters"
    html = cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE)
    others = set(re.findall(r"<(\w+)", html)) - ELEMENTS
    assert not others, f"{path}: elements {others}"
    for attributes in re.findall(r"<a ([^>]*)>", html):  # places in the report itself
        assert re.fullmatch(r'id="[a-z0-9-]+"|href="#[a-z0-9-]+"', attributes), f"{path}: <a {attributes}>"


def check_card(path, folder, tables):
    before, header, text = path.read_text().split("---\n", 2)
    card = yaml.safe_load(header)
    assert before == "" and card["pretty_name"] == TITLE, f"{path}: {header}"
    files = {config["config_name"]: [name for split in config["data_files"] for name in split["path"]] for config in card["configs"]}
    assert files == {name: [f"{name}.parquet"] for name, table in tables.items() if table.num_rows}, f"{path}: {files}"
    assert all((folder / name).exists() for names in files.values() for name in names), f"{path}: {files}"
    assert [bool(config.get("default")) for config in card["configs"]] == [True] + [False] * (len(files) - 1), f"{path}: defaults"
    check_markdown(path, text)


def main(binary, tables: Path):
    read = {path.stem: parquet.read_table(path) for path in tables.glob("*.parquet")}
    violations = read["violations"].to_pylist()
    with folder() as work:
        call(binary, "report", tables, "--sarif", work / "s.sarif", "--junit", work / "j.xml", "--csv", work / "csv",
             "--markdown", work / "r.md", "--dataset-card", work / "card.md", "--title", TITLE, codes=(0,))
        check_sarif(work / "s.sarif", violations)
        check_junit(work / "j.xml", read["host_stats"].to_pylist(), violations)
        check_markdown(work / "r.md", (work / "r.md").read_text())
        check_card(work / "card.md", tables, read)
        files = sorted((work / "csv").iterdir())
        for path in files:
            check_csv(path, read[path.stem])
    print(f"formats: SARIF, JUnit XML, Markdown, dataset card and {len(files)} CSV files are valid and hold what the tables hold")
