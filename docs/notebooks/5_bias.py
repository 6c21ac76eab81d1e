# %% [markdown]
# # Whom do sites treat otherwise, by rank and by operator?
#
# Some sites close their doors to everybody, others to crawlers for AI only. The **bias** against a
# crawler divides the two: hosts that disallow everything to it, by the number of hosts that
# disallow everything to `*`. 1 means: treated like everybody; above 1: kept out more often; below
# 1: let in where others are not. Then shares weighted by how much text a host has.
#
# **Table**: `robots_policies`. A row is one capture of robots.txt and one crawler.
# **Audit**: `robotsaudit audit ARCHIVES -o OUT --agents GPTBot --agents CCBot …`
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
AGENTS = "agents.json"  # made by: robotsaudit agents --format json
RANKS = "sites/ranks.csv"  # your own, of lines rank,domain, such as Tranco's CSV
WEIGHTS = "sites/weights.csv"  # your own, with the columns host and tokens

import duckdb
import matplotlib.pyplot as plt
import numpy as np
import polars as pl

duckdb.sql("SET TimeZone = 'UTC'")
pl.Config(tbl_rows=40, tbl_cols=12, tbl_width_chars=120, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True)
plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False, "figure.dpi": 90, "font.size": 9})
STRATA = ["1k", "10k", "50k", "100k", "1M", "2M", "beyond"]

# %% [markdown]
# ## The data
#
# Of each host, its last capture. `stratum` is the part of the ranking in which its registered
# domain stands: `10k` are ranks 1,001 to 10,000; `beyond` is below 2 million or not listed. Hosts
# whose last capture gave no file are not in the shares; here is how many.

# %%
asked = a.manifest["settings"]["agents"]
policies = a.last_policies()
last = duckdb.sql(f"""
SELECT url_host_name AS host, agent, outcome, restriction, restriction_cc = 'disallow-all' AS closed,
       CASE WHEN rank <= 1_000 THEN '1k' WHEN rank <= 10_000 THEN '10k' WHEN rank <= 50_000 THEN '50k'
            WHEN rank <= 100_000 THEN '100k' WHEN rank <= 1_000_000 THEN '1M' WHEN rank <= 2_000_000 THEN '2M'
            ELSE 'beyond' END AS stratum
FROM policies LEFT JOIN read_csv('{RANKS}', header = false, columns = {{'rank': 'BIGINT', 'domain': 'VARCHAR'}})
    ON domain = coalesce(url_host_registered_domain, regexp_replace(url_host_name, '^www[.]', ''))
""")
duckdb.sql(f"""
SELECT stratum, count(*) AS hosts, count(*) FILTER (outcome = 'rules') AS "with a file",
       count(*) FILTER (outcome = 'unavailable') AS "without one",
       count(*) FILTER (outcome NOT IN ('rules', 'unavailable')) AS "not known",
       count(*) FILTER (closed) AS "closed to everybody"
FROM last WHERE agent = '*'
GROUP BY stratum ORDER BY list_position({STRATA}, stratum)
""").pl()

# %% [markdown]
# ## By rank
#
# A host **disallows everything** where its rules are exactly `Disallow: /`, as in Common Crawl's
# study (`restriction_cc`); a crawler without a group of its own has the rules for `*`. Few hosts
# are closed to everybody, so the divisor is small. The bars are 95 % intervals, made by drawing
# the hosts of a stratum again and again. Where they cross 1, these hosts do not show a bias. A
# stratum in which no host is closed to everybody has no ratio, and no mark.

# %%
SHOWN = ["GPTBot", "CCBot", "Google-Extended", "PerplexityBot"]  # of the crawlers asked about

hosts = duckdb.sql("""
SELECT h.host, h.stratum, a.agent, coalesce(a.closed, false) AS closed, coalesce(h.closed, false) AS closed_to_all
FROM last h JOIN last a ON a.host = h.host AND a.agent <> '*'
WHERE h.agent = '*' AND h.outcome = 'rules' AND a.outcome = 'rules'
ORDER BY a.agent, h.host
""").pl()


def bias(some, draws=1000):
    """The ratio, and its 95 % interval."""
    agent, everybody = some["closed"].to_numpy(), some["closed_to_all"].to_numpy()
    drawn = np.random.default_rng(18).integers(0, len(agent), (draws, len(agent)))
    above, below = agent[drawn].sum(axis=1), everybody[drawn].sum(axis=1)
    ratio = agent.sum() / everybody.sum() if everybody.sum() else np.nan
    # A draw without a closed host has no ratio: it counts as one half of a host.
    low, high = np.quantile(above / np.maximum(below, 0.5), [0.025, 0.975]) if everybody.sum() else (np.nan, np.nan)
    return {"hosts": len(agent), "to it": int(agent.sum()), "to everybody": int(everybody.sum()),
            "bias": ratio, "low": low, "high": high}


found = pl.DataFrame([{"agent": agent, "stratum": stratum} | bias(hosts.filter((pl.col("agent") == agent) & (pl.col("stratum") == stratum)))
                      for agent in SHOWN for stratum in [s for s in STRATA if s in set(hosts["stratum"])]])

figure, ax = plt.subplots(figsize=(9.5, 3.6), layout="constrained")
strata = found["stratum"].unique(maintain_order=True).to_list()
for n, (agent, colour, mark) in enumerate(zip(SHOWN, ("#0072b2", "#d55e00", "#009e73", "#cc79a7"), "osD^")):
    part = found.filter((pl.col("agent") == agent) & pl.col("bias").is_not_nan())
    at = np.array([strata.index(s) for s in part["stratum"]]) + (n - 1.5) * 0.15
    ax.errorbar(at, part["bias"], yerr=[part["bias"] - part["low"], part["high"] - part["bias"]], fmt=mark, color=colour, label=agent,
                markersize=5, linewidth=1)
ax.axhline(1, color="black", linewidth=0.8)
ax.text(len(strata) - 0.45, 0.96, "as everybody", va="top", ha="right", fontsize=8)
ax.set_yscale("log")
lowest = min(0.7, np.nanmin(found["low"].to_numpy()))
ticks = [t for t in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if lowest <= t <= 1.3 * np.nanmax(found["high"].to_numpy())]
ax.set_yticks(ticks, [f"{t:g}" for t in ticks])
ax.set_ylim(bottom=max(lowest, 0.1))
ax.minorticks_off()
ax.set_xticks(range(len(strata)), strata)
ax.set_xlim(-0.6, len(strata) - 0.4)
ax.set_xlabel("rank stratum: up to this rank")
ax.set_ylabel("bias: hosts closed to it / to everybody")
ax.grid(axis="y", alpha=0.3)
figure.legend(loc="outside lower center", ncols=4, frameon=False)
plt.show()

# %%
found.filter(pl.col("agent") == SHOWN[0]).with_columns(pl.col("bias", "low", "high").round(2))

# %% [markdown]
# ## By operator
#
# One operator may have several crawlers: one gathers training data, one answers questions. A host
# keeps out an operator **wholly** if it disallows everything to all of the operator's crawlers that
# the audit asked about, and **in part** if to some of them.

# %%
operators = duckdb.sql(f"""
WITH known AS (SELECT lower(token) AS token, operator FROM '{AGENTS}'),
     each AS (SELECT coalesce(operator, agent) AS operator, host, bool_and(coalesce(closed, false)) AS every_one,
                     bool_or(coalesce(closed, false)) AS some_one, list(agent ORDER BY agent) AS crawlers
              FROM last LEFT JOIN known ON token = lower(agent)
              WHERE outcome = 'rules' AND list_contains({asked}, agent) GROUP BY ALL),
     everybody AS (SELECT count(*) FILTER (closed) AS closed FROM last WHERE agent = '*' AND outcome = 'rules')
SELECT operator, array_to_string(any_value(crawlers), ', ') AS crawlers, count(*) AS hosts,
       count(*) FILTER (every_one) AS wholly, count(*) FILTER (some_one AND NOT every_one) AS "in part",
       round(wholly / (SELECT closed FROM everybody), 2) AS bias
FROM each GROUP BY operator ORDER BY bias DESC, operator
""").pl()
operators

# %% [markdown]
# A crawler whose operator is not in `agents.json` stands under its own token.
#
# ## Hosts or text?
#
# A share of hosts counts a weblog like a newspaper. `WEIGHTS` gives each host a weight, such as the
# tokens that a corpus has of it. Then the share is of the corpus: how much of it lies on hosts that
# restrict the crawler fully (`restriction`). Hosts that are not in the file have no weight and
# count only in the share of hosts. The grey bars are bounds for the share of tokens: all text of
# hosts that are unreachable or not known, counted as not restricted, and as restricted.

# %%
duckdb.sql(f"CREATE TABLE weights AS SELECT lower(host) AS host, tokens::BIGINT AS tokens FROM read_csv('{WEIGHTS}')")
duckdb.sql("""
SELECT count(*) AS hosts, count(tokens) AS "with a weight", sum(tokens)::BIGINT AS tokens,
       round(100 * max(tokens) / sum(tokens), 1) AS "the largest host, %",
       round(100 * sum(tokens) FILTER (place <= 10) / sum(tokens), 1) AS "the ten largest, %",
       (SELECT count(*) FROM weights ANTI JOIN last USING (host)) AS "weights of no host here"
FROM (SELECT tokens, row_number() OVER (ORDER BY tokens DESC NULLS LAST, host) AS place
      FROM (FROM last WHERE agent = '*') LEFT JOIN weights USING (host))
""").pl()

# %%
weighted = duckdb.sql(f"""
SELECT agent, 100 * avg((restriction = 'full')::INT) AS of_hosts,
       100 * sum(tokens) FILTER (restriction = 'full') / sum(tokens) FILTER (restriction IS NOT NULL) AS of_tokens,
       100 * coalesce(sum(tokens) FILTER (restriction = 'full'), 0) / any_value(every) AS at_least,
       100 * (1 - coalesce(sum(tokens) FILTER (restriction <> 'full'), 0) / any_value(every)) AS at_most
FROM last LEFT JOIN weights USING (host),
     (SELECT sum(tokens) AS every FROM (FROM last WHERE agent = '*') JOIN weights USING (host))
WHERE outcome <> 'unreachable' AND list_contains({['*', *asked]}, agent)
GROUP BY agent ORDER BY of_tokens NULLS FIRST, of_hosts, agent
""").pl()

figure, ax = plt.subplots(figsize=(9.5, 0.32 * len(weighted) + 1.3), layout="constrained")
at = range(len(weighted))
ax.hlines(at, weighted["at_least"], weighted["at_most"], color="#bdbdbd", linewidth=7, label="of all tokens: the bounds")
ax.plot(weighted["of_tokens"], at, "s", color="#d55e00", markersize=5, label="of tokens, where known")
ax.plot(weighted["of_hosts"], at, "o", color="#0072b2", markersize=5, label="of hosts, where known")
ax.set_yticks(at, ["* (everybody)" if a == "*" else a for a in weighted["agent"]])
ax.set_xlabel("share that restricts the crawler fully, %")
ax.set_xlim(0)
ax.grid(axis="x", alpha=0.3)
figure.legend(loc="outside lower center", ncols=3, frameon=False)
plt.show()

# %% [markdown]
# ## Limits
#
# - The last capture of a host may be years old: a host that died keeps its last word.
# - Ranks are of registered domains and of one day; `www.` and other hosts of a domain share them.
# - A few large hosts decide a weighted share. The table above says how much they weigh.
# - "Closed" by Common Crawl's definition misses `Disallow: /*` and files with a second rule;
#   [notebook 3](3_restrictions_over_time.ipynb) compares definitions.
# - A bias is a ratio of counts. It tells nothing of why.
