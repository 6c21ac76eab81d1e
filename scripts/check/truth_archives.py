"""Archives of a world: dates, orders, runs, joins, parts, copies and losses as real archives have them."""

import gzip
import hashlib
import re
from datetime import datetime, timezone
from typing import NamedTuple

import lib
from lib import IDENTICAL, NOT_MODIFIED, message, sha1

SOFTWARE_FIELD = {"Wget": "Wget/1.21.3 (linux-gnu)", "heritrix": "Heritrix/3.4.0", "Wpull": "Wpull/2.0.1"}


class Run(NamedTuple):
    """Run is what an archive states of the crawl that its record comes from: a warcinfo record, or none."""
    id: str           # of the warcinfo record, or else the name of the file
    fields: tuple     # of the warcinfo record; none of a file without one
    filename: str


class Place(NamedTuple):
    file: str
    position: int
    run: Run


def date_of(exchange, asked=False):
    """date_of gives the WARC-Date, or that of the request record, and its precision in seconds."""
    habits = exchange.crawl.habits
    moment = exchange.sent if habits["dated"] == "beginning" or asked and habits["asks"] and habits["requests"] else exchange.received
    (at, step), digits = habits["steps"][exchange.machine], habits["precision"]
    moment += habits["offsets"][exchange.machine] + step * (moment > at)
    return int(moment * 10**digits) / 10**digits, 10.0**-digits


def duration_of(exchange):
    """duration_of gives the fetchTimeMs of the metadata record, None where there is none. Some lie: what is negative or long."""
    if not exchange.crawl.habits["durations"]:
        return None
    if exchange.crawl.habits["lies"]:
        return (-4, 10**12)[hash_of(exchange) % 2]
    return int((exchange.received - exchange.sent) * 1000)


def written(date, digits):
    whole = datetime.fromtimestamp(int(date), timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    return whole + (f".{round((date - int(date)) * 10**digits):0{digits}d}" if digits else "") + "Z"


def http_date(moment):
    return datetime.fromtimestamp(int(moment), timezone.utc).strftime("%a, %d %b %Y %H:%M:%S GMT")


def record(kind, identity, date, block, *fields):
    fields = {"WARC-Record-ID": f"<urn:uuid:{identity}>", "WARC-Date": date, **dict(field.split(": ", 1) for field in fields)}
    return gzip.compress(lib.record(kind, block, fields), 1, mtime=0)


def uuid(text):
    made = text if re.fullmatch("[0-9a-f]{32}", text) else hashlib.md5(text.encode()).hexdigest()
    return f"{made[:8]}-{made[8:12]}-{made[12:16]}-{made[16:20]}-{made[20:]}"


def http_head(exchange):
    answer, age = exchange.answer, exchange.age
    fields = [("Content-Length", len(answer.body)), ("Content-Type", "text/plain"), ("Date", exchange.date and http_date(exchange.date)),
              ("Age", age and int(age)), ("Location", answer.location), ("ETag", exchange.etag)]
    return message(f"HTTP/1.1 {answer.status} X", [(name, value) for name, value in fields if value not in (None, "")])


def exchange_records(exchange, run, original):
    """exchange_records gives the records of an exchange, in the order of its archive. Original is what a revisit refers to."""
    habits, url = exchange.crawl.habits, f"http://{exchange.host}{exchange.path}"
    date = written(date_of(exchange)[0], habits["precision"])
    common = [f"WARC-Target-URI: {url}"] + [f"WARC-Warcinfo-ID: <urn:uuid:{run.id}>"] * (bool(run.fields) and habits["named"])
    identity, head, answer = uuid(exchange.id), http_head(exchange), exchange.answer
    http = "Content-Type: application/http;msgtype="
    if original:
        fields = [f"WARC-Profile: {NOT_MODIFIED if answer.status == 304 else IDENTICAL}", f"WARC-Refers-To-Target-URI: {url}",
                  f"WARC-Refers-To-Date: {written(date_of(original)[0], habits['precision'])}",
                  f"WARC-Payload-Digest: {sha1(original.answer.body)}"]
        made = [record("revisit", identity, date, head, *common, http + "response", *fields)]
    else:
        made = [record("response", identity, date, head + answer.body, *common, http + "response", f"WARC-Payload-Digest: {sha1(answer.body)}")]
    if habits["requests"]:
        fields = ("Host", exchange.host), ("User-Agent", exchange.agent), ("If-None-Match", exchange.validator)
        asked = message(f"GET {exchange.path} HTTP/1.1", [(name, value) for name, value in fields if value])
        made.append(record("request", uuid(exchange.id + "q"), written(date_of(exchange, True)[0], habits["precision"]), asked, *common,
                           f"WARC-Concurrent-To: <urn:uuid:{identity}>", http + "request"))
    if duration_of(exchange) is not None:
        made.append(record("metadata", uuid(exchange.id + "m"), date, f"fetchTimeMs: {duration_of(exchange)}\r\n".encode(), *common,
                           f"WARC-Concurrent-To: <urn:uuid:{identity}>", "Content-Type: application/warc-fields"))
    return made


def warcinfo(run, moment):
    block = "".join(f"{name}: {value}\r\n" for name, value in run.fields).encode()
    return record("warcinfo", run.id, written(int(moment), 0), block, "Content-Type: application/warc-fields", f"WARC-Filename: {run.filename}")


def originals(crawl):
    """originals gives of each exchange that its crawler stores as a revisit the one that it refers to."""
    found, bodies = {}, {}
    if crawl.habits["dedup"]:
        for exchange in sorted(crawl.exchanges, key=lambda exchange: exchange.received):
            url, status = (exchange.host, exchange.path), exchange.answer.status
            if status == 304 and (url, exchange.validator) in bodies:
                found[exchange.id] = bodies[url, exchange.validator]
            elif status == 200:
                first = bodies.setdefault((url, exchange.answer.body), exchange)
                bodies.setdefault((url, exchange.etag), first)
                if first is not exchange:
                    found[exchange.id] = first
    return found


def shelves(rng, crawl):
    """shelves gives the files of one crawl: a run and its exchanges in their order in the file."""
    habits, order = crawl.habits, sorted(crawl.exchanges, key=lambda exchange: exchange.received)
    for exchange in order:
        exchange.lost = (exchange.robots or exchange.target) and rng.random() < habits["loses"]
    made = []
    for machine in range(crawl.machines):
        kept = [exchange for exchange in order if exchange.machine == machine and not exchange.lost]
        parts = rng.choice((1, 1, 1, 2, 4))
        if habits["order"] == "shuffled":
            rng.shuffle(kept)
        size = len(kept) // parts + 1
        for part in range(parts):
            mine = kept[part * size:(part + 1) * size] if habits["order"] != "pool" else [x for x in kept if hash_of(x) % parts == part]
            name = f"{crawl.name}-{machine}-{part:05d}.warc.gz"
            made.append((Run(uuid(f"{crawl.name} {name} {crawl.exchanges[0].id if crawl.exchanges else ''}"), fields_of(crawl, machine), name), mine))
    return [(run, mine) for run, mine in made if mine]


def hash_of(exchange):
    return int(exchange.id[:8], 16)


def fields_of(crawl, machine):
    """fields_of gives the fields of warcinfo records of one machine. What its records do not name, they have to."""
    if crawl.habits["info"] == "none" and crawl.habits["requests"]:
        return ()
    fields = [("software", SOFTWARE_FIELD.get(crawl.token, crawl.token or "warcprox 2.5"))]
    if crawl.habits["info"] == "full":
        fields += [("hostname", f"host{machine}.{crawl.name}.example"), ("operator", crawl.name), ("isPartOf", f"job {crawl.name}")]
    if crawl.habits["info"] == "default":  # what many leave as it was installed
        fields += [("hostname", "localhost"), ("operator", "Admin"), ("isPartOf", "basic")]
    if crawl.token == "Wget":
        fields.append(("wget-arguments", f'"--warc-file={crawl.name}" "http://example/"'))
    if not crawl.habits["requests"] and crawl.agent:
        fields.append(("http-header-user-agent", crawl.agent))
    return tuple(fields)


def write(world, folder):
    """write writes the archives of a world, and gives the places of each exchange by its ID."""
    rng, places = world.rng, {}
    stored = [shelf for crawl in world.crawls for shelf in shelves(rng, crawl)]
    originals_of = {identity: first for crawl in world.crawls for identity, first in originals(crawl).items()}
    files = [[shelf] for shelf in stored]
    rng.shuffle(files)
    for _ in range(rng.choice((0, 0, 1, 2))):  # joined files
        if len(files) > 1:
            files.append(files.pop() + files.pop(0))
    for number, joined in enumerate(files):
        bare = len(joined) > 1 and rng.random() < 0.2 and all(run.fields == () or crawl_of(mine).habits["requests"] for run, mine in joined)
        mixed = len(joined) > 1 and all(crawl_of(mine).habits["named"] and run.fields for run, mine in joined) and rng.random() < 0.5
        write_file(folder, f"{number:03d}-{joined[0][0].filename}", joined, originals_of, places, bare, mixed)
    for number in range(rng.choice((0, 0, 0, 1, 2))):  # copies of some records in an archive of their own
        some = [(run, [x for x in mine if x.robots or rng.random() < 0.3]) for run, mine in rng.sample(stored, min(2, len(stored)))]
        some = [(run, mine) for run, mine in some if mine and crawl_of(mine).habits["requests"]]
        if rng.random() < 0.3:
            for _, mine in some:
                rng.shuffle(mine)
        write_file(folder, f"{rng.choice('0z')}-copies-{number}.warc.gz", some, originals_of, places, bare=rng.random() < 0.5, mixed=False,
                   damage=rng.choice(("", "cut", "hole", "requests")), at=rng.random())
    return places


def crawl_of(exchanges):
    return exchanges[0].crawl


def write_file(folder, name, joined, originals_of, places, bare, mixed, damage="", at=0):
    """write_file writes an archive: runs one after the other, or mixed by time; bare of their warcinfo records or with them.
    Damage: it is "cut" within a record, or has a "hole" in place of one, or its "requests" are left out."""
    rows = [(run, exchange) for run, mine in joined for exchange in mine]
    if mixed:
        rows.sort(key=lambda row: row[1].received)
    of_file, seen, current = Run(name, (), name), set(), None
    with open(folder / name, "wb") as out:
        if mixed:
            for run, mine in joined:
                out.write(warcinfo(run, mine[0].sent))
                seen.add(run.id)
        for position, (run, exchange) in enumerate(rows):
            if run.fields and run.id not in seen and not bare:
                out.write(warcinfo(run, exchange.sent))
                seen.add(run.id)
                current = run
            # A record names its warcinfo record, wherever that lies; or else the one before it counts.
            named = run.fields and exchange.crawl.habits["named"]
            is_damaged = damage in ("cut", "hole") and position == int(at * len(rows))
            if not is_damaged:
                places.setdefault(exchange.id, []).append(Place(name, position, run if named else current or of_file))
            first, *others = exchange_records(exchange, run, originals_of.get(exchange.id))
            out.write((first[:-20] if damage == "cut" else bytes(len(first))) if is_damaged else first)
            if is_damaged and damage == "cut":
                break
            for block in () if damage == "requests" else others:
                out.write(block)
