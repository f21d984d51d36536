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


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Return an English-speaking person at a wide screen, without a login."""
    for name in ("HURDLE_URL", "HURDLE_TOKEN", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HURDLE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.setenv("COLUMNS", "160")
