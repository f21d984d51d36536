"""Modules that a command loads before it prints its help: counted, because seconds depend on the machine.

Processor time follows the count, where Python alone takes 0.02 s: ``contest`` took 1.6 s with 1 030 modules and takes
0.4 s with 295, ``pku`` took 0.5 s with 382 and takes 0.1 s with 157, ``markup-core`` took 0.25 s with 219 and takes
0.04 s with 85. ``hurdle`` took 1.2 s and takes 0.08 s, with 150. Budgets: 0.5 s for ``contest``, 0.35 s for ``pku``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from types import ModuleType

import pytest

HEAVY = {
    "aws_lambda_powertools",
    "boto3",
    "botocore",
    "contest.edge",
    "contest.platform",
    "contest.wire",
    "contest.wiring",
    "cryptography",
    "httpx",
    "jinja2",
    "moto",
    "numpy",
    "pydantic",
    "pynamodb",
    "scipy",
    "tracks.essay.track",
    "uvicorn",
}
"""Modules that a command loads only when it needs them."""


def loaded(module: str, *words: str) -> set[str]:
    """Return the modules of a process in which a command has shown its help."""
    program = f"""
import sys
from {module} import main
sys.argv = {["command", *words, "--help"]!r}
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print("\\n", *sorted(sys.modules))
"""
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    ("module", "words", "most"),
    [
        ("contest.commands.main", (), 328),
        ("contest.commands.main", ("team", "add"), 328),
        ("contest.commands.main", ("run", "plan"), 328),
        ("pku.cli", (), 168),
        ("pku.cli", ("run",), 168),
        ("pku.cli", ("doctor",), 168),
        ("tracks.command.cli", (), 146),
        ("local.cli", (), 165),
        ("markup_core.command.cli", (), 94),
        ("markup_core.command.cli", ("grade",), 94),
    ],
)
def test_a_command_shows_its_help_without_what_only_its_work_needs(
    module: str, words: tuple[str, ...], most: int
) -> None:
    modules = loaded(module, *words)
    assert not HEAVY & modules
    assert len(modules) <= most, f"{len(modules)} modules; what is new among them is imported where it is used"


def test_what_a_command_does_work_with_is_heavy() -> None:
    """The list names what is really there: a renamed module would let the test above pass for nothing."""
    done = subprocess.run(
        [sys.executable, "-c", f"import importlib\nfor each in {sorted(HEAVY)!r}: importlib.import_module(each)"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


class Interrupted(ModuleType):
    """A module at whose loading somebody presses Ctrl-C; other threads' imports go on."""

    def __getattr__(self, name: str) -> None:
        raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("command", "module"),
    [
        ("contest", "contest.commands.main"),
        ("hurdle", "local.cli"),
        ("markup-core", "markup_core.command.cli"),
        ("pku", "pku.cli"),
        ("tracks", "tracks.command.cli"),
    ],
)
def test_ctrl_c_while_a_command_loads_leaves_no_trace(
    command: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (script,) = entry_points(group="console_scripts", name=command)
    main = script.load()
    with monkeypatch.context() as loading:
        loading.setitem(sys.modules, module, Interrupted(module))
        code = main()
    assert code == 130
