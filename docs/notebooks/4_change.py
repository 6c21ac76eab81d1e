# %% [markdown]
# # How often does robots.txt change?

# %%
OUT = "testdata"  # the output folder of your own audit

# %%
import duckdb

duckdb.sql("SET TimeZone = 'UTC'")
duckdb.sql(f"SELECT outcome, count(*) AS captures FROM '{OUT}/robots.parquet' GROUP BY ALL ORDER BY ALL").pl()
