"""A stage for every clause: the real handlers on emulated services, a toy cycle, a team with a program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from contest.run.rules.run import Run
from tests.stage import Program, Stage, staged
from tests.stage_kept import begun


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path) as ready:
        begun(ready, Stage.load)
        yield ready


@pytest.fixture
def program(stage: Stage) -> Program:
    return Program(stage, stage.team("red"))


@pytest.fixture
def run(stage: Stage) -> Run:
    """Plan a final that starts in ten minutes; file k opens a minute after file k - 1."""
    return stage.plan()


@pytest.fixture
def joined(run: Run, program: Program) -> Program:
    assert program.join().status == 201
    return program
