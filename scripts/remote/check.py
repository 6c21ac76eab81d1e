"""Reads archives from an object store with a binary, and compares with files on the disk.

    check.py BINARY ENDPOINT ARCHIVES WORK
"""

import os
import pathlib
import subprocess
import sys
import time

import boto3
import botocore.config
import botocore.exceptions

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scale"))
from same import differences  # noqa: E402

BUCKET = "crawl"
SECRET = "example-secret"


def environment(secret):
    env = {k: v for k, v in os.environ.items() if not k.startswith("AWS_")}
    return env | {
        "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE", "AWS_SECRET_ACCESS_KEY": secret, "AWS_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/nowhere", "AWS_SHARED_CREDENTIALS_FILE": "/nowhere",
    }


class Check:
    def __init__(self, binary, endpoint, work):
        self.binary, self.endpoint, self.work = os.path.abspath(binary), endpoint, pathlib.Path(work)
        self.failed = 0

    def that(self, what, holds, detail=""):
        print(("ok      " if holds else "FAILED  ") + what)
        if not holds:
            self.failed += 1
            print(detail)

    def run(self, *args, secret=SECRET):
        done = subprocess.run([self.binary, *args], env=environment(secret), capture_output=True, text=True, timeout=300)
        self.that(f"no secret in what {args[0]} says", secret not in done.stdout + done.stderr)
        return done

    def audit(self, name, *args, **more):
        return self.run("audit", *args, "-o", str(self.work / name), "--s3-endpoint", self.endpoint, **more)

    def start(self, *args):
        command = [self.binary, *args, "--s3-endpoint", self.endpoint, "--quiet"]
        return subprocess.Popen(command, env=environment(SECRET), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def raced(self, *args):
        """Runs two attempts at a task at once: both must succeed."""
        for attempt in [self.start(*args), self.start(*args)]:
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
    try:
        for _ in range(2):
            s3.put_object(Bucket=BUCKET, Key="once", Body=b"x", IfNoneMatch="*")
        status = 200
    except botocore.exceptions.ClientError as e:
        status = e.response["ResponseMetadata"]["HTTPStatusCode"]
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
    explained = [check.run("explain", "-o", o, "1", "--s3-endpoint", check.endpoint).stdout for o in (out, str(check.work / "local"))]
    check.that("a verdict is explained from the store", explained[0] == explained[1] != "", explained)


def main(binary, endpoint, archives, work):
    check = Check(binary, endpoint, work)
    s3 = boto3.client("s3", endpoint_url=endpoint, aws_access_key_id="AKIAEXAMPLE", aws_secret_access_key=SECRET, region_name="us-east-1",
                      config=botocore.config.Config(signature_version="s3v4"))
    for left in range(100, -1, -1):
        try:
            s3.create_bucket(Bucket=BUCKET)
            break
        except botocore.exceptions.EndpointConnectionError:
            if not left:
                raise
            time.sleep(0.1)
    paths = sorted(p for p in pathlib.Path(archives).iterdir() if ".warc" in p.name)
    for path in paths:
        s3.put_object(Bucket=BUCKET, Key=f"a b/{path.name}", Body=path.read_bytes())

    local = check.run("audit", *map(str, paths), "-o", str(check.work / "local"))
    check.that("files are audited", local.returncode == 0, local.stderr)
    remote = check.audit("remote", f"s3://{BUCKET}/a b/")
    check.that("signed requests are served", remote.returncode == 0, remote.stderr)
    check.same("the results are those of the files", "local", "remote")

    staged(check, s3, f"s3://{BUCKET}/a b/")

    denied = check.audit("denied", f"s3://{BUCKET}/a b/", secret="another-secret")
    check.that("a wrong signature is refused, and told", denied.returncode == 1 and "access is denied (403 SignatureDoesNotMatch)" in denied.stderr, denied.stderr)
    denied = check.audit("anonymous", f"s3://{BUCKET}/a b/", "--s3-anonymous")
    check.that("an anonymous request is refused, and told", denied.returncode == 1 and "access is denied (403" in denied.stderr, denied.stderr)

    key = f"a b/{paths[0].name}"
    old = s3.head_object(Bucket=BUCKET, Key=key)["ETag"]
    s3.put_object(Bucket=BUCKET, Key=key, Body=paths[1].read_bytes())
    try:
        s3.get_object(Bucket=BUCKET, Key=key, IfMatch=old)
        status = 200
    except botocore.exceptions.ClientError as e:
        status = e.response["ResponseMetadata"]["HTTPStatusCode"]
    check.that("the store refuses a version that is gone", status == 412, status)
    again = check.audit("remote", f"s3://{BUCKET}/a b/")
    check.that("what changed is read again, and nothing else", f"read 1 archive, " in again.stderr and f"of {len(paths) - 1} archives" in again.stderr, again.stderr)

    url = s3.generate_presigned_url("get_object", Params={"Bucket": BUCKET, "Key": key})
    signed = check.run("audit", url, "-o", str(check.work / "signed"))
    kept = b"".join(p.read_bytes() for p in (check.work / "signed").rglob("*") if p.is_file())
    told = (signed.stdout + signed.stderr).encode() + kept
    check.that("a signed URL is read", signed.returncode == 0, signed.stderr)
    check.that("and its signature is nowhere", b"X-Amz" not in told and b"AKIAEXAMPLE" not in told)
    print("all holds" if not check.failed else f"{check.failed} FAILED")
    return check.failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
