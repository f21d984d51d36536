"""The layout is the architecture: what may stand where is checked, not remembered."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("layers", "functions", "clients", "local", "rehearsal", "infra", "bench", "tools")

CLOCKS_AND_ENVIRONMENT = {
    "layers/contest/src/contest/settings.py",
    "layers/contest/src/contest/adapters/system.py",
    "layers/markup_core/src/markup_core/texts.py",
    "layers/shadow/src/shadow/job.py",
    "local/src/local/clock.py",
    "local/src/local/environment.py",
    "local/src/local/submissions/work.py",
    "infra/machine.py",
    "infra/measure/bridge.py",
    "clients/pku/src/pku/config.py",
}
"""Modules that may read the machine's clock or environment: ports, the language of the system, and programs of their
own in a container."""


@cache
def modules() -> list[Path]:
    paths = [
        path
        for source in SOURCES
        for path in sorted((ROOT / source).rglob("*.py"))
        # Starter kits are programs of their participants, on the standard library alone.
        if not {"node_modules", "build", "starter-kits"} & set(path.parts)
    ]
    assert len(paths) > 50, "the sources have moved and this test looks at nothing"
    return paths


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@dataclass(frozen=True)
class Module:
    """Facts about a module's text that the tests check."""

    path: str
    lines: int
    defined: tuple[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, ...]
    asking: tuple[str, ...]
    """Expressions that read the machine's clock or environment, each after its line number."""
    bars: tuple[str, ...]
    """Names that it imports from ``rich.progress``."""


@cache
def read() -> tuple[Module, ...]:
    """Return all modules, each parsed once: their trees together take more memory than a worker has."""
    return tuple(_read(path) for path in modules())


def _read(path: Path) -> Module:
    text = path.read_text("utf-8")
    defined, asking, bars = [], [], []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                defined.append(type(node)(**{**vars(node), "body": [], "decorator_list": []}))
            case ast.Attribute() if _asks_the_machine(node):
                asking.append(f"{node.lineno}: {ast.unparse(node)}")
            case ast.ImportFrom(module="rich.progress"):
                bars += [alias.name for alias in node.names]
    return Module(relative(path), text.count("\n"), tuple(defined), tuple(asking), tuple(bars))


@pytest.mark.clause("TS T19")
def test_the_library_has_no_rules_of_runs() -> None:
    """Openings of files, deadlines of answers and losses for all teams are computed by the contest's rules alone."""
    rules = {"Window", "Pause", "Schedule", "opens_at", "answer_by", "ends_at", "missed_by_all", "mass_failure"}
    named = {(module.path, node.name) for module in read() for node in module.defined if node.name in rules}
    homes = {path.split("/src/")[0] for path, _ in named}
    assert "layers/contest" in homes, "the rules have other names now and this test looks at nothing"
    assert homes.isdisjoint({"layers/tracks", "layers/markup_core"})
    timing = [relative(path) for path in modules() if path.stem in {"timing", "schedule", "pauses"}]
    assert [path for path in timing if path.startswith(("layers/tracks", "layers/markup_core"))] == []


ROOMS = (
    *("channel", "cycle", "exchange", "experts", "messages", "operations"),
    *("people", "results", "run", "session", "submissions"),
)
NAMED_FLOORS = {"__init__", "rules", "ports", "errors", "store", "wire", "presenting", "events", "commands"}
NO_USE_CASES = {
    "contest.channel.fetching",
    "contest.channel.frames",
    "contest.cycle.file",
    "contest.people.accounts",
}


def test_every_use_case_stands_on_a_floor() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (floors,) = (contract["layers"] for contract in contracts if contract["name"] == "floors of the use cases")
    cases = {
        f"contest.{room}.{path.stem}"
        for room in ROOMS
        for path in (ROOT / "layers/contest/src/contest" / room).glob("*.py")
        if path.stem not in NAMED_FLOORS
    }
    listed = {name for floor in floors for name in re.split(r" [|:] ", floor)}
    assert cases - NO_USE_CASES == {name for name in listed if name.count(".") == 2}


@pytest.mark.parametrize("name", ["utils", "util", "common", "helpers", "helper", "misc"])
def test_no_module_has_a_name_that_says_nothing(name: str) -> None:
    assert [relative(path) for path in modules() if name in (path.stem, path.parent.name)] == []


_NAMES_OF_ASKING = frozenset({"environ", "getenv", "time", "time_ns", "now", "utcnow", "today"})


def _asks_the_machine(node: ast.AST) -> bool:
    if not isinstance(node, ast.Attribute):
        return False
    return node.attr in _NAMES_OF_ASKING and ast.unparse(node) in {
        "os.environ",
        "os.getenv",
        "time.time",
        "time.time_ns",
        "datetime.now",
        "datetime.utcnow",
        "datetime.datetime.now",
        "date.today",
    }


def test_only_clocks_and_settings_ask_the_machine_for_time_and_environment() -> None:
    offenders = [
        f"{module.path}:{where}"
        for module in read()
        if module.path not in CLOCKS_AND_ENVIRONMENT and not module.path.startswith(("bench/", "tools/"))
        for where in module.asking
    ]
    assert offenders == []


def test_modules_and_functions_stay_short() -> None:
    long = [f"{module.path}: {module.lines} lines" for module in read() if module.lines > 600]
    long += [
        f"{module.path}:{node.lineno}: {node.name}, {length} lines"
        for module in read()
        for node in module.defined
        if not isinstance(node, ast.ClassDef) and (length := (node.end_lineno or 0) - node.lineno + 1) > 60
    ]
    assert long == []


GENERATED_AT_ONCE = {"layers/contest/src/contest/routes.py", "layers/contest/src/contest/settings.py"}
"""Modules that the infrastructure imports without the scoring library."""


def test_what_functions_import_generates_no_methods_of_dataclasses_before_they_are_used() -> None:
    """Half of a function's import time went there; `markup_core.lazy` says how."""
    paths = [path for name in ("contest", "tracks", "shadow") for path in (ROOT / f"layers/{name}").rglob("*.py")]
    frozen = [path for path in paths if "@dataclass(frozen=True, slots=True)" in path.read_text("utf-8")]
    assert len(frozen) > 100
    at_once = {relative(path) for path in frozen if "from markup_core.lazy import" not in path.read_text("utf-8")}
    assert at_once == GENERATED_AT_ONCE


def test_importing_the_scoring_library_needs_no_scipy() -> None:
    program = "import sys, markup_core, markup_core.accuracy; print('scipy' in sys.modules)"
    outcome = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert outcome.stdout.strip() == "False"


HEARD = {"layers/tracks/src/tracks/command/console.py"}
"""The module that reports progress in a pipe, where no bar moves, for all commands."""


def test_no_command_shows_a_bar_that_is_silent_in_a_pipe() -> None:
    barred = {module.path for module in read() if {"Progress", "track"} & set(module.bars)}
    assert barred == HEARD
