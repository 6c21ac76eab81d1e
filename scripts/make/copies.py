"""Makes many different archives of a few: copies whose hosts and record ids are others.

    copies [--plain] NUMBER DIR ARCHIVE...

DIR gets NUMBER copies of every ARCHIVE (.warc.gz with a member a record, or .warc). In copy 7 the host www.example.org
is c7.www.example.org wherever it takes part in an audit: in the WARC headers that hold URLs, in the Host of requests
and the Location of responses. Bodies stay. The same arguments give the same octets. --plain leaves the copies
uncompressed.
"""

import gzip
import hashlib
import os
import re
import uuid
import zlib

ENVIRONMENT = ""

IDS = {b"warc-record-id", b"warc-concurrent-to", b"warc-warcinfo-id", b"warc-refers-to", b"warc-segment-origin-id"}
URLS = {b"warc-target-uri", b"warc-refers-to-target-uri"}
URL = re.compile(rb"^(<?(?:https?|dns|ftp|metadata)s?:(?://)?(?:[^/@?#]*@)?)([^/:?#>]+)(.*)$", re.S | re.I)
HTTP = re.compile(rb"application/http", re.I)


def records(path):
    """Yields header lines and block of every record of an archive."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as f:
        while True:
            line = f.readline()
            while line in (b"\r\n", b"\n"):
                line = f.readline()
            if not line:
                return
            header, length = [line.rstrip(b"\r\n")], 0
            while (line := f.readline().rstrip(b"\r\n")):
                header.append(line)
                name, _, value = line.partition(b":")
                if name.strip().lower() == b"content-length":
                    length = int(value)
            yield header, f.read(length)


class Copy:
    """Renames what must differ between copies."""

    def __init__(self, number):
        self.number = number

    def host(self, host):
        prefix = b"c%d." % self.number
        if host.rsplit(b".", 1)[-1].isdigit():  # an address: it can have no label in front
            return prefix + host.replace(b".", b"-") + b".example"
        return prefix + host

    def url(self, value):
        m = URL.match(value)
        return m[1] + self.host(m[2]) + m[3] if m else value

    def id(self, value):
        digest = hashlib.sha256(b"%d %s" % (self.number, value)).digest()
        return b"<urn:uuid:%s>" % str(uuid.UUID(bytes=digest[:16], version=4)).encode()

    def record(self, header, block):
        is_http = False
        fields = []
        for line in header[1:]:
            name, colon, value = line.partition(b":")
            key, value = name.strip().lower(), value.strip()
            if key == b"content-type":
                is_http = bool(HTTP.match(value))
            if key in IDS:
                value = self.id(value)
            elif key in URLS:
                value = self.url(value)
            elif key == b"warc-block-digest":  # no longer true
                continue
            fields.append((name, colon, value))
        if is_http:
            block = self.http(block)
        out = [header[0]]
        for name, colon, value in fields:
            if name.strip().lower() == b"content-length":
                value = b"%d" % len(block)
            out.append(name + colon + b" " + value if colon else name)
        return b"\r\n".join(out) + b"\r\n\r\n" + block + b"\r\n\r\n"

    def http(self, block):
        end = re.search(rb"\r?\n\r?\n", block)
        stop = end.start() if end else len(block)
        lines = block[:stop].split(b"\n")
        for i, line in enumerate(lines):
            name, colon, value = line.partition(b":")
            key = name.strip().lower()
            if key == b"host":
                host, port, rest = value.strip().partition(b":")
                lines[i] = name + b": " + self.host(host) + port + rest + (b"\r" if line.endswith(b"\r") and not port else b"")
            elif key == b"location":
                lines[i] = name + b": " + self.url(value.strip()) + (b"\r" if line.endswith(b"\r") else b"")
        return b"\n".join(lines) + block[stop:]


def member(record):
    z = zlib.compressobj(1, zlib.DEFLATED, 31)
    return z.compress(record) + z.flush()


def main(number: int, folder, *archives, plain: bool = False):
    os.makedirs(folder, exist_ok=True)
    for path in archives:
        base = os.path.basename(path)
        encode = member
        if plain or not base.endswith(".gz"):
            base, encode = base.removesuffix(".gz"), bytes
        source = list(records(path))
        for n in range(1, number + 1):
            copy = Copy(n)
            with open(os.path.join(folder, "copy%03d-%s" % (n, base)), "wb") as out:
                for header, block in source:
                    out.write(encode(copy.record(header, block)))
