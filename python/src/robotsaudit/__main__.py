"""The command robotsaudit: python -m robotsaudit is the same."""

import os
import signal
import subprocess
import sys

from ._tool import RobotsauditError, cannot_start, program


def main() -> int:
    """Runs the program with the arguments of this process, in its place where the system can do that."""
    try:
        path = program()
        arguments = [str(path), *sys.argv[1:]]
        try:
            if os.name != "nt":
                os.execv(path, arguments)
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # it reaches the program, which shares the console
            return subprocess.call(arguments)
        except OSError as error:
            raise cannot_start(path, error) from None
    except RobotsauditError as error:
        print(f"robotsaudit: {error}", file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
