"""Fixtures of the kit's tests: an empty stage, and a platform of three essays on a driven clock."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pku.platform import DrivenClock, Platform, essay_cycle, numbered, platform_of
from tests.stage import Stage, staged


@pytest.fixture
def clock() -> DrivenClock:
    return DrivenClock()


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path, "trial") as made:
        yield made


@pytest.fixture
def platform(tmp_path: Path, clock: DrivenClock) -> Iterator[Platform]:
    with platform_of(tmp_path, clock, essay_cycle(numbered(3))) as made:
        yield made
