"""Peak memory on archives that were made, or happen, to take much of it.

    memory.py BINARY [--gigabytes N]

Audits, with two workers, and checks, with all digests: every file of ../shared/warc/hard
alone, where it is there, and bombs made here: a gzip member, and a robots.txt in two
content codings, of N gigabytes of zeros (default: 10); URLs of 60 kB. A line for each; exit code 1
where one takes more than 300 MB, or does not end well.
"""

import argparse
import gzip
import os
import signal
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
HARD = os.path.join(HERE, "..", "..", "..", "shared", "warc", "hard")
PEAK = 300e6
SECONDS = 1800  # for one input
PIECE = 16 << 20


def run(*command):
    """Runs to the end; returns exit code and the peak of resident memory in octets."""
    p = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    signal.signal(signal.SIGALRM, lambda *_: p.kill())
    signal.alarm(SECONDS)
    _, status, usage = os.wait4(p.pid, 0)
    signal.alarm(0)
    p.returncode = os.waitstatus_to_exitcode(status)
    return p.returncode, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def zeros(head, gigabytes):
    """Yields a gzip member of head and gigabytes of zeros. Its pieces refer to nothing
    before them, so that one is compressed and then repeated."""
    pieces = gigabytes * (10**9) // PIECE
    piece = bytes(PIECE)
    crc = zlib.crc32(head)
    yield b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + deflated(head)
    repeated = deflated(piece)
    for _ in range(pieces):
        crc = zlib.crc32(piece, crc)
        yield repeated
    size = len(head) + pieces * PIECE
    yield b"\x03\x00" + crc.to_bytes(4, "little") + (size & 0xFFFFFFFF).to_bytes(4, "little")


def deflated(content):
    c = zlib.compressobj(6, zlib.DEFLATED, -15)
    return c.compress(content) + c.flush(zlib.Z_FULL_FLUSH)


def record(url, length, http):
    return (f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-05-01T12:00:00Z\r\n"
            f"WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\nContent-Length: {length + len(http)}\r\n\r\n{http}").encode()


def bombs(folder, gigabytes):
    """Makes the bombs and yields their paths."""
    octets = gigabytes * (10**9) // PIECE * PIECE
    http = "HTTP/1.1 200 OK\r\n\r\n"
    for name, head in (("robots", record("http://h.example/robots.txt", octets, http)),
                       ("page", record("http://h.example/", octets, http)),
                       ("header", b"WARC/1.1\r\nX: "),
                       ("nothing", b"")):
        path = os.path.join(folder, name + ".warc.gz")
        with open(path, "wb") as f:
            f.writelines(zeros(head, gigabytes))
        yield path
        os.remove(path)
    inner = os.path.join(folder, "twice")
    with gzip.open(inner, "wb", 6) as f:
        for piece in zeros(b"User-agent: *\nDisallow: /\n", gigabytes):
            f.write(piece)
    path = os.path.join(folder, "codings.warc")
    with open(inner, "rb") as f, open(path, "wb") as out:
        body = f.read()
        for url in ("http://h.example/robots.txt", "http://h.example/"):
            out.write(record(url, len(body), "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\n\r\n") + body + b"\r\n\r\n")
    os.remove(inner)
    yield path
    os.remove(path)
    path = os.path.join(folder, "urls.warc.gz")
    with open(path, "wb") as out:
        for n in range(4_000):
            whole = record(f"http://h.example/{n:x}/" + "x" * 60_000, 1, http) + b"x\r\n\r\n"
            out.write(gzip.compress(whole, 1, mtime=0))
    yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("--gigabytes", type=int, default=10)
    args = parser.parse_args()
    binary, failed, most = os.path.abspath(args.binary), 0, {}

    def check(kind, path):
        nonlocal failed
        with tempfile.TemporaryDirectory(prefix="memory-") as out:
            for command in (["audit", path, "-o", os.path.join(out, "out"), "--workers", "2", "--verify-digests"],
                            ["ingest", "--check", path, "--workers", "2", "--verify-digests"]):
                code, peak = run(binary, *command)
                ok = code in (0, 3) and peak < PEAK
                failed += not ok
                most[kind] = max(most.get(kind, (0, "")), (peak, os.path.basename(path)))
                if not ok or kind == "bombs":
                    print("%-4s  %s %s: exit code %d, %.0f MB" % ("ok" if ok else "FAIL", command[0], os.path.basename(path), code, peak / 1e6),
                          flush=True)

    if os.path.isdir(HARD):
        for folder, _, names in sorted(os.walk(HARD)):
            for name in sorted(names):
                check("hard", os.path.join(folder, name))
    else:
        print("skipped: ../shared/warc/hard is not here")
    with tempfile.TemporaryDirectory(prefix="memory-") as folder:
        for path in bombs(folder, args.gigabytes):
            check("bombs", path)
    for kind, (peak, name) in most.items():
        print("%s: %.0f MB at most, for %s" % (kind, peak / 1e6, name))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
