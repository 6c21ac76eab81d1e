"""Makes THIRD-PARTY-LICENSES.txt: the licences of all that is in the program. --check compares the file in the repository.

    licences [--check]

They are Go's own, those of each module that a program of a release links, as go-licenses finds them, and those of the
libraries of the report.
"""

import os

from lib import ROOT, call, folder

ENVIRONMENT = ""
TOOL = "github.com/google/go-licenses@v1.6.0"
OWN = "github.com/robotsaudit/robotsaudit"
SYSTEMS = ("linux/amd64", "linux/arm64", "darwin/arm64", "windows/amd64", "freebsd/amd64", "wasip1/wasm")
FILE = ROOT / "THIRD-PARTY-LICENSES.txt"


def linked(environment):
    """The packages of others in a program: path, module and version of each."""
    form = "{{$path := .ImportPath}}{{with .Module}}{{if not .Main}}{{$path}} {{.Path}} {{.Version}}{{end}}{{end}}"
    listed = call("go", "list", "-deps", "-f", form, "./cmd/robotsaudit", cwd=ROOT, env=environment, codes=(0,))
    return frozenset(tuple(line.split()) for line in listed.splitlines() if line)


def collect(tool, environment, packages, saved):
    """The licences by module: what go-licenses saves below the module's path, and not below that of another."""
    call(tool, "save", "./cmd/robotsaudit", "--save_path", saved, "--ignore", OWN, cwd=ROOT, env=environment, codes=(0,))
    modules = {module: version for _, module, version in packages}
    found = {name: set() for name in modules}
    for path in filter(lambda path: path.is_file(), saved.rglob("*")):
        package = path.relative_to(saved).as_posix()
        module = max((name for name in modules if package.startswith(name + "/")), key=len)
        found[module].add(path.read_text().strip())
    assert all(found.values()), f"no licence of {[name for name in found if not found[name]]}"
    return {f"{name} {modules[name]}": texts for name, texts in found.items()}


def made():
    names = {}  # by the text of a licence
    done = set()  # what programs link, which is alike on some systems
    go = call("go", "env", "GOROOT", codes=(0,)).strip()  # by which go-licenses knows what is Go's
    with open(f"{go}/LICENSE") as licence:
        names[licence.read().strip()] = {"Go, its standard library"}
    with folder() as work:
        call("go", "install", TOOL, cwd=work, env=os.environ | {"GOBIN": str(work), "GOFLAGS": ""}, codes=(0,))
        for number, system in enumerate(SYSTEMS):
            goos, goarch = system.split("/")
            environment = os.environ | {"GOOS": goos, "GOARCH": goarch, "CGO_ENABLED": "0", "GOROOT": go}
            if (packages := linked(environment)) in done:
                continue
            done.add(packages)
            for name, texts in collect(work / "go-licenses", environment, packages, work / str(number)).items():
                for text in texts:
                    names.setdefault(text, set()).add(name)
    parts = ["\n".join(of) + f"\n\n{text}\n" for of, text in sorted((sorted(of), text) for text, of in names.items())]
    parts.append("Libraries of the report\n\n" + (ROOT / "report/html/assets/licences.txt").read_text())
    return ("\n" + "-" * 80 + "\n\n").join(parts)


def main(*, check: bool = False):
    text = made()
    if not check:
        FILE.write_text(text)
    elif not FILE.exists() or FILE.read_text() != text:
        return f"{FILE.name} is another: scripts/make/run licences makes it"
    print(f"{FILE.name}: the licences of what the program links")
