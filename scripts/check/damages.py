"""Damage archives at random, audit what is left, and compare it with the audit of the original.

    damages BINARY                             10,000 damages; a table of what came of them, as docs/bench has it
    damages BINARY 500 7                       500 of them, with seed 7
    damages BINARY 0 7 --only 123 --keep DIR   damage 123 of seed 7 alone: original, damaged file and both audits in DIR

TMPDIR=/dev/shm and --jobs 4 make it twice as fast.

The archives are those of ../shared/warc, where it is there, and some of testdata/warc: small ones as they
are, and the first records of others in every container (damages_archives.py). Damage N depends on the seed, on N and on
these archives alone. A fetch is its URL, date, status, type, record id, payload digest and media type; what the
damaged archive has of these and the original has not is

  altered    where one of the original has its record id, or its URL, date and payload digest, or differs from it
             in two of these fields at most, in an archive without checksums that cover the headers of records:
             there this cannot be seen
  invented   else, and where its crawler is one that the original knows nothing of; in zstd frames without checksums
             such a crawler is altered, too: nothing but --verify-digests looks at what a request holds there

A fetch whose record becomes a copy of another one (issue duplicate_record) is not lost. A loss must have an issue
that the original has not, and exit code 3; only a file that ends behind a record, or has nothing but line ends or
zeros there (gzip files are padded with them), cannot be told from a whole one. Exit code 1 where a loss
has none, a fetch is invented, a violation is new (of a fetch that is not altered), a flipped bit or a changed byte
loses more than one fetch where each record is compressed for itself, or the program fails.
"""

import collections
import concurrent.futures
import dataclasses
import os
import random
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import damages_archives as archives
import pyarrow.parquet

from lib import folder

LIMIT = 0

FETCH = ["url", "fetch_time", "fetch_status", "record_type", "warc_record_id", "content_digest", "content_mime_type"]
URL, ID = FETCH.index("url"), FETCH.index("warc_record_id")
CONTENT = [URL, FETCH.index("fetch_time"), FETCH.index("content_digest")]
MAX_ALTERED = 2  # fields of a fetch
ISSUE = ["offset", "length", "kind", "detail", "action"]
SECONDS = 300  # that an audit may take, on a busy machine
MAX_BLOCK = 4096


# What comes into the place of how many bytes, from a place on.
KINDS = {
    "bit flipped": lambda rng, data, at: (1, [data[at] ^ 1 << rng.randrange(8)]),
    "byte changed": lambda rng, data, at: (1, [data[at] ^ rng.randrange(1, 256)]),
    "bytes deleted": lambda rng, data, at: (rng.randint(1, 100), b""),
    "bytes inserted": lambda rng, data, at: (0, rng.randbytes(rng.randint(1, 100))),
    "block zeroed": lambda rng, data, at: (size := min(rng.randint(1, MAX_BLOCK), len(data) - at), bytes(size)),
    "end cut": lambda rng, data, at: (len(data), b""),
    "blocks swapped": None,  # see swap
}
SINGLE = {"bit flipped", "byte changed"}


def swap(rng, data):
    size = rng.randint(1, max(1, min(MAX_BLOCK, len(data) // 2)))
    first = rng.randrange(0, len(data) - 2 * size + 1)
    second = rng.randrange(first + size, len(data) - size + 1)
    data[first:first + size], data[second:second + size] = data[second:second + size], data[first:first + size]
    return first


@dataclasses.dataclass(frozen=True)
class Damage:
    number: int
    archive: archives.Archive
    kind: str
    at: int
    data: bytes


def damage(seed, number, choice):
    """damage returns damage number of the seed. It changes its archive by at least one byte."""
    rng = random.Random(f"{seed} {number}")
    of = choice[rng.choice(list(choice))]
    made = [a for a in of if a.made]
    of = made if made and rng.random() < 0.7 else of
    archive = rng.choice(of)
    kind = rng.choice(list(KINDS))
    while True:
        data = bytearray(archive.data)
        if KINDS[kind]:
            at = rng.randrange(kind == "end cut", len(data))
            size, new = KINDS[kind](rng, data, at)
            data[at:at + size] = new
        else:
            at = swap(rng, data)
        if data != archive.data:
            return Damage(number, archive, kind, at, bytes(data))


@dataclasses.dataclass
class Audit:
    code: int
    errors: str
    fetches: collections.Counter  # FETCH
    agents: dict  # FETCH → agents
    violations: collections.Counter  # FETCH
    issues: collections.Counter  # ISSUE


def rows(folder, table, columns):
    path = folder / (table + ".parquet")
    if not path.exists():
        return []
    read = pyarrow.parquet.ParquetFile(path).read(columns=columns, use_threads=False)
    return list(zip(*(read.column(name).to_pylist() for name in columns)))


def audit(binary, data, suffix, folder):
    """audit audits data as an archive in folder."""
    path = folder / ("archive" + suffix)
    path.write_bytes(data)
    out = folder / "out"
    try:
        done = subprocess.run([binary, "audit", path, "-o", out, "--workers", "1"], capture_output=True, timeout=SECONDS)
        code, errors = done.returncode, done.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired:
        code, errors = -1, f"not done after {SECONDS} s"
    fetches = rows(out, "fetches", FETCH + ["agent"])
    agents = collections.defaultdict(set)
    for row in fetches:
        agents[row[:-1]].add(row[-1])
    return Audit(code, errors, collections.Counter(row[:-1] for row in fetches), agents,
                 collections.Counter(violating(out)), collections.Counter(rows(out, "issues", ISSUE)))


def violating(out):
    """violating returns the fetches that are violations: their rows, found by place in the table of fetches."""
    place = ["warc_filename", "warc_record_offset", "warc_record_id", "url"]
    violations = set(rows(out, "violations", place))
    if not violations:
        return []
    return [row[len(place):] for row in rows(out, "fetches", place + FETCH) if row[:len(place)] in violations]


@dataclasses.dataclass
class Outcome:
    damage: Damage
    harmless: bool
    lost: int
    altered: list
    invented: list
    violations: list  # new ones, of fetches that are not altered
    issue: bool  # a new one, and exit code 3
    failures: list  # what must not be, in words


def alike(row, known):
    """alike tells whether row can be the fetch known with an altered header."""
    same = [a == b for a, b in zip(row, known)]
    return row[ID] and same[ID] or all(row[i] and same[i] for i in CONTENT) or same.count(False) <= MAX_ALTERED


def looks_whole(hurt):
    """looks_whole tells whether the file ends behind one of its records, or has nothing but line ends or zeros there."""
    original = hurt.archive.data
    return any(hurt.data[:end] == original[:end] and not hurt.data[end:].strip(b"\0\r\n") for end in hurt.archive.ends)


def compare(damage, before, after):
    missing, extra = before.fetches - after.fetches, after.fetches - before.fetches
    altered, invented = [], []
    for row in extra.elements():
        uncovered = damage.archive.container in archives.UNCOVERED
        (altered if uncovered and any(alike(row, known) for known in before.fetches) else invented).append(row)
    issues = after.issues - before.issues
    copies = sum(n for issue, n in issues.items() if issue[ISSUE.index("kind")] == "duplicate_record")
    lost = max(0, missing.total() - len(altered) - copies)
    crawlers = {None}.union(*before.agents.values())
    for row, agents in after.agents.items():
        if row in before.agents and agents - crawlers:
            (altered if damage.archive.container == archives.UNCHECKED else invented).append((*row, *agents))
    violations = [row for row in (after.violations - before.violations).elements() if row not in altered]
    issue = after.code == 3 and bool(issues)
    outcome = Outcome(damage, not missing and not extra and before.violations == after.violations, lost, altered, invented,
                      violations, issue, [])
    if after.code not in (0, 3):
        outcome.failures.append(f"exit code {after.code}: {after.errors.strip().splitlines()[-1:]}")
    if lost and not issue and not looks_whole(damage):
        outcome.failures.append(f"{lost} lost without an issue (exit code {after.code})")
    if invented:
        outcome.failures.append(f"invented: {invented[0]}")
    if violations:
        outcome.failures.append(f"new violation: {violations[0][URL]}")
    if lost > 1 and damage.kind in SINGLE and damage.archive.container in archives.RECORD_IS_MEMBER:
        outcome.failures.append(f"{lost} lost by one byte")
    return outcome


HEAD = """# {damages:,} random damages

    scripts/check/run damages BINARY {damages} {seed}

{damages:,} damages to {archives} archives, seed {seed}: {failures} failures. A row is a kind of damage in a
container, or all kinds. Harmless: the same fetches and violations as in the original. Lost:
fetches, of those damages that lose any. Altered: in an archive without checksums over record
headers, a fetch with another header, which cannot be seen; in zstd frames without checksums also
one by another crawler. No issue, invented, new violations and more than one lost by a flipped bit
or a changed byte (where each record is compressed for itself) must be 0. `damages.py` says what
each means.
"""


def table(outcomes):
    """table prints what came of each kind of damage in each container."""
    print("| container | damage | damages | harmless | with loss | lost, median | worst | no issue | altered | invented "
          "| new violations | more than one by a byte |")
    print("|---|---|" + "--:|" * 10)
    for container in archives.CONTAINERS:
        for kind in [*KINDS, "all"]:
            of = [o for o in outcomes if o.damage.archive.container == container and kind in (o.damage.kind, "all")]
            if of:
                print(f"| {container} | {kind} | " + " | ".join(map(str, figures(of))) + " |")
    print("| all | all | " + " | ".join(map(str, figures(outcomes))) + " |")


def figures(outcomes):
    lost = [o.lost for o in outcomes if o.lost]
    silent = sum(bool(o.lost) and not o.issue and not looks_whole(o.damage) for o in outcomes)
    single = [o for o in outcomes if o.damage.kind in SINGLE and o.damage.archive.container in archives.RECORD_IS_MEMBER]
    return [len(outcomes), sum(o.harmless for o in outcomes), len(lost), f"{statistics.median(lost):g}" if lost else "",
            max(lost, default=""), silent, sum(bool(o.altered) for o in outcomes), sum(bool(o.invented) for o in outcomes),
            sum(bool(o.violations) for o in outcomes), sum(o.lost > 1 for o in single) if single else ""]


def main(binary, count: int = 10_000, seed: int = 9309, *, only: int = None, keep: Path = None, jobs: int = 2):
    os.nice(5)
    choice, originals = archives.all_archives(), {}
    for archive in sum(choice.values(), []):
        with folder() as work:
            originals[archive] = audit(binary, archive.data, archive.suffix, work)
    # In archives that hold no fetch nothing can be lost.
    choice = {container: held for container, of in choice.items() if (held := [a for a in of if originals[a].fetches])}
    if not archives.SHARED.is_dir():
        print("../shared/warc is not here: archives of testdata/warc alone", file=sys.stderr)

    def tried(number):
        hurt = damage(seed, number, choice)
        with folder() as work:
            return compare(hurt, originals[hurt.archive], audit(binary, hurt.data, hurt.archive.suffix, work))

    if only is not None:
        outcome = tried(only)
        keep_audits(binary, outcome.damage, keep)
        print(described(outcome))
        return outcome.failures != []
    outcomes = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for outcome in pool.map(tried, range(count)):
            outcomes.append(outcome)
            if outcome.failures:
                print(described(outcome), file=sys.stderr, flush=True)
    failed = sum(bool(o.failures) for o in outcomes)
    print(HEAD.format(damages=len(outcomes), archives=sum(map(len, choice.values())), seed=seed, failures=failed))
    table(outcomes)
    return failed


def keep_audits(binary, hurt, to):
    for name, data in (("original", hurt.archive.data), ("damaged", hurt.data)) if to else ():
        place = to / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        audit(binary, data, hurt.archive.suffix, place)


def described(outcome):
    hurt = outcome.damage
    return (f"--only {hurt.number}: {hurt.archive.container}, {hurt.archive.name} ({'made' if hurt.archive.made else 'as it is'}), "
            f"{hurt.kind} at {hurt.at} of {len(hurt.archive.data)}: lost {outcome.lost}, altered {len(outcome.altered)}; "
            + ("; ".join(outcome.failures) or "as it must be"))
