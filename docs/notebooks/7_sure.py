# %% [markdown]
# # How sure is a share? What unknown and stale do to it
#
# "3 % of the fetches were disallowed": of which fetches, and how sure is that? Archives do not
# hold every robots.txt, and some copies are old. A share is then a range. This notebook shows the
# range, and how wide it gets as you ask for better evidence.
#
# **Tables.** A row of `fetches` is one captured exchange with its verdict. A row of
# `group_verdicts`, joined with `robots_agents`, is what another crawler would have been allowed.
# A row of `robots_policies` is one capture of robots.txt and one crawler. **Audit**:
# `robotsaudit audit ARCHIVES -o OUT --agents GPTBot --agents CCBot …`
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
AGENT = "GPTBot"  # the crawler of the last part

import duckdb
import matplotlib.pyplot as plt
import polars as pl

duckdb.sql("SET TimeZone = 'UTC'")
pl.Config(tbl_rows=25, fmt_str_lengths=70, tbl_width_chars=160, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True)
plt.rcParams.update({"figure.dpi": 100, "font.size": 10, "axes.spines.top": False, "axes.spines.right": False})

fetches, group_verdicts, robots_agents = a.fetches, a.group_verdicts, a.robots_agents

# %% [markdown]
# ## Three levels of evidence
#
# A verdict rests on a copy of robots.txt. Its age says how much to believe it:
#
# 1. **As decided**: what the audit says. A copy may be older than a day (`stale`), or up to a day
#    younger than the fetch (`later`).
# 2. **Before the fetch**: `later` counts as unknown. The crawler could not have seen that copy.
# 3. **Fresh**: `stale` counts as unknown, too. RFC 9309 asks crawlers not to use copies older than
#    24 hours.
#
# For each level, the share of disallowed fetches has a lower bound (every unknown fetch was allowed)
# and an upper bound (every unknown fetch was disallowed). The truth of these fetches lies between
# them, and no statistics of these archives can narrow it.

# %%
LEVELS = {
    "as decided": "verdict <> 'unknown'",
    "before the fetch": "verdict <> 'unknown' AND evidence <> 'later'",
    "fresh": "verdict <> 'unknown' AND evidence NOT IN ('later', 'stale')",
}
COLORS = {"as decided": "#08519c", "before the fetch": "#e69f00", "fresh": "#a50f15"}


def bounds(rows, by):
    """For each value of by and each level: the bounds of the share that is disallowed."""
    return duckdb.sql(" UNION ALL ".join(f"""
        SELECT {by} AS who, {number} AS step, '{level}' AS level, count(*) AS decidable,
               count(*) FILTER (NOT ({known})) AS unknown,
               count(*) FILTER (({known}) AND verdict = 'disallowed') / decidable AS at_least,
               at_least + unknown / decidable AS at_most
        FROM ({rows}) GROUP BY {by}""" for number, (level, known) in enumerate(LEVELS.items()))
        + " ORDER BY who, step").pl()


def ranges(table, label):
    """Draws the bounds as bars from at_least to at_most."""
    names = table["who"].unique(maintain_order=True).to_list()
    fig, ax = plt.subplots(figsize=(8, 1.2 + 0.5 * len(names)), layout="constrained")
    for offset, (level, color) in zip((-0.25, 0, 0.25), COLORS.items()):
        rows = table.filter(pl.col("level") == level)
        y = [names.index(name) + offset for name in rows["who"]]
        low, high = rows["at_least"] * 100, rows["at_most"] * 100
        ax.barh(y, high - low, left=low, height=0.2, color=color, alpha=0.45, label=level)
        ax.plot(low, y, "|", color=color, markersize=7)
        ax.plot(high, y, "|", color=color, markersize=7)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlim(left=0)
    ax.set_xlabel(label)
    ax.legend(title="evidence", frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    plt.show()


own = bounds("FROM fetches WHERE reason <> 'robots_txt_itself' AND fetch_time IS NOT NULL", "year(fetch_time)::VARCHAR")
ranges(own, "fetches that robots.txt disallowed the crawler that made them, %")
own.filter(pl.col("who") == own["who"].max()).drop("step").rename({"who": "year"})

# %% [markdown]
# A narrow bar is a share that is well known. A wide one is not, whatever the average of its ends.
# Allowed without a file (status 4xx) has evidence like any other: a capture said so.
#
# ## The same for other crawlers
#
# What would each crawler have been allowed? Where two bars of one colour overlap, these archives do
# not show which of the two crawlers is disallowed more.

# %%
others = bounds("""
    SELECT agent, verdict, evidence FROM group_verdicts JOIN robots_agents USING (robots_id, "group")
    WHERE reason <> 'robots_txt_itself'""", "agent")
ranges(others, "fetches that robots.txt disallows the crawler, %")

# %% [markdown]
# ## Why is it unknown?
#
# More archives can settle some of it: `no_capture` needs the robots.txt of these sites, and
# `unreachable_stale` a capture nearer to the fetch.

# %%
fetches.filter("verdict = 'unknown'").aggregate(
    "reason, count(*) AS fetches, count(DISTINCT origin) AS origins").order("fetches DESC, reason").pl()

# %% [markdown]
# ## Sites that forbid a crawler everything
#
# A row of `robots_policies` has a null `restriction` where the capture led to no answer. The last
# capture of a host in a year stands for it. Servers that failed (`unreachable`) forbid everything by
# RFC 9309, but that is no policy: here they count as unknown.

# %%
last = a.last_policies("year")
policies = duckdb.sql(f"""
    SELECT year(period)::VARCHAR AS year, count(*) AS hosts,
           count(*) FILTER (restriction IS NULL OR outcome = 'unreachable') AS unknown,
           count(*) FILTER (restriction = 'full' AND outcome <> 'unreachable') AS "full",
           "full" / (hosts - unknown) AS of_the_known, "full" / hosts AS at_least, ("full" + unknown) / hosts AS at_most
    FROM last WHERE agent = '{AGENT}' GROUP BY period ORDER BY period""").pl()
fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
x = range(policies.height)
ax.fill_between(x, policies["at_least"] * 100, policies["at_most"] * 100, color="#a50f15", alpha=0.3, label="between the bounds")
ax.plot(x, policies["of_the_known"] * 100, color="#a50f15", marker="o", label="of the hosts that are known")
ax.set_xticks(x, policies["year"])
ax.set_ylim(bottom=0)
ax.set_ylabel(f"hosts that forbid {AGENT} everything, %")
ax.legend(frameon=False, loc="upper left")
plt.show()
policies

# %% [markdown]
# The line leaves the unknown out. It is right only if the unknown hosts are like the others, which
# nothing shows: a server that fails may do so because of the crawler. The band needs no such
# assumption.
#
# **Limits.** The bounds are those of the fetches and hosts in these archives. They say nothing of
# the sites that nobody crawled: for those, a sample needs its own error.
