# %% [markdown]
# # Which documents of a training corpus have to go?
#
# You have a corpus that was made from web archives, and an audit of the same archives. The audit
# knows what robots.txt said to GPTBot when each page was fetched, and what page and site say on
# training. Which documents of the corpus does that concern?
#
# **Tables.** A row of the corpus is a document, with the columns of
# [FineWeb](https://huggingface.co/datasets/HuggingFaceFW/fineweb). A row of `drop.parquet` is a
# fetch to be dropped, with the reason. `robotsaudit` writes it:
#
# ```sh
# robotsaudit audit ARCHIVES -o testdata --agent GPTBot --purpose train
# robotsaudit export -o testdata --drop --undecided drop --agent GPTBot --purpose train --to drop.parquet
# ```
#
# The data are made up: `scripts/make/corpus.py` makes the corpus of `testdata/warc`.

# %%
OUT, DROP, CORPUS = "testdata", "drop.parquet", "corpus.parquet"  # your audit, its list, your corpus

# %%
import gzip
import json
import tempfile
from pathlib import Path

import duckdb
import matplotlib.pyplot as plt
import polars as pl

duckdb.sql("SET TimeZone = 'UTC'")
pl.Config(tbl_rows=20, fmt_str_lengths=50, tbl_width_chars=160, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True)
plt.rcParams.update({"figure.dpi": 100, "font.size": 10, "axes.spines.top": False, "axes.spines.right": False})

duckdb.sql(f"CREATE VIEW corpus AS FROM '{CORPUS}'")
duckdb.sql(f"CREATE VIEW dropped AS FROM '{DROP}'")
duckdb.sql(f"CREATE VIEW fetches AS FROM '{OUT}/fetches.parquet'")
duckdb.sql("SELECT id, url, date, language, token_count FROM corpus ORDER BY date, url LIMIT 3").pl()

# %% [markdown]
# ## By record ID
#
# FineWeb's `id` is the WARC-Record-ID in angle brackets, as it stands in the archive. So is `id` of
# the list; the audit has it without the brackets, in `warc_record_id`. This is the join to prefer:
# the ID names one fetch, and the verdict is on that fetch.

# %%
duckdb.sql("""
    CREATE TABLE fate AS
    SELECT id, corpus.url, token_count, coalesce(dropped.reason, 'kept') AS fate, detail, rule, statement
    FROM corpus LEFT JOIN dropped USING (id)""")
fate = duckdb.sql("""
    SELECT fate, count(*) AS documents, sum(token_count)::BIGINT AS tokens
    FROM fate GROUP BY fate ORDER BY documents, fate""").pl()
colors = {"kept": "#6baed6", "disallowed": "#a50f15", "restricted": "#fb6a4a", "robots_unknown": "#969696"}
fig, ax = plt.subplots(figsize=(7, 2.2), layout="constrained")
bars = ax.barh(fate["fate"], fate["documents"], color=[colors[f] for f in fate["fate"]])
ax.bar_label(bars, padding=3)
ax.set_xlim(0, max(fate["documents"]) * 1.1)
ax.set_xlabel("documents of the corpus")
plt.show()

# %% [markdown]
# **Disallowed**: robots.txt forbade GPTBot the page when it was fetched. **Restricted**: robots.txt
# allowed it, but the page or its site reserves it against training. **Unknown**: the archives do
# not show what robots.txt said. Such fetches are undecided, and `--undecided drop` has the list
# drop them; the choice is yours, and this is how many documents it concerns.
#
# Why each of them goes:

# %%
duckdb.sql("""
    SELECT fate, detail, coalesce(rule, statement) AS says, count(*) AS documents, min(url) AS example
    FROM fate WHERE fate <> 'kept' GROUP BY ALL
    ORDER BY fate, documents DESC, says NULLS LAST LIMIT 12""").pl()

# %% [markdown]
# ## By URL and date
#
# A corpus without record IDs can be joined by URL and date, if both are as the archive has them.
# Neither alone will do: robots.txt changes, and a page that was allowed in March may be disallowed
# in May. `date` is a text, and `fetch_time` a time, so one of them is converted.

# %%
duckdb.sql("""
    WITH by_url AS (
        SELECT DISTINCT corpus.id
        FROM corpus JOIN dropped ON corpus.url = dropped.url AND corpus.date::TIMESTAMPTZ = dropped.fetch_time
    ), by_id AS (SELECT id FROM fate WHERE fate <> 'kept')
    SELECT (SELECT count(*) FROM by_id) AS by_id, (SELECT count(*) FROM by_url) AS by_url_and_date,
           (SELECT count(*) FROM (FROM by_id EXCEPT FROM by_url)) AS by_id_alone,
           (SELECT count(*) FROM (FROM by_url EXCEPT FROM by_id)) AS by_url_and_date_alone""").pl()

# %% [markdown]
# Both joins find the same documents. A document that neither finds may still be one that the audit
# does not know. Count those: nothing is known of them, and they are not "kept" by any rule.

# %%
duckdb.sql("""
    SELECT count(*) AS documents, count(f.url) AS in_the_audit, count(*) - count(f.url) AS not_in_the_audit
    FROM corpus LEFT JOIN fetches f ON corpus.id = '<' || f.warc_record_id || '>'""").pl()

# %% [markdown]
# ## A filter for datatrove
#
# [datatrove](https://github.com/huggingface/datatrove) is what FineWeb was made with. A filter is a
# class with a method that says of a document whether it stays, and if not, why. This one looks the
# ID up in the list. Place it after the reader of a pipeline.

# %%
import warnings

from loguru import logger

logger.disable("datatrove")  # it logs to standard error
warnings.filterwarnings("ignore", "IProgress not found")  # of a progress bar that nobody needs here

from datatrove.pipeline.filters.base_filter import BaseFilter
from datatrove.pipeline.readers import ParquetReader


class RobotsFilter(BaseFilter):
    """Drops the documents whose record is in a list of robotsaudit export --drop."""

    name = "robots.txt"

    def __init__(self, drop, exclusion_writer=None):
        super().__init__(exclusion_writer)
        rows = pl.read_parquet(drop, columns=["id", "reason"])
        self.reasons = {id: reason for id, reason in rows.iter_rows() if id}

    def filter(self, doc):
        reason = self.reasons.get(doc.id)
        return True if reason is None else (False, reason)


reader = ParquetReader(str(Path(CORPUS).parent), glob_pattern=Path(CORPUS).name)
robots = RobotsFilter(DROP)
kept = [doc.id for doc in robots.run(reader.run())]
counts = robots.stats.to_dict()["stats"]
print({name: int(value["total"] if isinstance(value, dict) else value) for name, value in sorted(counts.items())
       if name.startswith(("dropped", "forwarded", "total"))})
assert sorted(kept) == [id for (id,) in duckdb.sql("SELECT id FROM fate WHERE fate = 'kept' ORDER BY id").fetchall()]

# %% [markdown]
# It keeps exactly the documents that the join keeps.
#
# ## An attribute for dolma
#
# [dolma](https://github.com/allenai/dolma) does not drop while it looks: a tagger writes attributes
# beside the documents, and the mixer filters by them later. A file of attributes has the name of its
# file of documents, and a line for each line there: the ID, and spans of the text with a score.
# The next cell writes one. So does `robotsaudit export --format dolma`, with
# [other names](../SCHEMA.md#lists).

# %%
documents = duckdb.sql("SELECT corpus.id, length(text), fate FROM corpus JOIN fate USING (id) ORDER BY corpus.id").fetchall()
folder = Path(tempfile.mkdtemp())  # attributes/robotsaudit/ beside your documents/
path = folder / "corpus.jsonl.gz"
with gzip.open(path, "wt", encoding="utf-8") as file:
    for id, length, why in documents:
        spans = {} if why == "kept" else {f"robotsaudit__{why}": [[0, length, 1.0]]}
        file.write(json.dumps({"id": id, "attributes": spans}) + "\n")
with gzip.open(path, "rt", encoding="utf-8") as file:
    tagged = [line for line in file if "robotsaudit__" in line]
print(f"{len(tagged)} of {len(documents)} documents have an attribute; the first:")
print(tagged[0].strip())

# %% [markdown]
# In the configuration of the mixer, this drops them:
#
# ```yaml
# streams:
#   - name: without-robots
#     documents: [documents/*.jsonl.gz]
#     attributes: [robotsaudit]
#     filter:
#       exclude:
#         - "$.attributes[?(@.robotsaudit__disallowed)]"
#         - "$.attributes[?(@.robotsaudit__restricted)]"
#         - "$.attributes[?(@.robotsaudit__robots_unknown)]"
# ```
#
# **Limits.** The list is about GPTBot: ask for the crawlers that matter to you, or `--agents ai`.
# It judges each fetch at its own time; `--as-of` judges all at one date. It says nothing of
# copyright, and nothing of copies of a text at another address.
