"""Each field of the manifest of a bundle, altered in turn, each key spelt otherwise: refused, not proven, or only claimed.
Also the commands of docs/EVIDENCE.md that sign a bundle and give it a timestamp, with a key and an authority made here.

    evidence BINARY [BUNDLE...] [--elements N]

Without bundles: one of ARC records, a log and a damaged archive, that of an audit of testdata/warc, and one of a list to drop. N values of
each field are altered: in all ways in the first bundle that has the field, in two in later ones. It knows the format from docs/EVIDENCE.md alone.
"""

import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import uuid

from lib import ROOT, TESTDATA, call, folder, record
from warc import members

URI = "urn:robotsaudit:evidence:manifest"


def read(path):
    """Returns the date of a bundle's manifest, its lines, and the members behind it."""
    with open(path, "rb") as f:
        whole = f.read()
    content, end = next(members(whole))
    header, _, block = content.partition(b"\r\n\r\n")
    date = re.search(rb"WARC-Date: (\S+)", header)[1].decode()
    length = int(re.search(rb"Content-Length: (\d+)", header)[1])
    return date, block[:length].decode().splitlines(), whole[end:]


def write(path, date, lines, behind):
    """Writes a bundle with a manifest of these lines, in a record that fits it."""
    block = "".join(line + "\n" for line in lines).encode()
    digest = "sha256:" + hashlib.sha256(block).hexdigest()
    octets = bytearray(hashlib.sha256(digest.encode()).digest()[:16])
    octets[6], octets[8] = octets[6] & 0x0F | 0x80, octets[8] & 0x3F | 0x80
    fields = {"WARC-Record-ID": f"<urn:uuid:{uuid.UUID(bytes=bytes(octets))}>", "WARC-Date": date, "WARC-Target-URI": URI,
              "WARC-Block-Digest": digest, "Content-Type": "application/json"}
    with open(path, "wb") as f:
        f.write(gzip.compress(record("resource", block, fields), 1, mtime=0) + behind)


def elements(lines):
    """Yields the number of each line that is a value, the list that it is in, and the value."""
    part = ""
    for n, line in enumerate(lines):
        if n == 0:
            yield n, "", json.loads(line.removesuffix(",") + "}")
        elif name := re.fullmatch(r'"(\w+)":\[', line):
            part = name[1] + "[]"
        elif line not in ("],", "]}"):
            yield n, part, json.loads(line.removesuffix(","))


def fields(value, name=""):
    """Yields the name of each field of a value, and the path to it."""
    for key, inner in value.items():
        yield name + key, [key]
        if isinstance(inner, dict):
            for below, path in fields(inner, name + key + "."):
                yield below, [key, *path]
        elif isinstance(inner, list) and inner and isinstance(inner[0], dict):
            for i in {0, len(inner) - 1}:
                for below, path in fields(inner[i], name + key + "[]."):
                    yield below, [key, i, *path]


def others(value, all_values):
    """Yields values in the place of another: of its type, of other lists, or none."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (v for v in (value + 1, value - 1, -5, 0, 10**15, -value) if v != value)
    elif isinstance(value, str):
        yield value + "x"
        yield value[:-1]
        if value:
            yield ("B" if value[0] == "A" else "A") + value[1:]
        yield from [v for v in all_values if v != value][:2]
    elif isinstance(value, list):
        yield value[1:]
        yield value[:-1]
        yield value + value[:1]
        yield []
    if isinstance(value, (str, list, dict)):
        yield None
        yield 1


def at(value, path):
    for step in path:
        value = value[step]
    return value


def replaced(value, path, new):
    """A copy of a value with another one at a path; all without the field where new is ...."""
    value = json.loads(json.dumps(value))
    inside = at(value, path[:-1])
    if new is ...:
        del inside[path[-1]]
    else:
        inside[path[-1]] = new
    return value


def text(value, n, old):
    """A value as a line in the place of another."""
    line = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    line = line.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    if n == 0:
        return line[:-1] + ","
    return line + ("," if old.endswith(",") else "")


def spelt(value, path):
    """Yields a value's text with the key at the end of a path in another spelling, in two, twice, and
    with one beside it that nobody knows."""
    key, inside = path[-1], at(value, path[:-1])
    mark, was = "\x00mark", inside[key]
    for first, second in ((key.upper(), None), (key.capitalize(), key), (key, key.upper()), (key, key), (key + "x", key)):
        changed = replaced(value, path, mark)
        line = json.dumps(changed, separators=(",", ":"), ensure_ascii=False)
        whole, new = json.dumps(was, separators=(",", ":"), ensure_ascii=False), '"%s":' % first
        new += whole
        if second:
            new += ',"%s":%s' % (second, whole)
        yield line.replace('"%s":%s' % (key, json.dumps(mark)), new)


class Forger:
    def __init__(self, binary, work, most):
        self.binary, self.path, self.most = binary, os.path.join(work, "forged.warc.gz"), most
        self.counts = {"refused": 0, "not proven": 0, "only claimed": 0}
        self.claimed, self.failed, self.forged = set(), 0, set()

    def verify(self, path):
        p = subprocess.run([self.binary, "verify", "--full", path], capture_output=True, text=True, errors="replace")
        return p.returncode, p.stdout, p.stderr

    def listed(self, out, head="Fields that are only claimed:"):
        """The fields that the program lists below a line."""
        names, part = set(), out.partition(head + "\n")[2]
        for line in part.splitlines():
            if not line.startswith("  "):
                break
            where, colon, keys = line.strip().rpartition(": ")
            prefix = where + "." if colon else ""
            names.update(prefix + key.strip() for key in keys.split(","))
        return names

    def check(self, name, lines, changed, what):
        write(self.path, self.date, changed, self.behind)
        code, out, err = self.verify(self.path)
        if code == 1 and (" is refused: " in err or " is no bundle " in err):
            self.counts["refused"] += 1
        elif code == 1 and not err and "Not proven: " in out:
            self.counts["not proven"] += 1
        elif code == 0 and name in self.listed(out) and what == "value":
            self.counts["only claimed"] += 1
            self.claimed.add(name)
        else:
            self.failed += 1
            print("FAIL  %s (%s): exit code %d\n%s\n%s%s" % (name, what, code, [c for c, l in zip(changed, lines) if c != l], out, err))

    def forge(self, path):
        code, out, err = self.verify(path)
        if code != 0:
            sys.exit("%s does not verify: %s%s" % (path, out, err))
        self.date, lines, self.behind = read(path)
        write(self.path, self.date, lines, self.behind)
        if self.verify(self.path)[0] != 0:
            sys.exit("%s does not verify when it is put together again" % path)
        done, values = {}, {}
        every = list(elements(lines))
        for _, part, value in every:
            for name, steps in fields(value, part and part + "."):
                seen = values.setdefault(name, [])
                if (v := at(value, steps)) not in seen:
                    seen.append(v)
        for n, part, value in every[::-1]:  # the last ones have all fields more often
            for name, steps in fields(value, part and part + "."):
                if done.get(name, 0) >= self.most:
                    continue
                done[name] = done.get(name, 0) + 1
                before = name in self.forged  # in another bundle, with all values
                for new in [..., *others(at(value, steps), values[name])][:2 if before else None]:
                    changed = list(lines)
                    changed[n] = text(replaced(value, steps, new), n, lines[n])
                    if json.loads(changed[n].removesuffix(",") + ("}" if n == 0 else "")) != value:
                        self.check(name, lines, changed, "value")
                if done[name] == 1 and not before:
                    for line in spelt(value, steps):
                        changed = list(lines)
                        changed[n] = line[:-1] + "," if n == 0 else line + ("," if lines[n].endswith(",") else "")
                        self.check(name, lines, changed, "key")
        self.forged.update(done)
        known = self.listed(out) | self.listed(out, "Fields of the manifest that the records prove:")
        for n, part, value in [e for i, e in enumerate(every) if i + 1 == len(every) or
                               every[i + 1][1] != e[1]]:  # the last of each list
            for name in sorted(known):
                inside, _, key = name.rpartition(".")
                steps = [inside] if n == 0 and inside == "settings" else []
                if inside in (part, *steps) and key not in at(value, steps):
                    for new in (1, "x", True, ["x"]):
                        changed = list(lines)
                        changed[n] = text(replaced(value, [*steps, key], new), n, lines[n])
                        self.check(name, lines, changed, "value")
        return len(done)


# What docs/EVIDENCE.md takes for granted: a key, and an authority for timestamps.
PREPARED = """set -e
ssh-keygen -q -t ed25519 -N '' -C '' -f KEY
echo "alice@example.org namespaces=\\"file\\" $(cat KEY.pub)" > allowed_signers
cat > tsa.cnf <<'EOF'
[req]
distinguished_name=name
[name]
[tsa]
default_tsa=here
[here]
serial=serial
signer_cert=clock.pem
signer_key=clock.key
signer_digest=sha256
default_policy=1.2.3
tsa_name=yes
digests=sha256
[ext]
extendedKeyUsage=critical,timeStamping
EOF
echo 01 > serial
new="openssl req -config tsa.cnf -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
$new -x509 -keyout ca.key -out ca.pem -subj /CN=root
$new -keyout clock.key -out clock.csr -subj /CN=clock
openssl x509 -req -in clock.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out clock.pem -extfile tsa.cnf -extensions ext
curl() { openssl ts -reply -config tsa.cnf -queryfile bundle.tsq; }
"""


def vouched(bundle, work):
    """Runs the commands of docs/EVIDENCE.md on a bundle, and their checks again on one with a byte changed."""
    section = (ROOT / "docs/EVIDENCE.md").read_text().partition("\n## Who vouches for it\n")[2].partition("\n## ")[0]
    commands = "".join(re.findall(r"```sh\n(.*?)```", section, re.S))
    content = bundle.read_bytes()
    (work / "bundle.warc.gz").write_bytes(content)
    said = call("sh", "-c", PREPARED + commands, cwd=work, codes=(0,))
    failed = [line for line in ('Good "file" signature for alice@example.org', "DirName:/CN=clock") if line not in said]
    (work / "bundle.warc.gz").write_bytes(content[:-9] + bytes([content[-9] ^ 1]) + content[-8:])
    for verifies in re.findall(r"^ssh-keygen -Y verify .*\\\n.*|^openssl ts -verify .*", commands, re.M):
        if subprocess.run(["sh", "-c", verifies], cwd=work, capture_output=True).returncode == 0:
            failed.append(verifies)
    print("\n".join(["FAIL  " + what for what in failed] or ["a bundle signed by ssh-keygen, and given a timestamp by openssl"]))
    return len(failed)


def main(binary, *bundles, elements: int = 1):
    failed = 0
    with folder() as work:
        if not bundles:
            call(binary, "audit", TESTDATA, "-o", work / "out", "--quiet")
            call(binary, "evidence", work / "out", "--to", work / "audit.warc.gz", "--quiet")
            call(binary, "evidence", work / "out", "--to", work / "list.warc.gz", "--quiet", "--drop",
                 "--agents", "GPTBot", "--purpose", "train")
            failed = vouched(work / "audit.warc.gz", work)
            bundles = ROOT / "report/evidence/testdata/format-1.warc.gz", work / "audit.warc.gz", work / "list.warc.gz"
        forger = Forger(binary, work, elements)
        for path in bundles:
            number = forger.forge(path)
            counts = ", ".join("%d %s" % (n, k) for k, n in forger.counts.items())
            print("%s: %d fields; so far %s" % (os.path.basename(path), number, counts), flush=True)
    print("only claimed: " + ", ".join(sorted(forger.claimed)))
    return failed + forger.failed
