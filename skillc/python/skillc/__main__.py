"""The program ``skc``, in this process: ``skc …`` and ``python -m skillc …``."""

from __future__ import annotations

import os
import signal
import sys

from . import _skillc


def _program() -> str:
    """Returns the path of the program ``skc`` that belongs to this interpreter; ``python -m skillc`` has no such file."""
    name = "skc.exe" if os.name == "nt" else "skc"
    started = os.path.abspath(sys.argv[0])
    beside = os.path.join(os.path.dirname(sys.executable), name)
    for path in (started, started + ".exe", beside):
        if os.path.basename(path) == name and os.path.isfile(path):
            return path
    return started


def main() -> int:
    """Runs ``skc`` with the arguments of this process; returns its exit status."""
    # Python's own handler would not run before the program has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _skillc.run(["skc", *sys.argv[1:]], _program())


if __name__ == "__main__":
    sys.exit(main())
