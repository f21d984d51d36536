"""Every command works where its output is not UTF-8: a Windows console, a pipe, a log of another age."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from itertools import cycle
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tests.test_russian_commands import CLICK, named

ROOT = Path(__file__).parents[1]
COMMANDS = {
    "pku": ["try", "local/demonstration/train", "--entry-point", "pku.pilot:mark", "--files", "1", "--lang", "ru"],
    "contest": ["cost", "--teams", "3", "--files", "5"],
    "hurdle": ["rehearse", "--help"],
    "tracks": ["batch", "--help"],
    "markup-core": ["codes", "rus"],
}
ENCODINGS = ("cp1251", "cp866", "ascii")


@pytest.mark.integration
@pytest.mark.parametrize(("command", "encoding"), [*zip(COMMANDS, cycle(ENCODINGS), strict=False)])
def test_what_cannot_be_shown_is_escaped(command: str, encoding: str, tmp_path: Path) -> None:
    said = subprocess.run(
        [str(Path(sys.executable).with_name(command)), *COMMANDS[command]],
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "HURDLE_HOME": str(tmp_path)},
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert (said.returncode, said.stderr.strip()) == (0, b"")
    assert said.stdout.decode(encoding).strip()


@pytest.mark.parametrize("encoding", ["cp1251", "cp866"])
@pytest.mark.parametrize(("name", "group"), [each[:2] for each in CLICK], ids=[name for name, *_ in CLICK])
def test_every_help_page_is_shown_whatever_the_output_takes(name: str, group: click.Group, encoding: str) -> None:
    """All commands behave as one does: they come from the one group that looks after the streams."""
    pages = [path for path, _ in named(group)]
    assert len(pages) > 5
    for path in pages:
        shown = CliRunner(charset=encoding).invoke(group, ["--lang", "ru", *path, "--help"], prog_name=name)
        assert (path, shown.exception) == (path, None)
        assert shown.stdout_bytes.decode(encoding)


@pytest.mark.integration
def test_every_command_tells_its_version() -> None:
    """Run one in a process of its own, as it is typed; the tests above start each so."""
    command = [str(Path(sys.executable).with_name("markup-core")), "--version"]
    told = {"markup-core": subprocess.run(command, capture_output=True, text=True, check=True).stdout}
    told |= {name: CliRunner().invoke(group, ["--version"], prog_name=name).stdout for name, group, _ in CLICK}
    assert told.keys() == COMMANDS.keys()
    assert {name: said.strip().split(" ")[1] for name, said in told.items()} == dict.fromkeys(
        COMMANDS, version("hurdle-pku")
    )
