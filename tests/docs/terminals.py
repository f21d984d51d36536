"""Commands that documents print to be typed, a terminal to type them in, and a clock that goes ten times as fast."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from local.clock import Clock

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^ *(?P<fence>`{3,4})(?P<kind>\w*)\n(?P<body>.*?)^ *(?P=fence)$", re.MULTILINE | re.DOTALL)
REMARK = re.compile(r"\s+# .*$")
STEP_S, PAUSE_S = 2.0, 0.2


def typed(page: str) -> list[str]:
    """List the command lines of a page's terminals, in their order, without the remarks behind them."""
    terminals = (each["body"] for each in BLOCK.finditer(page) if each["kind"] == "console")
    lines = (line for body in terminals for line in body.splitlines() if line.startswith("$ "))
    return [REMARK.sub("", line[2:]).strip() for line in lines]


class Terminal:
    """Terminal of one person, in one folder, with its own settings."""

    def __init__(self, folder: Path, home: Path, environment: Mapping[str, str] | None = None) -> None:
        """``environment`` is added to this process's own."""
        self._folder = folder
        programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        known = {"HURDLE_HOME": str(home), "COLUMNS": "120", "LANG": "C.UTF-8", **(environment or {})}
        self._environment = {**os.environ, **known, "PATH": programs}

    def tried(self, command: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command that may fail, and return its end; ``given`` is its standard input."""
        words = ["bash", "-e", "-c", command]
        return subprocess.run(
            words,
            cwd=self._folder,
            env=self._environment,
            input=given,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            start_new_session=True,  # without a terminal a token is read from standard input
        )

    def run(self, command: str, given: str = "") -> str:
        """Run a command that must succeed and return its output."""
        done = self.tried(command, given)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr


@contextmanager
def flying(clock: Clock) -> Iterator[None]:
    """Let a cloud's clock and its timers go ten times as fast inside; the clock is held afterwards."""
    done = threading.Event()

    def fly() -> None:
        while not done.wait(PAUSE_S):
            clock.advance(STEP_S)

    clock.hold()
    pilot = threading.Thread(target=fly)
    pilot.start()
    try:
        yield
    finally:
        done.set()
        pilot.join()
