# %% [markdown]
# # Which documents of a training corpus have to go?
#
# You have a corpus that was made from web archives, and an audit of the same archives. The audit
# knows what robots.txt said to GPTBot when each page was fetched, and what page and site say on
# training. Which documents of the corpus does that concern?
#
# A row of the corpus is a document, with the columns of
# [FineWeb](https://huggingface.co/datasets/HuggingFaceFW/fineweb). The audit was made with
#
# ```python
# robotsaudit.audit(ARCHIVES, agents="GPTBot", purpose="train", output="testdata")
# ```
#
# The data are made up: `scripts/make/corpus.py` makes the corpus of `testdata/warc`.

# %%
try:
    import robotsaudit
except ImportError:  # in Colab: first upload the wheel of a release
    get_ipython().run_line_magic("pip", "install -q ./robotsaudit-*manylinux*x86_64.whl polars matplotlib datatrove regex")
    import robotsaudit

# %%
a, CORPUS = robotsaudit.open("testdata"), "corpus.parquet"  # your audit, your corpus

# %%
import gzip
import itertools
from pathlib import Path

import duckdb
import matplotlib.pyplot as plt
import polars as pl

duckdb.sql("SET TimeZone = 'UTC'")
pl.Config(tbl_rows=20, fmt_str_lengths=50, tbl_width_chars=160, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True)
plt.rcParams.update({"figure.dpi": 100, "font.size": 10, "axes.spines.top": False, "axes.spines.right": False})

about = {"agents": "GPTBot", "purpose": "train", "decide": "all=drop"}
dropped = a.export("drop", **about)
corpus = duckdb.read_parquet(CORPUS)
corpus.order("date, url").select("id, url, date, language, token_count").limit(3).pl()

# %% [markdown]
# ## By record ID
#
# `dropped` is the list: a row is a fetch to be dropped, with the reason.
#
# FineWeb's `id` is the WARC-Record-ID in angle brackets, as it stands in the archive. So is `id` of
# the list; the audit has it without the brackets, in `warc_record_id`. This is the join to prefer:
# the ID names one fetch, and the verdict is on that fetch.

# %%
duckdb.sql("""
    CREATE TABLE fate AS
    SELECT id, corpus.url, token_count, coalesce(dropped.reason, 'kept') AS fate, detail, rule, statement
    FROM corpus LEFT JOIN dropped USING (id)""")
fate = duckdb.table("fate").aggregate("fate, count(*) AS documents").order("documents, fate").pl()
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
# not show what robots.txt said. Such fetches are undecided, and `decide="all=drop"` has the list
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
fetches = a.fetches
duckdb.sql("""
    SELECT count(*) AS documents, count(f.url) AS in_the_audit, count(*) - count(f.url) AS not_in_the_audit
    FROM corpus LEFT JOIN fetches f ON corpus.id = '<' || f.warc_record_id || '>'""").pl()

# %% [markdown]
# ## A filter for datatrove
#
# [datatrove](https://github.com/huggingface/datatrove) is what FineWeb was made with. A filter is a
# class with a method that says of a document whether it stays, and if not, why. The package's own
# looks the ID up in the three lists. Place it after the reader of a pipeline.

# %%
import warnings

from loguru import logger

logger.disable("datatrove")  # it logs to standard error
warnings.filterwarnings("ignore", "IProgress not found")  # of a progress bar that nobody needs here

from datatrove.pipeline.readers import ParquetReader
from robotsaudit.datatrove import RobotsFilter

reader = ParquetReader(str(Path(CORPUS).parent), glob_pattern=Path(CORPUS).name)
robots = RobotsFilter(a, **about)
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

# %%
documents, attributes = Path("documents/0.jsonl.gz"), Path("attributes/robotsaudit/0.jsonl.gz")
for path in (documents, attributes):
    path.parent.mkdir(parents=True, exist_ok=True)
duckdb.sql(f"COPY (SELECT id, text FROM corpus ORDER BY id) TO '{documents}'")
duckdb.sql(f"""
    COPY (SELECT corpus.id,
                 json_object('robotsaudit__export__' || CASE fate WHEN 'kept' THEN 'keep' ELSE 'drop' END,
                             json_array(json_array(0, length(text), 1.0)),
                             'robotsaudit__export__' || fate,
                             json_array(json_array(0, length(text), 1.0))) AS attributes
          FROM corpus JOIN fate USING (id) ORDER BY id)
    TO '{attributes}' (FORMAT json)""")
with gzip.open(attributes, "rt") as lines:
    print(*itertools.islice(lines, 3), sep="")

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
#         - "$.attributes[?(@.robotsaudit__export__drop && @.robotsaudit__export__drop[0][2] >= 1.0)]"
# ```
#
# **Limits.** The list is about GPTBot: ask for the crawlers that matter to you, or `agents="ai"`.
# It judges each fetch at its own time; `as_of` judges all at one date. It says nothing of
# copyright, and nothing of copies of a text at another address.
