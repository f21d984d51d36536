"""Trying one mutant: its text in a copy of the project, its room's tests in a process of their own, a limit of time."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NoReturn
from warnings import catch_warnings, simplefilter

import pytest

from tools.mutants.rooms import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

# Where the copy's code is found: by the processes that tests start, too.
CODE = (
    ".",
    "functions",
    "layers/markup_core/src",
    "layers/tracks/src",
    "layers/contest/src",
    "layers/shadow/src",
    "clients/pku/src",
    "local/src",
)
# What takes long to load and is nobody's to mutate: loaded once, and each process of tests is forked from there.
HEAVY = (
    "aws_lambda_powertools.event_handler.openapi",
    "boto3",
    "click",
    "cryptography.hazmat.primitives.asymmetric.ed25519",
    "httpx",
    "moto",
    "numpy",
    "pydantic",
    "pynamodb.models",
    "rich.console",
)
TEST_S = 120
RUN_S = 900
MEMORY = 6 * 2**30
OPTIONS = (
    *("-x", "-q", "--tb=no", "-p", "no:cacheprovider"),
    *("-o", f"faulthandler_timeout={TEST_S}", "-o", "faulthandler_exit_on_timeout=true"),
)
_HUNG = "Timeout (0:"


class Outcome(Enum):
    """What a run of tests said."""

    STOOD = "stood"
    FELL = "fell"
    OUT_OF_TIME = "out of time"


@dataclass(frozen=True, slots=True)
class Ran:
    """A run of tests: what it said, the first test that fell (its function), how many seconds it took."""

    outcome: Outcome
    fell: str
    seconds: float


class _FirstFall:
    """A plug-in of pytest: writes down which test fell first, or which file could not be read."""

    def __init__(self, note: Path) -> None:
        self._note = note

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._keep(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._keep(report)

    def _keep(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.failed and not self._note.exists():
            self._note.write_text(report.nodeid.partition("[")[0], "utf-8")


class Copy:
    """A copy of the project's files in ``folder``, where one file at a time is changed."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = folder / "project"
        self._folder = folder
        self._fell = folder / "fell"
        self._changes = 0
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607
            cwd=root,
            capture_output=True,
            check=True,
        ).stdout.decode()
        for name in filter(None, listed.split("\0")):
            if (root / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, self.root / name)

    @contextmanager
    def changed(self, path: Path, text: str) -> Iterator[None]:
        """The file at ``path`` reads ``text`` for a while.

        Compiled files are told apart by size and whole second of change, so every text gets a second of its own.
        """
        file = self.root / path
        before, written = file.read_bytes(), file.stat().st_mtime
        self._changes += 1
        file.write_text(text, "utf-8")
        os.utime(file, (self._changes, self._changes))
        try:
            yield
        finally:
            file.write_bytes(before)
            os.utime(file, (written, written))

    def test(self, tests: Sequence[str]) -> Ran:
        """Run ``tests``, files or single ones, up to the first that falls."""
        log = self._folder / "log"
        self._fell.unlink(missing_ok=True)
        started = time.monotonic()
        child = os.fork()
        if child == 0:
            self._become(tests, log)
        code = _wait(child, started + RUN_S)
        seconds = time.monotonic() - started
        text = log.read_text("utf-8", errors="replace")
        if code in {pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED}:
            raise RuntimeError(f"pytest ran nothing of {tests}:\n{text}")
        fell = self._fell.read_text("utf-8") if self._fell.exists() else ""
        if code is None or (code and not fell and _HUNG in text):
            return Ran(Outcome.OUT_OF_TIME, "", seconds)
        return Ran(Outcome.FELL if code else Outcome.STOOD, fell, seconds)

    def _become(self, tests: Sequence[str], log: Path) -> NoReturn:
        """In the forked process: run the tests and end."""
        code = 1
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(out, 1)
            os.dup2(out, 2)
            os.chdir(self.root)
            code_places = [str(self.root / place) for place in CODE]
            ours = {str(ROOT / place) for place in CODE}
            os.environ |= {"PYTHONPATH": os.pathsep.join(code_places), "HYPOTHESIS_PROFILE": "mutants"}
            sys.path[:] = [*code_places, *(place for place in sys.path if place and place not in ours)]
            code = pytest.main([*OPTIONS, f"--basetemp={self._folder / 'tmp'}", *tests], [_FirstFall(self._fell)])
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)


def load_heavy() -> None:
    """Load what the tests need and no mutant touches: pytest with its plug-ins, the libraries."""
    with catch_warnings(), TemporaryDirectory() as empty, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        pytest.main(["-q", "-c", os.devnull, "-p", "no:cacheprovider", "--rootdir", empty, empty])
        simplefilter("ignore")
        for name in HEAVY:
            import_module(name)


def _wait(child: int, until: float) -> int | None:
    """The exit code of ``child``, or None when it had to be ended at ``until``; its own children end with it."""
    code = None
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            break
        time.sleep(0.02)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if code is None:
        os.waitpid(child, 0)
    return code
