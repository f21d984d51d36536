"""A stage for the rooms that need one: the real handlers on emulated services, a toy cycle, a team with a program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stage import Program, Stage, staged
from tests.stage_kept import Setting, begun

WITH_THE_TOY_CYCLE = Setting(play=Stage.load)


@pytest.fixture
def stage(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Stage]:
    """Start a stage as the module says in ``STAGE``; of the toy contest, with its cycle, where it says nothing."""
    setting: Setting = getattr(request.module, "STAGE", WITH_THE_TOY_CYCLE)
    with staged(tmp_path, setting.cycle) as ready:
        if setting.play:
            begun(ready, setting.play)
        yield ready


@pytest.fixture
def red(stage: Stage) -> Program:
    """Return the program of the team ``red``."""
    return Program(stage, stage.team("red"))
