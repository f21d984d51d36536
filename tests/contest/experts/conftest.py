"""A stage without a toy cycle: experts mark up real essays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.experts_stage import CYCLE, Desk
from tests.stage import Stage, staged
from tests.stage_kept import played_once


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path, cycle=CYCLE) as ready:
        yield ready


@pytest.fixture
def desk(stage: Stage) -> Desk:
    """Return a desk with one essay assigned to anna and boris."""
    return played_once(stage, Desk)
