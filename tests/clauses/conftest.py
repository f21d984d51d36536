"""A stage for every clause: the real handlers on emulated services, a toy cycle, a team with a program."""

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
def program(stage: Stage) -> Program:
    return Program(stage, stage.team("red"))
