"""robots.txt is parsed and matched as Google's own C++ does (PyPI: jwm-robotstxt).

    differential [--wild TAR] [--made N] [--paths N] [--seed N] [--jobs N]

The bodies are those of a tar file, or of ../shared/robots, and N that are made up. For each body: at least 20 tokens, and URLs drawn from its own rules (prefixes,
mutations, encodings). Profile google must agree with Google everywhere, but for
what KNOWN lists; what profile rfc9309 answers otherwise is counted by class.
Exit code 1 where there is a disagreement that KNOWN does not list.
"""

import base64
import collections
import json
import multiprocessing
import os
import pathlib
import random
import re
import subprocess
import sys
import tarfile
import time

from jwm.robotstxt.googlebot import RobotsMatcher

from lib import ROOT, SHARED, folder

# Disagreements between profile google and Google's code that are meant:
# (what, why, predicate over body, token and path).
KNOWN = [
    # An operator before a product is no part of its token. Google's parser cuts no token that it is asked for.
    ("an operator's name", "Yahoo! Slurp is sought as Slurp", lambda body, token, path: "! " in token)]

TOKENS = ("Googlebot Googlebot-Image bingbot CCBot GPTBot archive.org_bot ia_archiver"
    " MJ12bot Slurp Baiduspider Yandex Wget msnbot AhrefsBot SemrushBot heritrix"
    " DuckDuckBot Twitterbot ClaudeBot rogerbot dotbot foo_bar").split()
MANY = 24  # tokens asked of each body
RULE = re.compile(rb"(?im)^[ \t]*(?:dis+al*l*o*w|allow)[ \t]*:?[ \t]*([^\r\n#]*)")
AGENT = re.compile(rb"(?im)^[ \t]*user[- ]?agent[ \t]*:?[ \t]*([^\r\n#]*)")


def tokens_of(body, rnd):
    """Tokens that the body names, as written and as each mode cuts them, then others."""
    found = []
    for value in AGENT.findall(body):
        value = value.strip().decode("latin-1")
        for token in (value, value.split("/")[0].strip(), re.match(r"[A-Za-z_-]*", value)[0]):
            if token and token.isascii() and token.isprintable() and token != "*" and token not in found:
                found.append(token)
    found = rnd.sample(found, min(len(found), MANY // 2))
    return found + [t for t in TOKENS if t not in found][: MANY - len(found)]


def encode(path, rnd):
    """Percent-encodes or decodes some bytes."""
    out = bytearray()
    for b in path:
        out += b"%%%02x" % b if rnd.random() < 0.1 else b"%%%02X" % b if b > 127 and rnd.random() < 0.5 else bytes([b])
    return bytes(out)


def mutate(path, rnd):
    if not path:
        return b"x"
    i = rnd.randrange(len(path))
    return rnd.choice((
        lambda: path[:i] + path[i + 1 :], lambda: path[:i] + bytes([rnd.randrange(33, 256)]) + path[i + 1 :],
        lambda: path[:i] + rnd.choice((b"*", b"$", b"/", b"?", b"%2F", b"%41", b"\xc3\xa9")) + path[i:],
        lambda: path.swapcase(), lambda: path[: i + 1],
    ))()


def paths_of(body, many, rnd):
    """Paths near the body's own rules."""
    patterns = [p.strip() for p in RULE.findall(body) if p.strip()]
    paths = [b"/", b"/robots.txt"]
    while len(paths) < many:
        path = rnd.choice(patterns) if patterns else b"/index.html"
        path = b"".join(rnd.choice((b"", b"x", b"/y", b"a.html")) if part == b"*" else part for part in re.split(rb"(\*)", path[:2000]))
        if path.endswith(b"$") and rnd.random() < 0.8:
            path = path[:-1]
        kind = rnd.randrange(6)
        if kind == 1:
            path += rnd.choice((b"x", b"/", b"?a=b", b"/index.html", b"$"))
        elif kind == 2:
            path = mutate(path, rnd)
        elif kind == 3:
            path = encode(path, rnd)
        elif kind == 4:
            path = path[: path.rfind(b"/") + 1]
        # A fragment is no part of a path; a URL holds no NUL.
        path = b"/" + path.lstrip(b"/").replace(b"#", b"").replace(b"\0", b"")
        paths.append(path)
    return paths


def made_bodies(rnd, many):
    """Bodies for where there are no real ones."""
    keys = [b"user-agent: ", b"User-Agent:", b"useragent: ", b"user-agent ", b"disallow: ", b"Disallow:",
            b"disalow: ", b"Disallow ", b"allow: ", b"Allow : ", b"sitemap: ", b"foo: ", b"# ", b""]
    values = [b"*", b"* x", b"Googlebot", b"googlebot/2", b"foo_bar", b"/", b"/a", b"/a*b$", b"/%7ea", b"/a$b", b"",
              b"/x/index.html", b"/\xc3\xa9", b"/%c3%a9", b"*.gif$", b"/a b", b"/\x01", b"/\0x", b"/" + b"y" * 17000]
    for _ in range(many):
        lines = [rnd.choice(keys) + rnd.choice(values) for _ in range(rnd.randrange(1, 30))]
        yield rnd.choice((b"", b"", b"\xef\xbb\xbf", b"\xef")) + rnd.choice((b"\n", b"\r\n", b"\r")).join(lines)


def bodies(wild, made, rnd):
    if wild.exists():
        with tarfile.open(wild) as archive:
            for member in archive:
                if member.isfile():
                    yield member.name, archive.extractfile(member).read()
    else:
        print(f"no real bodies: {wild} is absent", file=sys.stderr)
    for i, body in enumerate(made_bodies(rnd, made)):
        yield f"made-{i}", body


def google(question):
    """One byte for each token and path, as internal/robots answers."""
    body, tokens, paths = question
    allowed = RobotsMatcher().OneAgentAllowedByRobots
    urls = [b"http://example.com" + p for p in paths]
    return "".join("a" if allowed(body, t, u) else "d" for t in tokens for u in urls)


def ask_robotsaudit(questions, folder, reader=""):
    asked, answered = folder / "questions.jsonl", folder / "answers.jsonl"
    b64 = lambda b: base64.b64encode(b).decode()
    with open(asked, "w") as f:
        for body, tokens, paths in questions:
            json.dump({"body": b64(body), "tokens": tokens, "paths": [b64(p) for p in paths], "reader": reader}, f)
            f.write("\n")
    subprocess.run(["go", "test", "-count=1", "-run", "^TestDifferential$", "./internal/robots"],
        cwd=ROOT, check=True, stdout=sys.stderr,
        env={**os.environ, "DIFFERENTIAL_QUESTIONS": str(asked), "DIFFERENTIAL_ANSWERS": str(answered)})
    with open(answered) as f:
        return [json.loads(line) for line in f]


def main(*, wild: pathlib.Path = SHARED / "robots/wild-2019.tar.gz", made: int = 500, paths: int = 10, seed: int = 9309, jobs: int = os.cpu_count()):
    start = time.monotonic()
    rnd = random.Random(seed)
    names, questions = [], []
    for name, body in bodies(wild, made, rnd):
        many = paths if len(body) < 200_000 else 3  # Google's code parses again for each
        names.append(name)
        questions.append((body, tokens_of(body, rnd), paths_of(body, many, rnd)))
    with folder() as work:
        answers = ask_robotsaudit(questions, work)
    with multiprocessing.Pool(jobs) as pool:
        theirs = pool.map(google, questions, chunksize=16)

    evaluations = known = 0
    unknown, classes, examples = [], collections.Counter(), {}
    for name, (body, tokens, of), ours, want in zip(names, questions, answers, theirs, strict=True):
        evaluations += len(want)
        where = lambda i: (name, tokens[i // len(of)], of[i % len(of)])
        for i, (a, b) in enumerate(zip(ours["google"], want, strict=True)):
            if a != b and any(meant(body, *where(i)[1:]) for _, _, meant in KNOWN):
                known += 1
            elif a != b:
                unknown.append((*where(i), a, b))
        classes.update(ours["classes"])
        for c, i in ours["example"].items():
            examples.setdefault(c, (*where(i), "google " + ours["google"][i], "rfc9309 " + ours["rfc9309"][i]))

    print(f"{len(names)} bodies, {evaluations} evaluations, {time.monotonic() - start:.0f} s")
    print(f"profile google against Google's code: {len(unknown)} disagreements, {known} more that are listed")
    for u in unknown[:20]:
        print("  ", *u)
    print(f"profile rfc9309 against profile google: {sum(classes.values())} disagreements")
    for c, n in classes.most_common():
        print(f"  {n:7}  {c}: {examples[c]}")
    return unknown != []
