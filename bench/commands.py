"""Measure the start of the commands: processor time of ``--help`` and of one real call of each.

    python bench/commands.py

Each line is the least of RUNS fresh processes: the interpreter's own start is in it, and stands in the first line. The
calls need no platform.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

RUNS = 10
CALLS = {
    "markup-core --help": 0,
    "markup-core codes": 0,
    "contest --help": 0,
    "contest cycle schema": 0,
    "pku --help": 0,
    "pku cycle": 1,
    "tracks --help": 0,
    "tracks gec check docs/examples/gec/reference.m2": 0,
    "hurdle --help": 0,
    "hurdle up --cycle missing": 2,
}
"""Calls with their exit codes: nobody is signed in to a platform, and the last folder is not there."""


def processor_s(command: Sequence[str], code: int = 0) -> float:
    """Return the least processor seconds of the command. RuntimeError where it ends with another code."""
    least, environment = float("inf"), {**os.environ, "HOME": tempfile.gettempdir(), "LANG": "C.UTF-8"}
    for _ in range(RUNS):
        before = getrusage(RUSAGE_CHILDREN)
        ended = subprocess.run(
            command, check=False, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        if ended.returncode != code:
            raise RuntimeError(f"{command} ended with {ended.returncode}")
        now = getrusage(RUSAGE_CHILDREN)
        least = min(least, now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime)
    return least


def main() -> None:
    """Print a line for each call."""
    print(f"python itself: {processor_s([sys.executable, '-c', 'pass']) * 1000:.0f} ms")
    for call, code in CALLS.items():
        name, *words = call.split()
        print(
            f"{call}: {processor_s([str(Path(sys.executable).with_name(name)), *words], code) * 1000:.0f} ms",
            flush=True,
        )


if __name__ == "__main__":
    main()
