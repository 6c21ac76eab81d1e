"""Makes an image for containers in a folder, robotsaudit_VERSION_image.tar: the program alone, for amd64 and arm64, and its bill of materials.

    image DIR

    docker load -i robotsaudit_VERSION_image.tar
    docker run --rm --network none -v "$PWD:/data" --user "$(id -u)" robotsaudit:VERSION audit crawl.warc.gz -o out

The archive is an OCI layout with the index that 'docker save' adds. The program is static; there is no shell and no root.
The same commit gives the same bytes.
"""

import datetime
import gzip
import hashlib
import io
import json
import os
import tarfile
from pathlib import Path

import sbom
from lib import ROOT, call, folder

ENVIRONMENT = ""
OCI = "application/vnd.oci.image."


class Layout:
    """The files of the archive."""

    def __init__(self):
        self.files = {}

    def add(self, kind, content):
        """Adds a blob, and returns its descriptor."""
        if not isinstance(content, bytes):
            content = json.dumps(content).encode()
        digest = hashlib.sha256(content).hexdigest()
        self.files[f"blobs/sha256/{digest}"] = content
        return {"mediaType": f"{OCI}{kind}", "digest": f"sha256:{digest}", "size": len(content)}


def tar(files, epoch):
    """An archive of (name, mode, content); a folder has none."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, mode, content in files:
            entry = tarfile.TarInfo(name)
            entry.mode, entry.mtime, entry.size = mode, epoch, len(content or b"")
            entry.type = tarfile.REGTYPE if content is not None else tarfile.DIRTYPE
            archive.addfile(entry, io.BytesIO(content or b""))
    return out.getvalue()


def main(to: Path):
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or call("git", "log", "-1", "--format=%ct", cwd=ROOT, codes=(0,)))
    created = datetime.datetime.fromtimestamp(epoch, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    layout, images = Layout(), []
    for processor in ("amd64", "arm64"):
        with folder() as work:
            environment = os.environ | {"CGO_ENABLED": "0", "GOOS": "linux", "GOARCH": processor}
            call("go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w -buildid=", "-o", work / "robotsaudit", "./cmd/robotsaudit",
                 cwd=ROOT, env=environment, codes=(0,))
            sbom.main(work / "robotsaudit", work / "sbom")
            program, materials = (work / "robotsaudit").read_bytes(), (work / "sbom").read_bytes()
        version = json.loads(materials)["metadata"]["component"]["version"].removeprefix("v")
        labels = {f"org.opencontainers.image.{name}": value for name, value in {
            "title": "robotsaudit", "description": "Audits web archives against robots.txt", "licenses": "Apache-2.0", "version": version,
            "source": "https://github.com/robotsaudit/robotsaudit", "created": created,
            "revision": call("git", "rev-parse", "HEAD", cwd=ROOT, codes=(0,)).strip()}.items()}
        documents = "usr/share/doc/robotsaudit"
        content = tar([("tmp", 0o1777, None), ("robotsaudit", 0o755, program), ("usr", 0o755, None), ("usr/share", 0o755, None),
                       ("usr/share/doc", 0o755, None), (documents, 0o755, None),
                       (f"{documents}/LICENSE", 0o644, (ROOT / "LICENSE").read_bytes()),
                       (f"{documents}/robotsaudit.cdx.json", 0o644, materials)], epoch)
        layer = layout.add("layer.v1.tar+gzip", gzip.compress(content, mtime=0))
        config = layout.add("config.v1+json", {
            "created": created, "architecture": processor, "os": "linux",
            "config": {"User": "65532:65532", "Entrypoint": ["/robotsaudit"], "WorkingDir": "/data", "Labels": labels},
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(content).hexdigest()}"]},
            "history": [{"created": created, "created_by": "scripts/make/run image"}]})
        manifest = {"schemaVersion": 2, "mediaType": f"{OCI}manifest.v1+json", "config": config, "layers": [layer], "annotations": labels}
        images.append(layout.add("manifest.v1+json", manifest) | {"platform": {"os": "linux", "architecture": processor}})
        if processor == "amd64":
            path = "blobs/" + config["digest"].replace(":", "/"), "blobs/" + layer["digest"].replace(":", "/")
            saved = [{"Config": path[0], "RepoTags": [f"robotsaudit:{version}"], "Layers": [path[1]]}]
    index = layout.add("index.v1+json", {"schemaVersion": 2, "mediaType": f"{OCI}index.v1+json", "manifests": images, "annotations": labels})
    index["annotations"] = {"io.containerd.image.name": f"docker.io/library/robotsaudit:{version}", "org.opencontainers.image.ref.name": version}
    layout.files["oci-layout"] = b'{"imageLayoutVersion": "1.0.0"}'
    layout.files["index.json"] = json.dumps({"schemaVersion": 2, "manifests": [index]}).encode()
    layout.files["manifest.json"] = json.dumps(saved).encode()
    to.mkdir(parents=True, exist_ok=True)
    (to / f"robotsaudit_{version}_image.tar").write_bytes(tar([(name, 0o644, layout.files[name]) for name in sorted(layout.files)], epoch))
