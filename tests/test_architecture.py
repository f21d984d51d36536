"""The layout is the architecture: what may stand where is checked, not remembered."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("layers", "functions", "clients", "local", "infra", "bench", "tools")

CLOCKS_AND_ENVIRONMENT = {
    "layers/contest/src/contest/settings.py",
    "layers/contest/src/contest/adapters/clock.py",
    "layers/markup_core/src/markup_core/speaking.py",
    "layers/shadow/src/shadow/job.py",
    "local/src/local/clock.py",
    "local/src/local/environment.py",
    "local/src/local/submissions/copying.py",
    "local/src/local/submissions/work.py",
    "clients/pku/src/pku/clock.py",
    "infra/address_keys.py",
    "clients/pku/src/pku/config.py",
}
"""Modules that may ask the machine what time it is or what its environment says: ports, the language of the system, and
what is a program of its own in a container."""


def modules() -> list[Path]:
    found = [
        path
        for source in SOURCES
        for path in sorted((ROOT / source).rglob("*.py"))
        if "node_modules" not in path.parts and "build" not in path.parts
    ]
    assert len(found) > 50, "the sources have moved and this test looks at nothing"
    return found


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.clause("TS T19")
def test_the_library_has_no_rules_of_runs() -> None:
    """When a file opens, until when it may be answered and what was lost for all stands in contest.domain alone."""
    rules = {"Window", "Pause", "Schedule", "opens_at", "answer_by", "ends_at", "missed_by_all", "mass_failure"}
    named = {
        (relative(path), each.name)
        for path in modules()
        for each in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(each, ast.ClassDef | ast.FunctionDef) and each.name in rules
    }
    homes = {path.split("/src/")[0] for path, _ in named}
    assert "layers/contest" in homes, "the rules have other names now and this test looks at nothing"
    assert homes.isdisjoint({"layers/tracks", "layers/markup_core"})
    timing = [relative(path) for path in modules() if path.stem in {"timing", "schedule", "pauses"}]
    assert [each for each in timing if each.startswith(("layers/tracks", "layers/markup_core"))] == []


def test_imports_go_one_way_only() -> None:
    paths = [str(ROOT / "functions"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    outcome = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--config", str(ROOT / "pyproject.toml")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert "KEPT" in outcome.stdout


@pytest.mark.parametrize("name", ["utils", "util", "common", "helpers", "helper", "misc"])
def test_no_module_has_a_name_that_says_nothing(name: str) -> None:
    assert [relative(path) for path in modules() if name in (path.stem, path.parent.name)] == []


def _asks_the_machine(node: ast.AST) -> bool:
    if not isinstance(node, ast.Attribute):
        return False
    return ast.unparse(node) in {
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
        f"{relative(path)}:{node.lineno}: {ast.unparse(node)}"
        for path in modules()
        if relative(path) not in CLOCKS_AND_ENVIRONMENT and not relative(path).startswith(("bench/", "tools/"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if _asks_the_machine(node)
    ]
    assert offenders == []


def test_modules_and_functions_stay_short() -> None:
    long: list[str] = []
    for path in modules():
        text = path.read_text("utf-8")
        if text.count("\n") > 600:
            long.append(f"{relative(path)}: {text.count(chr(10))} lines")
        long += [
            f"{relative(path)}:{node.lineno}: {node.name}, {(node.end_lineno or 0) - node.lineno + 1} lines"
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and (node.end_lineno or 0) - node.lineno + 1 > 60
        ]
    assert long == []


def test_importing_the_scoring_library_needs_no_scipy() -> None:
    program = "import sys, markup_core, markup_core.accuracy; print('scipy' in sys.modules)"
    outcome = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert outcome.stdout.strip() == "False"


HEARD = {"layers/tracks/src/tracks/command/heard.py", "local/src/local/rehearsal/command.py"}
"""Who says in a pipe, where no bar is seen to move, how far it is: for everybody, and of a rehearsal's driven clock."""


def test_no_command_shows_a_bar_that_is_silent_in_a_pipe() -> None:
    found = set()
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "rich.progress":
                found |= {relative(path) for each in node.names if each.name in {"Progress", "track"}}
    assert found == HEARD
