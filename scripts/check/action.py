"""The steps of action.yml that are commands, run in order as a runner does, on testdata: exit code, summary, number of violations.

Nothing that an archive says may be a command of the job.

    action BINARY
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import yaml
from lib import ROOT, TESTDATA, folder


def commands(log):
    """The commands that a runner takes from a log; none between stop-commands and its token."""
    stopped = None
    for line in log.splitlines():
        name, _, value = line.lstrip().removeprefix("::").partition("::") if line.lstrip().startswith("::") else ("", "", "")
        if stopped and name == stopped:
            stopped = None
        elif name == "stop-commands" and not stopped:
            assert len(value) == 32, f"the token is {value!r}"
            stopped = value
        elif name and not stopped:
            yield line


def run_steps(action, work, inputs):
    """The exit code of the last step, what the steps put out, the summary, and the log."""
    given = {name: one.get("default") for name, one in action["inputs"].items()} | inputs
    values = {f"inputs.{name}": value for name, value in given.items()}
    log = ""
    files = {name: work / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for step in (step for step in action["runs"]["steps"] if "run" in step and "go build" not in step["run"]):
        own = {name: re.sub(r"\$\{\{ (.*?) \}\}", lambda found: values[found[1]], text) for name, text in step["env"].items()}
        files["GITHUB_OUTPUT"].write_text("")
        ended = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, cwd=work,
                               env=os.environ | own | {name: str(path) for name, path in files.items()} | {"RUNNER_TEMP": str(work)})
        code, log = ended.returncode, log + ended.stdout
        lines = files["GITHUB_OUTPUT"].read_text().splitlines()
        values |= {f"steps.{step.get('id')}.outputs.{name}": value for name, value in (line.split("=", 1) for line in lines)}
        if code:
            break
    return code, values, files["GITHUB_STEP_SUMMARY"].read_text(), log


def main(binary: Path):
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    for inputs, expected in (({}, 10), ({"fail-on": ""}, 0), ({"options": "--purpose=train\n--crawler=NoSuchBot"}, 10)):
        with folder() as work:
            shutil.copy(binary, work / "robotsaudit")
            code, values, summary, log = run_steps(action, work, {"archives": f"{TESTDATA}\n", "output": str(work / "out")} | inputs)
            counted = json.loads((work / "out/audit.json").read_text())["totals"]["violations"]
            assert values["steps.audit.outputs.violations"] == str(counted), (inputs, values)
            assert "robotsaudit" in summary, "the summary is empty"
            assert code == expected, f"{inputs}: exit code {code}"
            assert "::stop-commands::" in log and not [*commands(log)], f"{inputs}: {log}"
            archives = {"archives": "::error::none.warc", "options": "--nosuch=\n::warning::x"}
            code, _, _, log = run_steps(action, work, archives | {"output": str(work / "other")})
            assert code == 2 and not [*commands(log + "\n::notice::after")][:-1], f"what the program prints is a command: {log}"
            assert [*commands(log + "\n::notice::after")], "commands stay stopped"
    print("the steps of action.yml: exit codes, summary, number of violations, no command but the action's own")
