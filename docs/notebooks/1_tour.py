# %% [markdown]
# # A tour of an audit
#
# Did the crawler keep to robots.txt, what proves it, and what is not known?
#
# An audit is a folder of Parquet tables. A row of `fetches` is one captured exchange: a request
# of the crawler and the answer to it. The other tables say more of some of them.
# [docs/SCHEMA.md](../SCHEMA.md) describes every column, and so does `robotsaudit schema TABLE`.
#
# The audit needs no options. With `--agents ai --purpose train` every part of this tour has
# rows.

# %%
try:
    import robotsaudit
except ImportError:  # in Colab: first upload the wheel of a release
    get_ipython().run_line_magic("pip", "install -q ./robotsaudit-*manylinux*x86_64.whl polars matplotlib")
    import robotsaudit

# %%
a = robotsaudit.open("testdata")  # the output folder of your own audit

# %%
import duckdb
import matplotlib.pyplot as plt
import polars as pl

duckdb.sql("SET TimeZone = 'UTC'")  # else times are shown in the zone of this machine
pl.Config.set_tbl_rows(20).set_fmt_str_lengths(60).set_tbl_hide_dataframe_shape(True)
pl.Config.set_tbl_width_chars(160).set_tbl_hide_column_data_types(True)
plt.rcParams.update({"figure.dpi": 100, "font.size": 10, "axes.spines.top": False, "axes.spines.right": False})


# %% [markdown]
# ## The answer
#
# An audit shows its answer. `a.report()` writes the whole report, `a.summary` has the totals, and
# each table is an attribute: a relation of DuckDB.

# %%
a

# %% [markdown]
# The first two classes are violations: the archives show that the crawler was informed in time. The
# next two are disallowed, too, but nothing proves a violation. **Unknown** is neither allowed nor
# disallowed, and [7_sure](7_sure.ipynb) shows what it does to shares.
#
# ## Violations, with their proof
#
# A row of `violations` proves itself: it names the line of the robots.txt that forbids the fetch,
# when that file was captured, and where both records lie in the archives.

# %%
a.violations.order("certainty, fetch_time, url").select("""
    url, agent, certainty, rule, rule_line AS line, robots_age_seconds AS age_s, warc_filename AS archive""").limit(12).pl()

# %% [markdown]
# `age_s` is the age of the robots.txt in seconds when the crawler fetched the page. A null rule
# means that robots.txt could not be had (status 5xx), which forbids everything. The whole story of
# the first row; `a.evidence("proof.warc.gz")` makes a bundle of exactly the records that all rest on:

# %%
a.explain(1)

# %% [markdown]
# ## Disallowed, and no violation

# %%
a.unproven.aggregate("certainty, evidence, notes, count(*) AS fetches, min(url) AS example").order("certainty, evidence, notes").pl()

# %% [markdown]
# **Possible**: nothing shows that this crawler was informed in time. Mostly the evidence is `stale`
# (captured more than a day before), or `later` than the fetch. **Contested**: another copy that the
# crawler may have used allows the fetch (`permitted_copy`), or a reading that the standard leaves
# open.
#
# ## What robots.txt was
#
# A row of `robots` is one capture of /robots.txt. Its outcome is what it came to after redirects.

# %%
outcomes = a.robots.aggregate("outcome, count(*) AS captures").order("captures, outcome").pl()
means = {
    "rules": "rules: a file", "partial": "partial: a part of a file", "unavailable": "unavailable: allows everything",
    "unreachable": "unreachable: forbids everything", "unresolved": "unresolved: leads elsewhere", "undefined": "undefined: says nothing",
}
fig, ax = plt.subplots(figsize=(7, 2.4), layout="constrained")
unknown = {"partial", "unresolved", "undefined"}
bars = ax.barh([means[o] for o in outcomes["outcome"]], outcomes["captures"],
               color=["#969696" if o in unknown else "#6baed6" for o in outcomes["outcome"]])
ax.bar_label(bars, padding=3)
ax.set_xlabel("captures of robots.txt (grey: verdicts that rest on it can be unknown)")
plt.show()

# %% [markdown]
# ## What pages say themselves
#
# A row of `page_tags` is one rule in a header field or a meta element of a page. `agent` is null
# where the rule is for everybody.

# %%
a.page_tags.filter("agent IS NULL").aggregate("""
    rule, restricts, source, count(*) AS rules, count(DISTINCT url) AS pages""").order("pages DESC, rule, source").limit(12).pl()

# %% [markdown]
# With `--purpose`, the table `restrictions` says what restricts that purpose, in the words of the
# page or its site. A restriction is no violation. [6_signals](6_signals.ipynb) has more.

# %%
a.restrictions.order("certainty, url").select("""
    url, purpose, certainty, list_aggregate(statements, 'string_agg', '; ') AS statements""").limit(8).pl()

# %% [markdown]
# ## What is unknown, and why

# %%
a.fetches.filter("verdict = 'unknown'").aggregate("""
    reason, count(*) AS fetches, count(DISTINCT origin) AS origins, min(url) AS example""").order("fetches DESC, reason").pl()

# %% [markdown]
# `no_capture` needs archives that hold the robots.txt of these sites. `changed_between` and
# `unresolved_redirect` need more captures of it. `robotsaudit schema fetches` says what each reason
# means, and the report (`report.html`) what would settle it.
#
# **Limits.** These are the fetches that the archives hold, and not all that the crawler made.
# robots.txt is a request, not an authorization: disallowed does not mean illegal.
