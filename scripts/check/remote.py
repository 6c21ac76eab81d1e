"""Archives in versitygw, an object store on loopback: the results of files; signatures, refusals, conditions; stages, raced.

    remote BINARY [--store VERSITYGW]

Without a store, Go builds it, which takes three minutes.
"""

import os
import socket
import subprocess
import time

import boto3
import botocore.config
import botocore.exceptions

from lib import ARCHIVES, Tally, begun, call, folder
from same import differences

BUCKET = "crawl"
SECRET = "example-secret"


def environment(secret):
    env = {k: v for k, v in os.environ.items() if not k.startswith("AWS_")}
    return env | {"AWS_ACCESS_KEY_ID": "AKIAEXAMPLE", "AWS_SECRET_ACCESS_KEY": secret, "AWS_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/nowhere", "AWS_SHARED_CREDENTIALS_FILE": "/nowhere"}


class Check(Tally):
    def __init__(self, binary, endpoint, work):
        super().__init__()
        self.binary, self.endpoint, self.work = binary, endpoint, work

    def that(self, what, holds, detail=""):
        self.check(what, holds, "" if holds else detail)

    def run(self, *args, secret=SECRET):
        done = subprocess.run([self.binary, *args], env=environment(secret), capture_output=True, text=True, timeout=300)
        self.that(f"no secret in what {args[0]} says", secret not in done.stdout + done.stderr)
        return done

    def audit(self, name, *args, **more):
        return self.run("audit", *args, "-o", str(self.work / name), "--s3-endpoint", self.endpoint, **more)

    def raced(self, *args):
        """Runs two attempts at a task at once: both must succeed."""
        command = [self.binary, *args, "--s3-endpoint", self.endpoint, "--quiet"]
        for attempt in [begun(*command, env=environment(SECRET)) for _ in range(2)]:
            said = attempt.communicate(timeout=300)[1]
            if attempt.returncode != 0:
                self.that(" ".join(args), False, said)

    def same(self, what, a, b):
        def files(name):
            return {p.name: p.read_bytes() for p in (self.work / name).iterdir() if p.is_file()}

        ours, theirs = files(a), files(b)
        differ = [n for n in ours.keys() | theirs.keys() if ours.get(n) != theirs.get(n)]
        self.that(what, not differ and len(ours) > 10, f"differ: {differ}")


def staged(check, s3, archives):
    """Audits in stages, with facts and results in the store; every task is raced by a second attempt."""
    facts, out = f"s3://{BUCKET}/facts", f"s3://{BUCKET}/some/out"
    status = [status_of(s3.put_object, Bucket=BUCKET, Key="once", Body=b"x", IfNoneMatch="*") for _ in range(2)][1]
    check.that("the store creates an object once", status == 412, status)
    tasks = [["plan", archives, "--shards", "3", "--facts", facts]]
    tasks += [["ingest", "--shard", f"{n}/3", "--facts", facts] for n in range(3)]
    tasks += [["resolve", "--facts", facts]]
    tasks += [["decide", "--buckets", f"{n}/5", "--facts", facts, "-o", out] for n in range(5)]
    tasks += [["finish", "-o", out]]
    for task in tasks:
        check.raced(*task)
    to = check.work / "staged"
    attempts = {}
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET):
        for o in page.get("Contents", []):
            key = o["Key"]
            if key.startswith("facts/shards/") and "-" in key:
                attempts.setdefault(key.split("-")[0], set()).add(key.split("/")[2])
            if key.startswith("some/out/"):
                path = to / key.removeprefix("some/out/")
                path.parent.mkdir(parents=True, exist_ok=True)
                s3.download_file(BUCKET, key, str(path))
    check.that("of two attempts at a shard one is kept", len(attempts) == 3 and all(len(kept) == 1 for kept in attempts.values()), attempts)
    found, rows = differences(str(check.work / "local"), str(to))
    check.that(f"an audit in stages has the {rows} rows, and the report, of one process", not found, "; ".join(found))
    explained = [check.run("explain", o, "1", "--s3-endpoint", check.endpoint).stdout for o in (out, str(check.work / "local"))]
    check.that("a verdict is explained from the store", explained[0] == explained[1] != "", explained)


def main(binary, *, store=None):
    with folder() as work:
        if not store:
            call("go", "install", "github.com/versity/versitygw/cmd/versitygw@v1.8.0", cwd=work, env=os.environ |
                 {"GOBIN": str(work / "bin")}, codes=(0,))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        (work / "held").mkdir()
        with open(work / "store.log", "wb") as log:
            command = [store or work / "bin/versitygw", "--port", address, "--quiet", "posix", "--sidecar", "", work / "held"]
            running = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ |
                                       {"ROOT_ACCESS_KEY": "AKIAEXAMPLE", "ROOT_SECRET_KEY": SECRET})
        try:
            check = Check(binary, f"http://{address}", work)
            run(check)
        finally:
            running.terminate()
            running.wait()
        if check.failed:
            print((work / "store.log").read_text())
        return check.failed


def run(check):
    s3 = boto3.client("s3", endpoint_url=check.endpoint, aws_access_key_id="AKIAEXAMPLE",
                      aws_secret_access_key=SECRET, region_name="us-east-1",
                      config=botocore.config.Config(signature_version="s3v4"))
    for left in range(100, -1, -1):
        try:
            s3.create_bucket(Bucket=BUCKET)
            break
        except botocore.exceptions.EndpointConnectionError:
            if not left:
                raise
            time.sleep(0.1)
    for path in ARCHIVES:
        s3.put_object(Bucket=BUCKET, Key=f"a b/{path.name}", Body=path.read_bytes())

    local = check.run("audit", *map(str, ARCHIVES), "-o", str(check.work / "local"))
    check.that("files are audited", local.returncode == 0, local.stderr)
    remote = check.audit("remote", f"s3://{BUCKET}/a b/")
    check.that("signed requests are served", remote.returncode == 0, remote.stderr)
    check.same("the results are those of the files", "local", "remote")

    staged(check, s3, f"s3://{BUCKET}/a b/")

    denied = check.audit("denied", f"s3://{BUCKET}/a b/", secret="another-secret")
    check.that("a wrong signature is refused, with a message", denied.returncode == 1 and
               "access is denied (403 SignatureDoesNotMatch)" in denied.stderr, denied.stderr)
    denied = check.audit("anonymous", f"s3://{BUCKET}/a b/", "--s3-anonymous")
    check.that("an anonymous request is refused, with a message", denied.returncode == 1 and
               "access is denied (403" in denied.stderr, denied.stderr)

    key = f"a b/{ARCHIVES[0].name}"
    old = s3.head_object(Bucket=BUCKET, Key=key)["ETag"]
    s3.put_object(Bucket=BUCKET, Key=key, Body=ARCHIVES[1].read_bytes())
    status = status_of(s3.get_object, Bucket=BUCKET, Key=key, IfMatch=old)
    check.that("the store refuses a version that is gone", status == 412, status)
    again = check.audit("remote", f"s3://{BUCKET}/a b/")
    check.that("what changed is read again, and nothing else", "read 1 input, " in again.stderr and
               f"of {len(ARCHIVES) - 1} inputs" in again.stderr, again.stderr)

    url = s3.generate_presigned_url("get_object", Params={"Bucket": BUCKET, "Key": key})
    signed = check.run("audit", url, "-o", str(check.work / "signed"))
    kept = b"".join(p.read_bytes() for p in (check.work / "signed").rglob("*") if p.is_file())
    told = (signed.stdout + signed.stderr).encode() + kept
    check.that("a signed URL is read", signed.returncode == 0, signed.stderr)
    check.that("and its signature is nowhere", b"X-Amz" not in told and b"AKIAEXAMPLE" not in told)


def status_of(request, **arguments):
    try:
        request(**arguments)
        return 200
    except botocore.exceptions.ClientError as e:
        return e.response["ResponseMetadata"]["HTTPStatusCode"]
