"""What organizers are shown of the cycle: the sets of finals too, which nobody else is told of."""

from __future__ import annotations

import pytest

from contest.cycle.loading import load_cycle
from contest.cycle.parameters import shown
from contest.errors import NoCycleError
from contest.values import iso
from tests.fakes import FakePlatform
from tests.toys import FolderInMemory, toy_cycle


def test_the_loaded_cycle_is_shown_with_all_its_sets() -> None:
    platform = FakePlatform()
    load_cycle(platform, "tests", "toy-1", FolderInMemory(toy_cycle(final=3)), lambda _: None)
    found = shown(platform)
    assert (found["cycle"], found["track"], found["time_zone"]) == ("toy-1", "toy", "Europe/Moscow")
    assert found["name"] == {"ru": "Игрушечный цикл", "en": "Toy cycle"}
    assert found["loaded_at"] == iso(platform.clock.now())
    assert found["sets"]["final"] == {"kind": "final", "files": {"eng": 1, "rus": 2}, "runs": ["final"]}
    assert found["parameters"]["sessions_per_day"] == 20


def test_without_a_cycle_there_is_nothing_to_show() -> None:
    with pytest.raises(NoCycleError):
        shown(FakePlatform())
