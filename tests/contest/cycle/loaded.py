"""Load cycles into platforms in memory, or be refused with everything that is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from contest.cycle.loading import CycleFaultsError, Loaded, load_cycle
from contest.ports import Tracks
from contest.refusals import Fault
from tests.fakes import FakePlatform
from tests.toys import FolderInMemory


def load(
    files: Mapping[str, Any],
    tracks: Tracks | None = None,
    *,
    platform: FakePlatform | None = None,
    deployed: str = "toy-1",
) -> Loaded:
    return load_cycle(platform or FakePlatform(tracks), "me", deployed, FolderInMemory(files), lambda _: None)


def faults(files: Mapping[str, Any], tracks: Tracks | None = None, *, deployed: str = "toy-1") -> list[Fault]:
    """Return the faults for which a cycle is refused; nothing of it is stored."""
    platform = FakePlatform(tracks)
    with pytest.raises(CycleFaultsError) as caught:
        load(files, platform=platform, deployed=deployed)
    assert (platform.blobs.objects, platform.catalogue.cycle()) == ({}, None)
    return list(caught.value.faults)
