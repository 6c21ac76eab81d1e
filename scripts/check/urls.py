"""URLs are read as ada-url, surt and tldextract of PyPI do: internal/weburl/oracle_test.go has the questions.

    urls
"""

import os
import subprocess
import sys

from lib import ROOT


def main():
    environment = os.environ | {"ROBOTSAUDIT_PYTHON": sys.executable}
    return subprocess.run(["go", "test", "-count=1", "./internal/weburl"], cwd=ROOT, env=environment).returncode
