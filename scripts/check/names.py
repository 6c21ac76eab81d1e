"""Names in inputs lead to nothing that the command line does not name: what audits open is traced.

    names BINARY

Needs strace and Linux. Each case has names that lead to the folder secret, to the root, to another server or to another
bucket. It exits with 1 if a file outside the case's own folder is opened, or if a server gets a request that nobody
named. A list of the user's own, which may name anything, shows that the trace sees such a file.
"""

import gzip
import json
import os
import re
import signal
import subprocess
import zipfile
from urllib.parse import unquote, urlsplit

from lib import Quiet, folder, message, record, serve, uuid_of


def answer(path, minute, body):
    fields = {"WARC-Target-URI": f"http://a.example/{path}", "WARC-Date": f"2024-05-01T12:0{minute}:00Z",
              "WARC-Record-ID": uuid_of(minute),
              "Content-Type": "application/http;msgtype=response"}
    return gzip.compress(record("response", message("HTTP/1.1 200 OK", [("Content-Type", "text/plain")], body), fields), mtime=0)


ROBOTS = answer("robots.txt", 0, b"User-agent: *\nDisallow: /\n")
PAGE = answer("x", 1, b"page")


def serving():
    """A server of files, which notes what it is asked for."""
    server = serve(Handler)
    server.files, server.redirects, server.listing, server.asked = {}, {}, None, []
    server.url = f"http://127.0.0.1:{server.server_port}"
    return server


class Handler(Quiet):
    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        self.server.asked.append(self.path)
        path = unquote(urlsplit(self.path).path)
        if path in self.server.redirects:
            self.send_response(302)
            self.send_header("Location", self.server.redirects[path])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        content = self.server.listing if "list-type=2" in self.path else self.server.files.get(path)
        if content is None:
            self.send_error(404)
            return
        whole, code = len(content), 200
        if wanted := re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", "")):
            first, last = int(wanted[1]), min(int(wanted[2]), whole - 1)
            content, code = content[first:last + 1], 206
        self.send_response(code)
        self.send_header("ETag", '"1"')
        self.send_header("Content-Length", str(len(content)))
        if code == 206:
            self.send_header("Content-Range", f"bytes {first}-{last}/{whole}")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)


class Case:
    def __init__(self, binary, top):
        self.binary, self.top = binary, top
        self.inside, self.secret = top / "inside", top / "secret"
        self.failures, self.count = [], 0
        for folder in self.inside, self.secret:
            folder.mkdir()
        (self.secret / "private.warc.gz").write_bytes(ROBOTS + PAGE)
        (self.inside / "robots.warc.gz").write_bytes(ROBOTS)

    def write(self, name, content):
        path = self.inside / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def opened(self, *args):
        """opened are the files that an audit opens, but for those of the system and its own."""
        log, out = self.top / "trace", self.top / f"out{self.count}"
        self.count += 1
        env = {"PATH": os.environ["PATH"], "HOME": str(self.top / "home"), "TMPDIR": str(self.top / "tmp"),
               "AWS_EC2_METADATA_DISABLED": "true"}
        (self.top / "tmp").mkdir(exist_ok=True)
        command = ["strace", "-f", "-qq", "-e", "trace=open,openat,openat2,creat", "-s", "4096", "-o", log,
                   self.binary, "audit", "--quiet", "-o", out, *args]
        with subprocess.Popen(command, cwd=self.inside, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True, start_new_session=True) as process:
            try:
                stderr = process.communicate(timeout=120)[1]
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # what is traced, too
                stderr = process.communicate()[1]
        if process.returncode not in (0, 1, 3):
            self.failures.append(f"{args}: exit code {process.returncode}: {stderr}")
        found = set()
        for name in re.findall(r'open(?:at2?)?\((?:[^"]*, )?"((?:[^"\\]|\\.)*)"', log.read_text(errors="replace")):
            path = os.path.normpath(os.path.join(self.inside, name))
            own = [self.inside, out, self.top / "tmp", self.top / "home", self.binary]
            if not any(path == str(p) or path.startswith(f"{p}/")
                       for p in own) and not path.startswith(("/proc/", "/sys/", "/dev/null", "/etc/", "/lib",
                                                              "/usr/lib", "/usr/share/")):
                found.add(path)
        return found, stderr

    def check(self, name, *args):
        opened, stderr = self.opened(*map(str, args))
        for path in sorted(opened):
            self.failures.append(f"{name}: {path} was opened")
        print(f"{name}: {len(opened)} files outside were opened; {len(stderr.splitlines())} lines of refusals", flush=True)

    def asked(self, name, server, allowed):
        for path in server.asked:
            if not allowed(unquote(urlsplit(path).path), path):
                self.failures.append(f"{name}: a server was asked for {path}")
        server.asked.clear()


def cdxj(*names):
    row = {"url": "http://a.example/x", "mime": "text/plain", "status": "200", "length": str(len(PAGE)), "offset": str(len(ROBOTS))}
    return "".join(f"example,a)/x 20240501120100 {json.dumps(row | {'filename': name})}\n" for name in names)


def run(binary, top):
    c = Case(binary, top)
    secret = c.secret / "private.warc.gz"
    c.write("folder/below.warc", "WARC/1.0\r\n")
    up = ["../secret/private.warc.gz", str(secret), f"file://{secret}", "x/../../secret/private.warc.gz",
          "./../secret/private.warc.gz", "..%2fsecret%2fprivate.warc.gz", "..\\secret\\private.warc.gz"]

    own = c.write("own.list", "../secret/private.warc.gz\n")
    opened, _ = c.opened(f"@{own}")
    if str(secret) not in opened:
        c.failures.append("the trace does not see what a list of the user's own names")

    parts = ["..", ".", "/", "../secret", "folder", *up]
    index = c.write("rows/index.cdxj", cdxj(*up, "../secret", "/", "secret.wacz/../../../secret/private.warc.gz"))
    c.check("archives of rows", index, "robots.warc.gz", "--verify")
    c.check("archives of rows below a folder", index, "robots.warc.gz", "--verify", "--base", c.inside / "folder")

    wacz = c.inside / "names.wacz"
    with zipfile.ZipFile(wacz, "w") as z:
        for name in up[:2]:
            z.writestr(name, ROBOTS + PAGE)
        z.writestr("archive/data.warc.gz", ROBOTS + PAGE)
        z.writestr("indexes/index.cdxj", cdxj(*up))
        z.writestr("datapackage.json", json.dumps({"resources": [{"path": p, "hash": "sha256:00"} for p in parts]}))
    c.check("names in a WACZ", wacz, "--verify-digests")

    server, other = serving(), serving()
    other.files = {"/private.warc.gz": ROBOTS + PAGE}
    named = lambda path, _: path in ("/lists/list", "/lists/folder", "/inside/index.cdxj") or path.startswith("/crawl/") and ".." not in path
    lines = [*up, f"{other.url}/private.warc.gz", "s3://bucket/private.warc.gz",
             f"{server.url}/crawl/%2e%2e/private.warc.gz", "/", "folder"]
    server.files = {"/lists/list": "\n".join(lines).encode(),
                    "/inside/index.cdxj": cdxj(*lines, "moved.warc.gz").encode()}
    c.check("lines of a list on a server", f"@{server.url}/lists/list")
    c.asked("lines of a list on a server", server, lambda path, raw: named(path, raw) or path == "/folder")
    c.check("lines of a list on a server, below a folder", f"@{server.url}/lists/list", "--base", c.inside)
    c.check("lines of a list on a server, below a URL", f"@{server.url}/lists/list", "--base", f"{server.url}/crawl/")
    server.redirects = {"/crawl/moved.warc.gz": f"{other.url}/private.warc.gz"}
    c.check("archives of rows on a server", f"{server.url}/inside/index.cdxj", "robots.warc.gz", "--verify",
            "--base", f"{server.url}/crawl")
    server.redirects = {"/crawl/file.warc.gz": f"file://{secret}", "/crawl/gopher.warc.gz": f"gopher://{other.url[7:]}/"}
    c.check("redirects to files", f"{server.url}/crawl/file.warc.gz", f"{server.url}/crawl/gopher.warc.gz")
    c.asked("servers", server, named)

    # A store that lists what does not lie below the prefix.
    keys = "".join(f"<Contents><Key>{k}</Key><Size>1</Size><ETag>&quot;1&quot;</ETag></Contents>"
                   for k in ("crawl/../private.warc.gz", "private.warc.gz"))
    server.listing = f'<?xml version="1.0"?><ListBucketResult><Name>bucket</Name><KeyCount>2</KeyCount><IsTruncated>false</IsTruncated>{keys}</ListBucketResult>'.encode()
    c.check("a listing of a store", "s3://bucket/crawl/", "--s3-endpoint", server.url, "--s3-anonymous")
    c.asked("a listing of a store", server, lambda path, raw: "list-type=2" in raw or "/bucket/private" not in path)
    c.asked("the other server", other, lambda *_: False)
    return c


def main(binary):
    with folder() as work:
        c = run(binary, work)
    for text in c.failures:
        print(f"FAILED: {text}")
    print(f"{c.count} audits, {len(c.failures)} failures")
    return c.failures != []
