# %% [markdown]
# # From rows of FineWeb to a drop list with proof
#
# You have the rows of a dataset and the archives that they were made of. Somebody asks why a
# document was dropped, or whether the list is right. The answer is a list with a reason in each
# row, and a bundle of the records that the reasons rest on, which anybody can verify without you.
#
# A row of the dataset is a document, with the columns of
# [FineWeb](https://huggingface.co/datasets/HuggingFaceFW/fineweb): `id`, `url` and `date` count here.
# The data are made up: `scripts/make/corpus.py` makes the rows of `testdata/warc`.

# %%
try:
    import robotsaudit
except ImportError:  # in Colab: first upload the wheel of a release
    get_ipython().run_line_magic("pip", "install -q ./robotsaudit-*manylinux*x86_64.whl polars matplotlib")
    import robotsaudit

# %%
CORPUS, ARCHIVES = "corpus.parquet", "archives"  # your rows, and the archives of their crawl

# %%
import duckdb
import matplotlib.pyplot as plt
import polars as pl

duckdb.sql("SET TimeZone = 'UTC'")
pl.Config(tbl_rows=20, fmt_str_lengths=60, tbl_width_chars=160, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True)
plt.rcParams.update({"figure.dpi": 100, "font.size": 10, "axes.spines.top": False, "axes.spines.right": False})

# %% [markdown]
# ## The audit
#
# What did robots.txt say to GPTBot when each row was fetched, and what do page and site say on
# training? The audit reads the rows as a list of URLs, and the archives for robots.txt and tags.

# %%
about = {"agents": "GPTBot", "purpose": "train"}
a = robotsaudit.audit(ARCHIVES, urls=CORPUS, output="fineweb", progress=False, **about)
a

# %% [markdown]
# That is the answer for the crawler that made the archives. What GPTBot would have been allowed is
# in the lists.
#
# ## Keep, drop, undecided
#
# Every fetch of a page is in exactly one of three lists. Of several rows with one ID, the worst
# counts.

# %%
corpus = duckdb.read_parquet(CORPUS)
fates = a.lookup(**about)
fate = corpus.select("id, url, date, token_count").pl().with_columns(
    pl.col("id").map_elements(lambda id: "{0.list}: {0.reason}".format(fates[id]), return_dtype=pl.String).alias("fate"))
counts = fate.group_by("fate").agg(pl.len().alias("documents")).sort("documents", "fate")
color = {"keep": "#6baed6", "drop": "#a50f15", "undecided": "#969696"}
fig, ax = plt.subplots(figsize=(7, 2.4), layout="constrained")
ax.bar_label(ax.barh(counts["fate"], counts["documents"], color=[color[f.split(":")[0]] for f in counts["fate"]]), padding=3)
ax.set_xlabel(f"documents, of {len(fate):,}")
ax.margins(x=0.1)
plt.show()

# %% [markdown]
# Grey is undecided: nobody decided what becomes of it. `decide="all=drop"` puts it on the list of what
# to drop; nothing proves that it has to go.
#
# ## Why each document goes

# %%
drop = a.export("drop", to="drop.parquet", **about)
drop.join(corpus.select("id, token_count"), "id").aggregate("""reason, coalesce(rule, statement) AS says, count(*) AS documents, sum(token_count)::BIGINT AS tokens,
    min(url) AS example""").order("documents DESC, says").limit(12).pl()

# %% [markdown]
# ## The proof
#
# `evidence` copies from the archives exactly the records that the list rests on: the page, the
# robots.txt that governed it, and every other copy that had a say.

# %%
print(a.evidence("proof.warc.gz", drop=True, **about))

# %% [markdown]
# Whoever has the bundle needs no audit and no archives to verify it: `robotsaudit verify
# proof.warc.gz` on a command line, or here. Every fetch is decided again.

# %%
verified = robotsaudit.verify("proof.warc.gz").splitlines()
print(verified[0])

# %% [markdown]
# Is every row of the list proven? The bundle's findings are as many as the list's rows:

# %%
rows = len(drop)
assert verified[0].startswith(f"proof.warc.gz: {rows} findings in this file are proven"), verified[0]
print(f"All {rows} rows of drop.parquet are proven.")

# %% [markdown]
# ## One document
#
# Why does this one go? The explanation quotes the robots.txt, with the line that decides.

# %%
url, moment = drop.filter("rule IS NOT NULL").order("fetch_time, url").select("url, fetch_time::VARCHAR").fetchall()[0]
a.explain(url, agents="GPTBot", at=moment.replace("+00", "Z").replace(" ", "T"))

# %% [markdown]
# **Limits.** The bundle proves what its records say, and not that the archives are true: for that,
# compare the records with them. Rows whose pages are in no archive at hand can be on a list, but not
# in a bundle. To be on the list says nothing of copyright, and nothing of copies of a text at another
# address.
