"""300 variants of lists, tables of robots.txt and access logs: read rightly, or refused aloud.

    variants BINARY [SEED]
    variants BINARY [SEED] --only N --keep DIR       one of them, its files and its audit

The rows are known before a file is written, and stand in expected.json beside it. A file has them under some names, in
some order, with other columns between, in some types, forms of time, encodings and compressions. Then one of two holds:

1. Its rows are those that were written: URL, time, and id, agent, status or body.
2. The exit code is 3, an issue says why, and no row says what was not written.

At least 220 are read rightly.
"""

import base64
import bz2
import csv
import gzip
import hashlib
import io
import json
import lzma
import random
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import datetime, timedelta, timezone
from pathlib import Path

import logs
import pyarrow
import pyarrow.parquet as parquet
from lib import MEMORY, folder, iso, table

START = datetime(2024, 5, 13, 9, 30, 15, tzinfo=timezone.utc)  # a day that no other order makes a date of

# Forms of time in texts; those below cannot be read.
TIMES = {
    "Z": iso,
    "offset": lambda t: t.astimezone(timezone(timedelta(hours=-7))).isoformat(),
    "fraction": lambda t: t.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
    "pandas": lambda t: str(t),
    "no zone": lambda t: t.strftime("%Y-%m-%d %H:%M:%S"),
    "digits": lambda t: t.strftime("%Y%m%d%H%M%S"),
    "slashes": lambda t: t.strftime("%Y/%m/%d %H:%M:%S"),
}
ODD_TIMES = {
    "American": lambda t: t.strftime("%m/%d/%Y %H:%M"),
    "a mail's": lambda t: t.strftime("%a, %d %b %Y %H:%M:%S GMT"),
    "seconds": lambda t: str(int(t.timestamp())),
}
TIME_TYPES = {
    "ms": pyarrow.timestamp("ms", "UTC"), "us": pyarrow.timestamp("us", "UTC"), "ns": pyarrow.timestamp("ns", "UTC"),
    "local": pyarrow.timestamp("us"), "INT96": pyarrow.timestamp("ns"),
}
STATUS_TYPES = {
    "int16": pyarrow.int16(), "int64": pyarrow.int64(), "uint16": pyarrow.uint16(), "double": pyarrow.float64(),
    "text": pyarrow.string(), "words": pyarrow.string(), "float": pyarrow.float32(), "list": pyarrow.list_(pyarrow.int64()),
}
WORDS = {200: "200 OK", 404: "HTTP/1.1 404 Not Found", 503: "503 Service Unavailable"}
URLS = ("url", "uri", "target_uri")
NAMES = {
    "list": {"url": URLS, "time": ("time", "timestamp", "date", "fetch_time", "warc_date"), "id": ("id",),
             "agent": ("agent", "user_agent")},
    "table": {"url": (*URLS, "robots_url"), "time": ("time", "date", "observed_at", "crawl_date", "snapshot_date", "retrieved_at"),
              "status": ("status", "status_code", "http_status", "fetch_status"),
              "body": ("body", "content", "text", "robots_txt", "robotstxt"), "body_base64": ("body_b64", "content_base64"),
              "headers": ("headers", "response_headers")},
}
COMPRESSIONS = {
    "plain": lambda b: b, "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress,
    "zstd": lambda b: subprocess.run(["zstd", "-qc"], input=b, capture_output=True, check=True).stdout,
    "members": lambda b: gzip.compress(b[:len(b) // 2]) + gzip.compress(b[len(b) // 2:]),
    "lz4": lambda b: b"\x04\"M\x18" + b,  # which is not read
}
ENCODINGS = {"UTF-8": "utf-8", "mark": "utf-8-sig", "UTF-16": "utf-16", "UTF-16BE": "utf-16-be"}


def pick(rng, usual, odd, chance=0.08):
    """One of the usual ways, and now and then an odd one."""
    return rng.choice(list(odd if odd and rng.random() < chance else usual))


def encoded(rng, text, said):
    """A text as bytes."""
    ends, name = rng.choice(["\n", "\n", "\r\n"]), rng.choice(["UTF-8"] * 5 + list(ENCODINGS))
    packing = pick(rng, list(COMPRESSIONS)[:-1], ["lz4"], 0.02)
    said += [name, packing, repr(ends)]
    mark = "\ufeff" if name == "UTF-16BE" else ""
    return COMPRESSIONS[packing]((mark + text.replace("\n", ends)).encode(ENCODINGS[name]))


def columns(rng, kind, rows, said):
    """The names of fields, and what --columns says of them."""
    fields = list(rows[0])
    way = pick(rng, ["usual"] * 5 + ["own", "own", "nested"], ["unnamed"], 0.06)
    said.append(f"names {way}")
    names = {f: rng.choice([str.lower, str.lower, str.upper])(rng.choice(NAMES[kind][f])) for f in fields}
    if way == "usual":
        return names, []
    odd = [rng.choice(["url", "time"])] if way == "unnamed" else rng.sample(fields, rng.randrange(1, len(fields) + 1))
    names |= {f: ("meta.x_" if way == "nested" else "my ") + f for f in odd}
    return names, [] if way == "unnamed" else ["--columns", ",".join(f"{f}={names[f]}" for f in odd)]


def others(rng, number):
    return {"n": number, "score": rng.random(), "tags": ["a", "b"], "source": {"url_of": "x", "of": [{"url": "no"}]}}


def shuffled(rng, row):
    keys = list(row)
    rng.shuffle(keys)
    return {key: row[key] for key in keys}


def nested(row):
    """A row whose dotted names are objects."""
    tree = {}
    for name, value in row.items():
        *groups, last = name.split(".")
        at = tree
        for group in groups:
            at = at.setdefault(group, {})
        at[last] = value
    return tree


def write_rows(rng, kind, rows, dir, said):
    """Writes rows in some form; returns its path, and options. Times are moments, and statuses numbers."""
    names, options = columns(rng, kind, rows, said)
    form = rng.choice(["csv", "tsv", "scsv", "jsonl", "jsonl", "array", "parquet", "parquet", "parquet"])
    said.insert(0, form)
    path = dir / f"rows.{form}"
    if form == "parquet":
        write_parquet(rng, kind, rows, names, path, said)
        return path, options
    when = pick(rng, TIMES, ODD_TIMES)
    words = rng.random() < 0.3
    said += [f"time {when}", "words" if words else ""]
    texts = []
    for n, row in enumerate(rows):
        row = dict(row, time=(TIMES | ODD_TIMES)[when](row["time"]))
        if form not in ("jsonl", "array"):
            row = {f: "" if v is None else json.dumps(v) if isinstance(v, dict) else v for f, v in row.items()}
        if when in ("seconds", "digits") and form in ("jsonl", "array") and rng.random() < 0.5:
            row["time"] = int(row["time"])
        if row.get("status") and words:
            row["status"] = WORDS[row["status"]]
        texts.append({names[f]: value for f, value in row.items()} | others(random.Random(n), n))
    if form in ("jsonl", "array"):
        lines = [json.dumps(nested(shuffled(rng, row)), ensure_ascii=rng.random() < 0.5) for row in texts]
        text = "\n".join(lines) + "\n" if form == "jsonl" else "[" + ",\n ".join(lines) + "]"
    else:
        order = list(shuffled(rng, texts[0]))
        out = io.StringIO(newline="")
        lines = csv.writer(out, delimiter={"csv": ",", "tsv": "\t", "scsv": ";"}[form], lineterminator="\n",
                           quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
        lines.writerow(order)
        lines.writerows([row[name] for name in order] for row in texts)
        text = out.getvalue()
    if kind == "table":  # line ends of bodies are part of them
        said.append("as it is")
        path.write_bytes(COMPRESSIONS[rng.choice(["plain", "gzip", "bzip2", "xz", "zstd"])](text.encode()))
    else:
        path.write_bytes(encoded(rng, text, said))
    return path, options


def write_parquet(rng, kind, rows, names, path, said):
    form = pick(rng, [*TIME_TYPES, *TIMES], [*ODD_TIMES, "real", "none"])
    status = pick(rng, list(STATUS_TYPES)[:-2], list(STATUS_TYPES)[-2:], 0.2)
    headers = rng.choice(["text", "map", "struct"])
    id_type = rng.choice([pyarrow.int64(), pyarrow.string(), pyarrow.large_string(), pyarrow.int32(), pyarrow.float64()])
    arrays = {}
    for f in rows[0]:
        values = [row[f] for row in rows]
        if f == "time" and form in TIME_TYPES:
            array = pyarrow.array([v if TIME_TYPES[form].tz else v.replace(tzinfo=None) for v in values], TIME_TYPES[form])
        elif f == "time" and form in ("real", "none"):
            array = pyarrow.array([v.timestamp() if form == "real" else None for v in values])
        elif f == "time":
            array = pyarrow.array([(TIMES | ODD_TIMES)[form](v) for v in values])
            if form in ("digits", "seconds") and rng.random() < 0.5:
                array = array.cast(pyarrow.int64())
        elif f == "status":
            as_type = {"text": str, "words": WORDS.get, "double": float, "float": float, "list": lambda v: [v]}
            array = pyarrow.array([v and as_type.get(status, int)(v) for v in values], STATUS_TYPES[status] if any(values) else None)
        elif f == "id":
            array = pyarrow.array([str(v) if id_type in (pyarrow.string(), pyarrow.large_string()) else v for v in values], id_type)
        elif f == "body":
            array = pyarrow.array(values, rng.choice([pyarrow.string(), pyarrow.binary(), pyarrow.large_string()]))
            array = array.dictionary_encode() if rng.random() < 0.2 and array.type == pyarrow.string() else array
        elif f == "headers":
            kinds = {"text": pyarrow.string(), "map": pyarrow.map_(pyarrow.string(), pyarrow.string()),
                     "struct": pyarrow.struct([("Server", pyarrow.string())])}
            array = pyarrow.array([json.dumps(v) if headers == "text" else list(v.items()) if headers == "map" else v
                                   for v in values], kinds[headers])
        else:
            array = pyarrow.array(values)
        arrays[names[f]] = array
    for name in ("n", "score", "tags", "source"):
        arrays[name] = pyarrow.array([others(random.Random(n), n)[name] for n in range(len(rows))])
    top, groups = {}, {}
    for name, array in shuffled(rng, arrays).items():
        group, _, member = name.rpartition(".")
        (groups.setdefault(group, {}) if group else top)[member if group else name] = array
    for group, members in groups.items():
        top[group] = pyarrow.StructArray.from_arrays(list(members.values()), list(members))
    packing = rng.choice(["none", "snappy", "gzip", "zstd", "brotli"])
    said += [f"time {form}", f"status {status}", f"headers {headers}", f"id {id_type}", packing]
    parquet.write_table(pyarrow.table(top), path, compression=packing, use_deprecated_int96_timestamps=form == "INT96",
                        data_page_version=rng.choice(["1.0", "2.0"]), row_group_size=rng.choice([3, 1000]),
                        use_dictionary=rng.random() < 0.5)
    if rng.random() < 0.04:
        said.append("the whole in gzip")
        path.write_bytes(gzip.compress(path.read_bytes()))


def listed(rng, dir, said):
    fields = ["url", "time", *(f for f in ("id", "agent") if rng.random() < 0.7)]
    rows = []
    for n in range(12):
        row = {"url": f"https://h{n % 3}.example/p/{n}?q={rng.randrange(99)},\"é\"" if n % 4 == 0 else f"http://h{n % 3}.example/{n}",
               "time": START + timedelta(hours=7 * n), "id": 100 + n, "agent": rng.choice(["ExampleBot", None])}
        rows.append({f: row[f] for f in fields})
    want = [{"url": r["url"], "time": iso(r["time"]), "ids": [str(r["id"])] if "id" in r else [], "agent": r.get("agent")} for r in rows]
    yield want
    path, options = write_rows(rng, "list", rows, dir, said)
    (dir / "robots.csv").write_text("host,time,body\nh0.example,2024-05-01T00:00:00Z,User-agent: *\n")
    yield ["--urls", path, "--robots", dir / "robots.csv"] if not options else ["--urls", path, dir / "some.warc", *options]


def tabled(rng, dir, said):
    how = pick(rng, ["plain", "plain", "base64"], ["python", "quoted"], 0.1)
    fields = ["url", "time", *(f for f in ("status", "headers") if rng.random() < 0.7)]
    has_status = rng.random() < 0.94  # or the column is empty
    rows, want = [], []
    for n in range(10):
        status = rng.choice([200, 200, 200, 404, 503]) if "status" in fields and has_status else None
        body = f"User-agent: *\nDisallow: /{n}\n# é, \"{rng.random()}\"\n"
        row = {"url": f"https://h{n % 3}.example/robots.txt", "time": START + timedelta(hours=5 * n), "status": status,
               "headers": {"Server": "x: y"}}
        row = {f: row[f] for f in fields}
        text = {"python": str(body.encode()), "quoted": body.strip().replace("\n", "\\n")}.get(how, body)
        row |= {"body_base64": base64.b64encode(body.encode()).decode()} if how == "base64" else {"body": text}
        rows.append(row)
        want.append({"url": row["url"], "time": iso(row["time"]), "status": row.get("status"),
                     "body": "sha256:" + hashlib.sha256(body.encode()).hexdigest()})
    said.append(f"bodies {how}")
    yield want
    path, options = write_rows(rng, "table", rows, dir, said)
    yield ["--robots", path, *options]


def logged(rng, dir, said):
    name = rng.choice(list(logs.FORMATS))
    line, options, _ = logs.FORMATS[name]
    requests = []
    for n in range(15):
        at = START + timedelta(minutes=11 * n)
        requests.append(logs.Request(at, at, at, f"192.0.2.{n}", logs.AGENTS[rng.choice(list(logs.AGENTS))], rng.choice(logs.PATHS),
                                     rng.choice([200, 404, 503]), 100 + n, None))
    agents = {text: token for token, text in logs.AGENTS.items()}
    yield [{"url": f"https://{logs.HOST}{r.path}", "time": iso(r.at), "status": r.status, "agent": agents[r.agent]} for r in requests]
    way = pick(rng, ["as it is"], ["in a container", "another site", "no site", "another format"], 0.25)
    said += [name, way]
    lines = [("2024-05-13T09:30:15.000000000Z stdout F " if way == "in a container" else "") + line(r) for r in requests]
    (dir / "access.log").write_bytes(encoded(rng, (logs.FIELDS if name == "CloudFront" else "") + "\n".join(lines) + "\n", said))
    (dir / "robots.csv").write_text(f"host,time,body\n{logs.HOST},2024-05-01T00:00:00Z,User-agent: *\n")
    if way == "another site" and name not in ("apache", "nginx", "more fields"):  # whose lines have no host
        options = ["--site", "https://other.example", *options[2:]]
    elif way == "no site":
        options = options[2:]
    elif way == "another format":
        options = [*logs.SITE, "--line-format", '$remote_addr "$request" <$time_local> $status']
    yield ["--access-log", dir / "access.log", "--robots", dir / "robots.csv", *options]


def found(dir, kind):
    out = dir / "out"
    if kind == "table":
        return [{"url": r["url"], "time": r["fetch_time"], "status": r["fetch_status"],
                 "body": r["body_digest"] if r["outcome"] == "rules" else None, "outcome": r["outcome"]} for r in table(out, "robots")]
    return [{"url": r["url"], "time": r["fetch_time"], "status": r["fetch_status"], "agent": r["agent"], "ids": r["list_ids"]}
            for r in table(out, "fetches")]


def is_of(row, want, whole):
    """Whether a row says what was written: all of it, or, where it is not whole, nothing else."""
    for field, value in want.items():
        got = row[field]
        if field == "time" and got is not None:
            got = iso(got)
        if field == "body" and want["status"] in (404, 503):
            continue  # what it means is in the status
        if field == "agent" and row.get("ids") is None:
            continue
        if got != value and (whole or got):
            return False
    return True


def variant(binary, seed, number, keep=None):
    """Makes a variant and judges its audit: how it ended, and what it is."""
    rng = random.Random(seed * 1000 + number)
    kind, make = [("list", listed), ("table", tabled), ("log", logged), ("list", listed), ("table", tabled)][number % 5]
    with nullcontext(Path(keep)) if keep else folder(dir=MEMORY) as dir:
        said = []
        parts = make(rng, dir, said)
        want = next(parts)
        (dir / "expected.json").write_text(json.dumps(want))
        options = next(parts)
        if dir / "some.warc" in options:  # an archive, so that a table with other names is none of the inputs
            (dir / "some.warc").write_text("WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Date: 2024-05-01T00:00:00Z\r\n"
                                           "WARC-Record-ID: <urn:uuid:1>\r\nContent-Length: 0\r\n\r\n\r\n\r\n")
        done = subprocess.run([binary, "audit", "-o", dir / "out", "--quiet", *options], capture_output=True, text=True)
        what = f"{number} {kind}: {', '.join(filter(None, said))}: exit code {done.returncode}: {done.stderr.strip()[-300:]}"
        if done.returncode not in (0, 3):
            return "neither", what
        rows = found(dir, kind)
        left = list(rows)
        for expected in want:
            at = next((i for i, row in enumerate(left) if is_of(row, expected, True)), None)
            if at is None:
                break
            del left[at]
        else:
            if not left:
                return "read", what
        issues = [i["detail"] for i in table(dir / "out", "issues")]
        if done.returncode != 3 or not issues or not done.stderr:
            return "silent", what
        wrong = [row for row in rows if not any(is_of(row, expected, False) for expected in want)]
        return ("wrong", f"{what}: {wrong[0]}") if wrong else ("refused", what)


def main(binary, seed: int = 1, *, only: int = -1, keep=None):
    numbers = range(300) if only < 0 else [only]
    with ThreadPoolExecutor(2) as pool:
        ends = list(pool.map(lambda n: variant(binary, seed, n, keep), numbers))
    counts = Counter(end for end, _ in ends)
    for end, what in ends:
        if end not in ("read", "refused") or only >= 0:
            print(f"{end}: {what}")
    print(f"variants: {len(ends)}, of them {counts['read']} read rightly, {counts['refused']} refused aloud")
    return counts["read"] + counts["refused"] < len(ends) or only < 0 and counts["read"] < 220
