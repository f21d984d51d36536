"""Every command works where its output is not UTF-8: a Windows console, a pipe, a log of another age."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COMMANDS = {
    "pku": ["try", "local/demonstration/train", "--entry-point", "pku.pilot:mark", "--files", "1", "--lang", "ru"],
    "contest": ["cost", "--teams", "3", "--files", "5"],
    "hurdle": ["rehearse", "--help"],
    "tracks": ["batch", "--help"],
    "markup-core": ["codes", "rus"],
}


@pytest.mark.integration
@pytest.mark.parametrize("encoding", ["cp1251", "cp866", "ascii"])
@pytest.mark.parametrize("command", COMMANDS)
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


@pytest.mark.integration
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_tells_its_version(command: str) -> None:
    said = subprocess.run(
        [str(Path(sys.executable).with_name(command)), "--version"], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip().split(" ")[1] == version("hurdle-pku")
