# %% [markdown]
# # Who says what about the use of pages, and who contradicts himself?
#
# A page or its site can say what may be done with it: not to be indexed, not to be shown, not to
# train AI. There are many ways to say it, and they can disagree.
#
# **Tables.** A row of `page_tags` is one rule of a page, in a header field (Robots-Tag,
# X-Robots-Tag) or a meta element. A row of `usage_signals` is one statement on a fetch's use, made
# by the page or its site (robots.txt, tdmrep.json, Content-Usage, Content-Signal, TDMRep, a licence).
# A row of `tag_conflicts` is one contradiction. **Audit**: `robotsaudit audit ARCHIVES -o OUT
# --purpose train`
#
# The data here are made up (`scripts/make/history.py`): 500 sites that do not exist. The figures show what
# the tables can tell, and nothing of the web.

# %%
try:
    import robotsaudit
except ImportError:  # in Colab: first upload the wheel of a release
    get_ipython().run_line_magic("pip", "install -q ./robotsaudit-*manylinux*x86_64.whl polars matplotlib")
    import robotsaudit

# %%
a = robotsaudit.open("history")  # the output folder of your own audit

# %%
import duckdb
import matplotlib.pyplot as plt
import polars as pl

duckdb.sql("SET TimeZone = 'UTC'")
pl.Config(tbl_rows=25, fmt_str_lengths=70, tbl_width_chars=160, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True)
plt.rcParams.update({"figure.dpi": 100, "font.size": 10, "axes.spines.top": False, "axes.spines.right": False})

pages = a.fetches.filter("reason <> 'robots_txt_itself' AND fetch_status = 200")
usage_signals = a.usage_signals
KEY = "warc_filename, warc_record_offset, url"

# %% [markdown]
# ## What do pages and sites say on use?
#
# Hosts are counted, not fetches: a site that was crawled often would else outweigh the others. A
# host counts once for each thing that it says, in however many pages.

# %%
said = usage_signals.join(pages, KEY).aggregate("""
    protocol || ', ' || source AS way, purpose, preference, count(DISTINCT url_host_name) AS hosts""").order("ALL").pl()
said

# %%
COLORS = {"restrict": "#a50f15", "allow": "#6baed6", "unstated": "#bdbdbd"}
ways = said.with_columns((pl.col("way") + ": " + pl.col("purpose")).alias("label"))
labels = ways["label"].unique(maintain_order=True).to_list()
fig, ax = plt.subplots(figsize=(8, 0.8 + 0.4 * len(labels)), layout="constrained")
drawn = set()
for number, label in enumerate(labels):
    rows = ways.filter(pl.col("label") == label)
    height = 0.7 / rows.height
    for i, (preference, hosts) in enumerate(rows.select("preference", "hosts").iter_rows()):
        y = number + (i - (rows.height - 1) / 2) * height
        name = preference if preference not in drawn else None
        drawn.add(preference)
        ax.bar_label(ax.barh(y, hosts, height=height, color=COLORS[preference], label=name), padding=3)
ax.set_yticks(range(len(labels)), labels)
ax.invert_yaxis()
ax.margins(x=0.08)
ax.set_xlabel(f"hosts, of {duckdb.sql('SELECT count(DISTINCT url_host_name) FROM pages').fetchall()[0][0]:,} with a page in the archives")
ax.legend(title="what it says", frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# **Restrict** and **allow** are what the statement says of the purpose. **Unstated** is a statement
# that was not read to its end: a licence or a policy at another address. It is not a permission.
#
# Hosts that say nothing are not in the figure. To say nothing is neither to allow nor to restrict.
#
# ## Which rules do pages state for themselves?
#
# `restricts` says what a rule restricts: `publication` (showing the page) or `usage`. Null: nothing,
# such as `index`.

# %%
tags = a.page_tags.set_alias("tags").join(pages, KEY).aggregate("""
    rule, restricts, source, coalesce(tags.agent, 'everybody') AS told, count(DISTINCT url_host_name) AS hosts, count(*) AS rules""")
tags.order("restricts NULLS LAST, hosts DESC, rule, source, told").limit(20).pl()

# %% [markdown]
# ## Since when?
#
# The share of hosts with a page in that year of which some page restricts training, by
# `usage_signals`. A host counts once in each year.

# %%
years = duckdb.sql(f"""
    WITH told AS (
        SELECT DISTINCT {KEY} FROM usage_signals
        WHERE preference = 'restrict' AND purpose IN ('train-ai', 'train-genai', 'tdm', 'automated') AND scope <> 'images'
    )
    SELECT year(fetch_time)::INTEGER AS year, count(DISTINCT url_host_name) AS hosts,
           count(DISTINCT url_host_name) FILTER (told.url IS NOT NULL) AS restricting,
           count(DISTINCT url_host_name) FILTER (tags_from = 'unknown' AND told.url IS NULL) AS maybe
    FROM pages LEFT JOIN told USING ({KEY})
    WHERE fetch_time IS NOT NULL
    GROUP BY year ORDER BY year""").pl()
fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
bars = ax.bar(years["year"].cast(str), years["restricting"] / years["hosts"] * 100, color="#a50f15", width=0.6)
ax.bar_label(bars, [f"{r} of {h}" for r, h in zip(years["restricting"], years["hosts"])], padding=3)
ax.set_ylabel("hosts that restrict training, %")
ax.margins(y=0.15)
plt.show()
years

# %% [markdown]
# `maybe` counts hosts with pages whose tags may be missing in the archives (`tags_from` is
# `unknown`) and that restrict nothing in the others: they may belong to the bar.
#
# ## Who contradicts himself?
#
# Where statements contradict each other, the restriction holds, and `tag_conflicts` has a row:
#
# - `tags`: two tags of one page, such as `index` and `noindex`;
# - `page_restricts`, `page_allows`: the page says the opposite of its site;
# - `disallowed_yet_tagged`: robots.txt forbids the page, so that a crawler that obeys it never sees
#   the page's tags.

# %%
conflicts = a.tag_conflicts.join(pages, KEY).aggregate("""
    kind, detail, count(*) AS fetches, count(DISTINCT url_host_name) AS hosts, min(url) AS example""")
conflicts.order("hosts DESC, kind, detail").limit(12).pl()

# %% [markdown]
# ## What remains for training
#
# `restrictions` says of each fetch whether something restricts the purpose that was asked for.
# `certain`: the record itself says so. `probable`: a doubt remains.

# %%
pages.join(a.restrictions.set_alias("r"), KEY + ", url_host_name", "left").aggregate("""
    coalesce(r.purpose, 'nothing stated') AS restricted, r.certainty, count(*) AS pages, count(DISTINCT url_host_name) AS hosts
""").order("pages DESC, restricted").pl()

# %% [markdown]
# **Limits.** Only pages in the archives are counted. A page behind a rule of robots.txt that the
# crawler kept to is not there, and neither are its tags. A statement is what somebody wrote, and
# not what the law makes of it.
