"""``docs/markup-core.md`` and ``docs/markup-core.ru.md`` tell every command, and their examples are what it prints.

After an intended change of the output run this file as a program: it writes the examples anew.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from markup_core.command.cli import build_parser
from markup_core.command.operations import OPERATIONS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = (DOCS / "markup-core.md", DOCS / "markup-core.ru.md")
BLOCK = re.compile(r"````console\n(.*?)````\n", re.DOTALL)
COMMANDS = {"markup-core": [sys.executable, "-m", "markup_core"], "sed": ["/bin/sed"]}


@pytest.fixture(params=[PAGES[0], pytest.param(PAGES[1], marks=pytest.mark.long)], ids=lambda page: page.name)
def document(request: pytest.FixtureRequest) -> str:
    """Return the page, in each language."""
    page: Path = request.param
    return page.read_text("utf-8")


def commands() -> dict[str, argparse.ArgumentParser]:
    actions = build_parser()._actions
    (names,) = [action for action in actions if isinstance(action, argparse._SubParsersAction)]
    return dict(names.choices)


def printed(line: str, folder: Path) -> str:
    """Return a command line's output, its complaints, and its exit code if it is not 0."""
    name, _, rest = line.partition(" ")
    outcome = subprocess.run(
        ["/bin/sh", "-c", f'"$@" {rest}', "sh", *COMMANDS[name]],
        cwd=folder,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        check=False,
    )
    output = (outcome.stdout + outcome.stderr).decode("utf-8").replace("\r\n", "\n").rstrip("\n")  # CSV ends lines so
    code = f"[exit code {outcome.returncode}]" if outcome.returncode else ""
    return "".join(f"{part}\n" for part in (f"$ {line}", output, code) if part)


def rewritten(document: str) -> str:
    """Return the document with the present output of every example."""
    with tempfile.TemporaryDirectory() as copy:
        folder = Path(shutil.copytree(DOCS / "examples", Path(copy) / "examples"))

        def run(block: re.Match[str]) -> str:
            lines = [line[2:] for line in block[1].splitlines() if line.startswith("$ ")]
            return "````console\n" + "".join(printed(line, folder) for line in lines) + "````\n"

        return BLOCK.sub(run, document)


@pytest.mark.long
def test_the_examples_are_what_the_command_prints(document: str) -> None:
    assert rewritten(document) == document


def test_every_command_has_a_chapter_with_an_example(document: str) -> None:
    chapters = re.split(r"^## ", document, flags=re.MULTILINE)
    for name in commands():
        (chapter,) = [each for each in chapters if each.startswith(f"{name}\n")]
        assert f"$ markup-core {name}" in chapter


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_option_is_explained(name: str, document: str) -> None:
    options = [option for action in commands()[name]._actions for option in action.option_strings if len(option) > 2]
    assert [option for option in options if option not in document] == []


def test_every_op_and_every_error_code_is_listed(document: str) -> None:
    folder = Path(str(build_parser.__code__.co_filename)).parent
    source = "".join((folder / name).read_text("utf-8") for name in ("operations.py", "batch.py"))
    codes = set(re.findall(r'RefusedError\(\s*"([a-z_]+)"', source))
    assert len(codes) > 8
    assert [name for name in (*OPERATIONS, *sorted(codes)) if f"| `{name}` |" not in document] == []


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(rewritten(page.read_text("utf-8")), "utf-8")
