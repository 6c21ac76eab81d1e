# %% [markdown]
# # How often does robots.txt change?
#
# What captures of robots.txt come to over time, how often a file changes, how many of these
# changes concern crawlers for AI, and how long a file stays as it is.
#
# **Tables**: `robots`, a row is one capture of robots.txt; `robots_policies`, a row is one capture
# and one crawler. **Audit**: `robotsaudit audit ARCHIVES -o OUT --agents GPTBot --agents CCBot …`
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
import duckdb
import matplotlib.dates as dates
import matplotlib.pyplot as plt
import numpy as np
import polars as pl

duckdb.sql("SET TimeZone = 'UTC'")
pl.Config(tbl_rows=30, tbl_cols=12, tbl_width_chars=120, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True)
plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False, "figure.dpi": 90, "font.size": 9})

# %% [markdown]
# ## What captures come to
#
# `outcome` says what a capture came to after redirects and revisits. A status does not tell: a
# redirect can end in a file, and a failed connection has none.

# %%
robots, policies = a.robots, a.robots_policies
OUTCOMES = {"rules": "#0072b2", "partial": "#56b4e9", "unavailable": "#009e73", "unreachable": "#d55e00", "undefined": "#cc79a7",
            "unresolved": "#999999"}
robots.aggregate(f"""outcome, {", ".join(f"count(*) FILTER ({test}) AS {name}" for name, test in {
    "captures": "true", '"no answer"': "fetch_status IS NULL", '"2xx"': "fetch_status BETWEEN 200 AND 299",
    '"3xx"': "fetch_status BETWEEN 300 AND 399", '"403"': "fetch_status = 403", '"404"': "fetch_status = 404",
    '"other 4xx"': "fetch_status BETWEEN 400 AND 499 AND fetch_status NOT IN (403, 404)",
    '"5xx"': "fetch_status BETWEEN 500 AND 599"}.items())}""").order(f"list_position({list(OUTCOMES)}, outcome)").pl()

# %%
shares = robots.filter("fetch_time IS NOT NULL").aggregate(f"""
    date_trunc('quarter', fetch_time)::DATE AS quarter, count(*) AS captures,
    {", ".join(f"100 * count(*) FILTER (outcome = '{outcome}') / count(*) AS {outcome}" for outcome in OUTCOMES)}""").order("quarter").pl()

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.4), layout="constrained")
left.stackplot(shares["quarter"], *[shares[o] for o in OUTCOMES], colors=OUTCOMES.values(), labels=OUTCOMES)
left.set_title("All outcomes", fontsize=10, loc="left")
left.margins(0)
for outcome, colour in OUTCOMES.items():
    if outcome != "rules":
        right.plot(shares["quarter"], shares[outcome], color=colour, linewidth=1.8)
right.set_title("The same without rules: another scale", fontsize=10, loc="left")
right.set_ylim(0)
right.grid(axis="y", alpha=0.3)
for ax in (left, right):
    ax.set_ylabel("captures of robots.txt in a quarter, %")
    ax.set_xlabel("quarter")
    ax.xaxis.set_major_locator(dates.YearLocator())
    ax.xaxis.set_major_formatter(dates.DateFormatter("%Y"))
figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=6, frameon=False)
plt.show()

# %% [markdown]
# Each capture counts here, so a site that is visited often counts often. `unavailable` (4xx) allows
# everything. `unreachable` forbids everything for a time. `undefined` and `unresolved` say nothing.
#
# ## How often a file changes
#
# Two captures of an origin after one another that both gave a file are a **pair**. The file
# **changed** if `body_digest` differs: perhaps a comment only. Its **policy** changed if, for any
# crawler that the audit asked about, `restriction` or `group_kind` differs. The rate is the number
# of changes divided by the time between the captures of the pairs. The bars are 95 % intervals, as
# if changes came independently of each other. Quarters for which less than five years of all
# origins together were watched are left out.

# %%
duckdb.sql(f"""
CREATE TABLE versions AS
SELECT r.robots_id, r.origin, r.fetch_time, r.body_digest, p.policy
FROM robots r
JOIN (SELECT robots_id, list((agent, restriction, group_kind) ORDER BY agent)::VARCHAR AS policy FROM policies
      WHERE list_contains({a.manifest["settings"]["agents"]}, agent) GROUP BY robots_id) p USING (robots_id)
WHERE r.outcome = 'rules' AND r.fetch_time IS NOT NULL;

CREATE TABLE pairs AS
SELECT *, lag(fetch_time) OVER w AS before_time, (epoch(fetch_time) - epoch(before_time)) / 86400 AS days,
       lag(body_digest) OVER w <> body_digest AS changed, lag(policy) OVER w <> policy AS policy_changed
FROM versions
WINDOW w AS (PARTITION BY origin ORDER BY fetch_time, robots_id)
QUALIFY before_time IS NOT NULL
""")
rates = duckdb.table("pairs").aggregate("""
    date_trunc('quarter', fetch_time)::DATE AS quarter, count(*) AS pairs, sum(days) / 365.25 AS years,
    count(*) FILTER (changed) AS changes, count(*) FILTER (policy_changed) AS policy_changes""").filter("years >= 5").order("quarter").pl()

figure, ax = plt.subplots(figsize=(9.5, 3.2), layout="constrained")
for column, label, colour, mark, shift in (("changes", "the file changed", "#0072b2", "o", -8), ("policy_changes", "its policy changed", "#d55e00", "s", 8)):
    rate = (rates[column] / rates["years"]).to_numpy()
    # An interval for a number of events: exact enough from a few on (Byar).
    n = rates[column].to_numpy().astype(float)
    low = np.where(n > 0, n * (1 - 1 / (9 * np.maximum(n, 1)) - 1.96 / (3 * np.sqrt(np.maximum(n, 1)))) ** 3, 0)
    high = (n + 1) * (1 - 1 / (9 * (n + 1)) + 1.96 / (3 * np.sqrt(n + 1))) ** 3
    years = rates["years"].to_numpy()
    at = rates["quarter"].to_numpy() + np.timedelta64(45 + shift, "D")
    ax.errorbar(at, rate, yerr=[rate - low / years, high / years - rate], fmt=mark, color=colour, label=label, markersize=4, linewidth=1)
ax.set_ylabel("changes per origin and year")
ax.set_xlabel("quarter of the later capture")
ax.set_ylim(0)
ax.xaxis.set_major_locator(dates.YearLocator())
ax.xaxis.set_major_formatter(dates.DateFormatter("%Y"))
ax.grid(axis="y", alpha=0.3)
figure.legend(frameon=False, loc="outside lower center", ncols=2)
plt.show()

# %%
duckdb.table("pairs").aggregate("""
    year(fetch_time) AS year, count(DISTINCT origin) AS origins, count(*) AS pairs, round(sum(days) / 365.25) AS "origin years",
       count(*) FILTER (changed) AS changes, round(changes / (sum(days) / 365.25), 2) AS "changes a year",
       count(*) FILTER (policy_changed) AS "policy changes", round("policy changes" / (sum(days) / 365.25), 2) AS "those a year",
       round(median(days)) AS "median days apart"
    """).order("year").pl()

# %% [markdown]
# Few files make many of the changes: some write the day into a comment, and so change with every
# capture. The share of all changes that the origins with most changes make:

# %%
duckdb.sql("""
WITH by_origin AS (SELECT origin, count(*) FILTER (changed) AS changes, count(*) FILTER (policy_changed) AS policy_changes FROM pairs GROUP BY origin),
     ranked AS (SELECT *, row_number() OVER (ORDER BY changes DESC, origin) AS place FROM by_origin)
SELECT upto AS "origins with most changes", sum(changes)::INT AS changes,
       round(100 * sum(changes) / (SELECT sum(changes) FROM by_origin), 1) AS "of all, %",
       sum(policy_changes)::INT AS "policy changes"
FROM ranked, (VALUES (5), (10), (50), (100000)) AS steps(upto)
WHERE place <= upto GROUP BY upto ORDER BY upto
""").pl()

# %% [markdown]
# ## How long a file stays as it is
#
# A version of a file begins with the first capture that has it and ends with the first that has
# another one. The last version of each origin has no end: all that is known is that it lasted
# at least so long (Kaplan and Meier's estimate takes that into account). The first version of each
# origin was there before anybody looked, so the months since its first capture are not its age. It
# has a line of its own, which also stands for the many files that never changed.

# %%
def durations(column):
    """The length in days of each version, and whether its end was seen."""
    return duckdb.sql(f"""
    WITH marked AS (SELECT origin, fetch_time, {column}, lag({column}) OVER w IS DISTINCT FROM {column} AS begins
                    FROM versions WINDOW w AS (PARTITION BY origin ORDER BY fetch_time, robots_id)),
         numbered AS (SELECT *, sum(begins::INT) OVER (PARTITION BY origin ORDER BY fetch_time ROWS UNBOUNDED PRECEDING) AS version FROM marked),
         spans AS (SELECT origin, version, min(fetch_time) AS first, max(fetch_time) AS last FROM numbered GROUP BY origin, version)
    SELECT (epoch(coalesce(lead(first) OVER w, last)) - epoch(first)) / 86400 AS days, lead(first) OVER w IS NOT NULL AS ended, version = 1 AS first
    FROM spans WINDOW w AS (PARTITION BY origin ORDER BY version)
    ORDER BY days, ended
    """).pl()


def survival(spans):
    """Kaplan and Meier: the days, and the share that lasts longer."""
    days, ended = spans["days"].to_numpy(), spans["ended"].to_numpy()
    at = np.unique(days[ended])
    lasting = np.cumprod([1 - (ended & (days == d)).sum() / (days >= d).sum() for d in at])
    return np.concatenate([[0], at]), np.concatenate([[1], lasting])


figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.4), sharey=True, layout="constrained")
table = []
for ax, (column, what) in zip(axes, (("body_digest", "the file"), ("policy", "its policy"))):
    spans = durations(column)
    for first, label, colour, style in ((True, "there at the first capture", "#0072b2", "-"), (False, "came later", "#d55e00", "--")):
        some = spans.filter(pl.col("first") == first)
        at, lasting = survival(some)
        ax.step(at / 30.4, 100 * lasting, style, where="post", color=colour, label=label, linewidth=1.8)
        table.append({"what": what, "version": label, "versions": len(some), "end seen": int(some["ended"].sum())} |
                     {f"> {m} months, %": round(100 * float(lasting[at <= m * 30.4][-1]), 1) for m in (3, 6, 12, 24)})
    ax.set_title(f"Versions of {what}", fontsize=10, loc="left")
    ax.set_xlabel("months since a version was first seen")
    ax.set_ylim(0, 102)
    ax.set_xlim(0)
    ax.grid(alpha=0.3)
axes[0].set_ylabel("versions that last longer, %")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
plt.show()
pl.DataFrame(table)

# %% [markdown]
# ## Limits
#
# - A change is seen at the capture after it. With captures a month apart, a version that lived for
#   a week is mostly not seen, and all durations are a month or so uncertain. Rates are lower bounds.
# - Some change often and most never: a rate is of all origins together, and no origin is like it.
# - A capture without a file (a 503, a redirect that leads nowhere) is skipped: the pair spans it.
# - Origins, not hosts: a site that moves to https begins anew, and that is no change.
# - A policy here is about the crawlers that were asked about. A file that names another one changes
#   without it.
