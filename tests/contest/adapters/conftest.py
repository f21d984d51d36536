"""Implementations of the ports' contract: the adapters on emulated services, and their fakes in other tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from contest.platform import Platform
from tests.fakes_channel import ChannelPlatform
from tests.stage import staged


@pytest.fixture(params=["fake", "real"])
def platform(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Platform]:
    if request.param == "fake":
        yield ChannelPlatform()
        return
    with staged(tmp_path) as stage:
        yield stage.platform
