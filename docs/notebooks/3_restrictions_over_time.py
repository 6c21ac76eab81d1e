# %% [markdown]
# # Who restricts AI crawlers, and since when?
#
# For each crawler and quarter: the share of hosts whose robots.txt forbids it everything, forbids
# it something, or could not be known. Then the same question as three studies ask it, beside each
# other, because "restricts" has no one meaning.
#
# **Table**: `robots_policies`. A row is one capture of robots.txt and one crawler that was asked
# about. **Audit**: `robotsaudit audit ARCHIVES -o OUT --agents GPTBot --agents CCBot …`
#
# The data here are made up (`scripts/make/history.py`): 500 sites that do not exist. The figures show
# what the tables can tell, and nothing of the web.

# %%
try:
    import robotsaudit
except ImportError:  # in Colab: first upload the wheel of a release
    get_ipython().run_line_magic("pip", "install -q ./robotsaudit-*manylinux*x86_64.whl polars matplotlib")
    import robotsaudit

# %%
a = robotsaudit.open("history")  # the output folder of your own audit

# %%
AGENT = "GPTBot"  # the crawler of the second part
KEEP = 0  # quarters for which a capture counts beyond its own
ASKED = a.manifest["settings"]["agents"]

import duckdb
import matplotlib.dates as dates
import matplotlib.pyplot as plt
import polars as pl

duckdb.sql("SET TimeZone = 'UTC'")
pl.Config(tbl_rows=30, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True)
plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False, "figure.dpi": 90, "font.size": 9})

# %% [markdown]
# ## The data
#
# A host is a host name: `example.org` and `www.example.org` are two, and a host that moved from
# http to https is one. A host counts in a quarter if it was captured in that quarter, with its
# last capture. Hosts that no crawl visited in a quarter are in no share of that quarter. Archives
# that hold a capture only where something changed need `KEEP`: with 8, a capture counts for two
# years more, as if the file had stayed as it was.

# %%
last = a.last_policies("quarter", KEEP).select("period AS quarter, * EXCLUDE period")
last.filter(f"list_contains({ASKED}, agent)").aggregate("""
    agent, count(*) AS rows, count(DISTINCT url_host_name) AS hosts, min(quarter) AS first, max(quarter) AS last""").order("agent").pl()

# %% [markdown]
# ## Restrictions by crawler
#
# `restriction` says what the rules come to: `full` means that nothing but robots.txt itself may be
# fetched, `none` that no path is forbidden, `partial` everything between. That alone says little
# of a crawler: a shop that forbids its cart to everybody is `partial` for all. So the figure
# separates files that **name** the crawler (`group_kind`) from rules for everybody.
#
# Grey is not a policy. **Not known**: `restriction` is null, since the capture led nowhere that
# the archives hold. **Unreachable**: the server failed, which RFC 9309 reads as "everything is
# forbidden" for the time being. The true share lies between the top of the colours and the top
# of the grey.

# %%
LAYERS = {
    "named, everything forbidden": ("#08519c", "group_kind = 'named' AND restriction = 'full'"),
    "named, something forbidden": ("#6baed6", "group_kind = 'named' AND restriction = 'partial'"),
    "not named, everything forbidden to all": ("#e69f00", "group_kind <> 'named' AND restriction = 'full'"),
    "not known, or unreachable": ("#bdbdbd", "restriction IS NULL OR outcome = 'unreachable'"),
}
shares = duckdb.sql(f"""
SELECT agent, quarter, count(*) AS hosts,
       {", ".join(f'count(*) FILTER ({test}) / count(*) AS "{name}"' for name, (_, test) in LAYERS.items())}
FROM last
WHERE list_contains({ASKED}, agent)
GROUP BY agent, quarter
ORDER BY agent, quarter
""").pl()

agents = shares.group_by("agent").agg(pl.col("named, everything forbidden").last()).sort(
    ["named, everything forbidden", "agent"], descending=[True, False])["agent"].to_list()[:10]
columns = min(5, len(agents))
rows = -(-len(agents) // columns)
figure, axes = plt.subplots(rows, columns, figsize=(9.5, 1.9 * rows + 0.9), sharex=True, sharey=True, squeeze=False, layout="constrained")
for ax in axes.flat[len(agents):]:
    ax.axis("off")
for ax, agent in zip(axes.flat, agents):
    part = shares.filter(pl.col("agent") == agent)
    ax.stackplot(part["quarter"], *[100 * part[name] for name in LAYERS], colors=[c for c, _ in LAYERS.values()], labels=LAYERS)
    ax.set_title(agent, fontsize=9, loc="left")
    ax.xaxis.set_major_locator(dates.YearLocator(2))
    ax.xaxis.set_major_formatter(dates.DateFormatter("%Y"))
    ax.grid(axis="y", alpha=0.3)
    ax.margins(0)
for ax in axes[-1]:
    ax.set_xlabel("quarter")
figure.supylabel("hosts captured in a quarter, %", fontsize=9)
figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
plt.show()

# %% [markdown]
# The first and the last quarter of each year, for the crawler named above:

# %%
duckdb.sql(f"""
SELECT quarter, count(*) AS hosts,
       count(*) FILTER (group_kind = 'named') AS named,
       count(*) FILTER (restriction = 'full' AND outcome <> 'unreachable') AS "full",
       count(*) FILTER (restriction = 'full' AND outcome <> 'unreachable' AND group_kind = 'named') AS "full, named",
       count(*) FILTER (restriction IS NULL OR outcome = 'unreachable') AS unknown,
       round(100 * "full" / hosts, 1) AS "at least, %",
       round(100 * ("full" + unknown) / hosts, 1) AS "at most, %"
FROM last
WHERE agent = '{AGENT}' AND month(quarter) IN (1, 10)
GROUP BY quarter ORDER BY quarter
""").pl()

# %% [markdown]
# ## One question, four answers
#
# | definition | everything forbidden | nothing forbidden |
# |---|---|---|
# | semantic (this tool) | no path may be fetched, as the rules match | every path may be fetched |
# | Longpre et al. 2024 | `Disallow: /`, and no Allow at all | no Disallow, only an empty one, or the same values in Allow and Disallow |
# | Liu et al. 2025 | `/`, each path in the file and a made-up path are all forbidden, asked of Google's parser | all of them are allowed |
# | Common Crawl | one rule, `Disallow: /` | one rule, an Allow of everything or an empty Disallow |
#
# [docs/SCHEMA.md](../SCHEMA.md#robots_policies) has the exact words. Only captures that gave a
# file count here, because the definitions speak of files. Common Crawl's gives no class to a file
# that has no rule for the crawler and none for everybody.

# %%
DEFINITIONS = {
    "semantic": ("restriction", "#000000", "-"),
    "Longpre et al.": ("restriction_longpre", "#0072b2", "--"),
    "Liu et al.": ("restriction_liu", "#d55e00", ":"),
    "Common Crawl": ("restriction_cc", "#009e73", "-."),
}
ENDS = {"everything forbidden": "'full', 'all', 'disallow-all'", "nothing forbidden": "'none', 'allow-all'"}
series = duckdb.sql(f"""
SELECT quarter, count(*) AS files,
       {", ".join(f'count(*) FILTER ({column} IN ({words})) / count(*) AS "{name}, {end}"'
                  for name, (column, _, _) in DEFINITIONS.items() for end, words in ENDS.items())}
FROM last
WHERE agent = '{AGENT}' AND outcome = 'rules'
GROUP BY quarter ORDER BY quarter
""").pl()

figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.4), layout="constrained")
for ax, end in zip(axes, ENDS):
    for name, (_, colour, style) in DEFINITIONS.items():
        ax.plot(series["quarter"], 100 * series[f"{name}, {end}"], style, color=colour, label=name, linewidth=1.8)
    ax.set_title(f"{AGENT}: {end}", fontsize=10, loc="left")
    ax.set_ylabel("files captured in a quarter, %")
    ax.set_xlabel("quarter")
    ax.set_ylim(0)
    ax.grid(axis="y", alpha=0.3)
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
plt.show()

# %% [markdown]
# Where do they part? The last capture of each host, by what the four say of it:

# %%
duckdb.sql(f"""
SELECT restriction AS semantic, restriction_longpre AS longpre, restriction_liu AS liu, restriction_cc AS common_crawl,
       count(*) AS hosts, count(*) FILTER (group_kind = 'named') AS naming_it, min(url_host_name) AS one_of_them
FROM (FROM last WHERE agent = '{AGENT}' AND outcome = 'rules'
      QUALIFY row_number() OVER (PARTITION BY url_host_name ORDER BY quarter DESC) = 1)
GROUP BY ALL ORDER BY hosts DESC, one_of_them
""").pl()

# %% [markdown]
# Reasons to part, from files of this kind:
#
# - `Disallow: /*` forbids everything; Longpre et al. and Common Crawl look for the text `/`.
# - `Disallow: /` beside another Disallow: Common Crawl wants it to be the only rule.
# - `Disallow: /` and `Allow: /about/`: partial by meaning and for Longpre et al.; Liu et al. ask for
#   `/about/`, which is allowed.
# - `User-agent: GPTBot, CCBot` names nobody by RFC 9309; Google's parser reads `GPTBot`.
# - `Dissallow: /` is no rule by RFC 9309; Google's parser knows the misspelling.
#
# ## Limits
#
# - A share is of the hosts that a crawl visited, not of the web. A crawl that visits other hosts
#   from quarter to quarter moves the shares although no file changed.
# - Fetches that failed without an answer are no captures: a host that could not be reached at all
#   in a quarter is in no share. `robots` has them, where a log reports them.
# - A restriction begins between two captures; the figure shows it from the second on.
# - `partial` can be one forbidden path or all but one. The share of pages that it covers is in
#   `group_verdicts`, not here.
# - Tokens of one operator are several: [notebook 5](5_bias.ipynb) joins them.
