"""A stage for the rooms that need one: the real handlers on emulated services, a toy cycle, a team with a program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stage import Program, Stage, staged
from tests.stage_kept import played_once


def _with_the_toy_cycle(stage: Stage) -> None:
    stage.load()


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path) as ready:
        played_once(ready, _with_the_toy_cycle)
        yield ready


@pytest.fixture
def red(stage: Stage) -> Program:
    """Return the program of the team ``red``."""
    return Program(stage, stage.team("red"))
