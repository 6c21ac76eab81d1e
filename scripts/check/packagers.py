"""The recipes of packaging/, filled for a release: each names files of it with their sums, and installs them as far as can be tried here.

    packagers BINARY [DIST]

DIST is a release that goreleaser made; without, archives of BINARY stand for it, in the names of all systems. packaging/README.md
says what each recipe is tried by, and what is not tried. Also tried are 'go install …@latest', from a proxy in a folder, and
action.yml. What is not installed here is skipped with a line: ruby, makepkg, shellcheck, nix-instantiate.
"""

import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import rattler_build
import yaml
from lib import ROOT, TESTDATA, call, folder, script

ENVIRONMENT = "requirements-packagers.txt"
BESIDE = ("man/robotsaudit.1", "completions/robotsaudit.bash", "completions/robotsaudit.zsh", "completions/robotsaudit.fish", "LICENSE")
# What a formula uses of Homebrew: it installs into $PREFIX what lies in the current folder.
FORMULA = r"""
require "fileutils"
class Place
  def initialize(path) = @path = path
  def install(*given)
    FileUtils.mkdir_p(@path)
    given.flatten.each { |one| one.is_a?(Hash) ? one.each { |from, to| FileUtils.cp(from, "#{@path}/#{to}") } : FileUtils.cp(one, @path) }
  end
end
class Formula
  class << self
    attr_reader :files
    def desc(*) = nil
    alias homepage desc
    alias version desc
    alias license desc
    alias test desc
    %w[on_macos on_linux on_arm on_intel].each { |name| define_method(name) { |&block| block.call } }
    def url(text) = (@files ||= []) << [text]
    def sha256(text) = @files.last << text
  end
  { bin: "bin", man1: "man1", bash_completion: "bash", zsh_completion: "zsh", fish_completion: "fish" }.each do |name, path|
    define_method(name) { Place.new("#{ENV["PREFIX"]}/#{path}") }
  end
end
load ARGV[0]
Robotsaudit.new.install
puts Robotsaudit.files.map { |file| file.join(" ") }
"""


def has(*names):
    missing = [name for name in names if not shutil.which(name)]
    if missing:
        print(f"skipped: what needs {', '.join(missing)}")
    return not missing


def imitation(binary, dist):
    """Archives in the names and the form of a release."""
    files = {name: name.encode() for name in BESIDE} | {"LICENSE": (ROOT / "LICENSE").read_bytes()}
    for system in ("linux", "darwin", "freebsd", "windows"):
        for processor in ("amd64", "arm64"):
            path = dist / f"robotsaudit_0.0.1_{system}_{processor}"
            if system == "windows":
                with zipfile.ZipFile(path.with_name(path.name + ".zip"), "w") as archive:
                    archive.write(binary, "robotsaudit.exe")
                continue
            with tarfile.open(path.with_name(path.name + ".tar.gz"), "w:gz", compresslevel=1) as archive:
                archive.add(binary, "robotsaudit")
                for name, content in files.items():
                    entry = tarfile.TarInfo(name)
                    entry.size = len(content)
                    archive.addfile(entry, io.BytesIO(content))
    (dist / "robotsaudit-0.0.1.tar.gz").write_bytes(b"an sdist")
    (dist / "checksums.txt").write_text("".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(dist.iterdir())))


def check_sums(dist, filled):
    """Each recipe has the sums of the files that its URLs name."""
    sums = dict(reversed(line.split()) for line in (dist / "checksums.txt").read_text().splitlines())
    version = next(dist.glob("robotsaudit_*_linux_amd64.tar.gz")).name.split("_")[1]
    for path in filled:
        text = path.read_text().replace("${{ version }}", version).replace("#{base}", f"/robotsaudit_{version}")
        names = re.findall(r"/(robotsaudit[-_][\w.-]+\.(?:tar\.gz|zip))", text)
        digests = re.findall(r"\b[0-9a-f]{64}\b", text)
        assert names and sorted(digests) == sorted(sums[name] for name in names), f"{path.name}: {names} have other sums than {digests}"


def unpacked(dist, work):
    with tarfile.open(next(dist.glob("robotsaudit_*_linux_amd64.tar.gz"))) as archive:
        archive.extractall(work, filter="data")
    return work


def check_formula(dist, formula, work):
    subprocess.run(["ruby", "-c", formula], check=True, stdout=subprocess.DEVNULL)
    (work / "formula.rb").write_text(FORMULA)
    call("ruby", work / "formula.rb", formula, cwd=unpacked(dist, work / "formula"), env=os.environ | {"PREFIX": str(work / "brew")}, codes=(0,))
    installed = {str(path.relative_to(work / "brew")) for path in (work / "brew").rglob("*") if path.is_file()}
    assert {"bin/robotsaudit", "man1/robotsaudit.1", "bash/robotsaudit", "zsh/_robotsaudit", "fish/robotsaudit.fish"} <= installed, installed
    call(work / "brew/bin/robotsaudit", "--version", codes=(0,))


def check_pkgbuild(dist, pkgbuild, work):
    call("shellcheck", "-s", "bash", "-e", "SC2034,SC2154", pkgbuild, codes=(0,))
    if not has("makepkg", "fakeroot", "bsdtar"):
        return
    build = work / "arch"
    build.mkdir()
    shutil.copy(pkgbuild, build / "PKGBUILD")
    shutil.copy(next(dist.glob("robotsaudit_*_linux_amd64.tar.gz")), build)
    for path in (work, build, *build.iterdir()):
        os.chmod(path, 0o777)
    command = ["makepkg", "--nodeps", "--noconfirm"]
    if os.geteuid() == 0:  # which makepkg refuses to be
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]
    environment = os.environ | {"HOME": str(build), "CARCH": "x86_64", "PACMAN": "true", "PKGEXT": ".pkg.tar.gz", "PACKAGER": "x <x@localhost>"}
    call(*command, cwd=build, env=environment, codes=(0,))
    listed = call("bsdtar", "-tf", next(build.glob("*.pkg.tar.gz")), codes=(0,)).split()
    for name in ("bin/robotsaudit", "share/man/man1/robotsaudit.1.gz", "share/licenses/robotsaudit-bin/LICENSE",
                 "share/bash-completion/completions/robotsaudit"):
        assert f"usr/{name}" in listed, f"{name} is not in the package: {listed}"


def check_manifest(dist, manifest):
    content = json.loads(manifest.read_text())
    for one in content["architecture"].values():
        with zipfile.ZipFile(dist / one["url"].rsplit("/", 1)[1]) as archive:
            assert content["bin"] in archive.namelist(), one


def check_recipe(recipe):
    (rendered,) = rattler_build.Stage0Recipe.from_yaml(recipe.read_text()).render()
    made = yaml.safe_load((ROOT / "python/pyproject.toml").read_text().split("dependencies = ")[1].splitlines()[0])
    run = json.dumps(rendered.recipe.requirements.to_dict())
    for need in made:
        assert need.replace("duckdb", "python-duckdb ").replace("  ", " ") in run, f"{need} is not in {run}"


def check_flake(work):
    """The flake with a stand-in for nixpkgs: it has a package for each system, of the modules that go.sum has."""
    lines = f"""(import {ROOT}/packaging/flake.nix).outputs {{
        self = {{ }};
        nixpkgs = {{
          lib = {{ licenses.asl20 = "Apache-2.0"; genAttrs = names: f: builtins.listToAttrs (map (name: {{ inherit name; value = f name; }}) names); }};
          legacyPackages = builtins.listToAttrs (map (name: {{ inherit name; value.buildGoModule = x: removeAttrs x [ "src" ]; }})
            [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ]);
        }};
      }}"""
    packages = json.loads(call("nix-instantiate", "--eval", "--strict", "--json", "-E", lines, codes=(0,)))["packages"]
    call("go", "mod", "vendor", "-o", work / "vendor", cwd=ROOT, codes=(0,))
    vendored = "sha256:" + call("nix-hash", "--type", "sha256", "--base32", work / "vendor", codes=(0,)).strip()
    for system, package in packages.items():
        assert package["default"]["vendorHash"] == vendored, f"packaging/flake.nix: vendorHash must be {vendored}"
    assert len(packages) == 4, packages


def check_install(work):
    """go install …@latest from a proxy that has the last commit as v0.0.1."""
    module = "github.com/robotsaudit/robotsaudit"
    proxy = work / "proxy" / module / "@v"
    proxy.mkdir(parents=True)
    (proxy / "list").write_text("v0.0.1\n")
    (proxy / "v0.0.1.info").write_text('{"Version": "v0.0.1", "Time": "2026-01-01T00:00:00Z"}')
    (proxy / "v0.0.1.mod").write_text((ROOT / "go.mod").read_text())
    others = [f":(exclude){path.removesuffix('/go.mod')}" for path in call("git", "ls-files", "*/go.mod", cwd=ROOT, codes=(0,)).split()]
    call("git", "archive", "--format=zip", "-1", f"--prefix={module}@v0.0.1/", "-o", proxy / "v0.0.1.zip", "HEAD", ".", *others, cwd=ROOT,
         codes=(0,))
    known = Path(call("go", "env", "GOMODCACHE", codes=(0,)).strip(), "cache/download")
    environment = {**os.environ, "GOPROXY": f"file://{work / 'proxy'},file://{known}", "GOSUMDB": "off", "GOBIN": str(work / "bin"),
                   "GOMODCACHE": str(work / "modules"), "GOFLAGS": "-modcacherw -trimpath"}
    call("go", "install", f"{module}/cmd/robotsaudit@latest", cwd=work, env=environment, codes=(0,))
    shown = call(work / "bin/robotsaudit", "--version", codes=(0,))
    assert shown.startswith("robotsaudit v0.0.1"), shown


def check_action(binary, work):
    """The steps of action.yml that are commands, run as a runner does."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    runner = work / "runner"
    runner.mkdir()
    shutil.copy(binary, runner / "robotsaudit")
    for inputs, code in (({}, 10), ({"fail-on": ""}, 0), ({"options": "--purpose=train\n--crawler=NoSuchBot", "fail-on": "violations"}, None)):
        given = {name: one.get("default") for name, one in action["inputs"].items()}
        given |= {"archives": f"{TESTDATA}\n", "output": str(work / f"out-{len(inputs)}")} | inputs
        outputs, done = {}, 0
        for step in (step for step in action["runs"]["steps"] if "run" in step and "go build" not in step["run"]):
            values = {f"inputs.{name}": value for name, value in given.items()} | {f"steps.{name}": value for name, value in outputs.items()}
            own = {name: re.sub(r"\$\{\{ (.*?) \}\}", lambda found: values[found[1]], text) for name, text in step["env"].items()}
            files = {name: str(runner / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
            Path(files["GITHUB_OUTPUT"]).write_text("")
            done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], stdout=subprocess.DEVNULL,
                                  env=os.environ | own | files | {"RUNNER_TEMP": str(runner)}).returncode
            lines = Path(files["GITHUB_OUTPUT"]).read_text().splitlines()
            outputs |= {f"{step.get('id')}.outputs.{name}": value for name, value in (line.split("=", 1) for line in lines)}
            if done:
                break
        sarif = json.loads(Path(given["output"], "violations.sarif").read_text())
        assert outputs["audit.outputs.violations"] == str(len(sarif["runs"][0]["results"])), outputs
        assert "robotsaudit" in Path(files["GITHUB_STEP_SUMMARY"]).read_text(), "the summary is empty"
        assert code is None or done == code, f"{inputs}: exit code {done}"


def main(binary: Path, dist: Path = None):
    with folder() as work:
        os.chmod(work, 0o755)
        if dist is None:
            dist = work / "dist"
            dist.mkdir()
            imitation(binary, dist)
        script("make", "packagers", dist)
        filled = dist / "recipes"
        check_sums(dist, sorted(filled.iterdir()))
        check_manifest(dist, filled / "robotsaudit.json")
        check_recipe(filled / "recipe.yaml")
        check_action(binary, work)
        if has("ruby"):
            check_formula(dist, filled / "robotsaudit.rb", work)
        if has("shellcheck"):
            check_pkgbuild(dist, filled / "PKGBUILD", work)
        if has("nix-instantiate", "nix-hash"):
            check_flake(work)
        check_install(work)
    print("recipes: four have the sums of their files, and install; the flake, go install and the action work")
