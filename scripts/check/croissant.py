"""Read `report --croissant` and `--prov` by programs that know these forms: mlcroissant, rdflib and prov.

    croissant BINARY

mlcroissant must find the description valid and load tables by it, all of the first audit: each row is the one that pyarrow reads. The
provenance must be the same by rdflib and by prov, and name the files and inputs with the SHA-256 that they have. Audits
are of testdata/warc with and without --digest-inputs, of few tables, of an index, in parts, and of an odd name.
"""

import hashlib
import json
import logging
import math
import shutil

import mlcroissant
import prov.model
import pyarrow.parquet as parquet
import rdflib

from lib import TESTDATA, call, folder

ENVIRONMENT = "requirements-croissant.txt"
MAX_ROWS = 300  # of a table: mlcroissant reads a few hundred rows a second
LOADED = {"fetches", "violations"}  # of audits but the first
WARNINGS = {"http://mlcommons.org/croissant/citeAs", "https://schema.org/datePublished", "https://schema.org/license",
            "https://schema.org/version"}  # what no audit knows
QUERY = """PREFIX prov: <http://www.w3.org/ns/prov#> PREFIX sc: <https://schema.org/>
SELECT ?name ?sum ?size WHERE { %s . ?e sc:name ?name; sc:contentSize ?size . OPTIONAL { ?e sc:sha256 ?sum } }"""


def sum_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def plain(value):
    """A value as both readers have it."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist") and getattr(value, "ndim", 0):
        return [plain(v) for v in value]
    if value is None or isinstance(value, float) and math.isnan(value):
        return None
    return value


def check_croissant(out, loaded):
    path = out / "croissant.json"
    dataset = mlcroissant.Dataset(path)
    issues = dataset.metadata.ctx.issues
    missing = {text.split('"')[1] for text, _ in issues._warnings}
    assert not issues.errors and missing == WARNINGS, f"{path}: {issues.report()}"
    for file in dataset.metadata.file_objects:
        stored = out / file.name
        assert file.sha256 == sum_of(stored) and file.content_size == f"{stored.stat().st_size} B", f"{path}: {file.name}"
    rows = 0
    for record_set in (s for s in dataset.metadata.record_sets if loaded is None or s.id in loaded):
        stored = out / f"{record_set.id}.parquet"
        want = parquet.read_table(stored if stored.exists() else out / record_set.id).slice(0, MAX_ROWS).to_pylist()
        records = dataset.records(record_set.id)
        for row, record in zip(want, records):
            found = {name.removeprefix(f"{record_set.id}/"): plain(value) for name, value in record.items()}
            assert found == row, f"{path}: {record_set.id}: {found}, not {row}"
            rows += 1
        if len(want) < MAX_ROWS:
            assert sum(1 for _ in records) == len(want), f"{path}: {record_set.id} has other rows"
    written = {name for name in json.loads((out / "audit.json").read_text())["tables"]}
    assert {record_set.id for record_set in dataset.metadata.record_sets} == written, f"{path}: other tables"
    return rows


def check_prov(out):
    path = out / "prov.json"
    audit = json.loads((out / "audit.json").read_text())
    graph = rdflib.Graph().parse(path, format="json-ld")
    made = {tuple(map(str, row)) for row in graph.query(QUERY % "?e prov:wasGeneratedBy ?a")}
    files = [*out.glob("*.parquet"), *out.glob("*/*.parquet"), out / "audit.json"]
    assert made == {(str(f.relative_to(out)), sum_of(f), f"{f.stat().st_size} B") for f in files}, f"{path}: {made}"
    used = sorted((str(name), sum and str(sum), str(size)) for name, sum, size in graph.query(QUERY % "?a prov:used ?e"))
    assert used == sorted((i["name"], i["sha256"], f"{i['size']} B") for i in audit["inputs"]), f"{path}: {used}"
    settings = [json.loads(str(v)) for v in graph.objects(predicate=rdflib.PROV.value)]
    assert settings == [audit["settings"]], f"{path}: {settings}"
    document = prov.model.ProvDocument.deserialize(path, format="rdf", rdf_format="json-ld")
    counts = [len(list(document.get_records(kind))) for kind in (
        prov.model.ProvActivity, prov.model.ProvAgent, prov.model.ProvGeneration, prov.model.ProvUsage)]
    assert counts == [1, 1, len(files), len(used) + 1], f"{path}: {counts}"


def main(binary):
    logging.disable(logging.WARNING)
    with folder() as work:
        def audit(name, *arguments):
            out = work / name
            call(binary, "audit", "--quiet", "-o", out, *arguments, codes=(0,))
            return out

        odd = work / 'a "b" <c> ?#%20 ü.warc.gz'
        shutil.copy(next(TESTDATA.glob("crawl-b-1*")), odd)
        index = work / "index.cdxj"
        index.write_text(call(binary, "records", TESTDATA, "--format", "cdxj"))
        outs = [audit("all", TESTDATA, "--agents", "GPTBot", "--purpose", "train", "--digest-inputs"),
                audit("few", TESTDATA, "--tables", "violations,host_stats"),
                audit("index", index), audit("odd", odd, "--digest-inputs"), audit("parts", TESTDATA)]
        parts = outs[-1] / "fetches"
        parts.mkdir()
        whole = parquet.read_table(outs[-1] / "fetches.parquet")
        parquet.write_table(whole.slice(0, 100), parts / "part-1.parquet")
        parquet.write_table(whole.slice(100), parts / "part-2.parquet")
        (outs[-1] / "fetches.parquet").unlink()
        rows = 0
        for out in outs:
            call(binary, "report", out, "--croissant", out / "croissant.json", "--prov", out / "prov.json",
                 "--title", 'A "title" <x>', codes=(0,))
            rows += check_croissant(out, LOADED if rows else None)
            check_prov(out)
    print(f"croissant: {len(outs)} audits are described as they are; {rows} rows load as pyarrow reads them")
