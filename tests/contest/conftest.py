"""A stage for the rooms that need one: the real handlers on emulated services, a toy cycle, a team with a program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stage import Program, Stage, staged


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path) as ready:
        ready.load()
        yield ready


@pytest.fixture
def red(stage: Stage) -> Program:
    """The program of the team ``red``."""
    return Program(stage, stage.team("red"))
