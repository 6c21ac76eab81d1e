"""Puts the program into a wheel, and its source into an sdist.

The program is the one that the environment variable ROBOTSAUDIT_PROGRAM names, or else it is built
here, by Go: for this machine, or for the system and processor that GOOS and GOARCH name.
"""

import os
import subprocess
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface



def release(python: Path) -> str:
    """The version of the commit's tag, or of the sdist that the folder is; nothing: it is no release."""
    if (python / "PKG-INFO").exists():
        return next(line.split()[1] for line in (python / "PKG-INFO").read_text().splitlines() if line.startswith("Version: "))
    try:
        tag = subprocess.run(["git", "describe", "--tags", "--exact-match", "--match", "v*"], cwd=python, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip()
    except FileNotFoundError:
        return ""
    return tag.removeprefix("v")


VERSION = release(Path(__file__).resolve().parent) or "0.2.0.dev0"
# Tags of wheels. The program of Linux is static, so one wheel serves glibc and musl. Go 1.26 needs macOS 12.
PLATFORMS = {
    "linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}
REPORT = "github.com/robotsaudit/robotsaudit/report"
LICENCES = ("LICENSE", "THIRD-PARTY-LICENSES.txt")
SOURCES = ("*.go", "go.mod", "go.sum", *LICENCES, "cmd", "evaluate", "ingest", "internal", "report")


class Hook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        python = Path(self.root)
        source = python / "go" if (python / "go").exists() else python.parent  # of an sdist, of the repository
        if self.target_name == "sdist":
            build_data["force_include"] |= {str(path): f"go/{path.relative_to(source)}" for path in sources(source)}
            return
        if version == "editable":  # it has no place for a program: ROBOTSAUDIT_PROGRAM names one
            return
        self.work = tempfile.TemporaryDirectory()
        system, processor = go(source, "env", "GOOS", "GOARCH").split()
        name = "robotsaudit" + ".exe" * (system == "windows")
        named = os.environ.get("ROBOTSAUDIT_PROGRAM")
        program = Path(named or Path(self.work.name, name))
        if not named:
            self.app.display_info(f"building robotsaudit for {system}/{processor}")
            repository = (source / ".git").exists()
            stamp = "" if repository and "dev" in VERSION else f" -X {REPORT}.version=v{VERSION}"
            go(source, "build", "-trimpath", f"-buildvcs={str(repository).lower()}", f"-ldflags=-s -w -buildid={stamp}",
               "-o", str(program), "./cmd/robotsaudit")
        program.chmod(0o755)
        local = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{PLATFORMS.get(f'{system}/{processor}', local)}"
        build_data["pure_python"] = False
        build_data["force_include"] |= {
            str(program): f"robotsaudit/bin/{name}",
        } | {str(source / name): f"robotsaudit-{self.metadata.version}.dist-info/licenses/{name}" for name in LICENCES}


def go(folder: Path, *arguments: str) -> str:
    environment = os.environ | {"CGO_ENABLED": "0", "GOFLAGS": ""}
    try:
        return subprocess.run(["go", *arguments], cwd=folder, env=environment, check=True, stdout=subprocess.PIPE,
                              text=True).stdout
    except FileNotFoundError:
        raise SystemExit("robotsaudit is built by Go 1.26, and there is no command go: install it (https://go.dev/dl), "
                         "or a wheel for this machine") from None


def sources(folder: Path) -> list[Path]:
    """The files of the repository that the program is built of."""
    listed = subprocess.run(["git", "ls-files", "-z", *SOURCES], cwd=folder, check=True, stdout=subprocess.PIPE,
                            text=True).stdout
    names = (Path(name) for name in listed.split("\0") if name)
    return [folder / name for name in names if "testdata" not in name.parts and not name.name.endswith("_test.go")]
