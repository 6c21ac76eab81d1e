"""A release by the steps of the workflow itself, read from ci.yml, in a clone with a tag, twice; nothing is published.

    release [--keep DIR]          keeps the release in DIR

- 'goreleaser check' finds nothing. Steps that need GitHub are named and not run; goreleaser makes all but what it would publish. The
  second time is a snapshot, which also builds the image where docker buildx is: the same bytes.
- The program, the Python package, an sdist and what is built of it, a build by 'go build' and by 'go install …@latest' from a proxy
  in a folder have the version of the tag, and so has CHANGELOG.
- Archives, deb, rpm, wheels and sdist have the licences of others, which name all modules of the program; archives and packages have
  man pages and completions; each program has a bill of materials; recipes have the sums of the files that they name.
- The deb installs into an empty root, and audits there; the rpm has the same program; that for arm64 writes the same bytes under
  qemu.

Needs Linux on amd64, Go and git, and for some tries root, dpkg, rpm2cpio, cpio, nix-hash and qemu-aarch64-static; what is missing is
skipped with a line. $GORELEASER may name a goreleaser to use in place of the workflow's.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import yaml
from lib import ROOT, TESTDATA, Tally, call, folder

LIMIT = 7200
VERSION = "0.0.1"  # of the try: a tag in its clone alone
MODULE = "github.com/robotsaudit/robotsaudit"
LICENCES = "THIRD-PARTY-LICENSES.txt"
BESIDE = ("robotsaudit.1", "robotsaudit.bash", "robotsaudit.zsh", "robotsaudit.fish", LICENCES)


def has(*names):
    missing = [name for name in names if not shutil.which(name)]
    if missing:
        print(f"skipped: what needs {', '.join(missing)}")
    return not missing


def tagged(source):
    """A clone of the last commit whose CHANGELOG names the version, with the tag."""
    call("git", "clone", "-q", ROOT, source, codes=(0,))
    path = source / "CHANGELOG.md"
    path.write_text(path.read_text().replace("## Unreleased", f"## {VERSION}", 1))
    for command in (("commit", "-qam", "A version"), ("tag", f"v{VERSION}")):
        call("git", "-c", "user.name=a", "-c", "user.email=a@example.com", *command, cwd=source, codes=(0,))


def workflow(source, *options):
    """The steps of the workflow's job in order, up to what is published."""
    job = yaml.safe_load((source / ".github/workflows/ci.yml").read_text())["jobs"]["release"]
    absent = [] if shutil.which("nix-hash") else ["nix"]
    absent += [] if subprocess.run(["docker", "buildx", "version"], capture_output=True).returncode == 0 else ["docker"]
    environment = os.environ | {"GITHUB_REF_NAME": f"v{VERSION}", "GOFLAGS": ""}
    for step in job["steps"]:
        command = step.get("run", "")
        if not command or "sudo" in command:
            print(f"      not run here: {step.get('uses') or command}")
            continue
        if "goreleaser" in command:
            print(f"      without what it publishes (the draft, its files, the image): {command}; skipped: {', '.join(absent) or 'nothing'}")
            command = command.replace("release --clean", " ".join(
                ["release --clean", *options, f"--skip={','.join([*absent, *([] if options else ['publish', 'announce'])])}"]))
            command = re.sub(r"go run \S*goreleaser\S*", os.environ.get("GORELEASER") or r"\g<0>", command)
            call("bash", "-ec", command.split(" release ")[0] + " check", cwd=source, env=environment, codes=(0,))
        call("bash", "-ec", command, cwd=source, env=environment, codes=(0,))
    dist = source / "dist"
    for path in (*(source / "dist-wheels").iterdir(), *(source / "dist-app").glob("robotsaudit-*")):
        shutil.copy(path, dist)
    return dist


def names(path):
    """The names of what is in an archive."""
    if path.suffix in (".zip", ".whl"):
        return zipfile.ZipFile(path).namelist()
    if path.name.endswith(".tar.gz"):
        return tarfile.open(path).getnames()
    return call(*(("dpkg-deb", "-c", path) if path.suffix == ".deb" else ("rpm", "-qpl", path)), codes=(0,)).split()


def check_contents(tally, dist):
    archives = [*dist.glob("robotsaudit_*.tar.gz"), *dist.glob("*.zip")]
    archives = [path for path in archives if "app" not in path.name]
    tally.equal("eight archives", len(archives), 8)
    packages = [path for kind, tool in (("deb", "dpkg-deb"), ("rpm", "rpm")) if has(tool) for path in dist.glob(f"*.{kind}")]
    for path in archives + packages:
        found = {Path(name).name.replace("_robotsaudit", "robotsaudit.zsh") for name in names(path)}
        found |= {"robotsaudit.bash"} if any(name.endswith("bash-completion/completions/robotsaudit") for name in names(path)) else set()
        tally.equal(f"{path.name}: all that is next to the program", set(BESIDE) - {name.removesuffix(".gz") for name in found}, set())
    for path in (*dist.glob("*.whl"), dist / f"robotsaudit-{VERSION}.tar.gz"):
        tally.equal(f"{path.name}: {LICENCES}", any(name.endswith(LICENCES) for name in names(path)), True)
    stated = (ROOT / LICENCES).read_text().split("\n")
    for program in dist.glob("robotsaudit_*_*/robotsaudit*"):
        lines = [line.split("\t") for line in call("go", "version", "-m", program, codes=(0,)).splitlines()]
        missing = [line[2:4] for line in lines if line[1:2] == ["dep"] and " ".join(line[2:4]) not in stated]
        tally.equal(f"{program.parent.name}: {LICENCES} names its modules", missing, [])
        system = "_".join(program.parent.name.split("_")[1:3])
        bill = (dist / f"robotsaudit_{VERSION}_{system}.cdx.json").read_text()
        tally.equal(f"{program.parent.name}: its bill of materials names them", [line for line in lines if line[1:2] == ["dep"] and f"{line[2]}@" not in bill], [])
    listed = call(next(dist.glob("robotsaudit_linux_amd64*/robotsaudit")), "export", "--help", codes=(0,)).split("first here:")[1].split("--decide")[0]
    with tarfile.open(dist / f"robotsaudit_{VERSION}_linux_amd64.tar.gz") as archive:
        page = archive.extractfile("man/robotsaudit-export.1").read().decode()
    tally.equal("man pages keep the lines of lists", [line for line in listed.split("\n") if line.strip() not in page], [])
    sums = dict(reversed(line.split()) for line in (dist / "checksums.txt").read_text().splitlines())
    for pattern in ("homebrew/Casks/*.rb", "scoop/*.json", "aur/*.pkgbuild", "nix/pkgs/*/default.nix"):
        for path in dist.glob(pattern):
            digests = re.findall(r"\b[0-9a-f]{64}\b", path.read_text())
            tally.equal(f"{path.name}: sums of no file", set(digests) - set(sums.values()), set())


def check_versions(tally, source, dist, work):
    amd64 = next(dist.glob("robotsaudit_linux_amd64*/robotsaudit"))
    built = {"the release": amd64, "go build of the tag": work / "built", "go install": work / "bin/robotsaudit"}
    call("go", "build", "-o", built["go build of the tag"], "./cmd/robotsaudit", cwd=source, env=os.environ | {"GOFLAGS": ""}, codes=(0,))
    proxy = work / "proxy" / MODULE / "@v"
    proxy.mkdir(parents=True)
    (proxy / "list").write_text(f"v{VERSION}\n")
    (proxy / f"v{VERSION}.info").write_text(f'{{"Version": "v{VERSION}", "Time": "2026-01-01T00:00:00Z"}}')
    shutil.copy(source / "go.mod", proxy / f"v{VERSION}.mod")
    others = [f":(exclude){path.removesuffix('/go.mod')}" for path in call("git", "ls-files", "*/go.mod", cwd=source, codes=(0,)).split()]
    call("git", "archive", "--format=zip", "-1", f"--prefix={MODULE}@v{VERSION}/", "-o", proxy / f"v{VERSION}.zip", "HEAD", ".", *others,
         cwd=source, codes=(0,))
    known = Path(call("go", "env", "GOMODCACHE", codes=(0,)).strip(), "cache/download")
    call("go", "install", f"{MODULE}/cmd/robotsaudit@latest", cwd=work, codes=(0,), env={
        **os.environ, "GOPROXY": f"file://{work / 'proxy'},file://{known}", "GOSUMDB": "off", "GOBIN": str(work / "bin"),
        "GOMODCACHE": str(work / "modules"), "GOFLAGS": "-modcacherw"})
    for wheel in (next(dist.glob("*manylinux*x86_64*.whl")), of_sdist(dist, work)):
        tally.equal(f"{wheel.name}: its version", wheel.name.split("-")[1], VERSION)
        zipfile.ZipFile(wheel).extract("robotsaudit/bin/robotsaudit", work / wheel.parent.name)
        built[f"the wheel in {wheel.parent.name}"] = work / wheel.parent.name / "robotsaudit/bin/robotsaudit"
    for name, program in built.items():
        program.chmod(0o755)
        tally.equal(f"{name}: its version", call(program, "--version", codes=(0,)).split()[1], f"v{VERSION}")


def of_sdist(dist, work):
    """The wheel that is built of the sdist, where there is no git."""
    with tarfile.open(dist / f"robotsaudit-{VERSION}.tar.gz") as sdist:
        sdist.extractall(work, filter="data")
    call(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", work / "sdist", work / f"robotsaudit-{VERSION}", codes=(0,))
    return next((work / "sdist").glob("*.whl"))


def check_runs(tally, dist, work):
    amd64 = next(dist.glob("robotsaudit_linux_amd64*/robotsaudit"))
    call(amd64, "audit", "--quiet", TESTDATA, "-o", work / "out", codes=(0,))
    written = {path.name: path.read_bytes() for path in (work / "out").glob("*.parquet")}

    def same(name, out):
        tally.equal(f"{name}: tables that differ", [table for table in written if written[table] != (out / table).read_bytes()], [])
    if has("dpkg") and os.getuid() == 0:
        root = work / "root"
        for place in ("info", "updates", "triggers"):
            (root / "var/lib/dpkg" / place).mkdir(parents=True)
        for name in ("status", "available"):
            (root / "var/lib/dpkg" / name).touch()
        call("dpkg", f"--root={root}", "--install", next(dist.glob("*_linux_amd64.deb")), codes=(0,))
        shutil.copytree(TESTDATA, root / "warc")
        (root / "tmp").mkdir()
        without = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
        call("chroot", root, "/usr/bin/robotsaudit", "audit", "/warc", "-o", "/out", env=without, codes=(0,))
        same("the deb in an empty root", root / "out")
    if has("rpm2cpio", "cpio"):
        (work / "rpm").mkdir()
        subprocess.run(f"rpm2cpio {next(dist.glob('*_linux_amd64.rpm'))} | cpio -id --quiet --no-absolute-filenames", shell=True, cwd=work / "rpm")
        tally.equal("the rpm has the program", (work / "rpm/usr/bin/robotsaudit").read_bytes() == amd64.read_bytes(), True)
    if has("qemu-aarch64-static"):
        call("qemu-aarch64-static", next(dist.glob("robotsaudit_linux_arm64*/robotsaudit")), "audit", TESTDATA, "-o", work / "arm64", codes=(0,))
        same("the program for arm64", work / "arm64")


def main(*, keep: Path = None):
    tally = Tally()
    with folder() as work:
        os.chmod(work, 0o755)
        source = work / "robotsaudit"
        tagged(source)
        dist = workflow(source).rename(work / "dist")
        check_versions(tally, source, dist, work)
        check_contents(tally, dist)
        check_runs(tally, dist, work)
        again = workflow(source, "--snapshot")
        tally.equal("a release and its snapshot have the same bytes", (again / "checksums.txt").read_text() == (dist / "checksums.txt").read_text(), True)
        if keep:
            shutil.copytree(dist, keep, dirs_exist_ok=True)
    print(f"a release: {tally.done} things tried, {tally.failed} do not hold")
    return tally.failed
